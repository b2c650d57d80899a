// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Exports of recordings, read back with small parsers of their own and compared with what was recorded.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/export.h"
#include "tactus/record.h"
#include "usda_checks.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLOTH, WIRE, GRAINS, BODIES, EMPTY, TRACKS };
enum { FRAMES = 3 };

static char folder[] = "/tmp/tactus-export-XXXXXX";

static const char *path_of(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

// Irregular on purpose: true times must come through.
static const double times[FRAMES] = {0, 0.1, 0.25};

// Point 3 of the cloth is used by nobody.
static const int32_t cloth_triangles[] = {0, 1, 2, 0, 2, 4};
static const int32_t wire_edges[] = {0, 1, 1, 2, 2, 3, 3, 4};
static const double grain_radii[] = {0.1, 0.2, 0.3, 0.4, 0.5};

static double cloth[FRAMES][15], cloth_speed[FRAMES][15];
// a corner, 1 m and 2 m long; five points; a line of 4 m
static const double wire[FRAMES][15] = {
    {0, 0, 0, 1, 0, 0, 1, 2, 0}, {0, 0, 1, 1, 0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1}, {0, 0, 0, 4, 0, 0}};
static const size_t wire_counts[FRAMES] = {3, 5, 2};
static const double grains[FRAMES][10] = {
    {1, 2, 3, 4, 5, 6}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4}, {9, 8, 7, 6, 5, 4}};
static const size_t grain_counts[FRAMES] = {3, 5, 3};
static double bodies[FRAMES][14];
static const double zeros[32];
static double channels[FRAMES][2] = {{1.0 / 3, 5e-324}, {-1e300, 0}, {(double)NAN, (double)INFINITY}};

static void fill_numbers(void) {
    for (size_t f = 0; f < FRAMES; f++) {
        for (size_t i = 0; i < 15; i++) {
            cloth[f][i] = 0.1 * (double)i + (double)f;
            cloth_speed[f][i] = -1.0 / (double)(i + 1);
        }
        for (size_t i = 0; i < 2; i++) {
            double *b = bodies[f] + 7 * i;
            tac_store3(b, tac_vec3((double)i, (double)f, 0.5));
            tac_store_quat(b + 3, (TacQuat){0, 0.6, 0, 0.8});
        }
    }
}

static TacRecording *record(void) {
    fill_numbers();
    TacTrackDef tracks[TRACKS] = {
        {.name = "/cloth",
         .kind = TAC_VEC3,
         .point_count = 5,
         .mesh = {.triangles = {cloth_triangles, 6}},
         .color = {1, 0.5, 0.25},
         .opacity = 1,
         .visible = true},
        {.name = "/wire",
         .kind = TAC_VEC3,
         .point_count = 5,
         .mesh = {.edges = {wire_edges, 4}},
         .radius = 0.05,
         .opacity = 1,
         .visible = true},
        {.name = "/grains \"fine\"",
         .kind = TAC_VEC2,
         .point_count = 5,
         .radii = {grain_radii, 5},
         .opacity = 1},
        {.name = "/bodies",
         .kind = TAC_RIGID3,
         .point_count = 2,
         .radius = 0.25,
         .opacity = 1,
         .visible = true},
        {.name = "/empty", .kind = TAC_VEC3, .opacity = 1},
    };
    TacChannelDef channel_defs[] = {{"energy/total", "J"}, {"a, \"b\"", "m/s"}};
    TacRecordingDef def = tac_recording_def_default();
    def.scene = "test \"scene\"";
    def.fps = 20;
    def.up = tac_vec3(0, 0, 1);
    def.velocities = true;
    def.tracks = tracks;
    def.track_count = TRACKS;
    def.channels = channel_defs;
    def.channel_count = 2;
    const char *path = path_of("run.tacrec");
    TacRecorder *recorder;
    assert_int_equal(tac_recorder_open(&recorder, path, &def, NULL), TAC_OK);
    for (size_t f = 0; f < FRAMES; f++) {
        TacTrackMesh mesh = {.edges = {wire_edges, 2 * (wire_counts[f] - 1)}};
        TacFrameTrack frame_tracks[TRACKS] = {
            {times[f], 5, cloth[f], cloth_speed[f], NULL},
            {times[f], wire_counts[f], wire[f], zeros, f ? &mesh : NULL},
            {times[f], grain_counts[f], grains[f], zeros, NULL},
            {times[f], 2, bodies[f], zeros, NULL},
            {times[f], 0, NULL, NULL, NULL},
        };
        TacFrame frame = {times[f], frame_tracks, channels[f]};
        assert_int_equal(tac_recorder_frame(recorder, &frame, NULL), TAC_OK);
    }
    assert_int_equal(tac_recorder_close(recorder, NULL), TAC_OK);
    TacRecording *recording;
    assert_int_equal(tac_recording_open(&recording, path, NULL), TAC_OK);
    return recording;
}

