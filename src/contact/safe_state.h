// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What safe contact keeps: supports, vertices, primitives, pairs, and what each remembers. safe_parts.h says who does what
// with it.

#ifndef TACTUS_CONTACT_SAFE_STATE_H
#define TACTUS_CONTACT_SAFE_STATE_H

#include "base/memory.h"
#include "base/sort.h"
#include "base/team.h"
#include "contact/safe.h"
#include "contact/start_check.h"
#include "geometry/moving_tree.h"
#include "time/ruler.h"
#include "time/wheel.h"

#define TAC_SAFE_NONE UINT32_MAX

// Vertices begin with what every kick looks at: one line of cache.
enum { TAC_LINE = 64 };

// What points of one matter have in common, but for those that are held otherwise.
typedef struct TacSupportKind {
    double
        axes[3];  // inverse mass along the axes, as parts of the support's: mostly 1, and 0 where it is held
    double g[3];  // of its flight
    double bound; // inverse mass that a vertex on it feels at most; 0: that of the support
    const TacMatter *matter;
    double *x, *v, *dv; // of the matter
    TacTick *times;
    const TacInertia *inertia; // frames only
    const TacVec3 *weight; // m/s^2: what acts on it besides contact, whoever adds it; NULL: other things, too
    float reach;           // m: of its vertices, where it is a frame
    uint8_t x_size, v_size;
    uint32_t users;
    struct TacSupportKind *next; // where nobody uses it
} TacSupportKind;

// All of it is half a line of cache.
typedef struct TacSupport {
    TacSupportKind *kind;                // shared: changed by tac_safe_set_kind only
    double w;                            // inverse mass
    uint32_t index;                      // in its matter
    uint32_t first_vertex, vertex_count; // in safe->carried
    int8_t regular;
    bool frame, touched, asleep;
} TacSupport;
_Static_assert(2 * sizeof(TacSupport) == TAC_LINE, "a support is half a line of cache");

// What must be known of a point that is kicked together with all of its matter: so little that it costs hardly more than
// to add the kick.
typedef struct TacSafeWatch {
    uint32_t vertex; // the only one on it, which is nowhere else; TAC_SAFE_NONE: there is none
    float fastest;   // m^2/s^2: squared speed up to which it is not too fast
    int8_t regular;
    bool paced;     // something rests on its vertex's pace
    bool otherwise; // it carries more than that
} TacSafeWatch;

// Where a frame flies to by now. Work that is done side by side asks for one tick, so whoever finds it may write it down for
// the others. Whatever kicks or moves a frame must forget it.
typedef struct TacFlight {
    TacTick tick, claimed; // below 0: none
    TacTick since;         // when it began
    double x[7], v[6];
} TacFlight;

// How hard a frame bends the way of its points, found once for all of them in the same way.
typedef struct TacBend {
    TacTick tick, claimed, since;
    double per_metre, lasts; // 1/s^2; s
    double fastest;          // 1/s: |omega| for as long
    double unlike;           // largest |I_j - I_k| / I_i; 0: it turns steadily
} TacBend;

// What a body plans for all of its vertices (safe_body.c).
typedef struct TacBodyPlan {
    double x[7], v[6];          // at `start`
    double mean[6];             // velocity until then, since the last sweep, if it is `averaged`
    double ahead[7], far[7];    // where that leads, at `end` and at `course_end`
    double mark[7];             // where it was at the last sweep
    TacTick start, end;         // of its vertices' chords; a sweep may come before
    TacTick course_end, marked; // marked below 0: never
    double room;                // m by which any of its points may be off
    double wanted;              // m that its history asks for
    double size;                // m, mean length around its vertices
    double per_metre, fall; // 1/s^2, m/s^2: how hard the plan bends the way of points, beside a free flight
    double fastest;         // 1/s: |omega| of the plan
    uint32_t kicks;         // since the last sweep
    uint32_t paced;         // vertices with a pace: the first ones of safe->carried
    bool averaged, steady;  // steady: at that velocity rather than flying freely
    bool broken;            // since the last sweep
} TacBodyPlan;

// A free flight and a tube around it, until the next sweep.
typedef struct TacPlan {
    double p[3], u[3]; // at start
    TacTick start;
    float rho;    // half-width, m
    float spread; // m/s by which the tube widens (cones), 0 for tubes
} TacPlan;

