// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A line over contact nodes: what a massless Cable is wholly, and a Wire with mass where it touches things ("Massless
// cable for real-time simulation", Servin and Lacoursiere 2007; "Adaptive resolution in physics based virtual
// environments", section 3.3).
//
//     node     a place on a body where the line bends: a wheel (cylinder, ball, drum), a ring, or an edge of a body's
//              mesh. It has no mass: what the line does to it, it does to the body.
//     run      the line from one place with mass (or the end of it) to the next, with the nodes between. A Cable is one
//              run, a Wire has one for each pair of neighbouring masses.
//     material the line's own coordinate, metres at rest from its start. Places have fixed ones. A node has two, where
//              the line comes to it and where it leaves; between lies what is wound on it (on rings and edges nothing).
//
// Material tells everything: a span's rest length is the difference of what bounds it, so nothing is ever lost; what a
// wheel winds or pays out, and what slides over a node, changes the material of that node alone.
//
// Rows of a run. Let g_k be how much longer span k is than its rest length, T_k its tension.
//
//     the whole run     g = sum of all g_k          force: the tension of the first span, pulling only
//     node j            g = sum of g_k behind it    force: T behind it less T before it, by friction
//
// Without friction a node's row has no force, and the tension is the same on both sides. With it the line sticks: the
// row holds, and a wheel turns with the line. It slides when one tension exceeds the other by more than the factor
// e^(mu D), D the angle by which the line turns there; the product over nodes is the same however many share a turn.
// That is a bound on the row's force, from the tensions of the last step. A line that slid has shifted material from one
// side of the node to the other: as much as brings the row's g to zero.
//
// Nodes on edges come and go (rule numbers as in the code):
//   1. A straight piece that meets an edge on its way from where it was at the last step gets a node there, by solving for
//      the moment (cable_edges.h). The two pieces then go on from that moment.
//   2. Then nodes move along their edges to where the way is shortest, as far as friction across the line allows; or, with
//      `sliding`, that part of the way at each step. What that sweeps meets edges as in 1.
//   3. A node whose line pulls it outward, or that has come to the end of its edge, is let go: the line is drawn straight,
//      and what that sweeps meets edges as in 1. So a line slips over a corner from edge to edge.
//      Where it comes to be wound around the tip of a corner, twice on one edge, it slips off.
//   4. There are nodes for 64 edges. A line that meets more gives up the node at which it turns least: there it passes the
//      edge, by as little as can be.
//   5. A piece that passes a little under an edge gets a node there, too: one of its ends is a mass that has sunk into a face a
//      little before it came past the edge.

#ifndef TACTUS_CONSTRAINT_CABLE_H
#define TACTUS_CONSTRAINT_CABLE_H

#include "constraint/cable_edges.h"
#include "constraint/cable_faces.h"
#include "constraint/cable_path.h"

enum { TAC_CABLE_BODIES = 16 };

// As given in a scene.
typedef struct TacCableWay {
    TacMatter *wheels_of, *bodies_of;
    TacInts wheel_points, body_points;
    TacReals radii, widths, senses, frictions, turns, via;
    TacVec3 axis;
    int shape; // cylinder, sphere
    bool drum[2];
    TacComponent *body_mesh;
    double body_friction, sliding;
} TacCableWay;

// What is kept of a node from step to step: plain numbers, saved and restored.
typedef struct TacCableNode {
    TacCableWound wound;
    double material[2]; // where the line comes to it and leaves it, m
    double tension,
        known; // of the span behind it: of this step, and of the last, from which friction follows
    double slides;
    double body, edge, part; // of a node on an edge
    double place[2][3];      // in the world, where the line comes and leaves, at the last step
    double flux[3];          // N s: momentum of material that passed, still to be given to the body
    double owner;            // slot of its run, at this step
} TacCableNode;

typedef struct TacCableState {
    TacCableNode nodes[TAC_CABLE_NODES];
    double order[TAC_CABLE_NODES]; // nodes on which the line lies, from start to end
    double count;
    double pose[TAC_CABLE_BODIES][7]; // at the last step
    double lost;                      // meetings for which there was no node left
} TacCableState;