static int make_folder(void **state) {
    if (!mkdtemp(folder)) return 1;
    *state = record();
    return 0;
}

static int remove_folder(void **state) {
    tac_recording_close(*state);
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static char *load(const char *name, size_t *bytes) {
    char *data;
    size_t size;
    TacError error;
    if (tac_read_whole_file(path_of(name), 1 << 24, &data, &size, &error) != TAC_OK)
        fail_msg("%s: %s", name, error.message);
    if (bytes) *bytes = size;
    return data;
}

static void export_to(TacRecording *recording, const char *name) {
    TacError error;
    if (tac_recording_export(recording, path_of(name), NULL, NULL, &error) != TAC_OK)
        fail_msg("%s: %s", name, error.message);
}

static size_t count_of(const char *text, const char *what) {
    size_t count = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) count++;
    return count;
}

// The cache's numbers, after its header was checked.
static float *load_cache(const char *name, int32_t points, char **data) {
    size_t bytes;
    *data = load(name, &bytes);
    assert_int_equal(bytes, 32 + FRAMES * (size_t)points * 12);
    assert_memory_equal(*data, "POINTCACHE2\0", 12);
    int32_t version, point_count, samples;
    float start, rate;
    memcpy(&version, *data + 12, 4);
    memcpy(&point_count, *data + 16, 4);
    memcpy(&start, *data + 20, 4);
    memcpy(&rate, *data + 24, 4);
    memcpy(&samples, *data + 28, 4);
    assert_int_equal(version, 1);
    assert_int_equal(point_count, points);
    assert_true(start == 0 && rate == 1);
    assert_int_equal(samples, FRAMES);
    return (float *)(void *)(*data + 32);
}

static void point_caches_hold_the_points_that_blender_keeps(void **state) {
    export_to(*state, "out.obj");
    char *data;
    float *p = load_cache("out-cloth.pc2", 4, &data);
    static const size_t used[] = {0, 1, 2, 4};
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < 3; k++)
                assert_true(p[(f * 4 + i) * 3 + k] == (float)cloth[f][3 * used[i] + k]);
    free(data);

    // elements are numbered as the points that are left
    data = load("out-cloth.obj", NULL);
    assert_int_equal(count_of(data, "\nv "), 4);
    assert_non_null(strstr(data, "\nf 1 2 3\nf 1 3 4\n"));
    free(data);
    data = load("out.obj", NULL);
    assert_int_equal(count_of(data, "o "), 4);
    assert_int_equal(count_of(data, "\nv "), 4 + 5 + 5 + 2);
    assert_non_null(strstr(data, "\nl 5 6\nl 6 7\nl 7 8\nl 8 9\n"));
    free(data);
    assert_int_not_equal(access(path_of("out-empty.pc2"), F_OK), 0);
}

static void tracks_that_change_are_resampled_at_their_finest(void **state) {
    export_to(*state, "out.obj");
    char *data;
    // 3 m in quarters: around the corner; the finest as it is; 4 m in quarters
    static const float expected[FRAMES][15] = {
        {0, 0, 0, 0.75f, 0, 0, 1, 0.5f, 0, 1, 1.25f, 0, 1, 2, 0},
        {0, 0, 1, 1, 0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1},
        {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0},
    };
    float *p = load_cache("out-wire.pc2", 5, &data);
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t i = 0; i < 15; i++) assert_true(fabsf(p[15 * f + i] - expected[f][i]) < 1e-6f);
    free(data);

    static const size_t nearest[] = {0, 1, 1, 2, 2};
    p = load_cache("out-grains__fine_.pc2", 5, &data);
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t i = 0; i < 5; i++) {
            size_t from = grain_counts[f] == 5 ? i : nearest[i];
            assert_true(p[15 * f + 3 * i] == (float)grains[f][2 * from]);
            assert_true(p[15 * f + 3 * i + 1] == (float)grains[f][2 * from + 1]);
            assert_true(p[15 * f + 3 * i + 2] == 0);
        }
    free(data);
    data = load("out-grains__fine_.obj", NULL);
    // a file of points alone: no faces and no lines, or Blender drops them
    assert_int_equal(count_of(data, "\nv "), 5);
    assert_int_equal(count_of(data, "\nf ") + count_of(data, "\nl "), 0);
    free(data);
}

