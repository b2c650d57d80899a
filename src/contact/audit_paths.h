// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How points moved within one window of the audit: breaks, what lies between them, and how far that is from a
// straight line. audit.h says what it is for.

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

// The window's paths: point i has breaks first[i] .. first[i + 1] - 1; the first is where it began, and there is another.
typedef struct TacAuditPaths {
    TacVec3 gravity;
    double begin, end;
    const size_t *first;
    const TacAuditBreak *breaks;
    const TacAuditCurve *curves;
    const TacAuditOffsets *whole; // of each point over the whole window
} TacAuditPaths;

// Where a point is at a time of the window.
TacVec3 tac_audit_place(const TacAuditPaths *paths, int32_t point, double time);

// How far a point's path leaves the straight line between its places at two times.
void tac_audit_offsets(const TacAuditPaths *paths, int32_t point, double from, double to, TacVec3 start,
                       TacVec3 end, double offsets[2]);

// The box around the whole path.
TacAuditBox tac_audit_swept(const TacAuditPaths *paths, int32_t point);

// The break strictly within the span that is nearest to its middle, if nearer than *best is; else *best stays.
void tac_audit_middle_break(const TacAuditPaths *paths, int32_t point, double from, double to, double *best);

#endif
