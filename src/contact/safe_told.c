// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What nothing can part: of two skins, parts that are fixed or move as they are told, and that meet on their way. Layers have
// nobody to push there, so such parts pass through each other, and free ones beside them are caught in between. Their ways
// are known before time runs; whoever rehearses them (scene/told_compile.c) asks here who meets.
//
// Only pairs of skins count of which one has something that can be pushed: nobody minds where walls go through floors. From
// one step of a rehearsal to the next, everything goes straight. Skins whose boxes on the way overlap are looked at primitive by
// primitive; tac_ccd says who meets. Such looks are counted, and end after so many that nobody would wait for more:
// it is only a remark that is lost then.

#include "contact/safe_parts.h"
#include "tactus/ccd.h"

#include <stdio.h>

// Pairs of primitives whose boxes are compared, in all, some tenths of a second; what is asked exactly counts as many.
enum { MOST_LOOKS = 200000000, LOOKS_OF_ASKING = 200, MOST_CELLS = 200 };

typedef struct Box {
    TacVec3 low, high;
} Box;

// The parts of a skin that nothing can move.
typedef struct Part {
    const uint32_t *primitives;
    size_t count;
    bool told;       // they may move
    bool moves_free; // the skin has others that can be pushed
    bool watched;    // it is in a pair
    bool moved;      // in this step
    Box box;         // of this step
} Part;

typedef struct SkinPair {
    uint32_t first, second;
} SkinPair;

struct TacSafeTold {
    const TacSafe *safe;
    Part *parts; // by skin
    uint32_t *primitives;
    SkinPair *pairs; // that have not met yet
    size_t pair_count;
    double *from, *to; // xyz of vertices, at the two ends of a step
    uint32_t *near[2]; // room for all primitives of a part
    Box *boxes[2];     // theirs
    int64_t looks;     // that are left
    TacSafeToldMeeting first[TAC_SAFE_TOLD_LISTED];
    size_t met;
};

// --- who may meet -----------------------------------------------------------------------------------------

static bool may_move(const TacSafe *safe, uint32_t vertex) {
    const TacVertex *v = &safe->vertices[vertex];
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSupport *s = &safe->supports[tac_safe_carrier(safe, v, i).support];
        const double *u = tac_support_v(s), *g = s->kind->g;
        bool drifts = s->frame && (u[3] != 0 || u[4] != 0 || u[5] != 0);
        for (int k = 0; k < 3; k++) drifts = drifts || u[k] != 0 || g[k] != 0;
        if (drifts || !tac_safe_never_moves(s)) return true;
    }
    return false;
}

static void fill_parts(TacSafeTold *told) {
    const TacSafe *safe = told->safe;
    uint32_t *at = told->primitives;
    for (size_t i = 0; i < safe->primitive_count; i++)
        told->parts[safe->primitives[i].skin].count += !safe->primitives[i].movable;
    for (size_t s = 0; s < safe->skin_count; s++) {
        told->parts[s].primitives = at;
        at += told->parts[s].count;
        told->parts[s].count = 0;
    }
    for (uint32_t i = 0; i < safe->primitive_count; i++) {
        const TacPrimitive *p = &safe->primitives[i];
        Part *part = &told->parts[p->skin];
        part->moves_free = part->moves_free || p->movable;
        if (p->movable) continue;
        told->primitives[(size_t)(part->primitives - told->primitives) + part->count++] = i;
        part->told = part->told || may_move(safe, p->v[0]);
    }
}

static bool is_pair(const TacSafeTold *told, size_t a, size_t b) {
    const Part *p = &told->parts[a], *q = &told->parts[b];
    const TacSafe *safe = told->safe;
    return p->count && q->count && (p->told || q->told) && (p->moves_free || q->moves_free) &&
           tac_safe_skins_meet(safe, &safe->skins[a], &safe->skins[b]);
}