static void a_folder_gets_an_obj_per_frame(void **state) {
    export_to(*state, "frames/");
    static const char *const names[] = {"frames/frame-00000.obj", "frames/frame-00001.obj",
                                        "frames/frame-00002.obj"};
    for (size_t f = 0; f < FRAMES; f++) {
        char *data = load(names[f], NULL);
        assert_int_equal(count_of(data, "\nv "), 5 + wire_counts[f] + grain_counts[f] + 2);
        assert_int_equal(count_of(data, "\nl "), wire_counts[f] - 1);
        assert_int_equal(count_of(data, "\nf "), 2);
        free(data);
    }
    assert_int_not_equal(access(path_of("frames/frame-00003.obj"), F_OK), 0);
}

// The appended data of an array by its name; its bytes too.
static const char *vtu_array(const char *data, size_t bytes, const char *name, uint64_t *size) {
    char key[64];
    snprintf(key, sizeof key, "Name=\"%s\"", name);
    const char *found = memmem(data, bytes, key, strlen(key));
    if (!found) return NULL;
    const char *offset = strstr(found, "offset=\"") + 8;
    int64_t at;
    assert_true(tac_read_int(&offset, data + bytes, &at));
    const char *start = memmem(data, bytes, "<AppendedData encoding=\"raw\">", 29);
    assert_non_null(start);
    start = strchr(start, '_') + 1;
    memcpy(size, start + at, 8);
    assert_true((size_t)(start + at + 8 + *size - data) <= bytes);
    return start + at + 8;
}

static void check_reals(const char *data, size_t bytes, const char *name, const double *expected,
                        size_t count) {
    uint64_t size;
    const char *array = vtu_array(data, bytes, name, &size);
    assert_non_null(array);
    assert_int_equal(size, 8 * count);
    assert_memory_equal(array, expected, 8 * count);
}

static void check_longs(const char *data, size_t bytes, const char *name, const int64_t *expected,
                        size_t count) {
    uint64_t size;
    const char *array = vtu_array(data, bytes, name, &size);
    assert_non_null(array);
    assert_int_equal(size, 8 * count);
    assert_memory_equal(array, expected, 8 * count);
}

static void vtu_files_hold_the_exact_numbers(void **state) {
    export_to(*state, "out.pvd");
    size_t bytes;
    uint64_t size;
    char *data = load("out/cloth-00002.vtu", &bytes);
    assert_non_null(strstr(data, "NumberOfPoints=\"5\" NumberOfCells=\"2\""));
    assert_non_null(strstr(data, "format=\"ascii\">0.25</DataArray>"));
    check_reals(data, bytes, "Points", cloth[2], 15);
    check_reals(data, bytes, "velocity", cloth_speed[2], 15);
    check_longs(data, bytes, "connectivity", (const int64_t[]){0, 1, 2, 0, 2, 4}, 6);
    check_longs(data, bytes, "offsets", (const int64_t[]){3, 6}, 2);
    assert_memory_equal(vtu_array(data, bytes, "types", &size), "\5\5", 2);
    assert_null(vtu_array(data, bytes, "radius", &size));
    free(data);

    data = load("out/wire-00002.vtu", &bytes);
    check_reals(data, bytes, "Points", wire[2], 6);
    check_longs(data, bytes, "connectivity", (const int64_t[]){0, 1}, 2);
    assert_memory_equal(vtu_array(data, bytes, "types", &size), "\3", 1);
    check_reals(data, bytes, "radius", (const double[]){0.05, 0.05}, 2);
    free(data);

    data = load("out/grains__fine_-00000.vtu", &bytes);
    check_reals(data, bytes, "Points", (const double[]){1, 2, 0, 3, 4, 0, 5, 6, 0}, 9);
    check_reals(data, bytes, "radius", grain_radii, 3);
    check_longs(data, bytes, "connectivity", (const int64_t[]){0, 1, 2}, 3);
    check_longs(data, bytes, "offsets", (const int64_t[]){1, 2, 3}, 3);
    assert_memory_equal(vtu_array(data, bytes, "types", &size), "\1\1\1", 3);
    free(data);

    data = load("out/bodies-00001.vtu", &bytes);
    check_reals(data, bytes, "orientation", (const double[]){0, 0.6, 0, 0.8, 0, 0.6, 0, 0.8}, 8);
    check_reals(data, bytes, "angular_velocity", zeros, 6);
    free(data);
}

