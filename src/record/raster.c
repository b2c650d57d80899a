// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The rasterizer of record/raster.h: edge functions for triangles, exact ray intersections for balls and
// capsules. Touches nothing but the raster it is given.

#include "record/raster.h"

#include "base/memory.h"

#include <float.h>

TacStatus tac_raster_create(TacRaster *raster, int width, int height, bool depth_only, TacError *error) {
    *raster = (TacRaster){.width = width, .height = height};
    size_t samples = (size_t)width * (size_t)height;
    raster->nearness = malloc(samples * sizeof(float));
    if (!depth_only) {
        raster->normals = malloc(3 * samples * sizeof(float));
        raster->ids = malloc(samples * sizeof(int32_t));
    }
    if (raster->nearness && (depth_only || (raster->normals && raster->ids))) return TAC_OK;
    tac_raster_destroy(raster);
    return tac_fail_memory(error, samples * 20);
}

void tac_raster_destroy(TacRaster *raster) {
    free(raster->nearness);
    free(raster->normals);
    free(raster->ids);
    *raster = (TacRaster){0};
}

void tac_raster_clear(TacRaster *raster, const TacView *view) {
    size_t samples = (size_t)raster->width * (size_t)raster->height;
    raster->background = view->orthographic ? -FLT_MAX : 0;
    for (size_t i = 0; i < samples; i++) raster->nearness[i] = raster->background;
    if (raster->ids)
        for (size_t i = 0; i < samples; i++) raster->ids[i] = -1;
}

// Any unit vector at a right angle to the unit vector a.
static TacVec3 some_side(TacVec3 a) {
    TacVec3 other = fabs(a.x) < 0.6 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0);
    return tac_unit(tac_cross(a, other));
}

TacView tac_view_perspective(TacVec3 eye, TacVec3 target, TacVec3 up, double degrees, int width, int height) {
    TacView view = {.eye = eye, .middle_x = 0.5 * width, .middle_y = 0.5 * height};
    double distance = tac_norm(tac_sub(target, eye));
    view.forward = tac_scale(tac_sub(target, eye), 1 / distance);
    TacVec3 side = tac_cross(view.forward, up);
    // looking straight up or down: any direction may be the right one
    view.right = tac_norm(side) > 1e-6 * tac_norm(up) ? tac_unit(side) : some_side(view.forward);
    view.up = tac_cross(view.right, view.forward);
    view.scale = 0.5 * height / tan(0.5 * degrees * TAC_PI / 180);
    view.nearest = 1e-4 * distance;
    return view;
}

TacView tac_view_orthographic(TacVec3 forward, TacVec3 centre, double radius, int size) {
    TacView view = {.orthographic = true, .middle_x = 0.5 * size, .middle_y = 0.5 * size};
    view.forward = tac_unit(forward);
    view.right = some_side(view.forward);
    view.up = tac_cross(view.right, view.forward);
    view.eye = tac_axpy(centre, -radius, view.forward);
    view.scale = 0.5 * size / radius;
    return view;
}

bool tac_is_drawable(TacVec3 p) {
    // written so that NaN fails
    return fabs(p.x) <= TAC_FARTHEST && fabs(p.y) <= TAC_FARTHEST && fabs(p.z) <= TAC_FARTHEST;
}

// A range of samples, [x0, x1) by [y0, y1).
typedef struct Box {
    int x0, y0, x1, y1;
} Box;

// The first sample whose middle is at or behind a coordinate, within [0, limit].
static int first_sample(double at, int limit) {
    double n = ceil(at - 0.5);
    return !(n > 0) ? 0 : n > limit ? limit : (int)n;
}

static Box box_around(const TacRaster *raster, double low_x, double low_y, double high_x, double high_y) {
    // one sample more at the far side, so that middles exactly on the border are in
    return (Box){first_sample(low_x, raster->width), first_sample(low_y, raster->height),
                 first_sample(high_x + 1, raster->width), first_sample(high_y + 1, raster->height)};
}

// A corner on the raster.
typedef struct Corner {
    double x, y, nearness;
    const float *normal;
} Corner;

static Corner project(const TacView *view, TacVec3 seen, const float *normal) {
    double s = view->orthographic ? view->scale : view->scale / seen.z;
    return (Corner){view->middle_x + s * seen.x, view->middle_y - s * seen.y,
                    view->orthographic ? -seen.z : 1 / seen.z, normal};
}

// Twice the signed area of (a, b, p), as a linear function of p.
typedef struct EdgeFunction {
    double at_start, per_x, per_y;
} EdgeFunction;

static EdgeFunction edge_function(const Corner *a, const Corner *b, double x, double y) {
    EdgeFunction e = {.per_x = a->y - b->y, .per_y = b->x - a->x};
    e.at_start = e.per_x * (x - a->x) + e.per_y * (y - a->y);
    return e;
}

