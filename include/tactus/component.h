// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What a component is, for those who write one: a law, a map, a mass or a constraint of their own.
//
// A component is a struct that begins with the head of its kind (TacLaw, TacMap, ...), and a TacClass: one
// constant table that says everything about it. The loader, the schema, `tactus components` and the reference
// pages are all made from that table. A component's life:
//
//     attributes are written into the struct at their offsets      (from the scene; defaults where not given)
//     init(self, setup, error)                                     (once: look up matter and mesh,
//     precompute) operations                                                   (while time runs: no
//     allocation, no strings) finish(self)                                                 (once, where there
//     is something to close)
//
// Whatever changes while time runs and cannot be computed again from positions and velocities is declared as
// state by tac_setup_state in init; saving and restoring a world then needs nothing more.
//
// Operations add their result to what is there ("+="), may be called on any vectors of the right size, and
// must give the same bits for the same input. docs/writing-a-law.md walks through an example.

#ifndef TACTUS_COMPONENT_H
#define TACTUS_COMPONENT_H

#include "tactus/geometry.h"
#include "tactus/record.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rises when the layout of this header changes; a plugin made for another one is refused.
#define TAC_COMPONENT_ABI 9

typedef struct TacClass TacClass;
typedef struct TacSetup TacSetup;
typedef struct TacTeam TacTeam;

typedef enum TacComponentKind {
    TAC_KIND_TOPOLOGY,      // a mesh: read, generated or given
    TAC_KIND_MATTER,        // points or frames
    TAC_KIND_MASS,          // what the matter of its node weighs
    TAC_KIND_LAW,           // forces from positions
    TAC_KIND_CONSTRAINT,    // points that do not move freely
    TAC_KIND_SOLVER,        // makes its sub-tree an agent
    TAC_KIND_LINEAR_SOLVER, // helps an implicit solver
    TAC_KIND_MAP,           // matter that follows other matter
    TAC_KIND_JOINT,         // ties matter together, for solvers that keep to ties (Spook)
    TAC_KIND_COLLISION,     // the shape with which matter touches other things
    TAC_KIND_PROBE,         // a number watched over time
    TAC_KIND_SETTING,       // gravity, looks, camera, what to record
    TAC_KIND_COUNT
} TacComponentKind;

TAC_API const char *tac_component_kind_name(TacComponentKind kind); // "topology", "matter", ...

// --- attributes -------------------------------------------------------------------------------------------

// The type of an attribute, and of the field in the component's struct that receives it.
typedef enum TacType {
    TAC_BOOL,   // bool
    TAC_INT,    // int64_t
    TAC_REAL,   // double; NaN where the default is "" and nothing is given
    TAC_VECTOR, // TacVec3
    TAC_TEXT,   // const char *, never NULL
    TAC_CHOICE, // int: the position in `accepts`, "polar|qr|svd"
    TAC_PATH,   // const char *: a file, already resolved against the folder of the scene file it stands in
    TAC_REALS,  // TacReals
    TAC_INTS,   // TacInts; "3-7" and "0-10-2" are ranges
    TAC_LINK,   // TacComponent *: another component of the kind named in `accepts`; NULL where not given
} TacType;

typedef enum TacRange {
    TAC_ANY,
    TAC_POSITIVE,     // > 0
    TAC_NOT_NEGATIVE, // >= 0
    TAC_FRACTION,     // 0..1
} TacRange;

enum {
    TAC_OUTPUT = 1, // made by init; scenes can link to it but not set it (TAC_REAL, TAC_REALS, TAC_INTS)
    TAC_LIVE = 2,   // may be changed while time runs
};

typedef struct TacAttribute {
    const char *name;
    TacType type;
    size_t offset;       // of the field in the component's struct
    const char *unit;    // "N/m"; "1" for a pure number; "" where a unit makes no sense
    const char *initial; // the default as a scene would write it; NULL: must be given
    const char *doc;     // one sentence
    const char *accepts; // choices, or the kind that a link leads to
    TacRange range;      // of numbers, each one in a list
    unsigned flags;
} TacAttribute;

// --- heads ------------------------------------------------------------------------------------------------

