// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The scene of `tactus bench spheres` with MuJoCo: conjugate gradients on a sparse Jacobian, elliptic friction cones of
// the least dimension that has friction, everything else as it comes. MuJoCo's contacts have no stiffness in N/m; its
// default is taken. Its data (2.2) has to have room for whole matrices of constraint rows by degrees of freedom, sparse
// or not, and is counted in an int: that is enough for some 8,000 rows of 1,000 spheres, and for 1,500 rows of 10,000,
// which need thirty times as many. The program says so then, and measures nothing.

#include "spheres_scene.h"

#include <mujoco/mujoco.h>

#include <string>

namespace {

struct World {
    mjModel *model;
    mjData *data;
    int count;
};

void add_number(std::string &text, const double v[3]) {
    char line[128];
    snprintf(line, sizeof line, "%.17g %.17g %.17g", v[0], v[1], v[2]);
    text += line;
}

enum { ROWS_OF_CONTACT = 3, LEAST_CONTACTS = 2 }; // the latter per sphere

// As many rows of constraints as its memory can be counted for.
int rows_for(const SphereScene &scene) {
    double most = 0.95 * 2147483647.0, nv = 6.0 * scene.count;
    double rows = (-24 * nv + std::sqrt(576 * nv * nv + 48 * most)) / 24; // rows (24 nv + 12 rows) = most
    return (int)fmin(rows, 12.0 * scene.count);
}

std::string describe(const SphereScene &scene) {
    char head[512];
    snprintf(
        head, sizeof head,
        "<mujoco><option timestep='%g' gravity='0 -9.81 0' solver='CG' jacobian='sparse' cone='elliptic'/>"
        "<size njmax='%d' nconmax='%d' nstack='%d'/>"
        "<default><geom condim='3' friction='%g 0 0'/></default><worldbody>"
        "<geom type='plane' size='0 0 1' zaxis='0 1 0'/>",
        SCENE_STEP, rows_for(scene), 8 * scene.count, 4000 * scene.count, SCENE_FRICTION);
    std::string text = head;
    for (int i = 0; i < scene_bricks(&scene); i++) {
        double at[3];
        scene_brick(&scene, i, at);
        text += "<geom type='box' size='0.3 0.1 0.3' pos='";
        add_number(text, at);
        text += "'/>";
    }
    for (int i = 0; i < scene.count; i++) {
        text += "<body pos='";
        add_number(text, scene.spheres[i].at);
        text += "'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>";
    }
    return text + "</worldbody></mujoco>";
}

void step(void *data) {
    World *w = static_cast<World *>(data);
    mj_step(w->model, w->data);
}

double height(void *data) {
    const World *w = static_cast<World *>(data);
    double sum = 0;
    for (int i = 0; i < w->count; i++) sum += w->data->qpos[7 * i + 1];
    return sum / w->count;
}

} // namespace

int main(int argc, char **argv) {
    SphereScene scene = scene_read(argc, argv);
    if (rows_for(scene) < LEAST_CONTACTS * ROWS_OF_CONTACT * scene.count) {
        printf("no room: %d rows of constraints at most\n", rows_for(scene));
        return 0;
    }
    std::string text = describe(scene), path = std::string(argv[1]) + ".xml";
    FILE *file = fopen(path.c_str(), "w");
    bool written = file && fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file) written = fclose(file) == 0 && written;
    char error[1000] = "the model cannot be written";
    World w{written ? mj_loadXML(path.c_str(), nullptr, error, sizeof error) : nullptr, nullptr, scene.count};
    remove(path.c_str());
    if (w.model) w.data = mj_makeData(w.model);
    if (!w.data) {
        fprintf(stderr, "MuJoCo: %s\n", error);
        return 1;
    }
    for (int i = 0; i < scene.count; i++)
        for (int k = 0; k < 3; k++) {
            w.data->qvel[6 * i + k] = scene.spheres[i].velocity[k];
            w.data->qvel[6 * i + 3 + k] = scene.spheres[i].turning[k]; // axes are still those of the world
        }
    scene_measure(&scene, step, height, &w);
    if (w.data->warning[mjWARN_CNSTRFULL].number || w.data->warning[mjWARN_CONTACTFULL].number) {
        fprintf(stderr, "MuJoCo: contacts were left out\n");
        return 1;
    }
    return 0;
}
