// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tac_recording_render: which frames, seen from where, into which files. Drawing itself is record/drawing.h
// and record/shade.h. Reads the recording through its public calls; writes PNG files.
//
// The camera that is chosen when nobody gave one looks from a fixed direction (obliquely from above; straight
// on when all matter is flat) and stands as near as it can while every recorded position stays inside the
// picture: with x to the right, z towards the eye and t the slope of the picture's border, a point is inside
// the right border when x + z t <= e_x + e_z t. So the largest x + z t and -x + z t over all points give the
// nearest eye in one pass, exactly, and likewise for y.

#include "record/plot_axes.h"
#include "record/png.h"
#include "record/shade.h"

#include "base/memory.h"

#include <limits.h>
#include <stdio.h>

#define MOST_PIXELS    32767 // along a side: cairo's limit
#define MOST_SAMPLES   8
#define SURVEY_FRAMES  120  // looked at to choose a camera
#define FIELD_OF_VIEW  26.0 // degrees, where nothing is said
#define MARGIN         1.07 // of the picture around what is seen
#define LABEL_FRACTION 0.05 // of a strip's height, for the times

TacRenderDef tac_render_def_default(void) {
    return (TacRenderDef){.width = 1280, .height = 720, .at = NAN, .samples = 2};
}

// Everything about a rendering that does not change from frame to frame.
typedef struct Session {
    TacRecording *recording;
    const TacRecordingDef *def;
    const TacRenderDef *render;
    const TacTrackMesh **meshes; // one per track, refreshed for each frame
    TacTeam *team;
    TacDrawing drawing;
    TacVec3 up, centre;
    double size;
    TacCamera camera;
    int width, height; // pixels of the drawn part of one picture
} Session;

// Survey

// The bounds of all positions, and the four sums that decide where the eye must stand.
typedef struct Survey {
    TacVec3 right, up, back; // the camera's axes
    double slope_x, slope_y; // of the picture's borders
    double reach[4];         // largest x + z t, -x + z t, y + z t, -y + z t
    TacVec3 low, high;
} Survey;

static void survey_point(Survey *survey, TacVec3 p, double radius) {
    if (!tac_is_drawable(p)) return;
    survey->low = tac_vec3(fmin(survey->low.x, p.x - radius), fmin(survey->low.y, p.y - radius),
                           fmin(survey->low.z, p.z - radius));
    survey->high = tac_vec3(fmax(survey->high.x, p.x + radius), fmax(survey->high.y, p.y + radius),
                            fmax(survey->high.z, p.z + radius));
    double x = tac_dot(p, survey->right), y = tac_dot(p, survey->up), z = tac_dot(p, survey->back);
    double tx = survey->slope_x, ty = survey->slope_y;
    double rx = radius * sqrt(1 + tx * tx), ry = radius * sqrt(1 + ty * ty);
    double reach[4] = {x + z * tx + rx, -x + z * tx + rx, y + z * ty + ry, -y + z * ty + ry};
    for (int k = 0; k < 4; k++) survey->reach[k] = fmax(survey->reach[k], reach[k]);
}

static void survey_frame(Survey *survey, const TacRecordingDef *def, const TacFrame *frame) {
    for (size_t i = 0; i < def->track_count; i++) {
        const TacTrackDef *track = &def->tracks[i];
        if (!track->visible) continue;
        for (size_t k = 0; k < frame->tracks[i].count; k++) {
            double radius = k < track->radii.count ? track->radii.data[k] : track->radius;
            if (!(radius > 0 && radius <= TAC_FARTHEST)) radius = 0;
            survey_point(survey, tac_point_in_space(track->kind, frame->tracks[i].positions, k), radius);
        }
    }
}

static TacStatus survey_recording(Survey *survey, Session *session, TacError *error) {
    size_t frames = tac_recording_frame_count(session->recording);
    size_t looks = frames < SURVEY_FRAMES ? frames : SURVEY_FRAMES;
    survey->low = tac_vec3(INFINITY, INFINITY, INFINITY);
    survey->high = tac_vec3(-INFINITY, -INFINITY, -INFINITY);
    for (int k = 0; k < 4; k++) survey->reach[k] = -INFINITY;
    for (size_t i = 0; i < looks; i++) {
        // from the first to the last, both included
        size_t number = looks > 1 ? (size_t)((double)i * (double)(frames - 1) / (double)(looks - 1)) : 0;
        if (i == looks - 1) number = frames - 1;
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(session->recording, number, &frame, error));
        survey_frame(survey, session->def, frame);
    }
    return TAC_OK;
}

