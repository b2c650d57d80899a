// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact of skins. See touch_skins.h.

#include "contact/touch_skins.h"

#include "base/memory.h"
#include "contact/touch.h"
#include "geometry/closest.h"

// One face, by the lower end of its extent along x.
typedef struct TacSkinFace {
    double low, high;
    uint32_t face;
} TacSkinFace;

// --- setting up -------------------------------------------------------------------------------------------

static TacContactNumbers numbers_between(const TacMaterials *materials, const TacSkin *a, const TacSkin *b) {
    TacContactNumbers n =
        tac_materials_between(materials, &a->head.base, a->head.material, &b->head.base, b->head.material);
    n.excluded = n.excluded || a == b || !tac_collision_may_touch(&a->head, &b->head);
    if (!(n.thickness > 0)) n.thickness = materials->setting ? materials->setting->thickness : 0.001;
    n.thickness += a->radius + b->radius;
    return n;
}

TacStatus tac_skin_touches_create(TacSkinTouches *all, TacArena *arena, const TacMaterials *materials,
                                  TacSkinTouch *skins, size_t count, TacError *error) {
    *all = (TacSkinTouches){.skins = skins, .count = count};
    all->between_explicitly = materials->setting && materials->setting->between_explicitly;
    all->numbers = tac_arena_array(arena, count * count, sizeof *all->numbers);
    all->ratios = tac_arena_array(arena, count * count, sizeof *all->ratios);
    if (!all->numbers || !all->ratios) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < count; i++) skins[i].all = all;
    for (size_t i = 0; i < count * count; i++) {
        all->numbers[i] = numbers_between(materials, skins[i / count].skin, skins[i % count].skin);
        all->ratios[i] = tac_touch_damping_ratio(all->numbers[i].restitution);
    }
    return TAC_OK;
}

void tac_skin_touches_destroy(TacSkinTouches *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->skins[i].contacts);
        free(all->skins[i].faces);
    }
}

// --- places -----------------------------------------------------------------------------------------------

static uint32_t point_of(const TacSkin *skin, size_t vertex) {
    return skin->vertices[vertex];
}

static TacVec3 place_of(const TacSkin *skin, size_t vertex) {
    return tac_load3(skin->head.matter->vectors[TAC_X_SHOWN] + 3 * (size_t)point_of(skin, vertex));
}

static TacVec3 velocity_of(const TacSkin *skin, size_t vertex) {
    return tac_load3(skin->head.matter->vectors[TAC_V_SHOWN] + 3 * (size_t)point_of(skin, vertex));
}

typedef struct Box {
    double low[3], high[3];
} Box;

static Box box_of(const TacSkin *skin) {
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < skin->vertex_count; i++) {
        TacVec3 p = place_of(skin, i);
        const double x[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            box.low[k] = fmin(box.low[k], x[k]);
            box.high[k] = fmax(box.high[k], x[k]);
        }
    }
    return box;
}

// What is within `reach` of both; false: nothing.
static bool common(const Box *a, const Box *b, double reach, Box *box) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmax(a->low[k], b->low[k]) - reach;
        box->high[k] = fmin(a->high[k], b->high[k]) + reach;
        if (!(box->low[k] <= box->high[k])) return false;
    }
    return true;
}

static bool is_within(const Box *box, TacVec3 p) {
    return p.x >= box->low[0] && p.x <= box->high[0] && p.y >= box->low[1] && p.y <= box->high[1] &&
           p.z >= box->low[2] && p.z <= box->high[2];
}

// --- who is near ------------------------------------------------------------------------------------------

