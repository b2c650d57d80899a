// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Random scenes for safe contact: a few things of different kinds are thrown at each other. Speeds up to 1,000 m/s,
// thickness 1e-4 to 1e-1 m, mass ratios up to 1e6; slivers, spikes against spikes, exactly parallel edges, faces in
// one plane, starts that all but touch. Each is audited; a progress error must be owed to what the scene asks for.

#ifndef TACTUS_TESTS_SAFE_SCENES_H
#define TACTUS_TESTS_SAFE_SCENES_H

#include "base/random.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 15, MOST_LOOKS = 300000, MOST_PLANS = 200000 };

typedef struct Throw { // one random scene
    TacRandom random;
    char text[MOST_TEXT];
    size_t at;
    double thickness, speed, ratio, usual; // m, m/s, of masses, m/s
    double time;                           // s, to be run
    double beat;
    double room; // m: the thickness, or how near things begin where that is less
    int objects;
    bool all_balls;
    bool loses; // energy at every impact
} Throw;

typedef enum Outcome { OUTCOME_CLEAN, OUTCOME_PROGRESS, OUTCOME_REFUSED, OUTCOME_WRONG } Outcome;

static inline void say(Throw *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->text + t->at, MOST_TEXT - t->at, format, args);
    va_end(args);
    if (n > 0 && t->at + (size_t)n < MOST_TEXT) t->at += (size_t)n;
}

static inline double between(Throw *t, double low, double high) {
    return tac_random_between(&t->random, low, high);
}

static inline double decades(Throw *t, double low, double high) {
    return low * pow(high / low, tac_random_unit(&t->random));
}

static inline int pick(Throw *t, int count) {
    return (int)(tac_random_bits(&t->random) % (uint32_t)count);
}

static inline TacVec3 direction(Throw *t) {
    for (;;) {
        TacVec3 d = {between(t, -1, 1), between(t, -1, 1), between(t, -1, 1)};
        double n = tac_norm(d);
        if (n > 0.1 && n < 1) return tac_scale(d, 1 / n);
    }
}

// --- things -----------------------------------------------------------------------------------------------

static inline double a_mass(Throw *t) {
    return 0.01 * (pick(t, 2) ? t->ratio : 1);
}

static inline void a_ball(Throw *t, TacVec3 c, TacVec3 v) {
    say(t,
        "<Points positions='%.17g %.17g %.17g' velocities='%.17g %.17g %.17g'/><UniformMass mass='%g'/>"
        "<Balls radius='%g'/>",
        c.x, c.y, c.z, v.x, v.y, v.z, a_mass(t), decades(t, 0.01, 0.1));
}

static inline void a_frame(Throw *t, TacVec3 c, TacVec3 v, bool turned, double size) {
    TacVec3 axis = direction(t);
    double turning = turned ? decades(t, 0.1, 10) * tac_norm(v) / 3 : 0;
    TacVec3 w = tac_scale(direction(t), turning);
    say(t,
        "<Frames positions='%.17g %.17g %.17g %g %g %g 1' velocities='%.17g %.17g %.17g %.17g %.17g %.17g'/>"
        "<UniformMass mass='%g' box='%g %g %g'/><node name='skin'>",
        c.x, c.y, c.z, turned ? axis.x : 0, turned ? axis.y : 0, turned ? axis.z : 0, v.x, v.y, v.z, w.x, w.y,
        w.z, a_mass(t), size, turned ? 0.5 * size : size, size);
}

static inline void a_rigid(Throw *t, TacVec3 c, TacVec3 v, bool turned) {
    a_frame(t, c, v, turned, 0.1);
    switch (turned ? pick(t, 3) : 0) {
    case 0: say(t, "<Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05'/>"); break;
    case 1: say(t, "<Sphere subdivisions='%d' radius='0.06'/>", pick(t, 2)); break;
    default:
        say(t, "<Nail radius='%g' height='0.12' translation='0 -0.04 0'/>", decades(t, 1e-4, 1e-2));
        break;
    }
    say(t, "<Points/><RigidMap/><Skin/></node>");
}

