// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The other way to find pairs: a traversal front held by certificates (document on safe contact, "separation lists").
//
// Two trees of moving boxes are gone down together. Where two boxes are apart, going down stops, with a certificate: an
// axis, and the time at which the linear envelopes of the two boxes meet along it. Those places are the front. It is kept
// between questions: only a certificate that fails, or whose boxes have changed, is looked at again, first along the axis
// that held last, then along one drawn by lot, then along all. Where none holds, the front goes down there; two leaves
// that meet are a pair. Where boxes meet, nothing needs to be known but that: the front rises again when everything
// below has come apart (an overlap certificate that failed).
//
// Reads courses' boxes as safe_box.c sets them, and says which pairs there are: the same ones that matter, so that
// nothing that happens depends on it. Boxes that are asked anew are the default, as they cost less (docs/safe-contact.md).
//
// 1. An entry is open (it has entries below), apart (linked to both its nodes) or meets (linked likewise; two leaves).
// 2. Apart means: along `axis`, from when it was looked at until the window of boxes ends, or until the tick that it is
//    filed under. Boxes that do not move stay apart in later windows, too.
// 3. When a box changes, so may all above it: all entries on those nodes are looked at.

#include "contact/safe_parts.h"

#include "base/random.h"

typedef enum EntryState { ENTRY_FREE, ENTRY_OPEN, ENTRY_APART, ENTRY_MEETS } EntryState;

typedef struct Entry {
    uint32_t node[2];
    uint32_t next[2], previous[2]; // on the same node: entry * 2 + side
    uint32_t parent, first, sibling;
    uint32_t seen; // in which update
    uint8_t state, axis, join;
} Entry;

// Two trees that are gone down together.
typedef struct Join {
    int kind[2];
    bool wanted;
    uint32_t root;
    uint32_t *on[2]; // first entry on each node: entry * 2 + side
} Join;

enum { JOINS = 4 };

struct TacSafeFront {
    Join joins[JOINS];
    Entry *entries;
    size_t count, capacity;
    uint32_t free;
    uint32_t *changed[3]; // per node of a tree: the update in which its box changed
    TacSafeList nodes[3]; // those of this update
    TacSafeList queue;    // entries to be looked at
    TacWheel wheel;       // entries whose certificates fail before the window ends
    TacRandom lots;
    uint32_t update;
};

// --- nodes ------------------------------------------------------------------------------------------------

// Nodes of a tree as in moving_tree.h, from 1 on; after them its leaves, by place.
static size_t node_count(const TacMovingTree *t) {
    return 2 * t->bucket_count + t->leaf_count;
}

static bool is_leaf(const TacMovingTree *t, uint32_t node) {
    return node >= 2 * t->bucket_count;
}

static const float *box_at(const TacMovingTree *t, uint32_t node, float room[TAC_MOVING_NUMBERS]) {
    return is_leaf(t, node) ? tac_moving_tree_box(t, node - 2 * t->bucket_count, room)
                            : t->nodes + TAC_MOVING_GROUP * node;
}

static int height(const TacMovingTree *t, uint32_t node) {
    int h = 0;
    if (is_leaf(t, node)) return 0;
    for (size_t n = node; n < 2 * t->bucket_count; n *= 2) h++;
    return h;
}

// The nodes or leaves right below.
static uint32_t below(const TacMovingTree *t, uint32_t node, uint32_t *first) {
    *first = 2 * node;
    if (node < t->bucket_count) return 2;
    size_t bucket = node - t->bucket_count;
    *first = (uint32_t)(2 * t->bucket_count) + t->first[bucket];
    return t->first[bucket + 1] - t->first[bucket];
}

static const TacMovingTree *tree_of(const TacSafe *safe, const Entry *e, int side) {
    return &safe->trees[safe->front->joins[e->join].kind[side]];
}

static uint32_t primitive_of(const TacSafe *safe, const Entry *e, int side) {
    const TacMovingTree *t = tree_of(safe, e, side);
    int kind = safe->front->joins[e->join].kind[side];
    return tac_safe_first_of(safe, kind) + t->leaf[e->node[side] - 2 * t->bucket_count];
}

