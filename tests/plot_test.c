// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Plots of channels: round ticks, lines where the data says, gaps, spikes that survive thinning, names and
// titles in the SVG, and messages that help.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "picture_checks.h"
#include "record/plot_axes.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EM          13.5 // text size of a plot of 1000 x 600
#define FIRST_COLOR 0x0072B2

// Axes

// Labels must be round, ascending, inside, and say where they stand.
static void ticks_are_round_and_labels_true(void **state) {
    (void)state;
    TacRandom random = tac_random(1, 1);
    for (int i = 0; i < 20000; i++) {
        double range = pow(10, tac_random_between(&random, -1, 4.5));
        double low = tac_random_between(&random, -1, 1) * range;
        TacAxis axis = tac_axis_make(low, low + range, false, 3 + i % 8);
        assert_true(axis.count >= 2 && axis.count <= 3 + i % 8 + 3);
        double step = axis.ticks[1] - axis.ticks[0], lead = step / pow(10, floor(log10(step) + 1e-9));
        assert_true(fabs(lead - 1) < 1e-6 || fabs(lead - 2) < 1e-6 || fabs(lead - 5) < 1e-6);
        for (int k = 0; k < axis.count; k++) {
            double tick = axis.ticks[k];
            assert_true(tick >= low - 1e-5 * step && tick <= low + range + 1e-5 * step);
            assert_true(fabs(tick / step - round(tick / step)) < 1e-6);
            char plain[64];
            const char *label = axis.labels[k];
            bool minus = strncmp(label, "\u2212", 3) == 0;
            snprintf(plain, sizeof plain, "%s%s", minus ? "-" : "", label + (minus ? 3 : 0));
            if (axis.note[0] == 0) assert_true(fabs(strtod(plain, NULL) - tick) < 1e-6 * step + 1e-12);
        }
        // no tick that would fit is missing at either end
        assert_true(axis.ticks[0] - step < low && axis.ticks[axis.count - 1] + step > low + range);
    }
}

static void what_labels_share_is_taken_out(void **state) {
    (void)state;
    TacAxis small = tac_axis_make(0, 4e-6, false, 5);
    assert_string_equal(small.note, "\u00d710\u207b\u2076");
    assert_string_equal(small.labels[1], "1");
    TacAxis drift = tac_axis_make(1234.5 - 1e-6, 1234.5 + 1e-6, false, 4);
    assert_non_null(strstr(drift.note, "+ 1234.5"));
    assert_string_equal(drift.labels[drift.count / 2], "0.0");
    TacAxis large = tac_axis_make(0, 3e12, false, 4);
    assert_string_equal(large.note, "\u00d710\u00b9\u00b2");
    TacAxis plain = tac_axis_make(0, 1, false, 5);
    assert_string_equal(plain.note, "");
    assert_string_equal(plain.labels[1], "0.2");
}

static void logarithmic_axes_have_decades(void **state) {
    (void)state;
    TacAxis axis = tac_axis_make(1e-6, 1e3, true, 12);
    assert_int_equal(axis.count, 10);
    for (int k = 0; k < 10; k++) assert_true(fabs(log10(axis.ticks[k]) - (k - 6)) < 1e-9);
    assert_string_equal(axis.labels[0], "10\u207b\u2076");
    assert_string_equal(axis.labels[9], "1000");
    assert_int_equal(axis.minor_count, 8 * 9);
    assert_true(fabs(tac_axis_place(&axis, 1e-6)) < 1e-12 && fabs(tac_axis_place(&axis, 1e3) - 1) < 1e-12);
    assert_true(fabs(tac_axis_place(&axis, sqrt(1e-3)) - 0.5) < 1e-12);
    // the widest range there is
    TacAxis wide = tac_axis_make(1e-307, 1e307, true, 5);
    assert_true(wide.count >= 3 && wide.count < TAC_MOST_TICKS);
}

static void numbers_do_not_depend_on_the_locale(void **state) {
    (void)state;
    char text[32];
    tac_text_fixed(text, sizeof text, -0.001, 2);
    assert_string_equal(text, "0.00");
    tac_text_fixed(text, sizeof text, -1234.5678, 3);
    assert_string_equal(text, "-1234.568");
    tac_text_fixed(text, 8, 1e30, 2);
    assert_string_equal(text, "?");
}

// Recordings to plot

typedef double (*Signal)(size_t channel, size_t frame, double time);

