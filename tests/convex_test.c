// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Convex queries against enumeration (convex_reference.h), closed forms, and themselves under symmetry.
// TACTUS_CONVEX_PAIRS sets how many random pairs are compared (100,000 without it).

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "convex_reference.h"
#include "geometry/convex_gap.h"
#include "tactus/convex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static TacRandom rng;

static double between(double low, double high) {
    return tac_random_between(&rng, low, high);
}

static TacVec3 random_vector(double size) {
    return tac_vec3(between(-size, size), between(-size, size), between(-size, size));
}

static TacQuat random_rotation(void) {
    return tac_quat_unit((TacQuat){between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)});
}

static TacVec3 place(const TacPose *pose, TacVec3 local) {
    TacMat3 m = tac_pose_matrix(pose->rotation);
    return tac_add(pose->position, tac_mat3_apply(&m, local));
}

static bool finite3(TacVec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// --- families of pairs -----------------------------------------------------------------------------------------

enum { FAT, NEEDLE, SLAB, FLAT, SEGMENT, POINT, LATTICE, SHAPES };
enum { ANYWHERE, NEAR, CONCENTRIC, ALIGNED_GRID, SHARED_CORNER, PARALLEL, PLACES };

typedef struct Trial {
    Corners a, b; // as placed, relative to A's position
    TacPolyhedron *hull_a, *hull_b;
    TacConvex shape_a, shape_b;
    TacConvexPair pair;
    double extent;
    int shape[2], place;
} Trial;

static TacPolyhedron *random_hull(Corners *local, int shape, double size) {
    static const double stretch[SHAPES][3] = {{1, 1, 1}, {1, 1e-4, 1e-4}, {1, 1, 1e-5}, {1, 1, 0},
                                              {1, 0, 0}, {0, 0, 0},       {1, 1, 1}};
    local->count = shape == POINT ? 1 : shape == SEGMENT ? 2 : 4 + (int)(tac_random_bits(&rng) % 5);
    for (int i = 0; i < local->count; i++) {
        TacVec3 p = random_vector(1);
        // a coarse lattice makes coplanar faces and parallel edges
        if (shape == LATTICE) p = tac_vec3(round(p.x), round(p.y), round(p.z));
        local->p[i] = tac_vec3(size * stretch[shape][0] * p.x, size * stretch[shape][1] * p.y,
                               size * stretch[shape][2] * p.z);
    }
    TacPolyhedron *hull = NULL;
    TacError error;
    assert_int_equal(tac_polyhedron_create(&hull, &local->p[0].x, (size_t)local->count, &error), TAC_OK);
    return hull;
}

static void make_trial(Trial *trial) {
    double size = pow(10, between(-6, 6)), ratio = tac_random_bits(&rng) % 4 ? 1 : pow(10, between(-3, 3));
    Corners local_a, local_b;
    trial->shape[0] = (int)(tac_random_bits(&rng) % SHAPES);
    trial->shape[1] = (int)(tac_random_bits(&rng) % SHAPES);
    trial->place = (int)(tac_random_bits(&rng) % PLACES);
    trial->hull_a = random_hull(&local_a, trial->shape[0], size);
    trial->hull_b = random_hull(&local_b, trial->shape[1], size * ratio);
    trial->shape_a = tac_convex_polyhedron(trial->hull_a);
    trial->shape_b = tac_convex_polyhedron(trial->hull_b);
    TacPose a = {random_vector(10 * size), random_rotation()}, b = {a.position, random_rotation()};
    double spread = size * fmax(1, ratio);
    switch (trial->place) {
    case ANYWHERE: b.position = tac_add(a.position, random_vector(2 * spread)); break;
    case NEAR: b.position = tac_add(a.position, random_vector(spread)); break;
    case ALIGNED_GRID: {
        // unturned and moved by whole and half sizes: faces on faces, exact touches
        a = (TacPose){tac_vec3(0, 0, 0), tac_quat_identity()};
        TacVec3 step = random_vector(2);
        b = (TacPose){tac_vec3(size * round(2 * step.x) / 2, size * round(2 * step.y) / 2,
                               size * round(2 * step.z) / 2),
                      tac_quat_identity()};
        break;
    }
    case SHARED_CORNER:
        b.position = tac_sub(place(&a, local_a.p[0]), tac_sub(place(&b, local_b.p[0]), b.position));
        break;
    case PARALLEL:
        b.rotation = a.rotation;
        b.position = tac_add(a.position, random_vector(spread));
        break;
    default: break;
    }
    trial->pair = (TacConvexPair){&trial->shape_a, &trial->shape_b, a, b};
    // the reference works near the origin, so that its own rounding is small
    TacPose here = {tac_vec3(0, 0, 0), a.rotation}, there = {tac_sub(b.position, a.position), b.rotation};
    trial->a = local_a;
    trial->b = local_b;
    for (int i = 0; i < local_a.count; i++) trial->a.p[i] = place(&here, local_a.p[i]);
    for (int i = 0; i < local_b.count; i++) trial->b.p[i] = place(&there, local_b.p[i]);
    trial->extent = size + size * ratio + tac_norm(there.position);
}

static void drop_trial(Trial *trial) {
    tac_polyhedron_destroy(trial->hull_a);
    tac_polyhedron_destroy(trial->hull_b);
}

static void complain(const Trial *trial, const char *what, double ours, double theirs) {
    print_error("%s: %.17g, reference %.17g, extent %g, shapes %d %d, place %d\n", what, ours, theirs,
                trial->extent, trial->shape[0], trial->shape[1], trial->place);
    fail();
}

static double worst_distance, worst_depth;

// A point of A and a point of B that are as far apart as is said, along the normal.
static void check_witnesses(const Trial *trial, const TacConvexPenetration *p, double tolerance) {
    TacVec3 apart = tac_sub(p->point_a, p->point_b);
    double rounding = 1e-15 * (fabs(trial->pair.pose_a.position.x) + fabs(trial->pair.pose_a.position.y) +
                               fabs(trial->pair.pose_a.position.z));
    double off = tac_norm(tac_axpy(apart, -p->depth, p->normal));
    if (!(off <= 1e4 * tolerance + 4 * rounding)) complain(trial, "witnesses", off, 0);
    if (!(fabs(tac_norm(p->normal) - 1) < 1e-12)) complain(trial, "normal", tac_norm(p->normal), 1);
    // the normal itself is a proof of the depth, if a slightly weaker one: 1e-8 of the extent
    double low_b = INFINITY, high_a = -INFINITY;
    for (int i = 0; i < trial->a.count; i++) high_a = fmax(high_a, tac_dot(p->normal, trial->a.p[i]));
    for (int i = 0; i < trial->b.count; i++) low_b = fmin(low_b, tac_dot(p->normal, trial->b.p[i]));
    if (!(fabs(high_a - low_b - p->depth) <= 100 * tolerance))
        complain(trial, "overlap", high_a - low_b, p->depth);
}

static void check_trial(const Trial *trial, TacConvexCache *cache) {
    double tolerance = TAC_CONVEX_ERROR * trial->extent;
    double depth = reference_depth(&trial->a, &trial->b);
    double distance = depth < tolerance ? reference_distance(&trial->a, &trial->b) : 0;
    TacConvexPenetration p = tac_convex_penetration(&trial->pair, cache);
    TacConvexDistance d = tac_convex_distance(&trial->pair, cache);
    TacConvexSeparation s = tac_convex_separation(&trial->pair, cache);
    assert_true(isfinite(p.depth) && finite3(p.normal) && finite3(p.point_a) && finite3(p.point_b));
    if (p.state == TAC_CONVEX_FAILED) complain(trial, "penetration failed", p.depth, depth);
    if (d.state == TAC_CONVEX_FAILED) complain(trial, "distance failed", d.distance, distance);
    assert_int_not_equal(s.state, TAC_CONVEX_FAILED);
    double signed_depth = depth < 0 || distance > tolerance ? -distance : depth;
    if (!(fabs(p.depth - signed_depth) <= tolerance)) complain(trial, "depth", p.depth, signed_depth);
    double ours = d.state == TAC_CONVEX_SEPARATED ? d.distance : 0;
    if (!(fabs(ours - fmax(0, -signed_depth)) <= tolerance)) complain(trial, "distance", ours, -signed_depth);
    if (signed_depth > tolerance && s.state != TAC_CONVEX_OVERLAPPING) complain(trial, "apart", 0, depth);
    if (signed_depth < -tolerance && s.state != TAC_CONVEX_SEPARATED) complain(trial, "together", 0, depth);
    worst_depth = fmax(worst_depth, fabs(p.depth - signed_depth) / trial->extent);
    worst_distance = fmax(worst_distance, fabs(ours - fmax(0, -signed_depth)) / trial->extent);
    check_witnesses(trial, &p, tolerance);
}

static long pair_count(void) {
    const char *text = getenv("TACTUS_CONVEX_PAIRS");
    long count = text ? strtol(text, NULL, 10) : 100000;
    return count > 0 ? count : 100000;
}

static void random_pairs_agree_with_enumeration(void **state) {
    (void)state;
    rng = tac_random(1, 1);
    // one cache for all: what it holds is always wrong
    TacConvexCache foreign = {0};
    long count = pair_count();
    for (long i = 0; i < count; i++) {
        Trial trial;
        make_trial(&trial);
        TacConvexCache own = {0};
        check_trial(&trial, i % 3 == 0 ? NULL : i % 3 == 1 ? &own : &foreign);
        drop_trial(&trial);
    }
    print_message("%ld pairs: distances within %.1e, depths within %.1e of the extent\n", count,
                  worst_distance, worst_depth);
}

// --- symmetry ----------------------------------------------------------------------------------------------------

static void swapping_and_moving_change_nothing(void **state) {
    (void)state;
    rng = tac_random(2, 1);
    for (int i = 0; i < 10000; i++) {
        Trial trial;
        make_trial(&trial);
        double tolerance = 2 * TAC_CONVEX_ERROR * trial.extent;
        TacConvexPenetration p = tac_convex_penetration(&trial.pair, NULL);
        TacConvexPair swapped = {trial.pair.b, trial.pair.a, trial.pair.pose_b, trial.pair.pose_a};
        TacConvexPenetration q = tac_convex_penetration(&swapped, NULL);
        if (!(fabs(p.depth - q.depth) <= tolerance)) complain(&trial, "swapped", q.depth, p.depth);
        // a rotation and a shift of both
        TacQuat turn = random_rotation();
        TacVec3 shift = random_vector(trial.extent);
        TacConvexPair moved = trial.pair;
        moved.pose_a = (TacPose){tac_add(shift, tac_rotate(turn, trial.pair.pose_a.position)),
                                 tac_quat_mul(turn, trial.pair.pose_a.rotation)};
        moved.pose_b = (TacPose){tac_add(shift, tac_rotate(turn, trial.pair.pose_b.position)),
                                 tac_quat_mul(turn, trial.pair.pose_b.rotation)};
        TacConvexPenetration r = tac_convex_penetration(&moved, NULL);
        double rounding = 1e-14 * (tac_norm(trial.pair.pose_a.position) + tac_norm(shift));
        if (!(fabs(p.depth - r.depth) <= tolerance + rounding)) complain(&trial, "moved", r.depth, p.depth);
        drop_trial(&trial);
    }
}

static void a_cache_never_changes_the_answer(void **state) {
    (void)state;
    rng = tac_random(3, 1);
    for (int i = 0; i < 300; i++) {
        Trial trial;
        make_trial(&trial);
        TacConvexCache cache = {0}, sign = {0};
        TacVec3 speed = random_vector(0.02 * trial.extent), spin = random_vector(0.05);
        for (int step = 0; step < 60; step++) {
            TacConvexPair *pair = &trial.pair;
            pair->pose_b.position = tac_add(pair->pose_b.position, speed);
            pair->pose_b.rotation = tac_quat_mul(tac_quat_from_vector(spin), pair->pose_b.rotation);
            double tolerance = 4 * TAC_CONVEX_ERROR * trial.extent;
            TacConvexPenetration with = tac_convex_penetration(pair, &cache);
            TacConvexPenetration without = tac_convex_penetration(pair, NULL);
            assert_int_not_equal(with.state, TAC_CONVEX_FAILED);
            if (!(fabs(with.depth - without.depth) <= tolerance))
                complain(&trial, "cached depth", with.depth, without.depth);
            TacConvexState quick = tac_convex_separation(pair, &sign).state;
            TacConvexState slow = without.depth >= 0 ? TAC_CONVEX_OVERLAPPING : TAC_CONVEX_SEPARATED;
            if (fabs(without.depth) > tolerance && quick != slow)
                complain(&trial, "cached sign", quick, slow);
        }
        drop_trial(&trial);
    }
}

static void garbage_in_a_cache_does_no_harm(void **state) {
    (void)state;
    rng = tac_random(4, 1);
    for (int i = 0; i < 5000; i++) {
        Trial trial;
        make_trial(&trial);
        TacConvexCache cache;
        for (size_t k = 0; k < sizeof cache; k++)
            ((unsigned char *)&cache)[k] = (unsigned char)tac_random_bits(&rng);
        if (i % 2) cache.axis = tac_vec3(NAN, INFINITY, -1);
        TacConvexCache copy = cache;
        check_trial(&trial, &cache);
        double depth = tac_convex_penetration(&trial.pair, NULL).depth;
        TacConvexState state_now = tac_convex_separation(&trial.pair, &copy).state;
        if (fabs(depth) > TAC_CONVEX_ERROR * trial.extent)
            assert_int_equal(state_now, depth > 0 ? TAC_CONVEX_OVERLAPPING : TAC_CONVEX_SEPARATED);
        drop_trial(&trial);
    }
}

// --- closed forms --------------------------------------------------------------------------------------------------

static TacConvexPenetration ask(const TacConvex *a, TacPose pa, const TacConvex *b, TacPose pb) {
    TacConvexPair pair = {a, b, pa, pb};
    return tac_convex_penetration(&pair, NULL);
}

static void spheres_and_capsules_have_closed_forms(void **state) {
    (void)state;
    rng = tac_random(5, 1);
    for (int i = 0; i < 20000; i++) {
        double size = pow(10, between(-6, 6));
        TacConvex ball = tac_convex_sphere(size * between(0, 1)),
                  rod = tac_convex_capsule(size * between(0, 0.5), size * between(0, 1));
        TacConvex rod2 = tac_convex_capsule(size * between(0, 0.5), size * between(0, 1));
        rod2.rounding = size * between(0, 0.1);
        TacPose pa = {random_vector(size), random_rotation()}, pb = {random_vector(size), random_rotation()};
        if (i % 10 == 0) pb.position = pa.position;
        TacVec3 a0 = place(&pa, tac_vec3(0, rod.half_height, 0)),
                a1 = place(&pa, tac_vec3(0, -rod.half_height, 0));
        TacVec3 b0 = place(&pb, tac_vec3(0, rod2.half_height, 0)),
                b1 = place(&pb, tac_vec3(0, -rod2.half_height, 0));
        double extent = 4 * size;
        double rods = rod.radius + rod2.radius + rod2.rounding - reference_segment_segment(a0, a1, b0, b1);
        assert_true(fabs(ask(&rod, pa, &rod2, pb).depth - rods) <= TAC_CONVEX_ERROR * extent);
        double mixed = rod.radius + ball.radius - reference_point_segment(pb.position, a0, a1);
        assert_true(fabs(ask(&rod, pa, &ball, pb).depth - mixed) <= TAC_CONVEX_ERROR * extent);
        double balls = 2 * ball.radius - tac_norm(tac_sub(pa.position, pb.position));
        TacConvexPenetration p = ask(&ball, pa, &ball, pb);
        assert_true(fabs(p.depth - balls) <= TAC_CONVEX_ERROR * extent);
        assert_true(fabs(tac_norm(p.normal) - 1) < 1e-12);
    }
}

// Depth or distance of a ball and a box, worked out in the box's frame.
static double ball_in_box(TacVec3 c, TacVec3 half, double radius) {
    TacVec3 out =
        tac_vec3(fmax(0, fabs(c.x) - half.x), fmax(0, fabs(c.y) - half.y), fmax(0, fabs(c.z) - half.z));
    double outside = tac_norm(out);
    if (outside > 0) return radius - outside;
    return radius + fmin(half.x - fabs(c.x), fmin(half.y - fabs(c.y), half.z - fabs(c.z)));
}

static void balls_against_boxes_cylinders_and_planes(void **state) {
    (void)state;
    rng = tac_random(6, 1);
    for (int i = 0; i < 20000; i++) {
        double size = pow(10, between(-6, 6));
        TacVec3 half = tac_vec3(size * between(0.1, 1), size * between(0.1, 1), size * between(0.1, 1));
        TacConvex box = tac_convex_box(half), ball = tac_convex_sphere(size * between(0, 1));
        TacPose pa = {random_vector(size), random_rotation()};
        TacVec3 local = random_vector(1.5 * size);
        if (i % 10 == 0) local = tac_vec3(0, 0, 0);
        TacPose pb = {place(&pa, local), random_rotation()};
        double extent = 5 * size;
        double expected = ball_in_box(local, half, ball.radius);
        assert_true(fabs(ask(&box, pa, &ball, pb).depth - expected) <= TAC_CONVEX_ERROR * extent);
        TacConvex rounded = box;
        rounded.rounding = 0.25 * size;
        assert_true(fabs(ask(&ball, pb, &rounded, pa).depth - expected - 0.25 * size) <=
                    TAC_CONVEX_ERROR * extent);
        // a half-space: height above it
        TacConvex plane = tac_convex_half_space();
        assert_true(fabs(ask(&plane, pa, &ball, pb).depth - (ball.radius - local.y)) <=
                    TAC_CONVEX_ERROR * extent);
        assert_true(fabs(ask(&ball, pb, &plane, pa).depth - (ball.radius - local.y)) <=
                    TAC_CONVEX_ERROR * extent);
        // a cylinder, cut along its axis, is a rectangle
        TacConvex can = tac_convex_cylinder(half.x, half.y);
        double across = sqrt(local.x * local.x + local.z * local.z);
        TacVec3 flat = tac_vec3(across, local.y, 0);
        double in_can = ball_in_box(flat, tac_vec3(half.x, half.y, 4 * size), ball.radius);
        TacConvexPenetration p = ask(&can, pa, &ball, pb);
        assert_int_not_equal(p.state, TAC_CONVEX_FAILED);
        assert_true(fabs(p.depth - in_can) <= TAC_CONVEX_CURVED_ERROR * extent);
        // a cone likewise is a triangle; outside of it enumeration knows the distance
        TacConvex cone = tac_convex_cone(half.x, half.y);
        TacVec3 tip = tac_vec3(0, half.y, 0), rim = tac_vec3(half.x, -half.y, 0),
                left = tac_vec3(-half.x, -half.y, 0);
        double edge = reference_point_segment(flat, tip, rim),
               base = reference_point_segment(flat, left, rim);
        bool inside = flat.y > -half.y && (flat.y - half.y) * half.x + 2 * half.y * flat.x < 0;
        double in_cone = inside ? ball.radius + fmin(edge, flat.y + half.y) : ball.radius - fmin(edge, base);
        p = ask(&cone, pa, &ball, pb);
        assert_int_not_equal(p.state, TAC_CONVEX_FAILED);
        assert_true(fabs(p.depth - in_cone) <= TAC_CONVEX_CURVED_ERROR * extent);
    }
}

static void boxes_agree_with_their_polyhedra(void **state) {
    (void)state;
    rng = tac_random(7, 1);
    for (int i = 0; i < 3000; i++) {
        double size = pow(10, between(-6, 6));
        Trial trial = {.extent = 6 * size};
        TacConvex box[2];
        Corners *corners[2] = {&trial.a, &trial.b};
        TacPose pose[2] = {{random_vector(size), random_rotation()},
                           {random_vector(size), random_rotation()}};
        if (i % 4 == 0) pose[1].rotation = pose[0].rotation;
        for (int s = 0; s < 2; s++) {
            TacVec3 h = tac_vec3(size * between(0.1, 1), size * between(0.1, 1), size * between(0.1, 1));
            if (i % 7 == 0) h.y = 0;
            box[s] = tac_convex_box(h);
            corners[s]->count = 8;
            for (int k = 0; k < 8; k++)
                corners[s]->p[k] =
                    place(&pose[s], tac_vec3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z));
        }
        double depth = reference_depth(&trial.a, &trial.b);
        double expected = depth < 0 ? -reference_distance(&trial.a, &trial.b) : depth;
        double ours = ask(&box[0], pose[0], &box[1], pose[1]).depth;
        if (!(fabs(ours - expected) <= TAC_CONVEX_ERROR * trial.extent))
            complain(&trial, "boxes", ours, expected);
    }
}