// --- entries ----------------------------------------------------------------------------------------------

static void link_entry(TacSafeFront *front, uint32_t id) {
    Entry *e = &front->entries[id];
    for (int side = 0; side < 2; side++) {
        uint32_t *first = &front->joins[e->join].on[side][e->node[side]], here = 2 * id + (uint32_t)side;
        e->previous[side] = TAC_SAFE_NONE;
        e->next[side] = *first;
        if (*first != TAC_SAFE_NONE) front->entries[*first / 2].previous[side] = here;
        *first = here;
    }
}

static void unlink_entry(TacSafeFront *front, uint32_t id) {
    Entry *e = &front->entries[id];
    for (int side = 0; side < 2; side++) {
        uint32_t next = e->next[side], previous = e->previous[side];
        if (next != TAC_SAFE_NONE) front->entries[next / 2].previous[side] = previous;
        if (previous != TAC_SAFE_NONE)
            front->entries[previous / 2].next[side] = next;
        else
            front->joins[e->join].on[side][e->node[side]] = next;
    }
}

static uint32_t new_entry(TacSafe *safe, uint8_t join, uint32_t a, uint32_t b, uint32_t parent) {
    TacSafeFront *front = safe->front;
    uint32_t id = front->free;
    if (id != TAC_SAFE_NONE) {
        front->free = front->entries[id].sibling;
    } else {
        if (front->count >= TAC_SAFE_NONE / 2 ||
            !tac_grow(&front->entries, &front->capacity, front->count + 1, sizeof *front->entries)) {
            safe->out_of_memory = true;
            return TAC_SAFE_NONE;
        }
        id = (uint32_t)front->count++;
    }
    front->entries[id] = (Entry){.node = {a, b},
                                 .parent = parent,
                                 .first = TAC_SAFE_NONE,
                                 .sibling = TAC_SAFE_NONE,
                                 .state = ENTRY_OPEN,
                                 .join = join};
    if (parent != TAC_SAFE_NONE) {
        front->entries[id].sibling = front->entries[parent].first;
        front->entries[parent].first = id;
    }
    return id;
}

static void set_state(TacSafeFront *front, uint32_t id, EntryState state) {
    Entry *e = &front->entries[id];
    bool was = e->state >= ENTRY_APART, is = state >= ENTRY_APART;
    if (was && !is) unlink_entry(front, id);
    if (is && !was) link_entry(front, id);
    tac_wheel_cancel(&front->wheel, id);
    e->state = (uint8_t)state;
}

// Entries below it, none of which is open.
static void free_below(TacSafeFront *front, uint32_t id) {
    for (uint32_t child = front->entries[id].first; child != TAC_SAFE_NONE;) {
        uint32_t next = front->entries[child].sibling;
        set_state(front, child, ENTRY_FREE);
        front->entries[child].sibling = front->free;
        front->free = child;
        child = next;
    }
    front->entries[id].first = TAC_SAFE_NONE;
}

// --- certificates -----------------------------------------------------------------------------------------

// The part of the window at which boxes stop being apart along an axis: 1 and more: not in it; `now` and less: they are
// not apart.
static double fails_at(const float *a, const float *b, size_t axis, double now) {
    double s = (double)a[tac_moving_number(0, axis)] + (double)b[tac_moving_number(0, axis ^ 1)];
    double t = (double)a[tac_moving_number(1, axis)] + (double)b[tac_moving_number(1, axis ^ 1)];
    double doubt = 1e-12 * (fabs(s) + fabs(t)), here = s + (t - s) * now + doubt;
    if (!(here < 0)) return now;
    if (t + doubt < 0) return 1;
    return now + (1 - now) * (-here / (t + doubt - here));
}

