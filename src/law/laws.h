// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The laws that come with the library, for those who register them, and what others may know of their
// insides. Each class's own file says what it does.

#ifndef TACTUS_LAW_LAWS_H
#define TACTUS_LAW_LAWS_H

#include "tactus/component.h"

extern const TacClass tac_springs_class;
extern const TacClass tac_plane_class;
extern const TacClass tac_constant_force_class;
extern const TacClass tac_tetrahedra_class;
extern const TacClass tac_mesh_springs_class, tac_rest_springs_class, tac_bending_springs_class;
extern const TacClass tac_joint_springs_class, tac_plates_class;
extern const TacClass tac_lennard_jones_class, tac_smoothed_particles_class;
extern const TacClass tac_liaisons_class, tac_conditional_links_class;
extern const TacClass tac_pressure_class, tac_ellipsoid_force_class, tac_damping_class;
extern const TacClass tac_hexahedra_class;
extern const TacClass tac_hyperelastic_class;
extern const TacClass tac_triangles_class;
extern const TacClass tac_beams_class;
extern const TacClass tac_shell_bending_class, tac_edge_damping_class, tac_bend_damping_class;

// A half-space that pushes back: all points p with dot(normal, p) >= offset + radius are free. Whoever draws
// a ground reads the first two of its attributes.
typedef struct TacPlane {
    TacLaw law;
    TacVec3 normal;       // a unit vector after init
    double offset;        // m, along the unit normal
    double stiffness;     // N/m, per point
    double damping;       // N s/m, per point
    double depth_damping; // N s/m^2, per point
    double friction;      // Coulomb's coefficient
    double slip_speed;    // m/s, at which friction is 71 % of what it can be
    double radius;        // m, kept away from the plane by every point
    double *grip; // per point, from the last force: < 0 when it does not touch, else friction per speed
} TacPlane;

#endif
