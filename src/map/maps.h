// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The maps that come with the library, for those who register them. Each class's own file says what it does.
//
// A map makes child matter follow parent matter: positions and velocities go down (x_c = map(x_p),
// v_c = J v_p), forces go up by the transpose (f_p += J^T f_c), so the work done on both sides is the same
// (SOFA's mappings). Setting up a map puts its child where it belongs: TAC_X and TAC_X_REST of the child
// follow from those of the parent.

#ifndef TACTUS_MAP_MAPS_H
#define TACTUS_MAP_MAPS_H

#include "tactus/component.h"

extern const TacClass tac_rigid_map_class, tac_frame_map_class, tac_particle_surface_class;
extern const TacClass tac_barycentric_map_class;
extern const TacClass tac_identity_map_class;
extern const TacClass tac_subset_map_class;
extern const TacClass tac_distance_map_class;
extern const TacClass tac_skinning_map_class;
extern const TacClass tac_contour_class;

#endif
