// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Status codes, error messages, and the small value types that every other public header uses.
//
// A call that can fail returns a TacStatus and takes a TacError as its last argument (NULL is allowed): on
// failure the error holds one message that names the place (file, line, column where there is one), what was
// wrong and what would be right. The library never exits, never prints and has no process-wide mutable state.
// All quantities are in SI units.

#ifndef TACTUS_BASE_H
#define TACTUS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAC_API                 __attribute__((visibility("default")))
#define TAC_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))

#define TAC_VERSION_MAJOR 0
#define TAC_VERSION_MINOR 1
#define TAC_VERSION_PATCH 0

// What a call came to. The first four are also the exit codes of the tactus command.
typedef enum TacStatus {
    TAC_OK = 0,
    TAC_FAILED = 1,    // the run failed, or a file could not be written
    TAC_BAD_USAGE = 2, // a call or a command line that makes no sense
    TAC_BAD_INPUT = 3, // a file or a scene that cannot be used
    TAC_NO_MEMORY = 4, // an allocation failed; nothing was changed
} TacStatus;

// One message. Plain value: copy it, keep it on the stack.
typedef struct TacError {
    TacStatus status;
    int line;           // 1-based; 0 where the input has no lines
    int column;         // 1-based; 0 where it is not known
    char file[512];     // empty where there is no file
    char message[1024]; // one sentence, without the place
} TacError;

// Fills `error` (which may be NULL) with a status and a message, without a place. Returns `status`.
TAC_API TacStatus tac_fail(TacError *error, TacStatus status, const char *format, ...) TAC_PRINTF(3, 4);

// The same, with a place. `file` may be NULL; `line` and `column` may be 0.
TAC_API TacStatus tac_fail_at(TacError *error, TacStatus status, const char *file, int line, int column,
                              const char *format, ...) TAC_PRINTF(6, 7);

// Fills `error` with the usual text for a failed allocation. Returns TAC_NO_MEMORY.
TAC_API TacStatus tac_fail_memory(TacError *error, size_t bytes);

// "file:line:column: message", as much of it as is known, into `text`. Returns `text`.
TAC_API const char *tac_error_text(const TacError *error, char *text, size_t size);

// "0.1.0"
TAC_API const char *tac_version(void);

// Lists that belong to somebody else: valid as long as their owner says.
typedef struct TacReals {
    const double *data;
    size_t count;
} TacReals;

typedef struct TacInts {
    const int32_t *data;
    size_t count;
} TacInts;

#ifdef __cplusplus
}
#endif

#endif
