// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus sound: runs a scene and writes what its listening points hear.

#include "commands.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_RATE = 44100, LEAST_RATE = 8000, MOST_RATE = 192000, PROGRESS_EVERY = 4096 };

static const double LOUDEST = 0.9;

typedef struct SoundOptions {
    AppSceneOptions scene; // first, for APP_SCENE_OPTIONS
    const char *output;
    double time, gain;
    int64_t rate, threads;
    uint64_t seed;
    bool quiet;
} SoundOptions;

static int sound(int argc, char **argv);

static const AppOption options[] = {
    APP_SCENE_OPTIONS,
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXT,
     .value = "FILE",
     .offset = offsetof(SoundOptions, output),
     .doc = "Where it goes: .wav or .flac."},
    {.name = "rate",
     .kind = APP_INT,
     .value = "HZ",
     .offset = offsetof(SoundOptions, rate),
     .doc = "Samples a second; by default the scene's own rate where that is one of sound, else 44100.",
     .least = LEAST_RATE,
     .most = MOST_RATE},
    {.name = "time",
     .kind = APP_REAL,
     .value = "S",
     .offset = offsetof(SoundOptions, time),
     .doc = "How many seconds; by default the scene's duration.",
     .least = 0,
     .most = 1e6},
    {.name = "gain",
     .kind = APP_REAL,
     .value = "G",
     .offset = offsetof(SoundOptions, gain),
     .doc = "Multiplies what is heard; by default so that the loudest sample is 0.9.",
     .least = 0,
     .most = 1e30},
    {.name = "threads",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(SoundOptions, threads),
     .doc = "How many threads; 1 by default, 0 for as many as the machine has.",
     .least = 0,
     .most = 1024},
    {.name = "seed",
     .kind = APP_NUMBER,
     .value = "N",
     .offset = offsetof(SoundOptions, seed),
     .doc = "Of everything random in the scene; 1 by default."},
    {.name = "quiet",
     .letter = 'q',
     .kind = APP_FLAG,
     .offset = offsetof(SoundOptions, quiet),
     .doc = "Says nothing."},
};

const AppCommand app_sound_command = {
    .name = "sound",
    .arguments = "SCENE",
    .summary = "runs a scene and writes what its listening points hear",
    .text =
        "Runs SCENE and writes the signals of its Listen components (LISTEN in .ca models) as a sound: one "
        "channel, or two where listening points are panned. A scene for sound has a beat of 1/44100 or "
        "1/48000 s; slower ones are heard as well, with little above their own rate.",
    .examples = "  tactus sound string.tac -o string.wav\n"
                "  tactus sound membrane.tac -o membrane.flac --rate 48000 --time 3\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 1,
    .most = 1,
    .run = sound,
};

typedef struct Take {
    float *samples;
    double *heard;
    size_t count; // of listening points
    int channels;
    size_t frames;
    double peak;
} Take;

static bool is_panned(const TacWorld *world) {
    for (size_t i = 0; i < tac_world_listen_count(world); i++)
        if (tac_world_listen_pan(world, i) != 0.5) return true;
    return false;
}

// The scene's own rate where it is whole and one of sound.
static int64_t rate_of(const TacWorld *world) {
    double rate = 1 / tac_world_beat(world);
    bool whole = fabs(rate - round(rate)) < 1e-6 * rate;
    return whole && rate > LEAST_RATE - 0.5 && rate < MOST_RATE + 0.5 ? (int64_t)llround(rate) : USUAL_RATE;
}

static void hear(TacWorld *world, Take *take, size_t n) {
    tac_world_listen(world, take->heard);
    double left = 0, right = 0;
    for (size_t i = 0; i < take->count; i++) {
        double pan = take->channels == 2 ? tac_world_listen_pan(world, i) : 0.5;
        left += 2 * (1 - pan) * take->heard[i];
        right += 2 * pan * take->heard[i];
    }
    float *to = take->samples + (size_t)take->channels * n;
    to[0] = (float)left;
    if (take->channels == 2) to[1] = (float)right;
    take->peak = fmax(take->peak, fmax(fabs((double)to[0]), take->channels == 2 ? fabs((double)to[1]) : 0));
}

