// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A sheet for flat drawings that becomes a PNG (by cairo) or an SVG. The SVG is written directly rather than
// by cairo, so that its text stays text: it can be searched, read aloud and edited. Coordinates are pixels
// from the top left. Nothing is seen at the path until the sheet is finished.

#ifndef TACTUS_RECORD_CANVAS_H
#define TACTUS_RECORD_CANVAS_H

#include "base/text.h"
#include "tactus/base.h"

#include <cairo.h>

typedef uint32_t TacColor; // 0xRRGGBB

typedef enum TacAnchor { TAC_START, TAC_MIDDLE, TAC_END } TacAnchor;

typedef struct TacCanvas {
    cairo_surface_t *surface; // the picture; for SVG a single pixel, to measure text with
    cairo_t *cairo;
    TacFileWriter svg; // open when an SVG is made
    char path[4096];
    bool is_svg;
    int clips; // made so far, to number them
} TacCanvas;

// A line's look. No dashes when `dash` is 0; a dot for a line of one point.
typedef struct TacStroke {
    TacColor color;
    double width, dash;
    double opacity;
} TacStroke;

typedef struct TacLettering {
    TacColor color;
    double size; // pixels
    TacAnchor anchor;
    bool bold;
    bool upward; // turned by a quarter, to be read from the right
} TacLettering;

// The extension of `path` (.png or .svg) decides. `title` is for readers that cannot see.
TacStatus tac_canvas_open(TacCanvas *canvas, const char *path, int width, int height, const char *title,
                          TacError *error);
// Writes the file when `keep` is true; the canvas is gone afterwards.
TacStatus tac_canvas_finish(TacCanvas *canvas, bool keep, TacError *error);

void tac_canvas_fill(TacCanvas *canvas, double x, double y, double width, double height, TacColor color);
// Lines through `count` points, x and y alternating.
void tac_canvas_line(TacCanvas *canvas, const double *points, size_t count, const TacStroke *stroke);
void tac_canvas_segment(TacCanvas *canvas, double x0, double y0, double x1, double y1,
                        const TacStroke *stroke);
// Text on a base line. What is not valid UTF-8, and control characters, appear as question marks.
void tac_canvas_text(TacCanvas *canvas, double x, double y, const char *text, const TacLettering *lettering);
double tac_canvas_text_width(TacCanvas *canvas, const char *text, const TacLettering *lettering);
// Between these two calls only what lies inside the rectangle is drawn.
void tac_canvas_clip(TacCanvas *canvas, double x, double y, double width, double height);
void tac_canvas_unclip(TacCanvas *canvas);

#endif