// `side` is 1 where the front is seen and -1 where the back is.
static void put_triangle_sample(TacRaster *raster, const TacView *view, const Corner c[3], size_t at,
                                double w0, double w1, double w2, double nearness, double side, int32_t id) {
    raster->nearness[at] = (float)nearness;
    if (!raster->ids) return;
    raster->ids[at] = id;
    // normals are linear in space, not on the screen
    double s0 = side * w0, s1 = side * w1, s2 = side * w2;
    if (!view->orthographic) s0 *= c[0].nearness, s1 *= c[1].nearness, s2 *= c[2].nearness;
    for (int k = 0; k < 3; k++)
        raster->normals[3 * at + (size_t)k] =
            (float)(s0 * c[0].normal[k] + s1 * c[1].normal[k] + s2 * c[2].normal[k]);
}

// Plain comparisons: the library's fmin and fmax are calls, and this is where the time goes.
static double least(double a, double b, double c) {
    double smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

static double most(double a, double b, double c) {
    double larger = a > b ? a : b;
    return larger > c ? larger : c;
}

static void fill_triangle(TacRaster *raster, const TacView *view, const Corner c[3], int32_t id) {
    double low_x = least(c[0].x, c[1].x, c[2].x), high_x = most(c[0].x, c[1].x, c[2].x);
    double low_y = least(c[0].y, c[1].y, c[2].y), high_y = most(c[0].y, c[1].y, c[2].y);
    Box box = box_around(raster, low_x, low_y, high_x, high_y);
    if (box.x0 >= box.x1 || box.y0 >= box.y1) return;
    EdgeFunction e[3];
    for (int k = 0; k < 3; k++)
        e[k] = edge_function(&c[(k + 1) % 3], &c[(k + 2) % 3], box.x0 + 0.5, box.y0 + 0.5);
    double area = edge_function(&c[0], &c[1], c[2].x, c[2].y).at_start;
    if (!(fabs(area) > 0) || !isfinite(area)) return;
    // rows go down, so what is anticlockwise in space has a negative area here
    double side = area < 0 ? 1 : -1;
    // weights that sum to one, whichever way the triangle winds
    for (int k = 0; k < 3; k++) {
        e[k].at_start /= area;
        e[k].per_x /= area;
        e[k].per_y /= area;
    }
    double step = e[0].per_x * c[0].nearness + e[1].per_x * c[1].nearness + e[2].per_x * c[2].nearness;
    for (int y = box.y0; y < box.y1; y++) {
        double row = y - box.y0;
        double w0 = e[0].at_start + row * e[0].per_y, w1 = e[1].at_start + row * e[1].per_y,
               w2 = e[2].at_start + row * e[2].per_y;
        double nearness = w0 * c[0].nearness + w1 * c[1].nearness + w2 * c[2].nearness;
        bool inside = false;
        size_t at = (size_t)y * (size_t)raster->width + (size_t)box.x0;
        for (int x = box.x0; x < box.x1; x++, at++) {
            if (w0 >= 0 && w1 >= 0 && w2 >= 0) {
                inside = true;
                if (nearness > raster->nearness[at])
                    put_triangle_sample(raster, view, c, at, w0, w1, w2, nearness, side, id);
            } else if (inside)
                break; // rows of a triangle have no holes
            w0 += e[0].per_x;
            w1 += e[1].per_x;
            w2 += e[2].per_x;
            nearness += step;
        }
    }
}

// Cuts a triangle at the nearest depth: up to four corners remain.
static int clip_to_nearest(const TacVec3 seen[3], const float *normals, double nearest, TacVec3 points[4],
                           float kept[12]) {
    int count = 0;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        TacVec3 a = seen[k], b = seen[l];
        if (a.z >= nearest) {
            points[count] = a;
            for (int i = 0; i < 3; i++) kept[3 * count + i] = normals ? normals[3 * k + i] : 0;
            count++;
        }
        if ((a.z >= nearest) != (b.z >= nearest)) {
            double t = (nearest - a.z) / (b.z - a.z);
            points[count] = tac_axpy(a, t, tac_sub(b, a));
            points[count].z = nearest;
            for (int i = 0; i < 3; i++)
                kept[3 * count + i] =
                    normals ? (float)((1 - t) * normals[3 * k + i] + t * normals[3 * l + i]) : 0;
            count++;
        }
    }
    return count;
}

