// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tac_recording_plot: channels over time. Picks the channels, reads each frame once, and draws one panel per
// unit with a common time axis. Reads the recording through its public calls; writes one PNG or SVG.
//
// Long channels are thinned while they are read: the time axis is cut into bins, two per pixel, and of each
// bin the first, smallest, largest and last value are kept. Drawn at this width, the lines through these four
// cannot be told from the lines through all (the M4 aggregation of U. Jugel et al., 2014). So memory does not
// depend on the number of frames. What is not a number makes a gap, as does what is not positive on a
// logarithmic axis.

#include "record/canvas.h"
#include "record/plot_axes.h"
#include "record/png.h"

#include "base/memory.h"
#include "tactus/record.h"

#include <math.h>

#define MOST_SERIES 64
#define MOST_PANELS 8
#define MOST_PIXELS 32767
#define NOTE_WIDTH  9     // text sizes, kept free beside a legend
#define LARGEST     1e300 // beyond, the arithmetic of axes overflows: drawn as a gap

TacPlotDef tac_plot_def_default(void) {
    return (TacPlotDef){.width = 1000, .height = 600};
}

// Colours and sizes

typedef struct Style {
    TacColor paper, ink, soft, grid, axis;
    TacColor palette[8];
} Style;

// Okabe and Ito's colours, which all eyes can tell apart, in an order that keeps the first ones strong.
static const Style light_style = {
    .paper = 0xFFFFFF,
    .ink = 0x1F2328,
    .soft = 0x6A7079,
    .grid = 0xE7E9EC,
    .axis = 0x9BA1A9,
    .palette = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x6B4C9A, 0x4D4D4D},
};

static const Style dark_style = {
    .paper = 0x15181D,
    .ink = 0xE8EAED,
    .soft = 0x9AA1AB,
    .grid = 0x2A2F37,
    .axis = 0x666E79,
    .palette = {0x4FA8E8, 0xF28E4B, 0x2CC295, 0xE29AC2, 0xF2C14E, 0x8FD0F5, 0xB197E0, 0xC8C8C8},
};

// Choosing channels

typedef struct Choice {
    size_t channels[MOST_SERIES];
    size_t count;
} Choice;

// How a channel's name answers to a word: 3 it is the name, 2 its folder, 1 its beginning, 0 not at all.
static int match_rank(const char *name, const char *word, size_t length) {
    // the first slash may be left out
    if (length > 0 && word[0] != '/' && name[0] == '/') name++;
    if (length == 0 || strncmp(name, word, length) != 0) return 0;
    if (name[length] == 0) return 3;
    return name[length] == '/' || word[length - 1] == '/' ? 2 : 1;
}

static TacStatus add_choice(Choice *choice, size_t channel, TacError *error) {
    for (size_t i = 0; i < choice->count; i++)
        if (choice->channels[i] == channel) return TAC_OK;
    if (choice->count == MOST_SERIES)
        return tac_fail(error, TAC_BAD_INPUT,
                        "more than %d channels match; name fewer, one plot cannot tell so many apart",
                        MOST_SERIES);
    choice->channels[choice->count++] = channel;
    return TAC_OK;
}

// Writes as many names as fit, then how many are left out.
static void list_channels(const TacRecordingDef *def, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < def->channel_count; i++) {
        const char *name = def->channels[i].name;
        if (used + strlen(name) + 32 > size) {
            snprintf(text + used, size - used, " and %zu more", def->channel_count - i);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
    }
}

// The channel or folder of channels whose name is nearest to a word; NULL when none is near, or without
// memory.
static const char *nearest_choice(TacArena *arena, const TacRecordingDef *def, const char *word) {
    const char **names = tac_arena_array(arena, 2 * def->channel_count, sizeof *names);
    for (size_t i = 0; names && i < def->channel_count; i++) {
        const char *name = def->channels[i].name, *slash = strrchr(name, '/');
        names[2 * i] = name;
        // the same folder as the last channel's is there already
        bool again =
            i > 0 && slash && strncmp(name, def->channels[i - 1].name, (size_t)(slash - name) + 1) == 0;
        if (slash && slash > name && !again)
            names[2 * i + 1] = tac_arena_text_n(arena, name, (size_t)(slash - name));
    }
    return names ? tac_nearest(word, names, 2 * def->channel_count) : NULL;
}