static void the_pvd_has_every_file_with_its_true_time(void **state) {
    export_to(*state, "out.pvd");
    char *data = load("out.pvd", NULL);
    size_t found = 0;
    for (const char *p = data; (p = strstr(p, "timestep=\"")); found++) {
        p += 10;
        double time;
        assert_true(tac_read_real(&p, data + strlen(data), &time));
        assert_true(time == times[found / 4]);
        const char *file = strstr(p, "file=\"") + 6;
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)(strchr(file, '"') - file), file);
        assert_int_equal(access(path_of(name), R_OK), 0);
    }
    assert_int_equal(found, 4 * FRAMES);
    free(data);
}

static void check_usda(const char *text) {
    char *problem = usda_problem(text);
    if (problem) fail_msg("not USDA: %s", problem);
}

static void usda_has_all_tracks_and_samples(void **state) {
    export_to(*state, "out.usda");
    char *data = load("out.usda", NULL);
    check_usda(data);
    static const char *const expected[] = {
        "#usda 1.0\n(",
        "    upAxis = \"Z\"\n",
        "    metersPerUnit = 1\n",
        "    timeCodesPerSecond = 20\n",
        "    startTimeCode = 0\n",
        "    endTimeCode = 5\n",
        "    doc = \"test \\\"scene\\\"\"\n",
        "def Mesh \"cloth\"",
        "def BasisCurves \"wire\"",
        "def Points \"grains__fine_\"",
        "def Xform \"bodies\"",
        "def Xform \"body_1\"",
        "custom string tactus:track = \"/grains \\\"fine\\\"\"",
        "token visibility = \"invisible\"",
        "int[] faceVertexCounts.timeSamples = {\n            0: [3, 3],\n        }",
        "int[] faceVertexIndices.timeSamples = {\n            0: [0, 1, 2, 0, 2, 4],\n        }",
        "color3f[] primvars:displayColor = [(1, 0.5, 0.25)]",
        "int[] curveVertexCounts.timeSamples = {\n            0: [3],\n            2: [5],\n            5: "
        "[2],\n        }",
        "            5: [(0, 0, 0), (4, 0, 0)],\n",
        "float[] widths = [0.1] (\n            interpolation = \"constant\"",
        "            2: [0.2, 0.4, 0.6, 0.8, 1],\n",
        "double3 xformOp:translate.timeSamples = {\n            0: (1, 0, 0.5),\n            2: (1, 1, "
        "0.5),\n            "
        "5: (1, 2, 0.5),\n        }",
        "quatf xformOp:orient.timeSamples = {\n            0: (0.8, 0, 0.6, 0),\n",
        "double radius = 0.25\n",
        "float3[] extent.timeSamples = {\n            0: [(0, 0.1, 0.2), (1.2, 1.3, 1.4)],\n",
    };
    for (size_t i = 0; i < TAC_COUNT(expected); i++)
        if (!strstr(data, expected[i])) fail_msg("the USDA lacks: %s", expected[i]);
    assert_int_equal(count_of(data, "point3f[] points.timeSamples"), 3);
    assert_int_equal(count_of(data, "vector3f[] velocities.timeSamples"), 3);
    assert_null(strstr(data, "empty"));
    free(data);
    char command[300];
    snprintf(command, sizeof command, "ls -A %s | grep -qE 'scratch|part'", folder);
    assert_int_not_equal(system(command), 0);
}

