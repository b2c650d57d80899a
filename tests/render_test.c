// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pictures of recordings: the rasterizer against closed forms and brute-force rays, light and shadow by what
// must be darker than what, and whole renderings through real recordings.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "picture_checks.h"
#include "record/shade.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Helpers

static TacVec3 random_point(TacRandom *random, double reach) {
    double x = tac_random_between(random, -reach, reach), y = tac_random_between(random, -reach, reach),
           z = tac_random_between(random, -reach, reach);
    return tac_vec3(x, y, z);
}

static TacVec3 world_ray(const TacView *view, int x, int y) {
    return tac_view_turn_back(view, tac_view_ray(view, x + 0.5, y + 0.5).slope);
}

// Rasterizer

static void a_ball_covers_the_ellipse_that_its_cone_cuts(void **state) {
    (void)state;
    int size = 600;
    TacView view =
        tac_view_perspective(tac_vec3(0, 0, 10), tac_vec3(0, 0, 0), tac_vec3(0, 1, 0), 60, size, size);
    TacVec3 centres[] = {{0, 0, 0}, {3, 0, 1}, {-2, 2.5, -3}, {3.5, -3.5, 0}};
    for (size_t i = 0; i < 4; i++) {
        TacRaster raster;
        TacError error;
        must(tac_raster_create(&raster, size, size, false, &error), &error);
        tac_raster_clear(&raster, &view);
        double radius = 1.2;
        tac_raster_ball(&raster, &view, centres[i], radius, 7);
        double count = 0;
        for (int k = 0; k < size * size; k++) count += raster.ids[k] == 7;
        // half axes on the plane at depth 1: along the radius from the axis, and across it
        double depth = 10 - centres[i].z, off = hypot(centres[i].x, centres[i].y);
        double theta = atan2(off, depth), alpha = asin(radius / hypot(off, depth));
        double along = 0.5 * (tan(theta + alpha) - tan(theta - alpha)),
               across = radius / sqrt(depth * depth - radius * radius);
        double scale = 0.5 * size / tan(TAC_PI / 6), area = TAC_PI * along * across * scale * scale;
        assert_true(fabs(count / area - 1) < 0.01);
        tac_raster_destroy(&raster);
    }
}

static void a_balls_depth_and_normal_are_exact(void **state) {
    (void)state;
    int size = 101;
    TacView view =
        tac_view_perspective(tac_vec3(0, 0, 5), tac_vec3(0, 0, 0), tac_vec3(0, 1, 0), 40, size, size);
    TacRaster raster;
    TacError error;
    must(tac_raster_create(&raster, size, size, false, &error), &error);
    tac_raster_clear(&raster, &view);
    tac_raster_ball(&raster, &view, tac_vec3(0, 0, 0), 1, 0);
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            size_t at = (size_t)(y * size + x);
            if (raster.ids[at] < 0) continue;
            TacVec3 p = tac_axpy(view.eye, 1 / (double)raster.nearness[at], world_ray(&view, x, y));
            assert_true(fabs(tac_norm(p) - 1) < 1e-5);
            TacVec3 n = {raster.normals[3 * at], raster.normals[3 * at + 1], raster.normals[3 * at + 2]};
            assert_true(tac_norm(tac_sub(n, p)) < 1e-5);
        }
    size_t middle = (size_t)(size / 2 * size + size / 2);
    assert_true(fabs(1 / (double)raster.nearness[middle] - 4) < 1e-5);
    tac_raster_destroy(&raster);
}

// The depth at which a ray meets a triangle, or infinity; *border says how close to an edge it passes.
static double ray_triangle(TacVec3 eye, TacVec3 ray, const TacVec3 c[3], double *border) {
    TacVec3 e1 = tac_sub(c[1], c[0]), e2 = tac_sub(c[2], c[0]), p = tac_cross(ray, e2);
    double det = tac_dot(e1, p);
    *border = 1;
    if (det == 0) return INFINITY;
    TacVec3 from = tac_sub(eye, c[0]), q = tac_cross(from, e1);
    double u = tac_dot(from, p) / det, v = tac_dot(ray, q) / det, t = tac_dot(e2, q) / det;
    *border = fmin(fmin(fabs(u), fabs(v)), fabs(1 - u - v));
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : INFINITY;
}

