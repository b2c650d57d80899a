// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Contact that cannot fail (document on safe contact; design: "Safe contact").
//
//   supports    what is kicked: points and frames of matter, each with its own time
//   vertices    what is seen: a support itself, a point carried by several of them, or a point of a frame
//   primitives  vertices, edges and faces of skins, with a radius
//   pairs       vertex-face and edge-edge, and balls with their degenerate kin
//
// A pair owns an infinite nest of penalty layers (layers.h), each with its own clock. A layer kicks when its
// clock ticks and the pair is nearer than its thickness; all the machinery here only finds out which of the
// infinitely many ticks would be null, so that they need not be looked at:
//
//   course       of a vertex: a straight line through a window of time (some milliseconds) and a tube around it in
//                which its plans stay.
//   moving box   of a primitive: holds its vertices' courses. Primitives whose boxes stay apart need nothing more.
//   plan         of a vertex: a free flight and a tube of half-width rho around it in which it has promised to stay
//                until the next sweep. Checked when the vertex is kicked. A body makes one for all of its vertices, and
//                is asked instead of them (safe_body.c): theirs are chords of the arcs that it has them fly, as wide as the
//                arc's bulge and the body's room, and end before the sweep where that would grow wide: tubes as wide as
//                a body make pairs of everything near it.
//   certificate  of a pair whose boxes meet: along one direction the courses' tubes stay farther apart than the
//                outermost layer until the window ends; or the plans' tubes until the next sweep, or until a time
//                before it. Linear functions only: both ends of the window decide.
//   armed        a pair that has no certificate: its classes of layers are looked at when they tick, from the
//                coarsest down to one that is certainly enough until it ticks again. Arming too early costs looks,
//                never changes what happens.
//   pace         of a vertex with armed pairs: a velocity, and by how much its own may differ. What makes "certainly
//                enough" certain between two looks.
//
// A sweep renews all plans and looks at all certificates in two passes through flat arrays. What breaks before the
// next sweep is mended one by one; the certificates that rested on it are tried in their old directions first. Sweeps and
// windows are as far apart as costs least, by counts of what broke: mending one vertex costs as much as sweeping some hundred pairs. (Tried first, and given up: plans and
// certificates that each end at a time of their own, in a timing wheel. Nearly every event then touched some twenty
// certificates in as many places of memory; a small knot took three times as long.)
//
// Stencil and support: a kick of a pair changes the supports of its vertices (stencil); a certificate rests on
// the plans or courses of the same vertices (support). So a broken plan concerns the pairs that rest on plans on
// the primitives around its vertex, and nothing else.
//
// Rules
//  1. Between instants, every vertex is inside its plan's tube, every plan in its course until the next sweep, every
//     pair with boxes that meet is in the table and has a certificate or is armed, and every vertex of an armed pair
//     keeps its pace.
//  2. A look that finds no live layer writes nothing that can be seen: no position, no velocity, no state.
//     Only a kick that is not null brings its supports to the instant. So the result does not depend on
//     tubes, boxes, trees, or on how often anybody looks (the hash tests hold this).
//  3. Kicks of one instant are added in the order of the primitives' numbers, whatever the order of the table.
//  4. A pair's memory (last gap, anchors of friction) counts only while its coarsest layer has not missed a
//     tick; a pair is not forgotten before that.
//
// One instant: tac_safe_expire (what must be looked at by now), tac_safe_kick (adds to dv), the world adds dv
// to v, tac_safe_settle (plans of all that was kicked).

#ifndef TACTUS_CONTACT_SAFE_H
#define TACTUS_CONTACT_SAFE_H

#include "constraint/joint.h"
#include "contact/audit.h"
#include "contact/layers.h"
#include "contact/meetings.h"
#include "matter/matter.h"

typedef struct TacSafe TacSafe;

// In place of a class: what kicks it has a clock that is free of the ruler.
enum { TAC_SAFE_OFF_RULER = TAC_RULER_CLASSES + 1 };

