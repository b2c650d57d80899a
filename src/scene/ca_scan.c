// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Words, numbers and tuples of CORDIS-ANIMA model files. See ca.h.

#include "base/text.h"
#include "scene/ca.h"

TacPlace tac_ca_place(const TacCaScan *s) {
    return (TacPlace){s->file, s->line, (int)(s->at - s->line_start) + 1};
}

void tac_ca_skip_line(TacCaScan *s) {
    while (s->at < s->end && *s->at != '\n') s->at++;
}

bool tac_ca_skip(TacCaScan *s, bool lines) {
    while (s->at < s->end) {
        char c = *s->at;
        if (c == '#') {
            tac_ca_skip_line(s);
        } else if (c == '\n') {
            if (!lines) return false;
            s->at++;
            s->line++;
            s->line_start = s->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            s->at++;
        } else {
            return true;
        }
    }
    return false;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool tac_ca_name(TacCaScan *s, char name[TAC_CA_LONGEST_NAME + 1]) {
    const char *p = s->at;
    size_t n = 0;
    while (p < s->end) {
        // a typesetter's \_ is a plain _
        if (*p == '\\' && p + 1 < s->end && p[1] == '_') p++;
        if (!is_letter(*p) && (n == 0 || (!is_digit(*p) && *p != '-'))) break;
        if (n == TAC_CA_LONGEST_NAME) return false;
        name[n++] = *p++;
    }
    name[n] = 0;
    if (n) s->at = p;
    return n > 0;
}

bool tac_ca_number(TacCaScan *s, double *value) {
    const char *p = s->at;
    if (!tac_read_real(&p, s->end, value)) return false;
    if (p < s->end && (is_letter(*p) || *p == '.')) return false;
    s->at = p;
    return true;
}

bool tac_ca_tuple(TacCaScan *s, const char brackets[2], double *values, size_t count) {
    if (!tac_ca_skip(s, true) || *s->at != brackets[0]) return false;
    s->at++;
    for (size_t i = 0; i < count; i++) {
        if (!tac_ca_skip(s, true) || !tac_ca_number(s, &values[i])) return false;
        if (!tac_ca_skip(s, true) || *s->at != (i + 1 < count ? ',' : brackets[1])) return false;
        s->at++;
    }
    return true;
}
