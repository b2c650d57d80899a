// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact: springs and dampers on depth, with Coulomb friction ("Asynchronous Interactive Physical
// Simulation", section 4). It works in steps, each on flat arrays:
//
//     bounds    where each object is now, as a k-DOP; balls also in rows      (touch.c, geometry/ball_rows.h)
//     zones     which objects may touch                                       (geometry/zones.h)
//     narrow    where they do touch                                           (touch_balls.c, touch_shapes.c)
//     patches   what touches, with what is remembered of it                   (touch_narrow.c)
//     respond   what each patch pushes with                                   (touch_response.c)
//     law       what that is on the matter of one model                       (touch_law.c)
//
// An *object* is one convex shape on one frame, or all balls of a model. The first four steps are made for the whole
// world, from states as they are seen now (TAC_X_SHOWN, TAC_V_SHOWN); the law belongs to an agent, runs at the
// agent's own tick, reads patches and writes only its own matter. Two agents that tick at the same instant see the
// same patch, so what one gives the other takes, exactly.
//
// A patch is one spring of stiffness k and one damper c, shared by its points by *weights* that add up to 1. At depth
// d, parting with speed v, a point of weight w pushes with  N = w max(0, k d - c v).  c = 2 zeta sqrt(k m), m the reduced
// mass. The weights of a polygon are those of a load along its rim: so they change little when clipping finds a corner
// more or less, and points that hover a little above keep theirs. The same stiffness for every point was rejected: a
// stack never came to rest, because its stiffness jumped with every corner.
//
// Restitution is of hits: of what begins faster than it falls in four steps. zeta is then what gives the restitution, up
// to 2.5 (which gives back 3 %), until a bounce should be over; whatever else touches is damped with zeta = 1. So things
// at rest stay at rest, whatever they are made of. Where implicit solvers alone take part, contacts are too stiff to
// swing back in time: a hit is given its speed back within one step, by a damper that pulls towards it, and then left
// alone until it has left. What does not leave comes up slowly from how deep the hit has got it: the spring would throw it
// out within a step. A stronger damper was rejected: friction took what that holds for weight.
//
// Friction belongs to the patch as a whole. It remembers how far it has slid (tangential displacement, added up from
// the velocity with which matter really flew since the last look) and how far it has twisted about the normal. The
// force k_t slide + c_t v is cut off at mu times the sum of pushes, and then the slide is shortened to what that force
// stands for: nothing creeps, and what slides is slowed by exactly mu N. It acts at the points in proportion to their
// pushes. Anchors on single points were rejected: they are lost when a clipped point jumps from corner to corner.
//
// Explicit agents bear only so much. One newton on each contact of a body with n of them, which is turned rho times as
// easily as it is moved (by what pushes at the points of this patch), changes the velocity of one of them by up to
// s = n rho / m; with s added over both sides, k is cut off at 1.2 / (s h^2), c at 0.9 / (s h) and the damper of friction
// at 0.2 of that, h being the step: by the circle theorem of Gershgorin no motion of any heap grows then. Solvers that
// move matter themselves bear a tenth of that k (plain explicit Euler pushes with the place of a step ago, so it gets
// a damper more).
//
// In loose worlds each agent sees the others at its own time: where they fly on to, or back, from where they were
// published; with the velocities that they had until their last kick, if that came later. Agents that touch keep close
// (time/loose.h), so the others are at most a step ahead, and both sides find the same force at the same time, as in a
// causal world. Using what is published as it is was rejected: friction that comes a step late feeds every stack, and so
// does a slide that is added up from velocities seen twice, or never. What each remembers of a slide follows from places.
//
// Implicit agents get the patch's stiffness into their solve and need no such limit. Where the other side is another
// agent, or other matter, it is taken as standing still there, and the stiffness as (1 + m / m of the other) times as
// large: that is never less than the two would have if they were solved together, so they do not overshoot together, and
// both find the same impulse. Along the normal m is what resists a push at the centre: less than the mass, where that
// turns a frame. That is right for what rests. Two that move (faster than they fall in four steps) are pushed outside of
// their solves, with the limits of explicit agents, and stiffen by a tenth with each look once they have come to rest:
// so they keep their momentum whatever else holds one of them, and nothing hangs in the air. Sliding friction goes into
// the solve only across the slide, so that it slows what slides by mu N exactly; but a slide that just begins, and that
// one step's drag could turn around, is resisted in every direction.
//
// Rules
//  1. Patches are sorted by (object a, object b, element a, element b), a < b (a = b: within one model's balls).
//  2. A patch is there as long as the k-DOPs overlap (shapes; it then keeps the cache of the queries, with no points
//     when nothing touches) or the balls touch. What depends on the past (slide, twist, cache, impulse, age) is in the
//     patch, and is saved with the world.
//  3. Nothing depends on the zones, on k, or on the number of threads. Narrow and respond are shared by a team: a pair
//     of objects is a *job*, balls of one model among themselves are cut into chunks of rows; each chunk writes a list
//     of its own, and patches find their places when all lists are there.
//  4. A patch of balls has one point, which is the patch's own centre and depth. Patches of shapes have room for
//     TAC_CONVEX_CONTACTS points each. What only patches of several points and implicit agents need (TacPatchMore) is
//     kept apart: the rest is what the common contact reads and writes, 152 bytes.
//  5. A contact ticks when both sides do: on the clock of the slower one, whose ticks are ticks of the faster one too. It
//     then gives both the same impulse, that of the slower one's step (touch_law.c), and pushes nobody in between; it
//     only slides on. Pushing each side at its own ticks was rejected: the slower one then takes for a whole step what
//     the faster one has long been rid of, which feeds hits (up to 3.6 times their energy at steps of 2 and 0.5 ms).
//     Clocks off the ruler, and agents of loose worlds, have no such instants: there each side is pushed at its own. So
//     it is with two implicit agents that rest, and stiffly: one that falls between its pushes would not be at rest.
//  6. Frames of an implicit agent that touch an explicit one are pushed as explicit ones are, with the limits of these: both
//     then take the same impulse. In their solve, a heavy explicit body would be pushed by a damper that the light
//     implicit one gives way to, and hits would gain energy (up to 2.7 times).

