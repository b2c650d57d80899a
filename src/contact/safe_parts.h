// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the files of safe contact share; safe.h says what it is all for.
//
//   safe.c        making, one instant, saving
//   safe_settle.c  what was kicked: does it keep its promises?
//   safe_plan.c   where supports and vertices are; plans and their tubes
//   safe_box.c    courses, trees of moving boxes, which pairs there are
//   safe_front.c  the same by a traversal front that is kept
//   safe_sweep.c  windows: all plans and certificates anew
//   safe_pair.c   geometry of a pair, certificates, arming
//   safe_flat.c   edges and vertices that are no feature of their surface
//   safe_beside.c  pairs that have nearer ones right beside them
//   safe_crowd.c  corners of a body that push together
//   safe_direction.c  directions of certificates, where rounding would spoil them
//   safe_sight.c  pairs that tick: what they see, restitution, friction
//   safe_kick.c   an instant of layers: who ticks, pushes, what follows
//   safe_wide.c   what is computed of many pairs that tick, side by side
//   safe_measure.c  energy, places, counts, memory
//   safe_nest.c   nests of pairs that began nearer than the thickness
//   safe_progress.c  runs that cannot go on
//   safe_start.c  starts that are refused
//   safe_reshape.c  matter that changes its resolution

#ifndef TACTUS_CONTACT_SAFE_PARTS_H
#define TACTUS_CONTACT_SAFE_PARTS_H

#include "base/memory.h"
#include "base/sort.h"
#include "base/team.h"
#include "contact/safe.h"
#include "geometry/moving_tree.h"
#include "time/ruler.h"
#include "time/wheel.h"

#define TAC_SAFE_NONE UINT32_MAX

// Ways to break it on purpose, for tests that the audit notices: layers are never armed, certificates are looked
// at late, arcs are taken for straight lines, ways of coarsening wires are not looked at. Nothing but tests/sabotage defines TACTUS_SABOTAGE.
#define TAC_SABOTAGE_LAYERS  1
#define TAC_SABOTAGE_LATE    2
#define TAC_SABOTAGE_SAGITTA 3
#define TAC_SABOTAGE_RESHAPE 4
#ifndef TACTUS_SABOTAGE
#define TACTUS_SABOTAGE 0
#endif

// Supports and vertices begin with what every kick looks at: one line of cache.
enum { TAC_LINE = 64 };

typedef struct TacSupport {
    _Alignas(TAC_LINE) double *x;
    double *v, *dv;
    TacTick *time;
    float most_speed;                    // m/s: faster, it would only be followed at a crawl
    float reach;                         // m: of its vertices, where it is a frame
    uint32_t first_vertex, vertex_count; // in safe->carried
    uint32_t index;                      // in its matter
    int8_t regular;
    bool frame, touched, asleep;
    double w[3];  // inverse mass along the axes
    double g[3];  // of its flight
    double bound; // inverse mass that a vertex on it feels at most
    const TacMatter *matter;
    const TacInertia *inertia; // frames only
} TacSupport;

// What must be known of a point that is kicked together with all of its matter: so little that it costs hardly more than
// to add the kick.
typedef struct TacSafeWatch {
    uint32_t vertex; // the only one on it, which is nowhere else; TAC_SAFE_NONE: there is none
    float fastest;   // m^2/s^2: squared speed up to which it is not too fast
    int8_t regular;
    bool paced;     // something rests on its vertex's pace
    bool otherwise; // it carries more than that
} TacSafeWatch;

// Where a frame flies to: now, when its plans end, and when its courses are left. Work that is done side by side asks for
// one tick of each kind, so whoever finds it may write it down for the others. Whatever kicks or moves a frame must forget it.
typedef enum TacFlightSlot {
    TAC_FLIGHT_NOW,
    TAC_FLIGHT_AHEAD,
    TAC_FLIGHT_BOXES,
    TAC_FLIGHT_SLOTS
} TacFlightSlot;
typedef struct TacFlight {
    TacTick tick, claimed; // below 0: none
    TacTick since;         // when it began
    double x[7], v[6];
} TacFlight;

// How hard a frame bends the way of its points, found once for all of them in the same way.
typedef struct TacBend {
    TacTick tick, claimed, since;
    double per_metre, lasts; // 1/s^2; s
} TacBend;

// A free flight and a tube around it, until the next sweep.
typedef struct TacPlan {
    double p[3], u[3]; // at start
    TacTick start;
    float rho;    // half-width, m
    float spread; // m/s by which the tube widens (cones), 0 for tubes
} TacPlan;

// What a sweep reads of a plan or of a course: where it begins and ends, and how wide it is. One line of cache. A course is a
// straight line through the window of boxes, with a tube around it in which the plans of the window stay; one that begins where
// it ends holds beyond the window.
typedef struct TacSwept {
    double c[2][3], rho;
    double wanted; // the half-width that its history asks for
} TacSwept;

// What a pair's certificate rests on. A broken plan concerns only the pairs that rest on plans.
typedef enum TacLevel {
    TAC_LEVEL_NONE,  // its layers are looked at, or it is not there
    TAC_LEVEL_TIMED, // plans, until a time before the next sweep
    TAC_LEVEL_PLAN,
    TAC_LEVEL_COURSE
} TacLevel;

// Where a vertex was at the last mark, and how fast on the average before.
typedef struct TacTrend {
    double place[3];
    TacTick time; // of the mark; below 0: none
    float mean[3];
    float span; // s over which the mean was taken; 0: there is none
} TacTrend;

