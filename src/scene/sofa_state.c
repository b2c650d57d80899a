// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What SOFA's states and regions of interest come to: positions and indices. See sofa.h.

#include "base/text.h"
#include "scene/sofa.h"

#include <math.h>

// --- kinds ------------------------------------------------------------------------------------------------

static bool find_kind(TacSofa *s, TacSofaObject *o) {
    static const struct {
        const char *name;
        TacMatterKind kind;
    } kinds[] = {{"Vec3", TAC_VEC3},     {"Vec2", TAC_VEC2},     {"Vec1", TAC_VEC1},
                 {"Rigid3", TAC_RIGID3}, {"Rigid2", TAC_RIGID2}, {"Rigid", TAC_RIGID3}};
    const TacSofaAttribute *given = tac_sofa_attribute(o, "template");
    o->kind = TAC_VEC3;
    if (!given || !*given->value) return true;
    for (size_t i = 0; i < TAC_COUNT(kinds); i++) {
        size_t n = strlen(kinds[i].name);
        const char *rest = given->value + n;
        if (strncmp(given->value, kinds[i].name, n)) continue;
        if (*rest && strcmp(rest, "d") && strcmp(rest, "f")) continue;
        o->kind = kinds[i].kind;
        return true;
    }
    if (given->value[0] == '@') return true;
    tac_sofa_complain(s, given->place,
                      "lacks states of type \"%.40s\"; Vec1, Vec2, Vec3, Rigid2 and Rigid3 are known",
                      given->value);
    return false;
}

// --- positions --------------------------------------------------------------------------------------------

// Points with three numbers each as positions of the state's kind.
static bool from_points(TacSofa *s, TacSofaObject *o, const double *points, size_t count) {
    size_t each = (size_t)tac_position_size(o->kind);
    double *x = tac_sofa_new_reals(s, each * count);
    if (!x) return false;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3 && k < each; k++) x[each * i + k] = points[3 * i + k];
        if (o->kind == TAC_RIGID2) x[3 * i + 2] = 0;
        if (o->kind == TAC_RIGID3) x[7 * i + 6] = 1;
    }
    o->positions = (TacReals){x, each * count};
    return true;
}

// A state without positions that follows another takes as many as that gives it.
static bool from_mapping(TacSofa *s, TacSofaObject *o) {
    TacSofaObject *map = o->mapped_by;
    TacSofaObject *parent = tac_sofa_link(s, map, "input", tac_sofa_is_state);
    if (!parent && !tac_sofa_attribute(map, "input") && s->nodes[map->node].parent != TAC_NONE)
        parent = tac_sofa_state_of(s, s->nodes[map->node].parent);
    if (!parent || parent == o || !tac_sofa_is_state(parent) || !tac_sofa_make_state(s, parent)) return true;
    size_t each = (size_t)tac_position_size(parent->kind), count = parent->points;
    TacInts chosen = {0};
    if (!strcmp(map->cls->ours, "DistanceMap")) {
        // a number for each edge
        TacSofaObject *topology = tac_sofa_used_topology(s, map);
        if (!topology || !tac_sofa_make_mesh(s, topology)) return true;
        size_t edges = topology->mesh.elements[TAC_EDGES].count;
        double *zeros = tac_sofa_new_reals(s, 3 * edges);
        return zeros && from_points(s, o, zeros, edges);
    }
    if (!strcmp(map->cls->name, "SubsetMapping")) {
        if (!tac_sofa_ints(s, map, "indices", &chosen)) return false;
        count = chosen.count;
    } else if (strcmp(map->cls->name, "IdentityMapping")) {
        return true;
    }
    double *points = tac_sofa_new_reals(s, 3 * count);
    if (!points) return false;
    for (size_t i = 0; i < count; i++) {
        size_t from = chosen.data ? (size_t)chosen.data[i] : i;
        for (size_t k = 0; k < 3 && k < each && from < parent->points; k++)
            points[3 * i + k] = parent->positions.data[each * from + k];
    }
    return from_points(s, o, points, count);
}

static bool find_positions(TacSofa *s, TacSofaObject *o) {
    const TacSofaAttribute *at_rest = tac_sofa_attribute(o, "rest_position");
    if (tac_sofa_attribute(o, "position") || tac_sofa_attribute(o, "src")) {
        if (!tac_sofa_reals(s, o, "position", &o->positions)) return false;
        // loaders and topologies give points, whatever the kind
        const TacSofaAttribute *given = tac_sofa_attribute(o, "position");
        bool loaded = !given || tac_sofa_leads_to_points(s, o, given->value);
        if (loaded && o->kind != TAC_VEC3 && o->positions.count &&
            !from_points(s, o, o->positions.data, o->positions.count / 3))
            return false;
        if (o->positions.count) return true;
    }
    if (at_rest) {
        if (!tac_sofa_reals(s, o, "rest_position", &o->positions)) return false;
        if (o->positions.count) return true;
    }
    TacSofaObject *topology = tac_sofa_link(s, o, "topology", tac_sofa_is_topology);
    if (!topology && tac_sofa_bool(s, o, "useTopology", true)) topology = tac_sofa_first_topology(s, o->node);
    if (topology && tac_sofa_has_mesh(topology)) {
        if (!tac_sofa_make_mesh(s, topology)) return false;
        if (topology->mesh.point_count)
            return from_points(s, o, topology->mesh.points, topology->mesh.point_count);
    }
    if (o->mapped_by && !from_mapping(s, o)) return false;
    if (o->positions.count) return true;
    static const double origin[3] = {0, 0, 0};
    return from_points(s, o, origin, 1);
}

