// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The components Contact, ContactMaterial and ContactPair, and the combine rule; materials.h states it.

#include "contact/materials.h"

#include "geometry/kdop.h"

// --- the combine rule -------------------------------------------------------------------------------------

// What has no material.
static TacContactMaterial ordinary(const TacContactSetting *setting) {
    return (TacContactMaterial){.friction = setting ? setting->friction : 0.5,
                                .restitution = setting ? setting->restitution : 0,
                                .damping = NAN};
}

static double mix(TacCombine rule, double a, double b) {
    switch (rule) {
    case TAC_COMBINE_AVERAGE: return 0.5 * (a + b);
    case TAC_COMBINE_LEAST: return fmin(a, b);
    case TAC_COMBINE_MOST: return fmax(a, b);
    default: return sqrt(a * b);
    }
}

static void replace(double *value, double by) {
    if (!isnan(by)) *value = by;
}

static void apply_pair(TacContactNumbers *n, const TacContactPair *pair) {
    n->excluded = n->excluded || pair->excluded;
    replace(&n->friction, pair->friction);
    replace(&n->restitution, pair->restitution);
    replace(&n->stiffness, pair->stiffness);
    replace(&n->damping, pair->damping);
    replace(&n->thickness, pair->thickness);
}

static bool is_of(const TacContactPair *pair, const TacComponent *a, const TacComponent *b) {
    const TacComponent *p = pair->first ? pair->first : pair->first_model;
    const TacComponent *q = pair->first ? pair->second : pair->second_model;
    return (p == a && q == b) || (p == b && q == a);
}

static void apply_pairs_of(const TacMaterials *materials, TacContactNumbers *n, const TacComponent *a,
                           const TacComponent *b) {
    for (size_t i = 0; a && b && i < materials->pair_count; i++)
        if (is_of(materials->pairs[i], a, b)) apply_pair(n, materials->pairs[i]);
}

TacContactNumbers tac_materials_combine(const TacMaterials *materials, const TacContactMaterial *a,
                                        const TacContactMaterial *b) {
    const TacContactMaterial none = ordinary(materials->setting), *p = a ? a : &none, *q = b ? b : &none;
    TacCombine rule = materials->setting ? (TacCombine)materials->setting->combine : TAC_COMBINE_GEOMETRIC;
    bool stiff = p->stiffness > 0 && q->stiffness > 0;
    TacContactNumbers n = {.friction = mix(rule, p->friction, q->friction),
                           .restitution = mix(rule, p->restitution, q->restitution),
                           .stiffness = stiff ? 1 / (1 / p->stiffness + 1 / q->stiffness) : 0,
                           .damping = fmax(p->damping, q->damping), // of a number and NaN: the number
                           .thickness = p->thickness + q->thickness};
    apply_pairs_of(materials, &n, a ? &a->base : NULL, b ? &b->base : NULL);
    return n;
}

TacContactNumbers tac_materials_between(const TacMaterials *materials, const TacComponent *model_a,
                                        const TacContactMaterial *a, const TacComponent *model_b,
                                        const TacContactMaterial *b) {
    TacContactNumbers n = tac_materials_combine(materials, a, b);
    apply_pairs_of(materials, &n, model_a, model_b);
    return n;
}

TacStatus tac_materials_gather(TacMaterials *materials, TacArena *arena, TacComponent *const *components,
                               size_t count, TacError *error) {
    *materials = (TacMaterials){0};
    size_t n = 0, m = 0;
    for (size_t i = 0; i < count; i++) {
        n += components[i]->cls == &tac_contact_material_class;
        m += components[i]->cls == &tac_contact_pair_class;
    }
    materials->materials = tac_arena_array(arena, n, sizeof *materials->materials);
    materials->pairs = tac_arena_array(arena, m, sizeof *materials->pairs);
    if (!materials->materials || !materials->pairs) return tac_fail_memory(error, (n + m) * sizeof(void *));
    for (size_t i = 0; i < count; i++) {
        TacComponent *c = components[i];
        if (c->cls == &tac_contact_material_class)
            materials->materials[materials->material_count++] = (TacContactMaterial *)c;
        if (c->cls == &tac_contact_pair_class)
            materials->pairs[materials->pair_count++] = (TacContactPair *)c;
        if (c->cls == &tac_contact_setting_class && !materials->setting)
            materials->setting = (TacContactSetting *)c;
    }
    return TAC_OK;
}

// --- ContactMaterial --------------------------------------------------------------------------------------

static TacStatus material_init(void *data, TacSetup *setup, TacError *error) {
    const TacContactMaterial *self = data;
    if (self->restitution > 1)
        return tac_setup_fail(setup, error, "restitution", "restitution must be from 0 to 1");
    if (self->damping < 0) return tac_setup_fail(setup, error, "damping", "damping must not be negative");
    return TAC_OK;
}