void tac_raster_triangle(TacRaster *raster, const TacView *view, const TacVec3 corners[3],
                         const float normals[9], int32_t id) {
    TacVec3 seen[3];
    bool before = false;
    for (int k = 0; k < 3; k++) {
        if (!tac_is_drawable(corners[k])) return;
        seen[k] = tac_view_apply(view, corners[k]);
        before |= !view->orthographic && seen[k].z < view->nearest;
    }
    if (!before) {
        Corner c[3];
        for (int k = 0; k < 3; k++) c[k] = project(view, seen[k], normals ? normals + 3 * k : NULL);
        fill_triangle(raster, view, c, id);
        return;
    }
    TacVec3 points[4];
    float kept[12];
    int count = clip_to_nearest(seen, normals, view->nearest, points, kept);
    for (int k = 2; k < count; k++) {
        Corner c[3] = {project(view, points[0], kept), project(view, points[k - 1], kept + 3 * (k - 1)),
                       project(view, points[k], kept + 3 * k)};
        fill_triangle(raster, view, c, id);
    }
}

// Where a ball's outline lies along one axis of a perspective image: the two tangents from the eye in the
// plane of that axis and the depth. Returns false when they go round the eye.
static bool outline_slopes(double across, double depth, double radius, double *low, double *high) {
    double square = across * across + depth * depth - radius * radius;
    if (square <= 0 || depth <= radius) return false;
    double tangent = sqrt(square);
    *low = (across * tangent - radius * depth) / (depth * tangent + radius * across);
    *high = (across * tangent + radius * depth) / (depth * tangent - radius * across);
    return true;
}

// How far, in samples, a ball's outline gets from the image of its middle: outward from the axis, where it is
// stretched most.
static double outline_reach(const TacView *view, TacVec3 seen, double radius) {
    if (view->orthographic) return view->scale * radius;
    double off = hypot(seen.x, seen.y), square = tac_dot(seen, seen);
    double tangent = sqrt(fmax(square - radius * radius, 0));
    return view->scale * radius * square / (seen.z * (seen.z * tangent - radius * off));
}

// The samples that a ball may cover.
static Box ball_box(const TacRaster *raster, const TacView *view, TacVec3 seen, double radius) {
    double low_x = seen.x - radius, high_x = seen.x + radius, low_y = seen.y - radius,
           high_y = seen.y + radius;
    if (!view->orthographic && !(outline_slopes(seen.x, seen.z, radius, &low_x, &high_x) &&
                                 outline_slopes(seen.y, seen.z, radius, &low_y, &high_y)))
        return (Box){0, 0, raster->width, raster->height};
    double s = view->scale;
    return box_around(raster, view->middle_x + s * low_x, view->middle_y - s * high_y,
                      view->middle_x + s * high_x, view->middle_y - s * low_y);
}

// The depth at which a ray enters a ball; infinite when it does not.
static double enter_ball(const TacRay *ray, TacVec3 centre, double radius) {
    TacVec3 from = tac_sub(ray->origin, centre);
    double a = tac_dot(ray->slope, ray->slope), b = tac_dot(ray->slope, from);
    double h = b * b - a * (tac_dot(from, from) - radius * radius);
    return h >= 0 ? (-b - sqrt(h)) / a : INFINITY;
}

// The depth at which a ray enters a capsule: its cylinder where it is hit between the ends, otherwise the
// ball at the end where it passed.
static double enter_capsule(const TacRay *ray, TacVec3 p, TacVec3 q, double radius) {
    TacVec3 axis = tac_sub(q, p), from = tac_sub(ray->origin, p);
    double dd = tac_dot(ray->slope, ray->slope), ll = tac_dot(axis, axis), ld = tac_dot(axis, ray->slope),
           lf = tac_dot(axis, from), df = tac_dot(ray->slope, from), ff = tac_dot(from, from);
    double a = ll * dd - ld * ld, b = ll * df - lf * ld, c = ll * ff - lf * lf - radius * radius * ll;
    if (a > 1e-12 * ll * dd) {
        double h = b * b - a * c;
        if (h < 0) return INFINITY;
        double t = (-b - sqrt(h)) / a, along = lf + t * ld;
        if (along > 0 && along < ll) return t;
        return enter_ball(ray, along <= 0 ? p : q, radius);
    }
    // along the axis, or an axis without length: whichever end is met first
    return fmin(enter_ball(ray, p, radius), enter_ball(ray, q, radius));
}

