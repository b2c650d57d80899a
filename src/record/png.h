// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// PNG files that appear whole or not at all: cairo encodes, TacFileWriter renames.

#ifndef TACTUS_RECORD_PNG_H
#define TACTUS_RECORD_PNG_H

#include "tactus/base.h"

#include <cairo.h>

TacStatus tac_png_write(cairo_surface_t *surface, const char *path, TacError *error);

// True when a path ends in an extension (".png"), whatever the case of its letters, and has a name before it.
bool tac_path_has_extension(const char *path, const char *extension);

// An image of this size, or NULL and a message.
cairo_surface_t *tac_image_create(int width, int height, TacError *error);

#endif
