// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fuzzes restoring: a snapshot file whose checksum agrees but whose bytes are not those of any run is refused, or
// taken and the world goes on, or fails; nothing else.
//
// An input is a list of changes to a true snapshot, so that it stays good whatever the layout is: the scene (1 byte),
// beats before saving (1 byte), then six bytes per change: where (32 bits), how, and a value. With a first byte of
// 255 the rest is a file as it is.

#define _GNU_SOURCE
#include "base/checksum.h"
#include "world/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define POINTS "<Points positions='0 0 0 1 0 0 1 1 0' velocities='1 0 0 0 1 0 0 0 1'/><UniformMass/>"

static const char *const scenes[] = {
    "<tactus version='1'><node name='n'><SymplecticEuler/>" POINTS
    "<ConditionalLinks pairs='0 1 1 2' states='whole broken' stiffness='90 0' damping='0 0' rest='0.8 0' "
    "transitions='whole to broken when time above 0.02'/></node></tactus>",
    "<tactus version='1'><node name='n'><SymplecticEuler/><Grid counts='4 4 4' high='3.4 3.4 3.4'/><Points "
    "velocities='3 0 0'/><UniformMass/><LennardJones depth='60' box='8 0 9' cutoff='2.2'/></node></tactus>",
    "<tactus version='1'><node name='n'><Spook/><node name='load'><Frames positions='1 0 0 0 0 0 "
    "1'/><UniformMass "
    "mass='0.01'/></node><node name='wire'><Line divisions='16'/><Points/><Wire mass='1' bend='0.01' "
    "stretch='1e4' "
    "cost='1e-3' level='3' end='@../load/frames'/><FixedPoints points='0'/></node></node></tactus>",
    "<tactus version='1'><node name='n'><Spook/><node "
    "name='w'><Frames/><UniformMass/><HingeJoint/></node><node "
    "name='b'><Points positions='-0.5 -1 0 0.5 -1 0'/><DiagonalMass masses='1 3'/></node><Cable "
    "start='@b/points' "
    "end='@b/points' end_point='1' wheels='@w/frames' wheel_points='0' radii='0.5' senses='-1' "
    "friction='0.1'/>"
    "</node></tactus>",
    "<tactus version='1'><Contact thickness='0.01' friction='0.4'/><node name='floor'><Sheet divisions='1' "
    "width='3' "
    "depth='3'/><Points/><Skin/></node><node name='n'><ImplicitEuler/><Sheet divisions='2' translation='0 "
    "0.02 0'/>"
    "<Points/><UniformMass mass='0.01'/><MeshSprings triangles='3'/><Skin/></node></tactus>",
    "<tactus version='1'><node name='ground'><Frames/><Shape shape='half_space'/></node><node name='n'>"
    "<SymplecticEuler/><Frames positions='0 0.1 0 0 0 0 1 0.05 0.25 0 0 0 0.1 1'/><UniformMass box='0.2 0.2 "
    "0.2'/>"
    "<Shape size='0.2 0.2 0.2'/></node></tactus>",
    "<tactus version='1' scheduler='loose'><node name='ground'><Frames/><Shape "
    "shape='half_space'/></node><node "
    "name='a'><SymplecticEuler/><Agent by_sleep='true' adaptive='true'/><Frames positions='0 0.1 0 0 0 0 1'/>"
    "<UniformMass/><Shape shape='sphere' radius='0.1'/></node><node name='m'><SymplecticEuler/><Agent "
    "frequency='50'/><Frames positions='0 0.4 0 0 0 0 1'/><UniformMass/><Balls "
    "radius='0.1'/></node></tactus>",
    "<tactus version='1'><node name='n'><ImplicitEuler/><Grid counts='2 2 2' "
    "split='true'/><Points/><UniformMass/>"
    "<Tetrahedra young='1e4' plastic_yield='1e-5' plastic_limit='0.1' plastic_creep='0.3'/><FixedPoints "
    "points='0'/>"
    "</node><node name='free'>" POINTS "<Springs pairs='0 1' stiffness='9' period='0.003'/></node></tactus>",
    // agents that merge and part, and one that sleeps
    "<tactus version='1' gravity='0 0 0'><Contact method='safe' thickness='0.01'/><node "
    "name='a'><Spook/><Frames "
    "positions='0 0 0 0 0 0 1' velocities='1 0 0 0 0 0'/><UniformMass box='1 1 1'/></node><node "
    "name='b'><Spook "
    "step='0.005'/><Frames positions='0 -1 0 0 0 0 1'/><UniformMass box='1 1 1'/><BallJoint name='link' "
    "other='@/a/frames' open='true'/></node><node name='c'><Spook/><Agent adaptive='true' rest='true' "
    "patience='0.01'/><Frames positions='3 0 0 0 0 0 1'/><UniformMass box='1 1 1'/><node "
    "name='s'><Box/><Points/>"
    "<RigidMap/><Skin/></node></node><Trigger when='time' value='0.02' then='close' what='@b/link'/><Trigger "
    "when='time' value='0.06' then='open' what='@b/link'/></tactus>",
};

