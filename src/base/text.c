// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "base/text.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Powers of ten that a double holds exactly.
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Digits that can decide how a double is rounded; what follows them matters only by being zero or not.
enum { DECIDING_DIGITS = 770 };

// Numbers that the fast path cannot round correctly: the C library's strtod on a copy of bounded length. The
// copy is a whole number with an exponent: without a decimal point the result is the same under any locale.
static bool read_real_slowly(const char *digits, const char *end, int64_t exponent, double *value) {
    char copy[DECIDING_DIGITS + 32];
    size_t length = 0;
    bool point = false, rest = false;
    for (const char *p = digits; p < end; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (length < DECIDING_DIGITS) {
            // leading zeros decide nothing
            if (length || *p != '0') copy[length++] = *p;
            exponent -= point;
        } else {
            rest = rest || *p != '0';
            exponent += !point;
        }
    }
    if (rest) {
        copy[length++] = '1';
        exponent--;
    }
    if (!length) copy[length++] = '0';
    // far outside of the range of doubles one exponent is as good as another
    if (exponent > 100000) exponent = 100000;
    if (exponent < -100000) exponent = -100000;
    snprintf(copy + length, sizeof copy - length, "e%d", (int)exponent);
    *value = strtod(copy, NULL);
    return isfinite(*value);
}

bool tac_read_real(const char **cursor, const char *end, double *value) {
    const char *p = *cursor;
    while (p < end && is_blank(*p)) p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;

    // digits into an integer while they fit exactly
    const char *first = p;
    uint64_t mantissa = 0;
    int64_t decimals = 0;
    bool point = false, any = false, dropped = false;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        any = true;
        decimals += point;
        if (mantissa < 100000000000000000ULL)
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        else
            dropped = true;
    }
    if (!any) return false;
    const char *last = p;

    int64_t exponent = 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        bool down = q < end && *q == '-';
        if (q < end && (*q == '-' || *q == '+')) q++;
        if (q < end && *q >= '0' && *q <= '9') {
            for (; q < end && *q >= '0' && *q <= '9'; q++)
                if (exponent < 1000000000000000) exponent = exponent * 10 + (*q - '0');
            if (down) exponent = -exponent;
            p = q;
        }
    }

    double m;
    int64_t scale = exponent - decimals;
    if (!dropped && mantissa <= (1ULL << 53) && scale >= -22 && scale <= 22) {
        m = (double)mantissa;
        m = scale < 0 ? m / exact_powers[-scale] : m * exact_powers[scale];
    } else if (!read_real_slowly(first, last, exponent, &m)) {
        return false;
    }
    *value = negative ? -m : m;
    *cursor = p;
    return true;
}

bool tac_read_int(const char **cursor, const char *end, int64_t *value) {
    const char *p = *cursor;
    while (p < end && is_blank(*p)) p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *digits = p;
    // with its sign from the start: the least integer has no positive twin
    int64_t v = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        int digit = negative ? '0' - *p : *p - '0';
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v)) return false;
    }
    if (p == digits) return false;
    *value = v;
    *cursor = p;
    return true;
}

int tac_real_text(char text[TAC_REAL_TEXT], double value, int digits) {
    snprintf(text, TAC_REAL_TEXT, "%.*g", digits ? digits : 15, value);
    // read back by the C library, which knows the point that it wrote
    if (digits == 0 && strtod(text, NULL) != value) snprintf(text, TAC_REAL_TEXT, "%.17g", value);
    // whatever the locale puts for the point becomes a point
    char *to = text;
    bool point = false;
    for (const char *from = text; *from; from++) {
        if (strchr("0123456789+-einfa", *from)) {
            *to++ = *from;
        } else if (!point) {
            *to++ = '.';
            point = true;
        }
    }
    *to = 0;
    return (int)(to - text);
}

void tac_print_real(FILE *stream, double value, int digits) {
    char text[TAC_REAL_TEXT];
    fwrite(text, 1, (size_t)tac_real_text(text, value, digits), stream);
}

// Damerau-Levenshtein distance (adjacent swaps only); a change of case costs a quarter of a change of letter.
enum { EDIT = 4, CASE_EDIT = 1, LONGEST_NAME = 63, NOT_NEAR = 1000 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static int edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_NAME || m > LONGEST_NAME) return NOT_NEAR;
    int rows[3][LONGEST_NAME + 1];
    for (size_t j = 0; j <= m; j++) rows[0][j] = (int)j * EDIT;
    for (size_t i = 1; i <= n; i++) {
        int *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (int)i * EDIT;
        for (size_t j = 1; j <= m; j++) {
            char x = a[i - 1], y = b[j - 1];
            bool same_letter = lower(x) == lower(y);
            int best = last[j - 1] + (x == y ? 0 : same_letter ? CASE_EDIT : EDIT);
            if (last[j] + EDIT < best) best = last[j] + EDIT;
            if (row[j - 1] + EDIT < best) best = row[j - 1] + EDIT;
            if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y && before[j - 2] + EDIT < best)
                best = before[j - 2] + EDIT;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *tac_nearest(const char *name, const char *const *candidates, size_t count) {
    const char *best = NULL;
    int best_distance = 0;
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i]) continue;
        int d = edit_distance(name, candidates[i]);
        if (!best || d < best_distance) {
            best = candidates[i];
            best_distance = d;
        }
    }
    // worth proposing when at least half of the letters agree
    return best && best_distance < NOT_NEAR && best_distance <= EDIT * (int)(strlen(name) + 1) / 2 ? best
                                                                                                   : NULL;
}