// What a sweep looks at: that along d, of length at most 1, the first side is farther than `reach` from the other. Of
// two edges: two vertices each, and `reach` is negative; of others: one vertex, and three of the other side, the last
// repeated where there are fewer.
typedef struct TacCertificate {
    uint32_t v[4];
    float d[3], reach;
} TacCertificate;

// A velocity, and by how much a vertex's own may differ from it along each axis. Pairs whose layers are looked at
// rest on paces rather than on tubes: they see where they are at every look, and need a promise only until the next.
typedef struct TacPace {
    double u[3]; // m/s, at start
    double slack;
    double wanted; // m/s: the slack that its history asks for
    TacTick start;
} TacPace;

typedef enum TacCarriedBy {
    TAC_BY_BODY = 1,      // some of it is a body
    TAC_BY_KICKED = 2,    // something else kicks some of it as well
    TAC_BY_DEFORMING = 4, // and that is no body
} TacCarriedBy;

typedef struct TacVertex {
    _Alignas(TAC_LINE) uint32_t support; // where it is a support itself; else TAC_SAFE_NONE
    uint32_t first, count;               // carriers
    uint32_t kicks_of_plan;              // besides regular ones
    uint32_t paced;                      // armed pairs; without any, nobody keeps its pace
    bool dirty, frame;
    uint8_t by;       // what carries it, among what moves: bits of TacCarriedBy
    bool broken;      // its plan was remade since the last sweep
    bool leaving;     // found by a sweep: its plan ends before the sweep does, or leaves its course
    bool late;        // more rests on its plan than was listed by the sweep
    bool strayed;     // its course was left before the window ended
    bool quiet;       // found by a sweep: it keeps its plan and its pace
    uint8_t halvings; // of the thinnest nest that a mesh at rest leaves room for, among its pairs so far
    bool kept;        // in its place among others: it is on a frame, or never moves
    uint16_t peers;   // corners of its body that touch a plane together with it; 0: it is on none
    double g[3];
    double bound;
} TacVertex;

// What else is known of it, for plans, boxes and new pairs.
typedef struct TacVertexLore {
    float scale;                               // m, typical length around it
    float thick;                               // m, largest radius around it
    uint32_t first_primitive, primitive_count; // in safe->around
    const double *rest;
    TacTrend trend; // over sweeps
} TacVertexLore;

typedef enum TacPrimitiveKind {
    TAC_PRIMITIVE_POINT,
    TAC_PRIMITIVE_EDGE,
    TAC_PRIMITIVE_FACE
} TacPrimitiveKind;

enum { TAC_SAFE_SKIN_BITS = 22 };
typedef struct TacPrimitive {
    uint32_t v[3];
    uint32_t first_pair[2]; // of those that are not armed, and of those that are; TAC_SAFE_NONE: none
    // There are six to a vertex of a cloth: little memory each.
    uint32_t skin : TAC_SAFE_SKIN_BITS, kind : 2, ball : 1, bare : 1, movable : 1, dirty : 1;
    uint32_t flat : 1; // it touches nothing (safe_flat.c)
    uint32_t
        flat_sides : 3; // of a face, bits: the surface goes on in its plane beyond the edge from corner k to the next
} TacPrimitive;

// a is the vertex, or the edge with the smaller number.
typedef struct TacPair {
    uint32_t a, b;
    uint32_t next[2], previous[2]; // in the lists of a and of b: pair * 2 + side; TAC_SAFE_NONE: none
    uint32_t live;                 // its memory; TAC_SAFE_NONE: none
    uint32_t born;                 // its skins' entry in safe->born; TAC_SAFE_NONE: they began apart
    double r1;
    uint16_t type;
    uint16_t shift; // number of its nest, when last certified
    uint8_t idle;
    uint8_t rest; // shift of its nest when that is grown
    int8_t armed; // finest class of layers that is looked at; -1: none
    uint8_t
        slower; // by how many classes of the ruler the coarsest is looked at less often, where none can be live
    bool dirty;
    float
        margin; // m by which it is certain, while it is armed; below 0: it must be looked at when a pace changes
} TacPair;

// Classes of layers that have anchors of their own. What merely rests is in the first one: only pairs that are pressed
// deeper have room for more.
enum { TAC_ANCHORS = 12, TAC_ANCHORS_NEAR = 1 };

// What a live pair remembers, all of it from past positions. All of it is saved: no gaps.
typedef struct TacLive {
    uint64_t key;
    TacTick tick;                    // of its last tick
    double gap;                      // then, in units of its nest
    uint32_t anchored : TAC_ANCHORS; // bits
    uint32_t returns : 4;            // how often it has come back since it became live
    uint32_t crowd : 10; // pairs that pushed the same body at its last whole tick; 0: it pushes none
    uint32_t clock : 6;  // class of layers on whose clock all of them kicked last, + 1; 0: each on its own
    uint32_t pair;       // TAC_SAFE_NONE: its pair was let go
    uint32_t kicks : 22; // within the window of its last tick
    uint32_t turns : 4;  // how often it has come back since it became live, or was hit
    uint32_t mates : 6;  // class of layers with whose clock it keeps up
    uint32_t deep;       // its anchors beyond the near ones; TAC_SAFE_NONE: none. Saved as 0
    float speed;         // m/s at which the gap grew before its last tick; 0 where it did not remember
    float hit;           // m/s at which it closed when it last did; less with every time that it turns round
} TacLive;

// Pairs that push a body at one instant, and the finest class of layers that one of them is in.
typedef struct TacCrowd {
    uint32_t pairs, deepest;
} TacCrowd;

