// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Random scenes that mix everything, for abuse_soak: solids, cloth, wires, balls and rigid bodies with joints and laws
// between them, on a floor; models and scenes of other programs that are included; and guests: small scenes of any class
// that there is (class_scenes.h). Both schedulers, both kinds of contact.

#ifndef TACTUS_TESTS_ABUSE_SCENES_H
#define TACTUS_TESTS_ABUSE_SCENES_H

#include "base/random.h"
#include "class_scenes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 5, MOST_GUESTS = 3, MOST_FILES = MOST_BODIES + 1 };

typedef struct SideFile {
    char name[16], text[900];
} SideFile;

typedef struct Maker {
    TacRandom random;
    char folder[200]; // where it would stand
    char text[40000];
    size_t length;
    bool safe, loose;
    double lift; // m: how far above the guests everything else is
    size_t bodies;
    SideFile files[MOST_FILES]; // that the scene includes
    size_t file_count;
    size_t rigid[MOST_BODIES], rigid_count; // bodies that are single frames
    char solver_of[MOST_BODIES + 1][24];
    bool points[MOST_BODIES];                   // its matter is points
    bool held[MOST_BODIES], rests[MOST_BODIES]; // it has such a component
} Maker;

static size_t below(Maker *m, size_t n) {
    return (size_t)(tac_random_bits(&m->random) % n);
}

static double between(Maker *m, double low, double high) {
    return low + (high - low) * tac_random_unit(&m->random);
}

__attribute__((format(printf, 2, 3))) static void put(Maker *m, const char *format, ...) {
    va_list args;
    va_start(args, format);
    m->length += (size_t)vsnprintf(m->text + m->length, sizeof m->text - m->length, format, args);
    va_end(args);
    if (m->length >= sizeof m->text) abort();
}