// Triangles all around the eye, many of them cut by the nearest plane: who is seen must be whom a ray meets
// first.
static void triangles_are_seen_as_rays_meet_them(void **state) {
    (void)state;
    enum { COUNT = 60, SIZE = 72 };
    TacRandom random = tac_random(3, 1);
    for (int round = 0; round < 8; round++) {
        TacView view = tac_view_perspective(random_point(&random, 1), random_point(&random, 1),
                                            tac_vec3(0, 1, 0), 70, SIZE, SIZE);
        TacVec3 triangles[COUNT][3];
        TacRaster raster;
        TacError error;
        must(tac_raster_create(&raster, SIZE, SIZE, false, &error), &error);
        tac_raster_clear(&raster, &view);
        float normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
        for (int i = 0; i < COUNT; i++) {
            TacVec3 middle = random_point(&random, 3);
            for (int k = 0; k < 3; k++) triangles[i][k] = tac_add(middle, random_point(&random, 1.5));
            tac_raster_triangle(&raster, &view, triangles[i], normals, i);
        }
        int compared = 0;
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++) {
                double best = INFINITY, second = INFINITY;
                int who = -1;
                bool doubtful = false;
                for (int i = 0; i < COUNT; i++) {
                    double border, t = ray_triangle(view.eye, world_ray(&view, x, y), triangles[i], &border);
                    doubtful |= border < 1e-7;
                    if (t < view.nearest) t = INFINITY;
                    if (t < best)
                        second = best, best = t, who = i;
                    else if (t < second)
                        second = t;
                }
                // rays along an edge, and pairs that a float cannot order
                if (doubtful || second - best < 1e-5 * best) continue;
                size_t at = (size_t)(y * SIZE + x);
                assert_int_equal(raster.ids[at], who);
                if (who >= 0) assert_true(fabs(best * (double)raster.nearness[at] - 1) < 1e-5);
                compared++;
            }
        assert_true(compared > SIZE * SIZE * 9 / 10);
        tac_raster_destroy(&raster);
    }
}

static double distance_to_segment(TacVec3 p, TacVec3 a, TacVec3 b) {
    TacVec3 axis = tac_sub(b, a);
    double along = tac_dot(tac_sub(p, a), axis) / tac_dot(axis, axis);
    return tac_norm(tac_sub(p, tac_axpy(a, fmin(fmax(along, 0), 1), axis)));
}

// Reference: walking along the ray by the distance to the capsule, which never steps over it.
static double march(TacVec3 from, TacVec3 ray, TacVec3 a, TacVec3 b, double radius, double *closest) {
    double t = 0, length = tac_norm(ray);
    *closest = INFINITY;
    for (int i = 0; i < 2000 && t < 100; i++) {
        double distance = distance_to_segment(tac_axpy(from, t, ray), a, b) - radius;
        *closest = fmin(*closest, distance);
        if (distance < 1e-9) return t;
        t += distance / length;
    }
    return INFINITY;
}

static void capsules_are_seen_as_walking_rays_meet_them(void **state) {
    (void)state;
    enum { SIZE = 48 };
    TacRandom random = tac_random(5, 1);
    for (int round = 0; round < 30; round++) {
        bool flat = round % 3 == 0;
        TacView view = flat ? tac_view_orthographic(tac_vec3(0.3, -1, 0.2), tac_vec3(0, 0, 0), 4, SIZE)
                            : tac_view_perspective(tac_vec3(0, 0, 6), tac_vec3(0, 0, 0), tac_vec3(0, 1, 0),
                                                   60, SIZE, SIZE);
        TacVec3 a = random_point(&random, 2), b = random_point(&random, 2);
        double radius = tac_random_between(&random, 0.05, 1.2);
        TacRaster raster;
        TacError error;
        must(tac_raster_create(&raster, SIZE, SIZE, false, &error), &error);
        tac_raster_clear(&raster, &view);
        tac_raster_capsule(&raster, &view, a, b, radius, 1);
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++) {
                TacRay ray = tac_view_ray(&view, x + 0.5, y + 0.5);
                TacVec3 from = tac_add(view.eye, tac_view_turn_back(&view, ray.origin));
                double closest, t = march(from, tac_view_turn_back(&view, ray.slope), a, b, radius, &closest);
                size_t at = (size_t)(y * SIZE + x);
                bool seen = raster.ids[at] == 1;
                if (t == INFINITY && closest > 1e-4) assert_false(seen);
                if (t == INFINITY || !seen) {
                    // a miss of the rasterizer may only be a graze
                    if (t < INFINITY && !seen) {
                        double slimmer, deep = march(from, tac_view_turn_back(&view, ray.slope), a, b,
                                                     radius - 1e-4, &slimmer);
                        assert_true(deep == INFINITY);
                    }
                    continue;
                }
                double depth = flat ? -(double)raster.nearness[at] : 1 / (double)raster.nearness[at];
                assert_true(fabs(depth - t) < 1e-4);
            }
        tac_raster_destroy(&raster);
    }
}

