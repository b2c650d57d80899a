// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The builders that the table names; see sofa_parts.c and TacSofaBuild.

#ifndef TACTUS_SCENE_SOFA_PARTS_H
#define TACTUS_SCENE_SOFA_PARTS_H

#include "scene/sofa.h"

bool tac_sofa_build_springs(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_joint_springs(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_mesh_springs(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_grid_springs(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_uniform_mass(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_diagonal_mass(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_tetrahedra(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_linear_elements(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_corotational_tetrahedra(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_corotational_hexahedra(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_hexahedra(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_solid(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_plates(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_triangles(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_beams(TacSofa *s, TacSofaObject *o, TacComponentId id);
bool tac_sofa_build_plane(TacSofa *s, TacSofaObject *o, TacComponentId id);
bool tac_sofa_build_skinning(TacSofa *s, TacSofaObject *o, TacComponentId id);
bool tac_sofa_build_hyperelastic(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_constant_force(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_preconditioned(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_precomputed(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_distance_map(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_bending(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_particles(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_lennard_jones(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_fixed(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_partly_fixed(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_matrix_mass(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_rest_springs(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_ellipsoid(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_damping(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_pressure(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_fixed_translation(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_movement(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_velocity(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_projection(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_point_projection(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_box_constraint(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_plane_pressure(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_oscillator(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_rigid_map(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_barycentric_map(TacSofa *sofa, TacSofaObject *object, TacComponentId id);
bool tac_sofa_build_conjugate_gradient(TacSofa *sofa, TacSofaObject *object, TacComponentId id);

#endif
