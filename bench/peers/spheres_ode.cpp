// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The scene of `tactus bench spheres` with ODE: its quick stepper (20 iterations, its default) and a hash space.

#include "spheres_scene.h"

#include <ode/ode.h>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

dWorldID world;
dJointGroupID contacts;

void touch(void *, dGeomID a, dGeomID b) {
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    dContact found[4];
    int n = dCollide(a, b, 4, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        found[i].surface = dSurfaceParameters();
        found[i].surface.mode = dContactApprox1;
        found[i].surface.mu = SCENE_FRICTION;
        dJointAttach(dJointCreateContact(world, contacts, &found[i]), body_a, body_b);
    }
}

void step(dSpaceID space) {
    dSpaceCollide(space, nullptr, touch);
    dWorldQuickStep(world, SCENE_STEP);
    dJointGroupEmpty(contacts);
}

} // namespace

int main() {
    dInitODE();
    world = dWorldCreate();
    dSpaceID space = dHashSpaceCreate(nullptr);
    contacts = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, -9.81, 0);
    dCreatePlane(space, 0, 1, 0, 0);
    double at[3];
    for (int i = 0; i < scene_bricks(); i++) {
        scene_brick(i, at);
        dGeomSetPosition(dCreateBox(space, 0.6, 0.2, 0.6), at[0], at[1], at[2]);
    }
    for (int i = 0; i < SPHERES; i++) {
        scene_sphere(i, at);
        dBodyID body = dBodyCreate(world);
        dMass mass;
        dMassSetSphereTotal(&mass, 1, SPHERE_RADIUS);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, at[0], at[1], at[2]);
        dGeomSetBody(dCreateSphere(space, SPHERE_RADIUS), body);
    }
    for (int i = 0; i < FALL_STEPS; i++) step(space);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < MEASURED_STEPS; i++) step(space);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("rate=%.0f\n", (double)SPHERES * MEASURED_STEPS / seconds.count());
    return 0;
}