#ifndef TACTUS_CONTACT_TOUCH_H
#define TACTUS_CONTACT_TOUCH_H

#include "contact/models.h"
#include "geometry/ball_rows.h"
#include "geometry/zones.h"
#include "matter/matter.h"
#include "tactus/contact.h"

// One contact point. Positions in the world.
typedef struct TacTouchPoint {
    TacVec3 at;
    double depth; // m; not positive: it hovers
    double weight;
    double push; // N
} TacTouchPoint;

typedef struct TacPatchKey {
    uint32_t a, b;   // objects
    uint32_t ia, ib; // elements of their models
} TacPatchKey;

typedef struct TacPatch {
    TacPatchKey key;
    uint32_t
        cache_plus_1; // in `caches`, and TAC_CONVEX_CONTACTS times that in `points`; 0: balls, the point is here
    uint32_t more_plus_1; // in `mores`; 0: none
    uint8_t count;        // points
    uint8_t touching;     // as it was told
    uint16_t hit;         // it began as one
    float age;            // s since it began
    TacVec3 slide;        // of B over A, tangential, m
    double impulse;       // of pushes since it began, N s
    // up to here it is what the next look reads: 64 bytes; from here on what others read of this one
    TacVec3 normal; // unit, from A to B
    TacVec3 centre; // of pushes
    TacVec3 drag;   // tangential force on B, N
    double depth;   // of a patch of balls, m
    double push;    // sum of the points', N
} TacPatch;

typedef struct TacPatchMore {
    // what the next look reads
    double twist;    // of B over A about the normal, rad
    double approach; // with which it hit, m/s; 0: it did not, or that is over
    double part;     // of the stiffness that it should have; see go_soft
    double carried;  // by the springs alone, N
    double sunk;     // how deep a hit has got it that it comes up from, m: only what is deeper pushes
    double
        earlier[2]; // where looks are closer than steps: its mean over the last step, and over the one before
    double sum, since;      // of the present one, N s and s
    uint16_t sticks, grips; // friction holds against sliding, against twisting
    uint16_t slips;         // looks for which it has slid on in the same direction, up to ten
    double was[2][7];       // in loose worlds: where its sides were shown when it was last looked at
    uint8_t seen;           // that is known
    uint8_t bounces;        // off matter that implicit solvers move
    uint8_t moving;         // with both sides, one of which an implicit solver moves
    uint8_t rests;          // so that each side is pushed at its own ticks; rule 5
    uint8_t solved; // the solves since the last look had it: what it pushes with now is what they left
    // what others read of this one
    double spin;       // torque of friction on B about the normal, N m
    double square;     // mean square distance of pushes from their centre, m^2
    double k, c;       // of all points together, as used
    double k_push;     // k, along the normal; 0 while it bounces off
    double reserve[2]; // of sides A and B, along the normal; see touch_law.c
    double c_slide;    // the damper of friction, N s/m
    double brake;      // what sliding friction sets against a change of velocity, N s/m
    double spin_brake; // the same for turning about the normal, N m s
    TacVec3 along;     // but not in this direction
} TacPatchMore;