// One of them: `live` and `wanted` of its kick.
typedef struct TacMember {
    uint32_t pair;
    uint8_t live, wanted;
} TacMember;

// And more, where there is friction.
typedef struct TacGrip {
    double place[4][3]; // at its last tick
    double slide[3];    // how far the two sides have slid past each other, added up
    double anchor[TAC_ANCHORS_NEAR][3];
} TacGrip;

typedef struct TacDeepGrip {
    double anchor[TAC_ANCHORS - TAC_ANCHORS_NEAR][3];
} TacDeepGrip;

typedef struct TacPairType { // of two materials
    TacLayers layers;
    double restitution, friction;
    double v_ref;  // m/s: usual speed of impacts
    double v_rest; // m/s: what parts more slowly rests rather than bounces
    double growth; // of nests that began small, 1/s
    bool excluded;
} TacPairType;

// Speed of parting below which a pair rests, m/s: its push wanes up to there, and not at once, or what rests would chatter.
// `kick` is what a tick of its push does to its speed: what lies on it may weigh many times what it weighs itself. Hits are
// much faster.
static inline double tac_safe_rest_speed(const TacPairType *type, double kick) {
    double least = type->v_rest, most = 16 * least, wanted = 4 * kick;
    return wanted < least ? least : wanted < most ? wanted : most;
}

// Two lines of cache.
typedef struct TacSafeKick {
    uint32_t pair;
    uint8_t count;
    int8_t deepest;
    bool doubtful;    // whether its classes are the ones to look at until its next tick
    bool deep;        // its nest is pressed together
    bool fresh;       // it had no live layer before
    bool cramped;     // it has no room for what it would remember, and was not kicked yet
    bool crawls;      // it kicks too often
    uint16_t meeting; // where kicks between its skins are noted
    bool whole;       // all of its live layers ticked
    bool near;        // it is nearer than its outermost layer
    uint8_t live;     // finest class of layers that is live, where all tick together
    uint8_t wanted;   // on whose clock its kicks would be as small as those of what just rests, likewise
    uint32_t v[4];
    double weight[4];
    double impulse[3];
    double gap;
    double normal[3], push; // of the impulse without friction
} TacSafeKick;

typedef struct TacVerdict { // on a pair, computed side by side and applied in order
    int armed, slower;
    double margin; // of TacPair
    bool alarmed;  // tubes are not enough: its layers must be looked at
    bool impossible;
    uint8_t level;
    TacTick until; // of TAC_LEVEL_TIMED
    float d[3];    // direction along which tubes are apart
} TacVerdict;

// Two skins of which a pair began nearer than the thickness, or that joints may tie (safe_nest.c).
typedef struct TacBorn {
    uint64_t key;  // the two skins
    double scale;  // of their pairs' nests at `tick`
    double growth; // 1/s
    TacTick tick;
    uint32_t held; // 1: a pair was deep in its nest when last kicked; it does not grow then
    uint32_t tied; // joints between the two that have closed since the start; it does not grow then
} TacBorn;

typedef struct TacSafeList {
    uint32_t *items;
    size_t count, capacity;
} TacSafeList;

// That many threads push at once.
enum { TAC_SAFE_PUSHERS = 16 };

// What one part of a search finds.
enum { TAC_SAFE_WAITING = 16 };
typedef struct TacSafeFind {
    uint64_t *keys; // of pairs that are new
    size_t count, capacity;
    uint64_t
        waiting[TAC_SAFE_WAITING]; // a ring of what is still to be looked up, while memory fetches its slots
    size_t noted;
    TacIds hits;
    uint64_t queries;
    bool out_of_memory;
} TacSafeFind;

typedef struct TacSafeWitness TacSafeWitness;
typedef struct TacReshaped TacReshaped; // safe_reshape.c
typedef struct TacSafeFront TacSafeFront;

struct TacSafe {
    TacTimebase base;
    TacTeam *team;
    TacSafeDef def;
    TacSafeSkin *skins;
    TacPairType *types;
    size_t material_count, skin_count;

    TacArena arena; // for as many things as there are from the beginning
    TacSupport *supports;
    uint32_t *movers; // of supports, as in TacSafeSupport; NULL: none has one
    TacSafeWatch *watches;
    size_t support_count;
    TacSafeCarrier *carriers;
    uint32_t *carried; // vertices of each support
    TacVertex *vertices;
    TacVertexLore *lore;
    TacVec3 *locals;    // of vertices on frames; NULL where there are none
    uint32_t *bodies;   // of vertices, as tac_safe_bodies; NULL likewise
    TacTick *ends;      // when plans of vertices on frames end, if before a sweep; NULL where there are none
    TacFlight *flights; // of supports from the first frame to the last, TAC_FLIGHT_SLOTS each; NULL likewise
    TacBend *bends;     // of the same supports; NULL likewise
    TacCrowd *crowds;   // what pushes each of these supports now; NULL likewise
    TacMember *members; // of crowds, at this instant
    size_t member_count, member_capacity;
    size_t flight_count;
    uint32_t first_frame;
    TacPlan *plans;
    TacSwept *swept, *courses;
    TacPace *paces;
    size_t vertex_count;
    uint32_t *around; // primitives of each vertex
    TacPrimitive *primitives;
    size_t primitive_count, point_count, edge_count; // points, then edges, then faces
    float *skin_radii;                               // of all that is in a skin
    float *radii;                                    // per point; NULL: they are those of their skins
    double directions[TAC_DOP_MOST][3];              // of a box's numbers
    TacMovingTree trees[3];                          // by kind
    TacSafeFront *front;                             // NULL: trees are asked anew

