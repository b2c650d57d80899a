// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of src/base: errors, memory, numbers, names, files (teams and random numbers are in team_test.c).
// Numbers are checked against strtod; files are made in a private folder below the system's temporary one.

#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/text.h"
#include "math/extremes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// --- errors

static void test_error_text_names_what_is_known(void **state) {
    (void)state;
    TacError error;
    char text[256];
    assert_int_equal(tac_fail_at(&error, TAC_BAD_INPUT, "a.scn", 3, 7, "%s", "wrong"), TAC_BAD_INPUT);
    assert_string_equal(tac_error_text(&error, text, sizeof text), "a.scn:3:7: wrong");
    tac_fail_at(&error, TAC_BAD_INPUT, "a.scn", 3, 0, "wrong");
    assert_string_equal(tac_error_text(&error, text, sizeof text), "a.scn:3: wrong");
    tac_fail_at(&error, TAC_BAD_INPUT, "a.scn", 0, 0, "wrong");
    assert_string_equal(tac_error_text(&error, text, sizeof text), "a.scn: wrong");
    tac_fail(&error, TAC_FAILED, "wrong");
    assert_string_equal(tac_error_text(&error, text, sizeof text), "wrong");
    assert_int_equal(tac_fail(NULL, TAC_FAILED, "nobody listens"), TAC_FAILED);
    assert_int_equal(tac_fail_memory(NULL, 5), TAC_NO_MEMORY);

    // an error may be wrapped in its own message
    tac_fail(&error, TAC_FAILED, "inner");
    tac_fail(&error, TAC_FAILED, "outer: %s", error.message);
    assert_string_equal(error.message, "outer: inner");
}

static void test_error_text_is_cut_not_overrun(void **state) {
    (void)state;
    char *longest = malloc(5001);
    memset(longest, 'x', 5000);
    longest[5000] = 0;
    TacError error;
    tac_fail_at(&error, TAC_FAILED, longest, 1, 1, "%s", longest);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    char text[10];
    assert_int_equal(strlen(tac_error_text(&error, text, sizeof text)), 9);
    free(longest);
}

// --- memory