static TacWorld *make(const char *text) {
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error = {0};
    TacWorldDef def = tac_world_def_default();
    if (tac_scene_create(&scene, &error) != TAC_OK ||
        tac_scene_parse(scene, "fuzz.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK) {
        fprintf(stderr, "fuzz: %s\n", error.message);
        abort();
    }
    tac_scene_destroy(scene);
    return world;
}

static bool keep_short(void *calls) {
    return ++*(int *)calls > 50;
}

// Restores the bytes as a file; where that works, a few beats and a look.
static void restore(TacWorld *world, const char *bytes, size_t size) {
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    TacError error = {0};
    TacSnapshotInfo info;
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    TacStatus status = tac_world_restore_file(world, path, &info, &error);
    if (status != TAC_OK && !error.message[0]) abort();
    int calls = 0;
    tac_world_stop_when(world, keep_short, &calls);
    if (status == TAC_OK && tac_world_advance_beats(world, 2, &error) == TAC_OK) {
        tac_world_energy(world);
        tac_world_hash(world);
    }
    close(fd);
}

static void change(char *payload, size_t *size, const uint8_t change[6]) {
    uint32_t where;
    memcpy(&where, change, sizeof where);
    if (*size < 16) return;
    size_t at = where % *size, word = (at & ~(size_t)7) > *size - 8 ? *size - 8 : at & ~(size_t)7;
    int64_t number = (int8_t)change[5];
    const double odd[] = {NAN, INFINITY, 1e300, -1e300, 1e-300, 1e9, -1, 0.5};
    switch (change[4] % 7) {
    case 0: payload[at] = (char)change[5]; break;
    case 1: payload[at] = (char)(payload[at] ^ (1 << (change[5] & 7))); break;
    case 2: memcpy(payload + word, &number, 4); break;
    case 3: memcpy(payload + word, &number, 8); break;
    case 4: memcpy(payload + word, &odd[change[5] & 7], 8); break;
    case 5: number = (int64_t)(UINT64_MAX >> (change[5] & 63)), memcpy(payload + word, &number, 8); break;
    default: *size -= change[5] % *size; break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    TacWorld *world = make(scenes[data[0] % TAC_COUNT(scenes)]);
    if (data[0] == 255) {
        restore(world, (const char *)data + 1, size - 1);
        tac_world_destroy(world);
        return 0;
    }
    TacError error;
    if (tac_world_advance_beats(world, data[1] % 3, &error) != TAC_OK) abort();
    TacSnapshotHeader header;
    size_t payload_size = tac_world_snapshot_size(world);
    char *file = calloc(1, sizeof header + payload_size);
    if (!file || tac_world_save(world, file + sizeof header, payload_size, &error) != TAC_OK) abort();
    for (size_t i = 2; i + 6 <= size && i < 2 + 6 * 64; i += 6)
        change(file + sizeof header, &payload_size, data + i);
    header = (TacSnapshotHeader){.magic = "TACSNAP",
                                 .version = TAC_SNAPSHOT_VERSION,
                                 .header_bytes = sizeof header,
                                 .payload_bytes = payload_size,
                                 .signature = tac_world_signature(world),
                                 .seed = 1,
                                 .beat = tac_world_beat(world),
                                 .library = 1000000 * TAC_VERSION_MAJOR + 1000 * TAC_VERSION_MINOR +
                                            TAC_VERSION_PATCH};
    header.magic[7] = 'F';
    memcpy(file, &header, sizeof header);
    size_t from = offsetof(TacSnapshotHeader, payload_bytes);
    header.checksum = tac_checksum(file + from, sizeof header + payload_size - from);
    memcpy(file, &header, sizeof header);
    restore(world, file, sizeof header + payload_size);
    free(file);
    tac_world_destroy(world);
    return 0;
}
