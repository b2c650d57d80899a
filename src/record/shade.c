// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Lamps, shading and the bands of record/shade.h. Light is added up linearly and turned to sRGB at the very
// end.

#include "record/shade.h"

#include "base/memory.h"

#include <stdatomic.h>

#define SUN_LAMPS  12
#define SKY_LAMPS  84
#define LAMPS      (SUN_LAMPS + SKY_LAMPS)
#define SUN_MAP    1024
#define SKY_MAP    320
#define SUN_SPREAD 0.035 // rad, half the angle that the sun fills
#define LOWEST_SKY 0.08  // sine of the lowest sky lamp's height
#define BAND_ROWS  32
#define THINNEST   0.6 // pixels, the least radius of a wire or ball
#define NOBODY     (-1)
#define GROUND     (-2)

// How much of each light there is, and the colours of the two styles (linear).
typedef struct Mood {
    double sun[3], sky[3], below[3];
    double ground[3], line[3], horizon[3], zenith[3];
    double ground_sun; // part of the ground's light that comes from the sun; the rest is the sky's
} Mood;

static const Mood light_mood = {
    .sun = {0.93, 0.88, 0.81},
    .sky = {0.40, 0.435, 0.485},
    .below = {0.21, 0.205, 0.20},
    .ground = {0.790, 0.805, 0.825},
    .line = {0.565, 0.595, 0.640},
    .horizon = {0.905, 0.925, 0.945},
    .zenith = {0.560, 0.690, 0.830},
    .ground_sun = 0.52,
};

static const Mood dark_mood = {
    .sun = {0.96, 0.92, 0.86},
    .sky = {0.26, 0.30, 0.38},
    .below = {0.045, 0.05, 0.06},
    .ground = {0.0300, 0.0340, 0.0420},
    .line = {0.0620, 0.0700, 0.0860},
    .horizon = {0.0215, 0.0255, 0.0335},
    .zenith = {0.0060, 0.0075, 0.0110},
    .ground_sun = 0.60,
};

typedef struct Lamp {
    TacView view;
    TacRaster map;
    TacVec3 towards; // unit
} Lamp;

// What it takes to find a point in all maps at once: columns, rows and nearness are linear in the place
// relative to the hub. One list per coefficient, so that the loop over the lamps runs in wide registers.
typedef struct Finder {
    float column[4][LAMPS], row[4][LAMPS], nearness[4][LAMPS]; // factors of x, y, z; constant
    float facing[3][LAMPS];                                    // the directions towards the lamps
    float lift[LAMPS]; // m: how far a body's point is raised along its normal before it is looked up
} Finder;

// Everything that the bands share; read-only while they run.
typedef struct Shot {
    const TacStage *stage;
    const TacDrawing *drawing;
    const Mood *mood;
    uint32_t *pixels;
    size_t stride;
    Lamp lamps[LAMPS];
    Finder finder;
    bool lit;              // lamps have maps
    TacVec3 hub;           // middle of what throws shadows
    double reach;          // m, its radius
    TacVec3 along, across; // axes of the ground's grid
    double spacing;        // m, of the grid
    double ground_scale;   // brightens the sky's sum so that open ground gets exactly 1
    int32_t *layers;       // translucent brushes, farthest first
    size_t layer_count;
    atomic_bool starved; // a band found no memory
} Shot;

// Stage

static TacGround usable_ground(TacGround ground) {
    double length = tac_norm(ground.normal);
    if (!(length > 0) || !isfinite(length) || !isfinite(ground.offset)) ground.visible = false;
    if (!ground.visible) return (TacGround){0};
    return (TacGround){tac_scale(ground.normal, 1 / length), ground.offset / length, true};
}

TacStage tac_stage(const TacView *view, int width, int height, int samples, TacVec3 up, TacGround ground,
                   TacVec3 centre, double size, bool dark) {
    TacStage stage = {.width = width,
                      .height = height,
                      .samples = samples,
                      .view = *view,
                      .up = up,
                      .ground = usable_ground(ground),
                      .centre = centre,
                      .size = size,
                      .dark = dark};
    // over the left shoulder: shadows fall to the right and away, where they are seen
    TacVec3 back = tac_axpy(tac_scale(view->forward, -1), tac_dot(view->forward, up), up);
    back = tac_norm(back) > 1e-3 ? tac_unit(back) : tac_scale(view->up, -1);
    TacVec3 right = tac_unit(tac_cross(up, back));
    stage.sun = tac_unit(tac_axpy(tac_axpy(up, -0.78, right), 0.36, back));
    return stage;
}