// Camera

static bool is_flat(const TacRecordingDef *def) {
    for (size_t i = 0; i < def->track_count; i++)
        if (def->tracks[i].visible && (def->tracks[i].kind == TAC_VEC3 || def->tracks[i].kind == TAC_RIGID3))
            return false;
    return true;
}

static TacVec3 usable_up(TacVec3 up) {
    double length = tac_norm(up);
    return length > 0 && isfinite(length) ? tac_scale(up, 1 / length) : tac_vec3(0, 1, 0);
}

// The direction from which an unguided camera looks: `back` points from the scene to the eye.
static void choose_direction(Survey *survey, const TacRecordingDef *def, TacVec3 up) {
    TacVec3 front, side;
    if (is_flat(def) && fabs(up.z) < 0.9) {
        // flat matter lies in the plane z = 0 and is looked at squarely
        front = tac_unit(tac_axpy(tac_vec3(0, 0, 1), -up.z, up));
        survey->back = front;
    } else {
        // for z up the front is -y, as in drawings of machines; otherwise it is +z
        TacVec3 toward = fabs(up.z) > 0.7 ? tac_vec3(0, -1, 0) : tac_vec3(0, 0, 1);
        front = tac_unit(tac_axpy(toward, -tac_dot(toward, up), up));
        side = tac_cross(up, front);
        double azimuth = 28 * TAC_PI / 180, elevation = 20 * TAC_PI / 180;
        TacVec3 level = tac_axpy(tac_scale(front, cos(azimuth)), sin(azimuth), side);
        survey->back = tac_axpy(tac_scale(level, cos(elevation)), sin(elevation), up);
    }
    survey->right = tac_unit(tac_cross(up, survey->back));
    survey->up = tac_cross(survey->back, survey->right);
}

static TacCamera camera_that_fits(const Survey *survey, double degrees) {
    const double *reach = survey->reach;
    double x = 0.5 * (reach[0] - reach[1]), y = 0.5 * (reach[2] - reach[3]);
    double z =
        fmax((reach[0] + reach[1]) / (2 * survey->slope_x), (reach[2] + reach[3]) / (2 * survey->slope_y));
    TacVec3 middle = tac_scale(tac_add(survey->low, survey->high), 0.5);
    TacVec3 eye = tac_axpy(tac_axpy(tac_scale(survey->right, x), y, survey->up), z, survey->back);
    double distance = z - tac_dot(middle, survey->back);
    return (TacCamera){eye, tac_axpy(eye, -distance, survey->back), degrees};
}

static bool is_given(const TacCamera *camera) {
    return tac_is_drawable(camera->eye) && tac_is_drawable(camera->target) &&
           tac_norm(tac_sub(camera->eye, camera->target)) > 0;
}

static double usable_angle(double degrees) {
    return degrees > 0 && degrees < 179 ? degrees : FIELD_OF_VIEW;
}

static TacStatus choose_camera(Session *session, TacError *error) {
    const TacCamera *asked = &session->render->camera, *recorded = &session->def->camera;
    const TacCamera *given = is_given(asked) ? asked : is_given(recorded) ? recorded : NULL;
    double angle = usable_angle(asked->field_of_view > 0 ? asked->field_of_view : recorded->field_of_view);
    Survey survey = {0};
    survey.slope_y = tan(0.5 * angle * TAC_PI / 180) / MARGIN;
    survey.slope_x = survey.slope_y * session->width / session->height;
    choose_direction(&survey, session->def, session->up);
    TAC_TRY(survey_recording(&survey, session, error));
    double size = tac_norm(tac_sub(survey.high, survey.low));
    bool anything = survey.low.x <= survey.high.x;
    if (!anything) survey.low = survey.high = tac_vec3(0, 0, 0);
    session->centre = tac_scale(tac_add(survey.low, survey.high), 0.5);
    session->size = anything && size > 0 ? size : 1;
    if (given) {
        session->camera = *given;
        session->camera.field_of_view = usable_angle(given->field_of_view);
        return TAC_OK;
    }
    // a lone point, or nothing at all: look at a metre around it
    if (!anything || !(size > 0)) {
        for (int k = 0; k < 4; k++) survey.reach[k] = -INFINITY;
        survey_point(&survey, session->centre, 0.5);
    }
    session->camera = camera_that_fits(&survey, angle);
    return TAC_OK;
}

// Frames