typedef struct TacCable {
    TacCableWay way;
    double stretch, damping; // EA, 0: none; s, NaN: the solver's choice
    double length;           // of all material: 0 to length
    double store[2];         // on drums at the start, m
    TacCableWheel wheels[TAC_CABLE_NODES];
    size_t wheel_count, body_count;
    TacAttachment bodies[TAC_CABLE_BODIES];
    TacCableEdges edges;
    TacCableFaces faces;
    TacCableState *state;
    // rows
    size_t first_slot;                                  // of the nodes', then two knots, then fluxes
    double low[TAC_CABLE_NODES], high[TAC_CABLE_NODES]; // of friction, at this step
    double now[TAC_CABLE_NODES][2][3];                  // places where the line comes and leaves
    int events;                                         // left for this step
} TacCable;

// From one place to the next. At a drum there is no place.
typedef struct TacCableRun {
    TacAttachment end[2];
    TacVec3 was[2]; // where they were at the last step
    double material[2];
    size_t first, last;      // nodes of the order
    size_t slot;             // of the whole run's row
    double *tension, *known; // of the span at its start
    bool is_end[2];          // whether the line ends there
    const TacAttachment
        *tied[2]; // what such an end is tied to, where it has a mass of its own; NULL: nothing
} TacCableRun;

// Finds wheels, bodies and edges as given.
TacStatus tac_cable_find(TacCable *cable, TacSetup *setup, TacError *error);

// Lays the line from one place to the other over its nodes (over the places of `via`, pulled straight); `length` is that of
// the line without what drums have in store, NaN: as it lies. Fills in the run's nodes and material.
TacStatus tac_cable_lay(TacCable *cable, TacCableRun *run, double length, TacSetup *setup, TacError *error);

// Whether it has anything to lie on.
bool tac_cable_has_nodes(const TacCable *cable);

// At the beginning of a step, all runs of the line in their order: what wheels have wound since, what is let go, what is
// met.
void tac_cable_follow(TacCable *cable, TacCableRun *runs, size_t count);

// The rows of a run, and the forces that were found for them.
void tac_cable_add(TacCable *cable, const TacCableRun *run, TacRows *rows);
void tac_cable_take(TacCable *cable, const TacCableRun *run, const double *forces);
TacJointSize tac_cable_size(const TacCable *cable);

// A place with mass in the middle of a run is gone, from now on: it was here, at this material. The line is drawn straight, and
// what that sweeps meets edges.
void tac_cable_lose(TacCable *cable, TacCableRun *runs, size_t count, size_t run, double material,
                    TacVec3 place);

// A mass of the line, or what one of its ends is tied to, that was at `was` at the last step and will have the velocity v: on which
// face of which body it lies; never on its own. Before tac_cable_follow. Then the rows that keep it there, up to
// TAC_CABLE_LYING of them.
void tac_cable_lie(const TacCable *cable, const TacContext *context, const TacAttachment *mass, TacVec3 was,
                   TacVec3 v, TacCableLying *lying);
void tac_cable_add_lying(const TacCable *cable, const TacAttachment *mass, const TacCableLying *lying,
                         TacRows *rows, size_t slot);

// Rows that keep masses and pieces of the line out of wheels where no node does (cable_wheels.c), for a line of that many
// points, whose masses have this gravity.
TacJointSize tac_cable_outside_size(const TacCable *cable, size_t points);
void tac_cable_keep_outside(const TacCable *cable, const TacContext *context, TacVec3 gravity,
                            const TacCableRun *runs, size_t count, TacRows *rows, size_t slot, size_t points);

// Whether a straight line between two masses would stay out of wheels, but for those (by their number) that it has a node on.
bool tac_cable_clears_wheels(const TacCable *cable, const TacAttachment *a, const TacAttachment *b,
                             const bool *except);

// Where a mass belongs that is deeper than the face that it lies on, or has sunk a little below one: on the face.
TacVec3 tac_cable_put_out(const TacCable *cable, const TacCableLying *lying, TacVec3 x);

