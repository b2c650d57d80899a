// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The gallery: the example scenes, found where this program was built or installed.
//
// Its list is the tables of the examples' README.md, so that a scene is described in one place. The folder is
//   1. what the environment variable TACTUS_EXAMPLES names;
//   2. share/tactus/examples beside the folder of the installed program, wherever that was moved to;
//   3. examples/ of the sources that it was built from.

#ifndef APP_GALLERY_H
#define APP_GALLERY_H

#include <stddef.h>

typedef struct AppDemo {
    char *path;  // of the scene's file
    char *name;  // "springs/chain"
    char *about; // one line
    char *theme; // the heading that it stands under in the list; "" without one
} AppDemo;

typedef struct AppGallery {
    char *folder; // NULL where there is none
    AppDemo *demos;
    size_t count;
} AppGallery;

// Empty where nothing is found. Scenes that need a plugin are left out.
AppGallery app_gallery(void);
void app_gallery_destroy(AppGallery *gallery);

// A demo's name without its folder: "chain".
const char *app_demo_short_name(const AppDemo *demo);

// By "springs/chain", "chain" or either with its extension; NULL where there is none.
const AppDemo *app_gallery_find(const AppGallery *gallery, const char *name);

// The demo that a path leads to, however it is written; NULL where it is none.
const AppDemo *app_gallery_at(const AppGallery *gallery, const char *path);

#endif