// Writes one sample of an exact shape when it is nearer than what is there. The shape's core runs from p
// along `axis` (zero for a ball); its normal points away from the nearest point of the core.
static void put_solid_sample(TacRaster *raster, const TacView *view, const TacRay *ray, size_t at,
                             double depth, TacVec3 p, TacVec3 axis, int32_t id) {
    double nearness = view->orthographic ? -depth : 1 / depth;
    if (!(nearness > raster->nearness[at])) return;
    raster->nearness[at] = (float)nearness;
    if (!raster->ids) return;
    raster->ids[at] = id;
    TacVec3 out = tac_sub(tac_axpy(ray->origin, depth, ray->slope), p);
    double ll = tac_dot(axis, axis);
    if (ll > 0) out = tac_axpy(out, -fmin(fmax(tac_dot(out, axis) / ll, 0), 1), axis);
    TacVec3 normal = tac_unit(tac_view_turn_back(view, out));
    raster->normals[3 * at] = (float)normal.x;
    raster->normals[3 * at + 1] = (float)normal.y;
    raster->normals[3 * at + 2] = (float)normal.z;
}

void tac_raster_ball(TacRaster *raster, const TacView *view, TacVec3 centre, double radius, int32_t id) {
    if (!tac_is_drawable(centre) || !(radius > 0) || radius > TAC_FARTHEST) return;
    TacVec3 seen = tac_view_apply(view, centre);
    double nearest = view->orthographic ? -INFINITY : view->nearest;
    // behind the eye, or around it
    if (seen.z + radius <= nearest) return;
    if (!view->orthographic && tac_dot(seen, seen) <= radius * radius) return;
    Box box = ball_box(raster, view, seen, radius);
    for (int y = box.y0; y < box.y1; y++)
        for (int x = box.x0; x < box.x1; x++) {
            TacRay ray = tac_view_ray(view, x + 0.5, y + 0.5);
            double depth = enter_ball(&ray, seen, radius);
            if (!(depth >= nearest && depth < INFINITY)) continue;
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            put_solid_sample(raster, view, &ray, at, depth, seen, (TacVec3){0}, id);
        }
}

// The band of samples around the segment between two places on the raster, `reach` to each side.
typedef struct Band {
    double ax, ay, nx, ny, reach; // a point on the axis, the unit normal
} Band;

// The columns of a row that a band may cover, within [*x0, *x1).
static void band_columns(const Band *band, double y, int width, int *x0, int *x1) {
    if (fabs(band->nx) < 1e-9) return;
    double middle = band->ax - (y - band->ay) * band->ny / band->nx, half = band->reach / fabs(band->nx);
    int low = first_sample(middle - half - 1, width), high = first_sample(middle + half + 1, width);
    if (low > *x0) *x0 = low;
    if (high < *x1) *x1 = high;
}

void tac_raster_capsule(TacRaster *raster, const TacView *view, TacVec3 a, TacVec3 b, double radius,
                        int32_t id) {
    if (!tac_is_drawable(a) || !tac_is_drawable(b) || !(radius > 0) || radius > TAC_FARTHEST) return;
    TacVec3 p = tac_view_apply(view, a), q = tac_view_apply(view, b);
    double nearest = view->orthographic ? -INFINITY : view->nearest;
    // a piece that comes before the nearest depth is shortened; its ends must stand in front of the eye whole
    double closest = view->orthographic ? -INFINITY : view->nearest + 1.001 * radius;
    if (p.z < closest && q.z < closest) return;
    if (p.z < closest) p = tac_axpy(p, (closest - p.z) / (q.z - p.z), tac_sub(q, p));
    if (q.z < closest) q = tac_axpy(q, (closest - q.z) / (p.z - q.z), tac_sub(p, q));

    // the image of a capsule is the hull of the images of its two ends
    Box bp = ball_box(raster, view, p, radius), bq = ball_box(raster, view, q, radius);
    Box box = {bp.x0 < bq.x0 ? bp.x0 : bq.x0, bp.y0 < bq.y0 ? bp.y0 : bq.y0, bp.x1 > bq.x1 ? bp.x1 : bq.x1,
               bp.y1 > bq.y1 ? bp.y1 : bq.y1};
    Corner cp = project(view, p, NULL), cq = project(view, q, NULL);
    double dx = cq.x - cp.x, dy = cq.y - cp.y, length = hypot(dx, dy);
    Band band = {.ax = cp.x, .ay = cp.y, .reach = INFINITY};
    if (length > 1e-9) {
        band.nx = -dy / length;
        band.ny = dx / length;
        band.reach = fmax(outline_reach(view, p, radius), outline_reach(view, q, radius));
    }
    TacVec3 axis = tac_sub(q, p);
    for (int y = box.y0; y < box.y1; y++) {
        int x0 = box.x0, x1 = box.x1;
        if (length > 1e-9) band_columns(&band, y + 0.5, raster->width, &x0, &x1);
        for (int x = x0; x < x1; x++) {
            TacRay ray = tac_view_ray(view, x + 0.5, y + 0.5);
            double depth = enter_capsule(&ray, p, q, radius);
            if (!(depth >= nearest && depth < INFINITY)) continue;
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            put_solid_sample(raster, view, &ray, at, depth, p, axis, id);
        }
    }
}