static void test_arena_gives_zeroed_aligned_apart(void **state) {
    (void)state;
    TacArena arena = {0};
    enum { COUNT = 3000 };
    static unsigned char *kept[COUNT];
    static size_t sizes[COUNT];
    TacRandom random = tac_random(1, 1);
    for (size_t i = 0; i < COUNT; i++) {
        // mostly small, now and then larger than a block
        sizes[i] = i % 97 == 0 ? 70000 + tac_random_bits(&random) % 9000 : tac_random_bits(&random) % 300;
        kept[i] = tac_arena_alloc(&arena, sizes[i]);
        assert_non_null(kept[i]);
        assert_int_equal((uintptr_t)kept[i] % 64, 0);
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(kept[i][k], 0);
        memset(kept[i], (int)(i % 251) + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(kept[i][k], i % 251 + 1);
    tac_arena_destroy(&arena);
    assert_null(arena.first);
    assert_int_equal(arena.bytes, 0);
    tac_arena_destroy(&arena);
}

static void test_arena_texts(void **state) {
    (void)state;
    TacArena arena = {0};
    assert_string_equal(tac_arena_text(&arena, "hello"), "hello");
    assert_string_equal(tac_arena_text_n(&arena, "hello", 2), "he");
    assert_string_equal(tac_arena_text_n(&arena, NULL, 0), "");
    assert_string_equal(tac_arena_format(&arena, "%d-%s", 7, "x"), "7-x");
    char *longest = tac_arena_format(&arena, "%0100000d", 5);
    assert_int_equal(strlen(longest), 100000);
    tac_arena_destroy(&arena);
}

static void test_arena_refuses_impossible_sizes(void **state) {
    (void)state;
    TacArena arena = {0};
    assert_null(tac_arena_alloc(&arena, SIZE_MAX));
    assert_null(tac_arena_alloc(&arena, SIZE_MAX - 62));
    assert_null(tac_arena_array(&arena, SIZE_MAX / 2, 3));
    assert_null(tac_arena_array(&arena, (size_t)1 << 32, (size_t)1 << 32));
    assert_null(tac_arena_text_n(&arena, "x", SIZE_MAX));
    // still good afterwards
    assert_non_null(tac_arena_array(&arena, 10, 8));
    assert_int_equal(arena.bytes, 128);
    tac_arena_destroy(&arena);
}

static void test_grow_keeps_and_zeroes(void **state) {
    (void)state;
    int *data = NULL;
    size_t capacity = 0, changes = 0;
    for (size_t i = 0; i < 100000; i++) {
        size_t before = capacity;
        assert_true(tac_grow(&data, &capacity, i + 1, sizeof *data));
        assert_true(capacity >= i + 1);
        changes += capacity != before;
        if (i >= 8000) assert_true(16 * capacity <= 17 * (i + 1)); // and of large ones little is unused
        assert_int_equal(data[capacity - 1], 0);
        data[i] = (int)i + 1;
    }
    for (size_t i = 0; i < 100000; i++) assert_int_equal(data[i], i + 1);
    // geometric: some moves, not one per element
    assert_true(changes < 80);
    free(data);
}

static void test_grow_refuses_overflow_and_changes_nothing(void **state) {
    (void)state;
    double *data = NULL;
    size_t capacity = 0;
    assert_true(tac_grow(&data, &capacity, 4, sizeof *data));
    data[3] = 42;
    double *old = data;
    size_t old_capacity = capacity;
    size_t hopeless[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 1};
    for (size_t i = 0; i < TAC_COUNT(hopeless); i++) {
        assert_false(tac_grow(&data, &capacity, hopeless[i], sizeof *data));
        assert_ptr_equal(data, old);
        assert_int_equal(capacity, old_capacity);
    }
    assert_true(data[3] == 42);
    free(data);
}

// --- numbers

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Both readers on the same text: same end, same bits, or both refuse (ours also refuses infinity).
static void check_like_strtod(const char *text) {
    const char *cursor = text, *end = text + strlen(text);
    char *stop;
    double expected = strtod(text, &stop), value = -7;
    bool good = tac_read_real(&cursor, end, &value);
    bool should = stop != text && isfinite(expected);
    if (good != should || (good && (bits_of(value) != bits_of(expected) || cursor != stop)))
        fail_msg("'%.200s': read %d %.17g to %td; strtod says %d %.17g to %td", text, good, value,
                 cursor - text, should, expected, stop - text);
    if (!good) assert_ptr_equal(cursor, text);
}

static size_t random_digits(TacRandom *random, char *text, size_t count) {
    for (size_t i = 0; i < count; i++) text[i] = (char)('0' + tac_random_bits(random) % 10);
    return count;
}

// Texts of every kind: any bit pattern printed with 1 to 40 digits, free strings of digits with and without
// point and exponent, long ones, and ones half-way between two doubles.
static void random_number_text(TacRandom *random, char *text, size_t size) {
    uint64_t bits = (uint64_t)tac_random_bits(random) << 32 | tac_random_bits(random);
    uint32_t kind = tac_random_bits(random) % 8;
    if (kind == 0) bits &= 0x800fffffffffffffULL; // denormal
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) x = 1.0 / 3;
    if (kind <= 2) {
        snprintf(text, size, "%.*e", (int)(tac_random_bits(random) % 40), x);
        return;
    }
    if (kind == 3) {
        // the exact half-way point between two neighbours, then nudged or not in a late digit
        double y = ldexp((double)(bits >> 11), (int)(tac_random_bits(random) % 60) - 30);
        long double half = ((long double)y + (long double)nextafter(y, INFINITY)) / 2;
        int n = snprintf(text, size, "%.100Lf", half);
        if (tac_random_bits(random) % 2) text[n - 1 - (int)(tac_random_bits(random) % 3)] = '1';
        return;
    }
    size_t n = 0;
    if (tac_random_bits(random) % 2) text[n++] = "+- "[tac_random_bits(random) % 3];
    size_t most = kind == 4 ? 900 : kind == 5 ? 30 : 8;
    size_t whole = tac_random_bits(random) % most;
    if (kind == 4 && tac_random_bits(random) % 2) {
        memset(text + n, '0', whole);
        n += whole;
    } else {
        n += random_digits(random, text + n, whole);
    }
    if (tac_random_bits(random) % 4) text[n++] = '.';
    n += random_digits(random, text + n, tac_random_bits(random) % most);
    if (tac_random_bits(random) % 2) {
        int exponent = (int)(tac_random_bits(random) % (kind == 6 ? 60 : 700)) - (kind == 6 ? 30 : 360);
        n += (size_t)snprintf(text + n, size - n, "%c%d", "eE"[tac_random_bits(random) % 2], exponent);
    }
    if (tac_random_bits(random) % 8 == 0) text[n++] = "e+-. ,;/"[tac_random_bits(random) % 8];
    text[n] = 0;
}

static void test_reals_agree_with_strtod_to_the_last_bit(void **state) {
    (void)state;
    static char text[8000];
    TacRandom random = tac_random(2024, 1);
    for (int i = 0; i < 1000000; i++) {
        random_number_text(&random, text, sizeof text);
        check_like_strtod(text);
    }
}

static void test_reals_at_the_edges(void **state) {
    (void)state;
    char texts[] =
        "0;-0;+0;-0.0e5;0e999999999999;1.;.5;-.5e-3;1e5;1E+5;1e;1e+;1e-x;1e22;1e23;1e308;1e309;-1e309;"
        "4.9406564584124654e-324;2.4703282292062327e-324;2.4703282292062328e-324;1e-400;1e-5000;"
        "2.2250738585072014e-308;2.2250738585072011e-308;1.7976931348623157e308;"
        "1.7976931348623158e308;1.7976931348623159e308;9007199254740991;9007199254740992;"
        "9007199254740993;9007199254740993.0000000000000000000000000001;100000000000000016777215;"
        "123456789012345678;99999999999999999; ;+;-;.;e5;.e5;+.;--1;x;1x;1.2.3; \t\r\n 5;1e1e1";
    check_like_strtod("");
    for (char *rest = texts, *text; (text = strsep(&rest, ";"));) check_like_strtod(text);
}

static void test_reals_with_very_many_digits(void **state) {
    (void)state;
    enum { ZEROS = 1100000 };
    static char text[ZEROS + 64];
    // a one far behind the point, brought back by the exponent
    memset(text, '0', ZEROS);
    text[1] = '.';
    snprintf(text + ZEROS, 64, "1e%d", ZEROS - 1);
    check_like_strtod(text);
    const char *cursor = text;
    double value;
    assert_true(tac_read_real(&cursor, text + strlen(text), &value) && value == 1);
    // and one with many zeros before it and in its exponent
    snprintf(text + ZEROS, 64, "1");
    text[1] = '0';
    check_like_strtod(text);
    memset(text, '0', 1000);
    memcpy(text, "5e", 2);
    memcpy(text + 1000, "3", 2);
    check_like_strtod(text);
    // half-way between two doubles but for a digit a thousand places on
    memset(text, '0', 2000);
    memcpy(text, "9007199254740993.", 17);
    memcpy(text + 2000, "1", 2);
    check_like_strtod(text);
    cursor = text;
    assert_true(tac_read_real(&cursor, text + strlen(text), &value) && value == 9007199254740994.0);
    // many digits before the point
    memset(text, '7', 1000);
    memcpy(text + 1000, "77.25e-900", 11);
    check_like_strtod(text);
}

// Half-way points with the most digits there are (767), exactly and off by one in the last digit.
static void test_reals_half_way_between_the_smallest(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64 || LDBL_MIN_EXP > -16000) skip();
    static char text[2000];
    TacRandom random = tac_random(11, 2);
    for (int i = 0; i < 2000; i++) {
        uint64_t odd = (uint64_t)tac_random_bits(&random) << 22 | tac_random_bits(&random) >> 10;
        if (i == 0) odd = (1ULL << 54) - 1;
        long double half = ldexpl((long double)(odd | 1), -1075);
        snprintf(text, sizeof text, "%.1075Lf", half);
        check_like_strtod(text);
        text[strlen(text) - 1] = '4';
        check_like_strtod(text);
        text[strlen(text) - 1] = '6';
        check_like_strtod(text);
    }
}