// How the world sees one collision model; the compile step fills the first part.
typedef struct TacTouchModel {
    TacLaw law; // its class is tac_touch_law_class; first, so that the law is the model
    TacCollision *model;
    struct TacTouch *touch;
    bool moves;      // somebody integrates it, with a law of contact
    bool implicit;   // that one is an implicit solver
    double bears;    // how much stiffness it bears, as a part of what symplectic Euler does
    double lag;      // how far its place is behind that of symplectic Euler, in steps
    double step;     // of that one, s
    bool on_ruler;   // so that its ticks are among those of whoever ticks more often
    bool due;        // it ticks at the instant of this look
    double rayleigh; // s: how much damping that one makes of stiffness
    TacVec3 falls;   // with this gravity, m/s^2
    double gravity;  // how strong that is
    uint32_t first_object, object_count;
    // in loose worlds:
    double shown;     // the time at which it was published last, s
    double past_time; // and the time before, s
    double *past;     // its matter's velocities then: what it had until its last kick
    size_t count;     // elements: frames with a shape, or balls
    double *masses;   // of each element's point or frame; infinite where nothing moves it
    double *inertias; // the smallest of each; infinite where nothing turns it
    TacMat3
        *yields; // what inverts the inertia of each, about the axes of its frame; zero where nothing turns it
    uint32_t *loads;  // contacts of each, now
    bool heavy;       // some elements cannot be moved
    TacBallRows rows; // of balls
} TacTouchModel;

typedef struct TacTouchObject {
    uint32_t model, element;
    TacPose pose;    // of a shape
    double frame[7]; // of which that was made
    bool placed;     // its bounds are in the zones
    bool moves;
} TacTouchObject;

// Numbers between two models, looked up once.
typedef struct TacTouchNumbers {
    TacContactNumbers numbers;
    bool apart;   // group, mask, or exclusion
    double extra; // depth that a pair's own thickness adds, m
    double ratio; // of damping, that gives the restitution
} TacTouchNumbers;

// One of two generations of patches: what was found last, and what is being found.
typedef struct TacPatches {
    TacPatch *patches;
    size_t count, capacity;
    TacConvexCache *caches;
    size_t cache_count, cache_capacity;
    TacTouchPoint *points; // TAC_CONVEX_CONTACTS for each cache; the unused ones are zero
    size_t point_capacity;
    TacPatchMore *mores;
    size_t more_count, more_capacity;
} TacPatches;

// Where a ball touches a shape.
typedef struct TacTouchHit {
    uint32_t ball;
    double depth;
    TacVec3 normal; // unit, away from the shape, towards the ball
    TacVec3 point;  // in the middle between the two surfaces
} TacTouchHit;

// What one chunk of jobs has found.
typedef struct TacTouchList {
    TacTouchHit *hits;
    size_t hit_count, hit_capacity;
    TacBallPairs pairs;
    size_t old; // where among the old patches two shapes were last looked for; SIZE_MAX: nowhere yet
    bool full;  // no memory
} TacTouchList;

// One pair of objects that may touch, in the order of keys.
typedef struct TacTouchJob {
    uint32_t a, b;
    uint32_t list;         // who has its hits (a shape with balls) or pairs (balls); UINT32_MAX: `sorted`
    uint32_t cache;        // of two shapes
    uint32_t first, count; // in that list; of two shapes: count is of points
    uint32_t patch;        // its first one
    uint32_t more;         // of that one; UINT32_MAX: none has more
    TacVec3 normal;        // of two shapes
} TacTouchJob;

// Patches of the same two objects.
typedef struct TacTouchRun {
    uint32_t first, count;
    uint32_t model_a, model_b;
} TacTouchRun;