    TacTick sweep_from, sweep_until; // the window of plans
    TacTick boxes_from, boxes_until; // the window of boxes
    int sweep_class, boxes_class;    // how long they are, on the ruler
    int least_class, most_class;
    uint64_t windows;            // of boxes, so far
    uint64_t shaped[3];          // their number when each tree was shaped
    uint64_t breaks, null_looks; // since the sweep: what it costs when its window is too long
    uint64_t strays;             // since the window of boxes began, the same
    size_t dirty_kinds[3];

    TacPair *pairs;
    TacCertificate *certificates;
    uint8_t *levels; // TacLevel, per pair
    bool *listed;    // per pair: the last sweep listed it
    size_t certificate_capacity, level_capacity, listed_capacity;
    uint32_t *first_resting; // per vertex: in `resting`, the pairs that rested on its plan at the last sweep
    uint32_t *resting;
    size_t resting_capacity;
    size_t pair_count, pair_capacity, pair_used;
    uint32_t free_pair;
    uint64_t *table; // of pairs, by hash of their keys; open addressing
    size_t table_size;
    TacLive *lives;
    TacGrip *grips; // of each; NULL where nothing has friction
    TacDeepGrip *deep_grips;
    size_t live_count, live_capacity, grip_capacity, deep_count, deep_capacity;
    TacSafeList free_lives, free_deep;
    TacBorn *born;
    size_t born_count, born_capacity;
    size_t near_count;           // pairs that began near
    double most_eta, most_speed; // of all types: thickness, speed of reference
    bool uneven;                 // not all vertices fall alike
    bool balls;                  // there are some
    bool rough;                  // something has friction
    TacSafeFind finds[TAC_MOVING_TREE_PARTS];

    TacRuler ruler;        // armed pairs
    TacWheel vertex_wheel; // plans that are left before the next sweep
    TacWheel pair_wheel;   // certificates that end before it

    TacSafeList touched, dirty_vertices, dirty_primitives, dirty_pairs, found;
    TacSafeList
        pushed[TAC_SAFE_PUSHERS - 1]; // what threads have touched besides, while they push side by side
    TacSafeList fresh;                // pairs that got their first live layer at the last instant with kicks
    TacSafeKick *kicks;               // of some pairs at a time
    size_t kick_capacity;
    bool cramped;    // one of them at least
    TacKeyed *order; // of new pairs, or of those that tick, and as many to sort them with
    size_t order_capacity;
    TacVerdict *verdicts;
    size_t verdict_capacity;
    TacSafeSpan *kicked; // points of which all were kicked, besides those in `touched`
    size_t kicked_count, kicked_capacity;
    uint8_t *settled; // per support that was kicked
    size_t settled_capacity;
    uint8_t *failed; // certificates, at a sweep
    size_t failed_capacity;
    TacSafeStats stats;
    TacSkinMeetings *meetings; // NULL: nobody wants to know
    TacSafeWitness *witness;   // NULL: nobody audits
    bool starting;             // there is no window before
    bool births;               // pairs that are near now were born so
    bool out_of_memory;
    int64_t sleepers;           // supports
    struct TacLayerRoom *rooms; // for agents that look at layers, those that nobody has (layer_room.h)
    bool rooms_locked;          // while one is taken or given back
    TacReshaped *reshaped;      // matter that changes its resolution, a list; NULL: none
    struct TacWayNear *way;     // room for all primitives, where there is such matter
};

// When the next sweep is due.
static inline TacTick tac_safe_sweep_tick(const TacSafe *safe) {
    TacTick late = TACTUS_SABOTAGE == TAC_SABOTAGE_LATE ? tac_ticks_floor(safe->base, 0.05) : 0;
    return safe->sweep_until + late;
}

static inline double tac_safe_seconds(const TacSafe *safe, TacTick ticks) {
    return (double)ticks * safe->base.tick;
}

// Appends; notes when there is no memory.
static inline void tac_safe_push(TacSafe *safe, TacSafeList *list, uint32_t item) {
    if (list->count == list->capacity &&
        !tac_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
        __atomic_store_n(&safe->out_of_memory, true, __ATOMIC_RELAXED); // from any thread
        return;
    }
    list->items[list->count++] = item;
}

// --- safe.c

// Seconds by the clock on the wall, for telling what takes how long.
double tac_safe_wall(void);
// Adds what has gone by since then to a row, and begins anew.
void tac_safe_spend(double *row, double *since);
// Marks the pairs around a vertex to be looked at again: those that are armed, or that rest on plans or on courses and are
// not apart in the same direction as before.
enum { TAC_MARK_ARMED = 1, TAC_MARK_PLANS = 2, TAC_MARK_COURSES = 4 };
void tac_safe_mark_around(TacSafe *safe, uint32_t vertex, unsigned what);
// Its pace has changed: it may come nearer to anything by `faster` m/s more than was promised. Marks the armed pairs that
// are no longer certain.
void tac_safe_hurry_around(TacSafe *safe, uint32_t vertex, double faster, TacTick now);
// Those that rest on its plan.
void tac_safe_mark_resting(TacSafe *safe, uint32_t vertex);

// Puts right what is in doubt: plans, then boxes, then certificates.
TacStatus tac_safe_put_right(TacSafe *safe, TacTick now, TacError *error);

// --- safe_settle.c