static TacStatus fail_unknown(const TacRecordingDef *def, const char *word, size_t length, TacError *error) {
    if (def->channel_count == 0)
        return tac_fail(error, TAC_BAD_INPUT, "the recording has no channels to plot");
    char wanted[128], list[640];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 100 ? length : 100), word);
    list_channels(def, list, sizeof list);
    TacArena arena = {0};
    const char *near = nearest_choice(&arena, def, wanted);
    TacStatus status =
        near ? tac_fail(error, TAC_BAD_INPUT,
                        "no channel is called '%s'; did you mean '%.100s'? There are: %s", wanted, near, list)
             : tac_fail(error, TAC_BAD_INPUT, "no channel is called '%s'; there are: %s", wanted, list);
    tac_arena_destroy(&arena);
    return status;
}

static TacStatus choose_word(Choice *choice, const TacRecordingDef *def, const char *word, size_t length,
                             TacError *error) {
    int best = 0;
    for (size_t i = 0; i < def->channel_count; i++) {
        int rank = match_rank(def->channels[i].name, word, length);
        if (rank > best) best = rank;
    }
    if (best == 0) return fail_unknown(def, word, length, error);
    for (size_t i = 0; i < def->channel_count; i++)
        if (match_rank(def->channels[i].name, word, length) == best) TAC_TRY(add_choice(choice, i, error));
    return TAC_OK;
}

static TacStatus choose_channels(Choice *choice, const TacRecordingDef *def, const char *what,
                                 TacError *error) {
    *choice = (Choice){0};
    // a name that itself holds commas
    for (size_t i = 0; i < def->channel_count; i++)
        if (strcmp(def->channels[i].name, what) == 0) return add_choice(choice, i, error);
    for (const char *word = what; *word;) {
        const char *end = word + strcspn(word, ",");
        const char *from = word, *to = end;
        while (from < to && *from == ' ') from++;
        while (to > from && to[-1] == ' ') to--;
        if (to > from) TAC_TRY(choose_word(choice, def, from, (size_t)(to - from), error));
        word = *end ? end + 1 : end;
    }
    if (choice->count > 0) return TAC_OK;
    char list[640];
    list_channels(def, list, sizeof list);
    return tac_fail(error, TAC_BAD_USAGE, "say which channel to plot; there are: %s", list);
}

// Reading

// The four values kept of a bin. `count` says how many of them hold: 0, or 4 with repetitions.
typedef struct Bin {
    double first_time, least_time, most_time, last_time;
    double first, least, most, last;
    bool used, gap_before;
} Bin;

typedef struct Series {
    const TacChannelDef *channel;
    Bin *bins;
    bool pending_gap; // something that is not a number came since the last value
} Series;

// Channels of one unit, drawn on one y axis.
typedef struct Panel {
    const char *unit;
    size_t series[MOST_SERIES];
    size_t series_count;
    double low, high; // of the values
    TacAxis axis;
    double legend_height;       // above it
    double x, y, width, height; // of its axes, pixels
} Panel;

typedef struct Plot {
    TacRecording *recording;
    const TacRecordingDef *def;
    const TacPlotDef *request;
    const Style *style;
    char title[256];
    Series series[MOST_SERIES];
    size_t series_count;
    Panel panels[MOST_PANELS];
    size_t panel_count;
    size_t first_frame, frame_count, bin_count;
    TacAxis time;
    char across[160]; // what stands under that axis
    double text_size; // pixels
    TacCanvas canvas;
} Plot;

static void put_value(Bin *bin, double time, double value, bool gap) {
    if (!bin->used) {
        *bin = (Bin){time, time, time, time, value, value, value, value, true, gap};
        return;
    }
    if (value < bin->least) bin->least = value, bin->least_time = time;
    if (value > bin->most) bin->most = value, bin->most_time = time;
    bin->last = value;
    bin->last_time = time;
}