// --- hulls ---------------------------------------------------------------------------------------------------------

static void check_hull(const TacPolyhedron *hull, const double *points, size_t count, double size) {
    size_t edges = 0, faces = tac_polyhedron_face_count(hull), vertices = 0;
    static bool used[4000];
    memset(used, 0, sizeof used);
    for (size_t f = 0; f < faces; f++) {
        size_t sides;
        const uint32_t *loop = tac_polyhedron_face(hull, f, &sides);
        TacVec3 n = tac_polyhedron_face_normal(hull, f), first = tac_polyhedron_vertex(hull, loop[0]);
        edges += sides;
        for (size_t i = 0; i < sides; i++) used[loop[i]] = true;
        for (size_t i = 0; i < count; i++)
            assert_true(tac_dot(n, tac_sub(tac_load3(points + 3 * i), first)) <= 1e-9 * size);
        for (size_t i = 0; i < sides; i++) {
            TacVec3 p = tac_polyhedron_vertex(hull, loop[i]),
                    q = tac_polyhedron_vertex(hull, loop[(i + 1) % sides]);
            TacVec3 r = tac_polyhedron_vertex(hull, loop[(i + 2) % sides]);
            assert_true(fabs(tac_dot(n, tac_sub(p, first))) <= 1e-9 * size);
            assert_true(tac_dot(n, tac_cross(tac_sub(q, p), tac_sub(r, q))) >= -1e-9 * size * size);
        }
    }
    for (size_t i = 0; i < tac_polyhedron_vertex_count(hull); i++) vertices += used[i];
    // Euler: the faces close up
    if (faces > 0 && tac_polyhedron_dimension(hull) == 3) assert_int_equal(vertices + faces, edges / 2 + 2);
}

