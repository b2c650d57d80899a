// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The component Skin: the surface with which matter touches in safe contact; models.h says what models are.

#include "base/memory.h"
#include "contact/models.h"

typedef struct Edge {
    int32_t a, b;
    bool bare;
} Edge;

static int by_ends(const void *x, const void *y) {
    const Edge *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return (int)p->bare - (int)q->bare;
}

static Edge edge(int32_t a, int32_t b, bool bare) {
    return a < b ? (Edge){a, b, bare} : (Edge){b, a, bare};
}

// All edges of faces, and those that stand alone; each once.
static TacStatus find_edges(TacSkin *self, const TacMesh *mesh, const int32_t *faces, size_t face_count,
                            TacError *error) {
    size_t lone = mesh->elements[TAC_EDGES].count, n = 0, kept = 0;
    Edge *edges = malloc((3 * face_count + lone + 1) * sizeof *edges);
    if (!edges) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < face_count; i++)
        for (size_t k = 0; k < 3; k++) edges[n++] = edge(faces[3 * i + k], faces[3 * i + (k + 1) % 3], false);
    for (size_t i = 0; i < lone; i++)
        edges[n++] = edge(mesh->elements[TAC_EDGES].indices[2 * i],
                          mesh->elements[TAC_EDGES].indices[2 * i + 1], true);
    qsort(edges, n, sizeof *edges, by_ends);
    for (size_t i = 0; i < n; i++)
        if (!i || edges[i].a != edges[kept - 1].a || edges[i].b != edges[kept - 1].b)
            edges[kept++] = edges[i];
    self->edges = malloc((2 * kept + 1) * sizeof *self->edges);
    self->bare = malloc((kept + 1) * sizeof *self->bare);
    for (size_t i = 0; self->edges && self->bare && i < kept; i++) {
        self->edges[2 * i] = edges[i].a;
        self->edges[2 * i + 1] = edges[i].b;
        self->bare[i] = edges[i].bare;
    }
    self->edge_count = kept;
    free(edges);
    return self->edges && self->bare ? TAC_OK : tac_fail_memory(error, 0);
}

// Only points that edges or faces have take part; indices become places among them.
static TacStatus renumber(TacSkin *self, TacSetup *setup, int32_t *faces, TacError *error) {
    size_t n = self->head.matter->count;
    int32_t *place = malloc((n + 1) * sizeof *place);
    if (!place) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < n; i++) place[i] = -1;
    for (size_t i = 0; i < 2 * self->edge_count; i++) place[self->edges[i]] = 0;
    self->vertices = tac_setup_alloc(setup, n, sizeof *self->vertices);
    for (size_t i = 0; self->vertices && i < n; i++)
        if (place[i] == 0) {
            place[i] = (int32_t)self->vertex_count;
            self->vertices[self->vertex_count++] = (uint32_t)i;
        }
    for (size_t i = 0; i < 2 * self->edge_count; i++) self->edges[i] = place[self->edges[i]];
    for (size_t i = 0; i < 3 * self->face_count; i++) faces[i] = place[faces[i]];
    free(place);
    return self->vertices ? TAC_OK : tac_fail_memory(error, 0);
}

// Points of no element at all touch nothing, though they may be meant as part of the thing.
static TacStatus remark_lone_points(const TacSkin *self, TacSetup *setup, const TacMesh *mesh,
                                    TacError *error) {
    size_t lone = mesh->point_count;
    bool *used = calloc(lone + 1, sizeof *used);
    if (!used) return tac_fail_memory(error, lone);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        for (size_t i = 0; i < mesh->elements[kind].count * (size_t)tac_element_size((TacElement)kind); i++) {
            int32_t point = mesh->elements[kind].indices[i];
            lone -= !used[point];
            used[point] = true;
        }
    free(used);
    if (lone)
        tac_setup_warn(setup, NULL, "%zu of the points of %s %s in no face and no edge, and %s nothing", lone,
                       self->head.matter->base.path, lone == 1 ? "is" : "are",
                       lone == 1 ? "touches" : "touch");
    return TAC_OK;
}

// What the topology has already need not be kept twice.
static TacStatus keep_faces(TacSkin *self, TacSetup *setup, const TacMesh *mesh, const int32_t *faces,
                            TacError *error) {
    size_t bytes = 3 * self->face_count * sizeof *faces;
    self->faces = mesh->elements[TAC_TRIANGLES].indices;
    if (self->face_count == mesh->elements[TAC_TRIANGLES].count &&
        (!bytes || !memcmp(self->faces, faces, bytes)))
        return TAC_OK;
    int32_t *copy = tac_setup_alloc(setup, 3 * self->face_count, sizeof *copy);
    if (copy && bytes) memcpy(copy, faces, bytes);
    self->faces = copy;
    return copy ? TAC_OK : tac_fail_memory(error, bytes);
}

static TacStatus skin_init(void *data, TacSetup *setup, TacError *error) {
    TacSkin *self = data;
    TAC_TRY(tac_collision_init(&self->head, setup, error));
    TAC_TRY(tac_collision_check_radius(setup, "radius", self->radius, error));
    const TacMatter *matter = self->head.matter;
    const TacTopology *topology = tac_setup_topology_of(setup, matter);
    if (!topology)
        return tac_setup_fail(setup, error, NULL,
                              "a skin needs a topology with faces or edges; <Balls radius=\"...\"/> "
                              "makes the points balls");
    if (topology->mesh.point_count != matter->count)
        return tac_setup_fail(setup, error, NULL, "%s has %zu points but %s has %zu", matter->base.path,
                              matter->count, topology->base.path, topology->mesh.point_count);
    int32_t *faces;
    size_t count;
    TAC_TRY(tac_mesh_surface(&topology->mesh, &faces, &count, error));
    TacStatus status = find_edges(self, &topology->mesh, faces, count, error);
    self->face_count = count;
    if (status == TAC_OK) status = renumber(self, setup, faces, error);
    if (status == TAC_OK) status = keep_faces(self, setup, &topology->mesh, faces, error);
    free(faces);
    TAC_TRY(status);
    if (!self->edge_count)
        return tac_setup_fail(
            setup, error, NULL,
            "%s has neither faces nor edges; <Balls radius=\"...\"/> makes its points balls",
            topology->base.path);
    return remark_lone_points(self, setup, &topology->mesh, error);
}

void tac_skin_forget_edges(TacSkin *self) {
    free(self->edges);
    free(self->bare);
    self->edges = NULL;
    self->bare = NULL;
}

static void skin_finish(void *data) {
    tac_skin_forget_edges(data);
}

static const TacAttribute skin_attributes[] = {
    TAC_COLLISION_ATTRIBUTES(TacSkin, head),
    {"radius", TAC_REAL, offsetof(TacSkin, radius), "m", "0",
     "Solid thickness around vertices, edges and faces.", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_skin_class = {
    .name = "Skin",
    .kind = TAC_KIND_COLLISION,
    .doc = "Matter touches with the vertices, edges and faces of its topology (of solids: their surface).",
    .size = sizeof(TacSkin),
    .attributes = skin_attributes,
    .attribute_count = TAC_COUNT(skin_attributes),
    .kinds = 1u << TAC_VEC3,
    .init = skin_init,
    .finish = skin_finish,
};
