// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The two kinds of sheet of record/canvas.h. Write errors are kept by the streams and reported at the end.

#include "record/canvas.h"

#include "base/memory.h"
#include "record/plot_axes.h"
#include "record/png.h"

#include <math.h>

#define TEXT_BYTES 512
#define SVG_FONTS  "'DejaVu Sans', Verdana, 'Segoe UI', Helvetica, Arial, sans-serif"

// Text

// The length of a valid UTF-8 sequence at `text`, or 0.
static size_t sequence_length(const unsigned char *text) {
    unsigned char c = text[0];
    if (c >= 0x20 && c < 0x7F) return 1;
    size_t length = c >= 0xC2 && c <= 0xDF ? 2 : c >= 0xE0 && c <= 0xEF ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    // overlong forms, surrogates, control characters of two bytes, what XML forbids, and what is beyond
    // Unicode
    if (length == 2 && c == 0xC2 && text[1] < 0xA0) return 0;
    if (length == 3 && ((c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] > 0x9F))) return 0;
    if (length == 3 && c == 0xEF && text[1] == 0xBF && text[2] >= 0xBE) return 0;
    if (length == 4 && ((c == 0xF0 && text[1] < 0x90) || (c == 0xF4 && text[1] > 0x8F))) return 0;
    return length;
}

// A copy that is safe to show.
static void clean_text(char clean[TEXT_BYTES], const char *text) {
    const unsigned char *from = (const unsigned char *)text;
    size_t used = 0;
    while (*from && used + 5 < TEXT_BYTES) {
        size_t length = sequence_length(from);
        if (length == 0) clean[used++] = '?';
        for (size_t i = 0; i < length; i++) clean[used++] = (char)from[i];
        from += length ? length : 1;
    }
    clean[used] = 0;
}

static void write_escaped(FILE *stream, const char *text) {
    char clean[TEXT_BYTES];
    clean_text(clean, text);
    for (const char *c = clean; *c; c++) {
        if (*c == '<')
            fputs("&lt;", stream);
        else if (*c == '>')
            fputs("&gt;", stream);
        else if (*c == '&')
            fputs("&amp;", stream);
        else if (*c == '"')
            fputs("&quot;", stream);
        else
            fputc(*c, stream);
    }
}

// Numbers of an SVG: two decimals, whatever the locale.
static void write_number(FILE *stream, const char *before, double value) {
    char text[64];
    tac_text_fixed(text, sizeof text, value, 2);
    fputs(before, stream);
    fputs(text, stream);
}

static void write_attribute(FILE *stream, const char *name, double value) {
    fprintf(stream, " %s=", name);
    write_number(stream, "\"", value);
    fputc('"', stream);
}

// Opening and finishing

static void write_svg_head(TacCanvas *canvas, int width, int height, const char *title) {
    FILE *stream = canvas->svg.stream;
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"" SVG_FONTS "\">\n<title>",
            width, height, width, height);
    write_escaped(stream, title);
    fputs("</title>\n", stream);
}

TacStatus tac_canvas_open(TacCanvas *canvas, const char *path, int width, int height, const char *title,
                          TacError *error) {
    *canvas = (TacCanvas){.is_svg = tac_path_has_extension(path, ".svg")};
    if (strlen(path) >= sizeof canvas->path)
        return tac_fail(error, TAC_BAD_USAGE, "the path is too long to write to: %.80s...", path);
    memcpy(canvas->path, path, strlen(path) + 1);
    canvas->surface = tac_image_create(canvas->is_svg ? 1 : width, canvas->is_svg ? 1 : height, error);
    if (!canvas->surface) return TAC_NO_MEMORY;
    canvas->cairo = cairo_create(canvas->surface);
    TacStatus status = canvas->is_svg ? tac_file_writer_open(&canvas->svg, path, error) : TAC_OK;
    if (status != TAC_OK) {
        cairo_destroy(canvas->cairo);
        cairo_surface_destroy(canvas->surface);
        return status;
    }
    if (canvas->is_svg) write_svg_head(canvas, width, height, title);
    return TAC_OK;
}

TacStatus tac_canvas_finish(TacCanvas *canvas, bool keep, TacError *error) {
    TacStatus status = TAC_OK;
    cairo_status_t drawn = cairo_status(canvas->cairo);
    cairo_destroy(canvas->cairo);
    if (keep && drawn != CAIRO_STATUS_SUCCESS) {
        status = tac_fail(error, drawn == CAIRO_STATUS_NO_MEMORY ? TAC_NO_MEMORY : TAC_FAILED,
                          "the plot could not be drawn: %s", cairo_status_to_string(drawn));
        keep = false;
    }
    if (canvas->is_svg) {
        fputs("</svg>\n", canvas->svg.stream);
        TacStatus finished = tac_file_writer_finish(&canvas->svg, keep, error);
        if (status == TAC_OK) status = finished;
    } else if (keep) {
        cairo_surface_flush(canvas->surface);
        status = tac_png_write(canvas->surface, canvas->path, error);
    }
    cairo_surface_destroy(canvas->surface);
    return status;
}

// Drawing

static void use_color(TacCanvas *canvas, TacColor color, double opacity) {
    cairo_set_source_rgba(canvas->cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                          (color & 255) / 255.0, opacity);
}