static size_t bin_of(const Plot *plot, size_t number, double time) {
    if (plot->frame_count <= plot->bin_count) return number;
    double place = (time - plot->time.low) / (plot->time.high - plot->time.low) * (double)plot->bin_count;
    if (!(place > 0)) return 0;
    return place >= (double)plot->bin_count ? plot->bin_count - 1 : (size_t)place;
}

static void put_frame(Plot *plot, const Choice *choice, size_t number, const TacFrame *frame) {
    size_t bin = bin_of(plot, number, frame->time);
    for (size_t i = 0; i < plot->series_count; i++) {
        Series *series = &plot->series[i];
        double value = frame->channels[choice->channels[i]];
        bool shown = fabs(value) <= LARGEST && (!plot->request->logarithmic || value >= 1 / LARGEST);
        if (shown) put_value(&series->bins[bin], frame->time, value, series->pending_gap);
        series->pending_gap = !shown;
    }
}

// The first frame at or after a time.
static size_t frame_from(const TacRecording *recording, double time) {
    size_t low = 0, high = tac_recording_frame_count(recording);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tac_recording_frame_time(recording, middle) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static TacStatus choose_frames(Plot *plot, TacError *error) {
    TacRecording *recording = plot->recording;
    size_t all = tac_recording_frame_count(recording);
    if (all == 0) return tac_fail(error, TAC_BAD_INPUT, "the recording has no frames to plot");
    double from = plot->request->from, to = plot->request->to;
    double begin = tac_recording_frame_time(recording, 0), end = tac_recording_frame_time(recording, all - 1);
    if (!(from < to) || !isfinite(from) || !isfinite(to)) from = begin, to = end;
    plot->first_frame = frame_from(recording, from);
    size_t behind = plot->first_frame;
    // frames at `to` belong to it
    behind = to >= end ? all : frame_from(recording, nextafter(to, INFINITY));
    if (behind <= plot->first_frame)
        return tac_fail(error, TAC_BAD_INPUT,
                        "no frame lies between %g s and %g s; the recording goes from %g s to %g s", from, to,
                        begin, end);
    plot->frame_count = behind - plot->first_frame;
    if (!(to > from)) to = from + 0.5, from -= 0.5;
    int wanted = (int)fmax(3, plot->request->width / (plot->text_size * 9));
    plot->time = tac_axis_make(from, to, false, wanted);
    snprintf(plot->across, sizeof plot->across, "time [s]");
    return TAC_OK;
}

// How often values occur: the axis of time becomes one of values, and each series a row of bars, two bins to a bar and
// one at each end.

static TacStatus find_range(Plot *plot, const Choice *choice, double *low, double *high, TacError *error) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < plot->frame_count; i++) {
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(plot->recording, plot->first_frame + i, &frame, error));
        for (size_t k = 0; k < choice->count; k++) {
            double value = frame->channels[choice->channels[k]];
            if (!(fabs(value) < LARGEST)) continue;
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    }
    if (!(*low <= *high))
        return tac_fail(error, TAC_BAD_INPUT, "there is no finite value to plot in this time");
    return TAC_OK;
}

static void stand_up_bars(Series *series, const size_t *counts, size_t bars, double low, double width) {
    size_t all = 0;
    for (size_t i = 0; i < bars; i++) all += counts[i];
    for (size_t b = 0; b < 2 * bars + 2; b++) {
        double x = low + width * (double)(b / 2), y = 0;
        if (b > 0 && b < 2 * bars + 1 && all) y = 100.0 * (double)counts[(b - 1) / 2] / (double)all;
        series->bins[b] = (Bin){x, x, x, x, y, y, y, y, true, false};
    }
}

