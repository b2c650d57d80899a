// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Topology components: a mesh in a node, from a file, from lists or from a generator. Matter takes its points
// from the nearest one, laws take their elements, pictures take what is drawn.

#ifndef TACTUS_MATTER_TOPOLOGY_H
#define TACTUS_MATTER_TOPOLOGY_H

#include "tactus/component.h"

extern const TacClass tac_mesh_file_class, tac_mesh_class, tac_grid_class, tac_box_class, tac_sphere_class,
    tac_cylinder_class, tac_capsule_class, tac_torus_class, tac_sheet_class, tac_line_class, tac_ball_class,
    tac_ribbon_class, tac_nail_class, tac_nail_bed_class, tac_shards_class, tac_ball_fill_class,
    tac_material_skin_class;

#endif