static void test_reals_refuse_what_is_no_number(void **state) {
    (void)state;
    static const char *const refused[] = {"nan", "NAN", "inf", "-inf", "infinity", "abc", "1e999", "-1e999"};
    for (size_t i = 0; i < TAC_COUNT(refused); i++) {
        const char *cursor = refused[i];
        double value = 42;
        assert_false(tac_read_real(&cursor, cursor + strlen(cursor), &value));
        assert_ptr_equal(cursor, refused[i]);
    }
    // hexadecimal is a zero followed by something else
    const char *hex = "0x10";
    const char *cursor = hex;
    double value;
    assert_true(tac_read_real(&cursor, hex + 4, &value));
    assert_true(value == 0 && cursor == hex + 1);
    // the end given is the end, whatever stands behind it
    const char *text = "12345e7";
    cursor = text;
    assert_true(tac_read_real(&cursor, text + 3, &value) && value == 123 && cursor == text + 3);
    cursor = text;
    assert_true(tac_read_real(&cursor, text + 6, &value) && value == 12345 && cursor == text + 5);
    cursor = text;
    assert_false(tac_read_real(&cursor, text, &value));
}

static void test_reals_do_not_depend_on_the_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "ps_AF"};
    const char *set = NULL;
    for (size_t i = 0; i < TAC_COUNT(names) && !set; i++) set = setlocale(LC_NUMERIC, names[i]);
    if (!set) {
        print_message("[  SKIP  ] no locale with a decimal comma is installed here\n");
        skip();
    }
    const char *text = "0.1234567890123456789 3.5", *cursor = text, *end = text + strlen(text);
    double a = 0, b = 0;
    bool good = tac_read_real(&cursor, end, &a) && tac_read_real(&cursor, end, &b);
    setlocale(LC_NUMERIC, "C");
    assert_true(good && a == 0.1234567890123456789 && b == 3.5);
}