// What has changed in one chunk of patches since the last look.
enum { TAC_TOUCH_NOTES = 40 };
typedef struct TacTouchChanges {
    size_t first, last; // old patches that were walked through: from, to before
    // how many of these are no more; how many touch, or do not, as they did not before; and which, as far as they were noted
    uint32_t gone_count, turned_count;
    uint32_t gone[TAC_TOUCH_NOTES], turned[TAC_TOUCH_NOTES];
} TacTouchChanges;

// What a look needs besides patches; nothing in it is remembered.
typedef struct TacNarrow {
    TacTouchJob *jobs;
    size_t job_count, job_capacity;
    TacTouchList *lists;
    size_t list_count, list_capacity;
    TacBallPair *sorted;
    size_t sorted_count, sorted_capacity;
    uint32_t *starts;
    size_t start_capacity;
    TacTouchChanges *changes; // by chunk of patches
    size_t change_capacity;
} TacNarrow;

typedef struct TacTouch {
    const TacMaterials *materials;
    TacTouchModel *models;
    size_t model_count;
    TacTouchObject *objects;
    size_t object_count;
    TacTouchNumbers *numbers;   // model by model
    TacZones *zones, own_zones; // a view looks at those of the world
    bool is_view;
    TacPatches now, before;
    TacNarrow narrow;
    TacZonePair *pairs; // with those of balls among themselves
    size_t pair_capacity;
    TacTouchRun *runs; // of patches
    size_t run_count, run_capacity;
    uint32_t *a_start;          // by model: where the runs begin whose side A it is
    uint32_t *b_start, *b_list; // the same for side B, with indices of runs; not those within one model
    size_t b_capacity;
    int64_t last; // tick of the last update; -1: none
    double time;  // of the agent whose view it is, s
    // what began and ended, oldest first
    TacContactEvent *events;
    size_t event_capacity, event_first, event_count;
    uint64_t events_lost;
} TacTouch;

// --- setting up -------------------------------------------------------------------------------------------

// `models` have their first part filled. Numbers and lists come from the arena.
TacStatus tac_touch_create(TacTouch *touch, TacArena *arena, const TacMaterials *materials,
                           TacTouchModel *models, size_t count, TacError *error);
void tac_touch_destroy(TacTouch *touch); // a zeroed one is allowed

// --- one look ---------------------------------------------------------------------------------------------

// Finds all patches and what they push with, at tick `now`, `seconds` after the last look; all matter of models is
// shown at now. `time` is now in seconds, for events.
TacStatus tac_touch_update(TacTouch *touch, TacTeam *team, int64_t now, double seconds, double time,
                           TacError *error);

// Where one model's objects are now, from TAC_X_SHOWN of its matter.
TacStatus tac_touch_place_model(TacTouch *touch, TacTeam *team, TacTouchModel *model, TacError *error);

// --- loose worlds -----------------------------------------------------------------------------------------

// Under the loose scheduler there is no common instant: each agent has a *view*, with patches of its own models only,
// which it alone writes. It reads what others have published: their shown state, their bounds, their objects.
TacStatus tac_touch_view(TacTouch *view, const TacTouch *world, TacArena *arena, TacError *error);

// Finds the patches of a view among `pairs`, sorted, each with an object of its agent.
TacStatus tac_touch_look(TacTouch *view, const TacZonePair *pairs, size_t count, int64_t now, double seconds,
                         double time, TacError *error);

// In loose worlds both sides may know a contact: whether it counts for this one.
bool tac_touch_tells_of(const TacTouch *touch, const TacPatch *patch);

// Hands a view's events on to the world's list; those of pairs of which both sides move come from the first side.
void tac_touch_hand_on_events(TacTouch *view, TacTouch *world);

// Counts the contacts of an agent's own elements, for the limits of others and its own next step.
void tac_touch_count_loads(const TacTouch *view, TacTouchModel *model);

// --- the parts of a look ----------------------------------------------------------------------------------

// Finds what touches among `pairs`, sorted (a pair of an object with itself: its balls among themselves), and makes
// touch->now of it, with what touch->before remembers; what was found last is in touch->before afterwards. Tells what
// began and ended.
TacStatus tac_touch_find(TacTouch *touch, TacTeam *team, const TacZonePair *pairs, size_t count,
                         double seconds, double time, TacError *error);
// The first patch that is not before this key.
size_t tac_patches_find(const TacPatches *patches, const TacPatchKey *key);
void tac_narrow_free(TacNarrow *narrow);
bool tac_narrow_grow_lists(TacNarrow *narrow, size_t count); // they keep their memory; false: none