// The grammar finds what is wrong; otherwise that it finds nothing in exports would say nothing.
static void the_usda_grammar_refuses_what_is_not_usda(void **state) {
    (void)state;
#define STAGE(inside) "#usda 1.0\n(\n    upAxis = \"Y\"\n)\n\ndef Xform \"a\"\n{\n" inside "\n}\n"
#define CURVES(times, counts)                                                                                \
    STAGE("def BasisCurves \"c\" {\nint[] curveVertexCounts.timeSamples = {\n" counts                        \
          "}\npoint3f[] points.timeSamples = {\n" times "}\n}")
    check_usda(STAGE("double radius = -1.5e-07"));
    check_usda(STAGE("point3f[] points = [(nan, inf, -inf), (0, -0, 1e+300)]"));
    check_usda(STAGE("def Sphere \"b\"\n{\ncustom string x:y = \"a \\\"b\\\" \\\\\"\n}"));
    check_usda(CURVES("0: [(1, 2, 3), (4, 5, 6)],\n1: [],\n", "0: [2],\n0.5: [],\n"));
    static const char *const bad[] = {
        "",
        "#usda 1.0\n",
        "#usda 1.0\n(\n    upAxis \"Y\"\n)\n",
        STAGE("double radius = -nan"),
        STAGE("double radius = 1,5"),
        STAGE("double radius = .e5"),
        STAGE("double radius ="),
        STAGE("int[] n = [1.5]"),
        STAGE("int[] n = [1, 2"),
        STAGE("int[] n = [1 2]"),
        STAGE("real radius = 1"),
        STAGE("double 1radius = 1"),
        STAGE("double radius = 1 double other = 2"),
        STAGE("double radius = 1\ndouble radius = 2"),
        STAGE("point3f[] points = [(1, 2)]"),
        STAGE("point3f[] points = [(1, 2, 3, 4)]"),
        STAGE("quatf q = (1, 0, 0)"),
        STAGE("string x = \"a\nb\""),
        STAGE("string x = \"a\"b\""),
        STAGE("float[] w.timeSamples = {\n0: [1],\n0: [2],\n}"),
        STAGE("float[] w.timeSamples = {\n0 [1],\n}"),
        STAGE("def Sphere \"two words\"\n{\n}"),
        STAGE("def Sphere \"b\"\n{\n"),
        STAGE("}"),
        CURVES("0: [(1, 2, 3), (4, 5, 6)],\n", "0: [3],\n"),
        CURVES("0: [(1, 2, 3), (4, 5, 6)],\n1: [(1, 2, 3)],\n", "0: [2],\n"),
        STAGE("def Mesh \"m\" {\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n"
              "point3f[] points = [(0, 0, 0), (1, 0, 0)]\n}"),
    };
#undef CURVES
#undef STAGE
    for (size_t i = 0; i < TAC_COUNT(bad); i++) {
        char *problem = usda_problem(bad[i]);
        if (!problem) fail_msg("taken for USDA: %s", bad[i]);
        free(problem);
    }
}

// A run that came apart: what the processor makes of 0/0 has a sign, and must not make a file unreadable.
static void numbers_that_are_none_are_written_without_a_sign(void **state) {
    (void)state;
    double none[12];
    for (size_t i = 0; i < 12; i++) none[i] = copysign((double)NAN, -1);
    static const int32_t edges[] = {0, 1, 2, 3};
    TacTrackDef tracks[] = {
        {.name = "/a", .kind = TAC_VEC3, .point_count = 4, .mesh = {.edges = {edges, 4}}, .opacity = 1},
        {.name = "/b", .kind = TAC_RIGID3, .point_count = 1, .opacity = 1}};
    TacChannelDef channel = {"energy", "J"};
    TacRecordingDef def = tac_recording_def_default();
    def.velocities = true;
    def.tracks = tracks;
    def.track_count = 2;
    def.channels = &channel;
    def.channel_count = 1;
    TacFrameTrack frame_tracks[] = {{0, 4, none, none, NULL}, {0, 1, none, none, NULL}};
    TacRecorder *recorder;
    TacRecording *recording;
    assert_int_equal(tac_recorder_open(&recorder, path_of("none.tacrec"), &def, NULL), TAC_OK);
    assert_int_equal(tac_recorder_frame(recorder, &(TacFrame){0, frame_tracks, none}, NULL), TAC_OK);
    assert_int_equal(tac_recorder_close(recorder, NULL), TAC_OK);
    assert_int_equal(tac_recording_open(&recording, path_of("none.tacrec"), NULL), TAC_OK);
    export_to(recording, "none.usda");
    export_to(recording, "none.csv");
    tac_recording_close(recording);
    char *data = load("none.usda", NULL);
    check_usda(data);
    assert_non_null(strstr(data, "(nan, nan, nan)"));
    // edges that do not meet are curves of their own
    assert_non_null(strstr(data, "curveVertexCounts.timeSamples = {\n            0: [2, 2],\n"));
    free(data);
    data = load("none.csv", NULL);
    assert_string_equal(data, "time [s],energy [J]\r\n0,nan\r\n");
    free(data);
}