// Lamps

// Point i of n spread evenly over a disk of radius 1, by the golden angle.
static void disk_point(int i, int n, double *x, double *y) {
    double radius = sqrt((i + 0.5) / n), angle = i * 2.399963229728653;
    *x = radius * cos(angle);
    *y = radius * sin(angle);
}

static TacVec3 lamp_direction(const TacStage *stage, int lamp) {
    bool sun = lamp < SUN_LAMPS;
    TacVec3 axis = sun ? stage->sun : stage->up;
    TacVec3 side = tac_unit(tac_cross(axis, fabs(axis.x) < 0.6 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0)));
    TacVec3 other = tac_cross(axis, side);
    double x, y;
    if (sun) {
        disk_point(lamp, SUN_LAMPS, &x, &y);
        return tac_unit(tac_axpy(tac_axpy(axis, SUN_SPREAD * x, side), SUN_SPREAD * y, other));
    }
    // evenly over the dome above the lowest height
    int i = lamp - SUN_LAMPS;
    double height = 1 - (1 - LOWEST_SKY) * (i + 0.5) / SKY_LAMPS, flat = sqrt(1 - height * height);
    double angle = i * 2.399963229728653;
    return tac_axpy(tac_axpy(tac_scale(axis, height), flat * cos(angle), side), flat * sin(angle), other);
}

// Writes one linear function of the place into column `lamp` of a list: dot(axis, p) * scale + constant.
static void set_linear(float list[4][LAMPS], int lamp, TacVec3 axis, double scale, double constant) {
    list[0][lamp] = (float)(axis.x * scale);
    list[1][lamp] = (float)(axis.y * scale);
    list[2][lamp] = (float)(axis.z * scale);
    list[3][lamp] = (float)constant;
}

static void enter_in_finder(Finder *finder, const Lamp *lamp, int number, double radius) {
    const TacView *view = &lamp->view;
    // samples sit at the middle of their cells; the eye stands `radius` before the hub
    set_linear(finder->column, number, view->right, view->scale, view->middle_x - 0.5);
    set_linear(finder->row, number, view->up, -view->scale, view->middle_y - 0.5);
    set_linear(finder->nearness, number, view->forward, -1, -radius);
    finder->lift[number] = (float)(1.6 / view->scale);
}

static TacStatus make_lamps(Shot *shot, TacError *error) {
    TacVec3 low = shot->drawing->low, high = shot->drawing->high;
    shot->hub = tac_scale(tac_add(low, high), 0.5);
    shot->reach = 0.5 * tac_norm(tac_sub(high, low));
    double open = 0;
    for (int i = 0; i < LAMPS; i++) {
        TacVec3 towards = lamp_direction(shot->stage, i);
        shot->lamps[i].towards = towards;
        shot->finder.facing[0][i] = (float)towards.x;
        shot->finder.facing[1][i] = (float)towards.y;
        shot->finder.facing[2][i] = (float)towards.z;
        if (i >= SUN_LAMPS) open += fmax(0, tac_dot(shot->stage->ground.normal, towards));
    }
    shot->ground_scale = open > 0 ? 1 / open : 0;
    // nothing to see, or a single point: nothing throws a shadow
    if (!(shot->reach > 0) || !isfinite(shot->reach)) return TAC_OK;
    double radius = 1.01 * shot->reach;
    for (int i = 0; i < LAMPS; i++) {
        Lamp *lamp = &shot->lamps[i];
        int size = i < SUN_LAMPS ? SUN_MAP : SKY_MAP;
        lamp->view = tac_view_orthographic(tac_scale(lamp->towards, -1), shot->hub, radius, size);
        enter_in_finder(&shot->finder, lamp, i, radius);
        TAC_TRY(tac_raster_create(&lamp->map, size, size, true, error));
    }
    shot->lit = true;
    return TAC_OK;
}

