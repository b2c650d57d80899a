// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Material: the numbers of a stuff in one place, for others to link to, and presets of usual ones.
//
// A preset is a starting point, not a measurement of the thing on somebody's desk: figures are rounded, stuffs
// differ by more than the last digit shown, and fabrics and wood are not the same in all directions although the
// laws here take them so. docs/materials.md says which figures have a source, and which
// are typical values.

#include "base/memory.h"
#include "matter/matter.h"

#include <math.h>

typedef struct Material {
    TacComponent base;
    int preset;
    double density, young, poisson, thickness, friction, loss, frequency; // NaN: not known
    double area_density, damping;                                         // made
} Material;

typedef struct Preset {
    double density; // kg/m^3
    double young;   // Pa
    double poisson, loss;
    double thickness; // m
    double friction;  // against itself, dry
} Preset;

#define PRESETS "none|cotton|denim|rubber|steel|wood|soft_tissue"

static const Preset presets[] = {
    {NAN, NAN, NAN, NAN, NAN, NAN},
    // a plain woven shirt
    {470, 0.8e6, 0.24, 0.1, 0.32e-3, 0.5},
    // 0.324 kg/m^2
    {460, 0.7e6, 0.08, 0.1, 0.7e-3, 0.6},
    // natural, vulcanised
    {950, 1.5e6, 0.49, 0.1, 2e-3, 1},
    // structural
    {7850, 210e9, 0.3, 1e-4, 2e-3, 0.6},
    // Sitka spruce along the grain, 12 % moisture
    {450, 11e9, 0.37, 0.02, 5e-3, 0.4},
    // liver
    {1060, 6e3, 0.45, 0.2, 2e-3, 0.1},
};

static void take(double *value, double preset) {
    if (isnan(*value)) *value = preset;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Material *self = data;
    const Preset *p = &presets[self->preset];
    take(&self->density, p->density);
    take(&self->young, p->young);
    take(&self->poisson, p->poisson);
    take(&self->loss, p->loss);
    take(&self->thickness, p->thickness);
    take(&self->friction, p->friction);
    if (self->poisson >= 0.5)
        return tac_setup_fail(setup, error, "poisson", "poisson must be below 0.5; 0.49 is rubber");
    self->area_density = self->density * self->thickness;
    self->damping = self->loss / (2 * TAC_PI * self->frequency);
    return TAC_OK;
}

#define NUMBER(field, unit, range, doc)                                                                      \
    { #field, TAC_REAL, offsetof(Material, field), unit, "", doc, NULL, range, 0 }

static const TacAttribute attributes[] = {
    {"preset", TAC_CHOICE, offsetof(Material, preset), "", "none",
     "Gives all numbers that are not given; rounded, typical values (docs/materials.md says from where).",
     PRESETS, TAC_ANY, 0},
    NUMBER(density, "kg/m^3", TAC_POSITIVE, "For masses of solids."),
    NUMBER(young, "Pa", TAC_POSITIVE, "Young's modulus."),
    NUMBER(poisson, "1", TAC_NOT_NEGATIVE, "Poisson's ratio, below 0.5."),
    NUMBER(thickness, "m", TAC_POSITIVE, "Of a sheet of it."),
    NUMBER(friction, "1", TAC_NOT_NEGATIVE, "Coulomb's coefficient against itself, dry."),
    NUMBER(loss, "1", TAC_NOT_NEGATIVE,
           "Loss factor: the part of the elastic energy that is lost in a radian of swinging."),
    {"frequency", TAC_REAL, offsetof(Material, frequency), "Hz", "5",
     "Where damping has this loss: about as quick as what one will see swing.", NULL, TAC_POSITIVE, 0},
    {"area_density", TAC_REAL, offsetof(Material, area_density), "kg/m^2", "",
     "density times thickness, for masses of sheets.", NULL, TAC_ANY, TAC_OUTPUT},
    {"damping", TAC_REAL, offsetof(Material, damping), "s", "",
     "loss over 2 pi frequency: for an ImplicitEuler's damping_stiffness.", NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_material_class = {
    .name = "Material",
    .kind = TAC_KIND_SETTING,
    .doc = "The numbers of a stuff, given or from a preset, for others to link to: young=\"@/steel.young\".",
    .size = sizeof(Material),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
};