// What a sweep reads of a plan or of a course: where it begins, how it goes on, and how wide it is. A course is a straight
// line through the window of boxes, with a tube around it in which the plans of the window stay; one that ends where it begins
// holds beyond the window.
typedef struct TacSwept {
    double c[3];
    float way[3]; // from there to its end
    float rho;    // half-width, m; of a plan, with what rounding takes from its way
    float wanted; // the half-width that its history asks for
} TacSwept;
_Static_assert(sizeof(TacSwept) == 48, "there are two to a vertex");

// What a pair's certificate rests on. A broken plan concerns only the pairs that rest on plans.
typedef enum TacLevel {
    TAC_LEVEL_NONE,  // its layers are looked at, or it is not there
    TAC_LEVEL_TIMED, // plans, until a time before the next sweep
    TAC_LEVEL_PLAN,
    TAC_LEVEL_COURSE
} TacLevel;

// Where a vertex was at the last mark, TacSafe.marked, and how fast on the average before.
typedef struct TacTrend {
    double place[3];
    float mean[3];
    float span; // s over which the mean was taken; 0: there is none; below 0: there is no mark either
} TacTrend;

// What a sweep looks at: that along d, of length at most 1, the first side is farther than `reach` from the other. Of
// two edges: two vertices each, and `reach` is negative; of others: one vertex, and three of the other side, the last
// repeated where there are fewer.
typedef struct TacCertificate {
    uint32_t v[4];
    float d[3], reach;
    uint32_t pair;
    uint8_t level; // TacLevel: what it rests on
    bool listed;   // by the last sweep
} TacCertificate;

// A velocity, and by how much a vertex's own may differ from it along each axis. Pairs whose layers are looked at
// rest on paces rather than on tubes: they see where they are at every look, and need a promise only until the next.
typedef struct TacPace {
    TacTick start;
    float u[3]; // m/s, at start
    float slack;
    float wanted; // m/s: the slack that its history asks for
} TacPace;

typedef enum TacCarriedBy {
    TAC_BY_BODY = 1,      // some of it is a body
    TAC_BY_KICKED = 2,    // something else kicks some of it as well
    TAC_BY_DEFORMING = 4, // and that is no body
} TacCarriedBy;

