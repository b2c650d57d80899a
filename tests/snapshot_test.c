// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Files of snapshots: whatever is wrong with one is noticed before the world is changed, and whatever goes wrong while
// one is written leaves the file before it. That going on from one gives the same bits is in restore_test.c.

#define _GNU_SOURCE
#include "scene_checks.h"

#include "base/checksum.h"
#include "world/snapshot.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SWINGING                                                                                             \
    "<tactus version='1' dt='0.01' title='Swinging'><param name='k' default='20'/><node name='n'>"           \
    "<ImplicitEuler/>" THREE_POINTS                                                                          \
    "<UniformMass/><Springs pairs='0 1 1 2' stiffness='${k}' lengths='0.5'/><Probe "                         \
    "what='y'/></node></tactus>"

static char folder[] = "/tmp/tactus-snapshot-XXXXXX";

static const char *file(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static size_t count_files(void) {
    size_t count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static int remove_folder(void **state) {
    (void)state;
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.') unlink(file(entry->d_name));
    if (dir) closedir(dir);
    return rmdir(folder);
}

static TacWorld *world_with(const char *text, uint64_t seed, const char *assignment) {
    TacScene *scene = empty_scene();
    TacError error = {0};
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    def.seed = seed;
    if (assignment) assert_int_equal(tac_scene_set_parameter(scene, "k", assignment, &error), TAC_OK);
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fail_msg("%s", error.message);
    tac_scene_destroy(scene);
    return world;
}

// Advanced to a time, saved.
static TacWorld *saved_at(const char *path, int beats) {
    TacWorld *world = world_of(SWINGING);
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, beats, &error), TAC_OK);
    assert_int_equal(tac_world_save_file(world, path, &error), TAC_OK);
    return world;
}

static unsigned char *read_all(const char *path, size_t *bytes) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    unsigned char *data = malloc(1 << 20);
    assert_non_null(data);
    *bytes = fread(data, 1, 1 << 20, stream);
    fclose(stream);
    return data;
}

static void write_all(const char *path, const void *data, size_t bytes) {
    unlink(path); // some disks wait for a file that replaces another one's bytes
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, bytes, stream), bytes);
    assert_int_equal(fclose(stream), 0);
}

// The file is refused with these words, twice, and the world stays as it is.
static void refused(TacWorld *world, const char *path, const char *words) {
    TacError error = {0};
    TacSnapshotInfo info;
    uint64_t hash = tac_world_hash(world);
    assert_int_equal(tac_world_restore_file(world, path, &info, &error), TAC_BAD_INPUT);
    if (!strstr(error.message, words)) fail_msg("expected \"%s\" in: %s", words, error.message);
    assert_string_equal(error.file, path);
    assert_true(tac_world_hash(world) == hash);
}

// Values as published with the algorithm.
static void test_checksum_is_xxh64(void **state) {
    (void)state;
    static const char text[] = "Nobody inspects the spammish repetition";
    assert_true(tac_checksum("", 0) == 0xEF46DB3751D8E999ULL);
    assert_true(tac_checksum("a", 1) == 0xD24EC4F1A98C6E5BULL);
    assert_true(tac_checksum("abc", 3) == 0x44BC2CF5AD770999ULL);
    assert_true(tac_checksum(text, sizeof text - 1) == 0xFBCEA83C8A378BF1ULL);
}

static void test_a_file_says_what_it_is(void **state) {
    (void)state;
    TacWorld *world = saved_at(file("a.tacsnap"), 7);
    TacSnapshotInfo info;
    TacError error;
    struct stat about;
    assert_int_equal(tac_snapshot_read_info(&info, file("a.tacsnap"), &error), TAC_OK);
    assert_int_equal(stat(file("a.tacsnap"), &about), 0);
    assert_int_equal(info.version, TAC_SNAPSHOT_VERSION);
    assert_true(info.time > 0.0699999 && info.time < 0.0700001 && info.beat == 0.01);
    assert_true(info.tick == tac_world_tick(world));
    assert_int_equal(info.seed, 1);
    assert_int_equal(info.bytes, about.st_size);
    assert_false(info.loose);
    assert_string_equal(info.scene, "Swinging");
    // without a title, the name of its file; long names are cut between characters
    tac_world_destroy(world);
    world = world_of("<tactus version='1'><node name='n'>" THREE_POINTS "</node></tactus>");
    assert_int_equal(tac_world_save_file(world, file("a.tacsnap"), &error), TAC_OK);
    assert_int_equal(tac_snapshot_read_info(&info, file("a.tacsnap"), &error), TAC_OK);
    assert_string_equal(info.scene, "test.tac");
    tac_world_destroy(world);
    char text[400], title[260] = "x";
    while (strlen(title) < 200) strcat(title, "\xC3\xA4");
    snprintf(text, sizeof text, "<tactus version='1' scheduler='loose' title='%s'/>", title);
    world = world_of(text);
    assert_int_equal(tac_world_save_file(world, file("a.tacsnap"), &error), TAC_OK);
    assert_int_equal(tac_snapshot_read_info(&info, file("a.tacsnap"), &error), TAC_OK);
    assert_int_equal(strlen(info.scene), 127);
    assert_memory_equal(info.scene, title, 127);
    assert_true(info.loose);
    tac_world_destroy(world);
}

