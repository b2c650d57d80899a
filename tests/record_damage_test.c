// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Recordings that were cut off, damaged or forged, and disks that are full: nothing crashes, nothing wrong
// passes as sound, and no whole frame that came before is lost.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record_sample.h"

#include <signal.h>
#include <sys/resource.h>

// A file cut at `bytes`: exactly the whole frames before are there.
static void check_cut(const Sample *s, const char *path, uint64_t bytes, const uint64_t ends[FRAMES],
                      uint64_t header_end, uint64_t whole) {
    TacRecording *r;
    TacError error = {0};
    TacStatus status = tac_recording_open_limit(&r, path, bytes % 2 ? 0 : UINT64_MAX, &error);
    if (bytes < header_end) {
        assert_int_equal(status, TAC_BAD_INPUT);
        assert_true(error.message[0]);
        return;
    }
    assert_int_equal(status, TAC_OK);
    size_t expected = 0;
    while (expected < FRAMES && ends[expected] <= bytes) expected++;
    assert_int_equal(tac_recording_frame_count(r), expected);
    assert_true((tac_recording_damage(r) == NULL) == (bytes == whole));
    for (size_t f = 0; f < expected; f++) {
        const TacFrame *frame;
        assert_int_equal(tac_recording_frame(r, f, &frame, &error), TAC_OK);
        assert_true(same_frame(s, r, f, frame));
    }
    tac_recording_close(r);
}

static uint64_t head_end(const char *data) {
    TacChunk head = tac_chunk_parse((const unsigned char *)data + TAC_CHUNK_MAGIC_SIZE);
    return TAC_CHUNK_MAGIC_SIZE + TAC_CHUNK_HEADER + head.bytes;
}

static void a_cut_at_any_byte_keeps_all_frames_before_it(void **state) {
    (void)state;
    Sample *s = make_sample(true, false);
    uint64_t ends[FRAMES];
    const char *whole = path_of("whole.tacrec"), *cut = path_of("cut.tacrec");
    write_sample(s, whole, ends, true);
    char *data;
    size_t bytes;
    assert_int_equal(tac_read_whole_file(whole, SIZE_MAX, &data, &bytes, NULL), TAC_OK);
    put_file(cut, data, bytes);
    for (size_t n = bytes + 1; n-- > 0;) {
        assert_int_equal(truncate(cut, (off_t)n), 0);
        check_cut(s, cut, n, ends, head_end(data), bytes);
    }
    free(data);
    free(s);
}

// Whatever was flipped: each frame that is given is right, and something says that the file is damaged.
static void check_flipped(const Sample *s, const char *path, uint64_t check_limit, size_t where) {
    TacRecording *r;
    TacError error = {0};
    TacStatus status = tac_recording_open_limit(&r, path, check_limit, &error);
    if (status != TAC_OK) {
        assert_int_equal(status, TAC_BAD_INPUT);
        assert_true(error.message[0]);
        return;
    }
    size_t good = 0;
    for (size_t f = 0; f < tac_recording_frame_count(r); f++) {
        const TacFrame *frame;
        if (tac_recording_frame(r, f, &frame, &error) != TAC_OK) continue;
        if (!same_frame(s, r, f, frame)) fail_msg("byte %zu: a wrong frame %zu was given", where, f);
        good++;
    }
    if (good == FRAMES && check_limit && !tac_recording_damage(r))
        fail_msg("byte %zu: nobody noticed", where);
    if (good < FRAMES) assert_non_null(tac_recording_damage(r));
    tac_recording_close(r);
}

static void a_changed_byte_is_never_taken_for_data(void **state) {
    (void)state;
    Sample *s = make_sample(true, false);
    const char *whole = path_of("whole.tacrec"), *flipped = path_of("flipped.tacrec");
    write_sample(s, whole, NULL, true);
    char *data;
    size_t bytes;
    assert_int_equal(tac_read_whole_file(whole, SIZE_MAX, &data, &bytes, NULL), TAC_OK);
    put_file(flipped, data, bytes);
    FILE *file = fopen(flipped, "r+b");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0);
    static const int masks[] = {1, 0x80, 0xff};
    for (size_t i = 0; i < bytes; i++)
        for (size_t m = 0; m < TAC_COUNT(masks); m++) {
            fseek(file, (long)i, SEEK_SET);
            fputc((unsigned char)data[i] ^ masks[m], file);
            check_flipped(s, flipped, UINT64_MAX, i);
            check_flipped(s, flipped, 0, i);
            fseek(file, (long)i, SEEK_SET);
            fputc((unsigned char)data[i], file);
        }
    fclose(file);
    free(data);
    free(s);
}

