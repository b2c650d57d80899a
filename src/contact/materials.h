// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What happens where two materials meet. Loose and safe contact share it.
//
// The combine rule, for materials A and B:
//     friction, restitution   by the world's `combine`: geometric mean (default), average, least or most
//     stiffness               two springs one behind the other: A B / (A + B); chosen, where either is chosen
//     damping                 the larger; from the restitution, where neither is given
//     thickness               the sum; in safe contact, where both are 0, that of Contact
// What has no material is as Contact says.
// A ContactPair of the two materials replaces each number that it gives. A ContactPair of two collision models does
// the same for these two alone, and may keep them apart altogether.

#ifndef TACTUS_CONTACT_MATERIALS_H
#define TACTUS_CONTACT_MATERIALS_H

#include "base/memory.h"
#include "tactus/component.h"

typedef enum TacContactMethod {
    TAC_CONTACT_AUTO,
    TAC_CONTACT_NONE,
    TAC_CONTACT_LOOSE,
    TAC_CONTACT_SAFE
} TacContactMethod;
typedef enum TacCombine {
    TAC_COMBINE_GEOMETRIC,
    TAC_COMBINE_AVERAGE,
    TAC_COMBINE_LEAST,
    TAC_COMBINE_MOST
} TacCombine;

typedef struct TacContactMaterial {
    TacComponent base;
    double friction, restitution;
    double stiffness; // N/m; 0: chosen
    double damping;   // N s/m; NaN: from the restitution
    double thickness; // m
} TacContactMaterial;

typedef struct TacContactPair {
    TacComponent base;
    TacComponent *first, *second;             // two materials; NULL: not given
    TacComponent *first_model, *second_model; // or two collision models
    bool excluded;
    double friction, restitution, stiffness, damping, thickness; // NaN: not given
} TacContactPair;

// How safe contact finds its pairs, in the order of the attribute's choices.
typedef enum TacContactTree { TAC_TREE_BOXES, TAC_TREE_FRONT } TacContactTree;

// What becomes of what begins nearer than the thickness, likewise.
typedef enum TacContactNear { TAC_NEAR_THINNER, TAC_NEAR_REFUSE } TacContactNear;

typedef struct TacContactSetting {
    TacComponent base;
    int method;  // TacContactMethod
    int combine; // TacCombine
    int64_t k;   // of the k-DOPs
    // of what has no material, and of safe contact
    double thickness, friction, restitution;
    int near;     // TacContactNear
    double speed; // m/s; NaN: found from the scene
    double vagueness;
    bool cone, cull;
    int tree;                // TacContactTree
    bool between_explicitly; // loose skins of two agents
    int64_t finer;           // classes, of laws on points that can collide
} TacContactSetting;

extern const TacClass tac_contact_material_class, tac_contact_pair_class, tac_contact_setting_class;

// The numbers that hold between two things.
typedef struct TacContactNumbers {
    double friction, restitution, stiffness, damping,
        thickness; // stiffness 0: chosen; damping NaN: from restitution
    bool excluded;
} TacContactNumbers;

// All materials and pairs of a world, for looking up.
typedef struct TacMaterials {
    const TacContactSetting *setting; // NULL: none in the scene
    TacContactMaterial **materials;
    size_t material_count;
    TacContactPair **pairs;
    size_t pair_count;
} TacMaterials;

// Finds the components among `count` ones, in the order of the scene. The lists come from the arena.
TacStatus tac_materials_gather(TacMaterials *materials, TacArena *arena, TacComponent *const *components,
                               size_t count, TacError *error);

// The combine rule, then pairs of materials. NULL is the material that has all defaults.
TacContactNumbers tac_materials_combine(const TacMaterials *materials, const TacContactMaterial *a,
                                        const TacContactMaterial *b);

// The same for two collision models with these materials: pairs of models come last.
TacContactNumbers tac_materials_between(const TacMaterials *materials, const TacComponent *model_a,
                                        const TacContactMaterial *a, const TacComponent *model_b,
                                        const TacContactMaterial *b);

#endif
