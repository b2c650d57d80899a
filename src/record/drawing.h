// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What one frame of a recording looks like, as primitives in space: triangles with normals, wires, balls,
// each with the number of its brush (its colour). Made from a frame once, then rasterized from as many views
// as the picture and its shadows need. Touches only what it is given; frames are hostile, so indices out of
// range and coordinates that are not finite are left out.

#ifndef TACTUS_RECORD_DRAWING_H
#define TACTUS_RECORD_DRAWING_H

#include "record/raster.h"
#include "tactus/record.h"

typedef struct TacBrush {
    double color[3]; // linear light, not sRGB
    double opacity;
} TacBrush;

typedef struct TacDrawnTriangle {
    int32_t corners[3]; // into `points`
    int32_t brush;
    float normals[9]; // one per corner
} TacDrawnTriangle;

typedef struct TacDrawnWire {
    TacVec3 a, b;
    double radius; // m
    int32_t brush;
} TacDrawnWire;

typedef struct TacDrawnBall {
    TacVec3 centre;
    double radius; // m
    int32_t brush;
} TacDrawnBall;

// A zeroed struct is a valid empty drawing.
typedef struct TacDrawing {
    TacVec3 *points;
    TacDrawnTriangle *triangles;
    TacDrawnWire *wires;
    TacDrawnBall *balls;
    TacBrush *brushes; // one per track, then one per axis of a frame's cross
    size_t point_count, triangle_count, wire_count, ball_count, brush_count;
    size_t point_room, triangle_room, wire_room, ball_room, brush_room;
    TacVec3 low, high; // bounds of everything; low > high when there is nothing
} TacDrawing;

// Replaces the drawing by a frame. meshes[i] is the mesh that holds for track i; `size` (m) is how large the
// whole scene is: wires, balls and crosses whose radius is left open are a fraction of it.
TacStatus tac_drawing_make(TacDrawing *drawing, const TacRecordingDef *def, const TacFrame *frame,
                           const TacTrackMesh *const *meshes, double size, TacError *error);
void tac_drawing_destroy(TacDrawing *drawing);

// The place of point i of a track in space: flat kinds lie in the plane z = 0.
TacVec3 tac_point_in_space(TacMatterKind kind, const double *positions, size_t i);

// Which brushes to rasterize.
typedef enum TacBrushChoice {
    TAC_BRUSH_OPAQUE,
    TAC_BRUSH_ONE,    // `brush` only
    TAC_BRUSH_SHADOWS // those that throw shadows: at least half opaque
} TacBrushChoice;

// Rasterizes what was chosen. Wires and balls are drawn at least `thinnest` samples thick in radius, so that
// distant ones do not break up.
void tac_drawing_rasterize(const TacDrawing *drawing, TacRaster *raster, const TacView *view,
                           TacBrushChoice choice, int32_t brush, double thinnest);

double tac_linear_from_srgb(double value);
double tac_srgb_from_linear(double value);

#endif