static const TacAttribute material_attributes[] = {
    {"friction", TAC_REAL, offsetof(TacContactMaterial, friction), "1", "0.5",
     "Coulomb's coefficient: the largest tangential force as a part of the push.", NULL, TAC_NOT_NEGATIVE, 0},
    {"restitution", TAC_REAL, offsetof(TacContactMaterial, restitution), "1", "0",
     "How much of the speed of approach comes back, 0 to 1.", NULL, TAC_FRACTION, 0},
    {"stiffness", TAC_REAL, offsetof(TacContactMaterial, stiffness), "N/m", "0",
     "Against depth, of a contact as a whole; 0: chosen from masses and steps.", NULL, TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REAL, offsetof(TacContactMaterial, damping), "N s/m", "",
     "Along the normal, of a contact as a whole; by default what gives the restitution.", NULL, TAC_ANY, 0},
    {"thickness", TAC_REAL, offsetof(TacContactMaterial, thickness), "m", "0",
     "How far it keeps others off its shapes.", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_contact_material_class = {
    .name = "ContactMaterial",
    .kind = TAC_KIND_SETTING,
    .doc = "How a surface touches others. Where two materials meet: friction and restitution by the combine "
           "rule of "
           "Contact, stiffness as of two springs one behind the other, the larger damping, the sum of "
           "thicknesses; "
           "unless a ContactPair says otherwise.",
    .size = sizeof(TacContactMaterial),
    .attributes = material_attributes,
    .attribute_count = TAC_COUNT(material_attributes),
    .init = material_init,
};

// --- ContactPair ------------------------------------------------------------------------------------------

static TacStatus check_material(TacSetup *setup, const TacComponent *c, const char *name, TacError *error) {
    if (c->cls == &tac_contact_material_class) return TAC_OK;
    return tac_setup_fail(setup, error, name, "%s is a %s; a ContactMaterial was expected", c->path,
                          c->cls->name);
}

static TacStatus pair_init(void *data, TacSetup *setup, TacError *error) {
    const TacContactPair *self = data;
    bool materials = self->first && self->second, models = self->first_model && self->second_model;
    bool halves = (!self->first != !self->second) || (!self->first_model != !self->second_model);
    if (halves || materials == models)
        return tac_setup_fail(
            setup, error, NULL,
            "needs either first and second (two materials) or first_model and second_model");
    if (materials) {
        TAC_TRY(check_material(setup, self->first, "first", error));
        TAC_TRY(check_material(setup, self->second, "second", error));
    }
    const double numbers[] = {self->friction, self->restitution, self->stiffness, self->damping,
                              self->thickness};
    static const char *const names[] = {"friction", "restitution", "stiffness", "damping", "thickness"};
    for (size_t i = 0; i < TAC_COUNT(numbers); i++)
        if (numbers[i] < 0 || (i == 1 && numbers[i] > 1))
            return tac_setup_fail(setup, error, names[i], "%s must be %s", names[i],
                                  i == 1 ? "from 0 to 1" : "at least 0");
    return TAC_OK;
}

static const TacAttribute pair_attributes[] = {
    {"first", TAC_LINK, offsetof(TacContactPair, first), "", "", "A ContactMaterial.", "setting", TAC_ANY, 0},
    {"second", TAC_LINK, offsetof(TacContactPair, second), "", "", "Another one, or the same.", "setting",
     TAC_ANY, 0},
    {"first_model", TAC_LINK, offsetof(TacContactPair, first_model), "", "", "Or a collision model.",
     "collision model", TAC_ANY, 0},
    {"second_model", TAC_LINK, offsetof(TacContactPair, second_model), "", "", "Another one, or the same.",
     "collision model", TAC_ANY, 0},
    {"excluded", TAC_BOOL, offsetof(TacContactPair, excluded), "", "false", "They do not touch at all.", NULL,
     TAC_ANY, 0},
    {"friction", TAC_REAL, offsetof(TacContactPair, friction), "1", "",
     "Instead of what the combine rule gives.", NULL, TAC_ANY, 0},
    {"restitution", TAC_REAL, offsetof(TacContactPair, restitution), "1", "",
     "Instead of what the combine rule gives.", NULL, TAC_ANY, 0},
    {"stiffness", TAC_REAL, offsetof(TacContactPair, stiffness), "N/m", "",
     "Instead of what the combine rule gives.", NULL, TAC_ANY, 0},
    {"damping", TAC_REAL, offsetof(TacContactPair, damping), "N s/m", "",
     "Instead of what the combine rule gives.", NULL, TAC_ANY, 0},
    {"thickness", TAC_REAL, offsetof(TacContactPair, thickness), "m", "",
     "Instead of what the combine rule gives.", NULL, TAC_ANY, 0},
};

const TacClass tac_contact_pair_class = {
    .name = "ContactPair",
    .kind = TAC_KIND_SETTING,
    .doc = "What holds between two materials, or between two collision models, instead of the combine rule; "
           "or that "
           "they do not touch.",
    .size = sizeof(TacContactPair),
    .attributes = pair_attributes,
    .attribute_count = TAC_COUNT(pair_attributes),
    .init = pair_init,
};

// --- Contact ----------------------------------------------------------------------------------------------

static TacStatus setting_init(void *data, TacSetup *setup, TacError *error) {
    const TacContactSetting *self = data;
    if (self->k && !tac_kdop_axes((int)self->k))
        return tac_setup_fail(setup, error, "k", "k must be 6, 14, 18 or 26");
    if (self->finer > 16)
        return tac_setup_fail(setup, error, "finer", "finer is %lld; 0 to 16 were expected",
                              (long long)self->finer);
    return TAC_OK;
}

static const TacAttribute setting_attributes[] = {
    {"method", TAC_CHOICE, offsetof(TacContactSetting, method), "", "auto",
     "none; loose: springs and dampers on depth; safe: layers that nothing gets through; auto: safe where "
     "there are skins, else loose.",
     "auto|none|loose|safe", TAC_ANY, 0},
    {"combine", TAC_CHOICE, offsetof(TacContactSetting, combine), "", "geometric",
     "How friction and restitution of two materials are put together: geometric mean, average, the least, "
     "the most.",
     "geometric|average|least|most", TAC_ANY, 0},
    {"friction", TAC_REAL, offsetof(TacContactSetting, friction), "1", "0.5",
     "Coulomb's coefficient, of what has no material.", NULL, TAC_NOT_NEGATIVE, 0},
    {"restitution", TAC_REAL, offsetof(TacContactSetting, restitution), "1", "0",
     "Speed after an impact over speed before, of what has no material.", NULL, TAC_FRACTION, 0},
    {"thickness", TAC_REAL, offsetof(TacContactSetting, thickness), "m", "0.001",
     "Safe, and loose between skins: distance at which contact begins where materials do not say.", NULL,
     TAC_POSITIVE, 0},
    {"near", TAC_CHOICE, offsetof(TacContactSetting, near), "", "thinner",
     "Safe: what becomes of things that begin nearer than the thickness, but do not overlap. thinner: layers "
     "between them begin as thin as there is room for, and grow; refuse: such a scene is refused.",
     "thinner|refuse", TAC_ANY, 0},
    {"speed", TAC_REAL, offsetof(TacContactSetting, speed), "m/s", "",
     "Safe: usual speed of impacts, for which the outermost layer is made; found from the scene by default. "
     "Other speeds are safe too, and cost more.",
     NULL, TAC_POSITIVE, 0},
    {"between_explicitly", TAC_BOOL, offsetof(TacContactSetting, between_explicitly), "", "false",
     "Loose skins: two agents push each other as they are at the beginning of a step, rather than in the "
     "solves "
     "of implicit solvers; what does not move is in the solves all the same.",
     NULL, TAC_ANY, 0},
    {"k", TAC_INT, offsetof(TacContactSetting, k), "1", "0",
     "Planes of the k-DOPs that bound objects: 6, 14, 18 or 26; 0: 6 in loose contact, 14 in safe contact. "
     "Does not change what happens.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"vagueness", TAC_REAL, offsetof(TacContactSetting, vagueness), "1", "1",
     "Safe: factor on the width of flight plans, which narrow where that is too much; 0: none. Does not "
     "change "
     "what happens.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"cone", TAC_BOOL, offsetof(TacContactSetting, cone), "", "false",
     "Safe: flight plans bounded in velocity instead of in place. Does not change what happens.", NULL,
     TAC_ANY, 0},
    {"cull", TAC_BOOL, offsetof(TacContactSetting, cull), "", "true",
     "Safe: whether pairs that are far apart are left out; false only for small scenes. Does not change what "
     "happens.",
     NULL, TAC_ANY, 0},
    {"tree", TAC_CHOICE, offsetof(TacContactSetting, tree), "", "boxes",
     "Safe: how near pairs are found. boxes: a tree is asked again where boxes change; front: the front of a "
     "descent "
     "through two trees is kept, held by certificates. Does not change what happens.",
     "boxes|front", TAC_ANY, 0},
    {"finer", TAC_INT, offsetof(TacContactSetting, finer), "1", "2",
     "Safe: how many times the period of elastic parts is halved on points that can collide; 3 where the "
     "energy "
     "of elastic impacts matters.",
     NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_contact_setting_class = {
    .name = "Contact",
    .kind = TAC_KIND_SETTING,
    .doc = "How the world's collision models touch. Without it: as with all defaults.",
    .size = sizeof(TacContactSetting),
    .attributes = setting_attributes,
    .attribute_count = TAC_COUNT(setting_attributes),
    .init = setting_init,
};