static TacStatus count_values(Plot *plot, const Choice *choice, TacError *error) {
    enum { MOST_BARS = 256 };
    double low, high;
    TAC_TRY(find_range(plot, choice, &low, &high, error));
    int wanted = (int)fmax(3, plot->request->width / (plot->text_size * 9));
    tac_axis_pad(&low, &high, false, 0);
    plot->time = tac_axis_make(low, high, false, wanted);
    // four bars between two labels, on the labels
    double gap = plot->time.count > 1 ? plot->time.ticks[1] - plot->time.ticks[0] : high - low,
           width = gap / 4;
    low = width * floor(low / width);
    size_t bars = (size_t)fmin(MOST_BARS, floor((high - low) / width) + 1);
    plot->time = tac_axis_make(low, low + width * (double)bars, false, wanted);
    plot->bin_count = 2 * bars + 2;
    size_t *counts = calloc(choice->count * bars, sizeof *counts);
    if (!counts) return tac_fail_memory(error, 0);
    TacStatus status = TAC_OK;
    for (size_t i = 0; i < plot->frame_count && status == TAC_OK; i++) {
        const TacFrame *frame;
        status = tac_recording_frame(plot->recording, plot->first_frame + i, &frame, error);
        for (size_t k = 0; k < choice->count && status == TAC_OK; k++) {
            double value = frame->channels[choice->channels[k]];
            if (!(fabs(value) < LARGEST)) continue;
            // what lies on an edge but for rounding belongs to the bar above
            size_t bar = (size_t)fmin((double)bars - 1, fmax(0, floor((value - low) / width + 1e-6)));
            counts[k * bars + bar]++;
        }
    }
    for (size_t k = 0; k < choice->count && status == TAC_OK; k++) {
        plot->series[k].bins = calloc(plot->bin_count, sizeof(Bin));
        if (!plot->series[k].bins)
            status = tac_fail_memory(error, plot->bin_count * sizeof(Bin));
        else
            stand_up_bars(&plot->series[k], counts + k * bars, bars, low, width);
    }
    free(counts);
    return status;
}

static TacStatus measure_values(Plot *plot, const Choice *choice, TacError *error) {
    if (plot->panel_count > 1)
        return tac_fail(error, TAC_BAD_USAGE, "the distribution of values is drawn of one unit at a time");
    const char *unit = plot->panels[0].unit, *name = plot->series[0].channel->name;
    bool unitless = strcmp(unit, "1") == 0;
    snprintf(plot->across, sizeof plot->across, "%.100s%s%.40s%s", plot->series_count == 1 ? name : "value",
             unitless ? "" : " [", unitless ? "" : unit, unitless ? "" : "]");
    plot->panels[0].unit = "% of frames";
    return count_values(plot, choice, error);
}

static TacStatus read_series(Plot *plot, const Choice *choice, TacError *error) {
    size_t bins = 2 * (size_t)plot->request->width;
    plot->bin_count = bins < plot->frame_count ? bins : plot->frame_count;
    for (size_t i = 0; i < plot->series_count; i++) {
        plot->series[i].bins = calloc(plot->bin_count, sizeof(Bin));
        if (!plot->series[i].bins) return tac_fail_memory(error, plot->bin_count * sizeof(Bin));
    }
    for (size_t i = 0; i < plot->frame_count; i++) {
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(plot->recording, plot->first_frame + i, &frame, error));
        put_frame(plot, choice, i, frame);
    }
    return TAC_OK;
}

// Panels

static const char *unit_of(const TacChannelDef *channel) {
    return channel->unit && channel->unit[0] ? channel->unit : "1";
}

static TacStatus make_panels(Plot *plot, TacError *error) {
    for (size_t i = 0; i < plot->series_count; i++) {
        const char *unit = unit_of(plot->series[i].channel);
        size_t k = 0;
        while (k < plot->panel_count && strcmp(plot->panels[k].unit, unit) != 0) k++;
        if (k == MOST_PANELS)
            return tac_fail(error, TAC_BAD_INPUT,
                            "the channels have more than %d units; plot fewer at a time", MOST_PANELS);
        if (k == plot->panel_count) plot->panels[plot->panel_count++].unit = unit;
        Panel *panel = &plot->panels[k];
        panel->series[panel->series_count++] = i;
    }
    return TAC_OK;
}

static void panel_range(const Plot *plot, Panel *panel) {
    panel->low = INFINITY;
    panel->high = -INFINITY;
    for (size_t i = 0; i < panel->series_count; i++)
        for (size_t b = 0; b < plot->bin_count; b++) {
            const Bin *bin = &plot->series[panel->series[i]].bins[b];
            if (!bin->used) continue;
            panel->low = fmin(panel->low, bin->least);
            panel->high = fmax(panel->high, bin->most);
        }
}