// Whether its matter says that it falls by itself otherwise than we know; then takes it, with its vertices, and
// tac_safe_share_falls must follow.
bool tac_safe_falls_anew(const TacSupport *support);
void tac_safe_take_fall(TacSafe *safe, uint32_t support);
// How vertices fall, by who carries them, and whether all of them do so alike. Watches all supports anew.
void tac_safe_share_falls(TacSafe *safe);
// Its vertices, its regular class or its inverse mass have changed.
void tac_safe_watch(TacSafe *safe, uint32_t support);
// Something begins or ceases to rest on the vertex's pace.
void tac_safe_watch_pace(TacSafe *safe, uint32_t vertex);

// --- safe_plan.c

void tac_safe_reach(TacSafe *safe, TacSupport *support, TacTick now);
bool tac_safe_take_flights(TacSafe *safe);
void tac_safe_forget_flight(const TacSafe *safe, uint32_t support);
void tac_safe_motion(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3], double v[3]);
static inline void tac_safe_place(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3]) {
    uint32_t support = safe->vertices[vertex].support;
    if (support != TAC_SAFE_NONE) {
        const TacSupport *s = &safe->supports[support];
        double h = tac_safe_seconds(safe, now - *s->time);
        for (int k = 0; k < 3; k++) x[k] = s->x[k] + h * s->v[k] + 0.5 * h * h * s->g[k];
    } else {
        double u[3];
        tac_safe_motion(safe, vertex, now, x, u);
    }
}
// Looks whether the plan holds until somebody looks again; otherwise marks the vertex to be remade.
void tac_safe_check_plan(TacSafe *safe, uint32_t vertex, TacTick now);
// A plan from now to the next sweep. Only the vertex's own data are written.
void tac_safe_make_plan(TacSafe *safe, uint32_t vertex, TacTick now, bool mends);
// Whether a vertex that is a point of matter, at `now`, keeps its plan and its pace for certain, by a short look; nothing is
// written.
bool tac_safe_keeps(const TacSafe *safe, uint32_t vertex, TacTick now);
// A plan that is kept.
void tac_safe_unfile_plan(TacSafe *safe, uint32_t vertex);
// Looks at a new plan: files when it is left, if that is before the next sweep.
void tac_safe_file_plan(TacSafe *safe, uint32_t vertex, TacTick now);
void tac_safe_mark_dirty(TacSafe *safe, uint32_t vertex);
// One more pair rests on the vertex's pace.
void tac_safe_rest_on_pace(TacSafe *safe, uint32_t vertex, TacTick now);

// Of a vertex on a frame: where a chord of its arc begins, and the free flight along it, for as much of the window of boxes
// as is worth while. Returns the half-width in which the arc stays.
double tac_safe_arc(const TacSafe *safe, uint32_t vertex, TacTick now, double from[3], double u[3]);

// When a plan ends, if nothing breaks it.
static inline TacTick tac_plan_end(const TacSafe *safe, uint32_t vertex) {
    return safe->vertices[vertex].frame && safe->ends[vertex] < safe->sweep_until ? safe->ends[vertex]
                                                                                  : safe->sweep_until;
}

// Where a plan is at `now`, and how fast.
static inline void tac_plan_at(const TacSafe *safe, uint32_t vertex, TacTick now, double c[3], double cu[3],
                               double *rho) {
    const TacPlan *plan = &safe->plans[vertex];
    const double *g = safe->vertices[vertex].g;
    double t = tac_safe_seconds(safe, now - plan->start);
    for (int k = 0; k < 3; k++) {
        c[k] = plan->p[k] + t * (plan->u[k] + 0.5 * t * g[k]);
        cu[k] = plan->u[k] + t * g[k];
    }
    *rho = (double)plan->rho + (double)plan->spread * t;
}

// The common case of a check, in a few operations: a point at x and v, at `now`, that stays in its tube until it is swept, or
// kicked again where it is kicked regularly.
static inline bool tac_safe_plan_holds(const TacSafe *safe, const TacPlan *plan, const double g[3],
                                       const double x[3], const double v[3], int regular, TacTick now) {
    TacTick left = safe->sweep_until - now;
    if (regular < TAC_RULER_CLASSES) {
        TacTick period = (TacTick)1 << regular, next = period - (now & (period - 1));
        if (next < left) left = next;
    }
    double t = tac_safe_seconds(safe, now - plan->start);
    double ahead = tac_safe_seconds(safe, left);
    double rho = (double)plan->rho + (double)plan->spread * t, most = 0;
    for (int k = 0; k < 3; k++) {
        double off = x[k] - plan->p[k] - t * (plan->u[k] + 0.5 * t * g[k]);
        double end = off + (v[k] - plan->u[k] - t * g[k]) * ahead;
        double far = fabs(off) > fabs(end) ? fabs(off) : fabs(end);
        most = far > most ? far : most;
    }
    return most <= rho;
}

// The same for its pace.
static inline bool tac_safe_pace_holds(const TacSafe *safe, const TacPace *pace, const double g[3],
                                       const double v[3], TacTick now) {
    double t = tac_safe_seconds(safe, now - pace->start);
    bool kept = true;
    for (int k = 0; k < 3; k++) kept = kept && fabs(v[k] - pace->u[k] - t * g[k]) <= pace->slack;
    return kept;
}
// The frame of each vertex, counted from 1; 0: it is on none.
void tac_safe_bodies(const TacSafe *safe, uint32_t *bodies);

// --- safe_box.c