// Counts them, or writes them where there is room.
static size_t list_pairs(TacSafeTold *told, SkinPair *pairs) {
    size_t n = 0;
    for (uint32_t a = 0; a < told->safe->skin_count; a++)
        for (uint32_t b = a + 1; told->parts[a].count && b < told->safe->skin_count; b++) {
            if (!is_pair(told, a, b)) continue;
            if (pairs) pairs[n] = (SkinPair){a, b};
            if (pairs) told->parts[a].watched = told->parts[b].watched = true;
            n++;
        }
    return n;
}

// --- where they are ---------------------------------------------------------------------------------------

static void take_places(TacSafeTold *told) {
    const TacSafe *safe = told->safe;
    for (size_t s = 0; s < safe->skin_count; s++) {
        const TacSafeSkin *skin = &safe->skins[s];
        Part *part = &told->parts[s];
        part->moved = false;
        for (uint32_t i = 0; part->watched && part->told && i < skin->vertex_count; i++) {
            uint32_t v = skin->first_vertex + i;
            if (safe->vertices[v].bound > 0) continue;
            tac_safe_place(safe, v, 0, told->to + 3 * (size_t)v);
            part->moved = part->moved || memcmp(told->to + 3 * (size_t)v, told->from + 3 * (size_t)v,
                                                3 * sizeof(double)) != 0;
        }
    }
}

static TacVec3 begin_of(const TacSafeTold *told, uint32_t vertex) {
    return tac_load3(told->from + 3 * (size_t)vertex);
}

static TacVec3 end_of(const TacSafeTold *told, uint32_t vertex) {
    return tac_load3(told->to + 3 * (size_t)vertex);
}

