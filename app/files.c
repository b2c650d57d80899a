// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus info, diff and export: looking into files, comparing recordings, turning them into other formats.

#include "commands.h"
#include "json.h"
#include "progress.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LINES = 60 };

static int info(int argc, char **argv);
static int diff(int argc, char **argv);
static int export_files(int argc, char **argv);

// --- info -------------------------------------------------------------------------------------------------

typedef struct InfoOptions {
    AppSceneOptions scene; // first, for APP_SCENE_OPTIONS
    bool json;
} InfoOptions;

static const AppOption info_options[] = {
    APP_SCENE_OPTIONS,
    {.name = "json",
     .kind = APP_FLAG,
     .offset = offsetof(InfoOptions, json),
     .doc = "Prints one JSON object, on one line."},
};

const AppCommand app_info_command = {
    .name = "info",
    .arguments = "FILE",
    .summary = "says what is in a recording, a snapshot, a mesh or a scene",
    .text =
        "Says what is in a file. Of a recording: tracks, channels, frames, time and damage. Of a snapshot "
        "(.tacsnap): of which scene, at what time. Of a mesh (.obj .stl .ply .msh .vtk .vtu .sph): counts, "
        "bounds, volume. Of a scene: parameters and sizes; check says more.",
    .examples = "  tactus info beam.tacrec\n"
                "  tactus info bunny.stl\n"
                "  tactus info beam.tacrec --json | jq '.channels[].name'\n",
    .options = info_options,
    .option_count = APP_COUNT(info_options),
    .least = 1,
    .most = 1,
    .run = info,
};

static uint64_t size_of_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void put_recording(const char *path, const TacRecording *recording) {
    const TacRecordingDef *def = tac_recording_def(recording);
    const char *damage = tac_recording_damage(recording);
    size_t frames = tac_recording_frame_count(recording);
    AppStyle style = app_style(stdout);
    fputs(style.bold, stdout);
    app_put(stdout, path);
    printf("%s: a recording of ", style.off);
    app_put(stdout, def->scene && *def->scene ? def->scene : "a scene");
    printf("\n  %s frames", app_count(frames).text);
    if (frames)
        printf(" from %g s to %g s", tac_recording_frame_time(recording, 0),
               tac_recording_frame_time(recording, frames - 1));
    if (def->fps > 0) printf(", %g per second", def->fps);
    printf(", beat %g s\n  %s, %s precision%s\n", def->beat, app_bytes(size_of_file(path)).text,
           def->single_precision ? "single" : "double", def->velocities ? ", with velocities" : "");
    if (damage) {
        printf("  %sdamaged: ", style.red);
        app_put(stdout, damage);
        printf("%s\n", style.off);
    }
    printf("\n%sTracks%s\n", style.bold, style.off);
    for (size_t i = 0; i < def->track_count && i < MOST_LINES; i++) {
        const TacTrackDef *track = &def->tracks[i];
        fputs("  ", stdout);
        app_put(stdout, track->name);
        printf("  %s, %s points, %s triangles%s\n", tac_matter_kind_name(track->kind),
               app_count(track->point_count).text, app_count(track->mesh.triangles.count / 3).text,
               track->visible ? "" : ", hidden");
    }
    if (def->track_count > MOST_LINES) printf("  ... and %zu more\n", def->track_count - MOST_LINES);
    printf("\n%sChannels%s\n", style.bold, style.off);
    for (size_t i = 0; i < def->channel_count && i < MOST_LINES; i++) {
        fputs("  ", stdout);
        app_put(stdout, def->channels[i].name);
        fputs("  ", stdout);
        app_put(stdout, def->channels[i].unit);
        putchar('\n');
    }
    if (def->channel_count > MOST_LINES) printf("  ... and %zu more\n", def->channel_count - MOST_LINES);
}

