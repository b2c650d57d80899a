// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Ill-posed starts of safe contact, in the words of its skins (start_check.h asks the questions). What has met
// cannot be parted, so it is refused. What is only nearer than its thickness is not, unless the scene asks for it: such pairs
// get a nest of layers of their own size (safe_nest.c, which also notes them).

#include "contact/safe_parts.h"
#include "contact/start_check.h"

#include <float.h>
#include <stdio.h>

static bool skin_moves(const TacSafe *safe, const TacSafeSkin *skin) {
    for (uint32_t i = 0; i < skin->vertex_count; i++)
        if (safe->vertices[skin->first_vertex + i].bound > 0) return true;
    return false;
}

static bool touches(void *context, size_t a, size_t b) {
    const TacSafe *safe = context;
    const TacSafeSkin *s = &safe->skins[a], *t = &safe->skins[b];
    return tac_safe_skins_meet(safe, s, t) && (skin_moves(safe, s) || skin_moves(safe, t));
}

// All that a check is asked about; one block of memory each.
typedef struct Question {
    TacStartInput input;
    TacAuditSkin *skins;
    double *points;
    double *radii; // of vertices, where they have their own
    int32_t *lists;
    uint32_t *bodies;
} Question;

static void free_question(Question *q) {
    free(q->skins);
    free(q->points);
    free(q->radii);
    free(q->lists);
    free(q->bodies);
}

static int32_t *shifted(int32_t **room, const int32_t *from, size_t count, uint32_t first) {
    int32_t *list = *room;
    for (size_t i = 0; i < count; i++) list[i] = (from ? from[i] : (int32_t)i) + (int32_t)first;
    *room += count;
    return list;
}

static int32_t *ends_of(int32_t **room, const TacPrimitive *edges, size_t count) {
    int32_t *list = *room;
    for (size_t i = 0; i < 2 * count; i++) list[i] = (int32_t)edges[i / 2].v[i % 2];
    *room += 2 * count;
    return list;
}

// Distances are computed with roundings: what is no farther apart than these touches.
static double doubt_of(const TacSafe *safe, const double *points) {
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)safe->vertex_count; i++) most = fmax(most, fabs(points[i]));
    return 0x1p-50 * most;
}

// Radii are those that contact will keep, which are no less than the scene's.
static TacStatus make_question(const TacSafe *safe, Question *q, TacError *error) {
    size_t numbers = 0, n = safe->skin_count;
    for (size_t i = 0; i < n; i++)
        numbers +=
            safe->skins[i].vertex_count + 2 * safe->skins[i].edge_count + 3 * safe->skins[i].face_count;
    *q = (Question){.skins = calloc(n + 1, sizeof *q->skins),
                    .points = malloc((3 * safe->vertex_count + 1) * sizeof *q->points),
                    .radii = malloc((safe->vertex_count + 1) * sizeof *q->radii),
                    .lists = malloc((numbers + 1) * sizeof *q->lists),
                    .bodies = malloc((safe->vertex_count + 1) * sizeof *q->bodies)};
    if (!q->skins || !q->points || !q->radii || !q->lists || !q->bodies)
        return tac_fail_memory(error, numbers * sizeof *q->lists);
    int32_t *room = q->lists;
    const TacPrimitive *edges = safe->primitives + safe->point_count;
    for (size_t i = 0; i < n; i++) {
        const TacSafeSkin *s = &safe->skins[i];
        q->skins[i] =
            (TacAuditSkin){.vertices = shifted(&room, NULL, s->vertex_count, s->first_vertex),
                           .vertex_count = s->vertex_count,
                           .edges = ends_of(&room, edges, s->edge_count),
                           .edge_count = s->edge_count,
                           .triangles = shifted(&room, s->faces, 3 * s->face_count, s->first_vertex),
                           .triangle_count = s->face_count,
                           .radii = safe->radii ? q->radii + s->first_vertex : NULL,
                           .radius = (double)safe->skin_radii[i]};
        edges += s->edge_count;
    }
    for (uint32_t v = 0; v < safe->vertex_count; v++) {
        q->radii[v] = tac_safe_radius(safe, v); // vertex i is primitive i
        tac_safe_place(
            safe, v,
            *tac_support_time(&safe->supports[tac_safe_carrier(safe, &safe->vertices[v], 0).support]),
            q->points + 3 * v);
    }
    q->input = (TacStartInput){.points = q->points,
                               .point_count = safe->vertex_count,
                               .skins = q->skins,
                               .skin_count = n,
                               .thickness = doubt_of(safe, q->points),
                               .touches = touches,
                               .context = (void *)safe,
                               .bodies = q->bodies};
    tac_safe_bodies(safe, q->bodies);
    return TAC_OK;
}