static TacVec3 letters(TacSofa *s, TacSofaObject *o, const char *x, const char *y, const char *z, TacVec3 v) {
    return tac_vec3(tac_sofa_real(s, o, x, v.x), tac_sofa_real(s, o, y, v.y), tac_sofa_real(s, o, z, v.z));
}

static TacQuat turn(TacVec3 degrees) {
    double r = TAC_PI / 180;
    TacQuat x = tac_quat_from_vector(tac_vec3(r * degrees.x, 0, 0));
    TacQuat y = tac_quat_from_vector(tac_vec3(0, r * degrees.y, 0));
    TacQuat z = tac_quat_from_vector(tac_vec3(0, 0, r * degrees.z));
    return tac_quat_mul(z, tac_quat_mul(y, x));
}

static void place(TacMatterKind kind, TacQuat q, TacVec3 degrees, TacVec3 scale, TacVec3 move, double *x) {
    size_t n = kind == TAC_VEC1 ? 1 : kind == TAC_VEC2 || kind == TAC_RIGID2 ? 2 : 3;
    double p[3] = {0, 0, 0};
    for (size_t k = 0; k < n; k++) p[k] = x[k];
    TacVec3 a = tac_vec3(p[0] * scale.x, p[1] * scale.y, p[2] * scale.z);
    if (degrees.x != 0 || degrees.y != 0 || degrees.z != 0) {
        a = tac_rotate(q, a);
        if (kind == TAC_RIGID3) tac_store_quat(x + 3, tac_quat_mul(q, tac_load_quat(x + 3)));
        if (kind == TAC_RIGID2) x[2] += degrees.z * TAC_PI / 180;
    }
    a = tac_add(a, move);
    const double r[3] = {a.x, a.y, a.z};
    for (size_t k = 0; k < n; k++) x[k] = r[k];
}

static void place_all(TacMatterKind kind, TacVec3 degrees, TacVec3 scale, TacVec3 move, double *x,
                      size_t count) {
    size_t each = (size_t)tac_position_size(kind);
    TacQuat q = turn(degrees);
    for (size_t i = 0; i < count; i++) place(kind, q, degrees, scale, move, x + each * i);
}

typedef struct Placing {
    TacVec3 scale, degrees, move;
} Placing;

static Placing placing_of(TacSofa *s, TacSofaObject *o) {
    TacVec3 one = tac_vec3(1, 1, 1), none = tac_vec3(0, 0, 0);
    return (Placing){tac_sofa_vector(s, o, "scale", tac_sofa_vector(s, o, "scale3d", one)),
                     letters(s, o, "rx", "ry", "rz", tac_sofa_vector(s, o, "rotation", none)),
                     letters(s, o, "dx", "dy", "dz", tac_sofa_vector(s, o, "translation", none))};
}

// Positions as given, then scaled, turned and moved; what results is the rest shape, unless one was given.
static bool place_state(TacSofa *s, TacSofaObject *o) {
    size_t each = (size_t)tac_position_size(o->kind);
    if (o->positions.count % each) {
        tac_sofa_complain(s, o->element->place, "position has %zu numbers, not a multiple of %zu",
                          o->positions.count, each);
        return false;
    }
    o->points = o->positions.count / each;
    double *x = tac_sofa_new_reals(s, o->positions.count);
    if (!x) return false;
    if (o->positions.count) memcpy(x, o->positions.data, o->positions.count * sizeof *x);
    TacVec3 one = tac_vec3(1, 1, 1), none = tac_vec3(0, 0, 0);
    Placing p = placing_of(s, o);
    place_all(o->kind, p.degrees, p.scale, p.move, x, o->points);
    o->positions.data = o->rest.data = x;
    o->rest.count = o->positions.count;

    TacReals rest;
    if (!tac_sofa_attribute(o, "rest_position")) {
        rest.count = 0;
    } else if (!tac_sofa_reals(s, o, "rest_position", &rest)) {
        return false;
    }
    double shrunk = tac_sofa_real(s, o, "restScale", 1);
    if (rest.count == o->positions.count && tac_sofa_attribute(o, "position")) {
        o->rest = rest;
    } else if (shrunk != 1) {
        double *r = tac_sofa_new_reals(s, o->positions.count);
        if (!r) return false;
        for (size_t i = 0; i < o->positions.count; i++) r[i] = shrunk * x[i];
        o->rest.data = r;
    }
    // a second placing moves the state away from its rest shape
    TacVec3 degrees2 = tac_sofa_vector(s, o, "rotation2", none),
            move2 = tac_sofa_vector(s, o, "translation2", none);
    if (tac_dot(degrees2, degrees2) + tac_dot(move2, move2) > 0) {
        double *moved = tac_sofa_new_reals(s, o->positions.count);
        if (!moved) return false;
        memcpy(moved, x, o->positions.count * sizeof *moved);
        place_all(o->kind, degrees2, one, move2, moved, o->points);
        o->positions.data = moved;
    }
    return true;
}