static bool read_int(const char *text, int64_t *value, size_t *used) {
    const char *cursor = text;
    bool good = tac_read_int(&cursor, text + strlen(text), value);
    *used = (size_t)(cursor - text);
    return good;
}

static void test_ints_to_their_limits(void **state) {
    (void)state;
    int64_t value = 5;
    size_t used;
    assert_true(read_int("9223372036854775807", &value, &used) && value == INT64_MAX && used == 19);
    assert_true(read_int("-9223372036854775808", &value, &used) && value == INT64_MIN && used == 20);
    assert_true(read_int(" \n\t+17 18", &value, &used) && value == 17 && used == 6);
    assert_true(read_int("-0", &value, &used) && value == 0);
    assert_true(read_int("00000000000000000000000012", &value, &used) && value == 12);
    assert_true(read_int("3.7", &value, &used) && value == 3 && used == 1);
    value = 5;
    static const char *const refused[] = {"9223372036854775808",
                                          "-9223372036854775809",
                                          "99999999999999999999999999",
                                          "",
                                          "-",
                                          "+",
                                          "+-1",
                                          "x",
                                          " "};
    for (size_t i = 0; i < TAC_COUNT(refused); i++) {
        assert_false(read_int(refused[i], &value, &used));
        assert_int_equal(used, 0);
        assert_int_equal(value, 5);
    }
    const char *text = "1234", *cursor = text;
    assert_true(tac_read_int(&cursor, text + 2, &value) && value == 12 && cursor == text + 2);
}

// --- nearest names

static void test_nearest_name(void **state) {
    (void)state;
    static const char *const names[] = {"position", "velocity", "stiffness", "damping",
                                        NULL,       "mass",     "Mass2"};
    size_t count = TAC_COUNT(names);
    assert_string_equal(tac_nearest("positon", names, count), "position");
    assert_string_equal(tac_nearest("psoition", names, count), "position");
    assert_string_equal(tac_nearest("POSITION", names, count), "position");
    assert_string_equal(tac_nearest("stifness", names, count), "stiffness");
    assert_string_equal(tac_nearest("velocities", names, count), "velocity");
    assert_string_equal(tac_nearest("mass", names, count), "mass");
    assert_string_equal(tac_nearest("mass2", names, count), "Mass2");
    assert_null(tac_nearest("xyzzyplugh", names, count));
    assert_null(tac_nearest("", names, count));
    assert_null(tac_nearest("mass", names, 0));
    // one swap is nearer than two changes
    static const char *const pair[] = {"ba12", "abcd"};
    assert_string_equal(tac_nearest("ab12", pair, 2), "ba12");
}

