// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The built-in classes, in the order in which they are documented. A new component is one line here.

#include "agent/agent.h"
#include "agent/levels.h"
#include "agent/wire.h"
#include "constraint/constraints.h"
#include "constraint/joint.h"
#include "contact/edge_limits.h"
#include "contact/models.h"
#include "law/laws.h"
#include "map/maps.h"
#include "matter/matter.h"
#include "matter/topology.h"
#include "scene/tree.h"
#include "solver/solver.h"
#include "world/levels.h"
#include "world/settings.h"
#include "world/trigger.h"

const TacClass *const tac_builtin_classes[] = {
    &tac_world_class,
    &tac_gravity_class,
    &tac_material_class,
    // topology
    &tac_mesh_file_class,
    &tac_mesh_class,
    &tac_grid_class,
    &tac_box_class,
    &tac_sphere_class,
    &tac_cylinder_class,
    &tac_capsule_class,
    &tac_torus_class,
    &tac_sheet_class,
    &tac_shards_class,
    &tac_line_class,
    &tac_ball_class,
    &tac_ribbon_class,
    &tac_nail_class,
    &tac_nail_bed_class,
    &tac_ball_fill_class,
    &tac_material_skin_class,
    // matter and mass
    &tac_points_class,
    &tac_frames_class,
    &tac_uniform_mass_class,
    &tac_diagonal_mass_class,
    &tac_matrix_mass_class,
    // laws
    &tac_springs_class,
    &tac_mesh_springs_class,
    &tac_rest_springs_class,
    &tac_joint_springs_class,
    &tac_plates_class,
    &tac_bending_springs_class,
    &tac_tetrahedra_class,
    &tac_hexahedra_class,
    &tac_hyperelastic_class,
    &tac_triangles_class,
    &tac_beams_class,
    &tac_shell_bending_class,
    &tac_edge_damping_class,
    &tac_bend_damping_class,
    &tac_plane_class,
    &tac_constant_force_class,
    &tac_pressure_class,
    &tac_ellipsoid_force_class,
    &tac_damping_class,
    &tac_lennard_jones_class,
    &tac_smoothed_particles_class,
    &tac_liaisons_class,
    &tac_conditional_links_class,
    // constraints
    &tac_fixed_points_class,
    &tac_scripted_motion_class,
    &tac_linear_velocity_class,
    &tac_oscillator_class,
    &tac_fixed_plane_class,
    &tac_line_projection_class,
    &tac_plane_projection_class,
    &tac_bow_class,
    // solvers
    &tac_symplectic_euler_class,
    &tac_explicit_euler_class,
    &tac_runge_kutta4_class,
    &tac_implicit_euler_class,
    &tac_static_class,
    &tac_spook_class,
    // joints and wires, for Spook
    &tac_distance_joints_class,
    &tac_membrane_joints_class,
    &tac_ball_joint_class,
    &tac_hinge_joint_class,
    &tac_prismatic_joint_class,
    &tac_lock_joint_class,
    &tac_motor_class,
    &tac_plane_contact_class,
    &tac_cable_class,
    &tac_wire_class,
    // linear solvers
    &tac_conjugate_gradient_class,
    &tac_preconditioned_class,
    &tac_minimal_residual_class,
    &tac_sparse_direct_class,
    // maps
    &tac_rigid_map_class,
    &tac_frame_map_class,
    &tac_particle_surface_class,
    &tac_barycentric_map_class,
    &tac_identity_map_class,
    &tac_subset_map_class,
    &tac_distance_map_class,
    &tac_skinning_map_class,
    // contact
    &tac_contact_material_class,
    &tac_edge_limit_class,
    &tac_skin_class,
    &tac_contour_class,
    &tac_shape_model_class,
    &tac_balls_model_class,
    &tac_contact_setting_class,
    &tac_contact_pair_class,
    &tac_agent_class,
    &tac_levels_class,
    &tac_view_path_class,
    // looking
    &tac_probe_class,
    &tac_listen_class,
    &tac_output_probe_class,
    &tac_contact_probe_class,
    &tac_trigger_class,
    &tac_look_class,
    &tac_camera_class,
    &tac_record_class,
    NULL,
};

const char *tac_component_kind_name(TacComponentKind kind) {
    static const char *const names[] = {"topology",   "matter",          "mass",          "law",
                                        "constraint", "solver",          "linear solver", "map",
                                        "joint",      "collision model", "probe",         "setting"};
    return kind >= 0 && kind < TAC_KIND_COUNT ? names[kind] : "component";
}