// The frame whose time is nearest; times ascend.
static size_t frame_nearest(const TacRecording *recording, double time) {
    size_t low = 0, high = tac_recording_frame_count(recording) - 1;
    if (isnan(time)) return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tac_recording_frame_time(recording, middle) < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && time - tac_recording_frame_time(recording, low - 1) <=
                       tac_recording_frame_time(recording, low) - time)
        low--;
    return low;
}

static TacStatus draw_frame(Session *session, size_t number, uint32_t *pixels, size_t stride,
                            TacError *error) {
    const TacFrame *frame;
    TAC_TRY(tac_recording_frame(session->recording, number, &frame, error));
    for (size_t i = 0; i < session->def->track_count; i++)
        session->meshes[i] = tac_recording_mesh(session->recording, i);
    TAC_TRY(tac_drawing_make(&session->drawing, session->def, frame, session->meshes, session->size, error));
    int samples = session->render->samples;
    TacView view = tac_view_perspective(session->camera.eye, session->camera.target, session->up,
                                        session->camera.field_of_view, session->width * samples,
                                        session->height * samples);
    TacStage stage = tac_stage(&view, session->width, session->height, samples, session->up,
                               session->def->ground, session->centre, session->size, session->render->dark);
    return tac_stage_draw(&stage, &session->drawing, session->team, pixels, stride, error);
}

// Draws one frame into a part of an image, `left` pixels from its border.
static TacStatus draw_into(Session *session, size_t number, cairo_surface_t *image, int left,
                           TacError *error) {
    cairo_surface_flush(image);
    uint32_t *pixels = (uint32_t *)(void *)cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image) / sizeof(uint32_t);
    TacStatus status = draw_frame(session, number, pixels + left, stride, error);
    cairo_surface_mark_dirty(image);
    return status;
}

static TacStatus render_still(Session *session, size_t number, const char *path, TacError *error) {
    cairo_surface_t *image = tac_image_create(session->width, session->height, error);
    if (!image) return TAC_NO_MEMORY;
    TacStatus status = draw_into(session, number, image, 0, error);
    if (status == TAC_OK) status = tac_png_write(image, path, error);
    cairo_surface_destroy(image);
    return status;
}

static TacStatus stopped(TacError *error) {
    return tac_fail(error, TAC_FAILED, "the rendering was stopped");
}

static TacStatus render_movie(Session *session, const char *path, TacProgress progress, void *data,
                              TacError *error) {
    size_t frames = tac_recording_frame_count(session->recording), stem = strlen(path) - strlen(".png");
    char numbered[4096];
    for (size_t i = 0; i < frames; i++) {
        if (progress && !progress(data, (double)i / (double)frames)) return stopped(error);
        int length = snprintf(numbered, sizeof numbered, "%.*s-%05zu%s", (int)stem, path, i, path + stem);
        if (length < 0 || (size_t)length >= sizeof numbered)
            return tac_fail(error, TAC_BAD_USAGE, "the path is too long: %.80s...", path);
        TAC_TRY(render_still(session, i, numbered, error));
    }
    return TAC_OK;
}

// Writes the time under a picture of a strip.
static void label_picture(const Session *session, cairo_t *cairo, int left, int total_height, double time) {
    char text[64];
    double span =
        tac_recording_frame_time(session->recording, tac_recording_frame_count(session->recording) - 1) -
        tac_recording_frame_time(session->recording, 0);
    // as many decimals as the span needs
    int decimals = span > 0 ? (int)fmin(fmax(ceil(2 - log10(span)), 0), 9) : 3;
    tac_text_fixed(text, sizeof text - 4, time, decimals);
    strcat(text, " s");
    int band = total_height - session->height;
    double size = fmax(8, 0.5 * band);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    double grey = session->render->dark ? 0.72 : 0.32;
    cairo_set_source_rgb(cairo, grey, grey, grey * 1.04);
    cairo_move_to(cairo, left + 0.5 * (session->width - extents.x_advance),
                  session->height + 0.5 * band + 0.36 * size);
    cairo_show_text(cairo, text);
}