static void what_is_not_finite_is_skipped(void **state) {
    (void)state;
    int size = 32;
    TacView view =
        tac_view_perspective(tac_vec3(0, 0, 3), tac_vec3(0, 0, 0), tac_vec3(0, 1, 0), 60, size, size);
    TacRaster raster;
    TacError error;
    must(tac_raster_create(&raster, size, size, false, &error), &error);
    tac_raster_clear(&raster, &view);
    double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    float normals[9] = {0};
    for (size_t i = 0; i < 4; i++) {
        TacVec3 corners[3] = {{0, bad[i], 0}, {1, 0, 0}, {0, 1, 0}};
        tac_raster_triangle(&raster, &view, corners, normals, 1);
        tac_raster_ball(&raster, &view, tac_vec3(bad[i], 0, 0), 1, 1);
        tac_raster_ball(&raster, &view, tac_vec3(0, 0, 0), bad[i], 1);
        tac_raster_capsule(&raster, &view, tac_vec3(0, 0, bad[i]), tac_vec3(0, 0, 0), 1, 1);
        tac_raster_capsule(&raster, &view, tac_vec3(0, 0, 0), tac_vec3(1, 0, 0), bad[i], 1);
    }
    for (int i = 0; i < size * size; i++) assert_int_equal(raster.ids[i], -1);
    tac_raster_destroy(&raster);
}

// Drawings

static const int32_t cube_triangles[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                           1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
static const double cube_points[24] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1,
                                       -1, -1, 1,  1, -1, 1,  1, 1, 1,  -1, 1, 1};

static void edges_of_a_cube_stay_sharp(void **state) {
    (void)state;
    TacTrackDef track = {.kind = TAC_VEC3, .opacity = 1, .visible = true};
    TacTrackMesh mesh = {.triangles = {cube_triangles, 36}};
    const TacTrackMesh *meshes[] = {&mesh};
    TacRecordingDef def = {.tracks = &track, .track_count = 1};
    TacFrameTrack points = {.count = 8, .positions = cube_points};
    TacFrame frame = {.tracks = &points};
    TacDrawing drawing = {0};
    TacError error;
    must(tac_drawing_make(&drawing, &def, &frame, meshes, 1, &error), &error);
    assert_int_equal(drawing.triangle_count, 12);
    for (size_t t = 0; t < 12; t++) {
        // outward along one axis: the one on which all three corners agree
        TacVec3 sum = {0};
        for (int k = 0; k < 3; k++) sum = tac_add(sum, drawing.points[drawing.triangles[t].corners[k]]);
        for (int k = 0; k < 9; k++) {
            double along = k % 3 == 0 ? sum.x : k % 3 == 1 ? sum.y : sum.z;
            double expected = fabs(along) > 2.9 ? along / 3 : 0;
            assert_true(fabs((double)drawing.triangles[t].normals[k] - expected) < 1e-6);
        }
    }
    tac_drawing_destroy(&drawing);
}

static void a_tube_of_flat_faces_is_smooth(void **state) {
    (void)state;
    enum { SIDES = 24 };
    double points[2 * SIDES * 3];
    int32_t triangles[SIDES * 6];
    for (int i = 0; i < SIDES; i++) {
        int j = (i + 1) % SIDES, base = 6 * i;
        double angle = 2 * TAC_PI * i / SIDES;
        tac_store3(points + 6 * i, tac_vec3(cos(angle), 0, -sin(angle)));
        tac_store3(points + 6 * i + 3, tac_vec3(cos(angle), 1, -sin(angle)));
        int32_t quad[6] = {2 * i, 2 * j, 2 * i + 1, 2 * j, 2 * j + 1, 2 * i + 1};
        memcpy(triangles + base, quad, sizeof quad);
    }
    TacTrackDef track = {.kind = TAC_VEC3, .opacity = 1, .visible = true};
    TacTrackMesh mesh = {.triangles = {triangles, SIDES * 6}};
    const TacTrackMesh *meshes[] = {&mesh};
    TacRecordingDef def = {.tracks = &track, .track_count = 1};
    TacFrameTrack frame_track = {.count = 2 * SIDES, .positions = points};
    TacFrame frame = {.tracks = &frame_track};
    TacDrawing drawing = {0};
    TacError error;
    must(tac_drawing_make(&drawing, &def, &frame, meshes, 1, &error), &error);
    for (size_t t = 0; t < drawing.triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            TacVec3 p = drawing.points[drawing.triangles[t].corners[k]];
            const float *n = drawing.triangles[t].normals + 3 * k;
            // within the angle that an uneven fan of faces can turn it: a fifth of a side's
            assert_true(p.x * (double)n[0] + p.z * (double)n[2] > cos(0.2 * 2 * TAC_PI / SIDES));
        }
    tac_drawing_destroy(&drawing);
}