// The axis along which they are apart for longest.
static double find_axis(const TacSafe *safe, Entry *e, double now) {
    const TacMovingTree *t = tree_of(safe, e, 0), *u = tree_of(safe, e, 1);
    float room[2][TAC_MOVING_NUMBERS];
    const float *a = box_at(t, e->node[0], room[0]), *b = box_at(u, e->node[1], room[1]);
    size_t k = (size_t)t->k;
    // nodes have the first ones only
    if (k > TAC_MOVING_LANES && !(is_leaf(t, e->node[0]) && is_leaf(u, e->node[1]))) k = TAC_MOVING_LANES;
    size_t lot = tac_random_bits(&safe->front->lots) % k;
    double best = fails_at(a, b, e->axis, now);
    size_t axis = e->axis;
    for (size_t i = 0; best < 1 && i <= k; i++) {
        size_t tried = i ? i - 1 : lot;
        double later = fails_at(a, b, tried, now);
        if (later > best) {
            best = later;
            axis = tried;
        }
    }
    e->axis = (uint8_t)axis;
    return best;
}

// --- looking ----------------------------------------------------------------------------------------------

static void add_child(TacSafe *safe, uint32_t parent, uint32_t a, uint32_t b) {
    TacSafeFront *front = safe->front;
    uint8_t join = front->entries[parent].join;
    uint32_t id = new_entry(safe, join, a, b, parent);
    if (id == TAC_SAFE_NONE) return;
    front->entries[id].axis = front->entries[parent].axis;
    tac_safe_push(safe, &front->queue, id);
}

// Two leaves that can never touch need no entry.
static bool may_meet(const TacSafe *safe, uint32_t parent, uint32_t a, uint32_t b) {
    Entry e = safe->front->entries[parent];
    e.node[0] = a;
    e.node[1] = b;
    if (!is_leaf(tree_of(safe, &e, 0), a) || !is_leaf(tree_of(safe, &e, 1), b)) return true;
    uint32_t p = primitive_of(safe, &e, 0), q = primitive_of(safe, &e, 1);
    return tac_safe_may_touch(safe, p < q ? p : q, p < q ? q : p);
}

// Goes down on the side that is higher; on both where a node meets itself.
static void split(TacSafe *safe, uint32_t id) {
    const Entry e = safe->front->entries[id];
    const Join *join = &safe->front->joins[e.join];
    const TacMovingTree *s = tree_of(safe, &e, 0), *t = tree_of(safe, &e, 1);
    bool itself = join->kind[0] == join->kind[1] && e.node[0] == e.node[1];
    int side = height(s, e.node[0]) >= height(t, e.node[1]) ? 0 : 1;
    uint32_t first, count = below(side ? t : s, e.node[side], &first);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = side ? e.node[0] : first + i, b = side ? first + i : e.node[1];
        if (!itself && may_meet(safe, id, a, b)) add_child(safe, id, a, b);
        for (uint32_t j = i; itself && j < count; j++)
            if (may_meet(safe, id, first + i, first + j)) add_child(safe, id, first + i, first + j);
    }
}

static void meet(TacSafe *safe, const Entry *e) {
    tac_safe_note_found(safe, 0, primitive_of(safe, e, 0), primitive_of(safe, e, 1));
}

// An entry that holds until nearly at once is as good as none.
static TacStatus look(TacSafe *safe, uint32_t id, TacTick now, TacError *error) {
    TacSafeFront *front = safe->front;
    Entry *e = &front->entries[id];
    double span = (double)(safe->boxes_until - safe->boxes_from);
    double part = (double)(now - safe->boxes_from) / span, until = find_axis(safe, e, part);
    safe->stats.queries++;
    e->seen = front->update;
    if (until >= 1 || until > part + 0.03) {
        set_state(front, id, ENTRY_APART);
        if (until >= 1) return TAC_OK;
        return tac_wheel_file(&front->wheel, id, safe->boxes_from + (TacTick)(until * span), error);
    }
    if (is_leaf(tree_of(safe, e, 0), e->node[0]) && is_leaf(tree_of(safe, e, 1), e->node[1])) {
        set_state(front, id, ENTRY_MEETS);
        meet(safe, e);
    } else {
        set_state(front, id, ENTRY_OPEN);
        split(safe, id);
    }
    return TAC_OK;
}

