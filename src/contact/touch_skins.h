// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact of skins: springs between surfaces of triangles that come closer than they should ("Asynchronous
// Interactive Physical Simulation", section 4, for surfaces; the way of SOFA's penalty contact).
//
// A skin *looks* for itself: for each of its vertices it finds the nearest place on every other skin's faces, and for
// each of theirs the nearest place on its own. What is nearer than the thickness between them is a contact: a spring and
// a damper along the line between the two places, which never pull, and friction that opposes sliding, at most mu times
// the push. Forces go to the corners by barycentric weights.
//
// Rules
//  1. A look reads what is shown of all skins (TAC_X_SHOWN, TAC_V_SHOWN) and writes its own list only, so skins look side
//     by side; two that look at the same instant find the same contacts, and what one gives the other takes.
//  2. The list is in the order of (other skin, own vertices before theirs, vertex). It follows from what is shown alone:
//     nothing has to be saved.
//  3. Surfaces have no inside here: what has got through is pushed on. Thickness has to be more than what moves in a
//     step.
//
// Implicit solvers get the springs into their solve; another agent is taken as standing still there, and the spring as
// (1 + m / m of the other) times as stiff, as in touch.h. With `between_explicitly` they get springs only against what
// does not move, and the force of others as it is at the beginning of the step: so does SOFA.

#ifndef TACTUS_CONTACT_TOUCH_SKINS_H
#define TACTUS_CONTACT_TOUCH_SKINS_H

#include "contact/models.h"
#include "matter/matter.h"

typedef struct TacSkinContact {
    uint32_t own[3];   // points of its matter
    double weights[3]; // of these, in [0, 1], 0 for those that it has not
    uint32_t other;    // skin
    TacVec3 at;        // in the middle
    TacVec3 normal;    // unit, from the other to this one
    double depth;      // m
    double push;       // N
    TacVec3 force;     // on this one, N
    double k, c;       // for implicit solves, N/m and N s/m
    double lead;       // what makes up for the other's velocity there, N/s; see add_lead in touch_law.c
} TacSkinContact;

typedef struct TacSkinTouch {
    TacLaw law; // its class is tac_skin_touch_class; first, so that the law is the skin
    const TacSkin *skin;
    struct TacSkinTouches *all;
    bool moves;      // somebody integrates it
    bool implicit;   // that one is an implicit solver
    double step;     // of that one, s
    double rayleigh; // s: how much damping it makes of stiffness
    double mass;     // of a point, kg; infinite where nothing moves it
    uint32_t agent;
    // found by the last look
    TacSkinContact *contacts;
    size_t count, capacity;
    bool touches;              // something, as the last look found; saved with the world
    bool anew;                 // it touches, and did not before
    bool lost;                 // there was no memory for them
    struct TacSkinFace *faces; // scratch
    size_t face_capacity;
} TacSkinTouch;

typedef struct TacSkinTouches {
    TacSkinTouch *skins;
    size_t count;
    TacContactNumbers *numbers; // skin by skin; thickness is all that keeps them apart, radii included
    double *ratios;             // of damping, skin by skin
    bool between_explicitly;
} TacSkinTouches;

// `skins` have their first part filled. Numbers come from the arena.
TacStatus tac_skin_touches_create(TacSkinTouches *all, TacArena *arena, const TacMaterials *materials,
                                  TacSkinTouch *skins, size_t count, TacError *error);
void tac_skin_touches_destroy(TacSkinTouches *all); // a zeroed one is allowed

// Finds the contacts of one skin, from what is shown. False: no memory.
bool tac_skin_look(TacSkinTouch *skin);

extern const TacClass tac_skin_touch_class; // not for scenes

#endif