static void bad_indices_and_lost_points_are_left_out(void **state) {
    (void)state;
    double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, NAN, 0, 0, INFINITY, 1, 1};
    int32_t triangles[] = {0, 1, 2, 0, 1, 3, -1, 1, 2, 0, 1, 5, 0, 2, 4, 0, 1};
    int32_t edges[] = {0, 1, 0, 3, 4, 1, 2, -5, 2, 9};
    TacTrackDef tracks[] = {{.kind = TAC_VEC3, .opacity = 1, .visible = true},
                            {.kind = TAC_VEC3, .opacity = 1, .visible = true},
                            {.kind = TAC_VEC3, .opacity = 1, .visible = true},
                            {.kind = TAC_VEC3, .opacity = 1, .visible = false}};
    TacTrackMesh surface = {.triangles = {triangles, 17}}, wires = {.edges = {edges, 10}};
    const TacTrackMesh *meshes[] = {&surface, &wires, NULL, NULL};
    TacRecordingDef def = {.tracks = tracks, .track_count = 4};
    TacFrameTrack points = {.count = 5, .positions = positions};
    TacFrameTrack all[] = {points, points, points, points};
    TacFrame frame = {.tracks = all};
    TacDrawing drawing = {0};
    TacError error;
    must(tac_drawing_make(&drawing, &def, &frame, meshes, 1, &error), &error);
    assert_int_equal(drawing.triangle_count, 1);
    assert_int_equal(drawing.wire_count, 1);
    assert_int_equal(drawing.ball_count, 3); // the hidden track adds none
    tac_drawing_destroy(&drawing);
}