// Whether the entry can stand for all below it, throughout the window.
static bool rises(TacSafe *safe, uint32_t id) {
    TacSafeFront *front = safe->front;
    for (uint32_t child = front->entries[id].first; child != TAC_SAFE_NONE;
         child = front->entries[child].sibling)
        if (front->entries[child].state != ENTRY_APART) return false;
    if (find_axis(safe, &front->entries[id], 0) < 1) return false;
    free_below(front, id);
    set_state(front, id, ENTRY_APART);
    return true;
}

// --- updates ----------------------------------------------------------------------------------------------

static void change_node(TacSafe *safe, int kind, uint32_t node) {
    TacSafeFront *front = safe->front;
    if (front->changed[kind][node] == front->update) return;
    front->changed[kind][node] = front->update;
    tac_safe_push(safe, &front->nodes[kind], node);
}

static void change_leaf(TacSafe *safe, uint32_t primitive) {
    int kind = safe->primitives[primitive].kind;
    const TacMovingTree *t = &safe->trees[kind];
    uint32_t place = t->place[primitive - tac_safe_first_of(safe, kind)];
    change_node(safe, kind, (uint32_t)(2 * t->bucket_count) + place);
    for (size_t n = t->bucket_count + tac_moving_tree_bucket(t, place); n; n /= 2) {
        if (safe->front->changed[kind][n] == safe->front->update) return;
        change_node(safe, kind, (uint32_t)n);
    }
}

// Entries on nodes whose boxes have changed.
static void queue_changed(TacSafe *safe) {
    TacSafeFront *front = safe->front;
    for (int j = 0; j < JOINS; j++) {
        const Join *join = &front->joins[j];
        for (int side = 0; join->wanted && side < 2; side++) {
            const TacSafeList *nodes = &front->nodes[join->kind[side]];
            for (size_t i = 0; i < nodes->count; i++)
                for (uint32_t link = join->on[side][nodes->items[i]]; link != TAC_SAFE_NONE;) {
                    Entry *e = &front->entries[link / 2];
                    if (e->seen != front->update) tac_safe_push(safe, &front->queue, link / 2);
                    e->seen = front->update;
                    link = e->next[side];
                }
        }
    }
    for (int k = 0; k < 3; k++) front->nodes[k].count = 0;
}

static void begin_join(TacSafe *safe, uint8_t number) {
    TacSafeFront *front = safe->front;
    Join *join = &front->joins[number];
    join->root = new_entry(safe, number, 1, 1, TAC_SAFE_NONE);
    if (join->root != TAC_SAFE_NONE) tac_safe_push(safe, &front->queue, join->root);
}

void tac_safe_front_forget(TacSafe *safe) {
    TacSafeFront *front = safe->front;
    if (!front) return;
    for (uint32_t i = 0; i < front->count; i++) tac_wheel_cancel(&front->wheel, i);
    front->wheel.from = 0;
    front->count = front->queue.count = 0;
    front->free = TAC_SAFE_NONE;
    for (int j = 0; j < JOINS; j++) {
        Join *join = &front->joins[j];
        join->root = TAC_SAFE_NONE;
        for (int side = 0; join->wanted && side < 2; side++)
            memset(join->on[side], 0xff, node_count(&safe->trees[join->kind[side]]) * sizeof *join->on[side]);
    }
}