// A point or a frame that can be kicked; the pointers are into its matter.
typedef struct TacSafeSupport {
    const TacMatter *matter;
    uint32_t index;            // in its matter
    double inverse_mass[3];    // 1/kg along the axes; 0 where it is held
    double bound;              // 1/kg: largest of them
    const TacInertia *inertia; // frames only; NULL: cannot be turned
    const TacVec3 *weight; // m/s^2: what acts on it besides contact, whoever adds it; NULL: other things, too
    int regular;           // class of the ruler at which something kicks it anyway; 63: nothing does
    uint32_t
        mover; // who moves it as told, so that flat parts stay flat: the same number for all of them; 0: nobody
} TacSafeSupport;

// A vertex is carried by `count` supports with weights, or sits at a place of one frame.
typedef struct TacSafeVertex {
    uint32_t first, count; // in the def's carriers
    TacVec3 local;         // in the frame, where its only support is a frame
    const double *rest;    // its place in the mesh at rest; NULL: unknown
} TacSafeVertex;

typedef struct TacSafeCarrier {
    uint32_t support;
    double weight;
} TacSafeCarrier;

// Whatever comes; nothing, or as told; from there on, implicit solvers, who foresee what layers do to them.
typedef enum TacSafeSolver { TAC_SAFE_BY_ANY, TAC_SAFE_BY_NONE, TAC_SAFE_BY_SOLVERS } TacSafeSolver;

typedef struct TacSafeSkin {
    const char *name;
    double radius;       // m, solid thickness around its primitives
    int material;        // row of the table of pairs
    uint32_t solver;     // who alone moves all of it that can be moved: a TacSafeSolver
    double swing;        // rad/s: how fast that can swing, by its solver's laws
    uint64_t group;      // bit set: what it is
    uint64_t mask;       // what it touches
    bool self;           // touches itself
    bool balls;          // its vertices are balls: they touch each other and bare edges
    const double *radii; // per vertex, where balls differ; NULL: `radius`
    uint32_t first_vertex, vertex_count;
    const int32_t *faces; // indices from first_vertex on
    const int32_t *edges; // likewise; needed by tac_safe_create only, as is `bare`
    size_t edge_count, face_count;
    const uint8_t *bare; // per edge: 1 when no face has it; NULL: all of them
} TacSafeSkin;

// What two materials do to each other.
typedef struct TacSafeContact {
    double thickness;   // eta1, m
    double v_ref;       // m/s
    double restitution; // 0..1
    double friction;
    bool excluded;
} TacSafeContact;

typedef struct TacSafeDef {
    TacTimebase base;
    TacTeam *team;
    const TacSafeSupport *supports;
    size_t support_count;
    const TacSafeVertex *vertices;
    size_t vertex_count;
    const TacSafeCarrier *carriers;
    const TacSafeSkin *skins;
    size_t skin_count;
    const TacSafeContact *contacts; // material_count squared, symmetric
    size_t material_count;
    double gravity; // m/s^2, for the speed below which separating is resting
    // what may change cost only
    int k;            // of the k-DOPs: 6, 14, 18, 26
    double vagueness; // factor on tube widths; 0: none
    bool cone;        // plans bounded in velocity rather than in place
    bool cull;        // false: every pair is kept (small scenes)
    bool front;       // pairs are found by a traversal front that is kept, not by asking trees anew
} TacSafeDef;

TacStatus tac_safe_create(TacSafe **safe, const TacSafeDef *def, TacError *error);
void tac_safe_destroy(TacSafe *safe); // NULL is allowed

// Makes plans, boxes, pairs and certificates for what is there at `now`. Also after a restore.
TacStatus tac_safe_start(TacSafe *safe, TacTick now, TacError *error);