static TacRecording *record(const char *name, const TacChannelDef *channels, size_t count, size_t frames,
                            double end, Signal signal) {
    TacRecordingDef def = tac_recording_def_default();
    def.scene = "scenes/test.scn";
    def.channels = channels;
    def.channel_count = count;
    TacError error;
    TacRecorder *recorder;
    must(tac_recorder_open(&recorder, place(name), &def, &error), &error);
    for (size_t i = 0; i < frames; i++) {
        double values[16], time = frames > 1 ? end * (double)i / (double)(frames - 1) : 0;
        for (size_t k = 0; k < count; k++) values[k] = signal(k, i, time);
        TacFrame frame = {.time = time, .channels = values};
        must(tac_recorder_frame(recorder, &frame, &error), &error);
    }
    must(tac_recorder_close(recorder, &error), &error);
    TacRecording *recording;
    must(tac_recording_open(&recording, place(name), &error), &error);
    return recording;
}

static char *plot_svg(TacRecording *recording, const TacPlotDef *def) {
    TacError error;
    must(tac_recording_plot(recording, def, place("plot.svg"), &error), &error);
    char *text;
    size_t bytes;
    must(tac_read_whole_file(place("plot.svg"), 1 << 26, &text, &bytes, &error), &error);
    return text;
}

// Where the SVG puts a tick label: its attribute `x` or `y`.
static double label_at(const char *svg, const char *label, const char *attribute, const char *anchor) {
    char content[64], name[16];
    snprintf(content, sizeof content, "text-anchor=\"%s\">%s</text>", anchor, label);
    const char *found = strstr(svg, content);
    if (!found) fail_msg("no label %s", label);
    while (found > svg && strncmp(found, "<text", 5) != 0) found--;
    snprintf(name, sizeof name, " %s=\"", attribute);
    return strtod(strstr(found, name) + strlen(name), NULL);
}

static uint32_t pixel_at(cairo_surface_t *image, int x, int y) {
    uint32_t pixel;
    memcpy(&pixel, cairo_image_surface_get_data(image) + y * cairo_image_surface_get_stride(image) + 4 * x,
           sizeof pixel);
    return pixel & 0xFFFFFF;
}

// The mean row of a column's pixels that are mostly in the first series' colour; NaN where there are none.
static double colored_row(cairo_surface_t *image, int column, int top, int *highest) {
    double sum = 0;
    int count = 0;
    *highest = -1;
    for (int y = top; y < cairo_image_surface_get_height(image); y++) {
        uint32_t pixel = pixel_at(image, column, y);
        int red = pixel >> 16 & 255, blue = pixel & 255;
        if (blue - red < 90) continue;
        if (*highest < 0) *highest = y;
        sum += y + 0.5;
        count++;
    }
    return count ? sum / count : NAN;
}

static cairo_surface_t *plot_png(TacRecording *recording, const TacPlotDef *def) {
    TacError error;
    must(tac_recording_plot(recording, def, place("plot.png"), &error), &error);
    cairo_surface_t *image = cairo_image_surface_create_from_png(place("plot.png"));
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(image), def->width);
    assert_int_equal(cairo_image_surface_get_height(image), def->height);
    return image;
}

static double ramp(size_t channel, size_t frame, double time) {
    (void)channel;
    (void)frame;
    return 3 * time - 2;
}

static const TacChannelDef one_channel[] = {{"height", "m"}};

// The labels say which pixel is which value; the line must be where they say.
static void a_ramp_is_drawn_where_its_values_are(void **state) {
    (void)state;
    TacRecording *recording = record("ramp.tacrec", one_channel, 1, 101, 2, ramp);
    TacPlotDef def = tac_plot_def_default();
    def.what = "height";
    char *svg = plot_svg(recording, &def);
    double row_0 = label_at(svg, "0", "y", "end") - 0.33 * EM,
           row_4 = label_at(svg, "4", "y", "end") - 0.33 * EM;
    double column_0 = label_at(svg, "0.0", "x", "middle"), column_2 = label_at(svg, "2.0", "x", "middle");
    assert_true(row_4 < row_0 && column_0 < column_2);
    cairo_surface_t *image = plot_png(recording, &def);
    int looked = 0;
    for (int x = (int)column_0 + 3; x < (int)column_2 - 3; x += 7) {
        double time = 2 * (x + 0.5 - column_0) / (column_2 - column_0), value = 3 * time - 2;
        double expected = row_0 + (row_4 - row_0) * value / 4;
        int highest;
        assert_true(fabs(colored_row(image, x, 0, &highest) - expected) < 1.6);
        looked++;
    }
    assert_true(looked > 100);
    cairo_surface_destroy(image);
    free(svg);
    tac_recording_close(recording);
}

static double with_a_hole(size_t channel, size_t frame, double time) {
    (void)channel;
    return frame >= 40 && frame < 60 ? (frame % 2 ? NAN : -INFINITY) : sin(time);
}