static void fill_lamps(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    Shot *shot = data;
    for (size_t i = begin; i < end; i++) {
        Lamp *lamp = &shot->lamps[i];
        tac_raster_clear(&lamp->map, &lamp->view);
        tac_drawing_rasterize(shot->drawing, &lamp->map, &lamp->view, TAC_BRUSH_SHADOWS, 0, 0.5);
    }
}

// How much of a lamp is seen from a place on its map, 0..1: the four samples around it, weighted by nearness.
static float look_up(const TacRaster *map, float column, float row, float nearness) {
    float last = (float)(map->width - 1);
    if (!(column > 0 && row > 0 && column < last && row < last)) return 1;
    int x = (int)column, y = (int)row;
    float fx = column - (float)x, fy = row - (float)y;
    const float *at = map->nearness + (size_t)y * (size_t)map->width + (size_t)x, *below = at + map->width;
    float a = at[0] <= nearness ? 1 - fx : 0, b = at[1] <= nearness ? fx : 0;
    float c = below[0] <= nearness ? 1 - fx : 0, d = below[1] <= nearness ? fx : 0;
    return (a + b) * (1 - fy) + (c + d) * fy;
}

// Light at a point: how much of the sun is seen, and the cosine-weighted sky (1: the whole sky, faced
// squarely).
typedef struct LightHere {
    int32_t id;
    double sun, sky;
} LightHere;

// Adds up what the lamps give to a point with this normal. `lift` scales how far the point is raised; faces
// that turn away from a lamp by more than `margin` get nothing of the sun.
static LightHere add_lamps(const Shot *shot, TacVec3 p, TacVec3 n, float lift, float margin) {
    const Finder *f = &shot->finder;
    TacVec3 from_hub = tac_sub(p, shot->hub);
    float x = (float)from_hub.x, y = (float)from_hub.y, z = (float)from_hub.z;
    float nx = (float)n.x, ny = (float)n.y, nz = (float)n.z;
    float column[LAMPS], row[LAMPS], nearness[LAMPS], facing[LAMPS];
    for (int i = 0; i < LAMPS; i++) {
        float up = lift * f->lift[i], px = x + up * nx, py = y + up * ny, pz = z + up * nz;
        column[i] = f->column[0][i] * px + f->column[1][i] * py + f->column[2][i] * pz + f->column[3][i];
        row[i] = f->row[0][i] * px + f->row[1][i] * py + f->row[2][i] * pz + f->row[3][i];
        nearness[i] =
            f->nearness[0][i] * px + f->nearness[1][i] * py + f->nearness[2][i] * pz + f->nearness[3][i];
        facing[i] = f->facing[0][i] * nx + f->facing[1][i] * ny + f->facing[2][i] * nz;
    }
    float sun = 0, sky = 0;
    for (int i = 0; i < SUN_LAMPS; i++)
        if (facing[i] > -margin) sun += look_up(&shot->lamps[i].map, column[i], row[i], nearness[i]);
    for (int i = SUN_LAMPS; i < LAMPS; i++)
        if (facing[i] > 0) sky += facing[i] * look_up(&shot->lamps[i].map, column[i], row[i], nearness[i]);
    return (LightHere){.sun = sun / SUN_LAMPS, .sky = sky};
}

static LightHere light_on_body(const Shot *shot, TacVec3 p, TacVec3 n, int32_t id) {
    LightHere light = {.sun = 1, .sky = 0.5 + 0.5 * tac_dot(n, shot->stage->up)};
    if (shot->lit) {
        // the sun's own cosine comes later, sample by sample; the margin lets bent surfaces share this result
        light = add_lamps(shot, p, n, 1, 0.2f);
        light.sky *= 2 * (1 - 0.5 * LOWEST_SKY) / SKY_LAMPS;
    }
    light.id = id;
    return light;
}

static LightHere light_on_ground(const Shot *shot, TacVec3 p) {
    LightHere light = {.sun = 1, .sky = 1};
    // far out the shadows are too faint to matter
    if (shot->lit && tac_norm(tac_sub(p, shot->hub)) < 12 * shot->reach) {
        light = add_lamps(shot, p, shot->stage->ground.normal, 0, 0);
        light.sky *= shot->ground_scale;
    }
    light.id = GROUND;
    return light;
}

// Colours

typedef struct Color {
    double c[3];
} Color;

