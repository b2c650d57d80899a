// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the files of safe contact do for each other; safe.h says what it is all for, safe_state.h what they share.
//
//   safe.c        making, one instant, saving
//   safe_settle.c  what was kicked: does it keep its promises?
//   safe_plan.c   where supports and vertices are; plans and their tubes
//   safe_body.c   where frames are; plans of bodies, for all of their vertices
//   safe_box.c    courses, trees of moving boxes, which pairs there are
//   safe_front.c  the same by a traversal front that is kept
//   safe_sweep.c  windows: all plans and certificates anew
//   safe_pair.c   geometry of a pair, certificates, arming
//   safe_certificate.c  the certificates that there are
//   safe_flat.c   edges and vertices that are no feature of their surface
//   safe_beside.c  pairs that have nearer ones right beside them
//   safe_types.c  layers between two materials, and how often they tick
//   safe_crowd.c  corners of a body that push together
//   safe_hub.c    many edges and faces in one place: pairs that push together
//   safe_haste.c  layers that hurry because of others on the same points
//   safe_direction.c  directions of certificates, where rounding would spoil them
//   safe_round.c  where friction acts on what is round
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

#include "contact/safe_state.h"
#include "math/extremes.h"

// Ways to break it on purpose, for tests that the audit notices: layers are never armed, certificates are looked
// at late, arcs are taken for straight lines, ways of coarsening wires are not looked at. Nothing but tests/sabotage defines TACTUS_SABOTAGE.
#define TAC_SABOTAGE_LAYERS  1
#define TAC_SABOTAGE_LATE    2
#define TAC_SABOTAGE_SAGITTA 3
#define TAC_SABOTAGE_RESHAPE 4
#ifndef TACTUS_SABOTAGE
#define TACTUS_SABOTAGE 0
#endif

// When the next sweep is due.
static inline TacTick tac_safe_sweep_tick(const TacSafe *safe) {
    TacTick late = TACTUS_SABOTAGE == TAC_SABOTAGE_LATE ? tac_ticks_floor(safe->base, 0.05) : 0;
    return safe->sweep_until + late;
}

static inline double tac_safe_seconds(const TacSafe *safe, TacTick ticks) {
    return (double)ticks * safe->base.tick;
}