// A spike along the way of its flight, tip first.
static inline void a_spike(Throw *t, TacVec3 c, TacVec3 v, int side) {
    a_frame(t, c, v, false, 0.05);
    say(t,
        "<Nail radius='%g' height='0.1' rotation='0 0 %d' translation='%g 0 "
        "0'/><Points/><RigidMap/><Skin/></node>",
        decades(t, 1e-5, 1e-2), side ? 90 : -90, side ? 0.05 : -0.05);
}

static inline void a_sheet(Throw *t, TacVec3 c, TacVec3 v, bool implicit) {
    double mass = a_mass(t), step = t->beat / 4;
    double stiffness = mass * 0.04 / (step * step);
    say(t, implicit ? "<ImplicitEuler step='%.17g'/>" : "<SymplecticEuler step='%.17g'/>", step);
    say(t,
        "<Sheet divisions='3' width='0.15' depth='0.15' rotation='%g %g %g'/>"
        "<Points translation='%.17g %.17g %.17g' velocities='%.17g %.17g %.17g'/><UniformMass mass='%g'/>"
        "<Springs stiffness='%g'/><Skin/>",
        between(t, 0, 360), between(t, 0, 360), between(t, 0, 360), c.x, c.y, c.z, v.x, v.y, v.z, mass,
        fmin(stiffness, 1e12));
}

// Free triangles as thin as can be.
static inline void a_sliver(Throw *t, TacVec3 c, TacVec3 v) {
    TacVec3 d = direction(t), e = tac_scale(direction(t), decades(t, 1e-7, 1e-2));
    TacVec3 p = tac_axpy(c, 0.08, d), q = tac_axpy(c, -0.08, d),
            r = tac_add(tac_axpy(c, between(t, -0.08, 0.08), d), e);
    say(t,
        "<Mesh at='%.17g %.17g %.17g  %.17g %.17g %.17g  %.17g %.17g %.17g' with_triangles='0 1 2'/>"
        "<Points velocities='%.17g %.17g %.17g'/><UniformMass mass='%g'/><Skin/>",
        p.x, p.y, p.z, q.x, q.y, q.z, r.x, r.y, r.z, v.x, v.y, v.z, a_mass(t));
}

static inline void a_wire(Throw *t, TacVec3 c, TacVec3 v) {
    TacVec3 d = tac_scale(direction(t), 0.08);
    double mass = a_mass(t), step = t->beat / 4;
    say(t,
        "<SymplecticEuler step='%.17g'/><Line divisions='3' from='%.17g %.17g %.17g' to='%.17g %.17g %.17g'/>"
        "<Points velocities='%.17g %.17g %.17g'/><UniformMass mass='%g'/><Springs stiffness='%g'/>"
        "<Skin radius='%g'/>",
        step, c.x - d.x, c.y - d.y, c.z - d.z, c.x + d.x, c.y + d.y, c.z + d.z, v.x, v.y, v.z, mass,
        fmin(mass * 0.04 / (step * step), 1e12), decades(t, 1e-4, 1e-2));
}

static inline void a_thing(Throw *t, TacVec3 c, TacVec3 v) {
    int kind = pick(t, 7);
    if (kind) t->all_balls = false;
    switch (kind) {
    case 0: a_ball(t, c, v); break;
    case 1:
    case 2: a_rigid(t, c, v, true); break;
    case 3: a_sheet(t, c, v, false); break;
    case 4: a_sheet(t, c, v, true); break;
    case 5: a_sliver(t, c, v); break;
    default: a_wire(t, c, v); break;
    }
}

// --- scenes -----------------------------------------------------------------------------------------------

static inline void begin_node(Throw *t) {
    say(t, "<node name='o%d'>", t->objects++);
}

// Things from all sides, towards the middle.
static inline void throw_things(Throw *t) {
    int count = 2 + pick(t, 3);
    double far = 0.3 + t->thickness;
    for (int i = 0; i < count; i++) {
        double angle = 2 * 3.14159265358979 * (i + between(t, -0.1, 0.1)) / count;
        TacVec3 c = {far * cos(angle), between(t, -0.05, 0.05), far * sin(angle)};
        TacVec3 aim = {between(t, -0.05, 0.05), between(t, -0.05, 0.05), between(t, -0.05, 0.05)};
        TacVec3 to = tac_sub(aim, c);
        begin_node(t);
        a_thing(t, c, tac_scale(to, 0.5 * t->speed / tac_norm(to)));
        say(t, "</node>");
    }
    t->time = 1.5 * far / (0.5 * t->speed);
}