static void put_recording_json(const char *path, const TacRecording *recording) {
    const TacRecordingDef *def = tac_recording_def(recording);
    size_t frames = tac_recording_frame_count(recording);
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "kind", "recording");
    app_json_text(&json, "path", path);
    app_json_text(&json, "scene", def->scene);
    app_json_number(&json, "bytes", size_of_file(path));
    app_json_number(&json, "frames", frames);
    app_json_real(&json, "from", frames ? tac_recording_frame_time(recording, 0) : NAN);
    app_json_real(&json, "to", frames ? tac_recording_frame_time(recording, frames - 1) : NAN);
    app_json_real(&json, "fps", def->fps);
    app_json_real(&json, "beat", def->beat);
    app_json_bool(&json, "velocities", def->velocities);
    app_json_bool(&json, "single_precision", def->single_precision);
    app_json_text(&json, "damage", tac_recording_damage(recording));
    app_json_open(&json, "tracks", '[');
    for (size_t i = 0; i < def->track_count; i++) {
        const TacTrackDef *track = &def->tracks[i];
        app_json_open(&json, NULL, '{');
        app_json_text(&json, "name", track->name);
        app_json_text(&json, "kind", tac_matter_kind_name(track->kind));
        app_json_number(&json, "points", track->point_count);
        app_json_number(&json, "triangles", track->mesh.triangles.count / 3);
        app_json_number(&json, "edges", track->mesh.edges.count / 2);
        app_json_number(&json, "tetrahedra", track->mesh.tetrahedra.count / 4);
        app_json_bool(&json, "visible", track->visible);
        app_json_close(&json, '}');
    }
    app_json_close(&json, ']');
    app_json_open(&json, "channels", '[');
    for (size_t i = 0; i < def->channel_count; i++) {
        app_json_open(&json, NULL, '{');
        app_json_text(&json, "name", def->channels[i].name);
        app_json_text(&json, "unit", def->channels[i].unit);
        app_json_close(&json, '}');
    }
    app_json_close(&json, ']');
    app_json_close(&json, '}');
}

static void put_mesh(const char *path, const TacMesh *mesh) {
    TacVec3 low, high;
    tac_mesh_bounds(mesh, &low, &high);
    AppStyle style = app_style(stdout);
    fputs(style.bold, stdout);
    app_put(stdout, path);
    printf("%s: a mesh\n  %s", style.off, app_number_of(mesh->point_count, "point").text);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        if (mesh->elements[kind].count)
            printf(", %s", app_elements(mesh->elements[kind].count, (TacElement)kind).text);
    if (mesh->radii) fputs(", a radius each", stdout);
    printf("\n  from (%g, %g, %g) to (%g, %g, %g), %g x %g x %g m\n", low.x, low.y, low.z, high.x, high.y,
           high.z, high.x - low.x, high.y - low.y, high.z - low.z);
    printf("  volume %g m^3\n  %s\n", tac_mesh_volume(mesh), app_bytes(size_of_file(path)).text);
}

static void put_mesh_json(const char *path, const TacMesh *mesh) {
    TacVec3 low, high;
    tac_mesh_bounds(mesh, &low, &high);
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "kind", "mesh");
    app_json_text(&json, "path", path);
    app_json_number(&json, "bytes", size_of_file(path));
    app_json_number(&json, "points", mesh->point_count);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        app_json_number(&json, tac_element_name((TacElement)kind), mesh->elements[kind].count);
    app_json_bool(&json, "radii", mesh->radii != NULL);
    app_json_vec3(&json, "low", low);
    app_json_vec3(&json, "high", high);
    app_json_real(&json, "volume", tac_mesh_volume(mesh));
    app_json_close(&json, '}');
}

static int info_recording(const char *path, bool json) {
    TacRecording *recording;
    int code = app_open_recording(&recording, path);
    if (code != APP_DONE) return code;
    if (json)
        put_recording_json(path, recording);
    else
        put_recording(path, recording);
    tac_recording_close(recording);
    return APP_DONE;
}

static int info_mesh(const char *path, bool json) {
    TacError error;
    TacMesh mesh;
    if (tac_mesh_read(&mesh, path, &error) != TAC_OK) return app_report(&error);
    if (json)
        put_mesh_json(path, &mesh);
    else
        put_mesh(path, &mesh);
    tac_mesh_destroy(&mesh);
    return APP_DONE;
}

static void put_snapshot(const char *path, const TacSnapshotInfo *info) {
    AppStyle style = app_style(stdout);
    fputs(style.bold, stdout);
    app_put(stdout, path);
    printf("%s: a snapshot of ", style.off);
    app_put(stdout, info->scene[0] ? info->scene : "a scene");
    printf("\n  at %.9g s, beat %g s, %s scheduler, seed %llu\n  %s, by version %d.%d.%d\n", info->time,
           info->beat, info->loose ? "loose" : "causal", (unsigned long long)info->seed,
           app_bytes(info->bytes).text, info->library[0], info->library[1], info->library[2]);
}

static void put_snapshot_json(const char *path, const TacSnapshotInfo *info) {
    char library[48];
    snprintf(library, sizeof library, "%d.%d.%d", info->library[0], info->library[1], info->library[2]);
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "kind", "snapshot");
    app_json_text(&json, "path", path);
    app_json_text(&json, "scene", info->scene);
    app_json_number(&json, "bytes", info->bytes);
    app_json_real(&json, "time", info->time);
    app_json_int(&json, "tick", info->tick);
    app_json_real(&json, "beat", info->beat);
    app_json_text(&json, "scheduler", info->loose ? "loose" : "causal");
    app_json_number(&json, "seed", info->seed);
    app_json_int(&json, "version", info->version);
    app_json_text(&json, "library", library);
    app_json_close(&json, '}');
}

