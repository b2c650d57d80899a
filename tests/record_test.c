// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Recordings: what is written is read back to the last bit, what makes no sense is refused, and two
// recordings that differ are told apart.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record_sample.h"

#include <malloc.h>

static void check_def(const Sample *s, const TacRecordingDef *def) {
    assert_string_equal(def->scene, s->def.scene);
    assert_true(def->beat == s->def.beat && def->fps == s->def.fps);
    assert_memory_equal(&def->up, &s->def.up, sizeof def->up);
    assert_memory_equal(&def->ground.normal, &s->def.ground.normal, sizeof def->ground.normal);
    assert_true(def->ground.offset == s->def.ground.offset && def->ground.visible == s->def.ground.visible);
    assert_memory_equal(&def->camera, &s->def.camera, sizeof def->camera);
    assert_int_equal(def->velocities, s->def.velocities);
    assert_int_equal(def->single_precision, s->def.single_precision);
    assert_int_equal(def->track_count, TRACKS);
    assert_int_equal(def->channel_count, CHANNELS);
    for (size_t i = 0; i < TRACKS; i++) {
        const TacTrackDef *a = &def->tracks[i], *b = &s->tracks[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->point_count, b->point_count);
        assert_true(same_mesh(&a->mesh, &b->mesh));
        assert_int_equal(a->radii.count, b->radii.count);
        for (size_t k = 0; k < a->radii.count; k++) assert_true(a->radii.data[k] == b->radii.data[k]);
        assert_true(a->radius == b->radius && a->opacity == b->opacity && a->visible == b->visible);
        assert_memory_equal(a->color, b->color, sizeof a->color);
    }
    for (size_t i = 0; i < CHANNELS; i++) {
        assert_string_equal(def->channels[i].name, s->channels[i].name);
        assert_string_equal(def->channels[i].unit, s->channels[i].unit);
    }
}

static void round_trip(bool velocities, bool single, uint64_t check_limit) {
    Sample *s = make_sample(velocities, single);
    const char *path = path_of("round.tacrec");
    write_sample(s, path, NULL, true);
    TacRecording *r;
    TacError error;
    assert_int_equal(tac_recording_open_limit(&r, path, check_limit, &error), TAC_OK);
    assert_null(tac_recording_damage(r));
    check_def(s, tac_recording_def(r));
    assert_int_equal(tac_recording_frame_count(r), FRAMES);
    assert_true(same_mesh(tac_recording_mesh(r, 1), &s->tracks[1].mesh));

    // in order, backwards, and jumping
    static const size_t order[] = {0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0, 5, 0, 3, 1, 4, 2};
    for (size_t i = 0; i < TAC_COUNT(order); i++) {
        const TacFrame *frame;
        assert_true(tac_recording_frame_time(r, order[i]) == s->frames[order[i]].time);
        assert_int_equal(tac_recording_frame(r, order[i], &frame, &error), TAC_OK);
        assert_true(same_frame(s, r, order[i], frame));
    }
    const TacFrame *none;
    assert_int_equal(tac_recording_frame(r, FRAMES, &none, &error), TAC_BAD_USAGE);
    assert_null(none);
    assert_true(isnan(tac_recording_frame_time(r, FRAMES)));

    size_t most[TRACKS], where[TRACKS];
    assert_int_equal(tac_recording_most_points(r, most, where, &error), TAC_OK);
    assert_int_equal(most[0], 5);
    assert_int_equal(most[1], 8);
    assert_int_equal(where[1], 2);
    assert_int_equal(most[3], 0);
    tac_recording_close(r);
    free(s);
}

static void every_kind_of_recording_comes_back_to_the_last_bit(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) round_trip(i & 1, i & 2, i & 4 ? 0 : UINT64_MAX);
}

static void bytes_are_sorted_by_significance(void **state) {
    (void)state;
    for (size_t width = 4; width <= 8; width += 4)
        for (size_t count = 0; count < 40; count++) {
            unsigned char numbers[320], planes[320], back[320];
            for (size_t i = 0; i < sizeof numbers; i++) numbers[i] = (unsigned char)(i * 37 + 11);
            tac_shuffle(planes, count, numbers, count, width);
            for (size_t i = 0; i < count; i++)
                for (size_t b = 0; b < width; b++)
                    assert_int_equal(planes[b * count + i], numbers[i * width + b]);
            tac_unshuffle(back, planes, count, width);
            if (count) assert_memory_equal(back, numbers, count * width);
        }
}