// The last velocity given holds for all points that have none.
static bool find_velocities(TacSofa *s, TacSofaObject *o) {
    TacReals given;
    size_t each = (size_t)tac_velocity_size(o->kind), n = each * o->points;
    if (!tac_sofa_reals(s, o, "velocity", &given)) return false;
    bool moving = false;
    for (size_t i = 0; i < given.count; i++) moving = moving || given.data[i] != 0;
    if (!moving || given.count < each) return true;
    double *v = tac_sofa_new_reals(s, n);
    if (!v) return false;
    size_t last = given.count / each - 1;
    for (size_t i = 0; i < o->points; i++)
        memcpy(v + each * i, given.data + each * (i < last ? i : last), each * sizeof *v);
    o->velocities = (TacReals){v, n};
    return true;
}

static bool check_finite(TacSofa *s, const TacSofaObject *o) {
    for (size_t i = 0; i < o->positions.count; i++)
        if (!isfinite(o->positions.data[i]) || !isfinite(o->rest.data[i])) {
            tac_sofa_complain(s, o->element->place, "position %zu is not a finite number", i);
            return false;
        }
    return true;
}

// SOFA seeks the points that ride on a regular or sparse grid in the grid as it was made, not where its state was placed:
// they are placed like the grid's state, and so are found in the same cells.
static bool ride_along(TacSofa *s, TacSofaObject *o) {
    TacSofaObject *map = o->mapped_by;
    if (!map || strcmp(map->cls->ours, "BarycentricMap") || o->kind != TAC_VEC3) return true;
    TacSofaObject *parent = tac_sofa_link(s, map, "input", tac_sofa_is_state);
    if (!parent && s->nodes[map->node].parent != TAC_NONE)
        parent = tac_sofa_state_of(s, s->nodes[map->node].parent);
    TacSofaObject *grid = parent && tac_sofa_is_state(parent) ? tac_sofa_topology_of(s, parent->node) : NULL;
    if (!grid || parent == o || !tac_sofa_make_mesh(s, grid)) return true;
    if (!grid->grid[0] && !grid->fills.count) return true;
    if (tac_sofa_attribute(parent, "position") || tac_sofa_attribute(parent, "src")) return true;
    double *x = tac_sofa_new_reals(s, o->positions.count);
    if (!x) return false;
    memcpy(x, o->positions.data, o->positions.count * sizeof *x);
    Placing p = placing_of(s, parent);
    place_all(o->kind, p.degrees, p.scale, p.move, x, o->points);
    o->positions.data = o->rest.data = x;
    return true;
}

bool tac_sofa_make_state(TacSofa *s, TacSofaObject *o) {
    if (o->progress == TAC_SOFA_DONE) return true;
    if (o->progress == TAC_SOFA_BUSY)
        tac_sofa_complain(s, o->element->place, "%s \"%.60s\" depends on itself", o->cls->name, o->name);
    if (o->progress != TAC_SOFA_NEW) return false;
    o->progress = TAC_SOFA_BUSY;
    bool good = find_kind(s, o) && find_positions(s, o) && place_state(s, o) && ride_along(s, o) &&
                find_velocities(s, o) && check_finite(s, o);
    o->progress = good ? TAC_SOFA_DONE : TAC_SOFA_FAILED;
    return good;
}

// --- regions ----------------------------------------------------------------------------------------------

// Points that a region chooses from: given, or those of its state at rest, or its topology's.
static bool candidates(TacSofa *s, TacSofaObject *o, TacReals *points, size_t *each) {
    *each = 3;
    if (tac_sofa_attribute(o, "position") || tac_sofa_attribute(o, "rest_position"))
        return tac_sofa_reals(s, o, tac_sofa_attribute(o, "position") ? "position" : "rest_position", points);
    TacSofaObject *state = tac_sofa_state_of(s, o->node);
    if (state) {
        if (!tac_sofa_make_state(s, state)) return false;
        *points = state->rest;
        *each = (size_t)tac_position_size(state->kind);
        return true;
    }
    TacSofaObject *topology = tac_sofa_topology_of(s, o->node);
    if (topology && tac_sofa_make_mesh(s, topology)) {
        *points = (TacReals){topology->mesh.points, 3 * topology->mesh.point_count};
        return true;
    }
    tac_sofa_complain(s, o->element->place, "%s finds no points to choose from", o->cls->name);
    return false;
}