// What two radii of a scene may sum up to: less than the distance of the nearest of all pairs, as those that contact will
// keep are theirs rounded up.
static TacStatus find_room(Question *q, double *room, TacError *error) {
    double most = 0, doubt = q->input.thickness;
    for (size_t i = 0; i < q->input.skin_count; i++) {
        most = fmax(most, q->skins[i].radius);
        for (size_t k = 0; q->skins[i].radii && k < q->skins[i].vertex_count; k++)
            most = fmax(most, q->skins[i].radii[k]);
        q->skins[i].radius = 1e-300; // balls stay balls
        q->skins[i].radii = NULL;
    }
    TacStartReport report;
    q->input.thickness = 2 * most + doubt;
    TAC_TRY(tac_start_check(&q->input, &report, error));
    *room = most > 0 && isfinite(report.largest) ? (report.largest - doubt) * (1 - FLT_EPSILON) : 0;
    return TAC_OK;
}

static size_t add(char *text, size_t at, size_t size, const char *more) {
    int n = snprintf(text + at, size - at, "%s", more);
    return n < 0 ? at : at + (size_t)n < size ? at + (size_t)n : size - 1;
}

// Of long names the end, which tells more.
static size_t add_name(const TacSafe *safe, const TacAuditName *name, size_t most, char *text, size_t at,
                       size_t size) {
    static const char *const kinds[] = {"vertex", "edge", "face"};
    const char *skin = safe->skins[name->skin].name;
    size_t length = strlen(skin), from = length > most ? length - most : 0;
    char words[128];
    while (((unsigned char)skin[from] & 0xc0) == 0x80) from++; // not within a letter
    snprintf(words, sizeof words, "%s %zu of %s%s", kinds[name->kind], name->element, from ? "..." : "",
             skin + from);
    return add(text, at, size, words);
}

static size_t add_pair(const TacSafe *safe, const TacStartPair *p, size_t most, char *text, size_t at,
                       size_t size) {
    at = add_name(safe, &p->first, most, text, at, size);
    at = add(text, at, size, p->intersects ? " intersects " : " and ");
    return add_name(safe, &p->second, most, text, at, size);
}

// False: it did not fit.
static bool fit_pairs(const TacSafe *safe, const TacStartReport *report, size_t most, char *list,
                      size_t size) {
    size_t at = 0;
    list[0] = 0;
    for (size_t i = 0; i < report->listed; i++) {
        at = add(list, at, size, i ? "; " : "");
        at = add_pair(safe, &report->first[i], most, list, at, size);
    }
    if (report->pairs > report->listed) at = add(list, at, size, "; and others");
    return at + 1 < size;
}

// With as much of their names as there is room for.
enum { LONGEST_NAME = 80, SHORTEST_NAME = 8, LONGEST_LIST = 812 };
static void list_pairs(const TacSafe *safe, const TacStartReport *report, char *list, size_t size) {
    size_t most = LONGEST_NAME;
    while (!fit_pairs(safe, report, most, list, size) && most > SHORTEST_NAME) most--;
}

// Whether a vertex lies on a corner of a face of its own skin: the mesh has that point twice.
static bool is_twice(const Question *q, const TacStartPair *p) {
    if (p->first.kind != TAC_AUDIT_VERTEX || p->second.kind != TAC_AUDIT_TRIANGLE ||
        p->first.skin != p->second.skin)
        return false;
    const TacAuditSkin *skin = &q->skins[p->first.skin];
    const double *at = q->points + 3 * (size_t)skin->vertices[p->first.element];
    const int32_t *corners = skin->triangles + 3 * p->second.element;
    for (int k = 0; k < 3; k++)
        if (tac_norm(tac_sub(tac_load3(at), tac_load3(q->points + 3 * (size_t)corners[k]))) == 0) return true;
    return false;
}

// With six digits, and below it: what is read here is accepted.
static double rounded_down(double room) {
    double unit = pow(10, floor(log10(room)) - 5), value = floor(room / unit) * unit;
    for (int tries = 0; tries < 4; tries++, value -= unit) {
        char text[32];
        snprintf(text, sizeof text, "%.6g", value);
        if (strtod(text, NULL) < room) return value;
    }
    return 0; // hardly any number is as small
}