// Momentum of material that has passed nodes (flux), as rows.
void tac_cable_add_flux(TacCable *cable, const TacContext *context, TacRows *rows);

// After the step, once: finds nodes on edges where they are (the world may have been restored since); then, for each run with
// nodes, what slides.
void tac_cable_place_edges(TacCable *cable);
void tac_cable_slide(TacCable *cable, const TacCableRun *run);

// The run's way as it is now; g of each span where `g` is not NULL.
void tac_cable_path(const TacCable *cable, const TacCableRun *run, TacCablePath *path, double *g);
double tac_cable_span(const TacCablePath *path, size_t k);

// Where material is.
TacVec3 tac_cable_place(const TacCable *cable, const TacCableRun *run, const TacCablePath *path,
                        double material);
// How fast it moves there, as far as stops and the ends of the run tell.
TacVec3 tac_cable_velocity(const TacCable *cable, const TacCableRun *run, const TacCablePath *path,
                           double material);

// For those who look: where it comes to its nodes, and where it leaves wheels. Up to `most` are written; returns how many
// there are.
size_t tac_cable_marks(const TacCable *cable, TacNodeMark *marks, size_t most);

// Whether restored state can be that of this line.
bool tac_cable_is_sound(const TacCable *cable);

static inline TacCableNode *tac_cable_node(const TacCable *cable, size_t place) {
    return &cable->state->nodes[(size_t)cable->state->order[place]];
}

static inline size_t tac_cable_count(const TacCable *cable) {
    return (size_t)cable->state->count;
}

