// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the audit costs: a crumpled cloth of 10,000 vertices in many layers, each vertex with breaks of its own,
// per window. Prints a table; asserts nothing.

#define _GNU_SOURCE

#include "base/memory.h"
#include "base/random.h"
#include "contact/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 100, POINTS = SIDE * SIDE, WINDOWS = 3 };

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Rolled up: turns 3 mm apart, cells of 1 cm, and a slow ripple.
static TacVec3 place(int point, double time) {
    double angle = 2 * TAC_PI * (point % SIDE) / 25.0, radius = 0.04 + 0.003 * angle / (2 * TAC_PI);
    double ripple = 0.0003 * sin(0.2 * (point / SIDE) + 3 * time);
    return tac_vec3((radius + ripple) * cos(angle), (radius + ripple) * sin(angle), 0.01 * (point / SIDE));
}

static int32_t vertices[POINTS], edges[6 * POINTS], triangles[6 * POINTS];
static double positions[3 * POINTS];

static TacAuditSkin cloth(void) {
    TacAuditSkin skin = {.vertices = vertices, .edges = edges, .triangles = triangles};
    for (int32_t i = 0; i < POINTS; i++) {
        vertices[skin.vertex_count++] = i;
        bool right = i % SIDE < SIDE - 1, up = i / SIDE < SIDE - 1;
        const int32_t corner[4] = {i, i + 1, i + SIDE, i + SIDE + 1};
        const int lines[3][2] = {{0, 1}, {0, 2}, {0, 3}};
        const bool there[3] = {right, up, right && up};
        for (int k = 0; k < 3; k++) {
            if (!there[k]) continue;
            int32_t *edge = edges + 2 * skin.edge_count++;
            for (int e = 0; e < 2; e++) edge[e] = corner[lines[k][e]];
        }
        const int faces[2][3] = {{0, 1, 3}, {0, 3, 2}};
        for (int k = 0; k < 2 && right && up; k++) {
            int32_t *face = triangles + 3 * skin.triangle_count++;
            for (int e = 0; e < 3; e++) face[e] = corner[faces[k][e]];
        }
    }
    return skin;
}

static void report(int breaks) {
    TacAuditSkin skin = cloth();
    TacAuditInput input = {.point_count = POINTS, .skins = &skin, .skin_count = 1, .gravity = {0, 0, -9.81}};
    TacAudit *audit = tac_audit_create(&input, NULL);
    if (!audit) return;
    for (int i = 0; i < POINTS; i++) tac_store3(positions + 3 * i, place(i, 0));
    TacRandom random = tac_random(1, 1);
    if (tac_audit_start(audit, 0, positions, NULL) != TAC_OK) return;
    double begin = now_s();
    for (int window = 0; window < WINDOWS; window++) {
        for (int b = 1; b <= breaks; b++)
            for (int32_t i = 0; i < POINTS; i++) {
                double shift = b < breaks ? tac_random_unit(&random) - 0.5 : 0;
                double time = 0.01 * (window + (b + shift) / breaks);
                if (tac_audit_fly(audit, i, time, place(i, time), true, NULL) != TAC_OK) return;
            }
        if (tac_audit_window_end(audit, 0.01 * (window + (double)breaks / breaks), NULL) != TAC_OK) return;
    }
    const TacAuditReport *r = tac_audit_report(audit);
    printf("%4d breaks: %6.2f s per window of 10 ms, %zu pairs, %.2f questions each, %zu violations\n",
           breaks, (now_s() - begin) / WINDOWS, r->pairs / WINDOWS, (double)r->questions / (double)r->pairs,
           r->violations);
    tac_audit_destroy(audit);
}

int main(void) {
    printf("%d vertices:\n", POINTS);
    report(1);
    report(10);
    report(100);
    return 0;
}
