// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The scene of `tactus bench spheres` with ODE: its quick stepper (20 iterations, its default) and a hash space.

#include "spheres_scene.h"

#include <ode/ode.h>

#include <vector>

namespace {

struct World {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    std::vector<dBodyID> bodies;
};

void touch(void *data, dGeomID a, dGeomID b) {
    const World *w = static_cast<World *>(data);
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    dContact found[4];
    int n = dCollide(a, b, 4, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        found[i].surface = dSurfaceParameters();
        found[i].surface.mode = dContactApprox1;
        found[i].surface.mu = SCENE_FRICTION;
        dJointAttach(dJointCreateContact(w->world, w->contacts, &found[i]), body_a, body_b);
    }
}

void step(void *data) {
    World *w = static_cast<World *>(data);
    dSpaceCollide(w->space, w, touch);
    dWorldQuickStep(w->world, SCENE_STEP);
    dJointGroupEmpty(w->contacts);
}

double height(void *data) {
    const World *w = static_cast<World *>(data);
    double sum = 0;
    for (dBodyID body : w->bodies) sum += dBodyGetPosition(body)[1];
    return sum / (double)w->bodies.size();
}

} // namespace

int main(int argc, char **argv) {
    SphereScene scene = scene_read(argc, argv);
    dInitODE();
    World w{dWorldCreate(), dHashSpaceCreate(nullptr), dJointGroupCreate(0), {}};
    dWorldSetGravity(w.world, 0, -9.81, 0);
    dCreatePlane(w.space, 0, 1, 0, 0);
    for (int i = 0; i < scene_bricks(&scene); i++) {
        double at[3];
        scene_brick(&scene, i, at);
        dGeomSetPosition(dCreateBox(w.space, 0.6, 0.2, 0.6), at[0], at[1], at[2]);
    }
    for (int i = 0; i < scene.count; i++) {
        const Sphere &s = scene.spheres[i];
        dBodyID body = dBodyCreate(w.world);
        dMass mass;
        dMassSetSphereTotal(&mass, 1, SPHERE_RADIUS);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, s.at[0], s.at[1], s.at[2]);
        dBodySetLinearVel(body, s.velocity[0], s.velocity[1], s.velocity[2]);
        dBodySetAngularVel(body, s.turning[0], s.turning[1], s.turning[2]);
        dGeomSetBody(dCreateSphere(w.space, SPHERE_RADIUS), body);
        w.bodies.push_back(body);
    }
    scene_measure(&scene, step, height, &w);
    return 0;
}