static int info_snapshot(const char *path, bool as_json) {
    TacError error;
    TacSnapshotInfo about;
    if (tac_snapshot_read_info(&about, path, &error) != TAC_OK) return app_report(&error);
    if (as_json)
        put_snapshot_json(path, &about);
    else
        put_snapshot(path, &about);
    return APP_DONE;
}

// The extension decides; other names are recordings if they can be opened as one, and otherwise meshes.
static int info_file(const char *path, const InfoOptions *o) {
    if (app_has_extension(path, ".tac")) return app_check_scene(path, &o->scene, o->json, true);
    if (app_has_extension(path, ".tacrec")) return info_recording(path, o->json);
    if (app_has_extension(path, ".tacsnap")) return info_snapshot(path, o->json);
    TacRecording *recording;
    if (tac_recording_open(&recording, path, NULL) != TAC_OK) return info_mesh(path, o->json);
    tac_recording_close(recording);
    return info_recording(path, o->json);
}

static int info(int argc, char **argv) {
    InfoOptions o = {0};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_info_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? info_file(arguments.items[0], &o) : app_parsed_code(parsed);
    app_texts_free(&arguments);
    app_free_values(&app_info_command, &o);
    return code;
}

// --- diff -------------------------------------------------------------------------------------------------

typedef struct DiffOptions {
    bool json;
} DiffOptions;

static const AppOption diff_options[] = {
    {.name = "json",
     .kind = APP_FLAG,
     .offset = offsetof(DiffOptions, json),
     .doc = "Prints one JSON object, on one line."},
};

const AppCommand app_diff_command = {
    .name = "diff",
    .arguments = "A B",
    .summary = "compares two recordings",
    .text = "Compares two recordings frame by frame. The exit code is 0 when they are the same, bit for bit, "
            "and 1 when they differ; then it says from which frame on, and how much each track differs.",
    .examples = "  tactus diff old.tacrec new.tacrec\n"
                "  tactus diff old.tacrec new.tacrec --json | jq '.tracks[] | select(.largest > 1e-6)'\n",
    .options = diff_options,
    .option_count = APP_COUNT(diff_options),
    .least = 2,
    .most = 2,
    .run = diff,
};

static void put_difference(const TacDifference *d, const TacRecording *a) {
    if (d->same) {
        printf("the same: %s frames\n", app_count(d->frames).text);
        return;
    }
    if (d->first_frame != SIZE_MAX && d->first_frame < tac_recording_frame_count(a))
        printf("they differ from frame %zu on, at %g s\n", d->first_frame,
               tac_recording_frame_time(a, d->first_frame));
    else
        puts("they differ");
    if (d->frames_a != d->frames_b)
        printf("  %zu frames, and %zu; %zu are compared\n", d->frames_a, d->frames_b, d->frames);
    if (d->only_a || d->only_b)
        printf("  tracks only in the first: %zu, in the second: %zu\n", d->only_a, d->only_b);
    if (d->channels_differ) printf("  channels that differ: %zu\n", d->channels_differ);
    printf("  %12s  %12s  %10s  %s\n", "largest", "rms", "at", "track");
    for (size_t i = 0; i < d->track_count; i++) {
        const TacTrackDifference *track = &d->tracks[i];
        if (track->shape_differs)
            printf("  %38s  ", "other kind or number of points");
        else
            printf("  %12.5g  %12.5g  %8.4g s  ", track->largest, track->rms, track->largest_at);
        app_put(stdout, track->name);
        putchar('\n');
    }
}

static void put_difference_json(const TacDifference *d) {
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_bool(&json, "same", d->same);
    if (d->first_frame == SIZE_MAX)
        app_json_text(&json, "first_frame", NULL);
    else
        app_json_number(&json, "first_frame", d->first_frame);
    app_json_number(&json, "frames", d->frames);
    app_json_number(&json, "frames_a", d->frames_a);
    app_json_number(&json, "frames_b", d->frames_b);
    app_json_number(&json, "only_a", d->only_a);
    app_json_number(&json, "only_b", d->only_b);
    app_json_number(&json, "channels_differ", d->channels_differ);
    app_json_open(&json, "tracks", '[');
    for (size_t i = 0; i < d->track_count; i++) {
        const TacTrackDifference *track = &d->tracks[i];
        app_json_open(&json, NULL, '{');
        app_json_text(&json, "name", track->name);
        app_json_bool(&json, "shape_differs", track->shape_differs);
        app_json_real(&json, "largest", track->shape_differs ? NAN : track->largest);
        app_json_real(&json, "rms", track->shape_differs ? NAN : track->rms);
        app_json_real(&json, "largest_at", track->shape_differs ? NAN : track->largest_at);
        app_json_close(&json, '}');
    }
    app_json_close(&json, ']');
    app_json_close(&json, '}');
}

