// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Contact points of a pair: the face, edge or point that each shape shows along the contact normal, the one
// clipped by the other (I. Sutherland, G. Hodgman, 1974), so that boxes rest on faces.
//
// The shape whose face is best aligned with the normal is the *reference*; the feature of the other, the
// *incident* one, is cut by the planes that stand on the reference face's edges. What remains is projected
// along the normal onto the reference face: no such depth exceeds the pair's. Where neither face is aligned
// (edges that cross, vertices) the deepest pair of points is the only contact. All in A's frame, on cores.

#include "geometry/convex_gap.h"

enum { SIDES = 32, CLIPPED = 2 * SIDES, RIM = 16 };

// Faces that lean more than this (as a cosine) against the normal do not carry.
#define ALIGNED 0.98

// Faces that lean less than this against each other lie flat.
#define TILT 1e-3

typedef struct Feature {
    int count; // 1 point, 2 segment, 3 and more polygon
    TacVec3 point[SIDES];
    TacVec3 normal; // of a polygon, outward
} Feature;

// --- what a shape shows, in its own frame ----------------------------------------------------------------------

static void polyhedron_feature(const TacPolyhedron *polyhedron, TacVec3 d, Feature *feature) {
    uint32_t vertex;
    if (polyhedron->normals.count == 0) {
        TacConvex shape = tac_convex_polyhedron(polyhedron);
        feature->count = 1;
        feature->point[0] = tac_core_support(&shape, d, 0, &vertex);
        if (polyhedron->dimension != 1) return;
        // a segment shows itself where it lies across
        TacVec3 p = tac_cloud_at(&polyhedron->vertices, 0), q = tac_cloud_at(&polyhedron->vertices, 1);
        TacVec3 along = tac_unit(tac_sub(q, p));
        if (fabs(tac_dot(along, d)) > sqrt(1 - ALIGNED * ALIGNED)) return;
        feature->count = 2;
        feature->point[0] = p;
        feature->point[1] = q;
        return;
    }
    const TacCloud *normals = &polyhedron->normals;
    uint32_t f = tac_cloud_find(normals, d.x, d.y, d.z, tac_cloud_highest(normals, d.x, d.y, d.z));
    uint32_t first = polyhedron->face_start[f], sides = polyhedron->face_start[f + 1] - first;
    feature->count = sides < SIDES ? (int)sides : SIDES;
    feature->normal = tac_cloud_at(normals, f);
    // faces with very many corners are shown by some of them
    for (int i = 0; i < feature->count; i++) {
        uint32_t k = (uint32_t)((uint64_t)i * sides / (uint64_t)feature->count);
        feature->point[i] = tac_cloud_at(&polyhedron->vertices, polyhedron->face_vertices[first + k]);
    }
}

static void box_feature(TacVec3 half, TacVec3 d, Feature *feature) {
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    double h[3] = {half.x, half.y, half.z}, c[3] = {d.x, d.y, d.z}, n[3] = {0, 0, 0};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double side = c[axis] < 0 ? -1 : 1;
    n[axis] = side;
    feature->normal = tac_load3(n);
    feature->count = 4;
    for (int i = 0; i < 4; i++) {
        double p[3], su = i == 0 || i == 3 ? -1 : 1, sv = i < 2 ? -1 : 1;
        p[axis] = side * h[axis];
        p[u] = su * h[u];
        p[v] = side * sv * h[v];
        feature->point[i] = tac_load3(p);
    }
}

static void disc_feature(double radius, double y, double side, Feature *feature) {
    feature->count = RIM;
    feature->normal = tac_vec3(0, side, 0);
    for (int i = 0; i < RIM; i++) {
        double angle = -side * 2 * TAC_PI * i / RIM;
        feature->point[i] = tac_vec3(radius * cos(angle), y, radius * sin(angle));
    }
}

// A straight line up the side that faces d, from the base to a rim of radius `top`.
static void side_feature(double radius, double top, double half_height, TacVec3 d, Feature *feature) {
    double across = sqrt(d.x * d.x + d.z * d.z);
    double x = across > 0 ? d.x / across : 1, z = across > 0 ? d.z / across : 0;
    feature->count = 2;
    feature->point[0] = tac_vec3(radius * x, -half_height, radius * z);
    feature->point[1] = tac_vec3(top * x, half_height, top * z);
}

