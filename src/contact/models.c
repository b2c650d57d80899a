// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The components of contact: Contact, ContactMaterial, Skin.

#include "contact/models.h"
#include "base/memory.h"

// --- settings ---------------------------------------------------------------------------------------------

static const TacAttribute contact_attributes[] = {
    {"method", TAC_CHOICE, offsetof(TacContactSetting, method), "", "safe",
     "none: nothing touches; loose: penalty forces on overlap; safe: layers that nothing passes.",
     "none|loose|safe", TAC_ANY, 0},
    {"thickness", TAC_REAL, offsetof(TacContactSetting, thickness), "m", "0.001",
     "Distance at which contact begins, of what has no material of its own.", NULL, TAC_POSITIVE, 0},
    {"friction", TAC_REAL, offsetof(TacContactSetting, friction), "1", "0",
     "Coulomb's coefficient, likewise.", NULL, TAC_NOT_NEGATIVE, 0},
    {"restitution", TAC_REAL, offsetof(TacContactSetting, restitution), "1", "0.5",
     "Speed after an impact over speed before, likewise.", NULL, TAC_FRACTION, 0},
    {"speed", TAC_REAL, offsetof(TacContactSetting, speed), "m/s", "",
     "Usual speed of impacts, for which the outermost layer is made; found from the scene by default. Other "
     "speeds are safe too, and cost more.",
     NULL, TAC_POSITIVE, 0},
    {"k", TAC_INT, offsetof(TacContactSetting, k), "1", "6",
     "Sides of the boxes around things: 6, 14, 18 or 26. Changes cost only.", NULL, TAC_POSITIVE, 0},
    {"vagueness", TAC_REAL, offsetof(TacContactSetting, vagueness), "1", "1",
     "Factor on the width of flight plans; 0: none. Changes cost only.", NULL, TAC_NOT_NEGATIVE, 0},
    {"cone", TAC_BOOL, offsetof(TacContactSetting, cone), "", "false",
     "Flight plans bounded in velocity instead of in place. Changes cost only.", NULL, TAC_ANY, 0},
    {"cull", TAC_BOOL, offsetof(TacContactSetting, cull), "", "true",
     "Whether pairs that are far apart are left out; false only for small scenes. Changes cost only.", NULL,
     TAC_ANY, 0},
    {"finer", TAC_INT, offsetof(TacContactSetting, finer), "1", "2",
     "How many times the period of elastic parts is halved on points that can collide; 3 where the energy of "
     "elastic impacts matters.",
     NULL, TAC_NOT_NEGATIVE, 0},
};

static TacStatus contact_init(void *data, TacSetup *setup, TacError *error) {
    const TacContactSetting *self = data;
    if (self->k != 6 && self->k != 14 && self->k != 18 && self->k != 26)
        return tac_setup_fail(setup, error, "k", "k is %lld; 6, 14, 18 or 26 were expected",
                              (long long)self->k);
    if (self->finer > 16)
        return tac_setup_fail(setup, error, "finer", "finer is %lld; 0 to 16 were expected",
                              (long long)self->finer);
    return TAC_OK;
}

const TacClass tac_contact_class = {
    .name = "Contact",
    .kind = TAC_KIND_SETTING,
    .doc =
        "How things touch. In a world with safe contact nothing ever passes through anything, whatever the "
        "parameters.",
    .size = sizeof(TacContactSetting),
    .attributes = contact_attributes,
    .attribute_count = TAC_COUNT(contact_attributes),
    .init = contact_init,
};

static const TacAttribute material_attributes[] = {
    {"thickness", TAC_REAL, offsetof(TacContactMaterial, thickness), "m", "",
     "Distance at which contact begins; the mean of two materials counts.", NULL, TAC_POSITIVE, 0},
    {"friction", TAC_REAL, offsetof(TacContactMaterial, friction), "1", "",
     "Coulomb's coefficient; the geometric mean of two counts.", NULL, TAC_NOT_NEGATIVE, 0},
    {"restitution", TAC_REAL, offsetof(TacContactMaterial, restitution), "1", "",
     "Speed after an impact over speed before; the larger of two counts.", NULL, TAC_FRACTION, 0},
};

const TacClass tac_contact_material_class = {
    .name = "ContactMaterial",
    .kind = TAC_KIND_SETTING,
    .doc = "What collision models are made of; what is not given is as in Contact.",
    .size = sizeof(TacContactMaterial),
    .attributes = material_attributes,
    .attribute_count = TAC_COUNT(material_attributes),
};

