// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The audit: an independent check that nothing passed through anything. Deliberately simple; it shares no code
// with plans, certificates and layers, and knows nothing of forces or clocks. It is told how every point moved
// and asks of every pair of primitives that came near whether they met.
//
//   skins    lists of vertices, edges and triangles over common points, with radii where they are thick.
//   pairs    vertex and triangle, edge and edge; and balls, which are vertices with a radius that belong to no
//            edge and no triangle of their skin, with edges and other balls. Not: two that share a point; two
//            of skins that the caller declares not to touch.
//   motion   each point has its own breaks, at its own times. Between two breaks it flies straight, or as a
//            stone thrown under the common gravity, or on an arc of a turning body, or on a curve of which the
//            caller knows the place at any time and a bound of |x''|.
//   window   breaks are gathered until the caller ends the window (a beat, a frame); then all pairs are asked
//            about the window, and the points' places at its end begin the next.
//   verdict  a violation is a pair, and the time at which it first was at a distance of at most the sum of its
//            radii. Touching is a violation; so is a doubt that halving of time cannot remove: what cannot be
//            told from touching in doubles is not safe. `proven` tells the two apart.
//
// Why it is certain (tactus/ccd.h has the rest). Take any span of time from a to b and any vector f. Add the
// same parabola f (t-a)(b-t)/2, which is 0 at both ends, to the paths of all four points: their differences do
// not change. If then each stays within e of the straight line between its places at a and b, two primitives
// whose straight motions stay farther apart than radii + e (of the one) + e (of the other) do not meet. e is
// the largest offset at a break, plus |x'' - f| h^2 / 8 over the longest piece. f is 0 or gravity, whichever
// gives less. So most pairs need one straight question per window whatever the number of breaks; a span that
// is not cleared is halved at a break near its middle, and between breaks flights are exact: e = 0. Over a window
// every break is looked at; over a part of it, blocks of many are taken as one, and e is at most three times as
// large (audit_paths.h): a halving more here and there, and the time to ask grows with the logarithm of the breaks.
//
// Places within a flight are computed in doubles, and every span that begins or ends there takes the same
// ones: rounding moves paths by a unit in the last place but leaves no gap between spans.

#ifndef TACTUS_CONTACT_AUDIT_H
#define TACTUS_CONTACT_AUDIT_H

#include "tactus/base.h"
#include "tactus/math.h"

enum { TAC_AUDIT_LISTED = 10 };

// Lists are copied. Indices are of points of the whole audit.
typedef struct TacAuditSkin {
    const int32_t *vertices;
    size_t vertex_count;
    const int32_t *edges; // two points each
    size_t edge_count;
    const int32_t *triangles; // three points each
    size_t triangle_count;
    const double *radii; // of the vertices, in their order, m; NULL: `radius` for all
    double radius;       // of vertices, edges and triangles, m, >= 0
} TacAuditSkin;

// Do two skins touch each other? Asked once for each two, and for each with itself.
typedef bool (*TacAuditTouches)(void *context, size_t skin, size_t other);

// Edges of a skin that are no side of its triangles: wires, also those of a mesh with faces. Triangles bring the others
// wherever it is asked what intersects. `bare` has room for each edge.
TacStatus tac_audit_bare_edges(const TacAuditSkin *skin, bool *bare, TacError *error);

// The body of all `count` points; 0 where they have none, or not the same.
static inline uint32_t tac_audit_body(const uint32_t *bodies, const int32_t *points, int count) {
    uint32_t body = bodies ? bodies[points[0]] : 0;
    for (int i = 1; body && i < count; i++)
        if (bodies[points[i]] != body) body = 0;
    return body;
}

typedef struct TacAuditInput {
    size_t point_count;
    const TacAuditSkin *skins;
    size_t skin_count;
    TacVec3 gravity;         // m/s^2, of points that fall
    TacAuditTouches touches; // NULL: all do
    void *context;           // for `touches`
    const uint32_t *bodies;  // of each point: those of one body never move against each other. 0, NULL: none
    double reach;            // m, >= 0: pairs that come nearer than this are looked at for report.closest
} TacAuditInput;

typedef enum TacAuditKind {
    TAC_AUDIT_VERTEX,
    TAC_AUDIT_EDGE,
    TAC_AUDIT_TRIANGLE,
    TAC_AUDIT_PIECE, // of a line over contact nodes: a number within it, and no points
} TacAuditKind;

// A primitive: its kind, its skin, its place in the skin's list, its 1, 2 or 3 points (the rest: -1).
typedef struct TacAuditName {
    TacAuditKind kind;
    size_t skin, element;
    int32_t points[3];
} TacAuditName;

