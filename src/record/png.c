// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Writing PNG files through cairo and TacFileWriter: see record/png.h.

#include "record/png.h"

#include "base/memory.h"
#include "base/text.h"

static cairo_status_t write_bytes(void *closure, const unsigned char *data, unsigned int length) {
    TacFileWriter *writer = closure;
    return fwrite(data, 1, length, writer->stream) == length ? CAIRO_STATUS_SUCCESS
                                                             : CAIRO_STATUS_WRITE_ERROR;
}

TacStatus tac_png_write(cairo_surface_t *surface, const char *path, TacError *error) {
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, path, error));
    cairo_status_t encoded = cairo_surface_write_to_png_stream(surface, write_bytes, &writer);
    // a failed write is the writer's to report: it knows why
    bool keep = encoded == CAIRO_STATUS_SUCCESS || encoded == CAIRO_STATUS_WRITE_ERROR;
    TacStatus finished = tac_file_writer_finish(&writer, keep, error);
    if (finished != TAC_OK) return finished;
    if (encoded == CAIRO_STATUS_NO_MEMORY)
        return tac_fail(error, TAC_NO_MEMORY, "there is no memory for a PNG");
    if (encoded != CAIRO_STATUS_SUCCESS)
        return tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be written: %s",
                           cairo_status_to_string(encoded));
    return TAC_OK;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool tac_path_has_extension(const char *path, const char *extension) {
    size_t length = strlen(path), tail = strlen(extension);
    if (length <= tail || path[length - tail - 1] == '/') return false;
    for (size_t i = 0; i < tail; i++)
        if (lower(path[length - tail + i]) != extension[i]) return false;
    return true;
}

cairo_surface_t *tac_image_create(int width, int height, TacError *error) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) return surface;
    cairo_surface_destroy(surface);
    tac_fail(error, TAC_NO_MEMORY, "there is no memory for a picture of %d x %d pixels", width, height);
    return NULL;
}