// --- skins ------------------------------------------------------------------------------------------------

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
static TacStatus find_edges(TacSkin *self, TacSetup *setup, const TacMesh *mesh, const int32_t *faces,
                            size_t face_count, TacError *error) {
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
    self->edges = tac_setup_alloc(setup, 2 * kept, sizeof *self->edges);
    self->bare = tac_setup_alloc(setup, kept, sizeof *self->bare);
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
static TacStatus renumber(TacSkin *self, TacSetup *setup, TacError *error) {
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
    for (size_t i = 0; i < 3 * self->face_count; i++) self->faces[i] = place[self->faces[i]];
    free(place);
    return self->vertices ? TAC_OK : tac_fail_memory(error, 0);
}

static TacStatus take_balls(TacSkin *self, TacSetup *setup, const TacTopology *topology, TacError *error) {
    size_t n = self->head.matter->count;
    self->vertices = tac_setup_alloc(setup, n, sizeof *self->vertices);
    if (!self->vertices) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < n; i++) self->vertices[i] = (uint32_t)i;
    self->vertex_count = n;
    bool listed = topology && topology->mesh.radii && topology->mesh.point_count == n &&
                  !tac_setup_given(setup, "radius");
    if (!listed) return TAC_OK;
    self->radii = tac_setup_alloc(setup, n, sizeof *self->radii);
    if (!self->radii) return tac_fail_memory(error, 0);
    memcpy(self->radii, topology->mesh.radii, n * sizeof *self->radii);
    return TAC_OK;
}

static TacStatus skin_init(void *data, TacSetup *setup, TacError *error) {
    TacSkin *self = data;
    const TacMatter *matter = self->head.matter;
    const TacTopology *topology = tac_setup_topology_of(setup, matter);
    if (self->balls) return take_balls(self, setup, topology, error);
    if (!topology)
        return tac_setup_fail(setup, error, NULL,
                              "a skin needs a topology with faces or edges, or balls=\"true\"");
    if (topology->mesh.point_count != matter->count)
        return tac_setup_fail(setup, error, NULL, "%s has %zu points but %s has %zu", matter->base.path,
                              matter->count, topology->base.path, topology->mesh.point_count);
    int32_t *faces;
    size_t count;
    TAC_TRY(tac_mesh_surface(&topology->mesh, &faces, &count, error));
    TacStatus status = find_edges(self, setup, &topology->mesh, faces, count, error);
    self->faces = tac_setup_alloc(setup, 3 * count, sizeof *self->faces);
    if (self->faces) memcpy(self->faces, faces, 3 * count * sizeof *faces);
    self->face_count = count;
    free(faces);
    TAC_TRY(status);
    if (!self->faces) return tac_fail_memory(error, 0);
    if (!self->edge_count)
        return tac_setup_fail(setup, error, NULL,
                              "%s has neither faces nor edges; balls=\"true\" makes its points balls",
                              topology->base.path);
    return renumber(self, setup, error);
}

static const TacAttribute skin_attributes[] = {
    TAC_MATTER_ATTRIBUTE(TacSkin, head.matter),
    {"material", TAC_LINK, offsetof(TacSkin, head.material), "", "",
     "What it is made of; by default what Contact says.", "setting", TAC_ANY, 0},
    {"group", TAC_INT, offsetof(TacSkin, head.group), "1", "1", "What it is: a set of bits.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"mask", TAC_INT, offsetof(TacSkin, head.mask), "1", "4294967295",
     "What it touches: bits of other models' groups.", NULL, TAC_NOT_NEGATIVE, 0},
    {"self", TAC_BOOL, offsetof(TacSkin, head.self), "", "true", "Whether it touches itself.", NULL, TAC_ANY,
     0},
    {"radius", TAC_REAL, offsetof(TacSkin, radius), "m", "0",
     "Solid thickness around vertices, edges and faces; of balls where the topology has no radii.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"balls", TAC_BOOL, offsetof(TacSkin, balls), "", "false", "Every point is a ball; no faces or edges.",
     NULL, TAC_ANY, 0},
};

const TacClass tac_skin_class = {
    .name = "Skin",
    .kind = TAC_KIND_COLLISION,
    .doc = "Matter touches with the vertices, edges and faces of its topology (of solids: their surface), or "
           "with balls around its points.",
    .size = sizeof(TacSkin),
    .attributes = skin_attributes,
    .attribute_count = TAC_COUNT(skin_attributes),
    .kinds = 1u << TAC_VEC3,
    .init = skin_init,
};