// The head of every component. Filled before init; read only.
typedef struct TacComponent {
    const TacClass *cls;
    const char *name; // unique in its node
    const char *path; // "/node/child/name"
    const char *file; // where it stands in the scene; NULL when made through the API
    int line, column;
    uint32_t index; // in the world
} TacComponent;

// Names of the vectors that matter holds. A solver speaks of "TAC_F" and means the forces of all its matter.
typedef enum TacVector {
    TAC_X,       // positions
    TAC_V,       // velocities
    TAC_F,       // forces
    TAC_DV,      // kick of this instant: what will be added to velocities
    TAC_X_REST,  // positions at rest
    TAC_X_SHOWN, // positions and velocities as seen now by whoever looks
    TAC_V_SHOWN,
    TAC_PART,   // kick that is delivered in equal parts
    TAC_AHEAD,  // what the last part has given for the time after its step
    TAC_X_NEXT, // where a solver that moves matter itself has it arrive, and how fast
    TAC_V_NEXT,
    TAC_A, // what follows is scratch for solvers
    TAC_B,
    TAC_P,
    TAC_Q,
    TAC_R,
    TAC_S,
    TAC_T,
    TAC_U,
    TAC_VECTOR_COUNT
} TacVector;

// Principal moments of inertia (kg m^2) and the rotation from principal axes to body axes.
typedef struct TacInertia {
    double moments[3];
    TacQuat axes;
} TacInertia;

// What constraints may own of a point: all of it, or its motion along single axes.
enum { TAC_HELD_WHOLLY = 1, TAC_HELD_X = 2, TAC_HELD_Y = 4, TAC_HELD_Z = 8, TAC_HELD_ALL = 15 };

// Points or frames, stored flat. Laws and maps read the public part through the vectors they are handed.
// A point on the straight line between two others of its matter: `t` of the way from `a` to `b`. One that is carried by
// nobody is its own `a` and `b`.
typedef struct TacCarriedPoint {
    uint32_t a, b;
    double t;
} TacCarriedPoint;

typedef struct TacMatter {
    TacComponent base;
    TacMatterKind kind;
    int position_size, velocity_size; // numbers per point
    size_t count;
    double *vectors[TAC_VECTOR_COUNT];
    int64_t arrival;       // tick at which TAC_X_NEXT and TAC_V_NEXT hold; -1: the matter flies freely
    int64_t time;          // tick at which TAC_X and TAC_V hold
    int64_t *times;        // the same per point, where each has its own (safe contact); NULL: all at `time`
    bool mapped;           // follows other matter
    uint8_t *held;         // per point: TAC_HELD_... bits of what constraints own; NULL when they own nothing
    const uint8_t *pinned; // per point: 1 where a pin holds it, so that it does not fall; NULL: nowhere
    TacInertia *inertia;   // per frame, where rotation is not the same about all axes; NULL otherwise
    TacVec3 flight_gravity; // m/s^2, of free flight; zero where a solver adds gravity
    // 0..1: how much somebody attends to it (has selected it, touches it, looks at it). Set by the world before agents
    // change their resolution; 0 where nobody does
    double focus;
    bool idle; // another model stands for it (Levels): it is carried along, feels nothing and weighs nothing
    // Per point, where some are carried by others (wires) and each point has its own time; NULL otherwise. What is carried is
    // put where it belongs whenever matter arrives or is shown.
    const TacCarriedPoint *carried;
} TacMatter;

typedef struct TacTopology {
    TacComponent base;
    TacMesh mesh;
} TacTopology;

typedef struct TacLaw {
    TacComponent base;
    TacMatter *matter[2]; // the second one only in laws between two matters; may be equal to the first
    double period;        // s; 0: the beat. Only for laws that no solver owns
    bool watches; // set by init: it only looks at the second matter (its positions, in force) and never
                  // pushes it, so it may belong to the solver of the first alone
    bool
        inner; // set by init: it acts within its matter alone, so that its forces together never push or turn
               // it; whatever part of that an implicit solver loses is then made up for (safe contact)
    bool
        lopsided; // with inner: all the same its forces leave a torque, by how they are found; that, too, is made
                  // up for. Finding them twice at one instant must do no harm
} TacLaw;