TacStatus tac_safe_front_update(TacSafe *safe, bool shaped, TacTick now, TacError *error) {
    TacSafeFront *front = safe->front;
    bool window = now == safe->boxes_from;
    front->update++;
    if (shaped) tac_safe_front_forget(safe); // nodes are other ones now
    for (size_t i = 0; i < safe->dirty_primitives.count; i++)
        change_leaf(safe, safe->dirty_primitives.items[i]);
    queue_changed(safe);
    for (uint8_t j = 0; j < JOINS; j++)
        if (front->joins[j].wanted && front->joins[j].root == TAC_SAFE_NONE) begin_join(safe, j);
    TacSafeList *queue = &front->queue;
    TacStatus status = TAC_OK;
    for (size_t i = 0; i < queue->count && status == TAC_OK; i++)
        if (front->entries[queue->items[i]].first == TAC_SAFE_NONE) // else it was in the queue twice
            status = look(safe, queue->items[i], now, error);
    // only when all is new anyway: the front rises by as much as it can
    for (size_t i = 0; window && status == TAC_OK && i < queue->count; i++) {
        const Entry *e = &front->entries[queue->items[i]];
        uint32_t parent = e->state == ENTRY_APART ? e->parent : TAC_SAFE_NONE;
        while (parent != TAC_SAFE_NONE && rises(safe, parent)) parent = front->entries[parent].parent;
    }
    queue->count = 0;
    return status;
}

TacTick tac_safe_front_next(const TacSafe *safe, TacTick limit) {
    return safe->front ? tac_wheel_next(&safe->front->wheel, limit) : limit;
}

TacStatus tac_safe_front_expire(TacSafe *safe, TacTick now, TacError *error) {
    const uint32_t *ids;
    size_t count;
    if (!safe->front) return TAC_OK;
    TAC_TRY(tac_wheel_advance(&safe->front->wheel, now, &ids, &count, error));
    for (size_t i = 0; i < count; i++) tac_safe_push(safe, &safe->front->queue, ids[i]);
    safe->stats.expired += count;
    return TAC_OK;
}

bool tac_safe_front_waits(const TacSafe *safe) {
    return safe->front && safe->front->queue.count;
}

// --- making -----------------------------------------------------------------------------------------------

static bool make_join(const TacSafe *safe, Join *join, int first, int second, bool wanted) {
    *join = (Join){.kind = {first, second}, .root = TAC_SAFE_NONE};
    join->wanted = wanted && safe->trees[first].leaf_count && safe->trees[second].leaf_count;
    for (int side = 0; join->wanted && side < 2; side++) {
        join->on[side] = malloc(node_count(&safe->trees[join->kind[side]]) * sizeof *join->on[side]);
        if (!join->on[side]) return false;
    }
    return true;
}

TacStatus tac_safe_front_create(TacSafe *safe, TacError *error) {
    TacSafeFront *front = safe->front = calloc(1, sizeof *front);
    if (!front) return tac_fail_memory(error, sizeof *front);
    bool balls = false, made = true;
    for (size_t i = 0; i < safe->point_count; i++) balls = balls || safe->primitives[i].ball;
    made = made && make_join(safe, &front->joins[0], TAC_PRIMITIVE_POINT, TAC_PRIMITIVE_FACE, true);
    made = made && make_join(safe, &front->joins[1], TAC_PRIMITIVE_EDGE, TAC_PRIMITIVE_EDGE, true);
    made = made && make_join(safe, &front->joins[2], TAC_PRIMITIVE_POINT, TAC_PRIMITIVE_POINT, balls);
    made = made && make_join(safe, &front->joins[3], TAC_PRIMITIVE_POINT, TAC_PRIMITIVE_EDGE, balls);
    for (int k = 0; made && k < 3; k++) {
        front->changed[k] = calloc(node_count(&safe->trees[k]) + 1, sizeof *front->changed[k]);
        made = front->changed[k] != NULL;
    }
    if (!made) return tac_fail_memory(error, 0);
    front->lots = tac_random(1, 1);
    tac_safe_front_forget(safe);
    return TAC_OK;
}

void tac_safe_front_destroy(TacSafeFront *front) {
    if (!front) return;
    for (int j = 0; j < JOINS; j++)
        for (int side = 0; side < 2; side++) free(front->joins[j].on[side]);
    for (int k = 0; k < 3; k++) {
        free(front->changed[k]);
        free(front->nodes[k].items);
    }
    free(front->queue.items);
    free(front->entries);
    tac_wheel_destroy(&front->wheel);
    free(front);
}

size_t tac_safe_front_bytes(const TacSafeFront *front) {
    return front ? front->capacity * sizeof *front->entries : 0;
}