// What touches in one job, into its list (two shapes: into now's points and cache). False: no memory.
bool tac_touch_shapes(TacTouch *touch, TacTouchJob *job, TacTouchList *list);
bool tac_touch_shape_and_balls(const TacTouch *touch, TacTouchJob *job, TacTouchList *list);
bool tac_touch_balls(const TacTouch *touch, TacTouchJob *job, TacTouchList *list);
bool tac_touch_are_balls(const TacTouch *touch, uint32_t object);

// Balls of one model among themselves, many at a time: their pairs, sorted, are appended to narrow.sorted.
bool tac_touch_many_balls(TacTouch *touch, TacTeam *team, TacTouchJob *job);

// What patches push with, `seconds` after the last look. They are all between the same two models.
void tac_touch_respond(TacTouch *touch, uint32_t first, uint32_t end, double seconds);
// The damping ratio that gives a restitution, 0..1.
double tac_touch_damping_ratio(double restitution);

void tac_touch_tell(TacTouch *touch, TacContactEventKind kind, const TacPatch *patch, double time);

extern const TacClass tac_touch_law_class;

// --- looking things up ------------------------------------------------------------------------------------

static inline const TacTouchNumbers *tac_touch_between(const TacTouch *touch, uint32_t model_a,
                                                       uint32_t model_b) {
    return &touch->numbers[model_a * touch->model_count + model_b];
}

// Whether the solver of a model gets its contact with another one into its solve. Rule 6.
static inline bool tac_touch_is_solved(const TacTouchModel *model, const TacTouchModel *other) {
    bool shared = other->moves && !other->implicit && model->model->matter->velocity_size == 6;
    return model->moves && model->implicit && !shared;
}

// What is known of a patch besides; all zero where it has no more.
static inline const TacPatchMore *tac_patch_more(const TacPatches *patches, const TacPatch *patch) {
    static const TacPatchMore none = {0};
    return patch->more_plus_1 ? &patches->mores[patch->more_plus_1 - 1] : &none;
}

// When models touch: how long a push between them lasts, s; 0: as long as the step of whoever feels it. Rule 5.
static inline double tac_touch_period(const TacTouch *touch, const TacTouchModel *a, const TacTouchModel *b) {
    if (touch->is_view || (a->moves && !a->on_ruler) || (b->moves && !b->on_ruler)) return 0;
    double p = a->moves ? a->step : 0, q = b->moves ? b->step : 0;
    return p > q ? p : q;
}

// Somebody who takes part does not tick now: nobody is pushed.
static inline bool tac_touch_waits(const TacTouch *touch, const TacTouchModel *a, const TacTouchModel *b) {
    return tac_touch_period(touch, a, b) > 0 && ((a->moves && !a->due) || (b->moves && !b->due));
}

// The point or frame that an element of a model is on.
static inline uint32_t tac_touch_place(const TacTouchModel *model, uint32_t element) {
    bool shape = model->model->base.cls == &tac_shape_model_class;
    return shape ? ((const TacShapeModel *)model->model)->frame[element] : element;
}

// The points of a patch; `own` is used where it is a patch of balls.
static inline const TacTouchPoint *tac_patch_points(const TacPatches *patches, const TacPatch *patch,
                                                    TacTouchPoint *own) {
    if (patch->cache_plus_1) return &patches->points[TAC_CONVEX_CONTACTS * (size_t)(patch->cache_plus_1 - 1)];
    *own = (TacTouchPoint){.at = patch->centre, .depth = patch->depth, .weight = 1, .push = patch->push};
    return own;
}

static inline int tac_patch_compare(const TacPatchKey *p, const TacPatchKey *q) {
    uint64_t a = (uint64_t)p->a << 32 | p->b, b = (uint64_t)q->a << 32 | q->b;
    if (a != b) return a < b ? -1 : 1;
    a = (uint64_t)p->ia << 32 | p->ib;
    b = (uint64_t)q->ia << 32 | q->ib;
    return a < b ? -1 : a > b;
}

// --- saving -----------------------------------------------------------------------------------------------

size_t tac_touch_save_bytes(const TacTouch *touch);
void tac_touch_save(const TacTouch *touch, void *to);
TacStatus tac_touch_restore(TacTouch *touch, const void *data, size_t bytes, TacError *error);

#endif