static void flat_matter_lies_in_its_plane(void **state) {
    (void)state;
    double p[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    TacVec3 expected[] = {{2, 0, 0}, {3, 4, 0}, {4, 5, 6}, {4, 5, 0}, {8, 9, 10}};
    for (int kind = 0; kind < TAC_MATTER_KINDS; kind++)
        assert_true(tac_norm(tac_sub(tac_point_in_space((TacMatterKind)kind, p, 1), expected[kind])) == 0);
}

// Light

enum { WIDE = 320, HIGH = 240 };

typedef struct Picture {
    uint32_t pixels[WIDE * HIGH];
    TacStage stage;
} Picture;

static int brightness(const Picture *picture, TacVec3 p) {
    TacVec3 seen = tac_view_apply(&picture->stage.view, p);
    const TacView *view = &picture->stage.view;
    int s = picture->stage.samples;
    int x = (int)((view->middle_x + view->scale * seen.x / seen.z) / s),
        y = (int)((view->middle_y - view->scale * seen.y / seen.z) / s);
    assert_true(x >= 0 && x < WIDE && y >= 0 && y < HIGH);
    uint32_t pixel = picture->pixels[y * WIDE + x];
    return (int)((pixel >> 16 & 255) + (pixel >> 8 & 255) + (pixel & 255));
}

static void draw_picture(Picture *picture, const TacDrawing *drawing, TacVec3 eye, TacGround ground,
                         bool dark, TacTeam *team) {
    TacError error;
    TacView view = tac_view_perspective(eye, tac_vec3(0, 0.3, 0), tac_vec3(0, 1, 0), 40, WIDE * 2, HIGH * 2);
    picture->stage = tac_stage(&view, WIDE, HIGH, 2, tac_vec3(0, 1, 0), ground, tac_vec3(0, 0, 0), 2, dark);
    must(tac_stage_draw(&picture->stage, drawing, team, picture->pixels, WIDE, &error), &error);
}

static void a_ball_throws_its_shadow_away_from_the_sun(void **state) {
    (void)state;
    TacDrawnBall balls[] = {{{0, 0.6, 0}, 0.3, 0}};
    TacBrush brush = {{0.5, 0.1, 0.1}, 1};
    TacDrawing drawing = {.balls = balls,
                          .ball_count = 1,
                          .brushes = &brush,
                          .brush_count = 1,
                          .low = {-0.3, 0.3, -0.3},
                          .high = {0.3, 0.9, 0.3}};
    TacGround ground = {{0, 2, 0}, 0, true}; // not a unit normal: to be normalised
    for (int dark = 0; dark < 2; dark++) {
        Picture *picture = malloc(sizeof *picture);
        draw_picture(picture, &drawing, tac_vec3(0.5, 2.2, 4), ground, dark, NULL);
        TacVec3 sun = picture->stage.sun;
        TacVec3 away = tac_axpy(balls[0].centre, -0.6 / sun.y, sun);
        // the same distance from the ball's foot, on the other side; half a cell off the grid's lines
        TacVec3 lit = tac_scale(away, -1);
        assert_true(fabs(away.y) < 1e-12);
        assert_true(brightness(picture, away) * 10 < brightness(picture, lit) * 9);
        // just outside of the shadow it is light again
        TacVec3 flat = tac_unit(tac_vec3(away.x, 0, away.z));
        TacVec3 beyond = tac_axpy(away, 0.3 / sun.y + 0.25, flat);
        assert_true(brightness(picture, away) * 10 < brightness(picture, beyond) * 9);
        free(picture);
    }
}

static void things_shade_each_other(void **state) {
    (void)state;
    // the ball to look at, and one between it and the sun
    TacDrawnBall balls[] = {{{0, 0.4, 0}, 0.3, 0}, {{0, 0, 0}, 0.25, 0}};
    TacBrush brush = {{0.5, 0.5, 0.5}, 1};
    TacDrawing drawing = {.balls = balls,
                          .ball_count = 1,
                          .brushes = &brush,
                          .brush_count = 1,
                          .low = {-2, 0, -2},
                          .high = {2, 2, 2}};
    TacGround none = {0};
    Picture *alone = malloc(sizeof *alone), *shaded = malloc(sizeof *shaded);
    draw_picture(alone, &drawing, tac_vec3(0.5, 2.2, 4), none, false, NULL);
    balls[1].centre = tac_axpy(balls[0].centre, 1.2, alone->stage.sun);
    drawing.ball_count = 2;
    draw_picture(shaded, &drawing, tac_vec3(0.5, 2.2, 4), none, false, NULL);
    TacVec3 spot = tac_axpy(balls[0].centre, 0.3, tac_unit(tac_add(alone->stage.sun, tac_vec3(0, 0, 0.8))));
    assert_true(brightness(shaded, spot) * 10 < brightness(alone, spot) * 8);
    free(alone);
    free(shaded);
}

static void both_sides_of_a_surface_look_alike(void **state) {
    (void)state;
    TacVec3 points[] = {{-1, 0.3, -0.6}, {1, 0.3, -0.6}, {0, 0.6, 0.9}};
    TacBrush brush = {{0.3, 0.4, 0.6}, 1};
    TacVec3 n = tac_unit(tac_cross(tac_sub(points[1], points[0]), tac_sub(points[2], points[0])));
    TacDrawnTriangle front = {{0, 1, 2}, 0, {0}}, back = {{0, 2, 1}, 0, {0}};
    for (int k = 0; k < 3; k++) {
        float direct[3] = {(float)n.x, (float)n.y, (float)n.z};
        for (int i = 0; i < 3; i++) {
            front.normals[3 * k + i] = direct[i];
            back.normals[3 * k + i] = -direct[i];
        }
    }
    TacDrawing drawing = {.points = points,
                          .point_count = 3,
                          .triangle_count = 1,
                          .brushes = &brush,
                          .brush_count = 1,
                          .low = {-1, 0.3, -0.6},
                          .high = {1, 0.6, 0.9}};
    TacGround none = {0};
    Picture *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    drawing.triangles = &front;
    draw_picture(a, &drawing, tac_vec3(0.5, 2.2, 4), none, false, NULL);
    drawing.triangles = &back;
    draw_picture(b, &drawing, tac_vec3(0.5, 2.2, 4), none, false, NULL);
    assert_memory_equal(a->pixels, b->pixels, sizeof a->pixels);
    // and the side that faces the sun is lit by it
    TacVec3 middle = tac_scale(tac_add(points[0], tac_add(points[1], points[2])), 1.0 / 3);
    int lit = brightness(a, middle);
    a->stage.sun = tac_scale(a->stage.sun, -1);
    TacError error;
    must(tac_stage_draw(&a->stage, &drawing, NULL, a->pixels, WIDE, &error), &error);
    assert_true(brightness(a, middle) * 10 < lit * 8);
    free(a);
    free(b);
}

static void translucent_things_let_the_ones_behind_through(void **state) {
    (void)state;
    TacDrawnBall balls[] = {{{0, 0.3, 0}, 0.3, 0}, {{0.06, 0.55, 0.9}, 0.25, 1}};
    TacBrush brushes[] = {{{0.8, 0.0, 0.0}, 1}, {{0.0, 0.0, 0.8}, 1}};
    TacDrawing drawing = {.balls = balls,
                          .ball_count = 2,
                          .brushes = brushes,
                          .brush_count = 2,
                          .low = {-0.3, 0, -0.3},
                          .high = {0.3, 0.8, 1.2}};
    TacGround none = {0};
    TacVec3 eye = {0.25, 1.3, 4};
    Picture *picture = malloc(sizeof *picture);
    double red[3];
    for (int i = 0; i < 3; i++) {
        brushes[1].opacity = i == 0 ? 1 : i == 1 ? 0.5 : 0.1;
        draw_picture(picture, &drawing, eye, none, false, NULL);
        TacVec3 seen = tac_view_apply(&picture->stage.view, balls[1].centre);
        int x = (int)(0.5 * (picture->stage.view.middle_x + picture->stage.view.scale * seen.x / seen.z)),
            y = (int)(0.5 * (picture->stage.view.middle_y - picture->stage.view.scale * seen.y / seen.z));
        red[i] = picture->pixels[y * WIDE + x] >> 16 & 255;
    }
    assert_true(red[0] + 20 < red[1] && red[1] + 20 < red[2]);
    free(picture);
}

static void any_number_of_threads_gives_the_same_picture(void **state) {
    (void)state;
    enum { COUNT = 40 };
    TacDrawnBall balls[COUNT];
    TacDrawnWire wires[COUNT];
    TacRandom random = tac_random(11, 2);
    for (int i = 0; i < COUNT; i++) {
        balls[i] = (TacDrawnBall){random_point(&random, 0.8), 0.1, i % 2};
        wires[i] = (TacDrawnWire){random_point(&random, 0.8), random_point(&random, 0.8), 0.01, 0};
    }
    TacBrush brushes[] = {{{0.5, 0.4, 0.1}, 1}, {{0.1, 0.4, 0.6}, 0.6}};
    TacDrawing drawing = {.balls = balls,
                          .ball_count = COUNT,
                          .wires = wires,
                          .wire_count = COUNT,
                          .brushes = brushes,
                          .brush_count = 2,
                          .low = {-0.9, -0.9, -0.9},
                          .high = {0.9, 0.9, 0.9}};
    TacGround ground = {{0, 1, 0}, -0.5, true};
    Picture *one = malloc(sizeof *one), *many = malloc(sizeof *many);
    draw_picture(one, &drawing, tac_vec3(0.5, 2.2, 4), ground, true, NULL);
    TacTeam *team;
    TacError error;
    must(tac_team_create(&team, 3, &error), &error);
    draw_picture(many, &drawing, tac_vec3(0.5, 2.2, 4), ground, true, team);
    tac_team_destroy(team);
    assert_memory_equal(one->pixels, many->pixels, sizeof one->pixels);
    free(one);
    free(many);
}

// Whole recordings

// A red ball that flies from left to right over the ground, in 5 frames of 0.25 s.
static TacRecording *flying_ball(const char *name, TacMatterKind kind, double radius, bool ground) {
    TacTrackDef track = {.name = "/ball",
                         .kind = kind,
                         .point_count = 1,
                         .radius = radius,
                         .color = {0.9, 0.1, 0.1},
                         .opacity = 1,
                         .visible = true};
    TacRecordingDef def = tac_recording_def_default();
    def.scene = "flying ball";
    def.up = tac_vec3(0, 1, 0);
    def.ground = (TacGround){{0, 1, 0}, 0, ground};
    def.tracks = &track;
    def.track_count = 1;
    TacError error;
    TacRecorder *recorder;
    must(tac_recorder_open(&recorder, place(name), &def, &error), &error);
    for (int i = 0; i < 5; i++) {
        double x = i - 2, height = 0.4 + 0.25 * (4 - x * x);
        double positions[7] = {x, height, 0, 0, 0, 0, 1};
        if (kind == TAC_RIGID2) positions[2] = 0.3;
        TacFrameTrack points = {.time = 0.25 * i, .count = 1, .positions = positions};
        TacFrame frame = {.time = 0.25 * i, .tracks = &points};
        must(tac_recorder_frame(recorder, &frame, &error), &error);
    }
    must(tac_recorder_close(recorder, &error), &error);
    TacRecording *recording;
    must(tac_recording_open(&recording, place(name), &error), &error);
    return recording;
}

// The extent of the red pixels of a part of a picture.
typedef struct Extent {
    int count, low_x, high_x, low_y, high_y;
    double x, y; // their mean
} Extent;

static Extent red_extent(const char *path, int left, int width, int expected_width, int expected_height) {
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(image), expected_width);
    assert_int_equal(cairo_image_surface_get_height(image), expected_height);
    const unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    Extent extent = {.low_x = width, .low_y = expected_height, .high_x = -1, .high_y = -1};
    for (int y = 0; y < expected_height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, data + y * stride + 4 * (left + x), sizeof pixel);
            int red = pixel >> 16 & 255, green = pixel >> 8 & 255;
            if (red < 60 || 10 * red < 13 * green) continue; // about half covered
            extent.count++;
            extent.x += x;
            extent.y += y;
            if (x < extent.low_x) extent.low_x = x;
            if (x > extent.high_x) extent.high_x = x;
            if (y < extent.low_y) extent.low_y = y;
            if (y > extent.high_y) extent.high_y = y;
        }
    extent.x /= extent.count;
    extent.y /= extent.count;
    cairo_surface_destroy(image);
    return extent;
}

