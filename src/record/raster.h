// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A z-buffer rasterizer for triangles, balls and capsules. It knows geometry only: what is seen in each
// sample, how near, and with which normal. Colours and light are decided afterwards (record/shade.h).
//
// A *view* takes world points to *seen* points: x to the right, y up (both in metres), z the depth along the
// view. A raster holds one *nearness* per sample, larger is nearer: 1/depth in perspective and -depth in
// orthographic views. Both are linear across the screen, so triangles interpolate them exactly; the inverse
// also spends the precision of a float where it is needed. Balls and capsules are not cut into triangles:
// each sample's ray is intersected with the exact shape, so depth, outline and normal are right at any size.
//
// Samples sit at the middle of their cell: column x is seen through x + 0.5. Row 0 is the top. Primitives
// with coordinates that are not finite are skipped, as is whatever lies before the view's nearest depth.

#ifndef TACTUS_RECORD_RASTER_H
#define TACTUS_RECORD_RASTER_H

#include "tactus/base.h"
#include "tactus/math.h"

typedef struct TacView {
    TacVec3 eye;
    TacVec3 right, up, forward; // unit vectors, at right angles
    double scale;               // samples per unit of slope; orthographic: samples per metre
    double middle_x, middle_y;  // where the axis pierces the raster, in samples from the top left
    double nearest;             // m; in perspective, what is nearer is not drawn
    bool orthographic;
} TacView;

// Coordinates beyond this (m) are taken for accidents and never drawn.
#define TAC_FARTHEST 1e12

// A sample's ray in seen coordinates: origin + depth * slope, with slope.z = 1.
typedef struct TacRay {
    TacVec3 origin, slope;
} TacRay;

typedef struct TacRaster {
    int width, height;
    float *nearness;  // one per sample
    float *normals;   // three per sample, world axes, not unit; NULL where only depth is kept
    int32_t *ids;     // who is seen, -1: nobody; NULL where only depth is kept
    float background; // nearness of nothing
} TacRaster;

// Makes a raster, cleared. depth_only leaves out normals and ids.
TacStatus tac_raster_create(TacRaster *raster, int width, int height, bool depth_only, TacError *error);
void tac_raster_destroy(TacRaster *raster);
void tac_raster_clear(TacRaster *raster, const TacView *view);

// A view from `eye` to `target`, `degrees` high, onto a raster of this size.
TacView tac_view_perspective(TacVec3 eye, TacVec3 target, TacVec3 up, double degrees, int width, int height);

// A view along `forward` onto the square around a sphere.
TacView tac_view_orthographic(TacVec3 forward, TacVec3 centre, double radius, int size);

bool tac_is_drawable(TacVec3 p);

static inline TacVec3 tac_view_apply(const TacView *view, TacVec3 p) {
    TacVec3 d = tac_sub(p, view->eye);
    return tac_vec3(tac_dot(d, view->right), tac_dot(d, view->up), tac_dot(d, view->forward));
}

// From seen axes to world axes; for directions.
static inline TacVec3 tac_view_turn_back(const TacView *view, TacVec3 d) {
    return tac_add(tac_axpy(tac_scale(view->right, d.x), d.y, view->up), tac_scale(view->forward, d.z));
}

// The ray through a place on the raster, in samples.
static inline TacRay tac_view_ray(const TacView *view, double x, double y) {
    double sx = (x - view->middle_x) / view->scale, sy = (view->middle_y - y) / view->scale;
    if (view->orthographic) return (TacRay){{sx, sy, 0}, {0, 0, 1}};
    return (TacRay){{0, 0, 0}, {sx, sy, 1}};
}

// Draws in world coordinates. `normals` has one vector per corner, on the side from which the corners are
// seen to go round anticlockwise; where the other side is seen they are turned over. NULL for depth-only
// rasters.
void tac_raster_triangle(TacRaster *raster, const TacView *view, const TacVec3 corners[3],
                         const float normals[9], int32_t id);
void tac_raster_ball(TacRaster *raster, const TacView *view, TacVec3 centre, double radius, int32_t id);
// All points within `radius` of the segment from a to b.
void tac_raster_capsule(TacRaster *raster, const TacView *view, TacVec3 a, TacVec3 b, double radius,
                        int32_t id);

#endif