// Refuses what intersects or overlaps, with the number of such pairs, the first ten, and the radii that would be
// accepted. Before the start.
TacStatus tac_safe_check_start(const TacSafe *safe, TacError *error);
// Pairs that began nearer than their thickness, without overlapping: how many, the nearest, and the thickness up to which
// there would be none. False: there are none. After the start.
bool tac_safe_near_text(const TacSafe *safe, char *text, size_t size);
// Refuses such a start, with the number of such pairs, the first ten, and that thickness. Likewise.
TacStatus tac_safe_refuse_near(const TacSafe *safe, TacError *error);

// --- what nothing can part (safe_told.c) ---
//
// Of pairs of skins, parts that are fixed or move as they are told, and that meet. Skins of which nothing can be pushed at all
// do not count. Begins with everything where it is at 0; then whoever rehearses puts supports where they are told to be, and says
// so step by step. Nothing but its own memory is written.
typedef struct TacSafeTold TacSafeTold;
enum { TAC_SAFE_TOLD_LISTED = 10 };
typedef struct TacSafeToldMeeting {
    uint32_t first, second; // primitives
    double time;            // s, at the end of the step in which they meet
} TacSafeToldMeeting;
// NULL: nothing can meet so.
TacStatus tac_safe_told_begin(const TacSafe *safe, TacSafeTold **told, TacError *error);
void tac_safe_told_end(TacSafeTold *told); // NULL is allowed
// How many primitives are followed.
size_t tac_safe_told_count(const TacSafeTold *told);
// Whether nothing can push a support.
bool tac_safe_is_told(const TacSafe *safe, uint32_t support);
// Supports have gone straight on. False: there is nothing left to look for.
bool tac_safe_told_step(TacSafeTold *told, double time);
// Pairs of skins that have met; words on one of the first ten, and the name of its first skin.
size_t tac_safe_told_met(const TacSafeTold *told);
const char *tac_safe_told_text(const TacSafeTold *told, size_t number, char *text, size_t size);

// The next instant at which something must be looked at; `limit` when there is none before it.
TacTick tac_safe_next(const TacSafe *safe, TacTick from, TacTick limit);

TacStatus tac_safe_expire(TacSafe *safe, TacTick now, TacError *error);
TacStatus tac_safe_kick(TacSafe *safe, TacTick now, TacError *error);
// A support that something else kicked; before settle, which adds its dv to its v.
void tac_safe_kicked_support(TacSafe *safe, uint32_t support);
void tac_safe_kicked_all(TacSafe *safe, uint32_t first, size_t count);
// Something else begins, or ceases, to kick a support on a class of the ruler (TacSafeSupport.regular); tac_safe_moved
// must follow, at the same instant.
void tac_safe_set_regular(TacSafe *safe, uint32_t support, int regular);
// The same of some that were kicked so before, and are, on another class: either they are told kicked at this instant, too,
// or they are kicked more often than before.
void tac_safe_set_regular_all(TacSafe *safe, uint32_t first, size_t count, int regular);
// Some supports, all at `now`, fall by themselves otherwise than before (tac_matter_fall); between instants or in the middle
// of one. A restore asks by itself.
TacStatus tac_safe_renew_falls(TacSafe *safe, TacTick now, TacError *error);
// Supports fall asleep or wake: while all of a pair is asleep, or held for good, it has no live layer. tac_safe_moved must
// follow, at the same instant.
void tac_safe_set_asleep(TacSafe *safe, uint32_t first, size_t count, bool asleep);
bool tac_safe_is_asleep(const TacSafe *safe, uint32_t support);
// A joint between two sides may close while time runs; before the start. It closes or opens, at `now`, between instants;
// tac_safe_moved must follow for both sides.
typedef struct TacSafeSpan {
    uint32_t first, count; // supports
} TacSafeSpan;
TacStatus tac_safe_may_tie(TacSafe *safe, TacSafeSpan a, TacSafeSpan b, TacError *error);
TacStatus tac_safe_tie(TacSafe *safe, TacSafeSpan a, TacSafeSpan b, bool tie, TacTick now, TacError *error);
// Calls for every pair that is nearer than its outermost layer at `now`, asleep or not: the supports that can move (or
// be moved), and the skins.
enum { TAC_SAFE_SUPPORTS = 32 };
typedef void (*TacSafeTouch)(void *data, const uint32_t *supports, int count, uint32_t first_skin,
                             uint32_t second_skin);