// Two boxes whose edges and faces stay exactly parallel; `gap` apart, met face to face, edge to edge or shifted.
static inline void throw_boxes(Throw *t, double gap) {
    t->room = fmin(gap, t->thickness);
    static const double shifts[][2] = {{0, 0}, {0.1, 0}, {0.05, 0}, {0, 0.1}, {0.1, 0.1}, {0.02, 0.03}};
    const double *shift = shifts[pick(t, 6)];
    TacVec3 c[2] = {{-0.05 - 0.5 * gap, 0, 0}, {0.05 + 0.5 * gap, shift[0], shift[1]}};
    for (int i = 0; i < 2; i++) {
        begin_node(t);
        a_rigid(t, c[i], tac_vec3((i ? -0.5 : 0.5) * t->speed, 0, 0), false);
        say(t, "</node>");
    }
    t->all_balls = false;
    t->time = (0.05 + 2 * gap) / t->speed + 4 * t->thickness / t->speed;
}

static inline void throw_spikes(Throw *t, double gap) {
    t->room = fmin(gap, t->thickness);
    double off = pick(t, 2) ? 0 : decades(t, 1e-9, 1e-3);
    for (int i = 0; i < 2; i++) {
        TacVec3 c = {(i ? 1 : -1) * (0.05 + 0.5 * gap), i ? off : 0, 0};
        begin_node(t);
        a_spike(t, c, tac_vec3((i ? -0.5 : 0.5) * t->speed, 0, 0), i);
        say(t, "</node>");
    }
    t->all_balls = false;
    t->time = (0.05 + 2 * gap) / t->speed;
}

// A sheet over a fixed one, all but touching, or on its way.
static inline void throw_sheets(Throw *t, double gap) {
    t->room = fmin(gap, t->thickness);
    say(t, "<node name='floor'><Sheet divisions='2' width='0.5' depth='0.5'/><Points/><Skin/></node>");
    begin_node(t);
    double mass = a_mass(t), step = t->beat / 4;
    say(t,
        "<SymplecticEuler step='%.17g'/><Sheet divisions='4' width='0.2' depth='0.2'/>"
        "<Points translation='0 %.17g 0' velocities='%.17g %.17g 0'/><UniformMass mass='%g'/>"
        "<Springs stiffness='%g'/><Skin/></node>",
        step, gap, between(t, -1, 1) * t->speed, -t->speed, mass, fmin(mass * 0.04 / (step * step), 1e12));
    t->all_balls = false;
    t->time = (0.05 + 2 * gap) / t->speed;
}

static inline void make_throw(Throw *t, uint64_t seed, uint64_t number) {
    *t = (Throw){.random = tac_random(seed, number), .all_balls = true};
    t->thickness = decades(t, 1e-4, 1e-1);
    t->speed = decades(t, 0.1, 1000);
    t->ratio = pick(t, 3) ? decades(t, 1, 1e3) : decades(t, 1, 1e6);
    t->usual = pick(t, 2) ? 1 : fmin(t->speed, 10);
    double gap = pick(t, 2) ? t->thickness * 1.01 : t->thickness * decades(t, 1e-3, 1);
    t->room = t->thickness;
    t->beat = fmin(0.01, 0.2 / t->speed / 4);
    double weight = pick(t, 2) ? -9.81 : 0.0, restitution = pick(t, 3) ? between(t, 0, 1) : 1;
    t->loses = restitution < 1;
    say(t,
        "<tactus version='1' dt='%.17g' gravity='%g %g 0'>"
        "<Contact method='safe' thickness='%.17g' restitution='%g' friction='%g' speed='%.17g' k='%d' "
        "tree='%s'/>",
        t->beat, 0.0, weight, t->thickness, restitution, pick(t, 2) ? between(t, 0, 1) : 0, t->usual,
        pick(t, 2) ? 6 : 18, number % 3 ? "boxes" : "front");
    switch (pick(t, 8)) {
    case 0: throw_boxes(t, gap); break;
    case 1: throw_spikes(t, gap); break;
    case 2: throw_sheets(t, gap); break;
    default: throw_things(t); break;
    }
    say(t, "</tactus>");
}

