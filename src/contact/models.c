// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The components Shape and Balls; models.h says what they are.

#include "contact/models.h"

#include "law/setup.h"

TacStatus tac_collision_init(TacCollision *model, TacSetup *setup, TacError *error) {
    if (model->material && model->material->base.cls != &tac_contact_material_class)
        return tac_setup_fail(setup, error, "material", "%s is a %s; a ContactMaterial was expected",
                              model->material->base.path, model->material->base.cls->name);
    if (model->group >= TAC_CONTACT_GROUPS)
        return tac_setup_fail(setup, error, "group", "group must be from 0 to %d", TAC_CONTACT_GROUPS - 1);
    model->mask = model->groups.count ? 0 : UINT64_MAX;
    for (size_t i = 0; i < model->groups.count; i++) {
        if (model->groups.data[i] < 0 || model->groups.data[i] >= TAC_CONTACT_GROUPS)
            return tac_setup_fail(setup, error, "mask", "mask has groups from 0 to %d",
                                  TAC_CONTACT_GROUPS - 1);
        model->mask |= (uint64_t)1 << model->groups.data[i];
    }
    return TAC_OK;
}

TacStatus tac_collision_check_radius(TacSetup *setup, const char *name, double radius, TacError *error) {
    if (radius <= TAC_LARGEST_RADIUS) return TAC_OK;
    return tac_setup_fail(setup, error, name, "%s is %g m; at most %g m can be kept", name, radius,
                          TAC_LARGEST_RADIUS);
}

// --- Shape ------------------------------------------------------------------------------------------------

static TacStatus make_polyhedron(TacShapeModel *self, TacSetup *setup, TacError *error) {
    const TacTopology *topology = tac_setup_topology(setup);
    if (!topology || topology->mesh.point_count == 0)
        return tac_setup_fail(
            setup, error, "shape",
            "a polyhedron is the hull of the nearest topology's points, and there is none: put a "
            "MeshFile, a Box, ... before it");
    TAC_TRY(tac_setup_hold(setup, 200.0 * (double)topology->mesh.point_count, error));
    TacError why;
    TacStatus status =
        tac_polyhedron_create(&self->polyhedron, topology->mesh.points, topology->mesh.point_count, &why);
    if (status == TAC_NO_MEMORY) return tac_fail_memory(error, 0);
    if (status != TAC_OK) return tac_setup_fail(setup, error, "shape", "no hull: %s", why.message);
    self->convex = tac_convex_polyhedron(self->polyhedron);
    return TAC_OK;
}

static TacStatus make_convex(TacShapeModel *self, TacSetup *setup, TacError *error) {
    double half = 0.5 * self->height;
    switch ((TacConvexKind)self->kind) {
    case TAC_CONVEX_SPHERE: self->convex = tac_convex_sphere(self->radius); break;
    case TAC_CONVEX_BOX:
        if (!(self->size.x > 0 && self->size.y > 0 && self->size.z > 0))
            return tac_setup_fail(setup, error, "size", "the three sides of size must be positive");
        self->convex = tac_convex_box(tac_scale(self->size, 0.5));
        break;
    case TAC_CONVEX_CAPSULE: self->convex = tac_convex_capsule(self->radius, half); break;
    case TAC_CONVEX_CYLINDER: self->convex = tac_convex_cylinder(self->radius, half); break;
    case TAC_CONVEX_CONE: self->convex = tac_convex_cone(self->radius, half); break;
    case TAC_CONVEX_HALF_SPACE: self->convex = tac_convex_half_space(); break;
    default: TAC_TRY(make_polyhedron(self, setup, error));
    }
    self->convex.rounding = self->rounding;
    if (self->collision.material) self->convex.rounding += self->collision.material->thickness;
    return TAC_OK;
}

static TacStatus take_frames(TacShapeModel *self, TacSetup *setup, TacError *error) {
    size_t all = self->collision.matter->count;
    self->count = self->frames.count ? self->frames.count : all;
    if (self->count > all) return tac_setup_fail(setup, error, "frames", "there are only %zu frames", all);
    self->frame = tac_setup_alloc(setup, self->count, sizeof *self->frame);
    if (!self->frame) return tac_fail_memory(error, self->count * sizeof *self->frame);
    for (size_t i = 0; i < self->count; i++) {
        int64_t frame = self->frames.count ? self->frames.data[i] : (int64_t)i;
        if (frame < 0 || (size_t)frame >= all)
            return tac_setup_fail(setup, error, "frames", "frame %lld does not exist: %s has %zu, from 0",
                                  (long long)frame, self->collision.matter->base.path, all);
        self->frame[i] = (uint32_t)frame;
    }
    return TAC_OK;
}

static TacStatus shape_init(void *data, TacSetup *setup, TacError *error) {
    TacShapeModel *self = data;
    TAC_TRY(tac_collision_init(&self->collision, setup, error));
    TAC_TRY(tac_collision_check_radius(setup, "radius", self->radius, error));
    TAC_TRY(tac_collision_check_radius(setup, "rounding", self->rounding, error));
    TAC_TRY(make_convex(self, setup, error));
    double s = TAC_PI / 180;
    TacQuat x = tac_quat_from_vector(tac_vec3(s * self->rotation.x, 0, 0));
    TacQuat y = tac_quat_from_vector(tac_vec3(0, s * self->rotation.y, 0));
    TacQuat z = tac_quat_from_vector(tac_vec3(0, 0, s * self->rotation.z));
    self->turn = tac_quat_mul(z, tac_quat_mul(y, x));
    return take_frames(self, setup, error);
}

