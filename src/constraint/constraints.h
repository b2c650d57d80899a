// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The constraints that come with the library, for those who register them. Each class's own file says what it
// does. Points that a constraint owns altogether are marked in their matter's `held`: nobody else moves them.

#ifndef TACTUS_CONSTRAINT_CONSTRAINTS_H
#define TACTUS_CONSTRAINT_CONSTRAINTS_H

#include "tactus/component.h"

extern const TacClass tac_fixed_points_class;
extern const TacClass tac_scripted_motion_class;
extern const TacClass tac_fixed_plane_class;
extern const TacClass tac_oscillator_class;
extern const TacClass tac_line_projection_class, tac_plane_projection_class;
extern const TacClass tac_linear_velocity_class;
extern const TacClass tac_bow_class;

#endif