// A float that is not less, without a call.
static inline float tac_safe_up(double value) {
    double more = value + 0x1p-23 * fabs(value) + 0x1p-149;
    return (float)more >= value ? (float)more : INFINITY;
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
// Of a support; it shares it with the one before, where that has the same. False without memory.
bool tac_safe_set_kind(TacSafe *safe, uint32_t support, const TacSupportKind *kind);
static inline double *tac_support_x(const TacSupport *s) {
    return s->kind->x + (size_t)s->kind->x_size * s->index;
}
static inline double *tac_support_v(const TacSupport *s) {
    return s->kind->v + (size_t)s->kind->v_size * s->index;
}
static inline double *tac_support_dv(const TacSupport *s) {
    return s->kind->dv + (size_t)s->kind->v_size * s->index;
}
static inline TacTick *tac_support_time(const TacSupport *s) {
    return s->kind->times + s->index;
}
// Who carries a vertex: the k-th of its `count`.
static inline TacSafeCarrier tac_safe_carrier(const TacSafe *safe, const TacVertex *v, uint32_t k) {
    return v->support == TAC_SAFE_NONE ? safe->carriers[v->first + k] : (TacSafeCarrier){v->support, 1};
}
// Where a vertex is in its mesh at rest; NULL: unknown.
static inline const double *tac_safe_rest(const TacSafe *safe, uint32_t vertex) {
    uint32_t support = safe->vertices[vertex].support;
    if (safe->rests) return safe->rests[vertex];
    const TacSupport *s = &safe->supports[support];
    return s->kind->matter->vectors[TAC_X_REST] + (size_t)s->kind->x_size * s->index;
}
static inline double tac_support_w(const TacSupport *s, int axis) {
    return s->kind->axes[axis] * s->w;
}
static inline double tac_support_bound(const TacSupport *s) {
    return s->kind->bound > 0 ? s->kind->bound : s->w;
}
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
void tac_safe_motion(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3], double v[3]);
static inline void tac_safe_place(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3]) {
    uint32_t support = safe->vertices[vertex].support;
    if (support != TAC_SAFE_NONE) {
        const TacSupport *s = &safe->supports[support];
        const double *from = tac_support_x(s), *v = tac_support_v(s), *g = s->kind->g;
        double h = tac_safe_seconds(safe, now - *tac_support_time(s));
        for (int k = 0; k < 3; k++) x[k] = from[k] + h * v[k] + 0.5 * h * h * g[k];
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
// Whether looking at its new plan (tac_safe_file_plan) would find nothing to do but unfile it; side by side with others.
bool tac_safe_is_quiet(const TacSafe *safe, uint32_t vertex, TacTick now);
// A plan that is kept.
void tac_safe_unfile_plan(TacSafe *safe, uint32_t vertex);
// Looks at a new plan: files when it is left, if that is before the next sweep.
void tac_safe_file_plan(TacSafe *safe, uint32_t vertex, TacTick now);
void tac_safe_mark_dirty(TacSafe *safe, uint32_t vertex);
// One more pair rests on the vertex's pace.
void tac_safe_rest_on_pace(TacSafe *safe, uint32_t vertex, TacTick now);

// Looks whether the vertex keeps its pace, if it has one; otherwise makes another.
void tac_safe_check_pace(TacSafe *safe, uint32_t vertex, TacTick now);
// A pace that is much wider than needed becomes narrower, at a sweep. Only the vertex's own data are written.
void tac_safe_narrow_pace(const TacSafe *safe, uint32_t vertex, TacTick now);
// When that many seconds have gone by.
TacTick tac_safe_after(const TacSafe *safe, TacTick now, double seconds);
// What must be looked at by a tick: a vertex, or a body; TAC_TICK_NEVER: not at all.
void tac_safe_file(TacSafe *safe, uint32_t id, TacTick tick);
// By how much the widths that are good for nothing but cost, at least and at most, are less before the factor of the scene:
// where that is large, what is too wide for it narrows again.
static inline double tac_safe_widened(const TacSafe *safe) {
    return safe->def.vagueness > 1 ? safe->def.vagueness : 1;
}
// The least half-width of a tube, so far from the origin.
double tac_safe_least_width(const TacSafe *safe, double size);

// --- safe_body.c

bool tac_safe_take_flights(TacSafe *safe);
void tac_safe_forget_flight(const TacSafe *safe, uint32_t support);
// When lengths and vertices are known.
void tac_safe_measure_bodies(TacSafe *safe);
void tac_safe_motion_on_frame(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3], double u[3]);
// How a frame is turned at `now`.
TacQuat tac_safe_turn(const TacSafe *safe, uint32_t support, TacTick now);
// How hard its way bends, m/s^2, for as long as `lasts`; 0 where it is on no frame.
double tac_safe_bend(const TacSafe *safe, uint32_t vertex, TacTick now, double *lasts);
// A new plan of a body; its vertices must follow.
void tac_safe_plan_body(TacSafe *safe, uint32_t support, TacTick now);
// Looks whether its plan holds until somebody looks again; otherwise makes another.
void tac_safe_check_body(TacSafe *safe, uint32_t support, TacTick now);
void tac_safe_body_kicked(TacSafe *safe, uint32_t support, TacTick now);
void tac_safe_sweep_bodies(TacSafe *safe, TacTick now);
// Something begins or ceases to rest on the pace of a vertex on a frame.
void tac_safe_seat(TacSafe *safe, uint32_t vertex);
// Of a vertex on a frame, where its body has a plan that begins now: where a chord of its arc begins, and the free flight
// along it. Returns the half-width in which it stays.
double tac_safe_chord(const TacSafe *safe, uint32_t vertex, double from[3], double u[3]);
// The same for as much of the window of boxes as is worth while, without the body's room.
double tac_safe_arc(const TacSafe *safe, uint32_t vertex, double from[3], double u[3]);

// When a plan ends, if nothing breaks it.
static inline TacTick tac_plan_end(const TacSafe *safe, uint32_t vertex) {
    if (!safe->vertices[vertex].frame) return safe->sweep_until;
    TacTick end = safe->body_plans[safe->bodies[vertex] - 1 - safe->first_frame].end;
    return end < safe->sweep_until ? end : safe->sweep_until;
}

// Its half-width after t seconds.
static inline double tac_plan_width(const TacPlan *plan, double t) {
    return (double)plan->rho + (double)plan->spread * t;
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
    *rho = tac_plan_width(plan, t);
}

// For how long a point must keep its plan: until it is swept, or kicked again where it is kicked regularly.
static inline double tac_safe_ahead(const TacSafe *safe, int regular, TacTick now) {
    TacTick left = safe->sweep_until - now;
    if (regular < TAC_RULER_CLASSES) {
        TacTick period = (TacTick)1 << regular, next = period - (now & (period - 1));
        if (next < left) left = next;
    }
    return tac_safe_seconds(safe, left);
}

// The common case of a check, in a few operations: a point at x and v, at `now`, that stays in its tube.
static inline bool tac_safe_plan_holds(const TacSafe *safe, const TacPlan *plan, const double g[3],
                                       const double x[3], const double v[3], int regular, TacTick now) {
    double t = tac_safe_seconds(safe, now - plan->start), ahead = tac_safe_ahead(safe, regular, now);
    double rho = tac_plan_width(plan, t), most = 0;
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
    for (int k = 0; k < 3; k++)
        kept = kept && fabs(v[k] - (double)pace->u[k] - t * g[k]) <= (double)pace->slack;
    return kept;
}
// The frame of each vertex, counted from 1; 0: it is on none.
void tac_safe_bodies(const TacSafe *safe, uint32_t *bodies);

// --- safe_types.c

TacStatus tac_safe_take_types(TacSafe *safe, const TacSafeDef *def, TacError *error);
// What the layers between two skins are.
uint16_t tac_safe_type(const TacSafe *safe, const TacSafeSkin *a, const TacSafeSkin *b);
// Whether there are none, though both may touch what the other is.
static inline bool tac_safe_excludes(const TacSafe *safe, const TacSafeSkin *a, const TacSafeSkin *b) {
    size_t pair = (size_t)a->material * safe->material_count + (size_t)b->material;
    return safe->types[safe->type_of[2 * pair]].excluded;
}
// Whether something of one may touch something of the other.
static inline bool tac_safe_skins_meet(const TacSafe *safe, const TacSafeSkin *a, const TacSafeSkin *b) {
    bool meet = a == b ? a->self : (a->group & b->mask) && (b->group & a->mask);
    return meet && !tac_safe_excludes(safe, a, b);
}

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
// Whether a course that is not left has no way: it holds beyond the window.
static inline bool tac_safe_is_still(const TacSwept *course) {
    return course->way[0] == 0 && course->way[1] == 0 && course->way[2] == 0;
}
// Whether a course that holds beyond the window is much wider than it need be, which keeps pairs that are none.
bool tac_safe_is_wide(const TacSafe *safe, uint32_t vertex, TacTick now);
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

// Whether a certificate holds: the tubes of its vertices, of plans or of courses, are apart along its direction at
// both ends of the window. Between them they move in straight lines.
static inline bool tac_safe_stays_apart(const TacSafe *safe, const TacCertificate *c, TacLevel level) {
    const TacSwept *swept = level == TAC_LEVEL_COURSE ? safe->courses : safe->swept;
    double d[3] = {(double)c->d[0], (double)c->d[1], (double)c->d[2]};
    double one = fabs(d[0]) + fabs(d[1]) + fabs(d[2]), reach = fabs((double)c->reach), doubt = reach;
    double wide[4], s[4], way[4];
    for (int i = 0; i < 4; i++) {
        const TacSwept *w = &swept[c->v[i]];
        wide[i] = one * (double)w->rho;
        s[i] = d[0] * w->c[0] + d[1] * w->c[1] + d[2] * w->c[2];
        way[i] = d[0] * (double)w->way[0] + d[1] * (double)w->way[1] + d[2] * (double)w->way[2];
        doubt += fabs(s[i]) + fabs(way[i]);
    }
    bool apart = true;
    for (int end = 0; end < 2; end++) {
        double second = s[1] + wide[1], low = s[0] - wide[0];
        double high = s[2] + wide[2] > s[3] + wide[3] ? s[2] + wide[2] : s[3] + wide[3];
        if (c->reach < 0)
            low = low < s[1] - wide[1] ? low : s[1] - wide[1];
        else
            high = high > second ? high : second;
        apart = apart && low - high > reach + 1e-14 * doubt;
        for (int i = 0; i < 4; i++) s[i] += way[i];
    }
    return apart;
}

// --- safe_certificate.c

// A pair that is not armed gets a certificate, if it has none. False without memory.
bool tac_safe_take_certificate(TacSafe *safe, uint32_t pair);
// It has one no longer; before it is armed.
void tac_safe_drop_certificate(TacSafe *safe, uint32_t pair);
// What sweeps look at from now on.
void tac_safe_certify_at(TacSafe *safe, uint32_t pair, TacLevel level, const float d[3]);
static inline TacLevel tac_safe_level(const TacSafe *safe, const TacPair *p) {
    bool has = p->armed < 0 && p->certificate != TAC_SAFE_NONE;
    return has ? (TacLevel)safe->certificates[p->certificate].level : TAC_LEVEL_NONE;
}

// --- safe_closest.c, safe_pair.c

typedef struct TacSafeClosest {
    double normal[3]; // from b to a
    double distance;  // between the two closest points
    double weight[4]; // +: a's side, -: b's
    double part;      // of its push that is its own (tac_safe_share); 1 where nobody has asked
} TacSafeClosest;

static inline int tac_safe_corner_count(const TacPrimitive *p) {
    return (int)p->kind + 1;
}

static inline int tac_safe_vertices(const TacSafe *safe, const TacPair *pair, uint32_t v[4],
                                    int *first_side) {
    const TacPrimitive *a = &safe->primitives[pair->a], *b = &safe->primitives[pair->b];
    int na = tac_safe_corner_count(a), nb = tac_safe_corner_count(b), n = 0;
    for (int i = 0; i < na; i++) v[n++] = a->v[i];
    for (int i = 0; i < nb; i++) v[n++] = b->v[i];
    *first_side = na;
    return n;
}
TacSafeClosest tac_safe_closest(const TacSafe *safe, const TacPair *pair, double q[4][3]);
// How a pair pushes, given where it is closest: two edges that are all but parallel in the middle of what they share, without
// jumps from end to end; a vertex above the seam of a flat part by each of its faces in part, together as one.
#define TAC_SAFE_SEAM     0.05                    // of their distance: half the width of a seam
#define TAC_SAFE_SEAM_FAR (1.001 * TAC_SAFE_SEAM) // farther from it there is none
#define TAC_SAFE_PARALLEL 1e-4                    // sin^2 of their angle
#define TAC_SAFE_ALIKE    0.01 // of their distance: ends of edges that differ by more are told apart
void tac_safe_share(const TacSafe *safe, const TacPair *pair, double q[4][3], TacSafeClosest *closest,
                    TacTick now);
// Of a vertex, the first of q, and a face of which the surface goes on beyond some sides: its part, and above a seam how it
// pushes.
double tac_safe_part_of_face(const TacSafe *safe, const TacPrimitive *face, double q[4][3],
                             TacSafeClosest *closest);
bool tac_safe_may_touch(const TacSafe *safe, uint32_t a, uint32_t b);
uint32_t tac_safe_find_pair(const TacSafe *safe, uint32_t a, uint32_t b);
void tac_safe_expect_pair(const TacSafe *safe, uint64_t key); // it will be looked for soon
void tac_safe_expect_found(const TacSafe *safe,
                           uint64_t key); // still sooner: its place in the table is there
// What lies still, with courses that hold beyond their window, and so far apart that no layer is reached while they do, is no
// pair: it is found again when one of these courses is left. Of what moves, courses are new with every window, and to find it
// so often costs more than to keep it. `a` and `b` are primitives that may touch.
bool tac_safe_lie_apart(const TacSafe *safe, uint32_t a, uint32_t b);
// Whether a pair is certain to be so, and may be let go.
bool tac_safe_lies_apart(const TacSafe *safe, const TacPair *pair);
// Pairs become numbers without gaps, where many were let go. Not while some are listed by their numbers.
TacStatus tac_safe_close_gaps(TacSafe *safe, TacError *error);
TacStatus tac_safe_add_pair(TacSafe *safe, uint32_t a, uint32_t b, TacTick now, TacError *error);
void tac_safe_remove_pair(TacSafe *safe, uint32_t pair);
void tac_safe_verdict(const TacSafe *safe, uint32_t pair, TacTick now, TacVerdict *verdict);
TacStatus tac_safe_apply_verdict(TacSafe *safe, uint32_t pair, const TacVerdict *verdict, TacTick now,
                                 TacError *error);
void tac_safe_mark_pair(TacSafe *safe, uint32_t pair);
// Puts armed pairs in the order of their primitives. Low halves of `list` are pairs, and stay so; high ones are their first
// primitives, and are lost.
void tac_safe_put_in_order(const TacSafe *safe, uint64_t *list, size_t count);
// Lists the armed pairs, as low halves, in that order, so that sums do not depend on the table. False without memory.
bool tac_safe_list_armed(const TacSafe *safe, uint64_t **list, size_t *capacity, size_t *count);
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
static inline double tac_safe_crowd_softness(const TacSafe *safe, const uint32_t v[4], int first_side,
                                             int count) {
    unsigned peers = 0;
    for (int i = 0; i < (first_side == 1 ? 1 : count); i++)
        peers = safe->vertices[v[i]].peers > peers ? safe->vertices[v[i]].peers : peers;
    return peers > TAC_SAFE_FEW ? (double)peers / TAC_SAFE_FEW : 1;
}

// --- safe_hub.c

// Counts what is around all vertices, after what is flat; anew where other parts may be flat. False without memory.
bool tac_safe_take_hubs(TacSafe *safe);
bool tac_safe_find_hubs(TacSafe *safe);
// By how much more softly a pair of these vertices pushes, since many others may push together with it; 1: as if it were alone.
double tac_safe_hub_softness(const TacSafe *safe, const uint32_t v[4], int first_side, int count);
// The same for all reasons; of a pair that knows whether it is soft.
static inline double tac_safe_softness(const TacSafe *safe, const TacPair *pair, const uint32_t v[4],
                                       int first_side, int count) {
    double crowd = tac_safe_crowd_softness(safe, v, first_side, count);
    return pair->soft ? tac_larger(crowd, tac_safe_hub_softness(safe, v, first_side, count)) : crowd;
}

// --- safe_outside.c

// Held, and nobody moves it as told.
static inline bool tac_safe_never_moves(const TacSupport *s) {
    return tac_support_bound(s) == 0 && s->regular == TAC_RULER_CLASSES;
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
    const uint64_t *pairs; // low halves, in the order of their kicks
    size_t edges;          // from here on they are pairs of edges
    size_t first;          // of those that are looked at now: the first of the kicks
} TacSafeLook;
// Some of them, from the first on.
typedef struct TacSafeStretch {
    size_t begin, end;
} TacSafeStretch;
// Finds the kicks of two stretches, one after the other; they may be empty.
void tac_safe_look(const TacSafeLook *look, const TacSafeStretch stretches[2]);
// Of what has never kicked.
#define TAC_SAFE_NEVER (INT64_MIN / 2)
// Whether the pair still has memory that counts.
bool tac_safe_is_live(const TacSafe *safe, const TacPair *pair, TacTick now);

// --- safe_kick.c

#define TAC_SAFE_REACHES_NONE ((TacSafeReach){UINT32_MAX, 0})
static inline void tac_safe_reach_on(TacSafeReach *reach, TacSafeReach more) {
    if (more.first < reach->first) reach->first = more.first;
    if (more.last > reach->last) reach->last = more.last;
}
// Room for one more.
bool tac_safe_grow_lives(TacSafe *safe);
// Which anchor a class of layers has; the deepest share one.
static inline int tac_safe_anchor_slot(int k) {
    return k < TAC_ANCHORS ? k : TAC_ANCHORS - 1;
}
// Where it is; of those beyond the near one, which have room of their own.
static inline double *tac_safe_anchor(const TacSafe *safe, uint32_t live, int slot) {
    return safe->deep_grips[safe->grips[live].deep].anchor[slot - TAC_ANCHORS_NEAR];
}
// Whether a pair has any of them.
static inline bool tac_safe_is_deeply_anchored(const TacSafe *safe, uint32_t live) {
    return safe->lives[live].anchored >> TAC_ANCHORS_NEAR;
}
// How far the first side of a pair is from the second, at two weights: of two edges, those of the second vertex of the one and
// of the other; of others, those of the first two vertices of the second side. Only differences of places count, so nothing
// changes where all of it moves alike.
static inline TacVec3 tac_safe_between(const float weight[2], bool edges, int n, double q[4][3]) {
    int last = n - 1, from = edges ? 2 : last, middle = edges ? 3 : last < 2 ? last : 2;
    TacVec3 to = tac_load3(q[from]), first = tac_sub(tac_load3(q[1]), edges ? tac_load3(q[0]) : to);
    TacVec3 second = tac_sub(tac_load3(q[middle]), to);
    return tac_axpy(tac_axpy(tac_sub(tac_load3(q[0]), to), (double)weight[0], first), (double)weight[1],
                    second);
}
bool tac_safe_take_deep(TacSafe *safe, uint32_t live);
// They are no longer needed.
void tac_safe_leave_deep(TacSafe *safe, uint32_t live);
TacStatus tac_safe_do_kicks(TacSafe *safe, TacTick now, TacError *error);

// --- safe_round.c

// Whether something on a frame is round, and has friction.
void tac_safe_find_round(TacSafe *safe);
// Whether friction turns a frame of the pair as it pulls at its surface. Only where `round`.
bool tac_safe_has_lever(const TacSafe *safe, const TacPair *pair);
// How far from the core of each side of such a pair friction acts, towards the other; 0: there.
void tac_safe_find_levers(const TacSafe *safe, const TacPair *pair, int n, double q[4][3],
                          const TacSafeClosest *closest, double lever[2]);
// The way to there.
static inline TacVec3 tac_safe_arm(const double normal[3], const double lever[2], bool second) {
    return tac_scale(tac_load3(normal), second ? lever[1] : -lever[0]);
}
// 1/kg: how much more easily friction moves the sides at these levers.
double tac_safe_lightness(const TacSafe *safe, const TacPair *pair, const double lever[2]);
static inline bool tac_safe_has_arms(const TacSafe *safe, uint32_t live) {
    return safe->round && safe->arms_of[live] != TAC_SAFE_NONE;
}
// A pair has become live. False without memory.
bool tac_safe_take_arms(TacSafe *safe, const TacPair *pair);
void tac_safe_leave_arms(TacSafe *safe, uint32_t live);
// Friction acts so far from the cores now.
void tac_safe_pin_arms(TacSafe *safe, const TacPair *pair, const double normal[3], const double lever[2],
                       TacTick now);
// How far the end of the first side's arm is beyond that of the second's, for arms of the last tick as frames are turned by now.
TacVec3 tac_safe_arms_apart(const TacSafe *safe, const TacPair *pair, TacTick now);
// How far the place where friction acted on the first side of a live pair is from that on the second by now.
static inline TacVec3 tac_safe_slid(const TacSafe *safe, const TacPair *pair, bool edges, int n,
                                    double q[4][3], TacTick now) {
    TacVec3 cores = tac_safe_between(safe->grips[pair->live].weight, edges, n, q);
    return tac_safe_has_arms(safe, pair->live) ? tac_add(cores, tac_safe_arms_apart(safe, pair, now)) : cores;
}

// --- safe_outside.c

// Where the pair is at `now`: how far its surfaces are apart.
double tac_safe_gap_at(const TacSafe *safe, const TacPair *pair, TacTick now);

// --- safe_nest.c

// The nest that the pair has at `now`; of one that began near.
TacNest tac_safe_born_nest(const TacSafe *safe, const TacPair *pair, TacTick now);
static inline TacNest tac_safe_nest(const TacSafe *safe, const TacPair *pair, TacTick now) {
    return pair->born ? tac_safe_born_nest(safe, pair, now) : tac_nest_halved(pair->rest);
}
// Halvings of the nest that neighbours in a fine mesh have for ever.
uint8_t tac_safe_rest_shift(const TacSafe *safe, const TacPair *pair);
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

// --- safe_haste.c

bool tac_safe_take_hastes(TacSafe *safe);
static inline uint32_t tac_safe_haste_window(const TacSafe *safe, TacTick now) {
    return (uint32_t)(now >> safe->haste_class) + 1;
}
// A kick has held a support so stiffly: `much` is in 1/s. Only the support's own data are written.
void tac_safe_note_haste(TacSafe *safe, uint32_t support, double much, TacTick now);
// Class of layers that all coarser ones of a pair keep up with in this window; 0: each has its own clock.
int tac_safe_find_haste(const TacSafe *safe, const TacPair *pair, const uint32_t v[4], int n, TacTick now);
// Whether any layer anywhere may have to hurry now.
static inline bool tac_safe_hurries(const TacSafe *safe, TacTick now) {
    return safe->last_haste && safe->last_haste + 1 >= tac_safe_haste_window(safe, now);
}
static inline int tac_safe_haste(const TacSafe *safe, const TacPair *pair, const uint32_t v[4], int n,
                                 TacTick now) {
    if (!tac_safe_hurries(safe, now) || !(safe->types[pair->type].restitution < 1)) return 0;
    unsigned by = 0;
    for (int i = 0; i < n; i++) by |= safe->vertices[v[i]].by;
    return by & (TAC_BY_KICKED | TAC_BY_DEFORMING) ? tac_safe_find_haste(safe, pair, v, n, now) : 0;
}
size_t tac_safe_haste_bytes(const TacSafe *safe);
void tac_safe_save_hastes(const TacSafe *safe, void *to);
bool tac_safe_restore_hastes(TacSafe *safe, const void *from, size_t bytes); // false: it makes no sense

// --- safe_progress.c

// More kicks of one pair within 2^40 ticks, 10 to 20 ms, are no progress.
enum { TAC_SAFE_MOST_KICKS = 1 << 21, TAC_SAFE_WINDOW = 40 };

// Lengths of edges around it that a support may fly by in a second.
#define TAC_SAFE_SIZES_PER_SECOND (0x1p18 / 0.01)
// Finds the speeds that supports may have.
void tac_safe_limit_speeds(TacSafe *safe);
// A support is so fast that its vertices fly by a quarter of a million of their sizes within ten milliseconds, or is nowhere.
TacStatus tac_safe_fail_fast(const TacSafe *safe, uint32_t support, TacTick now, TacError *error);

static inline bool tac_safe_is_fast(const TacSafe *safe, uint32_t support) {
    const TacSupport *s = &safe->supports[support];
    const double *v = tac_support_v(s);
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double most = (double)safe->most_speeds[support];
    if (!s->frame) return !(square <= most * most);
    double turning = (double)s->kind->reach * sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    return !(sqrt(square) + turning <= most);
}

// The layer after the last that can tick is needed.
TacStatus tac_safe_fail_below_tick(const TacSafe *safe, uint32_t pair, TacTick now, TacError *error);
// Too many kicks, the last ones in class k.
TacStatus tac_safe_fail_crawling(const TacSafe *safe, uint32_t pair, int k, TacTick now, TacError *error);

#endif
