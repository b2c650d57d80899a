// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Light, ground and backdrop: turns a drawing into pixels.
//
// All light comes from *lamps*: parallel light with a shadow map (a depth-only raster seen from the lamp). A
// dozen lamps close together make the sun, so that shadows are sharp where things touch and soften with the
// distance; some dozens spread over the sky make the ambient light, which darkens cavities and the ground
// under things without a separate trick. Light from below (what the ground throws back) has no shadows.
//
// A picture is made in bands of pixel rows, each with its own rasters: memory stays small at any size, and
// the threads of a team share the bands. What is seen does not depend on the number of threads. The ground is
// not a mesh but a plane that every ray is cut with: it reaches to the horizon and needs no shadow bias.

#ifndef TACTUS_RECORD_SHADE_H
#define TACTUS_RECORD_SHADE_H

#include "base/team.h"
#include "record/drawing.h"

// What stands around the drawing, and where it is seen from.
typedef struct TacStage {
    int width, height; // pixels
    int samples;       // per pixel side
    TacView view;      // in perspective, onto width * samples by height * samples
    TacVec3 up;        // unit
    TacVec3 sun;       // unit, towards the light
    TacGround ground;  // unit normal where it is visible
    TacVec3 centre;    // of the scene over the whole recording
    double size;       // m, its diagonal: the grid and the haze follow it
    bool dark;
} TacStage;

// A stage with the sun over the viewer's left shoulder. The ground is normalised, or hidden when it cannot
// be.
TacStage tac_stage(const TacView *view, int width, int height, int samples, TacVec3 up, TacGround ground,
                   TacVec3 centre, double size, bool dark);

// Draws into `pixels` (0x00RRGGBB), `stride` pixels from row to row. `team` may be NULL.
TacStatus tac_stage_draw(const TacStage *stage, const TacDrawing *drawing, TacTeam *team, uint32_t *pixels,
                         size_t stride, TacError *error);

#endif
