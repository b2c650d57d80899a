// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus plot and tactus render: channels over time as a diagram, frames as pictures.

#include "commands.h"
#include "progress.h"

#include <math.h>

static int plot(int argc, char **argv);
static int render(int argc, char **argv);

// --- plot -------------------------------------------------------------------------------------------------

typedef struct PlotOptions {
    AppTexts outputs;
    double from, to;
    const char *title;
    int64_t width, height;
    bool dark, logarithmic, distribution;
} PlotOptions;

static const AppOption plot_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXTS,
     .value = "FILE",
     .offset = offsetof(PlotOptions, outputs),
     .doc = "Where to write: .png or .svg. May be given several times."},
    {.name = "from",
     .kind = APP_REAL,
     .value = "S",
     .offset = offsetof(PlotOptions, from),
     .doc = "Start of the time that is shown; by default the recording's."},
    {.name = "to",
     .kind = APP_REAL,
     .value = "S",
     .offset = offsetof(PlotOptions, to),
     .doc = "End of the time that is shown; by default the recording's."},
    {.name = "title",
     .kind = APP_TEXT,
     .value = "TEXT",
     .offset = offsetof(PlotOptions, title),
     .doc = "Stands above it; by default made from what is plotted."},
    {.name = "width",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(PlotOptions, width),
     .doc = "Pixels; 1000 by default.",
     .least = 120,
     .most = 16384},
    {.name = "height",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(PlotOptions, height),
     .doc = "Pixels; 600 by default.",
     .least = 90,
     .most = 16384},
    {.name = "dark", .kind = APP_FLAG, .offset = offsetof(PlotOptions, dark), .doc = "Light on dark."},
    {.name = "log",
     .kind = APP_FLAG,
     .offset = offsetof(PlotOptions, logarithmic),
     .doc = "Logarithmic upward axis."},
    {.name = "distribution",
     .kind = APP_FLAG,
     .offset = offsetof(PlotOptions, distribution),
     .doc = "How often each value occurs, instead of values over time."},
};

const AppCommand app_plot_command = {
    .name = "plot",
    .arguments = "RECORDING WHAT",
    .summary = "draws energies, probes and other channels over time",
    .text = "Draws channels of a recording over time. WHAT is a channel's name, the beginning of several, or "
            "several of these with commas; without it, the channels there are are listed.",
    .examples = "  tactus plot beam.tacrec energy -o energy.svg\n"
                "  tactus plot beam.tacrec energy/total,probe -o beam.png --dark\n"
                "  tactus plot beam.tacrec momentum --from 1 --to 2 -o m.png --title \"After the impact\"\n"
                "  tactus plot spheres.tacrec delay --distribution -o delays.png\n",
    .options = plot_options,
    .option_count = APP_COUNT(plot_options),
    .least = 1,
    .most = 2,
    .run = plot,
};

static int list_channels(const TacRecording *recording) {
    const TacRecordingDef *def = tac_recording_def(recording);
    app_bad_usage("plot", "say what to plot: a channel of these, or the beginning of several");
    for (size_t i = 0; i < def->channel_count; i++) {
        fputs("  ", stderr);
        app_put(stderr, def->channels[i].name);
        putc('\n', stderr);
    }
    return APP_BAD_USAGE;
}

static int draw_plot(TacRecording *recording, const char *what, const PlotOptions *o) {
    size_t frames = tac_recording_frame_count(recording);
    TacPlotDef def = tac_plot_def_default();
    def.what = what;
    def.title = o->title;
    def.dark = o->dark;
    def.logarithmic = o->logarithmic;
    def.distribution = o->distribution;
    if (o->width) def.width = (int)o->width;
    if (o->height) def.height = (int)o->height;
    // one end given: the other is the recording's
    if (frames && (!isnan(o->from) || !isnan(o->to))) {
        def.from = isnan(o->from) ? tac_recording_frame_time(recording, 0) : o->from;
        def.to = isnan(o->to) ? tac_recording_frame_time(recording, frames - 1) : o->to;
        if (!(def.from < def.to))
            return app_bad_usage("plot", "there is no time from %g s to %g s; the recording ends at %g s",
                                 def.from, def.to, tac_recording_frame_time(recording, frames - 1));
    }
    for (size_t i = 0; i < o->outputs.count; i++) {
        TacError error;
        if (tac_recording_plot(recording, &def, o->outputs.items[i], &error) != TAC_OK)
            return app_report(&error);
        app_put(stdout, o->outputs.items[i]);
        putchar('\n');
    }
    return APP_DONE;
}

