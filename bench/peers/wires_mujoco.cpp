// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The hundred wires of `tactus bench wires` with MuJoCo: chains of 32 segments with the load of 1 kg at the end, each segment
// a body that turns on its neighbour by two hinges, as MuJoCo's rope composite makes them; 1/60 s, its default integrator.
// Kinematic trees are what it is quickest at: no constraint has to be solved for. Each wire has data of its own, which is
// quicker than one model of all of them.

#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int WIRES = 100, SEGMENTS = 32;
constexpr int ROUNDS = 6, STEPS = 30;
constexpr double LENGTH = 10, SECONDS = STEPS / 60.0;

// A wire that hangs down from the origin; z is up here.
std::string wire(double load) {
    char text[600];
    double each = LENGTH / SEGMENTS;
    std::string all, close;
    for (int k = 0; k < SEGMENTS; k++) {
        std::snprintf(
            text, sizeof text,
            "<body pos='0 0 %g'><joint type='hinge' axis='1 0 0'/><joint type='hinge' axis='0 1 0'/>"
            "<inertial pos='0 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g 1e-6'/>",
            k ? -each : 0.0, -each / 2, 1.0 / SEGMENTS, each * each / SEGMENTS / 12,
            each * each / SEGMENTS / 12);
        all += text;
        close += "</body>";
    }
    double side = load * 0.25 / 6;
    std::snprintf(text, sizeof text,
                  "<body pos='0 0 %.17g'><joint type='ball'/><inertial pos='0 0 0' mass='%.17g' "
                  "diaginertia='%.17g %.17g "
                  "%.17g'/></body>",
                  -each, load, side, side, side);
    return all + text + close;
}

std::string scene(double load) {
    return "<mujoco><option timestep='0.016666666666666666' gravity='0 0 -9.81'><flag "
           "contact='disable'/></option><worldbody>" +
           wire(load) + "</worldbody></mujoco>";
}

mjModel *load_model(const std::string &text) {
    static mjVFS files;
    mj_defaultVFS(&files);
    if (mj_makeEmptyFileVFS(&files, "wires.xml", static_cast<int>(text.size())) != 0) return nullptr;
    int at = mj_findFileVFS(&files, "wires.xml");
    text.copy(static_cast<char *>(files.filedata[at]), text.size());
    char error[500] = "";
    mjModel *model = mj_loadXML("wires.xml", &files, error, sizeof error);
    if (!model) std::printf("MuJoCo: %s\n", error);
    mj_deleteVFS(&files);
    return model;
}

// The wire swings as a straight line at first, with the load at 3 m/s and 1 m/s.
void push(const mjModel *model, mjData *data) {
    data->qvel[0] = 1.0 / LENGTH;
    data->qvel[1] = -3.0 / LENGTH;
    mj_forward(model, data);
}

struct Run {
    double seconds;
    bool stable;
};

void say_nothing(const char *) {}

Run simulate(int wires, double load) {
    mjModel *model = load_model(scene(load));
    if (!model) return {0, false};
    std::vector<mjData *> all;
    for (int i = 0; i < wires; i++) {
        all.push_back(mj_makeData(model));
        push(model, all.back());
    }
    double least = INFINITY;
    bool stable = true;
    // the fastest of some rounds: others use the machine, too
    for (int round = 0; round < ROUNDS; round++) {
        std::clock_t start = std::clock();
        for (int i = 0; i < STEPS; i++)
            for (mjData *data : all) mj_step(model, data);
        least = std::fmin(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    for (mjData *data : all) {
        for (int i = 0; i < model->nv; i++)
            stable = stable && std::isfinite(data->qvel[i]) && std::fabs(data->qvel[i]) < 1e3;
        for (int k = 0; k < mjNWARNING; k++) stable = stable && data->warning[k].number == 0;
        mj_deleteData(data);
    }
    mj_deleteModel(model);
    return {least, stable};
}

} // namespace

int main() {
    mju_user_warning = say_nothing; // counted below
    Run run = simulate(WIRES, 1);
    if (run.seconds <= 0) return 1;
    std::printf("MuJoCo %s: %d wires of %d segments with loads of 1 kg, 1/60 s: %.2f times real time, %s "
                "after %g s\n",
                mj_versionString(), WIRES, SEGMENTS, SECONDS / run.seconds,
                run.stable ? "stable" : "unstable", ROUNDS * SECONDS);
    Run heavy = simulate(1, 100);
    std::printf("MuJoCo, one wire with 100 kg, 1/60 s: %s\n", heavy.stable ? "stable" : "unstable");
    std::printf("rate=%.9g\n", SECONDS / run.seconds);
    return 0;
}