static void show(const TacConvex *shape, TacVec3 d, Feature *feature) {
    double r = shape->radius, h = shape->half_height, across = sqrt(d.x * d.x + d.z * d.z);
    *feature = (Feature){.count = 1};
    switch (shape->kind) {
    case TAC_CONVEX_POLYHEDRON: polyhedron_feature(shape->polyhedron, d, feature); break;
    case TAC_CONVEX_BOX: box_feature(shape->half, d, feature); break;
    case TAC_CONVEX_CAPSULE:
        feature->point[0] = tac_vec3(0, d.y < 0 ? -h : h, 0);
        if (fabs(d.y) <= sqrt(1 - ALIGNED * ALIGNED)) side_feature(0, 0, h, d, feature);
        break;
    case TAC_CONVEX_CYLINDER:
        if (fabs(d.y) >= across)
            disc_feature(r, d.y < 0 ? -h : h, d.y < 0 ? -1 : 1, feature);
        else
            side_feature(r, r, h, d, feature);
        break;
    case TAC_CONVEX_CONE: {
        double slant = sqrt(r * r + 4 * h * h);
        double side = slant > 0 ? (2 * h * across + r * d.y) / slant : across;
        if (-d.y >= side)
            disc_feature(r, -h, -1, feature);
        else
            side_feature(r, 0, h, d, feature);
        break;
    }
    default: break;
    }
}

// --- clipping --------------------------------------------------------------------------------------------------

// Cuts a polygon, a segment or a point by the half-space normal . x <= offset.
static int cut(const TacVec3 *in, int count, TacVec3 normal, double offset, TacVec3 *out) {
    int kept = 0;
    for (int i = 0; i < count && kept < CLIPPED - 1; i++) {
        TacVec3 p = in[i], q = in[(i + 1) % count];
        double hp = tac_dot(normal, p) - offset, hq = tac_dot(normal, q) - offset;
        if (hp <= 0) out[kept++] = p;
        // a segment has one edge, not two
        bool edge = count > 2 || i == 0;
        if (edge && ((hp < 0 && hq > 0) || (hp > 0 && hq < 0)))
            out[kept++] = tac_axpy(p, hp / (hp - hq), tac_sub(q, p));
    }
    return kept;
}

// The planes stand along `up`, so that what is projected along it afterwards lands on the face.
static int clip(const Feature *reference, const Feature *incident, TacVec3 up, TacVec3 *points) {
    TacVec3 other[CLIPPED];
    int count = incident->count;
    memcpy(points, incident->point, (size_t)count * sizeof *points);
    for (int i = 0; i < reference->count && count > 0; i++) {
        TacVec3 p = reference->point[i], q = reference->point[(i + 1) % reference->count];
        TacVec3 outward = tac_cross(tac_sub(q, p), up);
        count = cut(points, count, outward, tac_dot(outward, p), other);
        memcpy(points, other, (size_t)count * sizeof *points);
    }
    return count;
}

// --- the manifold ----------------------------------------------------------------------------------------------

typedef struct Manifold {
    int count;
    TacVec3 a[CLIPPED], b[CLIPPED]; // on the rounded shapes, in A's frame
    double depth[CLIPPED];
} Manifold;

static void add_contact(Manifold *manifold, TacVec3 a, TacVec3 b, double depth) {
    if (manifold->count == CLIPPED) return;
    manifold->a[manifold->count] = a;
    manifold->b[manifold->count] = b;
    manifold->depth[manifold->count++] = depth;
}

// Projects clipped points onto the reference plane along the normal.
static void project(Manifold *manifold, const TacRelative *relative, TacVec3 normal, TacPlane plane,
                    bool reference_is_a, const TacVec3 *points, int count, double reach) {
    double slope = tac_dot(plane.normal, normal);
    double margin_a = tac_core_margin(relative->a), margin_b = tac_core_margin(relative->b);
    for (int i = 0; i < count; i++) {
        double s = (plane.offset - tac_dot(plane.normal, points[i])) / slope;
        double core_depth = reference_is_a ? s : -s;
        double depth = core_depth + relative->margin;
        if (!(depth >= -reach)) continue;
        TacVec3 foot = tac_axpy(points[i], s, normal);
        TacVec3 a = reference_is_a ? foot : points[i], b = reference_is_a ? points[i] : foot;
        add_contact(manifold, tac_axpy(a, margin_a, normal), tac_axpy(b, -margin_b, normal), depth);
    }
}

static void turn_feature(const TacRelative *relative, Feature *feature) {
    for (int i = 0; i < feature->count; i++) feature->point[i] = tac_relative_b(relative, feature->point[i]);
    feature->normal = tac_mat3_apply(&relative->turn, feature->normal);
}

static void show_b(const TacRelative *relative, TacVec3 d, Feature *feature) {
    show(relative->b, tac_mat3_apply_back(&relative->turn, d), feature);
    turn_feature(relative, feature);
}

static void plane_manifold(Manifold *manifold, const TacRelative *relative, TacVec3 normal, double reach) {
    Feature feature;
    bool plane_is_a = relative->a->kind == TAC_CONVEX_HALF_SPACE;
    if (plane_is_a)
        show_b(relative, tac_scale(normal, -1), &feature);
    else
        show(relative->a, normal, &feature);
    project(manifold, relative, normal, tac_relative_plane(relative), plane_is_a, feature.point,
            feature.count, reach);
}