typedef struct TacMap {
    TacComponent base;
    TacMatter *parent, *child;
    bool
        shown_only; // set by init: its child is there to be looked at; no law may act on it, and while time runs
                    // it is not followed
    bool
        faithful; // set by init: forces on its child push and turn its parent as they would push and turn the child
} TacMap;

typedef struct TacMass {
    TacComponent base;
    TacMatter *matter;
    TacVec3 gravity; // m/s^2, that holds in its node; filled before init
} TacMass;

typedef struct TacConstraint {
    TacComponent base;
    TacMatter *matter;
    bool released; // holds no longer; only where the class has a `release`
    bool as_one;   // set by init: whatever it makes its points do, flat parts of them stay flat, all the time
} TacConstraint;

typedef struct TacJoint {
    TacComponent base;
    TacMatter *matter[2]; // the second one may be NULL: the world, which does not move
    bool open;            // holds nothing for the time being
} TacJoint;

// --- operations -------------------------------------------------------------------------------------------

typedef struct TacContext {
    double time;   // s, of the instant
    double step;   // s, that the kick is for
    TacTeam *team; // threads; NULL for one
} TacContext;

// The vectors of the law's first and second matter.
typedef struct TacLawVectors {
    const double *x[2]; // positions
    const double *v[2]; // velocities; in force_change: the change of positions
    double *f[2];       // receives forces, or changes of force
} TacLawVectors;

// Where laws put their stiffness, and masses themselves, for solvers that want a matrix.
typedef struct TacMatrix TacMatrix;

// Adds a block, row-major, of the size of one point's velocity on each side: how the force on point i of the
// law's matter `a` (0 or 1) changes with point j of its matter `b`. Both (i, j) and (j, i) must be given. In
// masses both matters are 0, in maps 0 is the parent. Calls in the same order every time are quickest.
TAC_API void tac_matrix_add(TacMatrix *matrix, int a, size_t i, int b, size_t j, const double *block);

enum { TAC_PART_POINTS = 8 }; // most points that a part of a law kicks

// One part of a law: a spring, an element, a hinge.
typedef struct TacPart {
    size_t points[TAC_PART_POINTS]; // of the law's matter: its stencil
    size_t count;
    double stiffness; // N/m: largest eigenvalue of its stiffness, 0 where it has none
    double damping;   // N s/m: the same of its damping
} TacPart;

// Sums over the links of every point, by matter of the law.
typedef struct TacSteepness {
    double *k[2];            // N/m: receives the steepest slope of the force over the distance
    double *z[2];            // N s/m: and over the speed
    const uint8_t *moves[2]; // whether a point can move
} TacSteepness;
// Blocks that elements write together: block k is the sum over the pairs pair[start[k]] .. pair[start[k + 1] - 1] of
// corners. Corners a and b of element e are the pair (c e + a) c + b with c corners to an element. The sum is added to
// the nine numbers at values + 9 where[k], and its transpose to those at values + 9 across[k], unless that is the same
// place; `fresh`: nothing is there yet, so it is stored. `scratch` has room for the numbers of each element that the law
// asked for; it begins at a whole line of 64 bytes.
typedef struct TacMatrixBlocks {
    size_t count;
    const uint32_t *start, *pair, *where, *across;
    double *values, *scratch;
    bool fresh;
} TacMatrixBlocks;

// For symmetric laws of one matter of points whose elements never change (TacLawOps.by_blocks): the quick way, that
// several threads can go, each with some of the blocks. `nodes` has the corners of all elements and must stay. With no
// blocks there is nothing to be done. False: not here, use tac_matrix_add.
TAC_API bool tac_matrix_elements(TacMatrix *matrix, const int32_t *nodes, size_t corners, size_t count,
                                 size_t scratch, TacMatrixBlocks *blocks);