static Box empty_box(void) {
    return (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void add_ball(Box *box, TacVec3 x, double radius) {
    box->low = tac_vec3(fmin(box->low.x, x.x - radius), fmin(box->low.y, x.y - radius),
                        fmin(box->low.z, x.z - radius));
    box->high = tac_vec3(fmax(box->high.x, x.x + radius), fmax(box->high.y, x.y + radius),
                         fmax(box->high.z, x.z + radius));
}

static Box box_of(const TacSafeTold *told, uint32_t primitive) {
    const TacPrimitive *p = &told->safe->primitives[primitive];
    double radius = tac_safe_radius(told->safe, primitive);
    Box box = empty_box();
    for (int k = 0; k <= p->kind; k++) {
        add_ball(&box, begin_of(told, p->v[k]), radius);
        add_ball(&box, end_of(told, p->v[k]), radius);
    }
    return box;
}

static bool overlap(const Box *a, const Box *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static void find_boxes(TacSafeTold *told, bool all) {
    for (size_t s = 0; s < told->safe->skin_count; s++) {
        Part *part = &told->parts[s];
        if (!part->watched || (!all && !part->told)) continue;
        part->box = empty_box();
        for (size_t i = 0; i < part->count; i++) {
            Box box = box_of(told, part->primitives[i]);
            add_ball(&part->box, box.low, 0);
            add_ball(&part->box, box.high, 0);
        }
    }
}

// --- who meets --------------------------------------------------------------------------------------------

static bool is_ball(const TacPrimitive *p) {
    return p->kind == TAC_PRIMITIVE_POINT && p->ball;
}

// Whether contact would watch the two; a's kind is not above b's.
static bool are_watched(const TacPrimitive *a, const TacPrimitive *b) {
    if (a->kind == TAC_PRIMITIVE_EDGE) return b->kind == TAC_PRIMITIVE_EDGE;
    if (a->kind != TAC_PRIMITIVE_POINT) return false;
    return b->kind == TAC_PRIMITIVE_FACE || (is_ball(a) && (b->kind == TAC_PRIMITIVE_EDGE || is_ball(b)));
}

static bool are_of_one_body(const TacSafe *safe, uint32_t a, uint32_t b) {
    const TacVertex *v = &safe->vertices[a], *w = &safe->vertices[b];
    return v->frame && w->frame &&
           tac_safe_carrier(safe, v, 0).support == tac_safe_carrier(safe, w, 0).support;
}

// What has too few corners has its last one twice.
static bool meet(const TacSafeTold *told, uint32_t first, uint32_t second) {
    const TacSafe *safe = told->safe;
    bool turned = safe->primitives[first].kind > safe->primitives[second].kind;
    const TacPrimitive *a = &safe->primitives[turned ? second : first];
    const TacPrimitive *b = &safe->primitives[turned ? first : second];
    if (!are_watched(a, b) || are_of_one_body(safe, a->v[0], b->v[0])) return false;
    bool edges = a->kind == TAC_PRIMITIVE_EDGE;
    TacCcdInput input = tac_ccd_default_input(edges ? TAC_CCD_EDGE_EDGE : TAC_CCD_POINT_TRIANGLE);
    int before = edges ? 2 : 1;
    for (int k = 0; k < 4; k++) {
        int corner = k - before < b->kind ? k - before : b->kind;
        uint32_t v = k < before ? a->v[k] : b->v[corner];
        input.start[k] = begin_of(told, v);
        input.end[k] = end_of(told, v);
    }
    input.thickness = tac_safe_radius(safe, first) + tac_safe_radius(safe, second);
    input.most_cells = MOST_CELLS;
    TacCcdResult result;
    TacCcdState state = tac_ccd(&input, &result);
    return state == TAC_CCD_HIT || (state == TAC_CCD_UNSURE && !result.spent);
}

static size_t find_near(TacSafeTold *told, int side, const Part *part, const Box *box) {
    size_t n = 0;
    for (size_t i = 0; i < part->count; i++) {
        Box own = box_of(told, part->primitives[i]);
        if (!overlap(&own, box)) continue;
        told->near[side][n] = part->primitives[i];
        told->boxes[side][n++] = own;
    }
    return n;
}

// Whether parts of two skins meet in this step: the first that do.
static bool look(TacSafeTold *told, SkinPair pair, TacSafeToldMeeting *meeting) {
    const Part *a = &told->parts[pair.first], *b = &told->parts[pair.second];
    if ((!a->moved && !b->moved) || !overlap(&a->box, &b->box)) return false;
    size_t n = find_near(told, 0, a, &b->box), m = find_near(told, 1, b, &a->box);
    for (size_t i = 0; i < n && told->looks > 0; i++) {
        told->looks -= (int64_t)m;
        for (size_t k = 0; k < m; k++) {
            if (!overlap(&told->boxes[0][i], &told->boxes[1][k])) continue;
            told->looks -= LOOKS_OF_ASKING;
            if (!meet(told, told->near[0][i], told->near[1][k])) continue;
            *meeting = (TacSafeToldMeeting){.first = told->near[0][i], .second = told->near[1][k]};
            return true;
        }
    }
    return false;
}

static void note(TacSafeTold *told, TacSafeToldMeeting meeting) {
    if (told->met < TAC_SAFE_TOLD_LISTED) told->first[told->met] = meeting;
    told->met++;
}

// --- in steps ---------------------------------------------------------------------------------------------

bool tac_safe_is_told(const TacSafe *safe, uint32_t support) {
    return tac_support_bound(&safe->supports[support]) == 0;
}

static TacStatus take_room(TacSafeTold *told, TacError *error) {
    size_t n = told->pair_count, most = 0, vertices = 3 * (size_t)told->safe->vertex_count;
    for (size_t s = 0; s < told->safe->skin_count; s++)
        if (told->parts[s].count > most) most = told->parts[s].count;
    told->pairs = malloc((n + 1) * sizeof *told->pairs);
    told->from = calloc(vertices + 1, sizeof *told->from);
    told->to = calloc(vertices + 1, sizeof *told->to);
    bool made = told->pairs && told->from && told->to;
    for (int side = 0; side < 2; side++) {
        told->near[side] = malloc((most + 1) * sizeof *told->near[side]);
        told->boxes[side] = malloc((most + 1) * sizeof *told->boxes[side]);
        made = made && told->near[side] && told->boxes[side];
    }
    return made ? TAC_OK : tac_fail_memory(error, 2 * vertices * sizeof *told->to);
}

// All of them, for once: the others stay where they are.
static void take_first_places(TacSafeTold *told) {
    const TacSafe *safe = told->safe;
    for (uint32_t v = 0; v < safe->vertex_count; v++)
        if (!(safe->vertices[v].bound > 0)) tac_safe_place(safe, v, 0, told->from + 3 * (size_t)v);
    memcpy(told->to, told->from, 3 * (size_t)safe->vertex_count * sizeof *told->to);
    find_boxes(told, true);
}

TacStatus tac_safe_told_begin(const TacSafe *safe, TacSafeTold **result, TacError *error) {
    *result = NULL;
    TacSafeTold *told = calloc(1, sizeof *told);
    if (!told) return tac_fail_memory(error, sizeof *told);
    *told = (TacSafeTold){.safe = safe, .looks = MOST_LOOKS};
    told->parts = calloc(safe->skin_count + 1, sizeof *told->parts);
    told->primitives = malloc((safe->primitive_count + 1) * sizeof *told->primitives);
    TacStatus status = TAC_OK;
    if (!told->parts || !told->primitives)
        status = tac_fail_memory(error, safe->primitive_count * sizeof *told->primitives);
    if (status == TAC_OK) fill_parts(told);
    if (status == TAC_OK) told->pair_count = list_pairs(told, NULL);
    if (status == TAC_OK && told->pair_count) status = take_room(told, error);
    if (status != TAC_OK || !told->pair_count) {
        tac_safe_told_end(told);
        return status;
    }
    list_pairs(told, told->pairs);
    take_first_places(told);
    *result = told;
    return TAC_OK;
}

void tac_safe_told_end(TacSafeTold *told) {
    if (!told) return;
    void *blocks[] = {told->parts,   told->primitives, told->pairs,    told->from,    told->to,
                      told->near[0], told->near[1],    told->boxes[0], told->boxes[1]};
    for (size_t i = 0; i < TAC_COUNT(blocks); i++) free(blocks[i]);
    free(told);
}

size_t tac_safe_told_count(const TacSafeTold *told) {
    size_t n = 0;
    for (size_t s = 0; s < told->safe->skin_count; s++)
        if (told->parts[s].watched && told->parts[s].told) n += told->parts[s].count;
    return n;
}

bool tac_safe_told_step(TacSafeTold *told, double time) {
    size_t left = 0;
    take_places(told);
    find_boxes(told, false);
    for (size_t i = 0; i < told->pair_count; i++) {
        TacSafeToldMeeting meeting;
        if (look(told, told->pairs[i], &meeting)) {
            meeting.time = time;
            note(told, meeting);
        } else {
            told->pairs[left++] = told->pairs[i];
        }
    }
    told->pair_count = left;
    double *from = told->from; // of what stays, both are the same
    told->from = told->to;
    told->to = from;
    return left && told->looks > 0;
}

size_t tac_safe_told_met(const TacSafeTold *told) {
    return told->met;
}

// --- words ------------------------------------------------------------------------------------------------

static void name(const TacSafe *safe, uint32_t primitive, char *text, size_t size) {
    static const char *const kinds[] = {"vertex", "edge", "face"};
    const TacPrimitive *p = &safe->primitives[primitive];
    snprintf(text, size, "%s %u of %s", kinds[p->kind], tac_safe_number(safe, primitive),
             safe->skins[p->skin].name);
}

const char *tac_safe_told_text(const TacSafeTold *told, size_t number, char *text, size_t size) {
    const TacSafeToldMeeting *m = &told->first[number];
    char first[256], second[256];
    name(told->safe, m->first, first, sizeof first);
    name(told->safe, m->second, second, sizeof second);
    snprintf(
        text, size,
        "%s and %s meet at about %.3g s; both are fixed or move as they are told, so nothing can part them",
        first, second, m->time);
    return told->safe->skins[told->safe->primitives[m->first].skin].name;
}