static void face_manifold(Manifold *manifold, const TacRelative *relative, TacVec3 normal, double reach) {
    Feature shown_a, shown_b;
    show(relative->a, normal, &shown_a);
    show_b(relative, tac_scale(normal, -1), &shown_b);
    double aligned_a = shown_a.count > 2 ? tac_dot(shown_a.normal, normal) : -1;
    double aligned_b = shown_b.count > 2 ? -tac_dot(shown_b.normal, normal) : -1;
    if (!(fmax(aligned_a, aligned_b) >= ALIGNED)) return;
    // of equals A is the reference, so that the choice does not flicker
    bool a_is = aligned_a >= aligned_b - 1e-6;
    const Feature *reference = a_is ? &shown_a : &shown_b, *incident = a_is ? &shown_b : &shown_a;
    TacVec3 points[CLIPPED];
    int count = clip(reference, incident, a_is ? normal : tac_scale(normal, -1), points);
    TacPlane plane = {reference->normal, tac_dot(reference->normal, reference->point[0])};
    project(manifold, relative, normal, plane, a_is, points, count, reach);
}

static int deepest_of(const Manifold *manifold) {
    int best = 0;
    for (int i = 1; i < manifold->count; i++)
        if (manifold->depth[i] > manifold->depth[best]) best = i;
    return best;
}

static double square_between(TacVec3 a, TacVec3 b) {
    TacVec3 d = tac_sub(a, b);
    return tac_dot(d, d);
}

// The first of those that are about as deep as the deepest: what rests on a face of many corners is hardly tilted, and
// would else be held by others at every look.
static int first_to_keep(const Manifold *manifold) {
    int deepest = deepest_of(manifold), first = 0;
    double across = 0;
    if (manifold->count <= TAC_CONVEX_CONTACTS) return deepest;
    for (int i = 1; i < manifold->count; i++)
        across = fmax(across, square_between(manifold->a[i], manifold->a[0]));
    double slack = TILT * sqrt(across);
    while (manifold->depth[first] < manifold->depth[deepest] - slack) first++;
    return first;
}

// Keeps a contact that is about the deepest and then, one by one, the farthest from those kept.
static int thin_out(const Manifold *manifold, double least, int *chosen) {
    double nearest[CLIPPED];
    int count = 0, next = first_to_keep(manifold);
    for (int i = 0; i < manifold->count; i++) nearest[i] = INFINITY;
    while (count < TAC_CONVEX_CONTACTS && next >= 0) {
        chosen[count++] = next;
        int farthest = -1;
        for (int i = 0; i < manifold->count; i++) {
            nearest[i] = fmin(nearest[i], square_between(manifold->a[i], manifold->a[next]));
            // of equals the first, however they are rounded
            double beats = farthest < 0 ? least * least : nearest[farthest] * (1 + 1e-6);
            if (nearest[i] > beats) farthest = i;
        }
        next = farthest;
    }
    return count;
}

TacConvexContacts tac_convex_contacts(const TacConvexPair *pair, double reach, TacConvexCache *cache) {
    TacConvexContacts result = {0};
    TacRelative relative;
    if (!(reach >= 0) || !tac_relative_make(&relative, pair)) return result;
    TacGap gap = tac_gap(&relative, true, cache);
    if (gap.failed) return result;
    result.state = TAC_CONVEX_SEPARATED;
    if (gap.gap > reach) return result;

    Manifold manifold;
    manifold.count = 0;
    if (tac_relative_has_plane(&relative))
        plane_manifold(&manifold, &relative, gap.normal, reach);
    else
        face_manifold(&manifold, &relative, gap.normal, reach);
    // the deepest pair of points belongs to it, unless clipping found one as deep
    double slack = 1e-6 * relative.extent;
    if (manifold.count == 0 || manifold.depth[deepest_of(&manifold)] < -gap.gap - slack)
        add_contact(&manifold, gap.a, gap.b, -gap.gap);

    int chosen[TAC_CONVEX_CONTACTS];
    TacMat3 turn = tac_pose_matrix(pair->pose_a.rotation);
    result.state = TAC_CONVEX_OVERLAPPING;
    result.normal = tac_mat3_apply(&turn, gap.normal);
    result.count = thin_out(&manifold, 1e-9 * relative.extent, chosen);
    for (int i = 0; i < result.count; i++) {
        TacConvexContact *contact = &result.contacts[i];
        contact->point_a = tac_add(pair->pose_a.position, tac_mat3_apply(&turn, manifold.a[chosen[i]]));
        contact->point_b = tac_add(pair->pose_a.position, tac_mat3_apply(&turn, manifold.b[chosen[i]]));
        contact->depth = manifold.depth[chosen[i]];
    }
    return result;
}