static TacStatus range_panels(Plot *plot, TacError *error) {
    bool any = false;
    for (size_t i = 0; i < plot->panel_count; i++) {
        panel_range(plot, &plot->panels[i]);
        any |= plot->panels[i].low <= plot->panels[i].high;
    }
    if (!any)
        return tac_fail(error, TAC_BAD_INPUT, "there is no %s value to plot in this time",
                        plot->request->logarithmic ? "positive" : "finite");
    for (size_t i = 0; i < plot->panel_count; i++) {
        Panel *panel = &plot->panels[i];
        bool empty = panel->low > panel->high;
        if (empty) panel->low = plot->request->logarithmic ? 1 : 0, panel->high = 1;
        tac_axis_pad(&panel->low, &panel->high, plot->request->logarithmic, 0.05);
    }
    return TAC_OK;
}

// Layout: title, then each panel under its legend, then the time axis

static TacLettering lettering(const Plot *plot, TacColor color, TacAnchor anchor) {
    return (TacLettering){.color = color, .size = plot->text_size, .anchor = anchor};
}

// A legend's entries flow in rows; calls with `draw` false only count them.
static int flow_legend(Plot *plot, const Panel *panel, double x, double y, double width, bool draw) {
    TacLettering name = lettering(plot, plot->style->ink, TAC_START);
    double em = plot->text_size, at = x;
    int rows = 1;
    for (size_t i = 0; i < panel->series_count; i++) {
        size_t number = panel->series[i];
        const char *text = plot->series[number].channel->name;
        double entry = 2.3 * em + tac_canvas_text_width(&plot->canvas, text, &name) + 1.6 * em;
        if (at > x && at + entry - 1.6 * em > x + width) {
            at = x;
            rows++;
        }
        if (draw) {
            double base = y + (rows - 0.5) * 1.55 * em;
            TacStroke line = {plot->style->palette[number % 8], 0.17 * em, number >= 8 ? 0.45 * em : 0, 1};
            tac_canvas_segment(&plot->canvas, at, base, at + 1.7 * em, base, &line);
            tac_canvas_text(&plot->canvas, at + 2.3 * em, base + 0.36 * em, text, &name);
        }
        at += entry;
    }
    return rows;
}

static bool has_legend(const Plot *plot) {
    return plot->series_count > 1 || strcmp(plot->series[0].channel->name, plot->title) != 0;
}

// "energy [J]" when all names share their folder, "[J]" otherwise; nothing for numbers without a unit.
static void panel_label(const Plot *plot, const Panel *panel, char *text, size_t size) {
    const char *first = plot->series[panel->series[0]].channel->name;
    size_t skip = first[0] == '/' ? 1 : 0;
    size_t folder = skip + strcspn(first + skip, "/");
    bool shared = first[folder] == '/' || panel->series_count == 1;
    for (size_t i = 1; i < panel->series_count && shared; i++)
        shared = strncmp(plot->series[panel->series[i]].channel->name, first, folder + 1) == 0;
    if (panel->series_count == 1) {
        const char *slash = strrchr(first, '/');
        first = slash ? slash + 1 : first;
        skip = 0;
        folder = strlen(first);
    }
    int length = shared ? (int)(folder - skip < 40 ? folder - skip : 40) : 0;
    bool unitless = strcmp(panel->unit, "1") == 0;
    snprintf(text, size, "%.*s%s%s%.20s%s", length, first + skip, length && !unitless ? " " : "",
             unitless ? "" : "[", unitless ? "" : panel->unit, unitless ? "" : "]");
}