typedef struct TacLawOps {
    // f += F(x, v)
    void (*force)(void *self, const TacContext *context, const TacLawVectors *vectors);
    // f += (k K + b B) v with K = dF/dx and B = dF/dv at x. May use what the last call of force left behind,
    // which was at the same x. NULL: the law is treated explicitly by implicit solvers.
    void (*force_change)(void *self, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b);
    // The potential energy, J. NULL: none.
    double (*energy)(void *self, const TacContext *context, const TacLawVectors *vectors);
    // The same k K + b B as blocks of a matrix, at x. NULL: the law cannot be assembled.
    void (*stiffness)(void *self, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix);
    // Laws that are made of parts, for worlds in which each part keeps its own clock. Without `subset` they tell what
    // hangs together by them, but have one clock.
    // How many there are; 0: it is one whole.
    size_t (*part_count)(const void *self);
    void (*part)(const void *self, size_t part, TacPart *result);
    // `clone` is a copy of the law's struct; makes it into a law of `count` of the parts alone, with arrays of
    // its own from the setup. Nothing is finished for it.
    TacStatus (*subset)(const void *self, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error);
    // What its subsets do depends on what they did before: even all parts together are a subset. Others are then the law
    // itself.
    bool remembers;

    // How steep it can be: for every link of a point adds its steepest slopes, once where the other end does not
    // move and twice where it does. `tactus check` makes the largest stable step of it. NULL: not known.
    void (*steepest)(void *self, const TacSteepness *sums);
    // stiffness is symmetric and asks for tac_matrix_elements: a matrix of this law is cheap, and a product with
    // it costs less than force_change.
    bool by_blocks;
} TacLawOps;

typedef struct TacMapOps {
    // child = map(parent)
    void (*position)(void *self, const TacContext *context, const double *parent, double *child);
    // child_v = J parent_v; px and cx are positions on both sides
    void (*velocity)(void *self, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v);
    // parent_f += J^T child_f
    void (*force)(void *self, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f);
    // parent_df += k (dJ^T/dx . parent_dx) child_f: what turning the map does to a given force. NULL:
    // nothing.
    void (*force_change)(void *self, const TacContext *context, const double *px, const double *cx,
                         const double *child_f, const double *parent_dx, double *parent_df, double k);
    // For matrices: the k-th parent of a child's point, and the block of J between them (row-major, velocity
    // size of the child by that of the parent). False past the last one. NULL: cannot be assembled.
    bool (*jacobian)(void *self, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block);
    // The same as force_change, as blocks on the parent. Needed where there is a force_change.
    void (*stiffness)(void *self, const TacContext *context, const double *px, const double *cx,
                      const double *child_f, double k, TacMatrix *matrix);
} TacMapOps;

struct TacJointOps;

typedef struct TacMassOps {
    // out += factor M d
    void (*product)(void *self, const TacContext *context, const double *x, const double *d, double *out,
                    double factor);
    // a = M^-1 f
    void (*divide)(void *self, const TacContext *context, const double *x, const double *f, double *a);
    // f += M g
    void (*weight)(void *self, const TacContext *context, const double *x, double *f);
    // Of the points alone; angular momentum is about the origin. The caller zeroes nothing: values are added.
    void (*momentum)(void *self, const double *x, const double *v, TacVec3 *linear, TacVec3 *angular);
    double (*kinetic)(void *self, const double *x, const double *v);
    double (*height)(void *self, const double *x); // potential energy of weight, J
    // factor M as blocks of a matrix. NULL: cannot be assembled.
    void (*matrix)(void *self, const TacContext *context, const double *x, double factor, TacMatrix *matrix);
    // What it ties besides giving mass, as a wire does. NULL: nothing.
    const struct TacJointOps *joint;
} TacMassOps;

typedef struct TacConstraintOps {
    // Removes what the constraint forbids from a vector of the kind of velocities or forces: the same at all times.
    void (*project)(void *self, const TacContext *context, double *d);
    // Points that move as they are told: writes into dv the change of velocity that brings them from x to
    // where they must be after context->step. Also asked about times to come, before time runs: it changes nothing
    // but dv. NULL: they stay.
    void (*prescribe)(void *self, const TacContext *context, const double *x, const double *v, double *dv);
    // From now on it holds nothing: `released` is set, and what it owned of its matter is free. NULL: it
    // cannot be released.
    void (*release)(void *self);
} TacConstraintOps;

typedef struct TacProbeOps {
    // The value now, from the vectors as shown.
    double (*value)(void *self, const TacContext *context);
} TacProbeOps;

struct TacSolverOps;
struct TacLinearSolverOps;

// --- looking ----------------------------------------------------------------------------------------------