// Random damage with the checksums made right again: what an attacker would send.
static void hostile_chunks_with_right_checksums_do_no_harm(void **state) {
    (void)state;
    Sample *s = make_sample(true, true);
    const char *whole = path_of("whole.tacrec"), *hostile = path_of("hostile.tacrec");
    write_sample(s, whole, NULL, true);
    char *data;
    size_t bytes;
    assert_int_equal(tac_read_whole_file(whole, SIZE_MAX, &data, &bytes, NULL), TAC_OK);
    unsigned char *bad = malloc(bytes);
    assert_non_null(bad);
    TacRandom random = tac_random(1, 2);
    for (int round = 0; round < 4000; round++) {
        memcpy(bad, data, bytes);
        for (uint32_t n = 1 + tac_random_bits(&random) % 3; n > 0; n--) {
            size_t at = 8 + tac_random_bits(&random) % (bytes - 8);
            bad[at] = (unsigned char)(tac_random_bits(&random) % 3 ? tac_random_bits(&random) : 0xff);
        }
        for (size_t at = 8; at + TAC_CHUNK_HEADER <= bytes;) {
            TacChunk chunk = tac_chunk_parse(bad + at);
            if (chunk.bytes > bytes - at - TAC_CHUNK_HEADER) break;
            uint32_t crc =
                (uint32_t)crc32_z(tac_chunk_crc(bad + at), bad + at + TAC_CHUNK_HEADER, chunk.bytes);
            memcpy(bad + at + 16, &crc, 4);
            at += TAC_CHUNK_HEADER + chunk.bytes;
        }
        put_file(hostile, (const char *)bad, bytes);
        TacRecording *r;
        TacError error;
        if (tac_recording_open_limit(&r, hostile, round % 2 ? 0 : UINT64_MAX, &error) != TAC_OK) continue;
        double sum = 0;
        for (size_t f = 0; f < tac_recording_frame_count(r); f++) {
            const TacFrame *frame;
            if (tac_recording_frame(r, f, &frame, &error) != TAC_OK) continue;
            for (size_t t = 0; t < tac_recording_def(r)->track_count; t++) {
                const TacTrackMesh *mesh = tac_recording_mesh(r, t);
                size_t size = (size_t)tac_position_size(tac_recording_def(r)->tracks[t].kind);
                for (size_t i = 0; i < mesh->edges.count; i++)
                    sum += frame->tracks[t].positions[size * (size_t)mesh->edges.data[i]];
                for (size_t i = 0; i < mesh->triangles.count; i++)
                    sum += frame->tracks[t].positions[size * (size_t)mesh->triangles.data[i]];
                if (frame->tracks[t].count)
                    sum += frame->tracks[t].velocities ? frame->tracks[t].velocities[0] : 0;
            }
        }
        (void)sum;
        tac_recording_close(r);
    }
    free(bad);
    free(data);
    free(s);
}

// Finds the n-th chunk of a type.
static unsigned char *find_chunk(unsigned char *data, size_t bytes, const char *type, int n) {
    for (size_t at = 8; at + TAC_CHUNK_HEADER <= bytes;) {
        TacChunk chunk = tac_chunk_parse(data + at);
        if (tac_chunk_is(&chunk, type) && n-- == 0) return data + at;
        at += TAC_CHUNK_HEADER + chunk.bytes;
    }
    fail_msg("no chunk %s", type);
    return NULL;
}

// Overwrites bytes of a chunk's payload and makes its checksum right.
static void forge(unsigned char *chunk, size_t offset, const void *value, size_t size) {
    TacChunk head = tac_chunk_parse(chunk);
    memcpy(chunk + TAC_CHUNK_HEADER + offset, value, size);
    uint32_t crc = (uint32_t)crc32_z(tac_chunk_crc(chunk), chunk + TAC_CHUNK_HEADER, head.bytes);
    memcpy(chunk + 16, &crc, 4);
}

