// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The scene of `tactus bench spheres` with Bullet: its sequential impulse solver (10 iterations, its default) and a
// dynamic bounding volume tree.

#include "spheres_scene.h"

#include <btBulletDynamicsCommon.h>

#include <chrono>
#include <cstdio>

namespace {

void add(btDiscreteDynamicsWorld &world, btCollisionShape *shape, double mass, const double at[3]) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
    btTransform place(btQuaternion::getIdentity(),
                      btVector3(btScalar(at[0]), btScalar(at[1]), btScalar(at[2])));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), new btDefaultMotionState(place), shape,
                                                  inertia);
    info.m_friction = btScalar(std::sqrt(SCENE_FRICTION)); // Bullet multiplies the two
    auto *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body);
}

} // namespace

int main() {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, btScalar(-9.81), 0));
    double at[3] = {0, 0, 0};
    add(world, new btStaticPlaneShape(btVector3(0, 1, 0), 0), 0, at);
    auto *brick = new btBoxShape(btVector3(btScalar(0.3), btScalar(0.1), btScalar(0.3)));
    for (int i = 0; i < scene_bricks(); i++) {
        scene_brick(i, at);
        add(world, brick, 0, at);
    }
    auto *sphere = new btSphereShape(btScalar(SPHERE_RADIUS));
    for (int i = 0; i < SPHERES; i++) {
        scene_sphere(i, at);
        add(world, sphere, 1, at);
    }
    for (int i = 0; i < FALL_STEPS; i++) world.stepSimulation(btScalar(SCENE_STEP), 0);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < MEASURED_STEPS; i++) world.stepSimulation(btScalar(SCENE_STEP), 0);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("rate=%.0f\n", (double)SPHERES * MEASURED_STEPS / seconds.count());
    return 0;
}
