// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// `nodes_soak SEED [FIRST [COUNT]]`: random scenes of safe contact in which a wire meets wheels and bodies by contact
// nodes and all else by layers, audited. Nothing meets without the run saying so and ending; that is rare, and so is energy that
// comes from nowhere.
// `nodes_soak SEED NUMBER 0` prints a scene.

#include "base/random.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 14, KINDS = 5 };
static const char *const kinds[KINDS] = {"wheel", "ball", "quay", "falling", "flying"};
static const double DURATION = 0.8, GAIN = 0.03; // s; of the energy that is there to be had

typedef struct Draft {
    char text[ROOM];
    size_t length;
    TacRandom random;
    double step, ball; // s, of the agent; kg, of what flies freely
} Draft;

static void put(Draft *d, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(d->text + d->length, ROOM - d->length, format, list);
    va_end(list);
    d->length += n > 0 && (size_t)n < ROOM - d->length ? (size_t)n : 0;
}

static double between(Draft *d, double low, double high) {
    return tac_random_between(&d->random, low, high);
}

static double spread(Draft *d, double low, double high) {
    return exp(between(d, log(low), log(high)));
}

static int pick(Draft *d, int count) {
    return (int)(tac_random_bits(&d->random) % (uint32_t)count);
}

// --- scenes --------------------------------------------------------------------------------------------------------

static void put_load(Draft *d, const char *name, double x, double y, double z) {
    double mass = spread(d, 0.5, 3000);
    put(d,
        "<node name='%s'><Frames positions='%.17g %.17g %.17g 0 0 0 1' velocities='%g %g %g 0 0 "
        "0'/><UniformMass "
        "mass='%g' box='0.2 0.2 0.2'/><node name='a'><Box low='-0.1 -0.22 -0.1' high='0.1 -0.02 "
        "0.1'/><Points/>"
        "<RigidMap/><Skin/></node></node>",
        name, x, y, z, between(d, -2, 2), between(d, -2, 4), between(d, -0.5, 0.5), mass);
}

// From `side`, 2 m away, towards a place near the middle.
static void put_ball(Draft *d, double side, double y, double z) {
    d->ball = spread(d, 0.1, 20);
    double speed = between(d, 0, 8), far = hypot(2, hypot(y, z));
    put(d,
        "<node name='ball'><Frames positions='%g %g %g 0 0 0 1' velocities='%g %g %g 0 0 0'/><UniformMass "
        "mass='%g' box='0.2 0.2 0.2'/><node name='s'><Sphere radius='0.12' "
        "subdivisions='1'/><Points/><RigidMap/>"
        "<Skin/></node></node>",
        2 * side, 0.0, 0.0, -2 * side * speed / far, speed * y / far + 1, speed * z / far, d->ball);
}

static int fineness(Draft *d) {
    return 8 << pick(d, 3);
}

static void put_wire(Draft *d, int divisions, int lowest, double x0, double y0, double z0, double x1,
                     double y1, double z1, const char *rest) {
    put(d,
        "<node name='wire'><Line divisions='%d' from='%.17g %.17g %.17g' to='%.17g %.17g "
        "%.17g'/><Points/><Wire "
        "mass='%g' lowest='%d' %s",
        divisions, x0, y0, z0, x1, y1, z1, spread(d, 0.2, 5), lowest, rest);
}

// Two loads over a wheel.
static void put_wheel(Draft *d, bool ball) {
    double r = between(d, 0.2, 0.5), left = between(d, -2, -0.8), right = between(d, -2, -0.8);
    char rest[512];
    put(d, "<node name='wheel'><Frames/><UniformMass mass='%g' inertia='0.2 0.2 0.2'/><%s/><node name='s'>",
        spread(d, 1, 20), pick(d, 2) ? "HingeJoint" : "LockJoint");
    if (ball)
        put(d, "<Sphere radius='%.17g' subdivisions='2'/>", 0.99 * r);
    else
        put(d, "<Cylinder radius='%.17g' height='%g' sides='24' rotation='90 0 0'/>", 0.99 * r,
            between(d, 0.3, 0.9) * r);
    put(d, "<Points/><RigidMap/><Skin/></node></node>");
    put_load(d, "left", -r, left, 0);
    put_load(d, "right", r, right, 0);
    snprintf(rest, sizeof rest,
             "start='@../left/frames' end='@../right/frames' wheels='@../wheel/frames' wheel_points='0' "
             "radii='%.17g' senses='-1' friction='%g' %s/><Skin radius='0.008'/></node>",
             r, pick(d, 3) ? between(d, 0, 1) : 0, ball ? "shape='sphere'" : "");
    put_wire(d, fineness(d), pick(d, 5) - 1, -r, left, 0, r, right, 0, rest);
}