// Long lists of every temper: pieces of noise are stored, others compressed, in one stream.
static void long_lists_are_packed_and_unpacked_exactly(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    static uint64_t numbers[COUNT], back[COUNT];
    TacRandom random = tac_random(3, 4);
    TacPacker packer = {0};
    for (int temper = 0; temper < 5; temper++)
        for (size_t width = 4; width <= 8; width += 4) {
            for (size_t i = 0; i < COUNT; i++) {
                uint64_t noise = (uint64_t)tac_random_bits(&random) << 32 | tac_random_bits(&random);
                bool noisy = temper == 1 || (temper == 2 && i > 30000) || (temper == 3 && i / 4096 % 2);
                numbers[i] = noisy ? noise : temper == 4 ? (noise & 0xffffff) | 0x3ff0000000000000 : i;
            }
            TacBytes out = {0};
            assert_int_equal(tac_pack(&packer, &out, numbers, COUNT, width, NULL), TAC_OK);
            // noise cannot shrink; counting can, and a lot
            if (temper == 0) assert_true(out.count < COUNT * width / 20);
            assert_true(out.count < COUNT * width + COUNT * width / 500 + 100);
            memset(back, 0, sizeof back);
            assert_int_equal(tac_unpack(&packer, back, COUNT, width, out.data, out.count, NULL), TAC_OK);
            assert_memory_equal(back, numbers, COUNT * width);
            // one number or one byte too few or too many is refused
            assert_int_equal(tac_unpack(&packer, back, COUNT - 1, width, out.data, out.count, NULL),
                             TAC_BAD_INPUT);
            assert_int_equal(tac_unpack(&packer, back, COUNT, width, out.data, out.count - 1, NULL),
                             TAC_BAD_INPUT);
            assert_true(tac_bytes_reserve(&out, 1));
            assert_int_equal(tac_unpack(&packer, back, COUNT, width, out.data, out.count + 1, NULL),
                             TAC_BAD_INPUT);
            // numbers that so few bytes cannot hold are refused before memory is taken for them
            assert_false(tac_packed_can_hold(out.count, UINT64_MAX / 2, width));
            assert_false(tac_packed_can_hold(1000, 1000 * 1033, width));
            tac_bytes_destroy(&out);
        }
    tac_packer_destroy(&packer);
}

static TacStatus try_open(const TacRecordingDef *def) {
    TacRecorder *recorder;
    TacError error = {0};
    TacStatus status = tac_recorder_open(&recorder, path_of("tried.tacrec"), def, &error);
    assert_true(status == TAC_OK || (error.message[0] && !recorder));
    tac_recorder_close(recorder, NULL);
    return status;
}

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    Sample *s = make_sample(false, false);
    assert_int_equal(try_open(&s->def), TAC_OK);
    TacTrackDef good = s->tracks[0];
#define REFUSED(change)                                                                                      \
    do {                                                                                                     \
        change;                                                                                              \
        assert_int_equal(try_open(&s->def), TAC_BAD_USAGE);                                                  \
        s->tracks[0] = good;                                                                                 \
    } while (0)
    REFUSED(s->tracks[0].name = "/body");
    REFUSED(s->tracks[0].name = "");
    REFUSED(s->tracks[0].name = NULL);
    REFUSED(s->tracks[0].name = "two\nlines");
    REFUSED(s->tracks[0].kind = TAC_MATTER_KINDS);
    REFUSED(s->tracks[0].point_count = 3);
    REFUSED(s->tracks[0].point_count = SIZE_MAX);
    REFUSED(s->tracks[0].mesh.triangles.count = 5);
    REFUSED(s->tracks[0].color[1] = 1.5);
    REFUSED(s->tracks[0].opacity = (double)NAN);
    REFUSED(s->tracks[0].radius = -1);
    s->def.fps = (double)NAN;
    assert_int_equal(try_open(&s->def), TAC_BAD_USAGE);
    s->def.fps = 24;
    s->channels[1].name = s->channels[0].name;
    assert_int_equal(try_open(&s->def), TAC_BAD_USAGE);
    free(s);
}