// Bends what would be brighter than white back below it.
static double shoulder(double x) {
    const double knee = 0.65;
    return x < knee ? x : knee + (1 - knee) * (1 - exp((knee - x) / (1 - knee)));
}

static double smooth_step(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

static Color mix(const double a[3], const double b[3], double t) {
    Color color;
    for (int k = 0; k < 3; k++) color.c[k] = a[k] + t * (b[k] - a[k]);
    return color;
}

static Color body_color(const Shot *shot, const TacBrush *brush, TacVec3 n, TacVec3 to_eye,
                        const LightHere *light) {
    const TacStage *stage = shot->stage;
    const Mood *mood = shot->mood;
    double facing = fmax(0, tac_dot(n, stage->sun)), below = 0.5 - 0.5 * tac_dot(n, stage->up);
    // a soft highlight, and a sheen where the surface is seen aslant
    TacVec3 half = tac_unit(tac_add(stage->sun, to_eye));
    double gloss = facing > 0 ? 0.16 * pow(fmax(0, tac_dot(n, half)), 56) * light->sun : 0;
    double aslant = 1 - fmax(0, tac_dot(n, to_eye)), slant2 = aslant * aslant;
    double sheen = 0.16 * slant2 * slant2 * aslant * light->sky;
    Color color;
    for (int k = 0; k < 3; k++) {
        double falling = mood->sun[k] * facing * light->sun + mood->sky[k] * light->sky +
                         mood->below[k] * below + 0.35 * mood->below[k];
        color.c[k] = shoulder(brush->color[k] * falling + mood->sun[k] * gloss + mood->sky[k] * sheen);
    }
    return color;
}

// The part of an interval of this width around x that lies on lines of width `line`, one every `spacing`.
static double lines_covered(double x, double width, double spacing, double line) {
    double total = 0;
    for (int side = -1; side <= 1; side += 2) {
        double at = x + 0.5 * side * width, n = round(at / spacing);
        total += side * (n * line + fmin(fmax(at - n * spacing, -0.5 * line), 0.5 * line));
    }
    return fmin(fmax(total / width, 0), 1);
}

static double grid_covered(const Shot *shot, TacVec3 p, TacVec3 next_x, TacVec3 next_y, double every) {
    double spacing = shot->spacing * every, line = 0.018 * shot->spacing;
    double cover = 0;
    for (int k = 0; k < 2; k++) {
        TacVec3 axis = k == 0 ? shot->along : shot->across;
        double x = tac_dot(p, axis);
        double width = 1.3 * (fabs(tac_dot(next_x, axis) - x) + fabs(tac_dot(next_y, axis) - x));
        // where whole cells fall into one sample the lines become an even tone
        double part = width > 0 ? lines_covered(x, width, spacing, line) : 0;
        cover = cover + part - cover * part;
    }
    return cover;
}

// Where a ray from the eye meets the ground from above; the depth, or 0 when it does not.
static double ground_depth(const Shot *shot, const TacRay *ray) {
    const TacStage *stage = shot->stage;
    if (!stage->ground.visible) return 0;
    TacVec3 origin = tac_add(stage->view.eye, tac_view_turn_back(&stage->view, ray->origin));
    double height = tac_dot(stage->ground.normal, origin) - stage->ground.offset;
    double sink = -tac_dot(stage->ground.normal, tac_view_turn_back(&stage->view, ray->slope));
    return height > 0 && sink > 0 ? height / sink : 0;
}

static TacVec3 point_at(const TacStage *stage, const TacRay *ray, double depth) {
    TacVec3 seen = tac_axpy(ray->origin, depth, ray->slope);
    return tac_add(stage->view.eye, tac_view_turn_back(&stage->view, seen));
}

static Color backdrop_color(const Shot *shot, double x, double y) {
    const TacStage *stage = shot->stage;
    const Mood *mood = shot->mood;
    if (!stage->ground.visible) {
        double t = y / (stage->height * stage->samples);
        return mix(mood->zenith, mood->horizon, smooth_step(-0.35, 0.9, t));
    }
    TacRay ray = tac_view_ray(&stage->view, x, y);
    TacVec3 direction = tac_unit(tac_view_turn_back(&stage->view, ray.slope));
    double height = tac_dot(direction, stage->ground.normal);
    return mix(mood->horizon, mood->zenith, smooth_step(0, 0.75, height));
}

static Color ground_color(const Shot *shot, double x, double y, TacVec3 p, const LightHere *light) {
    const TacStage *stage = shot->stage;
    const Mood *mood = shot->mood;
    double distance = tac_norm(tac_sub(p, stage->centre)) / stage->size;
    // lines fade out before the haze closes
    double cover = 0, fade = 1 - smooth_step(0.5, 3.5, distance);
    TacRay right = tac_view_ray(&stage->view, x + 1, y), lower = tac_view_ray(&stage->view, x, y + 1);
    double depth_right = fade > 0 ? ground_depth(shot, &right) : 0,
           depth_lower = fade > 0 ? ground_depth(shot, &lower) : 0;
    if (depth_right > 0 && depth_lower > 0) {
        TacVec3 px = point_at(stage, &right, depth_right), py = point_at(stage, &lower, depth_lower);
        cover = fade * (0.55 * grid_covered(shot, p, px, py, 1) + 0.45 * grid_covered(shot, p, px, py, 5));
    }
    double haze = smooth_step(0.8, 7, distance);
    double falling = mood->ground_sun * light->sun + (1 - mood->ground_sun) * light->sky;
    Color color = mix(mood->ground, mood->line, cover);
    for (int k = 0; k < 3; k++) color.c[k] *= falling;
    return mix(color.c, mood->horizon, haze);
}

// Bands

typedef struct Band {
    int first_row, rows; // pixels
    TacView view;        // onto the band alone
    TacRaster solid, layer;
    float *colors; // three per sample
} Band;

static TacVec3 normal_of(const TacRaster *raster, size_t at, TacVec3 to_eye) {
    const float *n = raster->normals + 3 * at;
    TacVec3 normal = tac_unit(tac_vec3(n[0], n[1], n[2]));
    // near an outline the smooth normal may lean away from the eye; what is seen cannot
    double facing = tac_dot(normal, to_eye);
    return facing < 0 ? tac_unit(tac_axpy(normal, -facing, to_eye)) : normal;
}

static Color shade_body(const Shot *shot, const Band *band, const TacRaster *raster, size_t at, double x,
                        double y, LightHere *light) {
    const TacStage *stage = shot->stage;
    TacRay ray = tac_view_ray(&band->view, x, y);
    double nearness = raster->nearness[at];
    TacVec3 p = point_at(stage, &ray, 1 / nearness);
    TacVec3 to_eye = tac_unit(tac_view_turn_back(&stage->view, tac_scale(ray.slope, -1)));
    TacVec3 n = normal_of(raster, at, to_eye);
    int32_t id = raster->ids[at];
    if (light->id != id) *light = light_on_body(shot, p, n, id);
    return body_color(shot, &shot->drawing->brushes[id], n, to_eye, light);
}

// One sample of the opaque things, the ground or the backdrop. The lights of the pixel's earlier samples are
// kept in `body` and `ground`: they vary little within a pixel.
static Color shade_sample(const Shot *shot, Band *band, size_t at, double x, double y, LightHere *body,
                          LightHere *ground) {
    TacRaster *solid = &band->solid;
    TacRay ray = tac_view_ray(&band->view, x, y);
    double depth = ground_depth(shot, &ray);
    double nearness = depth > 0 ? 1 / depth : 0;
    if (solid->ids[at] >= 0 && solid->nearness[at] >= nearness)
        return shade_body(shot, band, solid, at, x, y, body);
    double full_y = y + band->first_row * shot->stage->samples;
    if (!(depth > 0)) return backdrop_color(shot, x, full_y);
    // what stands behind the ground is hidden by it, for translucent layers too
    solid->nearness[at] = (float)nearness;
    TacVec3 p = point_at(shot->stage, &ray, depth);
    if (ground->id != GROUND) *ground = light_on_ground(shot, p);
    return ground_color(shot, x, full_y, p, ground);
}

static void shade_solids(const Shot *shot, Band *band) {
    int s = shot->stage->samples;
    for (int row = 0; row < band->rows; row++)
        for (int column = 0; column < shot->stage->width; column++) {
            LightHere body = {.id = NOBODY}, ground = {.id = NOBODY};
            for (int k = 0; k < s * s; k++) {
                int x = column * s + k % s, y = row * s + k / s;
                size_t at = (size_t)y * (size_t)band->solid.width + (size_t)x;
                Color color = shade_sample(shot, band, at, x + 0.5, y + 0.5, &body, &ground);
                for (int c = 0; c < 3; c++) band->colors[3 * at + (size_t)c] = (float)color.c[c];
            }
        }
}

// Lays the nearest surface of one translucent brush over what was drawn before.
static void shade_layer(const Shot *shot, Band *band, int32_t brush) {
    int s = shot->stage->samples;
    double opacity = shot->drawing->brushes[brush].opacity;
    tac_raster_clear(&band->layer, &band->view);
    tac_drawing_rasterize(shot->drawing, &band->layer, &band->view, TAC_BRUSH_ONE, brush, THINNEST * s);
    for (int row = 0; row < band->rows; row++)
        for (int column = 0; column < shot->stage->width; column++) {
            LightHere light = {.id = NOBODY};
            for (int k = 0; k < s * s; k++) {
                int x = column * s + k % s, y = row * s + k / s;
                size_t at = (size_t)y * (size_t)band->layer.width + (size_t)x;
                if (band->layer.ids[at] < 0 || band->layer.nearness[at] <= band->solid.nearness[at]) continue;
                Color color = shade_body(shot, band, &band->layer, at, x + 0.5, y + 0.5, &light);
                for (int c = 0; c < 3; c++) {
                    float *under = &band->colors[3 * at + (size_t)c];
                    *under += (float)(opacity * (color.c[c] - *under));
                }
            }
        }
}

// A value between 0 and 1 that looks random but depends on the place only: breaks up steps in smooth tones.
static double dither(uint32_t x, uint32_t y) {
    uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u;
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    h = (h ^ (h >> 12)) * 0x297A2D39u;
    return (h >> 8) * 0x1p-24;
}

static void resolve(const Shot *shot, const Band *band) {
    int s = shot->stage->samples;
    for (int row = 0; row < band->rows; row++)
        for (int column = 0; column < shot->stage->width; column++) {
            double sum[3] = {0};
            for (int k = 0; k < s * s; k++) {
                size_t at =
                    (size_t)(row * s + k / s) * (size_t)band->solid.width + (size_t)(column * s + k % s);
                for (int c = 0; c < 3; c++) sum[c] += band->colors[3 * at + (size_t)c];
            }
            int y = band->first_row + row;
            double noise = dither((uint32_t)column, (uint32_t)y);
            uint32_t pixel = 0;
            for (int c = 0; c < 3; c++) {
                double value = 255 * tac_srgb_from_linear(fmin(fmax(sum[c] / (s * s), 0), 1));
                pixel = pixel << 8 | (uint32_t)fmin(value + noise, 255);
            }
            shot->pixels[(size_t)y * shot->stride + (size_t)column] = pixel;
        }
}

static bool band_make(Band *band, const Shot *shot, size_t number) {
    const TacStage *stage = shot->stage;
    *band = (Band){.first_row = (int)number * BAND_ROWS, .view = stage->view};
    band->rows = stage->height - band->first_row < BAND_ROWS ? stage->height - band->first_row : BAND_ROWS;
    band->view.middle_y -= band->first_row * stage->samples;
    int width = stage->width * stage->samples, height = band->rows * stage->samples;
    band->colors = malloc((size_t)width * (size_t)height * 3 * sizeof(float));
    if (!band->colors || tac_raster_create(&band->solid, width, height, false, NULL) != TAC_OK) return false;
    return shot->layer_count == 0 || tac_raster_create(&band->layer, width, height, false, NULL) == TAC_OK;
}

static void draw_bands(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    Shot *shot = data;
    for (size_t number = begin; number < end; number++) {
        Band band;
        if (band_make(&band, shot, number)) {
            tac_raster_clear(&band.solid, &band.view);
            tac_drawing_rasterize(shot->drawing, &band.solid, &band.view, TAC_BRUSH_OPAQUE, 0,
                                  THINNEST * shot->stage->samples);
            shade_solids(shot, &band);
            for (size_t i = 0; i < shot->layer_count; i++) shade_layer(shot, &band, shot->layers[i]);
            resolve(shot, &band);
        } else
            atomic_store(&shot->starved, true);
        tac_raster_destroy(&band.solid);
        tac_raster_destroy(&band.layer);
        free(band.colors);
    }
}

// Translucent layers

typedef struct LayerDepth {
    double sum;
    size_t count;
    int32_t brush;
} LayerDepth;

static int farther_first(const void *a, const void *b) {
    const LayerDepth *p = a, *q = b;
    double dp = p->count ? p->sum / (double)p->count : 0, dq = q->count ? q->sum / (double)q->count : 0;
    if (dp != dq) return dp > dq ? -1 : 1;
    return p->brush < q->brush ? -1 : p->brush > q->brush;
}

// Translucent brushes in use, ordered by the mean depth of what they paint.
static bool order_layers(Shot *shot) {
    const TacDrawing *drawing = shot->drawing;
    const TacView *view = &shot->stage->view;
    LayerDepth *depths = calloc(drawing->brush_count + 1, sizeof *depths);
    shot->layers = calloc(drawing->brush_count + 1, sizeof *shot->layers);
    bool made = depths && shot->layers;
    for (size_t i = 0; made && i < drawing->brush_count; i++) depths[i].brush = (int32_t)i;
    for (size_t i = 0; made && i < drawing->triangle_count; i++) {
        LayerDepth *depth = &depths[drawing->triangles[i].brush];
        depth->sum += tac_view_apply(view, drawing->points[drawing->triangles[i].corners[0]]).z;
        depth->count++;
    }
    for (size_t i = 0; made && i < drawing->wire_count; i++) {
        LayerDepth *depth = &depths[drawing->wires[i].brush];
        depth->sum += tac_view_apply(view, drawing->wires[i].a).z;
        depth->count++;
    }
    for (size_t i = 0; made && i < drawing->ball_count; i++) {
        LayerDepth *depth = &depths[drawing->balls[i].brush];
        depth->sum += tac_view_apply(view, drawing->balls[i].centre).z;
        depth->count++;
    }
    if (made) qsort(depths, drawing->brush_count, sizeof *depths, farther_first);
    for (size_t i = 0; made && i < drawing->brush_count; i++)
        if (depths[i].count > 0 && drawing->brushes[depths[i].brush].opacity < 1)
            shot->layers[shot->layer_count++] = depths[i].brush;
    free(depths);
    return made;
}

// 1, 2 or 5 times a power of ten, near to a length.
static double round_length(double length) {
    double power = pow(10, floor(log10(length))), lead = length / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void lay_grid(Shot *shot) {
    TacVec3 normal = shot->stage->ground.normal;
    // along the world's axes where the ground allows it
    TacVec3 axis = fabs(normal.x) < 0.9 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0);
    shot->along = tac_unit(tac_axpy(axis, -tac_dot(axis, normal), normal));
    shot->across = tac_cross(normal, shot->along);
    shot->spacing = round_length(shot->stage->size / 9);
}

TacStatus tac_stage_draw(const TacStage *stage, const TacDrawing *drawing, TacTeam *team, uint32_t *pixels,
                         size_t stride, TacError *error) {
    Shot *shot = calloc(1, sizeof *shot);
    if (!shot) return tac_fail_memory(error, sizeof *shot);
    shot->stage = stage;
    shot->drawing = drawing;
    shot->mood = stage->dark ? &dark_mood : &light_mood;
    shot->pixels = pixels;
    shot->stride = stride;
    lay_grid(shot);
    TacStatus status = make_lamps(shot, error);
    if (status == TAC_OK && !order_layers(shot)) status = tac_fail_memory(error, drawing->brush_count * 32);
    if (status == TAC_OK) {
        if (shot->lit) tac_team_run(team, LAMPS, 1, fill_lamps, shot);
        size_t bands = ((size_t)stage->height + BAND_ROWS - 1) / BAND_ROWS;
        tac_team_run(team, bands, 1, draw_bands, shot);
        if (atomic_load(&shot->starved))
            status = tac_fail(error, TAC_NO_MEMORY, "there is no memory for a picture of %d x %d pixels",
                              stage->width, stage->height);
    }
    for (int i = 0; i < LAMPS; i++) tac_raster_destroy(&shot->lamps[i].map);
    free(shot->layers);
    free(shot);
    return status;
}