static void lay_out(Plot *plot) {
    double em = plot->text_size, width = plot->request->width, height = plot->request->height;
    double top = 2.9 * em, bottom = height - 3.6 * em, right = width - 1.6 * em;
    double gap = 1.1 * em, legends = 0;
    for (size_t i = 0; i < plot->panel_count; i++) {
        Panel *panel = &plot->panels[i];
        panel->legend_height = has_legend(plot) ? 0.5 * em : 1.6 * em;
        if (has_legend(plot))
            panel->legend_height +=
                1.55 * em * flow_legend(plot, panel, 0, 0, right - NOTE_WIDTH * em - 6 * em, false);
        legends += panel->legend_height;
    }
    double count = (double)plot->panel_count;
    double each = fmax((bottom - top - legends - gap * (count - 1)) / count, 4);
    // ticks need the heights, the left border needs the ticks' labels
    double label_width = 0;
    TacLettering number = lettering(plot, plot->style->soft, TAC_END);
    for (size_t i = 0; i < plot->panel_count; i++) {
        Panel *panel = &plot->panels[i];
        panel->axis = tac_axis_make(panel->low, panel->high, plot->request->logarithmic,
                                    (int)fmax(3, each / (3.4 * em)));
        for (int k = 0; k < panel->axis.count; k++)
            label_width =
                fmax(label_width, tac_canvas_text_width(&plot->canvas, panel->axis.labels[k], &number));
    }
    double left = fmin(label_width + 3.3 * em, 0.5 * width), y = top;
    for (size_t i = 0; i < plot->panel_count; i++) {
        Panel *panel = &plot->panels[i];
        y += panel->legend_height;
        panel->x = left;
        panel->y = y;
        panel->width = fmax(right - left, 4);
        panel->height = each;
        y += each + gap;
    }
}

// Drawing

static double column_of(const Plot *plot, const Panel *panel, double time) {
    return panel->x + panel->width * tac_axis_place(&plot->time, time);
}

static double row_of(const Panel *panel, double value) {
    return panel->y + panel->height * (1 - tac_axis_place(&panel->axis, value));
}

// Lines of one pixel look sharp when they lie on the middle of one.
static double sharp(double place) {
    return floor(place) + 0.5;
}

static void draw_grid(Plot *plot, const Panel *panel) {
    TacCanvas *canvas = &plot->canvas;
    double em = plot->text_size, right = panel->x + panel->width, bottom = panel->y + panel->height;
    TacStroke grid = {plot->style->grid, 1, 0, 1}, axis = {plot->style->axis, 1, 0, 1};
    TacStroke faint = {plot->style->grid, 1, 0, 0.55};
    TacLettering number = lettering(plot, plot->style->soft, TAC_END);
    number.size *= 0.92;
    for (int i = 0; i < plot->time.count; i++) {
        double x = sharp(column_of(plot, panel, plot->time.ticks[i]));
        tac_canvas_segment(canvas, x, panel->y, x, bottom, &grid);
    }
    for (int i = 0; i < panel->axis.minor_count; i++) {
        double y = sharp(row_of(panel, panel->axis.minor[i]));
        tac_canvas_segment(canvas, panel->x, y, right, y, &faint);
    }
    for (int i = 0; i < panel->axis.count; i++) {
        double y = sharp(row_of(panel, panel->axis.ticks[i]));
        bool zero = panel->axis.ticks[i] == 0 && !panel->axis.logarithmic;
        tac_canvas_segment(canvas, panel->x, y, right, y, zero ? &axis : &grid);
        tac_canvas_text(canvas, panel->x - 0.55 * em, y + 0.33 * em, panel->axis.labels[i], &number);
    }
    tac_canvas_segment(canvas, sharp(panel->x), panel->y, sharp(panel->x), sharp(bottom), &axis);
    tac_canvas_segment(canvas, sharp(panel->x), sharp(bottom), right, sharp(bottom), &axis);
}

static void draw_panel_text(Plot *plot, const Panel *panel) {
    double em = plot->text_size;
    char label[96];
    panel_label(plot, panel, label, sizeof label);
    TacLettering side = lettering(plot, plot->style->ink, TAC_MIDDLE);
    side.upward = true;
    tac_canvas_text(&plot->canvas, 1.5 * em, panel->y + 0.5 * panel->height, label, &side);
    // what all tick labels share stands at the end of the legend's last row
    TacLettering note = lettering(plot, plot->style->soft, TAC_END);
    note.size *= 0.92;
    if (panel->axis.note[0])
        tac_canvas_text(&plot->canvas, panel->x + panel->width, panel->y - 0.8 * em, panel->axis.note, &note);
    if (has_legend(plot))
        flow_legend(plot, panel, panel->x, panel->y - panel->legend_height, panel->width - NOTE_WIDTH * em,
                    true);
}