// --- judging ----------------------------------------------------------------------------------------------

// Is the step that the message names that of the first layer that cannot tick? (Pairs that began near have
// layers and steps that are smaller by a power of two.)
static inline bool step_is_right(const Throw *t, const char *message) {
    double step, tick, thick, window;
    int times;
    // or so many kicks that no layer of a stable step of this size or more could have made them
    const char *crawls = strstr(message, "in steps of ");
    if (crawls)
        return sscanf(crawls, "in steps of %lf s and have done so %d times within %lf s", &step, &times,
                      &window) == 3 &&
               step * times < window && step < 0.1 * t->thickness / t->usual && times > 100000;
    const char *at = strstr(message, "a step of ");
    if (!at || sscanf(at, "a step of %lf s, below one tick (%lf s). The thickness is %lf m", &step, &tick,
                      &thick) != 3)
        return false;
    if (fabs(thick / t->thickness - 1) > 1e-5 || !(step < tick)) return false;
    for (int shift = 0; shift <= 41; shift++) {
        double first = ldexp(0.1 * t->thickness / t->usual, -shift - (t->all_balls || t->loses ? 0 : 1));
        double l = floor(0.5 * (sqrt(8 * first / tick + 1) - 1));
        for (double n = fmax(1, l - 2); n <= l + 3; n++)
            if (fabs(first * 2 / (n * (n + 1)) / step - 1) < 1e-4 &&
                (n == 1 || first * 2 / (n * (n - 1)) >= tick * 0.9999))
                return true;
    }
    return false;
}

static inline bool is_mild(const Throw *t) {
    return t->speed <= 100 && t->room >= 1e-3 && t->ratio <= 1e3;
}

static inline Outcome run_world(const Throw *t, TacWorld *world, char *why, size_t size) {
    TacError error = {0};
    if (tac_world_audit(world, &error) != TAC_OK) {
        snprintf(why, size, "%s", error.message);
        return OUTCOME_WRONG;
    }
    TacStatus status = TAC_OK;
    for (double end = 0; end < t->time && status == TAC_OK; end += t->beat) {
        status = tac_world_advance_beats(world, 1, &error);
        TacContactStats stats = tac_world_contact_stats(world);
        if (stats.looks > MOST_LOOKS || stats.plans > MOST_PLANS) break; // enough for one scene
    }
    TacAuditSummary audit = tac_world_audit_summary(world);
    if (audit.violations) {
        tac_world_audit_violation(world, 0, why, size);
        return OUTCOME_WRONG;
    }
    if (status == TAC_OK) return OUTCOME_CLEAN;
    snprintf(why, size, "%s", error.message);
    if (!strstr(error.message, "no progress is possible")) return OUTCOME_WRONG;
    return step_is_right(t, error.message) && !is_mild(t) ? OUTCOME_PROGRESS : OUTCOME_WRONG;
}

// Makes and runs one; `why` says what was wrong, or why there was no progress.
static inline Outcome run_throw(Throw *t, uint64_t seed, uint64_t number, char *why, size_t size) {
    make_throw(t, seed, number);
    TacScene *scene;
    TacError error = {0};
    if (tac_scene_create(&scene, &error) != TAC_OK) return OUTCOME_WRONG;
    TacWorldDef def = tac_world_def_default();
    TacWorld *world = NULL;
    TacStatus status = tac_scene_parse(scene, "throw.tac", t->text, t->at, &error);
    if (status == TAC_OK) status = tac_world_create(&world, scene, &def, &error);
    Outcome outcome = OUTCOME_WRONG;
    if (status == TAC_OK)
        outcome = run_world(t, world, why, size);
    else {
        snprintf(why, size, "%s", error.message);
        if (strstr(why, "no progress is possible") && step_is_right(t, why) && !is_mild(t))
            outcome = OUTCOME_PROGRESS;
        if (strstr(why, "begins apart") || strstr(why, "needs steps below one tick"))
            outcome = OUTCOME_REFUSED;
    }
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return outcome;
}

#endif