// Opens a forged file; the first `frames` frames are right, and frame `bad` (if there is one) is refused.
static void check_forged(const Sample *s, const unsigned char *data, size_t bytes, uint64_t check_limit,
                         size_t frames, size_t bad, bool damaged) {
    const char *path = path_of("forged.tacrec");
    put_file(path, (const char *)data, bytes);
    TacRecording *r;
    assert_int_equal(tac_recording_open_limit(&r, path, check_limit, NULL), TAC_OK);
    assert_int_equal(tac_recording_frame_count(r), frames);
    for (size_t f = 0; f < frames; f++) {
        const TacFrame *frame;
        TacStatus status = tac_recording_frame(r, f, &frame, NULL);
        assert_int_equal(status, f == bad ? TAC_BAD_INPUT : TAC_OK);
        if (f != bad) assert_true(same_frame(s, r, f, frame));
    }
    assert_true((tac_recording_damage(r) != NULL) == damaged);
    tac_recording_close(r);
}

static void contradictions_with_right_checksums_are_noticed(void **state) {
    (void)state;
    Sample *s = make_sample(true, false);
    const char *whole = path_of("whole.tacrec");
    write_sample(s, whole, NULL, true);
    char *data;
    size_t bytes;
    assert_int_equal(tac_read_whole_file(whole, SIZE_MAX, &data, &bytes, NULL), TAC_OK);
    unsigned char *bad = malloc(bytes);
    assert_non_null(bad);
#define FORGED(type, n, offset, value, limit, frames, refused, damaged)                                      \
    do {                                                                                                     \
        memcpy(bad, data, bytes);                                                                            \
        forge(find_chunk(bad, bytes, type, n), offset, &(value), sizeof(value));                             \
        check_forged(s, bad, bytes, limit, frames, refused, damaged);                                        \
    } while (0)
    uint64_t number = 9, few = 3, huge = UINT64_MAX;
    double early = 0.05, none = (double)NAN;
    uint32_t odd_track = TRACKS;
    // a frame's number, time, a track's time, a count that its mesh or its data do not fit
    FORGED("FRAM", 3, 0, number, UINT64_MAX, 3, SIZE_MAX, true);
    FORGED("FRAM", 3, 8, early, UINT64_MAX, 3, SIZE_MAX, true);
    FORGED("FRAM", 3, 8, none, UINT64_MAX, 3, SIZE_MAX, true);
    FORGED("FRAM", 3, 24, none, UINT64_MAX, FRAMES, 3, true);
    FORGED("FRAM", 3, 16, huge, UINT64_MAX, FRAMES, 3, true);
    FORGED("FRAM", 3, 32, huge, UINT64_MAX, FRAMES, 3, true);
    FORGED("FRAM", 3, 32, few, UINT64_MAX, FRAMES, 3, true);
    // seen from the index too
    FORGED("FRAM", 3, 0, number, 0, FRAMES, 3, true);
    FORGED("FRAM", 3, 8, early, 0, FRAMES, 3, true);
    // a mesh for a track that is not there, or of another frame
    FORGED("MESH", 2, 8, odd_track, UINT64_MAX, 2, SIZE_MAX, true);
    FORGED("MESH", 2, 0, number, UINT64_MAX, 2, SIZE_MAX, true);
    // an index that is wrong is not used: counts, offsets, bytes, times
    FORGED("INDX", 0, 0, few, 0, FRAMES, SIZE_MAX, false);
    FORGED("INDX", 0, 16 + 3 * 24, huge, 0, FRAMES, SIZE_MAX, false);
    FORGED("INDX", 0, 16 + 3 * 24 + 8, huge, 0, FRAMES, SIZE_MAX, false);
    FORGED("INDX", 0, 16 + 3 * 24 + 16, early, 0, FRAMES, SIZE_MAX, false);
    FORGED("INDX", 0, 16 + FRAMES * 24 + 32 + 24, odd_track, 0, FRAMES, SIZE_MAX, false);
    free(bad);
    free(data);

    // a mesh that refers to points that the frame does not have: two frames, told apart by their counts alone
    static const int32_t far_edge[] = {0, 3};
    TacTrackDef track = {.name = "/line", .kind = TAC_VEC1, .point_count = 4, .opacity = 1};
    TacTrackMesh mesh = {.edges = {far_edge, 2}}, bare = {.edges = {NULL, 0}};
    TacRecordingDef def = tac_recording_def_default();
    def.tracks = &track;
    def.track_count = 1;
    TacRecorder *recorder;
    const char *path = path_of("far.tacrec");
    assert_int_equal(tac_recorder_open(&recorder, path, &def, NULL), TAC_OK);
    TacFrameTrack frame_track = {.count = 4, .positions = s->positions[0][0], .mesh = &mesh};
    TacFrame frame = {0, &frame_track, NULL};
    assert_int_equal(tac_recorder_frame(recorder, &frame, NULL), TAC_OK);
    frame_track = (TacFrameTrack){.count = 3, .positions = s->positions[0][0], .mesh = &bare};
    frame.time = 1;
    assert_int_equal(tac_recorder_frame(recorder, &frame, NULL), TAC_OK);
    assert_int_equal(tac_recorder_close(recorder, NULL), TAC_OK);
    assert_int_equal(tac_read_whole_file(path, SIZE_MAX, &data, &bytes, NULL), TAC_OK);
    // the second mesh becomes a chunk of an unknown type: skipped, and the first one stays in force
    unsigned char *second = find_chunk((unsigned char *)data, bytes, "MESH", 1);
    memcpy(second, "NOTE", 4);
    forge(second, 0, second + TAC_CHUNK_HEADER, 0);
    put_file(path, data, bytes);
    free(data);
    TacRecording *r;
    const TacFrame *read;
    assert_int_equal(tac_recording_open(&r, path, NULL), TAC_OK);
    assert_int_equal(tac_recording_frame_count(r), 2);
    assert_null(tac_recording_damage(r));
    assert_int_equal(tac_recording_frame(r, 0, &read, NULL), TAC_OK);
    assert_int_equal(tac_recording_frame(r, 1, &read, NULL), TAC_BAD_INPUT);
    tac_recording_close(r);
    free(s);
}