static int compare(TacRecording *a, TacRecording *b, bool json) {
    TacError error;
    TacDifference difference;
    if (tac_recording_compare(a, b, &difference, &error) != TAC_OK) return app_report(&error);
    if (json)
        put_difference_json(&difference);
    else
        put_difference(&difference, a);
    int code = difference.same ? APP_DONE : APP_FAILED;
    tac_difference_destroy(&difference);
    return code;
}

static int diff(int argc, char **argv) {
    DiffOptions o = {0};
    AppTexts arguments = {0};
    TacRecording *a = NULL, *b = NULL;
    AppParsed parsed = app_parse(&app_diff_command, argc, argv, &o, &arguments);
    int code = app_parsed_code(parsed);
    if (parsed == APP_PARSED) {
        code = app_open_recording(&a, arguments.items[0]);
        if (code == APP_DONE) code = app_open_recording(&b, arguments.items[1]);
        if (code == APP_DONE) code = compare(a, b, o.json);
    }
    if (a) tac_recording_close(a);
    if (b) tac_recording_close(b);
    app_texts_free(&arguments);
    return code;
}

// --- export -----------------------------------------------------------------------------------------------

typedef struct ExportOptions {
    AppTexts outputs;
    bool quiet;
} ExportOptions;

static const AppOption export_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXTS,
     .value = "FILE",
     .offset = offsetof(ExportOptions, outputs),
     .doc =
         "Where to write; the extension decides: .obj with a .pc2 beside it per track (Blender), .pvd with "
         "a folder of .vtu (ParaView), .usda (Blender, Houdini), .csv (channels), a name with / at its end "
         "for a folder of OBJ frames. May be given several times."},
    {.name = "quiet",
     .letter = 'q',
     .kind = APP_FLAG,
     .offset = offsetof(ExportOptions, quiet),
     .doc = "No progress bar, no summary."},
};

const AppCommand app_export_command = {
    .name = "export",
    .arguments = "RECORDING",
    .summary = "turns a recording into files for Blender, ParaView, Houdini or a table",
    .text = "Turns a recording into files that other programs open.",
    .examples =
        "  tactus export beam.tacrec -o beam.obj          Blender: OBJ, and PC2 for the Mesh Cache modifier\n"
        "  tactus export beam.tacrec -o beam.pvd          ParaView, with true times\n"
        "  tactus export beam.tacrec -o beam.usda -o beam.csv\n"
        "  tactus export beam.tacrec -o frames/           one OBJ per frame\n",
    .options = export_options,
    .option_count = APP_COUNT(export_options),
    .least = 1,
    .most = 1,
    .run = export_files,
};

bool app_is_export_path(const char *path) {
    static const char *const extensions[] = {".obj", ".pvd", ".usda", ".csv", "/"};
    for (size_t i = 0; i < APP_COUNT(extensions); i++)
        if (app_has_extension(path, extensions[i])) return true;
    return false;
}

int app_export(TacRecording *recording, const char *path, bool quiet) {
    char label[80];
    const char *slash = strrchr(path, '/');
    snprintf(label, sizeof label, "%.60s", slash && slash[1] ? slash + 1 : path);
    AppProgress progress = app_progress(label, quiet);
    // after Ctrl-C during a run its export is still made; one that is under way is stopped
    bool stoppable = !app_interrupted();
    TacError error;
    TacStatus status =
        tac_recording_export(recording, path, stoppable ? app_progress_step : NULL, &progress, &error);
    app_progress_end(&progress);
    if (status == TAC_OK) return APP_DONE;
    if (stoppable && app_interrupted()) {
        app_say("stopped; %.300s is not complete", path);
        return APP_STOPPED;
    }
    return app_report(&error);
}

static int export_all(TacRecording *recording, const ExportOptions *o) {
    for (size_t i = 0; i < o->outputs.count; i++) {
        int code = app_export(recording, o->outputs.items[i], o->quiet);
        if (code != APP_DONE) return code;
        if (o->quiet) continue;
        app_put(stdout, o->outputs.items[i]);
        printf(": %s frames\n", app_count(tac_recording_frame_count(recording)).text);
    }
    return APP_DONE;
}

static int export_files(int argc, char **argv) {
    ExportOptions o = {0};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_export_command, argc, argv, &o, &arguments);
    int code = app_parsed_code(parsed);
    TacRecording *recording = NULL;
    if (parsed == APP_PARSED) {
        code = o.outputs.count ? app_open_recording(&recording, arguments.items[0])
                               : app_bad_usage("export", "say where to with -o FILE");
        if (code == APP_DONE) {
            app_catch_interrupt();
            code = export_all(recording, &o);
        }
    }
    if (recording) tac_recording_close(recording);
    app_texts_free(&arguments);
    app_free_values(&app_export_command, &o);
    return code;
}