static bool in_boxes(const double *p, size_t n, TacReals boxes) {
    for (size_t b = 0; b + 6 <= boxes.count; b += 6) {
        bool inside = true;
        for (size_t k = 0; k < 3; k++) {
            double low = fmin(boxes.data[b + k], boxes.data[b + 3 + k]);
            double high = fmax(boxes.data[b + k], boxes.data[b + 3 + k]), x = k < n ? p[k] : 0;
            inside = inside && x >= low && x <= high;
        }
        if (inside) return true;
    }
    return false;
}

static bool in_spheres(const double *p, size_t n, TacReals centers, TacReals radii) {
    for (size_t c = 0; 3 * c + 3 <= centers.count && radii.count; c++) {
        double r = radii.data[c < radii.count ? c : radii.count - 1], square = 0;
        for (size_t k = 0; k < 3; k++) {
            double d = (k < n ? p[k] : 0) - centers.data[3 * c + k];
            square += d * d;
        }
        if (square <= r * r) return true;
    }
    return false;
}

// Boxes that lie anyhow: three corners in a row, p0 p1 p2, and how deep they are across, half to each side.
static bool in_oriented(const double *p, size_t n, TacReals boxes) {
    TacVec3 x = tac_vec3(p[0], n > 1 ? p[1] : 0, n > 2 ? p[2] : 0);
    for (size_t b = 0; b + 10 <= boxes.count; b += 10) {
        TacVec3 corner = tac_load3(boxes.data + b + 3), one = tac_sub(tac_load3(boxes.data + b), corner),
                two = tac_sub(tac_load3(boxes.data + b + 6), corner), normal = tac_cross(one, two);
        double area = tac_norm(normal);
        if (!(area > 0)) continue;
        normal = tac_scale(normal, 1 / area);
        TacVec3 d = tac_sub(x, corner);
        double along = tac_dot(normal, tac_cross(d, two)) / area,
               across = tac_dot(normal, tac_cross(one, d)) / area;
        const double slack = 1e-12;
        bool inside = along >= -slack && along <= 1 + slack && across >= -slack && across <= 1 + slack;
        if (inside && fabs(tac_dot(d, normal)) <= 0.5 * fabs(boxes.data[b + 9])) return true;
    }
    return false;
}

static bool choose(TacSofa *s, TacSofaObject *o) {
    TacReals points, boxes, centers, radii, oriented;
    size_t each;
    bool spheres = !strcmp(o->cls->name, "SphereROI");
    const char *name = !strcmp(o->cls->name, "PlaneROI") ? "plane" : "orientedBox";
    if (!tac_sofa_reals(s, o, name, &oriented)) return false;
    if (oriented.count % 10) {
        tac_sofa_complain(s, o->element->place,
                          "%s has %zu numbers; 10 for each box were expected (three corners, "
                          "depth)",
                          name, oriented.count);
        return false;
    }
    if (!candidates(s, o, &points, &each)) return false;
    if (!tac_sofa_reals(s, o, "box", &boxes) || !tac_sofa_reals(s, o, "centers", &centers) ||
        !tac_sofa_reals(s, o, "radii", &radii))
        return false;
    size_t count = points.count / each, kept = 0, numbers = each == 7 ? 3 : each;
    int32_t *list = tac_sofa_new_ints(s, count);
    if (!list) return false;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        const double *p = points.data + each * i;
        if (spheres ? in_spheres(p, numbers, centers, radii)
                    : in_boxes(p, numbers, boxes) || in_oriented(p, numbers, oriented))
            list[kept++] = (int32_t)i;
    }
    o->indices = (TacInts){list, kept};
    if (!kept) tac_sofa_remark(s, o->element->place, "%s \"%.60s\" holds no point", o->cls->name, o->name);
    return true;
}

bool tac_sofa_make_region(TacSofa *s, TacSofaObject *o) {
    if (o->progress == TAC_SOFA_DONE) return true;
    if (o->progress == TAC_SOFA_BUSY)
        tac_sofa_complain(s, o->element->place, "%s \"%.60s\" depends on itself", o->cls->name, o->name);
    if (o->progress != TAC_SOFA_NEW) return false;
    o->progress = TAC_SOFA_BUSY;
    bool good = choose(s, o);
    o->progress = good ? TAC_SOFA_DONE : TAC_SOFA_FAILED;
    return good;
}
