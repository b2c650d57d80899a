// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reference states of SOFA's regression tests: "T= t", then "X= ..." and sometimes "V= ...", one line each, in
// text that is usually compressed by gzip. See tactus/sofa.h.

#include "base/memory.h"
#include "base/text.h"
#include "tactus/sofa.h"

#include <errno.h>
#include <math.h>
#include <zlib.h>

enum { MOST_BYTES = 500000000, MOST_FRAMES = 1000000, DIGITS = 6 };

struct TacSofaReference {
    TacArena arena;
    TacSofaFrame *frames;
    size_t count, capacity;
};

// The whole file, decompressed, with a 0 behind it.
static TacStatus inflate_file(const char *path, char **text, size_t *bytes, TacError *error) {
    gzFile file = gzopen(path, "rb");
    size_t capacity = 0;
    int got = 1;
    *text = NULL;
    *bytes = 0;
    if (!file) return tac_fail_to_open(path, errno ? errno : ENOENT, error);
    TacStatus status = TAC_OK;
    while (got > 0 && status == TAC_OK) {
        if (*bytes > MOST_BYTES)
            status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "is larger than %d bytes", MOST_BYTES);
        else if (!tac_grow(text, &capacity, *bytes + 65537, 1))
            status = tac_fail_memory(error, *bytes + 65537);
        else if ((got = gzread(file, *text + *bytes, 65536)) > 0)
            *bytes += (size_t)got;
    }
    if (status == TAC_OK && got < 0)
        status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "is damaged: it cannot be decompressed");
    gzclose(file);
    if (status == TAC_OK) (*text)[*bytes] = 0;
    return status;
}

static TacStatus read_numbers(TacSofaReference *r, const char *path, int line, const char *p, const char *end,
                              TacReals *list, TacError *error) {
    size_t capacity = 0, count = 0;
    double *values = NULL, v;
    while (tac_read_real(&p, end, &v)) {
        if (!tac_grow(&values, &capacity, count + 1, sizeof *values)) {
            free(values);
            return tac_fail_memory(error, 0);
        }
        values[count++] = v;
    }
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    double *kept = p == end ? tac_arena_array(&r->arena, count, sizeof *kept) : NULL;
    if (kept && count) memcpy(kept, values, count * sizeof *kept);
    free(values);
    if (p != end) return tac_fail_at(error, TAC_BAD_INPUT, path, line, 0, "expected numbers only");
    if (!kept) return tac_fail_memory(error, count * sizeof *kept);
    *list = (TacReals){kept, count};
    return TAC_OK;
}

static TacStatus read_line(TacSofaReference *r, const char *path, int line, const char *p, const char *end,
                           TacError *error) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    if (p == end || *p == '#') return TAC_OK;
    if (end - p < 2 || p[1] != '=')
        return tac_fail_at(error, TAC_BAD_INPUT, path, line, 0,
                           "expected a line that begins with T=, X= or V=");
    char what = *p;
    TacReals list;
    TAC_TRY(read_numbers(r, path, line, p + 2, end, &list, error));
    if (what == 'T') {
        if (list.count != 1 || !(list.data[0] >= 0))
            return tac_fail_at(error, TAC_BAD_INPUT, path, line, 0, "expected a time after T=");
        if (r->count && list.data[0] < r->frames[r->count - 1].time)
            return tac_fail_at(error, TAC_BAD_INPUT, path, line, 0, "times go back");
        if (r->count >= MOST_FRAMES || !tac_grow(&r->frames, &r->capacity, r->count + 1, sizeof *r->frames))
            return tac_fail_memory(error, 0);
        r->frames[r->count++] = (TacSofaFrame){.time = list.data[0]};
        return TAC_OK;
    }
    if (!r->count) return tac_fail_at(error, TAC_BAD_INPUT, path, line, 0, "expected T= first");
    if (what == 'X') r->frames[r->count - 1].positions = list;
    if (what == 'V') r->frames[r->count - 1].velocities = list;
    return TAC_OK;
}

TacStatus tac_sofa_reference_read(TacSofaReference **reference, const char *path, TacError *error) {
    *reference = NULL;
    char *text;
    size_t bytes;
    TacStatus status = inflate_file(path, &text, &bytes, error);
    TacSofaReference *r = status == TAC_OK ? calloc(1, sizeof *r) : NULL;
    if (status == TAC_OK && !r) status = tac_fail_memory(error, sizeof *r);
    int line = 1;
    for (const char *p = text, *end = text + bytes; status == TAC_OK && p < end; line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        status = read_line(r, path, line, p, stop, error);
        p = stop + 1;
    }
    if (status == TAC_OK && !r->count)
        status = tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "holds no frame");
    free(text);
    if (status != TAC_OK) {
        tac_sofa_reference_destroy(r);
        return status;
    }
    *reference = r;
    return TAC_OK;
}

void tac_sofa_reference_destroy(TacSofaReference *r) {
    if (!r) return;
    free(r->frames);
    tac_arena_destroy(&r->arena);
    free(r);
}

size_t tac_sofa_reference_frame_count(const TacSofaReference *r) {
    return r->count;
}

TacSofaFrame tac_sofa_reference_frame(const TacSofaReference *r, size_t i) {
    return i < r->count ? r->frames[i] : (TacSofaFrame){0};
}

static double six_digits(double value) {
    char text[TAC_REAL_TEXT];
    const char *p = text;
    double back = value;
    int n = tac_real_text(text, value, DIGITS);
    if (isfinite(value) && n > 0) tac_read_real(&p, text + n, &back);
    return back;
}

double tac_sofa_difference(const double *values, TacReals reference) {
    double sum = 0;
    for (size_t i = 0; i < reference.count; i++) sum += fabs(six_digits(values[i]) - reference.data[i]);
    return reference.count ? sum / (double)reference.count : 0;
}
