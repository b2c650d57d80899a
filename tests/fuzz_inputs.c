// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fuzzes recorded inputs (.tacin): any text is refused with a reason and its line, or taken; then the world goes on or
// fails with a message, and what its own log says, given to another world that nobody looks at, gives the same bits.
//
// The first byte chooses the world, the rest is the file.

#define _GNU_SOURCE
#include "base/memory.h"
#include "tactus/tactus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BEATS = 4 };

static const char *const scenes[] = {
    // under a solver, free, mapped and fixed
    "<tactus version='1'><node name='a'><ImplicitEuler/><Frames name='f' positions='0 1 0 0 0 0 "
    "1'/><UniformMass "
    "box='1 1 1'/><node name='b'><Points name='p' positions='0.5 0 0  0 0.5 "
    "0'/><RigidMap/></node></node><node "
    "name='n'><Points name='p' positions='0 0 0 1 0 0 1 1 0'/><UniformMass/><FixedPoints "
    "points='0'/><Springs "
    "pairs='0 1 1 2' stiffness='90' period='0.003'/></node></tactus>",
    // safe contact
    "<tactus version='1'><Contact method='safe' thickness='0.02' friction='0.4'/><node name='floor'><Sheet "
    "divisions='1' width='3' depth='3'/><Points/><FixedPoints points='0-3'/><Skin/></node><node "
    "name='a'><ImplicitEuler/><Sheet divisions='1' width='0.3' depth='0.3' translation='0 0.03 0'/><Points "
    "name='f'/><UniformMass mass='0.01'/><MeshSprings triangles='3'/><Skin/></node><node name='n'><Points "
    "name='p' "
    "positions='1 0.2 0'/><UniformMass mass='0.1'/><Balls radius='0.1'/></node></tactus>",
    // the loose scheduler
    "<tactus version='1' scheduler='loose'><node name='ground'><Frames/><Shape "
    "shape='half_space'/></node><node "
    "name='a'><SymplecticEuler/><Agent by_sleep='true' adaptive='true' rest='true'/><Frames name='f' "
    "positions='0 0.1 "
    "0 0 0 0 1'/><UniformMass/><Shape shape='sphere' radius='0.1'/></node><node "
    "name='n'><SymplecticEuler/><Points "
    "name='p' positions='0 1 0  1 1 0'/><UniformMass/><Springs pairs='0 1' stiffness='9'/></node></tactus>",
    // wires, whose resolution follows where somebody looks
    "<tactus version='1'><node name='a'><Spook time_limit='0.004'/><Line divisions='8'/><Points "
    "name='f'/><Wire "
    "mass='1' cost='0.0002'/><FixedPoints points='0'/></node></tactus>",
};

static void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static TacWorld *make(const char *text) {
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error = {0};
    TacWorldDef def = tac_world_def_default();
    bool made = tac_scene_create(&scene, &error) == TAC_OK &&
                tac_scene_parse(scene, "fuzz.tac", text, strlen(text), &error) == TAC_OK &&
                tac_world_create(&world, scene, &def, &error) == TAC_OK;
    require(made, error.message);
    tac_scene_destroy(scene);
    return world;
}

// A file in memory with these bytes, open until it is closed.
static int file_of(const uint8_t *data, size_t size, char path[64]) {
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no file in memory");
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static bool keep_short(void *calls) {
    return ++*(int *)calls > 200;
}

static TacStatus run(TacWorld *world, bool looks, int *calls, TacError *error) {
    tac_world_stop_when(world, keep_short, calls);
    for (int i = 0; i < (looks ? 2 * BEATS : 1); i++) {
        if (looks) tac_world_energy(world);
        double part = looks ? 0.5 : BEATS;
        TacStatus status = tac_world_advance(world, part * tac_world_beat(world), error);
        if (status != TAC_OK) return status;
    }
    return TAC_OK;
}

// The log of a world, given to a new one.
static void do_again(const char *scene, TacWorld *first, TacStatus ended) {
    char path[64] = "/tmp/fuzz_inputs_XXXXXX";
    int fd = mkstemp(path), calls = 0;
    require(fd >= 0, "no temporary file");
    close(fd);
    TacError error = {0};
    TacWorld *again = make(scene);
    require(tac_world_save_inputs(first, path, &error) == TAC_OK, error.message);
    require(tac_world_replay_inputs(again, path, &error) == TAC_OK, error.message);
    unlink(path);
    TacStatus status = run(again, false, &calls, &error);
    // inputs that make no sense end the first run, and are not in its log
    if (ended == TAC_OK && calls <= 200)
        require(status == TAC_OK && tac_world_hash(first) == tac_world_hash(again),
                "the log gives other bits");
    tac_world_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const char *scene = scenes[data[0] % TAC_COUNT(scenes)];
    char path[64];
    int fd = file_of(data + 1, size - 1, path), calls = 0;
    TacError error = {0};
    TacWorld *world = make(scene);
    TacStatus status = tac_world_replay_inputs(world, path, &error);
    require(status == TAC_OK || (status == TAC_BAD_INPUT && error.message[0]), "refused without a reason");
    if (status == TAC_OK) {
        status = run(world, true, &calls, &error);
        require(status == TAC_OK || error.message[0], "failed without a reason");
        if (calls <= 200) do_again(scene, world, status);
    }
    close(fd);
    tac_world_destroy(world);
    return 0;
}