static TacRenderDef small_render(void) {
    TacRenderDef def = tac_render_def_default();
    def.width = 320;
    def.height = 180;
    return def;
}

static void a_given_camera_is_used_and_a_ball_has_its_size(void **state) {
    (void)state;
    TacRecording *recording = flying_ball("size.tacrec", TAC_VEC3, 0.4, false);
    TacRenderDef def = small_render();
    def.width = def.height = 400;
    def.samples = 3;
    def.at = 0.5; // the ball is at (0, 1.4, 0)
    def.camera = (TacCamera){{0, 1.4, 5}, {0, 1.4, 0}, 30};
    TacError error;
    must(tac_recording_render(recording, &def, place("size.png"), NULL, NULL, &error), &error);
    Extent seen = red_extent(place("size.png"), 0, 400, 400, 400);
    double radius = 200 / tan(TAC_PI / 12) * 0.4 / sqrt(25 - 0.16), area = TAC_PI * radius * radius;
    assert_true(fabs(seen.count / area - 1) < 0.01);
    assert_true(fabs(seen.x - 199.5) < 0.2 && fabs(seen.y - 199.5) < 0.2);
    tac_recording_close(recording);
}

static void the_chosen_camera_holds_the_whole_recording(void **state) {
    (void)state;
    TacMatterKind kinds[] = {TAC_VEC3, TAC_VEC2, TAC_RIGID2, TAC_RIGID3};
    for (size_t k = 0; k < 4; k++) {
        TacRecording *recording = flying_ball("fit.tacrec", kinds[k], 0.4, true);
        TacError error;
        int low = 320, high = -1;
        for (int i = 0; i < 5; i++) {
            TacRenderDef def = small_render();
            def.at = 0.25 * i;
            must(tac_recording_render(recording, &def, place("fit.png"), NULL, NULL, &error), &error);
            Extent seen = red_extent(place("fit.png"), 0, 320, 320, 180);
            assert_true(seen.count > 50);
            assert_true(seen.low_x > 0 && seen.high_x < 319 && seen.low_y > 0 && seen.high_y < 179);
            low = seen.low_x < low ? seen.low_x : low;
            high = seen.high_x > high ? seen.high_x : high;
        }
        // and wastes little: over time nearly the whole width is used
        assert_true(high - low > 320 * 8 / 10);
        tac_recording_close(recording);
    }
}