static int by_low(const void *a, const void *b) {
    const TacSkinFace *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

static void corners_of(const TacSkin *skin, size_t face, TacVec3 p[3]) {
    for (size_t k = 0; k < 3; k++) p[k] = place_of(skin, (size_t)skin->faces[3 * face + k]);
}

// The faces of a skin that reach into a box, sorted along x; *widest is the largest extent among them.
static bool list_faces(TacSkinTouch *self, const TacSkin *skin, const Box *box, size_t *count,
                       double *widest) {
    *count = 0;
    *widest = 0;
    if (!tac_grow(&self->faces, &self->face_capacity, skin->face_count, sizeof *self->faces)) return false;
    for (size_t f = 0; f < skin->face_count; f++) {
        TacVec3 p[3];
        corners_of(skin, f, p);
        TacVec3 low = {fmin(p[0].x, fmin(p[1].x, p[2].x)), fmin(p[0].y, fmin(p[1].y, p[2].y)),
                       fmin(p[0].z, fmin(p[1].z, p[2].z))};
        TacVec3 high = {fmax(p[0].x, fmax(p[1].x, p[2].x)), fmax(p[0].y, fmax(p[1].y, p[2].y)),
                        fmax(p[0].z, fmax(p[1].z, p[2].z))};
        if (!(low.x <= box->high[0] && high.x >= box->low[0] && low.y <= box->high[1] &&
              high.y >= box->low[1] && low.z <= box->high[2] && high.z >= box->low[2]))
            continue;
        *widest = fmax(*widest, high.x - low.x);
        self->faces[(*count)++] = (TacSkinFace){low.x, high.x, (uint32_t)f};
    }
    if (*count) qsort(self->faces, *count, sizeof *self->faces, by_low);
    return true;
}

// The first face whose extent begins at x or later.
static size_t first_from(const TacSkinFace *faces, size_t count, double x) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (faces[middle].low < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct Nearest {
    double square; // of the distance
    uint32_t face;
    double weights[3];
} Nearest;

// Of the listed faces, the one nearest to a place, within reach; of equal ones that with the lowest number.
static bool find_nearest(const TacSkinTouch *self, const TacSkin *skin, size_t count, double widest,
                         TacVec3 p, double reach, Nearest *best) {
    best->square = reach * reach;
    bool found = false;
    for (size_t i = first_from(self->faces, count, p.x - reach - widest);
         i < count && self->faces[i].low <= p.x + reach; i++) {
        if (self->faces[i].high < p.x - reach) continue;
        TacVec3 c[3];
        double weights[3];
        corners_of(skin, self->faces[i].face, c);
        double square = tac_closest_point_triangle(p, c[0], c[1], c[2], weights);
        if (square > best->square || (square == best->square && (!found || self->faces[i].face > best->face)))
            continue;
        *best = (Nearest){square, self->faces[i].face, {weights[0], weights[1], weights[2]}};
        found = true;
    }
    return found;
}

// --- contacts ---------------------------------------------------------------------------------------------

static double reduced(double a, double b) {
    if (!(a < INFINITY)) return b;
    return b < INFINITY ? a * b / (a + b) : a;
}

// Stiffness and damping between two skins, as far as explicit solvers bear them.
static void choose(const TacSkinTouch *a, const TacSkinTouch *b, const TacContactNumbers *n, double ratio,
                   TacSkinContact *contact) {
    const TacSkinTouch *sides[] = {a, b};
    double chosen = INFINITY, most_k = INFINITY, most_c = INFINITY, m = reduced(a->mass, b->mass);
    for (int i = 0; i < 2; i++) {
        const TacSkinTouch *s = sides[i];
        if (!(s->mass < INFINITY)) continue;
        double h = s->step;
        chosen = fmin(chosen, (s->implicit ? 1 : 0.05) * s->mass / (h * h));
        if (s->implicit) continue;
        most_k = fmin(most_k, 0.2 * s->mass / (h * h));
        most_c = fmin(most_c, 0.2 * s->mass / h);
    }
    contact->k = fmin(n->stiffness > 0 ? n->stiffness : chosen, most_k);
    contact->c = fmin(isnan(n->damping) ? 2 * ratio * sqrt(contact->k * m) : n->damping, most_c);
}

// What a contact pushes and rubs with, `v` being its velocity as seen from the other.
static void respond(TacSkinContact *contact, TacVec3 v, double friction, double m) {
    double parting = tac_dot(contact->normal, v);
    contact->push = fmax(0, contact->k * contact->depth - contact->c * parting);
    TacVec3 along = tac_axpy(v, -parting, contact->normal);
    double speed = tac_norm(along), drag = fmin(friction * contact->push, sqrt(contact->k * m) * speed);
    contact->force = tac_scale(contact->normal, contact->push);
    if (speed > 0) contact->force = tac_axpy(contact->force, -drag / speed, along);
}

// A vertex of one skin near a face of another; `own` is the vertex's side, or the face's.
static bool add_contact(TacSkinTouch *self, const TacSkin *of_vertex, size_t vertex, const TacSkin *of_face,
                        const Nearest *nearest, size_t other, bool own_vertex) {
    const TacSkinTouches *all = self->all;
    size_t pair = (size_t)(self - all->skins) * all->count + other;
    const TacSkinTouch *they = &all->skins[other];
    const TacContactNumbers *n = &all->numbers[pair];
    if (!tac_grow(&self->contacts, &self->capacity, self->count + 1, sizeof *self->contacts)) return false;
    TacVec3 p = place_of(of_vertex, vertex), v = velocity_of(of_vertex, vertex), q = {0, 0, 0}, w = {0, 0, 0};
    uint32_t corners[3];
    for (size_t k = 0; k < 3; k++) {
        size_t corner = (size_t)of_face->faces[3 * (size_t)nearest->face + k];
        corners[k] = point_of(of_face, corner);
        q = tac_axpy(q, nearest->weights[k], place_of(of_face, corner));
        w = tac_axpy(w, nearest->weights[k], velocity_of(of_face, corner));
    }
    TacVec3 apart = own_vertex ? tac_sub(p, q) : tac_sub(q, p),
            seen = own_vertex ? tac_sub(v, w) : tac_sub(w, v);
    double distance = tac_norm(apart);
    if (!(distance > 0)) return true; // there is no saying where to
    TacSkinContact *c = &self->contacts[self->count++];
    *c = (TacSkinContact){.other = (uint32_t)other,
                          .at = tac_scale(tac_add(p, q), 0.5),
                          .normal = tac_scale(apart, 1 / distance),
                          .depth = n->thickness - distance};
    for (size_t k = 0; k < 3; k++) {
        c->own[k] = own_vertex ? point_of(of_vertex, vertex) : corners[k];
        c->weights[k] = own_vertex ? k == 0 : nearest->weights[k];
    }
    choose(self, they, n, all->ratios[pair], c);
    respond(c, seen, n->friction, reduced(self->mass, they->mass));
    double reserve = they->mass < INFINITY ? 1 + self->mass / they->mass : 1;
    if (they->mass < INFINITY && all->between_explicitly) reserve = 0;
    TacVec3 ours = own_vertex ? v : w, others = own_vertex ? w : v;
    if (they->mass < INFINITY && reserve > 0)
        c->lead = c->k * ((reserve - 1) * tac_dot(c->normal, ours) + tac_dot(c->normal, others));
    c->k *= reserve;
    c->c *= reserve;
    return true;
}

static bool vertices_on_faces(TacSkinTouch *self, const TacSkin *of_vertices, const TacSkin *of_faces,
                              const Box *box, size_t other, bool own_vertices) {
    size_t count;
    double widest,
        reach = self->all->numbers[(size_t)(self - self->all->skins) * self->all->count + other].thickness;
    if (!list_faces(self, of_faces, box, &count, &widest)) return false;
    for (size_t i = 0; count && i < of_vertices->vertex_count; i++) {
        TacVec3 p = place_of(of_vertices, i);
        Nearest nearest = {0};
        if (!is_within(box, p) || !find_nearest(self, of_faces, count, widest, p, reach, &nearest)) continue;
        if (!add_contact(self, of_vertices, i, of_faces, &nearest, other, own_vertices)) return false;
    }
    return true;
}

bool tac_skin_look(TacSkinTouch *self) {
    self->count = 0;
    if (!self->moves || self->skin->head.matter->idle) {
        self->touches = self->anew = false;
        return true;
    }
    const TacSkinTouches *all = self->all;
    size_t own = (size_t)(self - all->skins);
    Box mine = box_of(self->skin);
    for (size_t other = 0; other < all->count; other++) {
        const TacContactNumbers *n = &all->numbers[own * all->count + other];
        const TacSkin *theirs = all->skins[other].skin;
        if (n->excluded || theirs->head.matter->idle) continue; // idle: another model stands for it
        Box box, their_box = box_of(theirs);
        if (!common(&mine, &their_box, n->thickness, &box)) continue;
        if (!vertices_on_faces(self, self->skin, theirs, &box, other, true) ||
            !vertices_on_faces(self, theirs, self->skin, &box, other, false))
            return false;
    }
    self->anew = self->count > 0 && !self->touches;
    self->touches = self->count > 0;
    return true;
}

// --- the law ----------------------------------------------------------------------------------------------

static bool is_solved(const TacSkinContact *c) {
    return c->push > 0 && (c->k > 0 || c->c > 0);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    const TacSkinTouch *self = data;
    double ahead = self->implicit ? context->step + self->rayleigh : 0;
    for (size_t i = 0; i < self->count; i++) {
        const TacSkinContact *c = &self->contacts[i];
        TacVec3 f = is_solved(c) ? tac_axpy(c->force, ahead * c->lead, c->normal) : c->force;
        for (size_t k = 0; k < 3; k++)
            if (c->weights[k] > 0)
                tac_add3(vectors->f[0] + 3 * (size_t)c->own[k], tac_scale(f, c->weights[k]));
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)context;
    const TacSkinTouch *self = data;
    for (size_t i = 0; i < self->count; i++) {
        const TacSkinContact *c = &self->contacts[i];
        if (!is_solved(c)) continue;
        double along = 0;
        for (size_t j = 0; j < 3; j++)
            if (c->weights[j] > 0)
                along += c->weights[j] * tac_dot(c->normal, tac_load3(vectors->v[0] + 3 * (size_t)c->own[j]));
        double answer = -(k * c->k + b * c->c) * along;
        for (size_t j = 0; j < 3; j++)
            if (c->weights[j] > 0)
                tac_add3(vectors->f[0] + 3 * (size_t)c->own[j], tac_scale(c->normal, answer * c->weights[j]));
    }
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    const TacSkinTouch *self = data;
    for (size_t i = 0; i < self->count; i++) {
        const TacSkinContact *c = &self->contacts[i];
        if (!is_solved(c)) continue;
        const double n[3] = {c->normal.x, c->normal.y, c->normal.z};
        for (size_t pair = 0; pair < 9; pair++) {
            size_t p = pair / 3, q = pair % 3;
            double block[9], s = -(k * c->k + b * c->c) * c->weights[p] * c->weights[q];
            if (s == 0) continue;
            for (int e = 0; e < 9; e++) block[e] = s * n[e / 3] * n[e % 3];
            tac_matrix_add(matrix, 0, c->own[p], 0, c->own[q], block);
        }
    }
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .stiffness = stiffness};

const TacClass tac_skin_touch_class = {
    .name = "LooseSkin",
    .kind = TAC_KIND_LAW,
    .doc = "What loose contact does to one skin.",
    .size = sizeof(TacSkinTouch),
    .ops.law = &ops,
};