void tac_safe_find_directions(TacSafe *safe);
// By which a thrown stone's path until the next sweep leaves the line between its ends.
double tac_safe_bulge(const TacSafe *safe, uint32_t vertex, TacTick now);
// A course that is left before the window ends.
void tac_safe_stray(TacSafe *safe, uint32_t vertex, TacTick now);
bool tac_safe_on_course(const TacSafe *safe, uint32_t vertex, TacTick now);
// Only the vertex's own data are written; then the boxes around it must follow.
void tac_safe_renew_course(TacSafe *safe, uint32_t vertex, TacTick now);
void tac_safe_leave_boxes(TacSafe *safe, uint32_t vertex);
// `drops`: and lets go of pairs whose boxes have come apart. `time`: since when it takes wall time.
TacStatus tac_safe_update_boxes(TacSafe *safe, bool drops, double *time, TacTick now, TacError *error);
// Lists that were long once, at a start or an impact, need not be so for ever.
void tac_safe_trim_lists(TacSafe *safe);
// The first number of a kind of primitives.
static inline uint32_t tac_safe_first_of(const TacSafe *safe, int kind) {
    return kind == TAC_PRIMITIVE_POINT  ? 0
           : kind == TAC_PRIMITIVE_EDGE ? (uint32_t)safe->point_count
                                        : (uint32_t)(safe->point_count + safe->edge_count);
}
// The number of a primitive in its skin, for messages.
uint32_t tac_safe_number(const TacSafe *safe, uint32_t id);
// Two primitives that may meet: they become a pair when the boxes have been updated. `part`: of work done side by side.
void tac_safe_note_found(TacSafe *safe, size_t part, uint32_t x, uint32_t y);
TacStatus tac_safe_all_pairs(TacSafe *safe, double *time, TacTick now, TacError *error);

// --- safe_front.c

TacStatus tac_safe_front_create(TacSafe *safe, TacError *error);
void tac_safe_front_destroy(TacSafeFront *front); // NULL is allowed
// Begins anew at the next update.
void tac_safe_front_forget(TacSafe *safe);
// Boxes of the dirty primitives have changed, or all are other ones (`shaped`): finds the pairs that there are now.
TacStatus tac_safe_front_update(TacSafe *safe, bool shaped, TacTick now, TacError *error);
// The earliest failure of a certificate; `limit` when there is none before it.
TacTick tac_safe_front_next(const TacSafe *safe, TacTick limit);
// Those that fail now wait for the next update.
TacStatus tac_safe_front_expire(TacSafe *safe, TacTick now, TacError *error);
bool tac_safe_front_waits(const TacSafe *safe);
size_t tac_safe_front_bytes(const TacSafeFront *front); // NULL is allowed

// --- safe_sweep.c

// The mean velocity that a trend expects until `ahead` seconds from now, as that of a free flight now.
void tac_trend_expect(const TacSafe *safe, const TacTrend *trend, TacTick now, double ahead,
                      const double x[3], const double g[3], double u[3]);
void tac_safe_set_windows(TacSafe *safe);
// Plans, boxes and certificates of everything for the next window.
TacStatus tac_safe_sweep(TacSafe *safe, TacTick now, TacError *error);
// After a sweep: the pairs that rest on each vertex's plan, for those that break.
TacStatus tac_safe_list_resting(TacSafe *safe, TacError *error);

// Whether a pair's certificate holds: the tubes of its vertices, of plans or of courses, are apart along its direction at
// both ends of the window. Between them they move in straight lines.
static inline bool tac_safe_stays_apart(const TacSafe *safe, uint32_t pair, TacLevel level) {
    const TacSwept *swept = level == TAC_LEVEL_COURSE ? safe->courses : safe->swept;
    const TacCertificate *c = &safe->certificates[pair];
    double d[3] = {(double)c->d[0], (double)c->d[1], (double)c->d[2]};
    double one = fabs(d[0]) + fabs(d[1]) + fabs(d[2]), reach = fabs((double)c->reach);
    double wide[4];
    for (int i = 0; i < 4; i++) wide[i] = one * swept[c->v[i]].rho;
    bool apart = true;
    for (int end = 0; end < 2; end++) {
        double s[4];
        for (int i = 0; i < 4; i++) {
            const double *x = swept[c->v[i]].c[end];
            s[i] = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
        }
        double second = s[1] + wide[1], low = s[0] - wide[0];
        double high = s[2] + wide[2] > s[3] + wide[3] ? s[2] + wide[2] : s[3] + wide[3];
        if (c->reach < 0)
            low = low < s[1] - wide[1] ? low : s[1] - wide[1];
        else
            high = high > second ? high : second;
        double doubt = 1e-14 * (fabs(s[0]) + fabs(s[1]) + fabs(s[2]) + fabs(s[3]) + reach);
        apart = apart && low - high > reach + doubt;
    }
    return apart;
}

// --- safe_pair.c

typedef struct TacSafeClosest {
    double normal[3]; // from b to a
    double distance;  // between the two closest points
    double weight[4]; // +: a's side, -: b's
    double part;      // of its push that is its own (tac_safe_share); 1 where nobody has asked
} TacSafeClosest;

static inline int tac_safe_vertices(const TacSafe *safe, const TacPair *pair, uint32_t v[4],
                                    int *first_side) {
    const TacPrimitive *a = &safe->primitives[pair->a], *b = &safe->primitives[pair->b];
    int na = a->kind + 1, nb = b->kind + 1, n = 0;
    for (int i = 0; i < na; i++) v[n++] = a->v[i];
    for (int i = 0; i < nb; i++) v[n++] = b->v[i];
    *first_side = na;
    return n;
}
TacSafeClosest tac_safe_closest(const TacSafe *safe, const TacPair *pair, double q[4][3]);
// How a pair pushes, given where it is closest: two edges that are all but parallel in the middle of what they share, without
// jumps from end to end; a vertex above the seam of a flat part by each of its faces in part, together as one.
#define TAC_SAFE_SEAM     0.05 // of their distance: half the width of a seam
#define TAC_SAFE_PARALLEL 1e-4 // sin^2 of their angle
#define TAC_SAFE_ALIKE    0.01 // of their distance: ends of edges that differ by more are told apart
void tac_safe_share(const TacSafe *safe, const TacPair *pair, double q[4][3], TacSafeClosest *closest,
                    TacTick now);