static void test_every_flipped_bit_is_noticed(void **state) {
    (void)state;
    TacWorld *world = saved_at(file("a.tacsnap"), 3);
    size_t bytes;
    unsigned char *data = read_all(file("a.tacsnap"), &bytes);
    for (size_t i = 0; i < bytes; i++) {
        data[i] ^= (unsigned char)(1u << (i % 8));
        write_all(file("b.tacsnap"), data, bytes);
        refused(world, file("b.tacsnap"), "snapshot");
        data[i] ^= (unsigned char)(1u << (i % 8));
    }
    free(data);
    tac_world_destroy(world);
}

static void test_every_cut_is_noticed(void **state) {
    (void)state;
    TacWorld *world = saved_at(file("a.tacsnap"), 3);
    size_t bytes;
    unsigned char *data = read_all(file("a.tacsnap"), &bytes);
    for (size_t i = 0; i < bytes; i++) {
        write_all(file("b.tacsnap"), data, i);
        refused(world, file("b.tacsnap"), i ? "cut off" : "not a snapshot");
    }
    write_all(file("b.tacsnap"), data, bytes + 1);
    refused(world, file("b.tacsnap"), "damaged");
    free(data);
    tac_world_destroy(world);
}

static void test_newer_foreign_and_missing_files(void **state) {
    (void)state;
    TacWorld *world = saved_at(file("a.tacsnap"), 3);
    size_t bytes;
    unsigned char *data = read_all(file("a.tacsnap"), &bytes);
    data[8] = TAC_SNAPSHOT_VERSION + 1;
    write_all(file("b.tacsnap"), data, bytes);
    refused(world, file("b.tacsnap"), "newer than this program");
    data[8] = TAC_SNAPSHOT_VERSION - 1;
    write_all(file("b.tacsnap"), data, bytes);
    refused(world, file("b.tacsnap"), "older than this program");
    write_all(file("b.tacsnap"), "<tactus version='1'/> is something else", 39);
    refused(world, file("b.tacsnap"), "not a snapshot");
    refused(world, folder, "folder");
    refused(world, file("none.tacsnap"), "No such file");
    refused(world, "/dev/null", "not a regular file");
    // of another version of the library: state is laid out differently
    data[8] = TAC_SNAPSHOT_VERSION;
    TacSnapshotHeader header;
    memcpy(&header, data, sizeof header);
    header.library += 1000;
    memcpy(data, &header, sizeof header);
    header.checksum = tac_checksum(data + 24, bytes - 24);
    memcpy(data, &header, sizeof header);
    write_all(file("b.tacsnap"), data, bytes);
    refused(world, file("b.tacsnap"), "of the library; this is");
    free(data);
    tac_world_destroy(world);
}

static void test_other_scenes_seeds_and_beats(void **state) {
    (void)state;
    TacWorld *world = saved_at(file("a.tacsnap"), 3), *other = world_with(SWINGING, 2, NULL);
    refused(other, file("a.tacsnap"), "seed 1; this one has 2");
    tac_world_destroy(other);
    other = world_of("<tactus version='1' dt='0.02'><node name='n'>" THREE_POINTS "</node></tactus>");
    refused(other, file("a.tacsnap"), "beat");
    tac_world_destroy(other);
    // as many points, another law; and the same under another name
    other =
        world_of(IN_NODE("<ImplicitEuler/>" THREE_POINTS "<UniformMass/><RestSprings stiffness='20'/><Probe "
                         "what='y'/>"));
    refused(other, file("a.tacsnap"), "another scene (\"Swinging\")");
    tac_world_destroy(other);
    other = world_of(SCENE("<node name='m'><ImplicitEuler/>" THREE_POINTS
                           "<UniformMass/><Springs pairs='0 1 1 2' stiffness='20' lengths='0.5'/></node>"));
    refused(other, file("a.tacsnap"), "another scene");
    tac_world_destroy(other);
    tac_world_destroy(world);
}