static void hulls_hold_their_clouds(void **state) {
    (void)state;
    rng = tac_random(8, 1);
    static double points[3 * 3000];
    for (int i = 0; i < 400; i++) {
        double size = pow(10, between(-6, 6));
        size_t count = 4 + tac_random_bits(&rng) % (i % 20 ? 100 : 2900);
        for (size_t k = 0; k < count; k++) {
            TacVec3 p = random_vector(1);
            if (i % 3 == 0) p = tac_unit(p);
            // grids: many points in one plane and on one line
            if (i % 3 == 1) p = tac_vec3(round(4 * p.x) / 4, round(4 * p.y) / 4, round(4 * p.z) / 4);
            if (i % 4 == 1) p = tac_rotate((TacQuat){0.1, 0.7, 0.1, 0.7}, p);
            tac_store3(points + 3 * k, tac_scale(p, size));
        }
        TacPolyhedron *hull = NULL;
        assert_int_equal(tac_polyhedron_create(&hull, points, count, NULL), TAC_OK);
        assert_true(tac_polyhedron_face_count(hull) > 0);
        check_hull(hull, points, count, 2 * size);
        tac_polyhedron_destroy(hull);
    }
}

static void a_cube_has_six_faces(void **state) {
    (void)state;
    double points[27 * 3];
    for (int i = 0; i < 27; i++) tac_store3(points + 3 * i, tac_vec3(i % 3, i / 3 % 3, i / 9));
    TacPolyhedron *hull = NULL;
    assert_int_equal(tac_polyhedron_create(&hull, points, 27, NULL), TAC_OK);
    assert_int_equal(tac_polyhedron_face_count(hull), 6);
    assert_int_equal(tac_polyhedron_vertex_count(hull), 8);
    tac_polyhedron_destroy(hull);
}