void tac_safe_each_touch(const TacSafe *safe, TacTick now, TacSafeTouch touch, void *data);
// Calls for every pair that has pushed since the outermost layers could have ticked: the same, and its restitution.
typedef void (*TacSafePush)(void *data, const uint32_t *supports, int count, double restitution);
void tac_safe_each_push(const TacSafe *safe, TacTick now, TacSafePush push, void *data);
// Supports whose state was set from outside at `now`, between instants or in the middle of one.
TacStatus tac_safe_moved(TacSafe *safe, uint32_t first, size_t count, TacTick now, TacError *error);
// The same of supports that were put elsewhere, between instants: what never moves by itself may have another shape now.
TacStatus tac_safe_put(TacSafe *safe, uint32_t first, size_t count, TacTick now, TacError *error);
// The supports that were kicked at this instant, by anything; until settle.
const uint32_t *tac_safe_touched(const TacSafe *safe, size_t *count);
// The least length of edges around what a support carries, m; infinite where it carries nothing.
double tac_safe_size(const TacSafe *safe, uint32_t support);
const TacMatter *tac_safe_support_matter(const TacSafe *safe, uint32_t support, uint32_t *point);
// The finest class of the ruler on which the outermost layer of a pair on one of these supports can tick; TAC_RULER_CLASSES:
// none can.
int tac_safe_layer_class(const TacSafe *safe, uint32_t first, size_t count);
// What the kicks on a touched support do, beyond those in `before` (six numbers for a frame, three for a point; NULL:
// none): energy, J, and impulses, which are added.
double tac_safe_work(const TacSafe *safe, uint32_t support, const double *before, TacVec3 *linear,
                     TacVec3 *angular);
TacStatus tac_safe_settle(TacSafe *safe, TacTick now, TacError *error);

// --- matter that changes its resolution (safe_reshape.c) --------------------------------------------------------
//
// Some points of matter may be carried on straight lines between others, and who carries whom may change while time runs.
// Its vertices stay the same ones; what changes is by which supports they are carried.

// Once, before the start: vertices on the supports of this matter, `first` and on, can change who carries them. Then
// tac_safe_reshape says who does.
TacStatus tac_safe_allow_reshape(TacSafe *safe, uint32_t first, size_t count, TacError *error);
// Whether its vertices can go straight from where they are to where `lines` would have them, all at `now`, without coming
// nearer to anything than its outermost layer, or than they are. If so, tac_safe_reshape must follow, at the same instant,
// when they are there; if not, that is counted.
bool tac_safe_may_reshape(TacSafe *safe, uint32_t first, const TacCarriedPoint *lines, TacTick now);
// Whether a layer is live on its vertices, or has kicked them since.
bool tac_safe_is_touched(const TacSafe *safe, uint32_t first, TacTick since, TacTick now);
// Its points are carried as `lines` says from now on, and have these inverse masses. Its supports are at `now`; what that
// means for plans and certificates is put right by the next settle, start or restore.
TacStatus tac_safe_reshape(TacSafe *safe, uint32_t first, const TacCarriedPoint *lines, const double *inverse,
                           TacTick now, TacError *error);

// From now on kicks are told to `meetings`, which must live as long. NULL: to nobody.
void tac_safe_tell_meetings(TacSafe *safe, TacSkinMeetings *meetings);

// Potential energy of all live pairs at `now`.
double tac_safe_energy(const TacSafe *safe, TacTick now);

// Live pairs at `now`: up to `most` are written; returns how many there are.
typedef struct TacSafePlace {
    double place[3], normal[3]; // on the first side, and the way in which that is pushed
    double gap, force;
} TacSafePlace;
size_t tac_safe_places(const TacSafe *safe, TacTick now, TacSafePlace *places, size_t most);