static void draw_time_axis(Plot *plot) {
    const Panel *panel = &plot->panels[plot->panel_count - 1];
    TacCanvas *canvas = &plot->canvas;
    double em = plot->text_size, bottom = panel->y + panel->height;
    TacStroke axis = {plot->style->axis, 1, 0, 1};
    TacLettering number = lettering(plot, plot->style->soft, TAC_MIDDLE);
    number.size *= 0.92;
    for (int i = 0; i < plot->time.count; i++) {
        double x = sharp(column_of(plot, panel, plot->time.ticks[i]));
        tac_canvas_segment(canvas, x, sharp(bottom), x, sharp(bottom) + 0.35 * em, &axis);
        tac_canvas_text(canvas, x, bottom + 1.5 * em, plot->time.labels[i], &number);
    }
    char label[256];
    snprintf(label, sizeof label, "%s%s%s", plot->across, plot->time.note[0] ? "  " : "", plot->time.note);
    TacLettering under = lettering(plot, plot->style->ink, TAC_MIDDLE);
    tac_canvas_text(canvas, panel->x + 0.5 * panel->width, bottom + 3.0 * em, label, &under);
}

static void draw_title(Plot *plot) {
    double em = plot->text_size, size = 1.3 * em, left = plot->panels[0].x;
    TacLettering title = {.color = plot->style->ink, .size = size, .bold = true};
    tac_canvas_text(&plot->canvas, left, 2.1 * em, plot->title, &title);
    // where it came from, when there is room
    const char *scene = plot->def->scene ? plot->def->scene : "";
    const char *slash = strrchr(scene, '/');
    if (slash) scene = slash + 1;
    TacLettering origin = lettering(plot, plot->style->soft, TAC_END);
    double right = plot->panels[0].x + plot->panels[0].width;
    double needed = tac_canvas_text_width(&plot->canvas, plot->title, &title) +
                    tac_canvas_text_width(&plot->canvas, scene, &origin) + 2 * em;
    if (scene[0] && needed < right - left) tac_canvas_text(&plot->canvas, right, 2.1 * em, scene, &origin);
}

// Puts one kept value into the line, unless it repeats the last.
static size_t add_point(const Plot *plot, const Panel *panel, double *points, size_t count, double time,
                        double value) {
    double x = column_of(plot, panel, time), y = row_of(panel, value);
    if (count > 0 && points[2 * count - 2] == x && points[2 * count - 1] == y) return count;
    points[2 * count] = x;
    points[2 * count + 1] = y;
    return count + 1;
}

static size_t add_bin(const Plot *plot, const Panel *panel, double *points, size_t count, const Bin *bin) {
    count = add_point(plot, panel, points, count, bin->first_time, bin->first);
    bool least_first = bin->least_time <= bin->most_time;
    count = add_point(plot, panel, points, count, least_first ? bin->least_time : bin->most_time,
                      least_first ? bin->least : bin->most);
    count = add_point(plot, panel, points, count, least_first ? bin->most_time : bin->least_time,
                      least_first ? bin->most : bin->least);
    return add_point(plot, panel, points, count, bin->last_time, bin->last);
}

static void draw_series(Plot *plot, const Panel *panel, size_t number, double *points) {
    double em = plot->text_size;
    const Series *series = &plot->series[number];
    TacStroke line = {plot->style->palette[number % 8], 0.14 * em, number >= 8 ? 0.45 * em : 0, 1};
    TacStroke dot = {line.color, 0.4 * em, 0, 1};
    size_t count = 0;
    for (size_t b = 0; b <= plot->bin_count; b++) {
        const Bin *bin = b < plot->bin_count ? &series->bins[b] : NULL;
        if (bin && !bin->used) continue;
        if (!bin || bin->gap_before) {
            tac_canvas_line(&plot->canvas, points, count, count == 1 ? &dot : &line);
            count = 0;
        }
        if (bin) count = add_bin(plot, panel, points, count, bin);
    }
}