// Numbers that components show at the points of their matter, for whoever colours them. Asked for only while somebody
// looks, at positions TAC_X_SHOWN and velocities TAC_V_SHOWN.
typedef enum TacScalar {
    TAC_SCALAR_TENSION,    // N: the pull of what ends at a point; a push is negative
    TAC_SCALAR_STRESS,     // Pa: von Mises' stress of the elements around a point
    TAC_SCALAR_RESOLUTION, // level: how finely it is divided there
    TAC_SCALARS
} TacScalar;

// Where they go.
typedef struct TacScalarSheet TacScalarSheet;

// One number per point of some matter, 0 so far; from now on that matter has numbers. NULL: nobody wants them.
TAC_API float *tac_scalar_sheet_of(TacScalarSheet *sheet, const TacMatter *matter);

// Of several numbers for one point the one of largest magnitude is shown.
static inline void tac_scalar_raise(float *to, double value) {
    if (fabs(value) > fabs((double)*to)) *to = (float)value;
}

// A place that a component computes with and that is not simply a point of its matter.
typedef enum TacNodeKind {
    TAC_NODE_MASS,    // carries mass: a live mass of a wire
    TAC_NODE_CONTACT, // stands for a contact: where a wire or a cable runs over something
} TacNodeKind;

typedef struct TacNodeMark {
    TacVec3 place;
    TacNodeKind kind;
} TacNodeMark;

// --- classes ----------------------------------------------------------------------------------------------

struct TacClass {
    const char *name; // as scenes write it
    TacComponentKind kind;
    const char *doc; // what it does, in a sentence or two; equations with their source
    size_t size;     // of the struct
    const TacAttribute *attributes;
    size_t attribute_count;
    unsigned kinds; // of matter it works on: bits 1 << TAC_VEC3 ...; 0: all
    TacStatus (*init)(void *self, TacSetup *setup, TacError *error);
    void (*finish)(void *self);
    union { // by kind
        const TacLawOps *law;
        const TacMapOps *map;
        const TacMassOps *mass;
        const TacConstraintOps *constraint;
        const TacProbeOps *probe;
        const struct TacSolverOps *solver;
        const struct TacLinearSolverOps *linear_solver;
        const struct TacJointOps *joint;
    } ops;
    // After state was restored: whether a run can have had it, so that nothing is read beyond an array. A snapshot
    // where one says no is refused as damaged. NULL: whatever the declared numbers are, they do no harm.
    bool (*state_is_sound)(const void *self);
    // Looking (above). Raises the numbers of one kind at the points of its matter; NULL: it has none.
    void (*scalars)(const void *self, TacScalar what, TacScalarSheet *sheet);
    // Writes up to `most` places and returns how many there are; NULL: none.
    size_t (*nodes)(const void *self, TacNodeMark *marks, size_t most);
};

// Attributes that every law, map, mass and constraint has; put them first in a class's table.
#define TAC_LAW_ATTRIBUTES(Type, head)                                                                       \
    {.name = "matter",                                                                                       \
     .type = TAC_LINK,                                                                                       \
     .offset = offsetof(Type, head.matter[0]),                                                               \
     .unit = "",                                                                                             \
     .initial = "",                                                                                          \
     .doc = "The matter it acts on; by default the nearest one, in its node or above.",                      \
     .accepts = "matter"},                                                                                   \
    {                                                                                                        \
        .name = "period", .type = TAC_REAL, .offset = offsetof(Type, head.period), .unit = "s",              \
        .initial = "0",                                                                                      \
        .doc = "Its own clock, where no solver owns it, rounded down to the ruler; 0 is the beat.",          \
        .range = TAC_NOT_NEGATIVE                                                                            \
    }

#define TAC_SECOND_MATTER_ATTRIBUTE(Type, head)                                                              \
    {                                                                                                        \
        .name = "other", .type = TAC_LINK, .offset = offsetof(Type, head.matter[1]), .unit = "",             \
        .initial = "", .doc = "The second matter, of the same kind; by default the first one.",              \
        .accepts = "matter"                                                                                  \
    }

#define TAC_MATTER_ATTRIBUTE(Type, field)                                                                    \
    {                                                                                                        \
        .name = "matter", .type = TAC_LINK, .offset = offsetof(Type, field), .unit = "", .initial = "",      \
        .doc = "The matter it belongs to; by default the nearest one, in its node or above.",                \
        .accepts = "matter"                                                                                  \
    }