#define PICK(m, ...)                                                                                         \
    ((const char *const[]){                                                                                  \
        __VA_ARGS__}[below(m, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

static void put_agent(Maker *m) {
    m->rests[m->bodies] = below(m, 2);
    if (m->rests[m->bodies])
        put(m, "<Agent adaptive='true' rest='%s' still='%g' patience='0.02'/>",
            below(m, 2) ? "true" : "false", between(m, 0.001, 0.5));
}

static void put_step(Maker *m, const char *solver) {
    // under the loose scheduler nobody ticks on a beat
    const char *step =
        m->loose ? PICK(m, "0", "0.005", "0.0037", "0.0011") : PICK(m, "0", "0.005", "0.0025", "0.00125");
    put(m, "<%s name='solver' step='%s'/>", solver, step);
    snprintf(m->solver_of[m->bodies], sizeof m->solver_of[0], "%s", solver);
}

static const char *implicit_or_not(Maker *m) {
    return PICK(m, "ImplicitEuler", "ImplicitEuler", "SymplecticEuler");
}

static void put_cloth(Maker *m, double x, double y) {
    put_step(m, implicit_or_not(m));
    put_agent(m);
    if (below(m, 2))
        put(m, "%s", PICK(m, "<SparseDirect/>", "<PreconditionedConjugateGradient/>", "<MinimalResidual/>"));
    put(m, "<Sheet divisions='3' width='0.4' depth='0.4' translation='%g %g 0'/><Points name='matter'/>", x,
        y);
    put(m, "%s", PICK(m, "<UniformMass total='0.1'/>", "<DiagonalMass density='0.6'/>"));
    put(m, "%s",
        PICK(m, "<Springs stiffness='60' damping='0.1'/>", "<MeshSprings triangles='50'/>",
             "<Triangles young='300' thickness='0.01'/>",
             "<Springs stiffness='60'/><ShellBending stiffness='1e-4'/>",
             "<Springs stiffness='60'/><BendingSprings stiffness='0.01'/>"));
    if (below(m, 3) == 0) put(m, "<Damping coefficient='0.01'/>");
    m->held[m->bodies] = below(m, 3) == 0;
    if (m->held[m->bodies]) put(m, "<FixedPoints name='held' points='0 3'/>");
    put(m, "%s", m->safe ? "<Skin name='model'/>" : "<Balls name='model' radius='0.04' self='false'/>");
}

static void put_solid(Maker *m, double x, double y) {
    bool bricks = below(m, 4) == 0;
    put_step(m, "ImplicitEuler");
    put_agent(m);
    if (below(m, 2)) put(m, "<SparseDirect/>");
    put(m, "<Grid counts='2 2 2' low='%g %g -0.1' high='%g %g 0.1'%s/><Points name='matter'/>", x - 0.1, y,
        x + 0.1, y + 0.2, bricks ? "" : " split='true'");
    put(m, "<UniformMass total='0.5'/>");
    put(m, "%s",
        bricks
            ? "<Hexahedra young='8000'/>"
            : PICK(
                  m, "<Tetrahedra young='8000'/>", "<HyperelasticTetrahedra young='8000'/>",
                  "<Tetrahedra young='8000' plastic_yield='0.01' plastic_limit='0.1' plastic_creep='0.3'/>"));
    put(m, "%s",
        m->safe ? "<Skin name='model' self='false'/>" : "<Balls name='model' radius='0.05' self='false'/>");
}

static void put_rigid(Maker *m, double x, double y) {
    const char *solver = PICK(m, "Spook", "SymplecticEuler", "Spook", "none");
    bool free = !strcmp(solver, "none") && !m->loose;
    if (!free) put_step(m, strcmp(solver, "none") ? solver : "SymplecticEuler");
    if (!free) put_agent(m);
    put(m, "<Frames name='matter' positions='%g %g 0 0 0 %g 1' velocities='%g 0 0 0 0 %g'/>", x, y + 0.1,
        below(m, 2) ? 0.2 : 0.0, between(m, -1, 1), between(m, -1, 1));
    put(m, "<UniformMass mass='0.5' box='0.15 0.15 0.2'/>");
    if (m->safe)
        put(m, "<node name='s'><Box low='-0.07 -0.07 -0.1' high='0.07 0.07 0.1'/><Points/><RigidMap/>"
               "<Skin name='model'/></node>");
    else
        put(m, "<Shape name='model' %s/>",
            PICK(m, "size='0.14 0.14 0.2'", "shape='sphere' radius='0.08'",
                 "shape='capsule' radius='0.05' size='0 0.1 0'"));
    m->rigid[m->rigid_count++] = m->bodies;
}

static void put_wire(Maker *m, double x, double y) {
    put_step(m, "Spook");
    put(m,
        "<node name='box'><Frames name='matter' positions='%g %g 0 0 0 0 1'/><UniformMass mass='0.3' "
        "box='0.1 0.1 0.1'/>",
        x, y + 0.05);
    put(m, "%s</node>",
        m->safe ? "<node name='s'><Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05'/><Points/>"
                  "<RigidMap/><Skin name='model'/></node>"
                : "<Shape name='model' size='0.1 0.1 0.1'/>");
    put(m,
        "<node name='wire'><Line divisions='%s' from='%g %g 0' to='%g %g 0'/><Points/><Wire mass='0.05' "
        "end='@../box/matter'/><FixedPoints points='0'/></node>",
        PICK(m, "4", "8", "16"), x, y + 0.6, x, y + 0.1);
}

static void put_balls(Maker *m, double x, double y) {
    if (m->loose || below(m, 2)) put_step(m, "SymplecticEuler");
    put(m, "<Points name='matter' positions='%g %g 0 %g %g 0.01 %g %g 0'/><UniformMass mass='0.02'/>", x, y,
        x + 0.07, y, x + 0.03, y + 0.07);
    put(m, "%s",
        PICK(m, "<Springs pairs='0 1 1 2' stiffness='20'/>",
             "<Liaisons fit='lennard-jones' depth='0.002' distance='0.075' exponent='4' viscosity='0.05'/>",
             "<ConditionalLinks pairs='0 1 1 2' states='whole broken' stiffness='20 0' damping='0 0' "
             "rest='0.07 "
             "0' transitions='whole to broken when time above 0.05'/>",
             "<ConstantForce force='0.01 0 0'/>"));
    put(m, "<Balls name='model' radius='0.03'/>");
}

static const char *add_file(Maker *m, const char *extension, const char *format, ...) {
    SideFile *file = &m->files[m->file_count];
    snprintf(file->name, sizeof file->name, "f%zu.%s", m->file_count++, extension);
    va_list args;
    va_start(args, format);
    int length = vsnprintf(file->text, sizeof file->text, format, args);
    va_end(args);
    if (length >= (int)sizeof file->text) abort();
    return file->name;
}

// A CORDIS-ANIMA model. Its balls are placed by lot: so they touch nothing in safe worlds, where they might start inside
// something.
static void put_model_file(Maker *m, double x, double y) {
    const char *name =
        add_file(m, "ca",
                 "RATE %s\nGRAVITY 9.81\nDEFMASS m .02\nDEFLJ f .02 .05 4\nVISCFI f %g\n"
                 "DEFMOB balls %zu m AGGLO f\nPOSITAROUND balls (%g,%g,0) [.07,.05,.07]\n"
                 "RADIUS balls .022\n",
                 PICK(m, "1000", "2000", "400"), between(m, 0, 0.2), 2 + below(m, 8), x, y + 0.1);
    put(m, "<include file='%s' name='model'/>", name);
    if (!m->safe) put(m, "<Balls name='touch' matter='@model/balls/balls' radius='0.022' self='false'/>");
}

// A SOFA scene.
static void put_sofa_file(Maker *m, double x, double y) {
    const char *name = add_file(
        m, "scn",
        "<?xml version='1.0'?><Node name='root' gravity='0 -9.81 0' dt='%s'><Node name='slab'>"
        "<EulerImplicitSolver rayleighStiffness='0.01' rayleighMass='0.1'/><CGLinearSolver iterations='50' "
        "tolerance='1e-9' threshold='1e-9'/><RegularGridTopology nx='3' ny='2' nz='3' xmin='%g' xmax='%g' "
        "ymin='%g' ymax='%g' zmin='-0.1' zmax='0.1'/><MechanicalObject name='state'/><UniformMass "
        "totalMass='0.3'/><HexahedronFEMForceField youngModulus='%g' poissonRatio='0.3' method='large'/>"
        "</Node></Node>",
        PICK(m, "0.005", "0.0025"), x - 0.1, x + 0.1, y, y + 0.1, between(m, 2000, 9000));
    put(m, "<include file='%s' name='sofa'/>", name);
    put(m,
        m->safe ? "<node name='touch'><Grid counts='3 2 3' low='%g %g -0.1' high='%g %g 0.1'/><Skin "
                  "matter='@../sofa/slab/state' self='false'/></node>"
                : "<Balls name='touch' matter='@sofa/slab/state' radius='0.05' self='false'/>",
        x - 0.1, y, x + 0.1, y + 0.1);
}

// The scene of a class, in a node: what it says of contact is left out, as the world has its own, and links from the root
// lead to the node.
static void put_guest(Maker *m, size_t number, const char *text) {
    const char *at = strchr(text, '>') + 1, *end = strstr(text, "</tactus>");
    put(m, "<node name='g%zu'>", number);
    while (at < end) {
        if (!strncmp(at, "<Contact ", 9)) {
            at = strstr(at, "/>") + 2;
        } else if (!strncmp(at, "file='", 6)) {
            put(m, "file='%s'", add_file(m, "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 4 3\n"));
            at = strchr(at + 6, '\'') + 1;
        } else if (!strncmp(at, "@/", 2)) {
            put(m, "@/g%zu/", number);
            at += 2;
        } else {
            put(m, "%c", *at++);
        }
    }
    put(m, "</node>");
}

static void put_guests(Maker *m) {
    size_t wanted = below(m, MOST_GUESTS + 1), touching = 0;
    for (size_t i = 0; i < wanted; i++) {
        const Example *guest = &examples[below(m, EXAMPLES)];
        if (strstr(guest->text, "file='") && m->file_count) continue;
        if (strstr(guest->text, "<Skin") || strstr(guest->text, "<Shape") || strstr(guest->text, "<Balls")) {
            if (touching++) continue; // they would stand in each other
            m->lift = 6;
        }
        put_guest(m, i, guest->text);
    }
}

static void put_floor(Maker *m) {
    char moves[100] = "<FixedPoints box='-9 -9 -9 9 9 9'/>";
    if (below(m, 4) == 0)
        snprintf(moves, sizeof moves, "<ScriptedMotion times='0.05 0.1' offsets='0 0 0 %g 0.01 0'/>",
                 between(m, -0.02, 0.02));
    if (m->safe)
        put(m,
            "<node name='floor'><Sheet divisions='1' width='6' depth='4' translation='0 %g "
            "0'/><Points/>%s<Skin name='model'/></node>",
            m->lift, moves);
    else
        put(m,
            "<node name='floor'><Frames positions='0 %g 0 0 0 0 1'/>%s<Shape name='model' size='6 0.2 "
            "4'/></node>",
            m->lift - 0.1, moves);
}

// Joints between agents, that open and close.
static void put_links(Maker *m) {
    for (size_t i = 0; i + 1 < m->rigid_count; i++) {
        size_t a = m->rigid[i], b = m->rigid[i + 1];
        bool spook = !strcmp(m->solver_of[a], "Spook") || !strcmp(m->solver_of[b], "Spook");
        if (!spook || below(m, 3) == 0) continue;
        put(m, "<%s name='link%zu' matter='@b%zu/matter' other='@b%zu/matter' open='%s'/>",
            PICK(m, "BallJoint", "LockJoint", "BallJoint"), i, a, b, below(m, 2) ? "true" : "false");
        put(m, "<Trigger when='time' value='%g' then='close' what='@link%zu' times='2'/>", between(m, 0, 0.1),
            i);
        put(m, "<Trigger when='time' value='%g' then='open' what='@link%zu' times='2'/>", between(m, 0, 0.15),
            i);
    }
}

// A law between two agents: by halves under the loose scheduler, on a clock of its own otherwise.
static void put_laws(Maker *m) {
    if (m->bodies < 2 || below(m, 3)) return;
    size_t a = below(m, m->bodies - 1), b = a + 1;
    if (!m->points[a] || !m->points[b]) return;
    put(m, "<Springs pairs='0 1' matter='@b%zu/matter' other='@b%zu/matter' stiffness='%g' damping='0.01'/>",
        a, b, between(m, 1, 20));
}

// What is watched, and what is done about it.
static void put_triggers(Maker *m) {
    if (below(m, 2)) return;
    put(m, "<ContactProbe name='push' model='@floor/model'/>");
    put(m, "<Trigger name='pushed' when='above' probe='@push' value='%g' then='snapshot' times='3'/>",
        between(m, 0, 5));
    for (size_t i = 0; i < m->bodies; i++) {
        if (m->held[i])
            put(m, "<Trigger when='time' value='%g' then='release' what='@b%zu/held'/>", between(m, 0, 0.15),
                i);
        if (!strcmp(m->solver_of[i], "ImplicitEuler"))
            put(m,
                "<Trigger when='%s' value='0.05' model='@floor/model' then='set' what='@b%zu/solver' "
                "attribute='damping_mass' to='%g' delay='0.01'/>",
                PICK(m, "contact", "time", "parted"), i, between(m, 0, 30));
        if (m->rests[i] && (m->safe || m->loose))
            put(m, "<Trigger when='%s' agent='@b%zu/solver' then='snapshot'/>", PICK(m, "sleep", "wake"), i);
    }
}

static void make_scene(Maker *m) {
    m->loose = below(m, 5) < 2;
    m->safe = !m->loose && below(m, 3) > 0;
    put(m, "<tactus version='1' dt='%s'%s>", PICK(m, "0.01", "0.005"), m->loose ? " scheduler='loose'" : "");
    put(m, "<Contact method='%s' thickness='0.006' friction='%s' restitution='%s'/>",
        m->safe ? "safe" : "loose", PICK(m, "0", "0.4"), PICK(m, "0", "0.5"));
    put_guests(m);
    put_floor(m);
    size_t wanted = 1 + below(m, MOST_BODIES);
    for (; m->bodies < wanted; m->bodies++) {
        double x = -1.2 + 0.6 * (double)m->bodies, y = m->lift + between(m, 0.02, 0.15);
        static void (*const makers[])(Maker *, double, double) = {
            put_cloth, put_solid, put_rigid, put_rigid, put_wire, put_balls, put_model_file, put_sofa_file};
        put(m, "<node name='b%zu'>", m->bodies);
        size_t kind = below(m, sizeof makers / sizeof makers[0]);
        makers[kind](m, x, y);
        m->points[m->bodies] =
            makers[kind] == put_cloth || makers[kind] == put_solid || makers[kind] == put_balls;
        put(m, "</node>");
    }
    put_links(m);
    put_laws(m);
    put_triggers(m);
    put(m, "<Record fps='100'/></tactus>");
}

#endif