static void test_nearest_name_of_monsters(void **state) {
    (void)state;
    static const char *const names[] = {"position", "velocity"};
    static char name[100001];
    for (size_t length = 1; length <= 100000; length *= 10) {
        memset(name, 'q', length);
        name[length] = 0;
        assert_null(tac_nearest(name, names, 2));
    }
    const char *huge[] = {name};
    assert_null(tac_nearest("q", huge, 1));
}

// --- files

static char folder[256];

static int make_folder(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tactus-base-XXXXXX", base && strlen(base) < 200 ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static size_t count_files(void) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static int remove_folder(void **state) {
    (void)state;
    DIR *dir = opendir(folder);
    if (!dir) return -1;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, entry->d_type == DT_DIR ? AT_REMOVEDIR : 0);
    closedir(dir);
    return rmdir(folder);
}

static const char *in_folder(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *path, const char *text, size_t bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void check_content(const char *path, const char *text, size_t bytes) {
    char *data;
    size_t got;
    assert_int_equal(tac_read_whole_file(path, 1 << 20, &data, &got, NULL), TAC_OK);
    assert_int_equal(got, bytes);
    assert_memory_equal(data, text, bytes);
    assert_int_equal(data[got], 0);
    free(data);
}

static void test_whole_file(void **state) {
    (void)state;
    put(in_folder("a"), "one\0two", 7);
    check_content(in_folder("a"), "one\0two", 7);
    put(in_folder("empty"), "", 0);
    check_content(in_folder("empty"), "", 0);
    char *data;
    size_t bytes;
    TacError error;
    // exactly the limit is read, one more is refused
    assert_int_equal(tac_read_whole_file(in_folder("a"), 7, &data, &bytes, &error), TAC_OK);
    free(data);
    assert_int_equal(tac_read_whole_file(in_folder("a"), 6, &data, &bytes, &error), TAC_BAD_INPUT);
    assert_null(data);
}

static void check_refused(const char *path, const char *part) {
    char *data = folder;
    size_t bytes = 5;
    TacError error = {0};
    assert_int_equal(tac_read_whole_file(path, 1000, &data, &bytes, &error), TAC_BAD_INPUT);
    assert_null(data);
    assert_int_equal(bytes, 0);
    assert_string_equal(error.file, path);
    if (!strstr(error.message, part)) fail_msg("'%s' does not say '%s'", error.message, part);
}

static void test_whole_file_refuses_what_is_no_file(void **state) {
    (void)state;
    check_refused(folder, "folder");
    check_refused("/dev/zero", "regular");
    check_refused("/dev/null", "regular");
    check_refused(in_folder("nothing"), "opened");
    check_refused("", "opened");
    // a pipe without a writer would wait for ever
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    check_refused(in_folder("pipe"), "regular");
    // links count as what they lead to
    assert_int_equal(symlink("/dev/zero", in_folder("link")), 0);
    check_refused(in_folder("link"), "regular");
}

static void test_writer_shows_nothing_until_finished(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder("out"));
    TacFileWriter writer;
    assert_int_equal(tac_file_writer_open(&writer, path, NULL), TAC_OK);
    assert_true(fputs("new", writer.stream) >= 0);
    fflush(writer.stream);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(tac_file_writer_finish(&writer, true, NULL), TAC_OK);
    check_content(path, "new", 3);
    assert_int_equal(count_files(), 1);
    // finishing again does nothing
    assert_int_equal(tac_file_writer_finish(&writer, true, NULL), TAC_OK);

    // an old file stays whole until the new one is
    assert_int_equal(tac_file_writer_open(&writer, path, NULL), TAC_OK);
    assert_true(fputs("newer", writer.stream) >= 0);
    fflush(writer.stream);
    check_content(path, "new", 3);
    assert_int_equal(tac_file_writer_finish(&writer, true, NULL), TAC_OK);
    check_content(path, "newer", 5);
    assert_int_equal(count_files(), 1);
}

static void test_writer_can_be_dropped(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder("out"));
    put(path, "old", 3);
    TacFileWriter writer;
    assert_int_equal(tac_file_writer_open(&writer, path, NULL), TAC_OK);
    fputs("never", writer.stream);
    assert_int_equal(tac_file_writer_finish(&writer, false, NULL), TAC_OK);
    check_content(path, "old", 3);
    assert_int_equal(count_files(), 1);
}