static void what_is_not_a_number_makes_a_gap(void **state) {
    (void)state;
    TacRecording *recording = record("hole.tacrec", one_channel, 1, 101, 1, with_a_hole);
    TacPlotDef def = tac_plot_def_default();
    def.what = "height";
    char *svg = plot_svg(recording, &def);
    double column_0 = label_at(svg, "0.0", "x", "middle"), column_1 = label_at(svg, "1.0", "x", "middle");
    cairo_surface_t *image = plot_png(recording, &def);
    for (int i = 1; i < 100; i++) {
        int highest, x = (int)(column_0 + (column_1 - column_0) * i / 100);
        bool drawn = !isnan(colored_row(image, x, 0, &highest));
        if (i <= 38 || i >= 61) assert_true(drawn);
        if (i >= 41 && i <= 58) assert_false(drawn);
    }
    cairo_surface_destroy(image);
    free(svg);
    tac_recording_close(recording);
}

static double spike(size_t channel, size_t frame, double time) {
    (void)channel;
    (void)time;
    return frame == 123457 ? 10 : 0.1 * (double)(frame % 2);
}

static void a_single_spike_survives_thinning(void **state) {
    (void)state;
    TacRecording *recording = record("spike.tacrec", one_channel, 1, 200000, 200, spike);
    TacPlotDef def = tac_plot_def_default();
    def.what = "height";
    char *svg = plot_svg(recording, &def);
    // thinned: four points for each of two bins per pixel at most
    assert_true(strlen(svg) < 4 * 2 * 1000 * 16 + 20000);
    double row_10 = label_at(svg, "10", "y", "end") - 0.33 * EM;
    double column_0 = label_at(svg, "0", "x", "middle"), column_100 = label_at(svg, "100", "x", "middle");
    double at = column_0 + (column_100 - column_0) * 123.457 * 200 / 199.999 / 100;
    cairo_surface_t *image = plot_png(recording, &def);
    int top = 600, column = -1;
    for (int x = 0; x < 1000; x++) {
        int highest;
        colored_row(image, x, 60, &highest);
        if (highest >= 0 && highest < top) top = highest, column = x;
    }
    assert_true(fabs(top - row_10) < 3);
    assert_true(fabs(column + 0.5 - at) < 2);
    cairo_surface_destroy(image);
    free(svg);
    tac_recording_close(recording);
}

static double mixed(size_t channel, size_t frame, double time) {
    (void)frame;
    return channel == 3 ? -1 : time + (double)channel;
}

static const TacChannelDef many_channels[] = {{"energy/total", "J"},
                                              {"energy/kinetic", "J"},
                                              {"energy total", "J"},
                                              {"/liver/local time", "s"},
                                              {"odd, <name> & \"more\"", "1"}};

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

static void an_svg_says_what_it_shows(void **state) {
    (void)state;
    TacRecording *recording = record("names.tacrec", many_channels, 5, 20, 1, mixed);
    TacPlotDef def = tac_plot_def_default();
    def.what = "energy, liver";
    def.title = "A <title> & \xff more";
    char *svg = plot_svg(recording, &def);
    assert_non_null(strstr(svg, ">A &lt;title&gt; &amp; ? more</text>"));
    assert_int_equal(count_of(svg, ">energy/total</text>"), 1);
    assert_int_equal(count_of(svg, ">energy/kinetic</text>"), 1);
    assert_int_equal(count_of(svg, ">/liver/local time</text>"), 1);
    // a folder's name means the folder, not all that begins so
    assert_int_equal(count_of(svg, ">energy total</text>"), 0);
    assert_int_equal(count_of(svg, ">energy [J]</text>"), 1);
    assert_int_equal(count_of(svg, ">local time [s]</text>"), 1);
    assert_int_equal(count_of(svg, ">time [s]</text>"), 1);
    assert_int_equal(count_of(svg, ">test.scn</text>"), 1);
    assert_int_equal(count_of(svg, "<text"), count_of(svg, "</text>"));
    assert_int_equal(count_of(svg, "<g "), count_of(svg, "</g>"));
    free(svg);
    // beginnings, whole names with commas, and repetitions
    def.what = "ener";
    svg = plot_svg(recording, &def);
    assert_int_equal(count_of(svg, ">energy total</text>"), 1);
    assert_int_equal(count_of(svg, ">energy/total</text>"), 1);
    free(svg);
    def.what = "odd, <name> & \"more\"";
    svg = plot_svg(recording, &def);
    assert_int_equal(count_of(svg, ">odd, &lt;name&gt; &amp; &quot;more&quot;</text>"), 2); // legend, axis
    free(svg);
    def.what = "energy/total,energy/total,,energy/";
    svg = plot_svg(recording, &def);
    assert_int_equal(count_of(svg, ">energy/total</text>"), 1);
    assert_int_equal(count_of(svg, ">energy/kinetic</text>"), 1);
    free(svg);
    tac_recording_close(recording);
}

