// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// JSON that is being written, in memory that grows. Commas are put where they belong; texts are escaped, and
// what is not UTF-8 in them is replaced; numbers that are not finite become null. Without memory it remembers
// that, and gives nothing in the end.

#ifndef TACTUS_VIEW_JSON_H
#define TACTUS_VIEW_JSON_H

#include "tactus/base.h"
#include "tactus/math.h"

typedef struct TacJson {
    char *text;
    size_t bytes, capacity;
    bool wants_comma, failed;
} TacJson;

// `key` is NULL inside of lists.
void tac_json_open(TacJson *json, const char *key, char bracket); // { or [
void tac_json_close(TacJson *json, char bracket);                 // } or ]
void tac_json_text(TacJson *json, const char *key, const char *text);
void tac_json_real(TacJson *json, const char *key, double value);
void tac_json_int(TacJson *json, const char *key, int64_t value);
void tac_json_bool(TacJson *json, const char *key, bool value);
void tac_json_null(TacJson *json, const char *key);
void tac_json_vector(TacJson *json, const char *key, TacVec3 value);
void tac_json_free(TacJson *json);

#endif