static int plot_recording(const AppTexts *arguments, const PlotOptions *o) {
    TacRecording *recording;
    int code = app_open_recording(&recording, arguments->items[0]);
    if (code != APP_DONE) return code;
    if (arguments->count < 2)
        code = list_channels(recording);
    else if (!o->outputs.count)
        code = app_bad_usage("plot", "say where to with -o FILE.png or -o FILE.svg");
    else
        code = draw_plot(recording, arguments->items[1], o);
    tac_recording_close(recording);
    return code;
}

static int plot(int argc, char **argv) {
    PlotOptions o = {.from = NAN, .to = NAN};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_plot_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? plot_recording(&arguments, &o) : app_parsed_code(parsed);
    app_texts_free(&arguments);
    app_free_values(&app_plot_command, &o);
    return code;
}

// --- render -----------------------------------------------------------------------------------------------

typedef struct RenderOptions {
    AppTexts outputs;
    double at;
    int64_t strip;
    bool movie;
    double eye[3], target[3], field_of_view;
    int64_t width, height, samples;
    bool dark, quiet;
} RenderOptions;

static const AppOption render_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXTS,
     .value = "FILE",
     .offset = offsetof(RenderOptions, outputs),
     .doc = "Where to write: .png. May be given several times."},
    {.name = "at",
     .kind = APP_REAL,
     .value = "S",
     .offset = offsetof(RenderOptions, at),
     .doc = "The moment that is drawn; by default the last one."},
    {.name = "strip",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(RenderOptions, strip),
     .doc = "So many moments side by side, from first to last.",
     .least = 2,
     .most = 1000},
    {.name = "movie",
     .kind = APP_FLAG,
     .offset = offsetof(RenderOptions, movie),
     .doc = "Every frame, numbered: a.png gives a-00000.png and so on."},
    {.name = "eye",
     .kind = APP_VECTOR,
     .value = "X,Y,Z",
     .offset = offsetof(RenderOptions, eye),
     .doc = "Where the camera stands, m; by default the scene's, or so that all is seen."},
    {.name = "target",
     .kind = APP_VECTOR,
     .value = "X,Y,Z",
     .offset = offsetof(RenderOptions, target),
     .doc = "What the camera looks at, m."},
    {.name = "fov",
     .kind = APP_REAL,
     .value = "DEG",
     .offset = offsetof(RenderOptions, field_of_view),
     .doc = "Field of view, vertical, degrees.",
     .least = 1,
     .most = 178},
    {.name = "width",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(RenderOptions, width),
     .doc = "Pixels of one picture; 1280 by default.",
     .least = 16,
     .most = 16384},
    {.name = "height",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(RenderOptions, height),
     .doc = "Pixels of one picture; 720 by default.",
     .least = 16,
     .most = 16384},
    {.name = "samples",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(RenderOptions, samples),
     .doc = "Per pixel side, for smooth edges; 2 by default.",
     .least = 1,
     .most = 8},
    {.name = "dark", .kind = APP_FLAG, .offset = offsetof(RenderOptions, dark), .doc = "A dark background."},
    {.name = "quiet",
     .letter = 'q',
     .kind = APP_FLAG,
     .offset = offsetof(RenderOptions, quiet),
     .doc = "No progress bar, no summary."},
};

const AppCommand app_render_command = {
    .name = "render",
    .arguments = "RECORDING",
    .summary = "draws pictures of a recording",
    .text = "Draws a recording: one moment, several side by side, or every frame for a movie.",
    .examples =
        "  tactus render beam.tacrec -o beam.png                      the last frame\n"
        "  tactus render beam.tacrec -o beam.png --strip 6 --width 480\n"
        "  tactus render beam.tacrec -o beam.png --at 1.5 --eye 3,2,4 --target 0,1,0\n"
        "  tactus render beam.tacrec -o f.png --movie && ffmpeg -framerate 60 -i f-%05d.png beam.mp4\n",
    .options = render_options,
    .option_count = APP_COUNT(render_options),
    .least = 1,
    .most = 1,
    .run = render,
};