void tac_canvas_fill(TacCanvas *canvas, double x, double y, double width, double height, TacColor color) {
    if (canvas->is_svg) {
        FILE *stream = canvas->svg.stream;
        fputs("<rect", stream);
        write_attribute(stream, "x", x);
        write_attribute(stream, "y", y);
        write_attribute(stream, "width", width);
        write_attribute(stream, "height", height);
        fprintf(stream, " fill=\"#%06x\"/>\n", (unsigned)color);
        return;
    }
    use_color(canvas, color, 1);
    cairo_rectangle(canvas->cairo, x, y, width, height);
    cairo_fill(canvas->cairo);
}

static void svg_line(TacCanvas *canvas, const double *points, size_t count, const TacStroke *stroke) {
    FILE *stream = canvas->svg.stream;
    fprintf(stream, "<path fill=\"none\" stroke=\"#%06x\"", (unsigned)stroke->color);
    write_attribute(stream, "stroke-width", stroke->width);
    if (stroke->opacity < 1) write_attribute(stream, "stroke-opacity", stroke->opacity);
    if (stroke->dash > 0) {
        write_number(stream, " stroke-dasharray=\"", stroke->dash);
        write_number(stream, " ", 0.6 * stroke->dash);
        fputc('"', stream);
    }
    fputs(" stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"", stream);
    for (size_t i = 0; i < count; i++) {
        write_number(stream, i == 0 ? "M" : i == 1 ? "L" : " ", points[2 * i]);
        write_number(stream, " ", points[2 * i + 1]);
    }
    // a line of no length with round ends is a dot
    if (count == 1) fputs("h0", stream);
    fputs("\"/>\n", stream);
}

void tac_canvas_line(TacCanvas *canvas, const double *points, size_t count, const TacStroke *stroke) {
    if (count == 0) return;
    if (canvas->is_svg) {
        svg_line(canvas, points, count, stroke);
        return;
    }
    cairo_t *cairo = canvas->cairo;
    use_color(canvas, stroke->color, stroke->opacity);
    cairo_set_line_width(cairo, stroke->width);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    double dashes[2] = {stroke->dash, 0.6 * stroke->dash};
    cairo_set_dash(cairo, dashes, stroke->dash > 0 ? 2 : 0, 0);
    cairo_move_to(cairo, points[0], points[1]);
    for (size_t i = 1; i < count; i++) cairo_line_to(cairo, points[2 * i], points[2 * i + 1]);
    if (count == 1) cairo_close_path(cairo);
    cairo_stroke(cairo);
}

void tac_canvas_segment(TacCanvas *canvas, double x0, double y0, double x1, double y1,
                        const TacStroke *stroke) {
    double points[4] = {x0, y0, x1, y1};
    tac_canvas_line(canvas, points, 2, stroke);
}

static void use_font(TacCanvas *canvas, const TacLettering *lettering) {
    cairo_select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           lettering->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cairo, lettering->size);
}

double tac_canvas_text_width(TacCanvas *canvas, const char *text, const TacLettering *lettering) {
    char clean[TEXT_BYTES];
    clean_text(clean, text);
    use_font(canvas, lettering);
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, clean, &extents);
    return extents.x_advance;
}

static void svg_text(TacCanvas *canvas, double x, double y, const char *text, const TacLettering *lettering) {
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *stream = canvas->svg.stream;
    fputs("<text", stream);
    if (lettering->upward) {
        write_number(stream, " transform=\"translate(", x);
        write_number(stream, " ", y);
        fputs(") rotate(-90)\"", stream);
    } else {
        write_attribute(stream, "x", x);
        write_attribute(stream, "y", y);
    }
    write_attribute(stream, "font-size", lettering->size);
    fprintf(stream, " fill=\"#%06x\" text-anchor=\"%s\"%s>", (unsigned)lettering->color,
            anchors[lettering->anchor], lettering->bold ? " font-weight=\"bold\"" : "");
    write_escaped(stream, text);
    fputs("</text>\n", stream);
}

void tac_canvas_text(TacCanvas *canvas, double x, double y, const char *text, const TacLettering *lettering) {
    if (canvas->is_svg) {
        svg_text(canvas, x, y, text, lettering);
        return;
    }
    char clean[TEXT_BYTES];
    clean_text(clean, text);
    double width = tac_canvas_text_width(canvas, text, lettering);
    double shift = lettering->anchor == TAC_START ? 0 : lettering->anchor == TAC_MIDDLE ? 0.5 * width : width;
    cairo_save(canvas->cairo);
    use_color(canvas, lettering->color, 1);
    cairo_translate(canvas->cairo, x, y);
    if (lettering->upward) cairo_rotate(canvas->cairo, -0.5 * 3.14159265358979323846);
    cairo_move_to(canvas->cairo, -shift, 0);
    cairo_show_text(canvas->cairo, clean);
    cairo_restore(canvas->cairo);
}

void tac_canvas_clip(TacCanvas *canvas, double x, double y, double width, double height) {
    canvas->clips++;
    if (canvas->is_svg) {
        FILE *stream = canvas->svg.stream;
        fprintf(stream, "<clipPath id=\"clip%d\"><rect", canvas->clips);
        write_attribute(stream, "x", x);
        write_attribute(stream, "y", y);
        write_attribute(stream, "width", width);
        write_attribute(stream, "height", height);
        fprintf(stream, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n", canvas->clips);
        return;
    }
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, x, y, width, height);
    cairo_clip(canvas->cairo);
}

void tac_canvas_unclip(TacCanvas *canvas) {
    if (canvas->is_svg)
        fputs("</g>\n", canvas->svg.stream);
    else
        cairo_restore(canvas->cairo);
}
