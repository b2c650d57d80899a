// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How points moved within one window of the audit: breaks, what lies between them, and how far that is from a
// straight line. audit.h says what it is for.
//
// A point in contact may have thousands of breaks, and its spans are halved again and again. So what lies between the
// ends of a run of pieces is looked at once per window, and kept in blocks: of 8 pieces each, of 32, of 128 and so on,
// counted from the path's first break; what does not fill a block is in none of that width. A block knows how far its
// inner breaks are from its own chord, the straight line between its first break and its last, and how far its pieces
// bend. A span then takes the few pieces at its ends one by one, and between them the widest blocks that fit.
//
// Why that is a bound: along a block, the distance from the span's line to the block's chord is linear in time, so it is
// at most what it is at one of the block's two ends, and those are breaks whose offsets are computed. To this comes at most
// the block's own. Who falls sees a path less the parabola g (t-a)(t-b)/2 of the span, but less that of the block within the
// block: both have the same second derivative, so they differ by what is linear in time, and the same holds. It is not more
// than three times what looking at every break gives: if all of them are within e of the span's line, so is the chord,
// and they are within 2 e of it. Rounding moves each place by a unit in the last place of its coordinates, as elsewhere.

#ifndef TACTUS_CONTACT_AUDIT_PATHS_H
#define TACTUS_CONTACT_AUDIT_PATHS_H

#include "contact/audit.h"
#include "contact/audit_near.h"

// The end of a piece of a point's path, and how it came there.
typedef struct TacAuditBreak {
    double time;
    TacVec3 place;
    int32_t curve; // -1: none
    bool falls;
} TacAuditBreak;

// Where a path is given: by the caller, or an arc of a body.
typedef struct TacAuditCurve {
    TacAuditPath path; // NULL: an arc
    void *context;
    double bend;                       // m/s^2
    double time;                       // of an arc
    TacVec3 centre, velocity, turning; // of an arc
} TacAuditCurve;

// How far a path leaves a straight line, m: [0] as it is, [1] seen by who falls.
typedef struct TacAuditOffsets {
    double offsets[2];
} TacAuditOffsets;

// A run of pieces of one point: how far its inner breaks leave its chord, and the pieces theirs, m. [0], [1] as above.
typedef struct TacAuditBlock {
    double at_breaks[2], between[2];
} TacAuditBlock;

// The window's paths: point i has breaks first[i] .. first[i + 1] - 1; the first is where it began, and there is another.
typedef struct TacAuditPaths {
    TacVec3 gravity;
    double begin, end;
    const size_t *first;
    const TacAuditBreak *breaks;
    const TacAuditCurve *curves;
    const TacAuditOffsets *whole; // of each point over the whole window
    const size_t *first_block;    // of each point
    TacAuditBlock *blocks;
} TacAuditPaths;

// Where a point is at a time of the window.
TacVec3 tac_audit_place(const TacAuditPaths *paths, int32_t point, double time);

// How many blocks a path of so many pieces has; makes those of a point.
size_t tac_audit_block_count(size_t pieces);
void tac_audit_make_blocks(const TacAuditPaths *paths, int32_t point);

// How far a point's path leaves the straight line between its places at two times, at most. Returns at how many pieces and
// blocks it looked.
size_t tac_audit_offsets(const TacAuditPaths *paths, int32_t point, double from, double to, TacVec3 start,
                         TacVec3 end, double offsets[2]);

// The same over the whole window, from every break: blocks need not be made.
TacAuditOffsets tac_audit_whole(const TacAuditPaths *paths, int32_t point);

// The box around the whole path.
TacAuditBox tac_audit_swept(const TacAuditPaths *paths, int32_t point);

// The break strictly within the span that is nearest to its middle, if nearer than *best is; else *best stays.
void tac_audit_middle_break(const TacAuditPaths *paths, int32_t point, double from, double to, double *best);

#endif
