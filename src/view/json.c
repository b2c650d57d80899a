// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "view/json.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void put(TacJson *json, const char *text, size_t bytes) {
    if (json->failed || !tac_grow(&json->text, &json->capacity, json->bytes + bytes + 1, 1)) {
        json->failed = true;
        return;
    }
    memcpy(json->text + json->bytes, text, bytes);
    json->bytes += bytes;
    json->text[json->bytes] = 0;
}

static void put_word(TacJson *json, const char *text) {
    put(json, text, strlen(text));
}

static bool continues(unsigned char c) {
    return (c & 0xC0) == 0x80;
}

// How many bytes of `p` can go out as they are; 0: this byte is not part of a character.
static size_t good_bytes(const unsigned char *p) {
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
               : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
               : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if (!continues(p[i])) return 0;
    bool bad = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
               (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F);
    return bad ? 0 : n;
}

static void put_text(TacJson *json, const char *text) {
    put(json, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = good_bytes(p);
        char code[8];
        if (n == 0) {
            put_word(json, "\\ufffd");
            n = 1;
        } else if (*p < 0x20 || *p == '"' || *p == '\\' || *p == 0x7F) {
            snprintf(code, sizeof code, "\\u%04x", *p);
            put_word(json, code);
        } else {
            put(json, (const char *)p, n);
        }
        p += n;
    }
    put(json, "\"", 1);
}

static void begin(TacJson *json, const char *key) {
    if (json->wants_comma) put(json, ",", 1);
    json->wants_comma = true;
    if (!key) return;
    put_text(json, key);
    put(json, ":", 1);
}

void tac_json_open(TacJson *json, const char *key, char bracket) {
    begin(json, key);
    put(json, &bracket, 1);
    json->wants_comma = false;
}

void tac_json_close(TacJson *json, char bracket) {
    put(json, &bracket, 1);
    json->wants_comma = true;
}

void tac_json_text(TacJson *json, const char *key, const char *text) {
    begin(json, key);
    put_text(json, text ? text : "");
}

void tac_json_real(TacJson *json, const char *key, double value) {
    char text[TAC_REAL_TEXT];
    begin(json, key);
    if (isfinite(value)) tac_real_text(text, value, 0);
    put_word(json, isfinite(value) ? text : "null");
}

void tac_json_int(TacJson *json, const char *key, int64_t value) {
    char text[24];
    begin(json, key);
    snprintf(text, sizeof text, "%" PRId64, value);
    put_word(json, text);
}

void tac_json_bool(TacJson *json, const char *key, bool value) {
    begin(json, key);
    put_word(json, value ? "true" : "false");
}

void tac_json_null(TacJson *json, const char *key) {
    begin(json, key);
    put_word(json, "null");
}

void tac_json_vector(TacJson *json, const char *key, TacVec3 value) {
    tac_json_open(json, key, '[');
    tac_json_real(json, NULL, value.x);
    tac_json_real(json, NULL, value.y);
    tac_json_real(json, NULL, value.z);
    tac_json_close(json, ']');
}

void tac_json_free(TacJson *json) {
    free(json->text);
    *json = (TacJson){0};
}