static void csv_gives_the_same_bits_again(void **state) {
    export_to(*state, "out.csv");
    char *data = load("out.csv", NULL);
    const char *title = "time [s],energy/total [J],\"a, \"\"b\"\" [m/s]\"\r\n";
    assert_memory_equal(data, title, strlen(title));
    const char *p = data + strlen(title), *end = data + strlen(data);
    for (size_t f = 0; f < 2; f++) {
        const double expected[] = {times[f], channels[f][0], channels[f][1]};
        for (size_t i = 0; i < 3; i++) {
            double value;
            assert_true(tac_read_real(&p, end, &value));
            assert_memory_equal(&value, &expected[i], 8);
            assert_int_equal(*p++, i < 2 ? ',' : '\r');
        }
    }
    assert_string_equal(p, "\n0.25,nan,inf\r\n");
    free(data);
}

static bool stop_at_once(void *data, double done) {
    (void)done;
    return ++*(int *)data < 2;
}

static bool watch(void *data, double done) {
    double *last = data;
    assert_true(done >= *last && done <= 1);
    *last = done;
    return true;
}

static void an_export_can_be_watched_and_stopped(void **state) {
    static const char *const names[] = {"stop.obj", "stop.pvd", "stop.usda", "stop.csv"};
    for (size_t i = 0; i < TAC_COUNT(names); i++) {
        int calls = 0;
        TacError error;
        assert_int_equal(tac_recording_export(*state, path_of(names[i]), stop_at_once, &calls, &error),
                         TAC_FAILED);
        assert_string_equal(error.message, "the export was stopped");
        if (i) assert_int_not_equal(access(path_of(names[i]), F_OK), 0);
        double last = 0;
        assert_int_equal(tac_recording_export(*state, path_of(names[i]), watch, &last, &error), TAC_OK);
        assert_true(last == 1);
    }
    char command[300];
    snprintf(command, sizeof command, "ls -A %s | grep -qE 'scratch|part'", folder);
    assert_int_not_equal(system(command), 0);
}

static void what_cannot_be_exported_is_said(void **state) {
    TacError error;
    assert_int_equal(tac_recording_export(*state, path_of("out.gif"), NULL, NULL, &error), TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, ".usda"));
    assert_int_equal(tac_recording_export(*state, path_of("no.usda/out"), NULL, NULL, &error), TAC_BAD_USAGE);
    static const char *const names[] = {"no/out.obj", "no/out.pvd", "no/out.usda", "no/out.csv", "no/out/"};
    for (size_t i = 0; i < TAC_COUNT(names); i++)
        assert_int_equal(tac_recording_export(*state, path_of(names[i]), NULL, NULL, &error), TAC_FAILED);
    assert_int_equal(tac_recording_export(*state, "/dev/full/x.csv", NULL, NULL, &error), TAC_FAILED);
}

static void numbers_do_not_depend_on_the_locale(void **state) {
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < TAC_COUNT(locales); i++) {
        if (!setlocale(LC_NUMERIC, locales[i])) continue;
        char text[TAC_REAL_TEXT];
        tac_real_text(text, -1.5e-7, 17);
        assert_string_equal(text, "-1.4999999999999999e-07");
        tac_real_text(text, 0.1, 9);
        assert_string_equal(text, "0.1");
        tac_real_text(text, -(double)INFINITY, 9);
        assert_string_equal(text, "-inf");
    }
    setlocale(LC_NUMERIC, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_caches_hold_the_points_that_blender_keeps),
        cmocka_unit_test(tracks_that_change_are_resampled_at_their_finest),
        cmocka_unit_test(a_folder_gets_an_obj_per_frame),
        cmocka_unit_test(vtu_files_hold_the_exact_numbers),
        cmocka_unit_test(the_pvd_has_every_file_with_its_true_time),
        cmocka_unit_test(usda_has_all_tracks_and_samples),
        cmocka_unit_test(the_usda_grammar_refuses_what_is_not_usda),
        cmocka_unit_test(numbers_that_are_none_are_written_without_a_sign),
        cmocka_unit_test(csv_gives_the_same_bits_again),
        cmocka_unit_test(an_export_can_be_watched_and_stopped),
        cmocka_unit_test(what_cannot_be_exported_is_said),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