// The file beside `path` whose name is nearest to its, in `near`; empty: none is near, or there are very many.
static void find_near_file(const char *path, char near[256]) {
    enum { MOST_LOOKED_AT = 10000 };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[1024] = ".";
    near[0] = 0;
    if (slash && (size_t)(slash - path) >= sizeof folder) return;
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    DIR *list = opendir(folder);
    if (!list) return;
    struct dirent *entry;
    for (int i = 0; i < MOST_LOOKED_AT && (entry = readdir(list)); i++) {
        if (strncasecmp(entry->d_name, name, 3) != 0) continue; // beginnings are seldom misspelt
        // of equally near ones the first in the alphabet, since folders have no order
        bool later = near[0] && strcmp(near, entry->d_name) < 0;
        const char *const both[] = {later ? near : entry->d_name, later ? entry->d_name : near};
        if (tac_nearest(name, both, near[0] ? 2 : 1) == entry->d_name)
            snprintf(near, 256, "%s", entry->d_name);
    }
    closedir(list);
}

TacStatus tac_fail_to_open(const char *path, int reason, TacError *error) {
    char near[256] = "";
    if (reason == ENOENT) find_near_file(path, near);
    return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "cannot be opened: %s%s%s%s", strerror(reason),
                       *near ? "; did you mean " : "", near, *near ? "?" : "");
}

TacStatus tac_read_whole_file(const char *path, size_t limit, char **data, size_t *bytes, TacError *error) {
    *data = NULL;
    *bytes = 0;
    // non-blocking, so that a pipe named as a file cannot hang us before it is refused
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return tac_fail_to_open(path, errno, error);
    struct stat info;
    TacStatus status = TAC_OK;
    if (fstat(fd, &info) != 0)
        status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "cannot be read: %s", strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "is a folder; a file was expected");
    else if (!S_ISREG(info.st_mode))
        status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "is not a regular file");
    else if ((uint64_t)info.st_size > limit)
        status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "has %.3g MB; at most %.3g MB are read",
                             (double)info.st_size / 1e6, (double)limit / 1e6);
    char *text = status == TAC_OK ? malloc((size_t)info.st_size + 1) : NULL;
    if (status == TAC_OK && !text) status = tac_fail_memory(error, (size_t)info.st_size);
    size_t got = 0;
    while (status == TAC_OK && got < (size_t)info.st_size) {
        ssize_t n = read(fd, text + got, (size_t)info.st_size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "cannot be read: %s", strerror(errno));
        if (n <= 0) break;
        got += (size_t)n;
    }
    close(fd);
    if (status != TAC_OK) {
        free(text);
        return status;
    }
    text[got] = 0;
    *data = text;
    *bytes = got;
    return TAC_OK;
}

TacStatus tac_file_writer_open(TacFileWriter *writer, const char *path, TacError *error) {
    *writer = (TacFileWriter){0};
    if (!path[0]) return tac_fail(error, TAC_FAILED, "a file to write has no name");
    if (strlen(path) >= sizeof writer->path)
        return tac_fail(error, TAC_FAILED, "the path is too long to write to: %.80s...", path);
    // renaming over a device or a folder would destroy it or fail at the very end
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be written: it is %s, not a regular file",
                           S_ISDIR(info.st_mode) ? "a folder" : "a device or a pipe");
    snprintf(writer->path, sizeof writer->path, "%s", path);
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        snprintf(writer->temporary, sizeof writer->temporary, "%s.%ld-%d.part", path, (long)getpid(), i);
        fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd >= 0) writer->stream = fdopen(fd, "wb");
    if (!writer->stream) {
        TacStatus status =
            tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be written: %s", strerror(errno));
        if (fd >= 0) {
            close(fd);
            unlink(writer->temporary);
        }
        return status;
    }
    return TAC_OK;
}

TacStatus tac_file_writer_finish(TacFileWriter *writer, bool keep, TacError *error) {
    if (!writer->stream) return TAC_OK;
    errno = 0;
    bool good =
        keep && !ferror(writer->stream) && fflush(writer->stream) == 0 && fsync(fileno(writer->stream)) == 0;
    good = fclose(writer->stream) == 0 && good;
    writer->stream = NULL;
    if (good && rename(writer->temporary, writer->path) == 0) return TAC_OK;
    int reason = errno;
    unlink(writer->temporary);
    if (!keep) return TAC_OK;
    return tac_fail_at(error, TAC_FAILED, writer->path, 0, 0, "could not be written: %s",
                       reason ? strerror(reason) : "write error");
}