typedef struct TacAuditViolation {
    TacAuditName first, second;
    double t0, t1;   // s: they met within this span
    double distance; // m: the nearest that was seen, radii not taken off
    bool proven;     // else in doubt
    bool on_frame;   // two that intersect on a frame: t0 = t1
} TacAuditViolation;

typedef struct TacAuditReport {
    size_t violations; // pairs, counted once per window or frame
    size_t listed;     // the first of them, by windows; within one by time
    TacAuditViolation first[TAC_AUDIT_LISTED];
    double closest;        // m: some pair surely came as near as this, radii taken off; infinite: none near
    size_t windows, pairs; // pairs: those that came near, over all windows
    size_t breaks, questions; // breaks of points; questions asked of tac_ccd
    size_t
        steps; // pieces, and blocks of pieces (audit_paths.h), at which questions about parts of a window looked
} TacAuditReport;

typedef struct TacAudit TacAudit;

// NULL on failure.
TacAudit *tac_audit_create(const TacAuditInput *input, TacError *error);
void tac_audit_destroy(TacAudit *audit);

// Where all points are (xyz each), at the beginning, or after they have been put elsewhere without motion.
TacStatus tac_audit_start(TacAudit *audit, double time, const double *positions, TacError *error);

// A point flew from its last break to this place, straight or falling. A point's times must not decrease.
TacStatus tac_audit_fly(TacAudit *audit, int32_t point, double time, TacVec3 place, bool falls,
                        TacError *error);

// Curves. One may serve many points; it lasts until the end of the window and is used by its number.
typedef TacVec3 (*TacAuditPath)(void *context, int32_t point, double time);

// A path that the caller knows at any time of the window, gravity included, with |x''| <= bend (m/s^2; where
// the point falls, |x'' - gravity| <= bend). The context must live until the window's end.
TacStatus tac_audit_curve(TacAudit *audit, TacAuditPath path, void *context, double bend, int32_t *curve,
                          TacError *error);
// A body that turns with this angular velocity (1/s) about a centre that is here at this time and moves with
// this velocity (and falls, where its points fall).
TacStatus tac_audit_arc(TacAudit *audit, double time, TacVec3 centre, TacVec3 velocity, TacVec3 turning,
                        int32_t *curve, TacError *error);
// As tac_audit_fly, on a curve. Where the curve ends elsewhere than given, by rounding, it is bent to there.
TacStatus tac_audit_follow(TacAudit *audit, int32_t point, double time, TacVec3 place, bool falls,
                           int32_t curve, TacError *error);

// Asks about all pairs since the last window. A point without a break has rested; one with breaks must have
// the last of them at this time.
TacStatus tac_audit_window_end(TacAudit *audit, double time, TacError *error);

// Points went straight to these places (xyz each) at the instant at which the last window ended: asks about all pairs on
// the way, as if it had taken time. The next window begins there.
TacStatus tac_audit_jump(TacAudit *audit, const uint32_t *points, const double *places, size_t count,
                         TacError *error);

// Points were put to these places from outside, at the instant at which the last window ended: asks whether anything
// intersects there, and about no way. The next window begins there.
TacStatus tac_audit_put(TacAudit *audit, const uint32_t *points, const double *places, size_t count,
                        TacError *error);

// Do triangles, or edges and triangles, of touching skins intersect here?
TacStatus tac_audit_frame(TacAudit *audit, double time, const double *positions, TacError *error);

// Does a straight piece of a line without thickness pass through a triangle? It may touch it: not within TAC_AUDIT_TOUCH of
// the triangle's longest side from its plane, from the ends of the piece, or from a side over which such a line bends: one
// that is not `flat`, as those are behind which the surface goes on in the same plane.
#define TAC_AUDIT_TOUCH 5e-3
bool tac_audit_is_cut(const TacVec3 piece[2], const TacVec3 corners[3], const bool flat[3]);
// One that does, for the report of the window that is open.
TacStatus tac_audit_note_cut(TacAudit *audit, double time, const TacAuditName *piece,
                             const TacAuditName *triangle, TacError *error);

// Valid as long as the audit.
const TacAuditReport *tac_audit_report(const TacAudit *audit);

// "vertex 3 (point 17) of skin 0 and triangle 5 (points 1, 2, 9) of skin 1 at 0.25 s". Returns `text`.
const char *tac_audit_violation_text(const TacAuditViolation *violation, char *text, size_t size);

#endif