static void wrong_requests_get_help(void **state) {
    (void)state;
    TacRecording *recording = record("help.tacrec", many_channels, 5, 20, 1, mixed);
    TacPlotDef good = tac_plot_def_default(), def;
    good.what = "energy";
    TacError error = {0};
    def = good;
    def.what = "energy/totl";
    assert_int_equal(tac_recording_plot(recording, &def, place("x.png"), &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "did you mean 'energy/total'"));
    assert_non_null(strstr(error.message, "/liver/local time"));
    def.what = "enrgy";
    assert_int_equal(tac_recording_plot(recording, &def, place("x.png"), &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "did you mean 'energy'"));
    def.what = NULL;
    assert_int_equal(tac_recording_plot(recording, &def, place("x.png"), &error), TAC_BAD_USAGE);
    assert_int_equal(tac_recording_plot(recording, &good, place("x.pdf"), &error), TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, ".svg"));
    def = good;
    def.width = -5;
    assert_int_equal(tac_recording_plot(recording, &def, place("x.png"), &error), TAC_BAD_USAGE);
    def = good;
    def.from = 7;
    def.to = 8;
    assert_int_equal(tac_recording_plot(recording, &def, place("x.png"), &error), TAC_BAD_INPUT);
    def = good;
    def.what = "/liver/local time";
    def.logarithmic = true;
    assert_int_equal(tac_recording_plot(recording, &def, place("x.svg"), &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "positive"));
    assert_int_not_equal(access(place("x.png"), F_OK), 0);
    assert_int_not_equal(access(place("x.svg"), F_OK), 0);
    assert_int_equal(tac_recording_plot(recording, &good, place("none/x.svg"), &error), TAC_FAILED);
    tac_recording_close(recording);
}

static double growth(size_t channel, size_t frame, double time) {
    (void)channel;
    (void)frame;
    return pow(10, 6 * time);
}

// An exponential is a straight line on a logarithmic axis.
static void logarithms_straighten_exponentials(void **state) {
    (void)state;
    TacRecording *recording = record("log.tacrec", one_channel, 1, 101, 1, growth);
    TacPlotDef def = tac_plot_def_default();
    def.what = "height";
    def.logarithmic = true;
    def.from = 0.25;
    def.to = 0.75;
    cairo_surface_t *image = plot_png(recording, &def);
    int highest;
    double a = colored_row(image, 200, 0, &highest), b = colored_row(image, 500, 0, &highest),
           c = colored_row(image, 800, 0, &highest);
    assert_true(a > b + 50 && b > c + 50 && fabs(a + c - 2 * b) < 2);
    cairo_surface_destroy(image);
    tac_recording_close(recording);
}

static double extreme(size_t channel, size_t frame, double time) {
    (void)time;
    double values[] = {1e300, -1e300, 5e-324, 1.7e308, 0};
    return channel == 0 ? values[frame % 5] : channel == 1 ? 7 : NAN;
}

static void extreme_values_and_single_frames_are_drawn(void **state) {
    (void)state;
    const TacChannelDef channels[] = {{"wild", "1"}, {"still", "J"}, {"none", "s"}};
    for (size_t frames = 1; frames < 12; frames += 5) {
        TacRecording *recording = record("wild.tacrec", channels, 3, frames, 1, extreme);
        TacPlotDef def = tac_plot_def_default();
        def.what = "wild,still,none";
        for (int log = 0; log < 2; log++) {
            def.logarithmic = log;
            def.dark = log;
            char *svg = plot_svg(recording, &def);
            assert_null(strstr(svg, "nan"));
            assert_null(strstr(svg, "inf"));
            free(svg);
            cairo_surface_destroy(plot_png(recording, &def));
        }
        def.width = 120;
        def.height = 90;
        cairo_surface_destroy(plot_png(recording, &def));
        tac_recording_close(recording);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_labels_true),
        cmocka_unit_test(what_labels_share_is_taken_out),
        cmocka_unit_test(logarithmic_axes_have_decades),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(a_ramp_is_drawn_where_its_values_are),
        cmocka_unit_test(what_is_not_a_number_makes_a_gap),
        cmocka_unit_test(a_single_spike_survives_thinning),
        cmocka_unit_test(an_svg_says_what_it_shows),
        cmocka_unit_test(wrong_requests_get_help),
        cmocka_unit_test(logarithms_straighten_exponentials),
        cmocka_unit_test(extreme_values_and_single_frames_are_drawn),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