static TacStatus draw_strip(Session *session, cairo_surface_t *image, int total_height, TacProgress progress,
                            void *data, TacError *error) {
    size_t frames = tac_recording_frame_count(session->recording);
    double first = tac_recording_frame_time(session->recording, 0),
           last = tac_recording_frame_time(session->recording, frames - 1);
    int count = session->render->strip;
    bool dark = session->render->dark;
    cairo_t *cairo = cairo_create(image);
    // the band for the times, then the pictures
    cairo_set_source_rgb(cairo, dark ? 0.07 : 0.97, dark ? 0.075 : 0.975, dark ? 0.09 : 0.98);
    cairo_paint(cairo);
    TacStatus status = TAC_OK;
    for (int i = 0; i < count && status == TAC_OK; i++) {
        if (progress && !progress(data, (double)i / count)) status = stopped(error);
        size_t number = frame_nearest(session->recording, first + (last - first) * i / (count - 1));
        if (status == TAC_OK) status = draw_into(session, number, image, i * session->width, error);
        if (status == TAC_OK)
            label_picture(session, cairo, i * session->width, total_height,
                          tac_recording_frame_time(session->recording, number));
    }
    // thin lines between the pictures
    cairo_set_source_rgba(cairo, dark ? 1 : 0, dark ? 1 : 0, dark ? 1 : 0, 0.16);
    for (int i = 1; i < count; i++) cairo_rectangle(cairo, i * session->width - 0.5, 0, 1, session->height);
    cairo_fill(cairo);
    cairo_destroy(cairo);
    return status;
}

static TacStatus render_strip(Session *session, const char *path, TacProgress progress, void *data,
                              TacError *error) {
    int total_height = session->render->height;
    cairo_surface_t *image = tac_image_create(session->width * session->render->strip, total_height, error);
    if (!image) return TAC_NO_MEMORY;
    TacStatus status = draw_strip(session, image, total_height, progress, data, error);
    if (status == TAC_OK) status = tac_png_write(image, path, error);
    cairo_surface_destroy(image);
    return status;
}

static TacStatus check_render(const TacRecording *recording, const TacRenderDef *def, const char *path,
                              TacError *error) {
    if (!tac_path_has_extension(path, ".png"))
        return tac_fail_at(error, TAC_BAD_USAGE, path, 0, 0, "pictures are written as .png; end the path so");
    if (def->width < 16 || def->height < 16 || def->width > MOST_PIXELS || def->height > MOST_PIXELS)
        return tac_fail(error, TAC_BAD_USAGE, "a picture has 16 to %d pixels a side, not %d x %d",
                        MOST_PIXELS, def->width, def->height);
    if (def->samples < 1 || def->samples > MOST_SAMPLES)
        return tac_fail(error, TAC_BAD_USAGE, "1 to %d samples per pixel side are possible, not %d",
                        MOST_SAMPLES, def->samples);
    if (def->strip < 0 || (def->strip > 1 && def->movie))
        return tac_fail(error, TAC_BAD_USAGE, "a strip has at least 1 moment and is not a movie");
    if (def->strip > 1 && (int64_t)def->strip * def->width > MOST_PIXELS)
        return tac_fail(error, TAC_BAD_USAGE,
                        "a strip of %d pictures, %d pixels wide each, is wider than %d pixels", def->strip,
                        def->width, MOST_PIXELS);
    if (isinf(def->at)) return tac_fail(error, TAC_BAD_USAGE, "the moment to draw must be finite");
    if (tac_recording_frame_count(recording) == 0)
        return tac_fail(error, TAC_BAD_INPUT, "the recording has no frames to draw");
    return TAC_OK;
}

TacStatus tac_recording_render(TacRecording *recording, const TacRenderDef *def, const char *path,
                               TacProgress progress, void *data, TacError *error) {
    TAC_TRY(check_render(recording, def, path, error));
    Session session = {.recording = recording,
                       .def = tac_recording_def(recording),
                       .render = def,
                       .width = def->width,
                       .height = def->height};
    if (def->strip > 1) session.height -= (int)fmax(14, LABEL_FRACTION * def->height);
    if (session.height < 1) session.height = 1;
    session.up = usable_up(session.def->up);
    session.meshes = calloc(session.def->track_count + 1, sizeof *session.meshes);
    if (!session.meshes) return tac_fail_memory(error, session.def->track_count * sizeof *session.meshes);
    // without threads it takes longer and looks the same
    if (tac_team_create(&session.team, 0, NULL) != TAC_OK) session.team = NULL;
    TacStatus status = choose_camera(&session, error);
    if (status == TAC_OK) {
        if (def->movie)
            status = render_movie(&session, path, progress, data, error);
        else if (def->strip > 1)
            status = render_strip(&session, path, progress, data, error);
        else
            status = render_still(&session, frame_nearest(recording, def->at), path, error);
    }
    if (status == TAC_OK && progress) progress(data, 1);
    tac_drawing_destroy(&session.drawing);
    tac_team_destroy(session.team);
    free(session.meshes);
    return status;
}