static void shape_finish(void *data) {
    TacShapeModel *self = data;
    tac_polyhedron_destroy(self->polyhedron);
}

static const TacAttribute shape_attributes[] = {
    TAC_COLLISION_ATTRIBUTES(TacShapeModel, collision),
    {"shape", TAC_CHOICE, offsetof(TacShapeModel, kind), "", "box",
     "Cylinders, cones and capsules stand along y; a half_space is all below y = 0; a polyhedron is the hull "
     "of the "
     "nearest topology's points.",
     "sphere|box|capsule|cylinder|cone|half_space|polyhedron", TAC_ANY, 0},
    {"size", TAC_VECTOR, offsetof(TacShapeModel, size), "m", "1 1 1", "Sides of a box.", NULL, TAC_ANY, 0},
    {"radius", TAC_REAL, offsetof(TacShapeModel, radius), "m", "0.5",
     "Of a sphere, capsule, cylinder, or a cone's base.", NULL, TAC_POSITIVE, 0},
    {"height", TAC_REAL, offsetof(TacShapeModel, height), "m", "1",
     "Of a cylinder or cone; of a capsule without its caps.", NULL, TAC_NOT_NEGATIVE, 0},
    {"rounding", TAC_REAL, offsetof(TacShapeModel, rounding), "m", "0",
     "Everything nearer than this belongs to the shape as well.", NULL, TAC_NOT_NEGATIVE, 0},
    {"position", TAC_VECTOR, offsetof(TacShapeModel, position), "m", "0 0 0", "Of the shape in its frame.",
     NULL, TAC_ANY, 0},
    {"rotation", TAC_VECTOR, offsetof(TacShapeModel, rotation), "deg", "0 0 0",
     "Of the shape in its frame, about x, then y, then z.", NULL, TAC_ANY, 0},
    {"frames", TAC_INTS, offsetof(TacShapeModel, frames), "1", "", "Which frames have it; by default all.",
     NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_shape_model_class = {
    .name = "Shape",
    .kind = TAC_KIND_COLLISION,
    .doc = "A convex shape on frames, with which they touch others.",
    .size = sizeof(TacShapeModel),
    .attributes = shape_attributes,
    .attribute_count = TAC_COUNT(shape_attributes),
    .kinds = 1u << TAC_RIGID3,
    .init = shape_init,
    .finish = shape_finish,
};

// --- Balls ------------------------------------------------------------------------------------------------

// As given; or those of the topology that the matter was made from.
static TacStatus take_radii(TacBallsModel *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->collision.matter;
    if (tac_setup_given(setup, "radius"))
        return tac_law_one_or_each(setup, "radius", self->radius, matter->count, self->solid, error);
    const TacTopology *topology = tac_setup_topology_of(setup, matter);
    if (!topology || !topology->mesh.radii || topology->mesh.point_count != matter->count)
        return tac_setup_fail(
            setup, error, NULL,
            "needs a radius, because %s has no topology with radii (a BallFill, a list of spheres)",
            matter->base.path);
    memcpy(self->solid, topology->mesh.radii, matter->count * sizeof *self->solid);
    return TAC_OK;
}

static TacStatus balls_init(void *data, TacSetup *setup, TacError *error) {
    TacBallsModel *self = data;
    TAC_TRY(tac_collision_init(&self->collision, setup, error));
    size_t n = self->collision.matter->count;
    self->radii = tac_setup_alloc(setup, n, sizeof(double));
    self->solid = tac_setup_alloc(setup, n, sizeof(double));
    if (!self->radii || !self->solid) return tac_fail_memory(error, 2 * n * sizeof(double));
    TAC_TRY(take_radii(self, setup, error));
    for (size_t i = 0; i < n; i++)
        TAC_TRY(tac_collision_check_radius(setup, "radius", self->solid[i], error));
    double thickness = self->collision.material ? self->collision.material->thickness : 0;
    for (size_t i = 0; i < n; i++) {
        self->radii[i] = self->solid[i] + thickness;
        self->largest = fmax(self->largest, self->radii[i]);
    }
    if (!(self->largest < 1e100))
        return tac_setup_fail(setup, error, "material", "its thickness is %g m, which is too large",
                              thickness);
    return TAC_OK;
}

static const TacAttribute balls_attributes[] = {
    TAC_COLLISION_ATTRIBUTES(TacBallsModel, collision),
    {"radius", TAC_REALS, offsetof(TacBallsModel, radius), "m", "",
     "One for all, or one for each; by default those of the topology (a BallFill, a list of spheres).", NULL,
     TAC_POSITIVE, 0},
};

const TacClass tac_balls_model_class = {
    .name = "Balls",
    .kind = TAC_KIND_COLLISION,
    .doc = "A ball on each point, or on the origin of each frame: the way deformable bodies touch others, "
           "found by a "
           "grid of their own.",
    .size = sizeof(TacBallsModel),
    .attributes = balls_attributes,
    .attribute_count = TAC_COUNT(balls_attributes),
    .kinds = 1u << TAC_VEC3 | 1u << TAC_RIGID3,
    .init = balls_init,
};