static void the_moment_decides_the_frame(void **state) {
    (void)state;
    TacRecording *recording = flying_ball("at.tacrec", TAC_VEC2, 0.4, false);
    TacError error;
    // nearest frames of these times, the last being "no time given"
    double times[] = {-5, 0.12, 0.13, 0.6, 99, NAN};
    int frames[] = {0, 0, 1, 2, 4, 4};
    double columns[5];
    for (int i = 0; i < 6 + 5; i++) {
        TacRenderDef def = small_render();
        def.at = i < 5 ? 0.25 * i : times[i - 5];
        must(tac_recording_render(recording, &def, place("at.png"), NULL, NULL, &error), &error);
        double x = red_extent(place("at.png"), 0, 320, 320, 180).x;
        if (i < 5)
            columns[i] = x;
        else
            assert_true(fabs(x - columns[frames[i - 5]]) < 1e-9);
        if (i > 0 && i < 5) assert_true(x > columns[i - 1] + 20);
    }
    tac_recording_close(recording);
}

static void a_strip_shows_moments_side_by_side(void **state) {
    (void)state;
    TacRecording *recording = flying_ball("strip.tacrec", TAC_VEC2, 0.4, true);
    TacRenderDef def = small_render();
    def.strip = 3;
    TacError error;
    must(tac_recording_render(recording, &def, place("strip.png"), NULL, NULL, &error), &error);
    double columns[3];
    for (int i = 0; i < 3; i++) {
        Extent seen = red_extent(place("strip.png"), 320 * i, 320, 960, 180);
        assert_true(seen.count > 50);
        columns[i] = seen.x;
    }
    // left, middle, right
    assert_true(columns[0] + 60 < columns[1] && columns[1] + 60 < columns[2]);
    assert_true(fabs(columns[1] - 159.5) < 3);
    tac_recording_close(recording);
}

static bool stop_after_two(void *data, double done) {
    int *calls = data;
    assert_true(done >= 0 && done <= 1);
    return ++*calls <= 2;
}

static void a_movie_writes_every_frame(void **state) {
    (void)state;
    TacRecording *recording = flying_ball("movie.tacrec", TAC_VEC3, 0.4, false);
    TacRenderDef def = small_render();
    def.movie = true;
    def.width = def.height = 48;
    TacError error;
    must(tac_recording_render(recording, &def, place("movie.png"), NULL, NULL, &error), &error);
    assert_int_equal(access(place("movie-00000.png"), F_OK), 0);
    assert_int_equal(access(place("movie-00004.png"), F_OK), 0);
    assert_int_not_equal(access(place("movie-00005.png"), F_OK), 0);
    assert_int_not_equal(access(place("movie.png"), F_OK), 0);
    int calls = 0;
    assert_int_equal(tac_recording_render(recording, &def, place("stop.png"), stop_after_two, &calls, &error),
                     TAC_FAILED);
    assert_int_equal(access(place("stop-00001.png"), F_OK), 0);
    assert_int_not_equal(access(place("stop-00002.png"), F_OK), 0);
    tac_recording_close(recording);
}