static TacStatus draw_plot(Plot *plot, TacError *error) {
    double *points = malloc((plot->bin_count + 1) * 8 * sizeof(double));
    if (!points) return tac_fail_memory(error, plot->bin_count * 8 * sizeof(double));
    lay_out(plot);
    tac_canvas_fill(&plot->canvas, 0, 0, plot->request->width, plot->request->height, plot->style->paper);
    for (size_t i = 0; i < plot->panel_count; i++) {
        Panel *panel = &plot->panels[i];
        draw_grid(plot, panel);
        tac_canvas_clip(&plot->canvas, panel->x - 1, panel->y - 2, panel->width + 4, panel->height + 4);
        // the first series comes last, so that it lies on top
        for (size_t k = panel->series_count; k-- > 0;) draw_series(plot, panel, panel->series[k], points);
        tac_canvas_unclip(&plot->canvas);
        draw_panel_text(plot, panel);
    }
    draw_time_axis(plot);
    draw_title(plot);
    free(points);
    return TAC_OK;
}

static TacStatus check_plot(const TacPlotDef *def, const char *path, TacError *error) {
    if (!tac_path_has_extension(path, ".png") && !tac_path_has_extension(path, ".svg"))
        return tac_fail_at(error, TAC_BAD_USAGE, path, 0, 0,
                           "plots are written as .png or .svg; end the path so");
    if (def->width < 120 || def->height < 90 || def->width > MOST_PIXELS || def->height > MOST_PIXELS)
        return tac_fail(error, TAC_BAD_USAGE, "a plot has 120 x 90 to %d x %d pixels, not %d x %d",
                        MOST_PIXELS, MOST_PIXELS, def->width, def->height);
    return TAC_OK;
}

// The title asked for, or the request itself with a blank after each comma.
static void set_title(Plot *plot) {
    const char *from = plot->request->title ? plot->request->title : plot->request->what;
    size_t used = 0;
    for (; *from && used + 3 < sizeof plot->title; from++) {
        plot->title[used++] = *from;
        if (!plot->request->title && *from == ',' && from[1] != ' ') plot->title[used++] = ' ';
    }
    plot->title[used] = 0;
}

static TacStatus make_plot(Plot *plot, const char *path, TacError *error) {
    const TacPlotDef *request = plot->request;
    Choice choice;
    TAC_TRY(choose_channels(&choice, plot->def, request->what ? request->what : "", error));
    plot->series_count = choice.count;
    for (size_t i = 0; i < choice.count; i++)
        plot->series[i].channel = &plot->def->channels[choice.channels[i]];
    set_title(plot);
    plot->text_size = 13.5 * fmin(fmax(fmin(request->width / 1000.0, request->height / 600.0), 0.62), 4);
    TAC_TRY(make_panels(plot, error));
    TAC_TRY(choose_frames(plot, error));
    TAC_TRY(request->distribution ? measure_values(plot, &choice, error) : read_series(plot, &choice, error));
    TAC_TRY(range_panels(plot, error));
    TAC_TRY(tac_canvas_open(&plot->canvas, path, request->width, request->height, plot->title, error));
    TacStatus status = draw_plot(plot, error);
    TacStatus finished = tac_canvas_finish(&plot->canvas, status == TAC_OK, error);
    return status == TAC_OK ? finished : status;
}

TacStatus tac_recording_plot(TacRecording *recording, const TacPlotDef *def, const char *path,
                             TacError *error) {
    TAC_TRY(check_plot(def, path, error));
    Plot *plot = calloc(1, sizeof *plot);
    if (!plot) return tac_fail_memory(error, sizeof *plot);
    plot->recording = recording;
    plot->def = tac_recording_def(recording);
    plot->request = def;
    plot->style = def->dark ? &dark_style : &light_style;
    TacStatus status = make_plot(plot, path, error);
    for (size_t i = 0; i < plot->series_count; i++) free(plot->series[i].bins);
    free(plot);
    return status;
}