// What is not given is the recording's; a camera needs both its ends.
static int choose_camera(const TacRecordingDef *recorded, const RenderOptions *o, TacCamera *camera) {
    bool eye = !isnan(o->eye[0]), target = !isnan(o->target[0]);
    if (!eye && !target) {
        camera->field_of_view = isnan(o->field_of_view) ? 0 : o->field_of_view;
        bool placed = tac_norm(tac_sub(recorded->camera.eye, recorded->camera.target)) > 0;
        if (placed && camera->field_of_view > 0) {
            camera->eye = recorded->camera.eye;
            camera->target = recorded->camera.target;
        }
        return APP_DONE;
    }
    *camera = recorded->camera;
    if (eye) camera->eye = tac_load3(o->eye);
    if (target) camera->target = tac_load3(o->target);
    if (!isnan(o->field_of_view)) camera->field_of_view = o->field_of_view;
    if (tac_norm(tac_sub(camera->eye, camera->target)) > 0) return APP_DONE;
    return app_bad_usage("render", "the camera stands where it looks at: give --eye and --target");
}

static int draw_pictures(TacRecording *recording, const TacRenderDef *def, const RenderOptions *o) {
    app_catch_interrupt();
    for (size_t i = 0; i < o->outputs.count; i++) {
        const char *path = o->outputs.items[i];
        TacError error;
        AppProgress progress = app_progress("rendering", o->quiet);
        TacStatus status = tac_recording_render(recording, def, path, app_progress_step, &progress, &error);
        app_progress_end(&progress);
        if (status != TAC_OK && app_interrupted()) {
            app_say("stopped");
            return APP_STOPPED;
        }
        if (status != TAC_OK) return app_report(&error);
        if (o->quiet) continue;
        app_put(stdout, path);
        if (o->movie) printf(": %s pictures", app_count(tac_recording_frame_count(recording)).text);
        putchar('\n');
    }
    return APP_DONE;
}

// A moment that was not recorded is drawn as the nearest that was: say so.
static void warn_of_moment(const TacRecording *recording, double at) {
    size_t count = tac_recording_frame_count(recording);
    if (!count || isnan(at)) return;
    double first = tac_recording_frame_time(recording, 0),
           last = tac_recording_frame_time(recording, count - 1);
    if (at < first || at > last + 1e-9 * fabs(last))
        app_say("--at %g: the recording is from %g s to %g s; the nearest moment is drawn", at, first, last);
}

static int render_recording(const char *path, const RenderOptions *o) {
    if ((o->strip > 0) + o->movie + !isnan(o->at) > 1)
        return app_bad_usage("render", "give one of --at, --strip and --movie");
    if (!o->outputs.count) return app_bad_usage("render", "say where to with -o FILE.png");
    TacRecording *recording;
    int code = app_open_recording(&recording, path);
    if (code != APP_DONE) return code;
    TacRenderDef def = tac_render_def_default();
    if (o->width) def.width = (int)o->width;
    if (o->height) def.height = (int)o->height;
    if (o->samples) def.samples = (int)o->samples;
    if (!isnan(o->at)) def.at = o->at;
    warn_of_moment(recording, o->at);
    def.strip = (int)o->strip;
    def.movie = o->movie;
    def.dark = o->dark;
    code = choose_camera(tac_recording_def(recording), o, &def.camera);
    if (code == APP_DONE) code = draw_pictures(recording, &def, o);
    tac_recording_close(recording);
    return code;
}

static int render(int argc, char **argv) {
    RenderOptions o = {.at = NAN, .eye = {NAN}, .target = {NAN}, .field_of_view = NAN};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_render_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? render_recording(arguments.items[0], &o) : app_parsed_code(parsed);
    app_texts_free(&arguments);
    app_free_values(&app_render_command, &o);
    return code;
}