static void bad_clouds_are_refused(void **state) {
    (void)state;
    TacPolyhedron *hull = NULL;
    TacError error;
    double bad[6] = {0, 0, 0, 1, NAN, 2}, same[6] = {1, 2, 3, 1, 2, 3};
    assert_int_equal(tac_polyhedron_create(&hull, bad, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_polyhedron_create(&hull, NULL, 3, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_polyhedron_create(&hull, bad, 2, &error), TAC_BAD_USAGE);
    assert_null(hull);
    assert_int_equal(tac_polyhedron_create(&hull, same, 2, &error), TAC_OK);
    assert_int_equal(tac_polyhedron_dimension(hull), 0);
    assert_int_equal(tac_polyhedron_vertex_count(hull), 1);
    tac_polyhedron_destroy(hull);
}

static void wide_and_climbing_supports_agree_with_a_plain_loop(void **state) {
    (void)state;
    rng = tac_random(9, 1);
    static double points[3 * 1200];
    for (int i = 0; i < 60; i++) {
        size_t count = i % 2 ? 4 + tac_random_bits(&rng) % 150 : 300 + tac_random_bits(&rng) % 900;
        for (size_t k = 0; k < count; k++) tac_store3(points + 3 * k, tac_unit(random_vector(1)));
        TacPolyhedron *hull = NULL;
        assert_int_equal(tac_polyhedron_create(&hull, points, count, NULL), TAC_OK);
        TacConvex shape = tac_convex_polyhedron(hull);
        const TacCloud *cloud = &hull->vertices;
        for (int k = 0; k < 200; k++) {
            TacVec3 d = k % 5 ? random_vector(1) : tac_vec3(round(between(-1, 1)), 1, 0);
            uint32_t best = 0, found;
            for (uint32_t v = 1; v < cloud->count; v++)
                if (tac_dot(tac_cloud_at(cloud, v), d) > tac_dot(tac_cloud_at(cloud, best), d)) best = v;
            TacVec3 p = tac_core_support(&shape, d, (uint32_t)k, &found);
            // the lanes look at all vertices and find the same one, to the last bit
            if (cloud->count <= TAC_CONVEX_CLIMB) assert_int_equal(found, best);
            double height = tac_dot(tac_cloud_at(cloud, best), d);
            assert_true(fabs(tac_dot(p, d) - height) <= 1e-15 * (1 + fabs(height)));
        }
        tac_polyhedron_destroy(hull);
    }
}

// --- contacts --------------------------------------------------------------------------------------------------------

static void a_box_rests_on_four_corners(void **state) {
    (void)state;
    rng = tac_random(10, 1);
    for (int i = 0; i < 2000; i++) {
        double size = pow(10, between(-6, 6)), depth = size * 1e-3 * between(0, 1);
        if (i % 5 == 0) depth = 0;
        TacConvex table = tac_convex_box(tac_vec3(4 * size, size, 4 * size)),
                  box = tac_convex_box(tac_vec3(size, size, size));
        TacConvex ground = tac_convex_half_space();
        TacPose frame = {random_vector(size), random_rotation()};
        double angle = between(-3, 3);
        TacVec3 local = tac_vec3(between(-1, 1) * size, 2 * size - depth, between(-1, 1) * size);
        TacPose top = {place(&frame, local),
                       tac_quat_mul(frame.rotation, tac_quat_from_vector(tac_vec3(0, angle, 0)))};
        TacPose floor_pose = {place(&frame, tac_vec3(0, size, 0)), frame.rotation};
        TacConvexPair pairs[3] = {
            {&table, &box, frame, top}, {&box, &table, top, frame}, {&ground, &box, floor_pose, top}};
        for (int k = 0; k < 3; k++) {
            TacConvexContacts c = tac_convex_contacts(&pairs[k], 1e-6 * size, NULL);
            assert_int_equal(c.state, TAC_CONVEX_OVERLAPPING);
            assert_int_equal(c.count, 4);
            TacVec3 up = tac_rotate(frame.rotation, tac_vec3(0, k == 1 ? -1 : 1, 0));
            assert_true(tac_norm(tac_sub(c.normal, up)) < 1e-6);
            for (int n = 0; n < 4; n++) {
                TacVec3 apart = tac_sub(c.contacts[n].point_a, c.contacts[n].point_b);
                assert_true(fabs(c.contacts[n].depth - depth) < 1e-6 * size);
                assert_true(tac_norm(tac_axpy(apart, -c.contacts[n].depth, c.normal)) < 1e-9 * size);
                // each is a corner of the box
                TacVec3 p = tac_rotate_back(
                    top.rotation,
                    tac_sub(k == 1 ? c.contacts[n].point_a : c.contacts[n].point_b, top.position));
                assert_true(fabs(fabs(p.x) - size) < 1e-6 * size && fabs(fabs(p.z) - size) < 1e-6 * size);
            }
        }
    }
}

static void other_shapes_rest_as_they_should(void **state) {
    (void)state;
    TacConvex table = tac_convex_box(tac_vec3(5, 1, 5)), ground = tac_convex_half_space();
    TacQuat lying = tac_quat_from_vector(tac_vec3(0, 0, TAC_PI / 2)), upright = tac_quat_identity();
    TacConvex rod = tac_convex_capsule(0.5, 1), can = tac_convex_cylinder(0.5, 1),
              cone = tac_convex_cone(0.5, 1), ball = tac_convex_sphere(0.5);
    const struct {
        const TacConvex *shape;
        TacQuat turn;
        double height; // of its centre when it rests
        int least, most;
    } cases[] = {{&rod, lying, 0.5, 2, 2}, {&rod, upright, 1.5, 1, 1}, {&can, lying, 0.5, 2, 2},
                 {&can, upright, 1, 4, 8}, {&cone, upright, 1, 4, 8},  {&ball, upright, 0.5, 1, 1},
                 {&ball, lying, 0.5, 1, 1}};
    for (size_t i = 0; i < TAC_COUNT(cases); i++)
        for (int on = 0; on < 2; on++) {
            TacPose below = {tac_vec3(0, on ? 0 : -1, 0), upright};
            TacPose pose = {tac_vec3(0.3, cases[i].height - 0.01, 0.2), cases[i].turn};
            TacConvexPair pair = {on ? &ground : &table, cases[i].shape, below, pose};
            TacConvexContacts c = tac_convex_contacts(&pair, 0, NULL);
            assert_int_equal(c.state, TAC_CONVEX_OVERLAPPING);
            assert_true(tac_norm(tac_sub(c.normal, tac_vec3(0, 1, 0))) < 1e-3);
            assert_in_range(c.count, cases[i].least, cases[i].most);
            for (int k = 0; k < c.count; k++) assert_true(fabs(c.contacts[k].depth - 0.01) < 1e-4);
        }
}

// Whatever the pair: the deepest contact is the pair's depth, none is deeper, none is out of reach.
static void contacts_are_never_deeper_than_the_pair(void **state) {
    (void)state;
    rng = tac_random(11, 1);
    for (int i = 0; i < 20000; i++) {
        Trial trial;
        make_trial(&trial);
        double reach = i % 2 ? 0.1 * trial.extent : 0;
        TacConvexContacts c = tac_convex_contacts(&trial.pair, reach, NULL);
        TacConvexPenetration p = tac_convex_penetration(&trial.pair, NULL);
        assert_int_not_equal(c.state, TAC_CONVEX_FAILED);
        assert_int_equal(c.state == TAC_CONVEX_OVERLAPPING, -p.depth <= reach);
        assert_int_equal(c.count > 0, c.state == TAC_CONVEX_OVERLAPPING);
        double deepest = -INFINITY;
        for (int k = 0; k < c.count; k++) {
            assert_true(finite3(c.contacts[k].point_a) && finite3(c.contacts[k].point_b));
            deepest = fmax(deepest, c.contacts[k].depth);
            assert_true(c.contacts[k].depth >= -reach - 1e-9 * trial.extent);
        }
        if (c.count > 0 && !(fabs(deepest - p.depth) <= 2e-6 * trial.extent))
            complain(&trial, "deepest", deepest, p.depth);
        drop_trial(&trial);
    }
}

// --- casts -------------------------------------------------------------------------------------------------------------

static void rays_meet_balls_and_boxes_where_they_should(void **state) {
    (void)state;
    rng = tac_random(12, 1);
    for (int i = 0; i < 20000; i++) {
        double size = pow(10, between(-6, 6));
        TacConvex ball = tac_convex_sphere(size);
        TacPose pose = {random_vector(size), random_rotation()};
        TacVec3 origin = random_vector(4 * size), way = random_vector(8 * size);
        // |o + t w - c|^2 = r^2
        TacVec3 o = tac_sub(origin, pose.position);
        double a = tac_dot(way, way), b = tac_dot(o, way), c = tac_dot(o, o) - size * size,
               root = b * b - a * c;
        TacConvexCast hit = tac_convex_ray(&ball, pose, origin, way);
        double t = root > 0 ? (-b - sqrt(root)) / a : -1;
        TacConvexState expected = c <= 0                         ? TAC_CONVEX_OVERLAPPING
                                  : root > 0 && t >= 0 && t <= 1 ? TAC_CONVEX_HIT
                                                                 : TAC_CONVEX_SEPARATED;
        // grazing rays and those that end at the surface may go either way
        bool clear = fabs(root) > 1e-6 * a * size * size && fabs(t - 1) > 1e-6 && fabs(t) > 1e-6 &&
                     fabs(c) > 1e-6 * size * size;
        if (!clear) continue;
        assert_int_equal(hit.state, expected);
        if (expected != TAC_CONVEX_HIT) continue;
        assert_true(fabs(hit.fraction - t) < 1e-6);
        TacVec3 normal = tac_unit(tac_axpy(o, t, way));
        assert_true(tac_norm(tac_sub(hit.normal, normal)) < 1e-5);
    }
}

// At the time found the shapes touch; a little before they do not.
static void casts_stop_at_the_touch(void **state) {
    (void)state;
    rng = tac_random(13, 1);
    int hits = 0;
    for (int i = 0; i < 20000; i++) {
        Trial trial;
        make_trial(&trial);
        TacVec3 move_a = random_vector(trial.extent), move_b = random_vector(trial.extent);
        TacConvexCast cast = tac_convex_cast(&trial.pair, move_a, move_b, NULL);
        TacConvexPair at = trial.pair;
        double path = trial.extent + tac_norm(move_a) + tac_norm(move_b);
        if (cast.state == TAC_CONVEX_FAILED) complain(&trial, "cast failed", cast.fraction, 0);
        if (cast.state == TAC_CONVEX_HIT) {
            hits++;
            at.pose_a.position = tac_axpy(at.pose_a.position, cast.fraction, move_a);
            at.pose_b.position = tac_axpy(at.pose_b.position, cast.fraction, move_b);
            double depth = tac_convex_penetration(&at, NULL).depth;
            if (!(fabs(depth) <= 1e-9 * path)) complain(&trial, "depth at the touch", depth, 0);
        } else if (cast.state == TAC_CONVEX_SEPARATED) {
            // nowhere on the way do they overlap
            for (int k = 0; k <= 8; k++) {
                at.pose_a.position = tac_axpy(trial.pair.pose_a.position, k / 8.0, move_a);
                at.pose_b.position = tac_axpy(trial.pair.pose_b.position, k / 8.0, move_b);
                double depth = tac_convex_penetration(&at, NULL).depth;
                if (depth > 1e-9 * path) complain(&trial, "passed through", depth, 0);
            }
        }
        drop_trial(&trial);
    }
    assert_true(hits > 1000);
}

// Twice the distance along the normal goes through the touch, half-way; here a cone towards small, flat things beside it.
static void casts_along_the_normal_hit_half_way(void **state) {
    (void)state;
    rng = tac_random(7, 3);
    for (int i = 0; i < 60000; i++) {
        double size = pow(10, (double)(i % 13) - 6), small = 0.01 * size;
        TacConvex cone = tac_convex_cone(size, i % 2 ? size : 10 * size),
                  flat = tac_convex_cylinder(small, 1e-4 * small);
        TacConvexPair pair = {.a = &cone, .b = &flat};
        pair.pose_a = (TacPose){tac_vec3(between(0, size), between(0, size), 0), {0, 0, 0, 1}};
        pair.pose_b = (TacPose){tac_vec3(between(0, 4 * size), between(0, size), 0), {0, 0, 0, 1}};
        TacConvexDistance d = tac_convex_distance(&pair, NULL);
        assert_int_not_equal(d.state, TAC_CONVEX_FAILED);
        if (d.state != TAC_CONVEX_SEPARATED || d.distance < 1e-3 * size) continue;
        TacConvexCast cast =
            tac_convex_cast(&pair, tac_scale(d.normal, 2 * d.distance), tac_vec3(0, 0, 0), NULL);
        if (cast.state != TAC_CONVEX_HIT || !(fabs(cast.fraction - 0.5) * d.distance < 1e-3 * size))
            fail_msg("pair %d: state %d at %g of the way", i, (int)cast.state, cast.fraction);
    }
}

// --- every kind against every kind -------------------------------------------------------------------------------------

static void every_kind_meets_every_kind(void **state) {
    (void)state;
    rng = tac_random(14, 1);
    double corners[24];
    for (int i = 0; i < 8; i++) tac_store3(corners + 3 * i, random_vector(1));
    TacPolyhedron *hull = NULL;
    assert_int_equal(tac_polyhedron_create(&hull, corners, 8, NULL), TAC_OK);
    long failed = 0, asked = 0;
    for (long i = 0, pairs = pair_count(); i < pairs; i++) {
        double size = pow(10, between(-6, 6));
        TacConvex shapes[2];
        for (int s = 0; s < 2; s++) {
            double r = size * between(0, 1), h = size * between(0, 1);
            // needles, discs and nothing at all
            if (i % 5 == 1) r *= 1e-5;
            if (i % 5 == 2) h *= 1e-5;
            if (i % 25 == 3) h = 0;
            if (i % 25 == 8) r = 0;
            TacConvex made[TAC_CONVEX_KINDS] = {tac_convex_sphere(r),       tac_convex_box(tac_vec3(r, h, r)),
                                                tac_convex_capsule(r, h),   tac_convex_cylinder(r, h),
                                                tac_convex_cone(r, h),      tac_convex_half_space(),
                                                tac_convex_polyhedron(hull)};
            shapes[s] = made[tac_random_bits(&rng) % TAC_CONVEX_KINDS];
            if (i % 3 == 0) shapes[s].rounding = 0.1 * r;
        }
        TacPose pa = {random_vector(size), random_rotation()}, pb = {random_vector(size), random_rotation()};
        if (i % 7 == 0) pb = pa;
        if (i % 7 == 1) pa.rotation = pb.rotation = tac_quat_identity();
        TacConvexPair pair = {&shapes[0], &shapes[1], pa, pb};
        TacConvexCache cache = {0};
        bool both_planes = shapes[0].kind == TAC_CONVEX_HALF_SPACE && shapes[1].kind == TAC_CONVEX_HALF_SPACE;
        TacConvexPenetration p = tac_convex_penetration(&pair, &cache);
        TacConvexContacts c = tac_convex_contacts(&pair, 0, &cache);
        assert_true(isfinite(p.depth) && finite3(p.normal) && finite3(p.point_a) && finite3(p.point_b));
        assert_int_equal(p.state == TAC_CONVEX_FAILED, c.state == TAC_CONVEX_FAILED);
        if (both_planes) {
            assert_int_equal(p.state, TAC_CONVEX_FAILED);
            continue;
        }
        asked++;
        if (p.state == TAC_CONVEX_FAILED) {
            failed++;
            continue;
        }
        // moved by what was said, they are apart, or touch
        bool hulled = shapes[0].kind == TAC_CONVEX_POLYHEDRON || shapes[1].kind == TAC_CONVEX_POLYHEDRON;
        double extent = 8 * size + (hulled ? 4 : 0);
        TacConvexPair moved = pair;
        moved.pose_b.position = tac_axpy(pb.position, p.depth, p.normal);
        TacConvexPenetration q = tac_convex_penetration(&moved, NULL);
        assert_true(q.state == TAC_CONVEX_FAILED || fabs(q.depth) <= 2 * TAC_CONVEX_CURVED_ERROR * extent);
        TacConvexSeparation s = tac_convex_separation(&pair, &cache);
        if (fabs(p.depth) > TAC_CONVEX_CURVED_ERROR * extent)
            assert_int_equal(s.state, p.depth > 0 ? TAC_CONVEX_OVERLAPPING : TAC_CONVEX_SEPARATED);
    }
    tac_polyhedron_destroy(hull);
    print_message("%ld of %ld pairs of all kinds failed\n", failed, asked);
    assert_int_equal(failed, 0);
}

static void bad_shapes_and_numbers_fail(void **state) {
    (void)state;
    TacConvex good = tac_convex_sphere(1), negative = tac_convex_sphere(-1),
              none = tac_convex_polyhedron(NULL);
    TacConvex odd = {.kind = (TacConvexKind)99}, thin = good;
    thin.rounding = NAN;
    const TacConvex *bad[] = {&negative, &none, &odd, &thin};
    TacPose here = {{0, 0, 0}, {0, 0, 0, 1}}, nowhere = {{NAN, 0, 0}, {0, 0, 0, 1}},
            turned = {{0, 0, 0}, {NAN, 0, 0, 1}};
    TacPose far = {{INFINITY, 0, 0}, {0, 0, 0, 1}}, zero = {{0, 0, 0}, {0, 0, 0, 0}};
    for (size_t i = 0; i < TAC_COUNT(bad); i++)
        assert_int_equal(ask(bad[i], here, &good, here).state, TAC_CONVEX_FAILED);
    assert_int_equal(ask(&good, here, &good, nowhere).state, TAC_CONVEX_FAILED);
    assert_int_equal(ask(&good, turned, &good, here).state, TAC_CONVEX_FAILED);
    assert_int_equal(ask(&good, here, &good, far).state, TAC_CONVEX_FAILED);
    assert_int_equal(ask(&good, zero, &good, here).state, TAC_CONVEX_OVERLAPPING);
    TacConvexPair pair = {&good, &good, here, nowhere};
    assert_int_equal(tac_convex_separation(&pair, NULL).state, TAC_CONVEX_FAILED);
    assert_int_equal(tac_convex_distance(&pair, NULL).state, TAC_CONVEX_FAILED);
    assert_int_equal(tac_convex_contacts(&pair, 0, NULL).state, TAC_CONVEX_FAILED);
    pair.pose_b = here;
    assert_int_equal(tac_convex_contacts(&pair, NAN, NULL).state, TAC_CONVEX_FAILED);
    assert_int_equal(tac_convex_cast(&pair, tac_vec3(NAN, 0, 0), tac_vec3(0, 0, 0), NULL).state,
                     TAC_CONVEX_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_agree_with_enumeration),
        cmocka_unit_test(swapping_and_moving_change_nothing),
        cmocka_unit_test(a_cache_never_changes_the_answer),
        cmocka_unit_test(garbage_in_a_cache_does_no_harm),
        cmocka_unit_test(spheres_and_capsules_have_closed_forms),
        cmocka_unit_test(balls_against_boxes_cylinders_and_planes),
        cmocka_unit_test(boxes_agree_with_their_polyhedra),
        cmocka_unit_test(hulls_hold_their_clouds),
        cmocka_unit_test(a_cube_has_six_faces),
        cmocka_unit_test(bad_clouds_are_refused),
        cmocka_unit_test(wide_and_climbing_supports_agree_with_a_plain_loop),
        cmocka_unit_test(a_box_rests_on_four_corners),
        cmocka_unit_test(other_shapes_rest_as_they_should),
        cmocka_unit_test(contacts_are_never_deeper_than_the_pair),
        cmocka_unit_test(rays_meet_balls_and_boxes_where_they_should),
        cmocka_unit_test(casts_stop_at_the_touch),
        cmocka_unit_test(casts_along_the_normal_hit_half_way),
        cmocka_unit_test(every_kind_meets_every_kind),
        cmocka_unit_test(bad_shapes_and_numbers_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