#define TAC_MAP_ATTRIBUTES(Type, head)                                                                       \
    {.name = "parent",                                                                                       \
     .type = TAC_LINK,                                                                                       \
     .offset = offsetof(Type, head.parent),                                                                  \
     .unit = "",                                                                                             \
     .initial = "",                                                                                          \
     .doc = "The matter that is followed; by default the nearest one above its node.",                       \
     .accepts = "matter"},                                                                                   \
    {                                                                                                        \
        .name = "child", .type = TAC_LINK, .offset = offsetof(Type, head.child), .unit = "", .initial = "",  \
        .doc = "The matter that follows; by default that of its node.", .accepts = "matter"                  \
    }

// --- setup: what init may ask for -------------------------------------------------------------------------

// Zeroed memory, aligned to 64 bytes, that lives as long as the world. NULL when there is none: return
// tac_fail_memory.
TAC_API void *tac_setup_alloc(TacSetup *setup, size_t count, size_t size);

// The same for what a law keeps of its last force so that it can tell changes of it. `keeps` says whether it does: a law
// sets it when somebody asks, and then finds out again what is kept. It is cleared, and the memory is nobody's, when the
// world has been made; memory counts while it is set. Both must not move.
TAC_API void *tac_setup_alloc_kept(TacSetup *setup, size_t count, size_t size, bool *keeps);

// Counts `bytes` that the component is about to take elsewhere (with malloc) as memory of the world. Fails
// when that is more than the world may have: before they are taken, so that no scene exhausts the machine.
TAC_API TacStatus tac_setup_hold(TacSetup *setup, double bytes, TacError *error);

// Declares `bytes` at `data` as state: saved and restored with the world. `data` must not move.
TAC_API TacStatus tac_setup_state(TacSetup *setup, void *data, size_t bytes, TacError *error);

// The nearest topology (this node, then up), or NULL.
TAC_API const TacTopology *tac_setup_topology(const TacSetup *setup);

// The topology that some matter was made from or stands beside (its node, then up), or NULL.
TAC_API const TacTopology *tac_setup_topology_of(const TacSetup *setup, const TacMatter *matter);

// How many threads the world has: it will never have others.
TAC_API int tac_setup_threads(const TacSetup *setup);

// What a point of matter weighs, kg, by the masses that come before this component; 0 where none does.
TAC_API double tac_setup_mass_of(const TacSetup *setup, const TacMatter *matter, size_t point);

// Whether the scene gave this attribute (rather than leaving it at its default).
TAC_API bool tac_setup_given(const TacSetup *setup, const char *attribute);

// Fails with the place of an attribute (or of the component, when `attribute` is NULL) in the scene.
TAC_API TacStatus tac_setup_fail(TacSetup *setup, TacError *error, const char *attribute, const char *format,
                                 ...) TAC_PRINTF(4, 5);

// A remark for `tactus check` and for the log of a run, with the same place.
TAC_API void tac_setup_warn(TacSetup *setup, const char *attribute, const char *format, ...) TAC_PRINTF(3, 4);

// The world's seed, mixed with the component's path: the same for the same scene and seed.
TAC_API uint64_t tac_setup_seed(const TacSetup *setup);

// --- loops on several threads -----------------------------------------------------------------------------

// Does items [begin, end). Chunk borders depend on n and grain alone, so results can be made independent of
// the number of threads: write only to what belongs to the item, or keep one partial sum per chunk.
typedef void (*TacLoop)(void *data, size_t begin, size_t end, size_t chunk);
TAC_API void tac_team_run(TacTeam *team, size_t n, size_t grain, TacLoop loop, void *data);

// --- plugins ----------------------------------------------------------------------------------------------

// A plugin is a shared object that defines `tac_plugin`:
//     TAC_API const TacPlugin tac_plugin = {TAC_COMPONENT_ABI, "wind", classes, 1};
typedef struct TacPlugin {
    uint32_t abi;
    const char *name;
    const TacClass *const *classes;
    size_t class_count;
} TacPlugin;

#ifdef __cplusplus
}
#endif

#endif
