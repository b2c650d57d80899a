// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From a frame to primitives in space: see record/drawing.h. Normals are averaged over the faces around a
// corner that lean less than the crease angle from the corner's own face, so that balls and cloth look smooth
// and boxes keep their edges.

#include "record/drawing.h"

#include "base/memory.h"

#define CREASE_COSINE 0.5 // faces that meet at more than 60 degrees stay apart
#define FAN_LIMIT     64  // faces looked at around a corner: a point that a million faces share costs no more

// Fractions of the scene's size, for what has no radius of its own.
#define WIRE_FRACTION  0.0035
#define BALL_FRACTION  0.012
#define CROSS_FRACTION 0.05

double tac_linear_from_srgb(double value) {
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

double tac_srgb_from_linear(double value) {
    return value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

TacVec3 tac_point_in_space(TacMatterKind kind, const double *positions, size_t i) {
    switch (kind) {
    case TAC_VEC1: return tac_vec3(positions[i], 0, 0);
    case TAC_VEC2: return tac_vec3(positions[2 * i], positions[2 * i + 1], 0);
    case TAC_RIGID2: return tac_vec3(positions[3 * i], positions[3 * i + 1], 0);
    case TAC_VEC3: return tac_load3(positions + 3 * i);
    case TAC_RIGID3: return tac_load3(positions + 7 * i);
    default: return tac_vec3(NAN, NAN, NAN);
    }
}

void tac_drawing_destroy(TacDrawing *drawing) {
    free(drawing->points);
    free(drawing->triangles);
    free(drawing->wires);
    free(drawing->balls);
    free(drawing->brushes);
    *drawing = (TacDrawing){0};
}

static void widen(TacDrawing *drawing, TacVec3 p, double radius) {
    if (!tac_is_drawable(p)) return;
    TacVec3 *low = &drawing->low, *high = &drawing->high;
    *low = tac_vec3(fmin(low->x, p.x - radius), fmin(low->y, p.y - radius), fmin(low->z, p.z - radius));
    *high = tac_vec3(fmax(high->x, p.x + radius), fmax(high->y, p.y + radius), fmax(high->z, p.z + radius));
}

static bool in_range(const int32_t *indices, size_t n, size_t count) {
    for (size_t i = 0; i < n; i++)
        if (indices[i] < 0 || (size_t)indices[i] >= count) return false;
    return true;
}

// One track while it is turned into primitives.
typedef struct TrackView {
    TacDrawing *drawing;
    const TacTrackDef *def;
    const TacFrameTrack *frame;
    const TacTrackMesh *mesh;
    double size;
    int32_t brush, cross_brush;
} TrackView;

static double radius_or(const TrackView *track, size_t point, double otherwise) {
    double radius = point < track->def->radii.count ? track->def->radii.data[point] : track->def->radius;
    return radius > 0 && radius <= TAC_FARTHEST ? radius : otherwise;
}

// Triangles

// The faces around each point, as one list with a start per point.
typedef struct Fans {
    size_t *starts;
    uint32_t *faces;
    TacVec3 *face_normals; // length: twice the area
} Fans;

static void fans_destroy(Fans *fans) {
    free(fans->starts);
    free(fans->faces);
    free(fans->face_normals);
}

static bool fans_make(Fans *fans, const TacDrawing *drawing, size_t first_point, size_t first_triangle) {
    size_t points = drawing->point_count - first_point, count = drawing->triangle_count - first_triangle;
    const TacDrawnTriangle *triangles = drawing->triangles + first_triangle;
    *fans = (Fans){calloc(points + 2, sizeof(size_t)), malloc((3 * count + 1) * sizeof(uint32_t)),
                   malloc((count + 1) * sizeof(TacVec3))};
    if (!fans->starts || !fans->faces || !fans->face_normals) return false;
    size_t base = first_point;
    for (size_t t = 0; t < count; t++) {
        const int32_t *c = triangles[t].corners;
        TacVec3 a = drawing->points[c[0]], b = drawing->points[c[1]], d = drawing->points[c[2]];
        fans->face_normals[t] = tac_cross(tac_sub(b, a), tac_sub(d, a));
        for (int k = 0; k < 3; k++) fans->starts[(size_t)c[k] - base + 2]++;
    }
    for (size_t i = 2; i < points + 2; i++) fans->starts[i] += fans->starts[i - 1];
    for (size_t t = 0; t < count; t++)
        for (int k = 0; k < 3; k++)
            fans->faces[fans->starts[(size_t)triangles[t].corners[k] - base + 1]++] = (uint32_t)t;
    return true;
}

static void smooth_corner(const Fans *fans, size_t point, size_t face, float normal[3]) {
    TacVec3 own = tac_unit(fans->face_normals[face]), sum = {0};
    size_t begin = fans->starts[point], end = fans->starts[point + 1];
    if (end - begin > FAN_LIMIT) end = begin + FAN_LIMIT;
    for (size_t i = begin; i < end; i++) {
        TacVec3 other = fans->face_normals[fans->faces[i]];
        double length = tac_norm(other);
        if (tac_dot(own, other) > CREASE_COSINE * length) sum = tac_add(sum, other);
    }
    sum = tac_norm(sum) > 0 ? tac_unit(sum) : own;
    normal[0] = (float)sum.x;
    normal[1] = (float)sum.y;
    normal[2] = (float)sum.z;
}

static bool add_points(TrackView *track) {
    TacDrawing *drawing = track->drawing;
    size_t count = track->frame->count, need = drawing->point_count + count;
    if (need > INT32_MAX || !tac_grow(&drawing->points, &drawing->point_room, need, sizeof(TacVec3)))
        return false;
    for (size_t i = 0; i < count; i++)
        drawing->points[drawing->point_count + i] =
            tac_point_in_space(track->def->kind, track->frame->positions, i);
    drawing->point_count = need;
    return true;
}

static bool add_triangles(TrackView *track) {
    TacDrawing *drawing = track->drawing;
    size_t first_point = drawing->point_count, first = drawing->triangle_count;
    size_t count = track->mesh->triangles.count / 3;
    if (count > UINT32_MAX || !add_points(track) ||
        !tac_grow(&drawing->triangles, &drawing->triangle_room, first + count, sizeof(TacDrawnTriangle)))
        return false;
    for (size_t t = 0; t < count; t++) {
        const int32_t *indices = track->mesh->triangles.data + 3 * t;
        if (!in_range(indices, 3, track->frame->count)) continue;
        TacDrawnTriangle triangle = {.brush = track->brush};
        bool drawable = true;
        for (int k = 0; k < 3; k++) {
            triangle.corners[k] = indices[k] + (int32_t)first_point;
            drawable &= tac_is_drawable(drawing->points[triangle.corners[k]]);
        }
        if (!drawable) continue;
        for (int k = 0; k < 3; k++) widen(drawing, drawing->points[triangle.corners[k]], 0);
        drawing->triangles[drawing->triangle_count++] = triangle;
    }
    Fans fans;
    bool made = fans_make(&fans, drawing, first_point, first);
    for (size_t t = first; made && t < drawing->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            TacDrawnTriangle *triangle = &drawing->triangles[t];
            smooth_corner(&fans, (size_t)triangle->corners[k] - first_point, t - first,
                          triangle->normals + 3 * k);
        }
    fans_destroy(&fans);
    return made;
}

// Wires and balls

static bool add_wire(TacDrawing *drawing, TacVec3 a, TacVec3 b, double radius, int32_t brush) {
    if (!tac_is_drawable(a) || !tac_is_drawable(b)) return true;
    if (!tac_grow(&drawing->wires, &drawing->wire_room, drawing->wire_count + 1, sizeof(TacDrawnWire)))
        return false;
    drawing->wires[drawing->wire_count++] = (TacDrawnWire){a, b, radius, brush};
    widen(drawing, a, radius);
    widen(drawing, b, radius);
    return true;
}

static bool add_ball(TacDrawing *drawing, TacVec3 centre, double radius, int32_t brush) {
    if (!tac_is_drawable(centre)) return true;
    if (!tac_grow(&drawing->balls, &drawing->ball_room, drawing->ball_count + 1, sizeof(TacDrawnBall)))
        return false;
    drawing->balls[drawing->ball_count++] = (TacDrawnBall){centre, radius, brush};
    widen(drawing, centre, radius);
    return true;
}

static bool add_wires(TrackView *track) {
    const TacInts *edges = &track->mesh->edges;
    double otherwise = WIRE_FRACTION * track->size;
    for (size_t e = 0; e + 2 <= edges->count; e += 2) {
        if (!in_range(edges->data + e, 2, track->frame->count)) continue;
        size_t i = (size_t)edges->data[e], j = (size_t)edges->data[e + 1];
        double radius = 0.5 * (radius_or(track, i, otherwise) + radius_or(track, j, otherwise));
        if (!add_wire(track->drawing, tac_point_in_space(track->def->kind, track->frame->positions, i),
                      tac_point_in_space(track->def->kind, track->frame->positions, j), radius, track->brush))
            return false;
    }
    return true;
}

// The axes of a frame, each in its own colour, with a small ball in the track's.
static bool add_cross(TrackView *track, size_t i, double length) {
    TacVec3 centre = tac_point_in_space(track->def->kind, track->frame->positions, i);
    TacQuat turn;
    int axes = 3;
    if (track->def->kind == TAC_RIGID3)
        turn = tac_quat_unit(tac_load_quat(track->frame->positions + 7 * i + 3));
    else {
        turn = tac_quat_from_vector(tac_vec3(0, 0, track->frame->positions[3 * i + 2]));
        axes = 2;
    }
    for (int k = 0; k < axes; k++) {
        TacVec3 axis = tac_rotate(turn, tac_vec3(k == 0, k == 1, k == 2));
        if (!add_wire(track->drawing, centre, tac_axpy(centre, length, axis), 0.07 * length,
                      track->cross_brush + k))
            return false;
    }
    return add_ball(track->drawing, centre, 0.2 * length, track->brush);
}

static bool add_points_as_balls(TrackView *track) {
    bool frames = track->def->kind == TAC_RIGID2 || track->def->kind == TAC_RIGID3;
    // many points without a radius become smaller, so that they stay apart
    double crowd = track->frame->count > 1 ? cbrt((double)track->frame->count) : 1;
    double otherwise = track->size * fmin(BALL_FRACTION, 0.2 / crowd);
    double length = track->size * fmin(CROSS_FRACTION, 0.4 / crowd);
    for (size_t i = 0; i < track->frame->count; i++) {
        double radius = radius_or(track, i, 0);
        bool added =
            frames && radius == 0
                ? add_cross(track, i, length)
                : add_ball(track->drawing, tac_point_in_space(track->def->kind, track->frame->positions, i),
                           radius > 0 ? radius : otherwise, track->brush);
        if (!added) return false;
    }
    return true;
}

static double channel_or_grey(double value) {
    return value >= 0 && value <= 1 ? tac_linear_from_srgb(value) : 0.5;
}

static TacBrush brush_of_track(const TacTrackDef *def) {
    TacBrush brush = {.opacity = def->opacity >= 0 && def->opacity <= 1 ? def->opacity : 1};
    for (int k = 0; k < 3; k++) brush.color[k] = channel_or_grey(def->color[k]);
    return brush;
}

static bool make_brushes(TacDrawing *drawing, const TacRecordingDef *def) {
    static const double cross[3][3] = {{0.80, 0.25, 0.22}, {0.24, 0.60, 0.28}, {0.22, 0.42, 0.80}};
    size_t count = def->track_count + 3;
    if (!tac_grow(&drawing->brushes, &drawing->brush_room, count, sizeof(TacBrush))) return false;
    for (size_t i = 0; i < def->track_count; i++) drawing->brushes[i] = brush_of_track(&def->tracks[i]);
    for (size_t i = 0; i < 3; i++) {
        TacBrush *brush = &drawing->brushes[def->track_count + i];
        brush->opacity = 1;
        for (int k = 0; k < 3; k++) brush->color[k] = tac_linear_from_srgb(cross[i][k]);
    }
    drawing->brush_count = count;
    return true;
}

TacStatus tac_drawing_make(TacDrawing *drawing, const TacRecordingDef *def, const TacFrame *frame,
                           const TacTrackMesh *const *meshes, double size, TacError *error) {
    drawing->point_count = drawing->triangle_count = drawing->wire_count = drawing->ball_count = 0;
    drawing->low = tac_vec3(INFINITY, INFINITY, INFINITY);
    drawing->high = tac_vec3(-INFINITY, -INFINITY, -INFINITY);
    static const TacTrackMesh no_mesh = {0};
    bool made = make_brushes(drawing, def);
    for (size_t i = 0; made && i < def->track_count; i++) {
        TrackView track = {.drawing = drawing,
                           .def = &def->tracks[i],
                           .frame = &frame->tracks[i],
                           .mesh = meshes[i] ? meshes[i] : &no_mesh,
                           .size = size,
                           .brush = (int32_t)i,
                           .cross_brush = (int32_t)def->track_count};
        if (!track.def->visible || drawing->brushes[i].opacity == 0 || track.frame->count == 0) continue;
        if (track.mesh->triangles.count >= 3)
            made = add_triangles(&track);
        else if (track.mesh->edges.count >= 2)
            made = add_wires(&track);
        else
            made = add_points_as_balls(&track);
    }
    return made ? TAC_OK : tac_fail(error, TAC_NO_MEMORY, "there is no memory to draw a frame");
}

// Rasterizing

static bool is_chosen(const TacDrawing *drawing, int32_t brush, TacBrushChoice choice, int32_t one) {
    double opacity = drawing->brushes[brush].opacity;
    if (choice == TAC_BRUSH_ONE) return brush == one;
    return choice == TAC_BRUSH_OPAQUE ? opacity == 1 : opacity >= 0.5;
}

// The radius in metres that looks `samples` wide at a place.
static double visible_radius(const TacView *view, TacVec3 at, double samples) {
    double depth = view->orthographic ? 1 : tac_dot(tac_sub(at, view->eye), view->forward);
    return depth > 0 ? samples * depth / view->scale : 0;
}

void tac_drawing_rasterize(const TacDrawing *drawing, TacRaster *raster, const TacView *view,
                           TacBrushChoice choice, int32_t brush, double thinnest) {
    for (size_t i = 0; i < drawing->triangle_count; i++) {
        const TacDrawnTriangle *t = &drawing->triangles[i];
        if (!is_chosen(drawing, t->brush, choice, brush)) continue;
        TacVec3 corners[3] = {drawing->points[t->corners[0]], drawing->points[t->corners[1]],
                              drawing->points[t->corners[2]]};
        tac_raster_triangle(raster, view, corners, t->normals, t->brush);
    }
    for (size_t i = 0; i < drawing->wire_count; i++) {
        const TacDrawnWire *w = &drawing->wires[i];
        if (!is_chosen(drawing, w->brush, choice, brush)) continue;
        double least = fmin(visible_radius(view, w->a, thinnest), visible_radius(view, w->b, thinnest));
        tac_raster_capsule(raster, view, w->a, w->b, fmax(w->radius, least), w->brush);
    }
    for (size_t i = 0; i < drawing->ball_count; i++) {
        const TacDrawnBall *b = &drawing->balls[i];
        if (!is_chosen(drawing, b->brush, choice, brush)) continue;
        tac_raster_ball(raster, view, b->centre, fmax(b->radius, visible_radius(view, b->centre, thinnest)),
                        b->brush);
    }
}