static int play(TacWorld *world, Take *take, int64_t rate, bool quiet) {
    AppProgress progress = app_progress("sound", quiet);
    TacError error;
    int code = APP_DONE;
    app_catch_interrupt();
    for (size_t n = 0; n < take->frames && code == APP_DONE; n++) {
        if (tac_world_advance_to_frame(world, (double)rate, (int64_t)n, &error) != TAC_OK)
            code = app_report(&error);
        else
            hear(world, take, n);
        if (n % PROGRESS_EVERY == 0 &&
            (!app_progress_step(&progress, (double)n / (double)take->frames) || app_interrupted()))
            code = APP_STOPPED;
    }
    app_progress_end(&progress);
    return code;
}

static void amplify(Take *take, double gain) {
    double by = gain > 0 ? gain : take->peak > 0 ? LOUDEST / take->peak : 1;
    for (size_t i = 0; i < (size_t)take->channels * take->frames; i++)
        take->samples[i] = (float)(by * (double)take->samples[i]);
}

static int record(TacWorld *world, const SoundOptions *o, const char *path) {
    Take take = {.count = tac_world_listen_count(world), .channels = is_panned(world) ? 2 : 1};
    if (!take.count) {
        app_say("%s has no listening points: add a Listen (in a .ca model: LISTEN name ball (x,y,z))", path);
        return APP_BAD_INPUT;
    }
    int64_t rate = o->rate ? o->rate : rate_of(world);
    double time = o->time > 0 ? o->time : tac_world_duration(world), start = app_seconds();
    if (!(time * (double)rate >= 1) || time * (double)rate > 4e9)
        return app_bad_usage("sound", "%g s is no length for a sound", time);
    take.frames = (size_t)(time * (double)rate);
    take.samples = calloc((size_t)take.channels * take.frames, sizeof *take.samples);
    take.heard = calloc(take.count, sizeof *take.heard);
    int code = take.samples && take.heard ? play(world, &take, rate, o->quiet) : app_out_of_memory();
    if (code == APP_DONE) {
        amplify(&take, o->gain);
        TacSound written = {(int)rate, take.channels, take.frames, take.samples};
        TacError error;
        if (tac_sound_write(&written, o->output, &error) != TAC_OK) code = app_report(&error);
        double wall = app_seconds() - start;
        if (code == APP_DONE && !o->quiet)
            printf("%s: %g s at %lld Hz, %s, %s x real time\n", o->output, time, (long long)rate,
                   app_number_of((uint64_t)take.channels, "channel").text, app_ratio(time / wall).text);
    }
    free(take.samples);
    free(take.heard);
    return code;
}

static int sound_scene(const SoundOptions *o, const char *path) {
    if (!o->output) return app_bad_usage("sound", "say where the sound goes: -o FILE.wav");
    if (!app_has_extension(o->output, ".wav") && !app_has_extension(o->output, ".flac"))
        return app_bad_usage("sound", "%.200s: a sound is a .wav or .flac file", o->output);
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error;
    int code = app_read_scene(&scene, path, &o->scene, NULL, false);
    TacWorldDef def = tac_world_def_default();
    def.threads = (int)o->threads;
    def.seed = o->seed;
    if (code == APP_DONE) code = app_create_world(&world, scene, &def, o->quiet, &error);
    if (code == APP_DONE) code = record(world, o, path);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return app_finish_output(code);
}

static int sound(int argc, char **argv) {
    SoundOptions o = {.threads = 1, .seed = 1};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_sound_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? sound_scene(&o, arguments.items[0]) : app_parsed_code(parsed);
    app_texts_free(&arguments);
    app_free_values(&app_sound_command, &o);
    return code;
}