// A load over the edge of a quay.
static void put_quay(Draft *d) {
    double x = between(d, 0.1, 0.8), y = between(d, -2, -0.5), z = between(d, -0.5, 0.5);
    char rest[512];
    put(d, "<node name='quay'><Frames/><UniformMass mass='1000' box='2 2 2'/><LockJoint/><Box name='box' "
           "low='-3 -1 "
           "-1' high='0 0 1'/><node name='s'><Box low='-3 -1 -1' high='0 0 "
           "1'/><Points/><RigidMap/><Skin/></node></node>");
    put_load(d, "left", x, y, z);
    double from = between(d, -1.5, -0.3), up = between(d, 0.1, 0.8);
    snprintf(rest, sizeof rest,
             "end='@../left/frames' bodies='@../quay/frames' body_mesh='@../quay/box' body_friction='%g' "
             "via='%g %g "
             "%g' %s/><FixedPoints points='0'/><Skin radius='0.008'/></node>",
             pick(d, 3) ? between(d, 0, 0.6) : 0, fmax(x, 0.2), 0.3, z, "");
    put_wire(d, fineness(d), pick(d, 5) - 1, from, up, between(d, -0.5, 0.5), x, y, z, rest);
}

static void put_body(Draft *d, const char *shape, double q[4], const char *motion, double mass,
                     const char *held) {
    put(d,
        "<node name='body'><Frames positions='0 0 0 %.17g %.17g %.17g %.17g' velocities='%s'/><UniformMass "
        "mass='%g' box='1 1 1'/>%s<%s name='mesh'/><node "
        "name='s'><%s/><Points/><RigidMap/><Skin/></node></node>",
        q[0], q[1], q[2], q[3], motion, mass, held, shape, shape);
}

static void turn(Draft *d, double q[4]) {
    double n = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = between(d, -1, 1);
        n += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) q[k] /= sqrt(n);
}

static const char *shape_of(Draft *d) {
    static const char *const shapes[] = {"Box", "Sphere", "Cylinder"};
    return shapes[pick(d, 3)];
}

// A wire that falls upon a body, with free ends, or loads.
static void put_falling(Draft *d) {
    double q[4], y = between(d, 1.8, 2.4), half = between(d, 0.8, 2.5), z = between(d, -0.5, 0.5);
    char rest[512];
    turn(d, q);
    put_body(d, shape_of(d), q, "0 0 0 0 0 0", 10, "<LockJoint/>");
    int loads = pick(d, 2);
    if (loads) {
        put_load(d, "left", -half, y, z);
        put_load(d, "right", half, y, 0);
    }
    snprintf(rest, sizeof rest,
             "%s bodies='@../body/frames' body_mesh='@../body/mesh' body_friction='%g'/><Skin "
             "radius='0.008'/></node>",
             loads ? "start='@../left/frames' end='@../right/frames'" : "",
             pick(d, 3) ? between(d, 0, 0.6) : 0);
    put_wire(d, fineness(d), pick(d, 4) - loads, -half, y, z, half, y, 0, rest);
}

// A body that flies into a wire between two walls.
static void put_flying(Draft *d) {
    double q[4], half = between(d, 1.2, 2.5);
    int divisions = fineness(d);
    char rest[512], motion[128];
    turn(d, q);
    snprintf(motion, sizeof motion, "%g %g %g %g %g %g", between(d, -1, 1), between(d, 1, 10),
             between(d, -1, 1), between(d, -3, 3), between(d, -3, 3), between(d, -3, 3));
    put_body(d, shape_of(d), q, motion, spread(d, 1, 300), "");
    double slack = pick(d, 2) ? between(d, 1, 1.3) : 1;
    snprintf(rest, sizeof rest,
             "length='%.17g' bodies='@../body/frames' body_mesh='@../body/mesh' "
             "body_friction='%g'/><FixedPoints points='0 %d'/>"
             "<Skin radius='0.008'/></node>",
             2 * half * slack, pick(d, 3) ? between(d, 0, 0.6) : 0, divisions);
    put_wire(d, divisions, pick(d, 5) - 1, -half, 1.9, 0, half, 1.9, 0, rest);
}