static void a_run_that_was_killed_leaves_its_frames(void **state) {
    (void)state;
    Sample *s = make_sample(false, false);
    const char *path = path_of("killed.tacrec");
    write_sample(s, path, NULL, false);
    TacRecording *r;
    assert_int_equal(tac_recording_open(&r, path, NULL), TAC_OK);
    assert_int_equal(tac_recording_frame_count(r), FRAMES);
    assert_string_equal(tac_recording_damage(r), "not closed; it ends after 6 frames");
    tac_recording_close(r);
    free(s);
}

static void other_files_are_refused_with_a_message(void **state) {
    (void)state;
    TacRecording *r;
    TacError error;
    const char *path = path_of("other.txt");
    static const struct {
        const char *content, *message;
    } cases[] = {
        {"", "is not a recording"},
        {"TACREC1", "is not a recording"},
        {"hello, world, this is text", "is not a recording"},
        {"TACREC1\n", "cut off"},
        {"TACREC1\nHEADxxxxyyyyyyyyzzzzpayload", "header"},
    };
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        put_file(path, cases[i].content, strlen(cases[i].content));
        assert_int_equal(tac_recording_open(&r, path, &error), TAC_BAD_INPUT);
        assert_null(r);
        assert_non_null(strstr(error.message, cases[i].message));
        assert_string_equal(error.file, path);
    }
    assert_int_equal(tac_recording_open(&r, folder, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_recording_open(&r, "/dev/null", &error), TAC_BAD_INPUT);
    assert_int_equal(tac_recording_open(&r, path_of("absent"), &error), TAC_BAD_INPUT);
}

static TacStatus with_file_limit(rlim_t limit, TacStatus (*call)(TacRecorder *, const TacFrame *, TacError *),
                                 TacRecorder *recorder, const TacFrame *frame, TacError *error) {
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    TacStatus status = call(recorder, frame, error);
    setrlimit(RLIMIT_FSIZE, &old);
    return status;
}

static TacStatus just_close(TacRecorder *recorder, const TacFrame *frame, TacError *error) {
    (void)frame;
    return tac_recorder_close(recorder, error);
}

static void assert_same_files(const char *a, const char *b) {
    char *data_a, *data_b;
    size_t bytes_a, bytes_b;
    assert_int_equal(tac_read_whole_file(a, SIZE_MAX, &data_a, &bytes_a, NULL), TAC_OK);
    assert_int_equal(tac_read_whole_file(b, SIZE_MAX, &data_b, &bytes_b, NULL), TAC_OK);
    assert_int_equal(bytes_a, bytes_b);
    assert_memory_equal(data_a, data_b, bytes_a);
    free(data_a);
    free(data_b);
}