#define TAC_CABLE_WAY_ATTRIBUTES(Type, way)                                                                  \
    {.name = "wheels",                                                                                       \
     .type = TAC_LINK,                                                                                       \
     .offset = offsetof(Type, way.wheels_of),                                                                \
     .unit = "",                                                                                             \
     .initial = "",                                                                                          \
     .doc = "The Frames that are wheels.",                                                                   \
     .accepts = "matter"},                                                                                   \
        {.name = "wheel_points",                                                                             \
         .type = TAC_INTS,                                                                                   \
         .offset = offsetof(Type, way.wheel_points),                                                         \
         .unit = "1",                                                                                        \
         .initial = "",                                                                                      \
         .doc = "Which of them it goes over, from its start to its end.",                                    \
         .range = TAC_NOT_NEGATIVE},                                                                         \
        {.name = "radii",                                                                                    \
         .type = TAC_REALS,                                                                                  \
         .offset = offsetof(Type, way.radii),                                                                \
         .unit = "m",                                                                                        \
         .initial = "",                                                                                      \
         .doc = "Of the wheels: one for all, or one for each. 0, the default, is a ring through which it "   \
                "slides.",                                                                                   \
         .range = TAC_NOT_NEGATIVE},                                                                         \
        {.name = "widths",                                                                                   \
         .type = TAC_REALS,                                                                                  \
         .offset = offsetof(Type, way.widths),                                                               \
         .unit = "m",                                                                                        \
         .initial = "",                                                                                      \
         .doc = "Of cylinders, along their axis: one for all, or one for each; by default their radius. "    \
                "What lies slack beside a wheel stays out of it.",                                           \
         .range = TAC_POSITIVE},                                                                             \
        {.name = "axis",                                                                                     \
         .type = TAC_VECTOR,                                                                                 \
         .offset = offsetof(Type, way.axis),                                                                 \
         .unit = "1",                                                                                        \
         .initial = "0 0 1",                                                                                 \
         .doc = "Of the wheels, in their frames."},                                                          \
        {.name = "senses",                                                                                   \
         .type = TAC_REALS,                                                                                  \
         .offset = offsetof(Type, way.senses),                                                               \
         .unit = "1",                                                                                        \
         .initial = "1",                                                                                     \
         .doc = "How it turns about the axis of each wheel: 1 anticlockwise, -1 clockwise."},                \
        {.name = "shape",                                                                                    \
         .type = TAC_CHOICE,                                                                                 \
         .offset = offsetof(Type, way.shape),                                                                \
         .unit = "",                                                                                         \
         .initial = "cylinder",                                                                              \
         .doc = "Of the wheels. On a sphere the axis follows the line; at the start it is the nearest one "  \
                "to axis.",                                                                                  \
         .accepts = "cylinder|sphere"},                                                                      \
        {.name = "friction",                                                                                 \
         .type = TAC_REALS,                                                                                  \
         .offset = offsetof(Type, way.frictions),                                                            \
         .unit = "1",                                                                                        \
         .initial = "0",                                                                                     \
         .doc = "Coulomb's coefficient on the wheels; tensions can differ by the factor e^(friction arc).",  \
         .range = TAC_NOT_NEGATIVE},                                                                         \
        {.name = "turns",                                                                                    \
         .type = TAC_REALS,                                                                                  \
         .offset = offsetof(Type, way.turns),                                                                \
         .unit = "1",                                                                                        \
         .initial = "0",                                                                                     \
         .doc = "Whole turns that are wound on each wheel at the start: what a drum has in store.",          \
         .range = TAC_NOT_NEGATIVE},                                                                         \
        {.name = "start_drum",                                                                               \
         .type = TAC_BOOL,                                                                                   \
         .offset = offsetof(Type, way.drum[0]),                                                              \
         .unit = "",                                                                                         \
         .initial = "false",                                                                                 \
         .doc = "Whether the first wheel is a drum on which it begins."},                                    \
        {.name = "end_drum",                                                                                 \
         .type = TAC_BOOL,                                                                                   \
         .offset = offsetof(Type, way.drum[1]),                                                              \
         .unit = "",                                                                                         \
         .initial = "false",                                                                                 \
         .doc = "Whether the last wheel is a drum on which it ends."},                                       \
        {.name = "bodies",                                                                                   \
         .type = TAC_LINK,                                                                                   \
         .offset = offsetof(Type, way.bodies_of),                                                            \
         .unit = "",                                                                                         \
         .initial = "",                                                                                      \
         .doc = "The Frames of bodies over whose edges it bends.",                                           \
         .accepts = "matter"},                                                                               \
        {.name = "body_points",                                                                              \
         .type = TAC_INTS,                                                                                   \
         .offset = offsetof(Type, way.body_points),                                                          \
         .unit = "1",                                                                                        \
         .initial = "0",                                                                                     \
         .doc = "Which of them.",                                                                            \
         .range = TAC_NOT_NEGATIVE},                                                                         \
        {.name = "body_mesh",                                                                                \
         .type = TAC_LINK,                                                                                   \
         .offset = offsetof(Type, way.body_mesh),                                                            \
         .unit = "",                                                                                         \
         .initial = "",                                                                                      \
         .doc = "The shape of these bodies, in the axes of their frames: a Box, or any mesh with faces.",    \
         .accepts = "topology"},                                                                             \
        {.name = "body_friction",                                                                            \
         .type = TAC_REAL,                                                                                   \
         .offset = offsetof(Type, way.body_friction),                                                        \
         .unit = "1",                                                                                        \
         .initial = "0",                                                                                     \
         .doc = "Coulomb's coefficient on their edges, along the line and across it.",                       \
         .range = TAC_NOT_NEGATIVE},                                                                         \
        {.name = "sliding",                                                                                  \
         .type = TAC_REAL,                                                                                   \
         .offset = offsetof(Type, way.sliding),                                                              \
         .unit = "1",                                                                                        \
         .initial = "",                                                                                      \
         .doc = "The document's sliding factor instead of friction across the line: the part of the way to " \
                "the shortest line that nodes on edges move at each step; 0 holds them, 1 lets them go.",    \
         .range = TAC_FRACTION},                                                                             \
    {                                                                                                        \
        .name = "via", .type = TAC_REALS, .offset = offsetof(Type, way.via), .unit = "m", .initial = "",     \
        .doc = "Places in the world over which it is led at the start, behind its wheels, and from which "   \
               "it is then pulled "                                                                          \
               "straight: on which side of bodies it lies."                                                  \
    }

#endif