static int make(Draft *d, uint64_t seed, uint64_t number) {
    d->random = tac_random(seed, number);
    d->length = 0;
    d->ball = 0;
    d->step = 0.005 / (1 << pick(d, 3));
    int kind = pick(d, KINDS);
    put(d,
        "<tactus version='1' dt='0.01'><Contact thickness='0.01' friction='0.2' restitution='0.2' speed='2'/>"
        "<node name='floor'><Box low='-9 -4.2 -9' high='9 -4 9'/><Points/><FixedPoints box='-99 -99 -99 99 "
        "99 99'/>"
        "<Skin/></node><node name='rig'><Spook step='%.17g'/>",
        d->step);
    if (kind < 2) put_wheel(d, kind);
    if (kind == 2) put_quay(d);
    if (kind == 3) put_falling(d);
    if (kind == 4) put_flying(d);
    put(d, "</node>");
    if (kind < 3) put_ball(d, kind == 2 ? 1 : -1, between(d, -1.2, -0.4), between(d, -0.2, 0.2));
    put(d, "</tactus>");
    return kind;
}

// --- running -------------------------------------------------------------------------------------------------------

typedef enum Outcome { CLEAN, REFUSED, STOPPED, MET, GAINED } Outcome;
static const char *const outcome_words[] = {"clean", "refused", "stopped", "met", "gained energy"};

static TacWorld *compile(const Draft *d, TacError *error) {
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    def.threads = 1;
    if (tac_scene_create(&scene, error) != TAC_OK) return NULL;
    if (tac_scene_parse(scene, "scene.tac", d->text, d->length, error) == TAC_OK)
        tac_world_create(&world, scene, &def, error);
    tac_scene_destroy(scene);
    return world;
}

// Where kicks by weight come as a whole, at the beginning of a step, what falls has them half a step too early, and this
// is what is kept; where they come in parts, or while it flies freely, it is the total.
static double shifted(TacWorld *world, const Draft *d) {
    double up = tac_world_momentum(world).linear.y;
    if (d->ball > 0) up -= d->ball * tac_world_velocities(world, tac_world_find(world, "/ball/frames"))[1];
    return tac_world_energy(world).total - 0.5 * d->step * 9.81 * up;
}

// Beats; the most that is gained over what it began with, of what there is to be had: what moves at the start, and
// what has fallen since.
static TacStatus beat(TacWorld *world, const Draft *d, double *gain, double *part, TacError *error) {
    TacEnergy start = tac_world_energy(world);
    double fallen = 0, began = shifted(world, d);
    *gain = *part = 0;
    for (int i = 0; i * 0.01 < DURATION; i++) {
        if (tac_world_advance(world, 0.01, error) != TAC_OK) return error->status;
        TacEnergy now = tac_world_energy(world);
        fallen = fmax(fallen, start.weight - now.weight);
        double one = fmin(now.total - start.total, shifted(world, d) - began);
        if (!(one > *gain)) continue;
        *gain = one;
        *part = one / (start.kinetic + fallen);
    }
    return TAC_OK;
}

static Outcome run(const Draft *d, char *why, size_t size) {
    TacError error = {0};
    TacWorld *world = compile(d, &error);
    double gain = 0, part = 0;
    if (!world) {
        tac_error_text(&error, why, size);
        return REFUSED;
    }
    Outcome outcome = CLEAN;
    TacStatus status = tac_world_audit(world, &error);
    if (status == TAC_OK) status = beat(world, d, &gain, &part, &error);
    TacAuditSummary audit = tac_world_audit_summary(world);
    if (status != TAC_OK) {
        tac_error_text(&error, why, size);
        outcome = STOPPED;
    } else if (audit.violations) {
        char text[512];
        snprintf(why, size, "%zu: %s", audit.violations,
                 tac_world_audit_violation(world, 0, text, sizeof text));
        outcome = MET;
    } else if (part > GAIN) {
        snprintf(why, size, "%g J, %g of what there was", gain, part);
        outcome = GAINED;
    }
    tac_world_destroy(world);
    return outcome;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: nodes_soak SEED [FIRST [COUNT]]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10), first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) : 10;
    static Draft d;
    int outcomes[GAINED + 1] = {0};
    if (argc > 3 && !count) {
        make(&d, seed, first);
        puts(d.text);
        return 0;
    }
    for (uint64_t i = first; i < first + count; i++) {
        char why[1100] = "";
        int kind = make(&d, seed, i);
        Outcome outcome = run(&d, why, sizeof why);
        outcomes[outcome]++;
        if (outcome != CLEAN)
            printf("scene %llu (%s) %s: %s\n", (unsigned long long)i, kinds[kind], outcome_words[outcome],
                   why);
        fflush(stdout);
    }
    for (int k = 0; k <= GAINED; k++)
        printf("%d %s%s", outcomes[k], outcome_words[k], k < GAINED ? ", " : "\n");
    // what docs/wires.md says of lines over nodes; ten scenes are few
    int few = (int)count / 20 + 1;
    return outcomes[REFUSED] || outcomes[MET] || outcomes[STOPPED] > few || outcomes[GAINED] > few;
}
