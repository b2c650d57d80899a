// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The scene of `tactus bench spheres` with Bullet: its sequential impulse solver (10 iterations, its default) and a
// dynamic bounding volume tree.

#include "spheres_scene.h"

#include <btBulletDynamicsCommon.h>

#include <vector>

namespace {

struct World {
    btDiscreteDynamicsWorld *world;
    std::vector<btRigidBody *> spheres;
};

btVector3 vector_of(const double v[3]) {
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btRigidBody *add(btDiscreteDynamicsWorld &world, btCollisionShape *shape, double mass, const double at[3]) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
    btTransform place(btQuaternion::getIdentity(), vector_of(at));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), new btDefaultMotionState(place), shape,
                                                  inertia);
    info.m_friction = btScalar(std::sqrt(SCENE_FRICTION)); // Bullet multiplies the two
    auto *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body);
    return body;
}

void step(void *data) {
    static_cast<World *>(data)->world->stepSimulation(btScalar(SCENE_STEP), 0);
}

double height(void *data) {
    const World *w = static_cast<World *>(data);
    double sum = 0;
    for (const btRigidBody *body : w->spheres) sum += body->getCenterOfMassPosition().y();
    return sum / (double)w->spheres.size();
}

} // namespace

int main(int argc, char **argv) {
    SphereScene scene = scene_read(argc, argv);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, btScalar(-9.81), 0));
    double at[3] = {0, 0, 0};
    add(world, new btStaticPlaneShape(btVector3(0, 1, 0), 0), 0, at);
    auto *brick = new btBoxShape(btVector3(btScalar(0.3), btScalar(0.1), btScalar(0.3)));
    for (int i = 0; i < scene_bricks(&scene); i++) {
        scene_brick(&scene, i, at);
        add(world, brick, 0, at);
    }
    World w{&world, {}};
    auto *sphere = new btSphereShape(btScalar(SPHERE_RADIUS));
    for (int i = 0; i < scene.count; i++) {
        btRigidBody *body = add(world, sphere, 1, scene.spheres[i].at);
        body->setLinearVelocity(vector_of(scene.spheres[i].velocity));
        body->setAngularVelocity(vector_of(scene.spheres[i].turning));
        w.spheres.push_back(body);
    }
    scene_measure(&scene, step, height, &w);
    return 0;
}