// What would help.
static void advise(const Question *q, const TacStartReport *report, double room, char *text, size_t size) {
    size_t twice = 0;
    while (twice < report->listed && !is_twice(q, &report->first[twice])) twice++;
    text[0] = 0;
    if (twice < report->listed)
        snprintf(text, size, ". Its mesh has points at the same place: weld them (weld, of the mesh)");
    if (room > 0)
        snprintf(text, size, ". Two radii that sum up to at most %.6g m would be accepted",
                 rounded_down(room));
}

// With the radii of the scene itself nothing would touch: those that contact keeps are floats, and no smaller.
static TacStatus find_rounded(const TacSafe *safe, Question *q, bool *rounded, TacError *error) {
    TacStartReport report;
    q->input.thickness = doubt_of(safe, q->points);
    for (size_t i = 0; i < q->input.skin_count; i++) {
        q->skins[i].radius = safe->skins[i].radius;
        q->skins[i].radii = safe->skins[i].radii;
    }
    TAC_TRY(tac_start_check(&q->input, &report, error));
    *rounded = !report.pairs;
    return TAC_OK;
}

static TacStatus refuse(const TacSafe *safe, const Question *q, const TacStartReport *report, double room,
                        bool rounded, TacError *error) {
    char list[LONGEST_LIST], advice[128];
    list_pairs(safe, report, list, sizeof list);
    advise(q, report, room, advice, sizeof advice);
    return tac_fail(error, TAC_BAD_INPUT,
                    "safe contact begins apart, but %zu %s at the start (%s%zu by intersecting): %s%s",
                    report->pairs, report->pairs == 1 ? "pair touches" : "pairs touch",
                    rounded ? "once radii are rounded up to 24 bits, as they are kept; " : "",
                    report->intersecting, list, advice);
}

TacStatus tac_safe_check_start(const TacSafe *safe, TacError *error) {
    Question q;
    TacStartReport report;
    double room = 0;
    TacStatus status = make_question(safe, &q, error);
    if (status == TAC_OK) status = tac_start_check(&q.input, &report, error);
    bool refused = status == TAC_OK && report.pairs > 0, rounded = false;
    if (refused) status = find_room(&q, &room, error);
    if (refused && status == TAC_OK && !report.intersecting) status = find_rounded(safe, &q, &rounded, error);
    if (refused && status == TAC_OK) status = refuse(safe, &q, &report, room, rounded, error);
    free_question(&q);
    return status;
}

// --- what is only near ------------------------------------------------------------------------------------

static void number_in_skins(const TacSafe *safe, TacStartPair *pair) {
    pair->first.element = tac_safe_number(safe, (uint32_t)pair->first.element);
    pair->second.element = tac_safe_number(safe, (uint32_t)pair->second.element);
}

static const char *count_near(const TacStartReport *near, char *text, size_t size) {
    snprintf(text, size, "%zu %s nearer than the thickness at the start", near->pairs,
             near->pairs == 1 ? "pair is" : "pairs are");
    return text;
}

// What is as far apart as it is thick is not near.
static const char *advise_thickness(const TacStartReport *near, char *text, size_t size) {
    snprintf(text, size, ". With no thickness above %.6g m (of two materials: their sum) there would be none",
             rounded_down(nextafter(near->largest, INFINITY)));
    return text;
}

bool tac_safe_near_text(const TacSafe *safe, char *text, size_t size) {
    char count[96], names[2 * (LONGEST_NAME + 48)], advice[128];
    TacStartPair nearest = safe->near.nearest;
    if (!safe->near.pairs) return false;
    number_in_skins(safe, &nearest);
    add_pair(safe, &nearest, LONGEST_NAME, names, 0, sizeof names);
    snprintf(text, size, "%s; layers between them are thinner. Nearest are %s, %.6g m apart%s",
             count_near(&safe->near, count, sizeof count), names, nearest.distance,
             advise_thickness(&safe->near, advice, sizeof advice));
    return true;
}

TacStatus tac_safe_refuse_near(const TacSafe *safe, TacError *error) {
    char count[96], list[LONGEST_LIST], advice[128];
    TacStartReport near = safe->near;
    if (!near.pairs) return TAC_OK;
    for (size_t i = 0; i < near.listed; i++) number_in_skins(safe, &near.first[i]);
    list_pairs(safe, &near, list, sizeof list);
    return tac_fail(error, TAC_BAD_INPUT, "%s, and near is refuse: %s%s",
                    count_near(&near, count, sizeof count), list,
                    advise_thickness(&near, advice, sizeof advice));
}