// What is recorded, watched and shown may differ; other values of attributes are taken and told.
static void test_other_values_are_told(void **state) {
    (void)state;
    TacWorld *world = saved_at(file("a.tacsnap"), 3);
    TacError error;
    TacSnapshotInfo info;
    TacWorld *same =
        world_of("<tactus version='1' dt='0.01' duration='9'><Record fps='3'/><Camera eye='1 2 3'/><node "
                 "name='n'><ImplicitEuler/>" THREE_POINTS
                 "<UniformMass/><Springs pairs='0 1 1 2' stiffness='20' lengths='0.5'/><Look/></node>"
                 "</tactus>");
    assert_int_equal(tac_world_restore_file(same, file("a.tacsnap"), &info, &error), TAC_OK);
    assert_false(info.other_values);
    assert_true(tac_world_hash(same) == tac_world_hash(world));
    TacWorld *stiffer = world_with(SWINGING, 1, "21");
    assert_int_equal(tac_world_restore_file(stiffer, file("a.tacsnap"), &info, &error), TAC_OK);
    assert_true(info.other_values);
    assert_int_equal(tac_world_restore_file(stiffer, file("a.tacsnap"), NULL, &error), TAC_OK);
    tac_world_destroy(stiffer);
    tac_world_destroy(same);
    tac_world_destroy(world);
}

static void test_what_cannot_be_written_leaves_the_file_before_it(void **state) {
    (void)state;
    TacWorld *world = saved_at(file("a.tacsnap"), 3);
    size_t bytes, now, files = count_files();
    unsigned char *before = read_all(file("a.tacsnap"), &bytes), *after;
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 2, &error), TAC_OK);
    // files may not grow beyond a few bytes: as on a full disk
    struct rlimit old, small = {100, RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    TacStatus status = tac_world_save_file(world, file("a.tacsnap"), &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, TAC_FAILED);
    assert_non_null(strstr(error.message, "could not be written"));
    after = read_all(file("a.tacsnap"), &now);
    assert_int_equal(now, bytes);
    assert_memory_equal(after, before, bytes);
    assert_int_equal(count_files(), files); // nothing is left beside it
    assert_int_equal(tac_world_save_file(world, "/dev/full", &error), TAC_FAILED);
    assert_int_equal(tac_world_save_file(world, folder, &error), TAC_FAILED);
    assert_int_equal(tac_world_save_file(world, file("none/a.tacsnap"), &error), TAC_FAILED);
    assert_int_equal(tac_world_save_file(world, "", &error), TAC_FAILED);
    free(after);
    free(before);
    tac_world_destroy(world);
}

static void test_a_failed_world_is_not_saved(void **state) {
    (void)state;
    TacWorld *world =
        world_of(IN_NODE("<SymplecticEuler/><Points positions='0 0 0 1 0 0' velocities='1 0 0'/>"
                         "<UniformMass/><Springs pairs='0 1' stiffness='1e12' lengths='0.1' "
                         "stable='false'/>"));
    TacError error;
    size_t files = count_files();
    assert_int_equal(tac_world_advance(world, 10, &error), TAC_FAILED);
    assert_int_equal(tac_world_save_file(world, file("failed.tacsnap"), &error), TAC_FAILED);
    assert_int_equal(count_files(), files);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checksum_is_xxh64),
        cmocka_unit_test(test_a_file_says_what_it_is),
        cmocka_unit_test(test_every_flipped_bit_is_noticed),
        cmocka_unit_test(test_every_cut_is_noticed),
        cmocka_unit_test(test_newer_foreign_and_missing_files),
        cmocka_unit_test(test_other_scenes_seeds_and_beats),
        cmocka_unit_test(test_other_values_are_told),
        cmocka_unit_test(test_what_cannot_be_written_leaves_the_file_before_it),
        cmocka_unit_test(test_a_failed_world_is_not_saved),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