static void wrong_frames_are_refused_and_change_nothing(void **state) {
    (void)state;
    Sample *s = make_sample(true, false);
    const char *path = path_of("refused.tacrec");
    TacRecorder *recorder;
    assert_int_equal(tac_recorder_open(&recorder, path, &s->def, NULL), TAC_OK);
    assert_int_equal(tac_recorder_frame(recorder, &s->frames[0], NULL), TAC_OK);
    uint64_t bytes = tac_recorder_bytes(recorder);
    TacError error;
#define WRONG(field, value)                                                                                  \
    do {                                                                                                     \
        __typeof__(field) kept = field;                                                                      \
        field = value;                                                                                       \
        assert_int_equal(tac_recorder_frame(recorder, &s->frames[1], &error), TAC_BAD_USAGE);                \
        field = kept;                                                                                        \
    } while (0)
    WRONG(s->frames[1].time, (double)NAN);
    WRONG(s->frames[1].time, s->frames[0].time);
    WRONG(s->frames[1].time, -1.0);
    WRONG(s->frames[1].tracks, NULL);
    WRONG(s->frames[1].channels, NULL);
    WRONG(s->frame_tracks[1][0].time, (double)INFINITY);
    WRONG(s->frame_tracks[1][0].count, (size_t)6);
    WRONG(s->frame_tracks[1][0].count, (size_t)3); // fewer than its mesh needs
    WRONG(s->frame_tracks[1][0].velocities, NULL);
    TacTrackMesh far_off = {.edges = {(const int32_t[]){0, 7}, 2}},
                 negative = {.edges = {(const int32_t[]){0, -1}, 2}};
    WRONG(s->frame_tracks[1][0].mesh, &far_off);
    WRONG(s->frame_tracks[1][0].mesh, &negative);
    assert_int_equal(tac_recorder_bytes(recorder), bytes);
    for (size_t f = 1; f < FRAMES; f++)
        assert_int_equal(tac_recorder_frame(recorder, &s->frames[f], NULL), TAC_OK);
    assert_int_equal(tac_recorder_close(recorder, NULL), TAC_OK);

    TacRecording *r;
    const TacFrame *frame;
    assert_int_equal(tac_recording_open(&r, path, NULL), TAC_OK);
    assert_null(tac_recording_damage(r));
    assert_int_equal(tac_recording_frame(r, 5, &frame, NULL), TAC_OK);
    assert_true(same_frame(s, r, 5, frame));
    tac_recording_close(r);
    free(s);
}

static void a_recording_without_anything_is_whole(void **state) {
    (void)state;
    TacRecordingDef def = tac_recording_def_default();
    const char *path = path_of("empty.tacrec");
    TacRecorder *recorder;
    assert_int_equal(tac_recorder_open(&recorder, path, &def, NULL), TAC_OK);
    TacFrame frame = {.time = 1.5};
    assert_int_equal(tac_recorder_frame(recorder, &frame, NULL), TAC_OK);
    assert_int_equal(tac_recorder_close(recorder, NULL), TAC_OK);
    TacRecording *r;
    const TacFrame *read;
    assert_int_equal(tac_recording_open(&r, path, NULL), TAC_OK);
    assert_null(tac_recording_damage(r));
    assert_int_equal(tac_recording_frame(r, 0, &read, NULL), TAC_OK);
    assert_true(read->time == 1.5);
    assert_null(tac_recording_mesh(r, 0));
    tac_recording_close(r);
    assert_int_equal(tac_recorder_close(NULL, NULL), TAC_OK);
    tac_recording_close(NULL);
}

// Opens two recordings, `b` after a change, and compares them.
static TacDifference compare_with(const Sample *a, const Sample *b) {
    const char *path_a = path_of("a.tacrec"), *path_b = path_of("b.tacrec");
    write_sample(a, path_a, NULL, true);
    write_sample(b, path_b, NULL, true);
    TacRecording *ra, *rb;
    assert_int_equal(tac_recording_open(&ra, path_a, NULL), TAC_OK);
    assert_int_equal(tac_recording_open(&rb, path_b, NULL), TAC_OK);
    TacDifference difference;
    assert_int_equal(tac_recording_compare(ra, rb, &difference, NULL), TAC_OK);
    assert_int_equal(difference.frames, FRAMES);
    for (size_t i = 0; i < difference.track_count; i++) difference.tracks[i].name = "";
    tac_recording_close(ra);
    tac_recording_close(rb);
    return difference;
}

// A header of every length: its size is counted before it is written.
static void headers_of_every_length_come_back(void **state) {
    (void)state;
    Sample *s = make_sample(false, false);
    static char scene[1301];
    for (size_t length = 0; length < 1300; length++) {
        s->def.scene = scene;
        const char *path = path_of("header.tacrec");
        uint64_t ends[FRAMES];
        write_sample(s, path, ends, true);
        TacRecording *r;
        TacError error;
        if (tac_recording_open(&r, path, &error) != TAC_OK) fail_msg("length %zu: %s", length, error.message);
        assert_string_equal(tac_recording_def(r)->scene, scene);
        assert_int_equal(tac_recording_frame_count(r), FRAMES);
        tac_recording_close(r);
        scene[length] = 'x';
    }
    free(s);
}

static void equal_recordings_are_the_same_to_the_bit(void **state) {
    (void)state;
    Sample *a = make_sample(true, false), *b = make_sample(true, false);
    TacDifference d = compare_with(a, b);
    assert_true(d.same);
    assert_true(d.first_frame == SIZE_MAX);
    assert_int_equal(d.track_count, TRACKS);
    assert_true(d.tracks[2].largest == 0 && d.tracks[2].rms == 0);
    tac_difference_destroy(&d);
    free(a);
    free(b);
}

