// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The live view: a page in the browser where a world runs, or a recording plays.
//
//     TacViewDef def = tac_view_def_default();
//     def.path = "cloth.tac";
//     tac_view_create(&view, &def, &error);
//     puts(tac_view_address(view));      // http://127.0.0.1:40123/?token=...
//     tac_view_run(view, &error);        // until tac_view_stop
//     tac_view_destroy(view);
//
// The page is part of the library; nothing is read from disk or fetched. Only the loopback address is served
// unless another one is asked for; a token that nobody can guess is part of the address, and without it the
// page shows nothing. The world runs in a thread of its own and never waits for a browser. docs/view.md has
// the protocol.

#ifndef TACTUS_VIEW_H
#define TACTUS_VIEW_H

#include "tactus/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TacView TacView;

typedef struct TacViewDef {
    const char *path;    // a scene, or a recording (.tacrec)
    const char *address; // to listen on; default "127.0.0.1". Any other lets others in who know the token
    int port;            // 0: any that is free
    const char *token;   // 32 hexadecimal digits; NULL: new ones. For pages that are to find a server again
    bool paused;         // starts without running
    double speed;        // simulated seconds per second, 1/32 .. 8; default 1

    const char *const *gallery; // more scenes to switch to; may hold `path` itself
    size_t gallery_count;

    int threads; // of the world, as in TacWorldDef
    uint64_t seed;
    const char *const *sets; // "name=value", "/node/component.attribute=value": for `path` alone
    size_t set_count;
    const char *const *plugins;
    size_t plugin_count;
    const TacClass *const *classes; // of one's own, as for tac_scene_add_class; must outlive the view
    size_t class_count;
    size_t snapshot_memory; // bytes for going back in time; default 256 MiB
    const char *folder;     // where recordings are saved; default "."

    // Both may be NULL.
    void (*log)(void *data, const char *line); // what happens, for people; from the world's thread
    bool (*go_on)(void *data); // asked several times a second, in tac_view_run's thread; false ends it
    void *data;
} TacViewDef;

// Loopback, any port, running at speed 1, with one thread.
TAC_API TacViewDef tac_view_def_default(void);

// Reads the scene or the recording and starts to listen; nothing runs yet. All texts are copied.
TAC_API TacStatus tac_view_create(TacView **view, const TacViewDef *def, TacError *error);
// Where the page is, token included. Valid until the view is destroyed.
TAC_API const char *tac_view_address(const TacView *view);
// Serves until tac_view_stop is called, from whatever thread, or `go_on` says no.
TAC_API TacStatus tac_view_run(TacView *view, TacError *error);
TAC_API void tac_view_stop(TacView *view);
TAC_API void tac_view_destroy(TacView *view); // NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
