// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Writes JSON (RFC 8259), all of it on one line: commas, escapes and numbers are right whatever is put in.
//
// `key` is NULL inside a list. What is not a finite number becomes null; bytes that are not UTF-8 become
// U+FFFD.

#ifndef APP_JSON_H
#define APP_JSON_H

#include "tactus/math.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct AppJson {
    FILE *out;
    uint64_t started; // bit per depth: something was written there
    int depth;
} AppJson;

AppJson app_json(FILE *out);
void app_json_open(AppJson *json, const char *key, char bracket);     // '{' or '['
void app_json_close(AppJson *json, char bracket);                     // '}' or ']'
void app_json_text(AppJson *json, const char *key, const char *text); // NULL: null
void app_json_real(AppJson *json, const char *key, double value);
void app_json_int(AppJson *json, const char *key, int64_t value);
void app_json_number(AppJson *json, const char *key, uint64_t value);
void app_json_bool(AppJson *json, const char *key, bool value);
void app_json_vec3(AppJson *json, const char *key, TacVec3 value);
// Text that is JSON already.
void app_json_raw(AppJson *json, const char *key, const char *json_text);

#endif