static void nonsense_is_refused_with_a_message(void **state) {
    (void)state;
    TacRecording *recording = flying_ball("bad.tacrec", TAC_VEC3, 0.4, false);
    TacError error = {0};
    TacRenderDef good = small_render(), def = good;
    assert_int_equal(tac_recording_render(recording, &def, place("x.jpg"), NULL, NULL, &error),
                     TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, ".png"));
    assert_int_equal(tac_recording_render(recording, &def, "/tmp/.png", NULL, NULL, &error), TAC_BAD_USAGE);
    def.width = 0;
    assert_int_equal(tac_recording_render(recording, &def, place("x.png"), NULL, NULL, &error),
                     TAC_BAD_USAGE);
    def = good;
    def.samples = 100;
    assert_int_equal(tac_recording_render(recording, &def, place("x.png"), NULL, NULL, &error),
                     TAC_BAD_USAGE);
    def = good;
    def.strip = 2000000000;
    assert_int_equal(tac_recording_render(recording, &def, place("x.png"), NULL, NULL, &error),
                     TAC_BAD_USAGE);
    def = good;
    def.at = INFINITY;
    assert_int_equal(tac_recording_render(recording, &def, place("x.png"), NULL, NULL, &error),
                     TAC_BAD_USAGE);
    assert_int_not_equal(access(place("x.png"), F_OK), 0);
    assert_int_equal(tac_recording_render(recording, &good, place("none/x.png"), NULL, NULL, &error),
                     TAC_FAILED);
    tac_recording_close(recording);
}

// Nothing visible, everything at one point, crosses, a camera that looks straight down: all must give a
// picture.
static void odd_recordings_still_give_a_picture(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        TacTrackDef track = {.name = "/frame",
                             .kind = TAC_RIGID3,
                             .point_count = 1,
                             .color = {0.9, 0.1, 0.1},
                             .opacity = 1,
                             .visible = variant != 0};
        TacRecordingDef def = tac_recording_def_default();
        def.up = variant == 1 ? tac_vec3(0, 0, 0) : tac_vec3(0, 0, 1);
        def.ground = (TacGround){{0, 0, variant == 1 ? 0.0 : 1.0}, -1, true};
        def.tracks = &track;
        def.track_count = 1;
        if (variant == 3) def.camera = (TacCamera){{1, 1, 2}, {1, 1, 0}, 40};
        TacError error;
        TacRecorder *recorder;
        must(tac_recorder_open(&recorder, place("odd.tacrec"), &def, &error), &error);
        double positions[7] = {1, 1, 1, 0, 0, 0.6, 0.8};
        TacFrameTrack points = {.count = 1, .positions = positions};
        TacFrame frame = {.tracks = &points};
        must(tac_recorder_frame(recorder, &frame, &error), &error);
        must(tac_recorder_close(recorder, &error), &error);
        TacRecording *recording;
        must(tac_recording_open(&recording, place("odd.tacrec"), &error), &error);
        TacRenderDef render = small_render();
        must(tac_recording_render(recording, &render, place("odd.png"), NULL, NULL, &error), &error);
        Extent seen = red_extent(place("odd.png"), 0, 320, 320, 180);
        if (variant == 0)
            assert_int_equal(seen.count, 0);
        else
            assert_true(seen.count > 5);
        tac_recording_close(recording);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_covers_the_ellipse_that_its_cone_cuts),
        cmocka_unit_test(a_balls_depth_and_normal_are_exact),
        cmocka_unit_test(triangles_are_seen_as_rays_meet_them),
        cmocka_unit_test(capsules_are_seen_as_walking_rays_meet_them),
        cmocka_unit_test(what_is_not_finite_is_skipped),
        cmocka_unit_test(edges_of_a_cube_stay_sharp),
        cmocka_unit_test(a_tube_of_flat_faces_is_smooth),
        cmocka_unit_test(bad_indices_and_lost_points_are_left_out),
        cmocka_unit_test(flat_matter_lies_in_its_plane),
        cmocka_unit_test(a_ball_throws_its_shadow_away_from_the_sun),
        cmocka_unit_test(things_shade_each_other),
        cmocka_unit_test(both_sides_of_a_surface_look_alike),
        cmocka_unit_test(translucent_things_let_the_ones_behind_through),
        cmocka_unit_test(any_number_of_threads_gives_the_same_picture),
        cmocka_unit_test(a_given_camera_is_used_and_a_ball_has_its_size),
        cmocka_unit_test(the_chosen_camera_holds_the_whole_recording),
        cmocka_unit_test(the_moment_decides_the_frame),
        cmocka_unit_test(a_strip_shows_moments_side_by_side),
        cmocka_unit_test(a_movie_writes_every_frame),
        cmocka_unit_test(nonsense_is_refused_with_a_message),
        cmocka_unit_test(odd_recordings_still_give_a_picture),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
