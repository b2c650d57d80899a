// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

// --- text -------------------------------------------------------------------------------------------------

// Length of the UTF-8 sequence at `p` (Unicode 15, table 3-7), or 0 where there is none.
static size_t sequence_length(const unsigned char *p) {
    unsigned char low = 0x80, high = 0xBF;
    size_t length = p[0] < 0x80   ? 1
                    : p[0] < 0xC2 ? 0
                    : p[0] < 0xE0 ? 2
                    : p[0] < 0xF0 ? 3
                    : p[0] < 0xF5 ? 4
                                  : 0;
    // no overlong forms, no surrogates, nothing above U+10FFFF
    if (p[0] == 0xE0) low = 0xA0;
    if (p[0] == 0xED) high = 0x9F;
    if (p[0] == 0xF0) low = 0x90;
    if (p[0] == 0xF4) high = 0x8F;
    for (size_t i = 1; i < length; i++) {
        if (p[i] < low || p[i] > high) return 0;
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

static void put_character(FILE *out, unsigned char c) {
    switch (c) {
    case '"': fputs("\\\"", out); break;
    case '\\': fputs("\\\\", out); break;
    case '\n': fputs("\\n", out); break;
    case '\r': fputs("\\r", out); break;
    case '\t': fputs("\\t", out); break;
    default:
        if (c < 0x20 || c == 0x7F)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
}

static void put_text(FILE *out, const char *text) {
    putc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t length = sequence_length(p);
        if (length == 1)
            put_character(out, *p);
        else if (length > 1)
            fwrite(p, 1, length, out);
        else
            fputs("\\ufffd", out);
        p += length ? length : 1;
    }
    putc('"', out);
}

// --- structure --------------------------------------------------------------------------------------------

AppJson app_json(FILE *out) {
    return (AppJson){.out = out};
}

static void begin(AppJson *json, const char *key) {
    uint64_t bit = 1ULL << json->depth;
    if (json->started & bit) fputs(", ", json->out);
    json->started |= bit;
    if (!key) return;
    put_text(json->out, key);
    fputs(": ", json->out);
}

void app_json_open(AppJson *json, const char *key, char bracket) {
    begin(json, key);
    putc(bracket, json->out);
    json->depth++;
    json->started &= ~(1ULL << json->depth);
}

void app_json_close(AppJson *json, char bracket) {
    json->depth--;
    putc(bracket, json->out);
    if (!json->depth) putc('\n', json->out);
}

// --- values -----------------------------------------------------------------------------------------------

void app_json_text(AppJson *json, const char *key, const char *text) {
    begin(json, key);
    if (text)
        put_text(json->out, text);
    else
        fputs("null", json->out);
}

void app_json_real(AppJson *json, const char *key, double value) {
    begin(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.17g", value);
    else
        fputs("null", json->out);
}

void app_json_int(AppJson *json, const char *key, int64_t value) {
    begin(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void app_json_number(AppJson *json, const char *key, uint64_t value) {
    begin(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void app_json_bool(AppJson *json, const char *key, bool value) {
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

void app_json_vec3(AppJson *json, const char *key, TacVec3 value) {
    app_json_open(json, key, '[');
    app_json_real(json, NULL, value.x);
    app_json_real(json, NULL, value.y);
    app_json_real(json, NULL, value.z);
    app_json_close(json, ']');
}

void app_json_raw(AppJson *json, const char *key, const char *json_text) {
    begin(json, key);
    fputs(json_text, json->out);
}