static void test_writers_of_one_path_do_not_meet(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder("out"));
    TacFileWriter one, two;
    assert_int_equal(tac_file_writer_open(&one, path, NULL), TAC_OK);
    assert_int_equal(tac_file_writer_open(&two, path, NULL), TAC_OK);
    fputs("one", one.stream);
    fputs("two", two.stream);
    assert_int_equal(tac_file_writer_finish(&one, true, NULL), TAC_OK);
    assert_int_equal(tac_file_writer_finish(&two, true, NULL), TAC_OK);
    check_content(path, "two", 3);
    assert_int_equal(count_files(), 1);
}

// A disk that is full: writes beyond a limit on the size of files fail in the same way.
static void test_writer_reports_a_full_disk(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder("out"));
    put(path, "old", 3);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 10000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int pieces = 1; pieces <= 100; pieces += 99) {
        TacError error = {0};
        TacFileWriter writer;
        assert_int_equal(tac_file_writer_open(&writer, path, &error), TAC_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        // one piece fails when it is flushed at the end, a hundred while they are written
        static char text[12000];
        for (int i = 0; i < pieces; i++) fwrite(text, 1, pieces == 1 ? sizeof text : 1000, writer.stream);
        // space that comes back too late does not bring back what was lost
        if (pieces > 1) setrlimit(RLIMIT_FSIZE, &before);
        TacStatus status = tac_file_writer_finish(&writer, true, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, TAC_FAILED);
        assert_string_equal(error.file, path);
        assert_non_null(strstr(error.message, "could not be written"));
        check_content(path, "old", 3);
        assert_int_equal(count_files(), 1);
    }
    signal(SIGXFSZ, handler);
}

// The stream of a writer on /dev/full, which refuses every write with "no space left".
static void test_writer_reports_no_space(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder("out"));
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0) skip();
    TacError error = {0};
    TacFileWriter writer;
    assert_int_equal(tac_file_writer_open(&writer, path, &error), TAC_OK);
    assert_true(dup2(full, fileno(writer.stream)) >= 0);
    close(full);
    fputs("text", writer.stream);
    assert_int_equal(tac_file_writer_finish(&writer, true, &error), TAC_FAILED);
    assert_non_null(strstr(error.message, strerror(ENOSPC)));
    assert_int_equal(count_files(), 0);
}

static void test_writer_refuses_hopeless_paths(void **state) {
    (void)state;
    TacError error;
    TacFileWriter writer;
    char *longest = malloc(10001);
    memset(longest, 'x', 10000);
    longest[10000] = 0;
    static const char *const paths[] = {"", "/dev/null", "/dev/full", "/"};
    for (size_t i = 0; i < TAC_COUNT(paths); i++) {
        assert_int_equal(tac_file_writer_open(&writer, paths[i], &error), TAC_FAILED);
        assert_null(writer.stream);
        assert_int_equal(tac_file_writer_finish(&writer, true, &error), TAC_OK);
    }
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(tac_file_writer_open(&writer, longest, &error), TAC_FAILED);
    assert_int_equal(tac_file_writer_open(&writer, folder, &error), TAC_FAILED);
    assert_int_equal(tac_file_writer_open(&writer, in_folder("no/such/place"), &error), TAC_FAILED);
    // a folder that appears in the file's place while it is written
    assert_int_equal(tac_file_writer_open(&writer, in_folder("late"), &error), TAC_OK);
    assert_int_equal(mkdir(in_folder("late"), 0700), 0);
    assert_int_equal(tac_file_writer_finish(&writer, true, &error), TAC_FAILED);
    assert_int_equal(count_files(), 1);
    free(longest);
}