typedef struct TacVertex {
    _Alignas(TAC_LINE) uint32_t support; // where it is a support itself; else TAC_SAFE_NONE
    uint32_t first, count;               // carriers; none are stored of what is a support itself
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
    TacTrend trend;                            // over sweeps
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
enum { TAC_SAFE_IDLE_BITS = 6 };
typedef struct TacPair {
    uint32_t a, b;
    uint32_t next[2], previous[2]; // in the lists of a and of b: pair * 2 + side; TAC_SAFE_NONE: none
    uint32_t live;                 // its memory; TAC_SAFE_NONE: none
    union {
        // of what is armed: m by which it is certain; below 0: it must be looked at when a pace changes
        float margin;
        uint32_t certificate; // of others; TAC_SAFE_NONE: none
    };
    double r1;
    uint16_t type;
    uint16_t shift; // number of its nest, when last certified
    int8_t armed;   // finest class of layers that is looked at; -1: none
    uint8_t
        slower; // by how many classes of the ruler the coarsest is looked at less often, where none can be live
    uint8_t rest : 7; // shift of its nest when that is grown
    uint8_t soft : 1; // it pushes more softly, since many may push together (safe_hub.c)
    uint8_t idle : TAC_SAFE_IDLE_BITS, dirty : 1;
    uint8_t born : 1; // its skins have an entry in safe->born; else they began apart
} TacPair;
_Static_assert(sizeof(TacPair) == 48, "there are many");

// Classes of layers that have anchors of their own. What merely rests is in the first one: only pairs that are pressed
// deeper have room for more.
enum { TAC_ANCHORS = 12, TAC_ANCHORS_NEAR = 1 };

// What a live pair remembers, all of it from past positions. All of it is saved, after its key: no gaps. Only its pair knows
// where it is.
typedef struct TacLive {
    TacTick tick;                    // of its last tick
    double gap;                      // then, in units of its nest
    uint32_t anchored : TAC_ANCHORS; // bits
    uint32_t returns : 4;            // how often it has come back since it became live
    uint32_t crowd : 10; // pairs that pushed the same body at its last whole tick; 0: it pushes none
    uint32_t clock : 6;  // class of layers on whose clock all of them kicked last, + 1; 0: each on its own
    uint32_t kicks : 22; // within the window of its last tick
    uint32_t turns : 4;  // how often it has come back since it became live, or was hit
    uint32_t mates : 6;  // class of layers with whose clock it keeps up
    float speed;         // m/s at which the gap grew before its last tick; 0 where it did not remember
    float hit;           // m/s at which it closed when it last did; less with every time that it turns round
    float yield;         // m by which its gap is wider than it has been of late, in units of its nest
    float age;           // s since it became live
} TacLive;
_Static_assert(sizeof(TacLive) == 40, "there are five to a vertex of what lies on something");

// Supports that kicks push, from the first to the last, and maybe not all of those between; the last before the first: none.
typedef struct TacSafeReach {
    uint32_t first, last;
} TacSafeReach;

// Pairs that push a body at one instant, and the finest class of layers that one of them is in.
typedef struct TacCrowd {
    uint32_t pairs, deepest;
} TacCrowd;

// One of them: `live` and `wanted` of its kick.
typedef struct TacMember {
    uint32_t pair;
    uint8_t live, wanted;
} TacMember;

// And more, where there is friction: how far the first side is from the second (tac_safe_between) where the near anchor does not
// pull. What lies there stays as near to it as it is pulled, and so do these numbers: nothing is added up from tick to tick that
// rounding could drive away. How far it slides until the next tick is seen at the weights of this one: they need no more digits
// than a float has, as both sides are moved by them alike.
typedef struct TacGrip {
    double stuck[3];
    float pulled[3]; // m: how far the near anchor was away after its last tick
    float weight[2]; // then
    uint32_t deep;   // its anchors beyond the near one; TAC_SAFE_NONE: none
} TacGrip;
_Static_assert(sizeof(TacGrip) == 48, "there are as many");

// On a scale that goes on where the near anchor is dragged along.
typedef struct TacDeepGrip {
    double near[3]; // where the near anchor is
    double anchor[TAC_ANCHORS - TAC_ANCHORS_NEAR][3];
} TacDeepGrip;

// Edges that meet at a vertex, and what lies near it at rest, of what may touch something (safe_hub.c).
typedef struct TacHub {
    uint16_t edges, near_points, near_edges;
} TacHub;

// Of a pair that pulls at a round surface (safe_round.c): where each side's frame had the place at which friction acted at the
// last tick, from its core. A float has digits enough: the same is taken from it at both ends of a way.
typedef struct TacArms {
    float at[2][3]; // 0 of a side that no frame carries
} TacArms;

// How stiffly a support is held (safe_haste.c).
typedef struct TacHaste {
    float sum, before; // 1/s: in the window of the last note, and in the one before that
    uint32_t window;
} TacHaste;

typedef struct TacPairType { // of two materials
    TacLayers layers;
    double restitution, friction;
    double v_ref;  // m/s: usual speed of impacts
    double v_rest; // m/s: what parts more slowly rests rather than bounces
    double growth; // of nests that began small, 1/s
    bool excluded;
    bool weightless; // nothing falls: what parts does not come back by itself
} TacPairType;

// Speed of parting below which a pair rests, m/s: its push wanes up to there, and not at once, or what rests would chatter.
// `kick` is what a tick of its push does to its speed: what lies on it may weigh many times what it weighs itself. Hits are
// much faster.
static inline double tac_safe_rest_speed(const TacPairType *type, double kick) {
    double least = type->v_rest, most = 16 * least, wanted = 4 * kick;
    return wanted < least ? least : wanted < most ? wanted : most;
}

// What all kicks are asked for comes first: one line of cache, or two.
typedef struct TacSafeKick {
    uint32_t pair;
    uint8_t count;
    int8_t deepest;
    bool doubtful;    // whether its classes are the ones to look at until its next tick
    bool deep;        // its nest is pressed together
    bool fresh;       // it had no live layer before
    bool cramped;     // it has no room for what it would remember, and was not kicked yet
    bool crawls;      // it kicks too often
    bool whole;       // all of its live layers ticked
    uint16_t meeting; // where kicks between its skins are noted
    bool near;        // it is nearer than its outermost layer
    uint8_t live;     // finest class of layers that is live, where all tick together
    uint8_t wanted;   // on whose clock its kicks would be as small as those of what just rests, likewise
    uint8_t side;     // vertices of its first side
    float stiff;      // N s/m: what it adds to how stiffly its supports are held
    TacSafeReach reach;
    double gap, push; // push: of the impulse without friction
    uint32_t v[4];
    double weight[4];
    double impulse[3];
    double normal[3];
    double lever[2]; // m: how far from the core of each side friction acts; 0: there
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
    TacPairType *types; // those that differ
    uint16_t *type_of;  // of two materials, one that is foreseen after one that is not
    size_t material_count, skin_count;

    TacArena arena; // for as many things as there are from the beginning
    TacSupport *supports;
    uint32_t *movers; // of supports, as in TacSafeSupport; NULL: none has one
    TacSafeWatch *watches;
    float *most_speeds; // m/s, of supports: faster ones would only be followed at a crawl
    size_t support_count;
    TacSupportKind *free_kinds;
    size_t kind_count;
    TacSafeCarrier *carriers; // of vertices that are no supports themselves
    uint32_t *carried;        // vertices of each support
    TacVertex *vertices;
    TacVertexLore *lore;
    const double **rests;    // of vertices: places in the mesh at rest; NULL: all are supports, and theirs
    TacVec3 *locals;         // of vertices on frames; NULL where there are none
    uint32_t *bodies;        // of vertices, as tac_safe_bodies; NULL likewise
    uint32_t *seats;         // of vertices on frames, in `carried`; NULL where there are none
    TacFlight *flights;      // of supports from the first frame to the last; NULL likewise
    TacBodyPlan *body_plans; // of the same supports; NULL likewise
    TacBend *bends;          // of the same supports; NULL likewise
    TacCrowd *crowds;        // what pushes each of these supports now; NULL likewise
    TacMember *members;      // of crowds, at this instant
    size_t member_count, member_capacity;
    size_t frame_count;  // from the first frame to the last
    TacHub *hubs;        // of vertices
    uint16_t *loads;     // of vertices that others carry: how many press the same point; NULL: there are none
    TacHaste *hastes;    // of supports
    int haste_class;     // of the ruler: length of their windows
    uint32_t last_note;  // window in which one was noted last
    uint32_t last_haste; // in which one was so large that somebody may have to hurry in the next
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
    TacTick marked;              // when all vertices were marked last
    uint64_t shaped[3];          // their number when each tree was shaped
    uint64_t broken, null_looks; // since the sweep: vertices, and what else a window costs that is too long
    size_t dirty_kinds[3];

    TacPair *pairs;
    TacCertificate *certificates; // of pairs that are not armed
    size_t certificate_count, certificate_capacity;
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
    uint32_t *arms_of; // of each live pair; TAC_SAFE_NONE: it has none; NULL where no frame is round
    TacArms *arms;
    size_t arm_of_capacity, arm_count, arm_capacity;
    TacSafeList free_lives, free_deep, free_arms;
    TacBorn *born;
    size_t born_count, born_capacity;
    TacStartReport near;         // pairs that began near; an element is a number in `primitives`
    double most_eta, most_speed; // of all types: thickness, speed of reference
    bool uneven;                 // not all vertices fall alike
    bool balls;                  // there are some
    bool rough;                  // something has friction
    bool round;                  // and something on a frame has a radius
    TacSafeFind finds[TAC_MOVING_TREE_PARTS];

    TacRuler ruler;        // armed pairs
    TacWheel vertex_wheel; // plans that are left before the next sweep: of vertices, then of bodies
    TacWheel pair_wheel;   // certificates that end before it

    TacSafeList touched, dirty_vertices, dirty_primitives, dirty_pairs;
    TacSafeList
        pushed[TAC_SAFE_PUSHERS - 1]; // what threads have touched besides, while they push side by side
    TacSafeList fresh;                // pairs that got their first live layer at the last instant with kicks
    TacSafeKick *kicks;               // of some pairs at a time
    size_t kick_capacity;
    bool cramped;          // one of them at least
    TacSafeReach *reaches; // of stretches of them
    size_t reach_capacity;
    uint64_t *order; // of new pairs, or of those that tick
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

#endif