typedef struct TacSafeStats {
    uint64_t looks, kicks;        // pair evaluations; of which not null
    uint64_t plans, certificates; // remade
    uint64_t refits, queries;     // of boxes
    uint64_t expired;             // things that came due
    size_t pairs, armed;
    int deepest;    // finest class armed so far, 63: none
    double closest; // m, smallest gap seen
    // What failed, came due or is new is processed; what rests on something that changed is rescheduled.
    uint64_t certificates_processed;   // a new one was found, or layers are looked at
    uint64_t certificates_rescheduled; // asked whether they hold until their window ends
    uint64_t lists_processed;          // pairs that came or went
    uint64_t lists_rescheduled;        // boxes that follow, asked what they meet until their window ends
    uint64_t checks;                   // of plans against motion
    // wall time, s
    double kicking, planning, checking;
    double certificates_processing, certificates_rescheduling, lists_processing, lists_rescheduling;
    uint64_t reshapes,
        postponed; // changes of who carries whom; that had to wait because something was in the way
    size_t bytes;
} TacSafeStats;
TacSafeStats tac_safe_stats(const TacSafe *safe);

// Memory of live pairs, to be saved with the world.
size_t tac_safe_save_bytes(const TacSafe *safe);
void tac_safe_save(const TacSafe *safe, void *to);
TacStatus tac_safe_restore(TacSafe *safe, const void *data, size_t bytes, TacTick now, TacError *error);

// --- the audit (audit.h) ------------------------------------------------------------------------------------

// From now on every flight is told to an audit of its own. `gravity` is that of most flights.
TacStatus tac_safe_audit_begin(TacSafe *safe, TacVec3 gravity, TacTick now, TacError *error);
void tac_safe_audit_end(TacSafe *safe);
// A support's flight ends at `now`; to be called before its state changes. Nothing without an audit.
void tac_safe_tell(TacSafe *safe, uint32_t support, TacTick now);
// Asks about everything since the last window.
TacStatus tac_safe_audit_window(TacSafe *safe, TacTick now, TacError *error);
// The same in the middle of a beat, after a failure: what was flown until then.
TacStatus tac_safe_audit_close(TacSafe *safe, TacTick now, TacError *error);
// In the middle of an instant: asks about everything until now, so that a jump can follow.
void tac_safe_tell_before_jump(TacSafe *safe, TacTick now);
// Vertices have gone straight to these places (xyz each), at that instant. Nothing without an audit.
void tac_safe_tell_jump(TacSafe *safe, const uint32_t *vertices, const double *places, size_t count);
// The vertices of these supports were put elsewhere from outside, after tac_safe_tell_before_jump.
void tac_safe_tell_put(TacSafe *safe, uint32_t first, size_t count, TacTick now);
// How the line of one skin (a wire's) went from the last step to `now`, beside another skin that it meets by contact nodes: it
// may touch it, but not pass through (line_sweep.h).
typedef struct TacSafeLine {
    const TacLinePiece *were;
    size_t were_count; // 0: not known
    const TacLinePiece *pieces;
    size_t count;
    double *
        places; // xyz of the other skin's vertices at the last step, and room for as many: kept from look to look
} TacSafeLine;
// How often it has passed through, and the first piece and face.
typedef struct TacSafeCuts {
    size_t count, piece, face;
} TacSafeCuts;
// An audit is told of each. Notes where the other skin's vertices are.
TacSafeCuts tac_safe_look_at_line(TacSafe *safe, uint32_t line, uint32_t skin, const TacSafeLine *way,
                                  TacTick now);
void tac_safe_tell_cut(TacSafe *safe, uint32_t line, uint32_t skin, size_t piece, size_t triangle,
                       TacTick now);
const TacAuditReport *tac_safe_audit_report(const TacSafe *safe); // NULL: there is no audit
const char *tac_safe_skin_name(const TacSafe *safe, size_t skin);

#endif