// Against a sort that is known; equal keys keep their order.
static int by_key_then_item(const void *a, const void *b) {
    const TacKeyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static void test_sorting_by_keys(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 1000};
    // the last three: many or few with the same high half
    static const uint64_t masks[] = {
        0, 1, 0xff, 0xff00ff00, 0xffff000000000000, UINT64_MAX, 0x30000ffff, 0x3ff000000ff, 0xff0000ff00ff};
    TacKeyed list[2000], expected[1000];
    TacRandom random = tac_random(1, 2);
    for (size_t c = 0; c < TAC_COUNT(counts); c++)
        for (size_t m = 0; m < TAC_COUNT(masks); m++) {
            size_t n = counts[c];
            for (size_t i = 0; i < n; i++) {
                uint64_t bits = (uint64_t)tac_random_bits(&random) << 32;
                list[i] = expected[i] = (TacKeyed){(bits | tac_random_bits(&random)) & masks[m], i};
            }
            tac_sort_keyed(list, n);
            qsort(expected, n, sizeof *expected, by_key_then_item);
            assert_memory_equal(list, expected, n * sizeof *list);
        }
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Those with few digits that differ, and very many; some are there many times.
static void test_sorting_numbers(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 1000, 4096, 4097, 20000};
    static const uint64_t masks[] = {0,          1,          0xff,       0xff00,
                                     0xff0000ff, UINT32_MAX, UINT64_MAX, ~(uint64_t)1 << 50};
    static uint64_t list[20000], expected[20000];
    TacRandom random = tac_random(1, 3);
    for (size_t c = 0; c < TAC_COUNT(counts); c++)
        for (size_t m = 0; m < TAC_COUNT(masks); m++) {
            size_t n = counts[c];
            for (size_t i = 0; i < n; i++)
                list[i] = expected[i] =
                    ((uint64_t)tac_random_bits(&random) << 32 | tac_random_bits(&random)) & masks[m];
            tac_sort_numbers(list, n);
            qsort(expected, n, sizeof *expected, by_size);
            assert_memory_equal(list, expected, n * sizeof *list);
        }
}

// As fmax and fmin, of everything that a number may be.
static void test_extremes_are_those_of_the_library(void **state) {
    (void)state;
    static const double numbers[] = {-INFINITY, -2.5, -0.0, 0.0, 5e-324, 1, 2.5, DBL_MAX, INFINITY, NAN};
    for (size_t i = 0; i < TAC_COUNT(numbers); i++)
        for (size_t k = 0; k < TAC_COUNT(numbers); k++) {
            volatile double a = numbers[i], b = numbers[k];
            double large = tac_larger(a, b), small = tac_smaller(a, b);
            assert_true(large == fmax(a, b) || (isnan(large) && isnan(a) && isnan(b)));
            assert_true(small == fmin(a, b) || (isnan(small) && isnan(a) && isnan(b)));
        }
}

int main(void) {
#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_text_names_what_is_known),
        cmocka_unit_test(test_error_text_is_cut_not_overrun),
        cmocka_unit_test(test_arena_gives_zeroed_aligned_apart),
        cmocka_unit_test(test_arena_texts),
        cmocka_unit_test(test_arena_refuses_impossible_sizes),
        cmocka_unit_test(test_grow_keeps_and_zeroes),
        cmocka_unit_test(test_grow_refuses_overflow_and_changes_nothing),
        cmocka_unit_test(test_reals_agree_with_strtod_to_the_last_bit),
        cmocka_unit_test(test_reals_at_the_edges),
        cmocka_unit_test(test_reals_with_very_many_digits),
        cmocka_unit_test(test_reals_half_way_between_the_smallest),
        cmocka_unit_test(test_reals_refuse_what_is_no_number),
        cmocka_unit_test(test_reals_do_not_depend_on_the_locale),
        cmocka_unit_test(test_ints_to_their_limits),
        cmocka_unit_test(test_nearest_name),
        cmocka_unit_test(test_sorting_by_keys),
        cmocka_unit_test(test_sorting_numbers),
        cmocka_unit_test(test_extremes_are_those_of_the_library),
        cmocka_unit_test(test_nearest_name_of_monsters),
        FILE_TEST(test_whole_file),
        FILE_TEST(test_whole_file_refuses_what_is_no_file),
        FILE_TEST(test_writer_shows_nothing_until_finished),
        FILE_TEST(test_writer_can_be_dropped),
        FILE_TEST(test_writers_of_one_path_do_not_meet),
        FILE_TEST(test_writer_reports_a_full_disk),
        FILE_TEST(test_writer_reports_no_space),
        FILE_TEST(test_writer_refuses_hopeless_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