// A limit on the file's size stands for a full disk: the write stops half-way, in a frame that brings a mesh.
static void a_full_disk_is_reported_and_the_frames_before_stay(void **state) {
    (void)state;
    Sample *s = make_sample(true, false);
    const char *path = path_of("full.tacrec");
    uint64_t ends[FRAMES];
    const char *reference = path_of("reference.tacrec");
    write_sample(s, reference, ends, true);
    for (int full_at_close = 0; full_at_close < 2; full_at_close++) {
        TacRecorder *recorder;
        TacError error;
        assert_int_equal(tac_recorder_open(&recorder, path, &s->def, NULL), TAC_OK);
        for (size_t f = 0; f < 2; f++)
            assert_int_equal(tac_recorder_frame(recorder, &s->frames[f], NULL), TAC_OK);
        rlim_t limit = (rlim_t)ends[1] + 100;
        assert_int_equal(with_file_limit(limit, tac_recorder_frame, recorder, &s->frames[2], &error),
                         TAC_FAILED);
        assert_non_null(strstr(error.message, "cannot be written"));
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, ends[1]);

        // there is room again: it goes on as if nothing had happened
        for (size_t f = 2; f < FRAMES; f++)
            assert_int_equal(tac_recorder_frame(recorder, &s->frames[f], NULL), TAC_OK);
        limit = full_at_close ? (rlim_t)ends[FRAMES - 1] + 10 : RLIM_INFINITY;
        assert_int_equal(with_file_limit(limit, just_close, recorder, NULL, &error),
                         full_at_close ? TAC_FAILED : TAC_OK);
        if (!full_at_close) assert_same_files(path, reference);
        TacRecording *r;
        assert_int_equal(tac_recording_open_limit(&r, path, 0, NULL), TAC_OK);
        assert_true((tac_recording_damage(r) != NULL) == full_at_close);
        assert_int_equal(tac_recording_frame_count(r), FRAMES);
        for (size_t f = 0; f < FRAMES; f++) {
            const TacFrame *frame;
            assert_int_equal(tac_recording_frame(r, f, &frame, NULL), TAC_OK);
            assert_true(same_frame(s, r, f, frame));
        }
        tac_recording_close(r);
    }
    free(s);
}

static void an_older_file_survives_a_recorder_that_cannot_start(void **state) {
    (void)state;
    Sample *s = make_sample(false, false);
    const char *path = path_of("old.tacrec");
    put_file(path, "precious", 8);
    TacRecorder *recorder;
    s->def.fps = -1;
    assert_int_equal(tac_recorder_open(&recorder, path, &s->def, NULL), TAC_BAD_USAGE);
    s->def.fps = 1;
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 100;
    setrlimit(RLIMIT_FSIZE, &tight);
    TacStatus status = tac_recorder_open(&recorder, path, &s->def, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, TAC_FAILED);
    char *data;
    size_t bytes;
    assert_int_equal(tac_read_whole_file(path, 100, &data, &bytes, NULL), TAC_OK);
    assert_string_equal(data, "precious");
    free(data);
    // nothing is left beside it either
    char command[300];
    snprintf(command, sizeof command, "ls %s | grep -q part", folder);
    assert_int_not_equal(system(command), 0);
    assert_int_equal(tac_recorder_open(&recorder, folder, &s->def, NULL), TAC_FAILED);
    assert_int_equal(tac_recorder_open(&recorder, "/dev/null", &s->def, NULL), TAC_FAILED);
    assert_int_equal(tac_recorder_open(&recorder, path_of("no/such/folder"), &s->def, NULL), TAC_FAILED);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_at_any_byte_keeps_all_frames_before_it),
        cmocka_unit_test(a_changed_byte_is_never_taken_for_data),
        cmocka_unit_test(hostile_chunks_with_right_checksums_do_no_harm),
        cmocka_unit_test(contradictions_with_right_checksums_are_noticed),
        cmocka_unit_test(a_run_that_was_killed_leaves_its_frames),
        cmocka_unit_test(other_files_are_refused_with_a_message),
        cmocka_unit_test(a_full_disk_is_reported_and_the_frames_before_stay),
        cmocka_unit_test(an_older_file_survives_a_recorder_that_cannot_start),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