static void differences_are_found_and_measured(void **state) {
    (void)state;
    Sample *a = make_sample(true, false), *b = make_sample(true, false);
    // one coordinate of the bodies (2 x 7 numbers in each of 6 frames) by 0.5
    b->positions[3][2][4] += 0.5;
    double made = fabs(b->positions[3][2][4] - a->positions[3][2][4]);
    TacDifference d = compare_with(a, b);
    assert_false(d.same);
    assert_int_equal(d.first_frame, 3);
    assert_true(d.tracks[2].largest == made);
    assert_true(d.tracks[2].largest_at == a->frames[3].time);
    assert_true(fabs(d.tracks[2].rms - made / sqrt(14.0 * FRAMES)) < 1e-15);
    assert_true(d.tracks[1].largest == 0);
    tac_difference_destroy(&d);
    b->positions[3][2][4] = a->positions[3][2][4];

    // the sign of zero, a channel, a velocity, a mesh, a time: no distance, but not the same
    b->positions[1][0][0] = 0.0;
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 1 && d.tracks[0].largest == 0);
    tac_difference_destroy(&d);
    b->positions[1][0][0] = -0.0;

    b->values[4][0] = nextafter(b->values[4][0], 2);
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 4 && d.channels_differ == 1);
    tac_difference_destroy(&d);
    b->values[4][0] = a->values[4][0];

    b->velocities[5][1][0] += 1;
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 5 && d.tracks[1].largest == 0);
    tac_difference_destroy(&d);
    b->velocities[5][1][0] = a->velocities[5][1][0];

    b->frame_tracks[2][3].time += 1;
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 2);
    tac_difference_destroy(&d);
    b->frame_tracks[2][3].time = a->frame_tracks[2][3].time;

    b->meshes[2].edges.count = 12;
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 2);
    tac_difference_destroy(&d);
    b->meshes[2].edges.count = 14;

    // another count of points, another kind, another name, a NaN on one side
    b->frame_tracks[3][1].count = 8;
    b->frame_tracks[5][1].count = 3;
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 5 && d.tracks[1].shape_differs);
    tac_difference_destroy(&d);
    b->frame_tracks[5][1].count = 2;
    b->tracks[3].kind = TAC_VEC1;
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 0 && d.tracks[3].shape_differs && !d.tracks[1].shape_differs);
    tac_difference_destroy(&d);
    b->tracks[3].kind = TAC_VEC2;
    b->tracks[3].name = "/something";
    d = compare_with(a, b);
    assert_true(!d.same && d.only_a == 1 && d.only_b == 1 && d.track_count == 3);
    tac_difference_destroy(&d);
    b->tracks[3].name = a->tracks[3].name;
    b->positions[2][2][0] = (double)NAN;
    d = compare_with(a, b);
    assert_true(!d.same && d.first_frame == 2 && isinf(d.tracks[2].largest));
    tac_difference_destroy(&d);
    free(a);
    free(b);
}

static size_t heap(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

// A mesh may be many times as large as a frame: what writing it took is not kept.
static void room_for_meshes_is_given_back(void **state) {
    (void)state;
    enum { TRIANGLES = 200000 };
    Sample *s = make_sample(false, false);
    int32_t *corners = calloc(3 * TRIANGLES, sizeof *corners);
    assert_non_null(corners);
    for (int32_t i = 0; i < 3 * TRIANGLES; i++) corners[i] = i % (int32_t)s->tracks[1].point_count;
    s->tracks[1].mesh = (TacTrackMesh){.triangles = {corners, 3 * TRIANGLES}};
    TacRecorder *recorder;
    size_t before = heap();
    assert_int_equal(tac_recorder_open(&recorder, path_of("meshes.tacrec"), &s->def, NULL), TAC_OK);
    size_t taken = heap() - before;
    assert_int_equal(tac_recorder_close(recorder, NULL), TAC_OK);
    if (taken > TRIANGLES * 4) fail_msg("%zu bytes are kept", taken);
    free(corners);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_sorted_by_significance),
        cmocka_unit_test(headers_of_every_length_come_back),
        cmocka_unit_test(long_lists_are_packed_and_unpacked_exactly),
        cmocka_unit_test(every_kind_of_recording_comes_back_to_the_last_bit),
        cmocka_unit_test(room_for_meshes_is_given_back),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(wrong_frames_are_refused_and_change_nothing),
        cmocka_unit_test(a_recording_without_anything_is_whole),
        cmocka_unit_test(equal_recordings_are_the_same_to_the_bit),
        cmocka_unit_test(differences_are_found_and_measured),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