// Of a vertex, the first of q, and a face of which the surface goes on beyond some sides.
double tac_safe_part_of_face(const TacPrimitive *face, double q[4][3], const TacSafeClosest *closest);
bool tac_safe_may_touch(const TacSafe *safe, uint32_t a, uint32_t b);
uint32_t tac_safe_find_pair(const TacSafe *safe, uint32_t a, uint32_t b);
void tac_safe_expect_pair(const TacSafe *safe, uint64_t key); // it will be looked for soon
void tac_safe_expect_found(const TacSafe *safe,
                           uint64_t key); // still sooner: its place in the table is there
TacStatus tac_safe_add_pair(TacSafe *safe, uint32_t a, uint32_t b, TacTick now, TacError *error);
void tac_safe_remove_pair(TacSafe *safe, uint32_t pair);
void tac_safe_verdict(const TacSafe *safe, uint32_t pair, TacTick now, TacVerdict *verdict);
TacStatus tac_safe_apply_verdict(TacSafe *safe, uint32_t pair, const TacVerdict *verdict, TacTick now,
                                 TacError *error);
void tac_safe_mark_pair(TacSafe *safe, uint32_t pair);
// Lists the armed pairs in the order of their primitives, so that sums do not depend on the table. False without memory.
bool tac_safe_list_armed(const TacSafe *safe, TacKeyed **list, size_t *capacity, size_t *count);
static inline void tac_safe_set_margin(TacPair *pair, double margin) {
    pair->margin = (float)(margin > 0 ? 0.99 * margin : -1);
}
// Whether the layers that are looked at are enough until they are looked at again, from where its vertices are. Sets the
// pair's margin.
bool tac_safe_certain(const TacSafe *safe, TacPair *pair, const uint32_t v[4], int na, int n, double q[4][3],
                      const TacSafeClosest *closest, TacTick now);

// --- safe_direction.c

// How far the first `na` of n places are from the others along d, below 0: not at all; and where each is, from the first.
static inline double tac_safe_width(double c[4][3], int na, int n, const double d[3], double along[4]) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) {
        along[i] = d[0] * (c[i][0] - c[0][0]) + d[1] * (c[i][1] - c[0][1]) + d[2] * (c[i][2] - c[0][2]);
        if (i < na && along[i] < low) low = along[i];
        if (i >= na && along[i] > high) high = along[i];
    }
    return low - high;
}
// The part of v at right angles to e.
static inline TacVec3 tac_safe_across(TacVec3 v, TacVec3 e) {
    double square = tac_dot(e, e);
    return square > 0 ? tac_axpy(v, -tac_dot(v, e) / square, e) : v;
}
// A unit direction, that between closest points but for rounding, becomes one along which the width is not lost.
void tac_safe_straighten(double c[4][3], int na, int n, double d[3]);

// --- safe_flat.c

// Finds the edges and vertices that touch nothing, and whether they are other ones than before. False without memory.
bool tac_safe_find_flat(TacSafe *safe, bool *changed);

// --- safe_beside.c

// The part of a push that is left where a surface comes nearer right beside it; before two edges share theirs.
double tac_safe_part_beside(const TacSafe *safe, const TacPair *pair, double q[4][3],
                            const TacSafeClosest *closest, TacTick now);
// Whether that is asked: both sides keep their shape, it loses, and has no friction.
static inline bool tac_safe_may_lean(const TacSafe *safe, const TacPair *pair) {
    const TacPairType *type = &safe->types[pair->type];
    if (!(type->restitution < 1) || type->friction > 0) return false;
    const TacPrimitive *a = &safe->primitives[pair->a], *b = &safe->primitives[pair->b];
    return safe->vertices[a->v[0]].kept && safe->vertices[b->v[0]].kept;
}

// --- safe_crowd.c

// Finds the peers of all vertices, after what is flat. False without memory.
bool tac_safe_find_peers(TacSafe *safe);
// Pairs that together push a body no harder than one may be pushed by itself.
enum { TAC_SAFE_FEW = 4 };
// By how much more softly a pair of these vertices pushes than if it were alone: those of a face are not what touches.
static inline double tac_safe_softness(const TacSafe *safe, const uint32_t v[4], int first_side, int count) {
    unsigned peers = 0;
    for (int i = 0; i < (first_side == 1 ? 1 : count); i++)
        peers = safe->vertices[v[i]].peers > peers ? safe->vertices[v[i]].peers : peers;
    return peers > TAC_SAFE_FEW ? (double)peers / TAC_SAFE_FEW : 1;
}

// --- safe_outside.c

// Held, and nobody moves it as told.
static inline bool tac_safe_never_moves(const TacSupport *s) {
    return s->bound == 0 && s->regular == TAC_RULER_CLASSES;
}
// Whether all of a pair is asleep or never moves: then its layers have nothing to do.
bool tac_safe_pair_rests(const TacSafe *safe, const TacPair *pair);

