// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "tactus/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRING_OF(x) #x
#define STRING(x)    STRING_OF(x)

static void fill(TacError *error, TacStatus status, const char *file, int line, int column,
                 const char *format, va_list args) {
    if (!error) return;
    // the arguments may point into the error itself, so the new one is built beside it
    TacError made = {.status = status, .line = line, .column = column};
    if (file) snprintf(made.file, sizeof made.file, "%s", file);
    vsnprintf(made.message, sizeof made.message, format, args);
    *error = made;
}

TacStatus tac_fail(TacError *error, TacStatus status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, NULL, 0, 0, format, args);
    va_end(args);
    return status;
}

TacStatus tac_fail_at(TacError *error, TacStatus status, const char *file, int line, int column,
                      const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, file, line, column, format, args);
    va_end(args);
    return status;
}

TacStatus tac_fail_memory(TacError *error, size_t bytes) {
    if (bytes == 0) return tac_fail(error, TAC_NO_MEMORY, "out of memory");
    return tac_fail(error, TAC_NO_MEMORY, "out of memory: %.3g MB were asked for", (double)bytes / 1e6);
}

const char *tac_error_text(const TacError *error, char *text, size_t size) {
    if (error->file[0] && error->line && error->column)
        snprintf(text, size, "%s:%d:%d: %s", error->file, error->line, error->column, error->message);
    else if (error->file[0] && error->line)
        snprintf(text, size, "%s:%d: %s", error->file, error->line, error->message);
    else if (error->file[0])
        snprintf(text, size, "%s: %s", error->file, error->message);
    else
        snprintf(text, size, "%s", error->message);
    return text;
}

const char *tac_version(void) {
    return STRING(TAC_VERSION_MAJOR) "." STRING(TAC_VERSION_MINOR) "." STRING(TAC_VERSION_PATCH);
}