static inline uint64_t tac_safe_key(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

static inline double tac_safe_radius(const TacSafe *safe, uint32_t primitive) {
    bool own = safe->radii && primitive < safe->point_count;
    return (double)(own ? safe->radii[primitive] : safe->skin_radii[safe->primitives[primitive].skin]);
}

static inline double tac_safe_pair_radius(const TacSafe *safe, const TacPair *pair) {
    return tac_safe_radius(safe, pair->a) + tac_safe_radius(safe, pair->b);
}

// --- safe_sight.c

// Pairs that tick at one instant.
typedef struct TacSafeLook {
    TacSafe *safe;
    TacTick now;
    int due;               // the coarsest class of the ruler that ticks
    const uint32_t *pairs; // in the order of their kicks
    size_t edges;          // from here on they are pairs of edges
    size_t first;          // of those that are looked at now: the first of the kicks
} TacSafeLook;
// A loop over those from the first on: finds their kicks.
void tac_safe_look(void *look, size_t begin, size_t end, size_t chunk);
// Of what has never kicked.
#define TAC_SAFE_NEVER (INT64_MIN / 2)
// Whether the pair still has memory that counts.
bool tac_safe_is_live(const TacSafe *safe, const TacPair *pair, TacTick now);

// --- safe_kick.c

// Room for one more.
bool tac_safe_grow_lives(TacSafe *safe);
// Which anchor a class of layers has; the deepest share one.
static inline int tac_safe_anchor_slot(int k) {
    return k < TAC_ANCHORS ? k : TAC_ANCHORS - 1;
}
// Where it is; those beyond the near ones need room.
static inline double *tac_safe_anchor(const TacSafe *safe, uint32_t live, int slot) {
    if (slot < TAC_ANCHORS_NEAR) return safe->grips[live].anchor[slot];
    return safe->deep_grips[safe->lives[live].deep].anchor[slot - TAC_ANCHORS_NEAR];
}
bool tac_safe_take_deep(TacSafe *safe, uint32_t live);
// They are no longer needed.
void tac_safe_leave_deep(TacSafe *safe, uint32_t live);
TacStatus tac_safe_do_kicks(TacSafe *safe, TacTick now, TacError *error);

// --- safe_outside.c

// Where the pair is at `now`: how far its surfaces are apart.
double tac_safe_gap_at(const TacSafe *safe, const TacPair *pair, TacTick now);

// --- safe_nest.c

// The nest that the pair has at `now`; of one that began near.
TacNest tac_safe_born_nest(const TacSafe *safe, const TacPair *pair, TacTick now);
static inline TacNest tac_safe_nest(const TacSafe *safe, const TacPair *pair, TacTick now) {
    return pair->born == TAC_SAFE_NONE ? tac_nest_halved(pair->rest) : tac_safe_born_nest(safe, pair, now);
}
// A new pair gets the nest of its mesh at rest, or of its skins. `gap` is that of now.
TacStatus tac_safe_take_nest(TacSafe *safe, TacPair *pair, double gap, TacTick now, TacError *error);
// The pair's shift follows its nest; before certificates about it are made.
TacStatus tac_safe_follow_nest(TacSafe *safe, uint32_t pair, TacTick now, TacError *error);
// All pairs of the start are known.
void tac_safe_start_nests(TacSafe *safe, TacTick now);
// Whether a growing nest is pressed together at this gap.
bool tac_safe_is_deep(const TacSafe *safe, const TacPair *pair, TacNest nest, double gap);
// The pair has been kicked at `now`. Not side by side.
void tac_safe_feel_nest(TacSafe *safe, const TacPair *pair, bool is_deep, TacTick now);
size_t tac_safe_nest_bytes(const TacSafe *safe);
void tac_safe_save_nests(const TacSafe *safe, void *to);
bool tac_safe_restore_nests(TacSafe *safe, const void *from);

// --- safe_reshape.c

void tac_safe_free_reshaped(TacSafe *safe);
// A kick that is not null.
void tac_safe_feel_reshaped(TacSafe *safe, const TacSafeKick *kick, TacTick now);
size_t tac_safe_reshaped_bytes(const TacSafe *safe);
void tac_safe_save_reshaped(const TacSafe *safe, void *to);
void tac_safe_restore_reshaped(TacSafe *safe, const void *from);

// --- safe_progress.c

// More kicks of one pair within 2^40 ticks, 10 to 20 ms, are no progress.
enum { TAC_SAFE_MOST_KICKS = 1 << 21, TAC_SAFE_WINDOW = 40 };

// Lengths of edges around it that a support may fly by in a second.
#define TAC_SAFE_SIZES_PER_SECOND (0x1p18 / 0.01)
// Finds the speeds that supports may have.
void tac_safe_limit_speeds(TacSafe *safe);
// A support is so fast that its vertices fly by a quarter of a million of their sizes within ten milliseconds, or is nowhere.
TacStatus tac_safe_fail_fast(const TacSafe *safe, const TacSupport *support, TacTick now, TacError *error);

static inline bool tac_safe_is_fast(const TacSupport *s) {
    const double *v = s->v;
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double most = (double)s->most_speed;
    if (!s->frame) return !(square <= most * most);
    double turning = (double)s->reach * sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    return !(sqrt(square) + turning <= most);
}

// The layer after the last that can tick is needed.
TacStatus tac_safe_fail_below_tick(const TacSafe *safe, uint32_t pair, TacTick now, TacError *error);
// Too many kicks, the last ones in class k.
TacStatus tac_safe_fail_crawling(const TacSafe *safe, uint32_t pair, int k, TacTick now, TacError *error);

#endif
