// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The table of SOFA's components: what each is here, and which of its attributes become which of ours. See
// TacSofaClass in sofa.h; docs/coming-from-sofa.md is held to it by tests/sofa_test.c.

#include "base/text.h"
#include "scene/sofa_parts.h"

#include <stdio.h>

#define NOTHING(name)                                                                                        \
    { name, TAC_SOFA_NOTHING, NULL, "", "*", NULL }
#define MESH(name)                                                                                           \
    { name, TAC_SOFA_MESH, NULL, MESH_ATTRIBUTES, MESH_IGNORED, NULL }
#define TOPOLOGY(name)                                                                                       \
    { name, TAC_SOFA_TOPOLOGY, NULL, TOPOLOGY_ATTRIBUTES, TOPOLOGY_IGNORED, NULL }
#define MAPPING(name)                                                                                        \
    { name, TAC_SOFA_MAPPING, NULL, "input! output! flipNormals! swapping!", MAPPING_IGNORED, NULL }
#define COLLIDER(name)                                                                                       \
    { name, TAC_SOFA_COLLIDER, NULL, "moving! simulated! selfCollision! group! active!", "*", NULL }
#define PIPELINE(name)                                                                                       \
    { name, TAC_SOFA_PIPELINE, NULL, "", "*", NULL }
#define LACKING(name, why)                                                                                   \
    { name, TAC_SOFA_LACKING, why, "", "*", NULL }

#define MESH_ATTRIBUTES                                                                                      \
    "filename! scale! scale3d! rotation! translation! dx! dy! dz! rx! ry! rz! triangulate! resolution! "     \
    "position!"
#define MESH_IGNORED                                                                                         \
    "handleSeams flipNormals createSubelements onlyAttachedPoints loadMaterial storeGroups transformation "  \
    "radius listRadius useRigidPart readHighOrderElements trianglesFromMesh subsetmeshes "                   \
    "generateSubelements "                                                                                   \
    "edges triangles quads tetrahedra hexahedra polygons normals texcoords fill"
#define TOPOLOGY_ATTRIBUTES                                                                                  \
    "position! points! edges! lines! triangles! quads! tetrahedra! tetras! hexahedra! hexas! filename! nx! " \
    "ny! nz! n! min! max! xmin! ymin! zmin! xmax! ymax! zmax! p0! cellWidth! scale! dx! dy! dz!"
#define TOPOLOGY_IGNORED                                                                                     \
    "createTriangleArray checkConnexity checkTopology computeHexaList computeQuadList computeTriangleList "  \
    "computeEdgeList computePointList createTexCoords fileTopology nbPoints isToPersist removeIsolated "     \
    "uv polygons computeAllBuffers texcoords normals"
#define RIGID                                                                                                \
    "input>parent! output>child! index>frame rigidIndexPerPoint>frames! globalToLocalCoords>local! "         \
    "geometricStiffness>geometric!"
#define RIGID_IGNORED "indexFromEnd initialPoints mapForces mapConstraints mapMasses axisLength"
#define SPARSE                                                                                               \
    "fileTopology! filename! position! points! triangles! quads! n! min! max! cellWidth! "                   \
    "nbVirtualFinerLevels! fillWeighted! onlyInsideCells!"
#define SPARSE_IGNORED  "facets marchingCubeStep convolutionSize voxelSize dataResolution"
#define MAPPING_IGNORED "noNewTriangles noInitialTriangles object1 object2 propagateTopologicalChange"

#define IMPLICIT                                                                                             \
    "rayleighMass>damping_mass rayleighStiffness>damping_stiffness vdamping>damping_velocity "               \
    "velocityDamping>damping_velocity trapezoidalScheme>trapezoidal firstOrder>first_order linearSolver!"
#define DIRECT_IGNORED                                                                                       \
    "parallelInverseProduct saveMatrixToFile filename savingPrecision savingFolder saveMatrix iterations "   \
    "tolerance threshold linearSystem orderingMethod l_orderingMethod useSymbolicDecomposition "             \
    "applyPermutation invertNoZeroDiagonal"
#define ELASTIC "youngModulus:5000>young poissonRatio:0.45>poisson topology!"
#define ELEMENT "youngModulus:1e6>young poissonRatio:0.45>poisson topology!"
#define ELASTIC_IGNORED                                                                                      \
    "computeGlobalMatrix updateStiffness updateStiffnessMatrix assembling computeVonMisesStress "            \
    "initialPoints gatherPt gatherBsize localStiffnessFactor "                                               \
    "isToPrint elementSpace rayleighStiffness drawing elementChunkSize parallelForce "                       \
    "computePrincipalStress "                                                                                \
    "computeForceStrategy computeForceDerivStrategy restVolumes elementStiffness vonMisesStressColorMap "    \
    "applyStiffnessOnlyOnRest showStressColorMap showStressAlpha showVonMisesStressPerNode"
#define PLANE_PRESSURE   "pressure>force! normal! dmin! dmax! topology!"
#define PRESSURE_IGNORED "cauchyStress useConstantForce rayleighStiffness p_intensity"
#define SPRINGS_IGNORED  "showArrowSize rayleighStiffness springsIndices1 springsIndices2 enabled"

const TacSofaClass tac_sofa_classes[] = {
    {"Node", TAC_SOFA_SETTING, "World", "dt! gravity!",
     "time animate activated multiThreadSimulation showBoundingTree displayFlags sleeping depend", NULL},

    // --- states ---
    {"MechanicalObject", TAC_SOFA_STATE, "Points, Frames",
     "position>positions rest_position>rest velocity>velocities translation>translation rotation>rotation "
     "scale>scale scale3d>scale dx! dy! dz! rx! ry! rz! rotation2! translation2! restScale! useTopology! "
     "topology! "
     "template>dimension",
     "force externalForce derivX free_position free_velocity constraint reset_position reset_velocity "
     "ignoreLoader reserve size isToPrint forceMask filename separateGravity",
     NULL},

    // --- solvers ---
    {"EulerImplicitSolver", TAC_SOFA_SOLVER, "ImplicitEuler", IMPLICIT,
     "threadSafeVisitor parallelODESolving computeResidual reverseAccumulateOrder", NULL},
    {"EulerImplicit", TAC_SOFA_SOLVER, "ImplicitEuler", IMPLICIT, "threadSafeVisitor", NULL},
    {"EulerImplicitIntegrationScheme", TAC_SOFA_SOLVER, "ImplicitEuler", IMPLICIT,
     "threadSafeVisitor parallelODESolving computeResidual reverseAccumulateOrder", NULL},
    {"EulerExplicitIntegrationScheme", TAC_SOFA_SOLVER, "ExplicitEuler", "symplectic! linearSolver!",
     "optimizedForDiagonalMatrix threadSafeVisitor computeResidual", NULL},
    {"RungeKutta4IntegrationScheme", TAC_SOFA_SOLVER, "RungeKutta4", "linearSolver!", "computeResidual",
     NULL},
    {"EulerExplicitSolver", TAC_SOFA_SOLVER, "ExplicitEuler", "symplectic! linearSolver!",
     "optimizedForDiagonalMatrix threadSafeVisitor computeResidual", NULL},
    {"EulerSolver", TAC_SOFA_SOLVER, "ExplicitEuler", "symplectic! linearSolver!",
     "optimizedForDiagonalMatrix", NULL},
    {"RungeKutta4Solver", TAC_SOFA_SOLVER, "RungeKutta4", "linearSolver!", "computeResidual", NULL},
    {"RungeKutta4", TAC_SOFA_SOLVER, "RungeKutta4", "linearSolver!", "", NULL},
    {"StaticSolver", TAC_SOFA_SOLVER, "Static",
     "newton_iterations:1>newton_iterations absolute_residual_tolerance_threshold:1e-5>absolute_residual "
     "relative_residual_tolerance_threshold:1e-5>relative_residual "
     "absolute_correction_tolerance_threshold:1e-5>absolute_correction "
     "relative_correction_tolerance_threshold:1e-5>relative_correction "
     "should_diverge_when_residual_is_growing>stop_when_growing linearSolver!",
     "newtonSolver dampingForce", NULL},
    LACKING("RungeKutta2Solver", "use RungeKutta4Solver"),
    LACKING("CentralDifferenceSolver", "no such solver"),
    LACKING("NewmarkImplicitSolver",
            "no such solver; EulerImplicitSolver with trapezoidalScheme is near to it"),
    LACKING("VariationalSymplecticSolver", "no such solver"),
    LACKING("BDFOdeSolver", "no such solver"),
    NOTHING("NewtonRaphsonSolver"),

    // --- linear solvers ---
    {"CGLinearSolver", TAC_SOFA_LINEAR, "ConjugateGradient",
     "iterations:25 tolerance:1e-5 threshold:1e-5 template>assembled!",
     "verbose graph warmStart linearSystem", tac_sofa_build_conjugate_gradient},
    {"CGSolver", TAC_SOFA_LINEAR, "ConjugateGradient", "iterations:25 tolerance:1e-5 threshold:1e-5",
     "verbose graph", tac_sofa_build_conjugate_gradient},
    {"ParallelCGLinearSolver", TAC_SOFA_LINEAR, "ConjugateGradient",
     "iterations:25 tolerance:1e-5 threshold:1e-5 template>assembled!",
     "verbose graph warmStart linearSystem", tac_sofa_build_conjugate_gradient},
    {"MinResLinearSolver", TAC_SOFA_LINEAR, "MinimalResidual",
     "iterations:25 tolerance:1e-5 template>assembled!", "verbose graph linearSystem",
     tac_sofa_build_conjugate_gradient},
    {"PCGLinearSolver", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient",
     "iterations:25 tolerance:1e-5 preconditioner! preconditioners>preconditioner! use_precond!",
     "verbose graph update_step build_precond linearSystem", tac_sofa_build_preconditioned},
    {"ShewchukPCGLinearSolver", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient",
     "iterations:25 tolerance:1e-5 preconditioner! preconditioners>preconditioner! use_precond!",
     "verbose graph update_step build_precond linearSystem", tac_sofa_build_preconditioned},
    {"SparseLDLSolver", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"AsyncSparseLDLSolver", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"EigenSimplicialLDLT", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"EigenSimplicialLLT", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"EigenCholmodSupernodalLLT", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"EigenSparseLU", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"EigenSparseQR", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"SparseLUSolver", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"SparseCholeskySolver", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"CholeskySolver", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED, NULL},
    {"SVDLinearSolver", TAC_SOFA_LINEAR, "SparseDirect", "",
     DIRECT_IGNORED " verbose minSingularValue conditionNumber", NULL},
    {"BTDLinearSolver", TAC_SOFA_LINEAR, "SparseDirect", "",
     DIRECT_IGNORED " verbose blockSize showProblem subpartSolve", NULL},
    {"PrecomputedLinearSolver", TAC_SOFA_LINEAR, "SparseDirect", "", DIRECT_IGNORED " jmjt_twostep use_file",
     tac_sofa_build_precomputed},
    {"JacobiPreconditioner", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient", "", "*", NULL},
    {"BlockJacobiPreconditioner", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient", "", "*", NULL},
    {"SSORPreconditioner", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient", "", "*", NULL},
    {"SSORLinearSolver", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient", "", "*", NULL},
    {"WarpPreconditioner", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient", "", "*", NULL},
    {"RotationMatrixSystem", TAC_SOFA_NOTHING, NULL, "", "*", NULL},
    {"PrecomputedWarpPreconditioner", TAC_SOFA_LINEAR, "PreconditionedConjugateGradient", "", "*", NULL},

    // --- masses ---
    {"UniformMass", TAC_SOFA_MASS, "UniformMass",
     "totalMass>total! vertexMass>mass! mass>mass! filename! totalmass!",
     "handleTopoChange preserveTotalMass compute_mapping_inertia indices localRange separateGravity "
     "rayleighMass "
     "topology",
     tac_sofa_build_uniform_mass},
    {"DiagonalMass", TAC_SOFA_MASS, "DiagonalMass",
     "vertexMass>masses! mass>masses! totalMass>masses! massDensity>masses! topology!",
     "computeMassOnRest rayleighMass separateGravity fileMass geometryState", tac_sofa_build_diagonal_mass},
    {"MeshMatrixMass", TAC_SOFA_MASS, "MatrixMass",
     "totalMass>total massDensity>density vertexMass! lumping>lumped topology!",
     "computeMassOnRest rayleighMass separateGravity geometryState", tac_sofa_build_matrix_mass},
    LACKING("AddMToMatrixFunctor", "no such mass"),

    // --- laws ---
    {"SpringForceField", TAC_SOFA_LAW, "Springs",
     "spring>pairs! indices1>pairs! indices2>pairs! stiffness>stiffness! damping>damping! lengths>lengths! "
     "elongationOnly>pull_only object1>matter! object2>other! filename!",
     SPRINGS_IGNORED, tac_sofa_build_springs},
    {"StiffSpringForceField", TAC_SOFA_LAW, "Springs",
     "spring>pairs! indices1>pairs! indices2>pairs! stiffness>stiffness! damping>damping! lengths>lengths! "
     "length>lengths! "
     "elongationOnly>pull_only object1>matter! object2>other! filename!",
     SPRINGS_IGNORED, tac_sofa_build_springs},
    {"MeshSpringForceField", TAC_SOFA_LAW, "Springs",
     "stiffness>stiffness! damping>damping! linesStiffness! linesDamping! trianglesStiffness! "
     "trianglesDamping! "
     "quadsStiffness! quadsDamping! tetrahedraStiffness! tetrahedraDamping! tetrasStiffness! tetrasDamping! "
     "cubesStiffness! cubesDamping! noCompression>pull_only! topology! object1>matter! object2>other!",
     SPRINGS_IGNORED " localRange", tac_sofa_build_mesh_springs},
    {"RegularGridSpringForceField", TAC_SOFA_LAW, "Springs",
     "stiffness>stiffness! damping>damping! linesStiffness! linesDamping! quadsStiffness! quadsDamping! "
     "cubesStiffness! cubesDamping! object1>matter! object2>other!",
     SPRINGS_IGNORED, tac_sofa_build_grid_springs},
    {"RestShapeSpringsForceField", TAC_SOFA_LAW, "RestSprings",
     "stiffness:100 angularStiffness:100>angular_stiffness points external_rest_shape>target! "
     "external_points>target_points indices>points",
     "pivotPoints recompute_indices drawSpring springColor activeDirections rayleighStiffness "
     "externalIndices external_indices",
     tac_sofa_build_rest_springs},
    {"FastTriangularBendingSprings", TAC_SOFA_LAW, "BendingSprings",
     "bendingStiffness:1>stiffness minDistValidity:1e-6>least topology!", "rayleighStiffness",
     tac_sofa_build_bending},
    {"TriangularBendingSprings", TAC_SOFA_LAW, "BendingSprings", "stiffness:1e5 damping:1 topology!",
     "rayleighStiffness edgeInfo", tac_sofa_build_bending},
    {"QuadBendingSprings", TAC_SOFA_LAW, "BendingSprings",
     "stiffness:1e5 damping:1 topology! object1! object2!", SPRINGS_IGNORED " localRange",
     tac_sofa_build_bending},
    LACKING("TriangleBendingSprings", "use TriangularBendingSprings"),
    LACKING("AngularSpringForceField", "springs of angles are not to be had"),
    {"JointSpringForceField", TAC_SOFA_LAW, "JointSprings", "spring>pairs! object1>matter! object2>other!",
     "outfile infile period reinit rayleighStiffness", tac_sofa_build_joint_springs},
    LACKING("FrameSpringForceField", "springs between frames are not to be had"),
    LACKING("VectorSpringForceField", "springs of vectors are not to be had"),
    LACKING("PolynomialSpringsForceField", "no such springs"),
    LACKING("PolynomialRestShapeSpringsForceField", "no such springs"),
    LACKING("RepulsiveSpringForceField", "no such springs"),
    LACKING("GearSpringForceField", "no such springs"),

    {"TetrahedronFEMForceField", TAC_SOFA_LAW, "Tetrahedra",
     ELASTIC " method>method! plasticMaxThreshold! plasticYieldThreshold! plasticCreep!", ELASTIC_IGNORED,
     tac_sofa_build_tetrahedra},
    {"ParallelTetrahedronFEMForceField", TAC_SOFA_LAW, "Tetrahedra",
     ELASTIC " method>method! plasticMaxThreshold! plasticYieldThreshold! plasticCreep!", ELASTIC_IGNORED,
     tac_sofa_build_tetrahedra},
    {"FastTetrahedralCorotationalForceField", TAC_SOFA_LAW, "Tetrahedra", ELASTIC " method>method!",
     ELASTIC_IGNORED, tac_sofa_build_tetrahedra},
    {"TetrahedralCorotationalFEMForceField", TAC_SOFA_LAW, "Tetrahedra",
     "youngModulus:5000>young poissonRatio:0.45>poisson method>method! topology!", ELASTIC_IGNORED,
     tac_sofa_build_tetrahedra},
    {"TetrahedronCorotationalFEMForceField", TAC_SOFA_LAW, "Tetrahedra",
     "youngModulus:1e6>young poissonRatio:0.45>poisson rotationMethod>method! topology!", ELASTIC_IGNORED,
     tac_sofa_build_corotational_tetrahedra},
    {"TetrahedronLinearSmallStrainFEMForceField", TAC_SOFA_LAW, "Tetrahedra",
     "youngModulus:1e6>young poissonRatio:0.45>poisson topology!", ELASTIC_IGNORED,
     tac_sofa_build_linear_elements},
    {"HexahedronCorotationalFEMForceField", TAC_SOFA_LAW, "Hexahedra",
     "youngModulus:1e6>young poissonRatio:0.45>poisson rotationMethod>method! topology!", ELASTIC_IGNORED,
     tac_sofa_build_corotational_hexahedra},
    {"HexahedronLinearSmallStrainFEMForceField", TAC_SOFA_LAW, "Hexahedra",
     "youngModulus:1e6>young poissonRatio:0.45>poisson topology!", ELASTIC_IGNORED,
     tac_sofa_build_linear_elements},
    {"HexahedronFEMForceField", TAC_SOFA_LAW, "Hexahedra", ELASTIC " method>method!", ELASTIC_IGNORED,
     tac_sofa_build_hexahedra},
    {"ParallelHexahedronFEMForceField", TAC_SOFA_LAW, "Hexahedra", ELASTIC " method>method!", ELASTIC_IGNORED,
     tac_sofa_build_hexahedra},
    {"HexahedralFEMForceField", TAC_SOFA_LAW, "Hexahedra", ELASTIC " method>method!", ELASTIC_IGNORED,
     tac_sofa_build_hexahedra},
    {"TetrahedronHyperelasticityFEMForceField", TAC_SOFA_LAW, "HyperelasticTetrahedra",
     "materialName>material! ParameterSet>parameters topology!",
     "stiffnessMatrixRegularizationWeight AnisotropyDirections rayleighStiffness matrixRegularization",
     tac_sofa_build_hyperelastic},
    {"TriangularFEMForceField", TAC_SOFA_LAW, "Triangles",
     "youngModulus:1000>young poissonRatio:0.3>poisson method! thickness topology!", ELASTIC_IGNORED,
     tac_sofa_build_triangles},
    {"TriangularFEMForceFieldOptim", TAC_SOFA_LAW, "Triangles",
     "youngModulus:1000>young poissonRatio:0.45>poisson method! topology!",
     ELASTIC_IGNORED " restScale computePrincipalStress", tac_sofa_build_triangles},
    {"TriangleFEMForceField", TAC_SOFA_LAW, "Triangles",
     "youngModulus:1000>young poissonRatio:0.3>poisson method! thickness planeStrain>plane_strain topology!",
     ELASTIC_IGNORED, tac_sofa_build_triangles},
    {"BeamFEMForceField", TAC_SOFA_LAW, "Beams",
     "youngModulus:5000>young poissonRatio:0.49>poisson radius:0.1 radiusInner>inner_radius "
     "listSegment>edges topology!",
     "timoshenko useSymmetricAssembly partial_list_segment rayleighStiffness", tac_sofa_build_beams},
    {"HexahedronFEMForceFieldAndMass", TAC_SOFA_LAW, "Hexahedra",
     ELASTIC " method>method! density! lumpedMass!", ELASTIC_IGNORED " massMatrices", tac_sofa_build_solid},
    LACKING("HexahedralFEMForceFieldAndMass", "use HexahedronFEMForceField and a mass"),
    {"QuadBendingFEMForceField", TAC_SOFA_LAW, "Plates",
     "youngModulus:1000>young poissonRatio:0.45>poisson thickness:1 topology!", ELASTIC_IGNORED " method",
     tac_sofa_build_plates},
    LACKING("StandardTetrahedralFEMForceField", "use TetrahedronHyperelasticityFEMForceField"),
    // named by their template: see tac_sofa_element_class
    {"CorotationalFEMForceField", TAC_SOFA_LAW, "Tetrahedra", ELEMENT " rotationMethod>method!",
     ELASTIC_IGNORED, tac_sofa_build_corotational_tetrahedra},
    {"LinearSmallStrainFEMForceField", TAC_SOFA_LAW, "Tetrahedra", ELEMENT, ELASTIC_IGNORED,
     tac_sofa_build_linear_elements},
    LACKING("TriangularAnisotropicFEMForceField", "only isotropic triangles are to be had"),
    LACKING("TetrahedralTensorMassForceField", "use TetrahedronFEMForceField"),
    LACKING("TriangularTensorMassForceField", "use TriangularFEMForceField"),
    LACKING("TriangularQuadraticSpringsForceField", "use TriangularFEMForceField"),
    LACKING("TetrahedralQuadraticSpringsForceField", "use TetrahedronFEMForceField"),
    LACKING("NonUniformHexahedronFEMForceFieldAndMass", "no such law"),
    LACKING("TaitSurfacePressureForceField", "no such law"),

    {"ConstantForceField", TAC_SOFA_LAW, "ConstantForce",
     "indices>points forces>force! force>force! totalForce>total!",
     "arrowSizeCoef indexFromEnd rayleighStiffness", tac_sofa_build_constant_force},
    {"PlaneForceField", TAC_SOFA_LAW, "Plane", "normal d! stiffness! damping!",
     "maxForce bilateral localRange size rayleighStiffness", tac_sofa_build_plane},
    {"EllipsoidForceField", TAC_SOFA_LAW, "EllipsoidForce",
     "center>centers vradius>radii stiffness:500 damping:5", "color rayleighStiffness contacts",
     tac_sofa_build_ellipsoid},
    {"InteractionEllipsoidForceField", TAC_SOFA_LAW, "EllipsoidForce",
     "center>centers vradius>radii stiffness:500 damping:5 object1! object2>carrier! object2_dof_index>frame",
     "color object2_forces object2_invert rayleighStiffness contacts", tac_sofa_build_ellipsoid},
    {"UniformVelocityDampingForceField", TAC_SOFA_LAW, "Damping",
     "dampingCoefficient:0.1>coefficient implicit!", "rayleighStiffness", tac_sofa_build_damping},
    {"DiagonalVelocityDampingForceField", TAC_SOFA_LAW, "Damping", "dampingCoefficient:0.1>coefficient",
     "rayleighStiffness", NULL},
    {"SurfacePressureForceField", TAC_SOFA_LAW, "Pressure",
     "pressure triangleIndices>triangles quadIndices>quads volumeConservationMode>conserving "
     "defaultVolume>volume "
     "topology!",
     "min max pulseMode pressureLowerBound pressureSpeed mainDirection useTangentStiffness rayleighStiffness",
     tac_sofa_build_pressure},
    {"SPHFluidForceField", TAC_SOFA_LAW, "SmoothedParticles",
     "radius mass density pressure viscosity kernelType>kernel! viscosityType>viscosity_type! "
     "surfaceTension>tension!",
     "rayleighStiffness debugGrid", tac_sofa_build_particles},
    {"LennardJonesForceField", TAC_SOFA_LAW, "LennardJones",
     "alpha:6>attraction beta:12>repulsion p0>depth! d0:1>distance dmax:2>cutoff fmax:1>strongest damping",
     "aInit rayleighStiffness", tac_sofa_build_lennard_jones},
    LACKING("SphereForceField", "use EllipsoidForceField"),
    LACKING("ConicalForceField", "no such law"),
    LACKING("LinearForceField", "forces along a script are not to be had"),
    LACKING("EdgePressureForceField", "no such law"),
    {"TrianglePressureForceField", TAC_SOFA_LAW, "ConstantForce", PLANE_PRESSURE " triangleList!",
     PRESSURE_IGNORED, tac_sofa_build_plane_pressure},
    {"QuadPressureForceField", TAC_SOFA_LAW, "ConstantForce", PLANE_PRESSURE " quadList!", PRESSURE_IGNORED,
     tac_sofa_build_plane_pressure},
    LACKING("OscillatingTorsionPressureForceField", "no such law"),
    LACKING("TorsionForceField", "no such law"),
    LACKING("ParticlesRepulsionForceField", "no such law"),
    LACKING("DiagonalStiffnessForceField", "no such law"),

    // --- constraints ---
    {"FixedProjectiveConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints", "indices>points! fixAll>points!",
     "drawSize activate_projectVelocity topology endTime", tac_sofa_build_fixed},
    {"FixedConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints", "indices>points! fixAll>points!",
     "drawSize activate_projectVelocity topology", tac_sofa_build_fixed},
    {"PartialFixedProjectiveConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints",
     "indices>points! fixAll>points! fixedDirections>directions!",
     "drawSize projectVelocity topology endTime", tac_sofa_build_partly_fixed},
    {"PartialFixedConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints",
     "indices>points! fixAll>points! fixedDirections>directions!", "drawSize projectVelocity topology",
     tac_sofa_build_partly_fixed},
    {"FixedTranslationProjectiveConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints",
     "indices>points! fixAll>points!", "drawSize topology coordinates", tac_sofa_build_fixed_translation},
    // SOFA's macro of a BoxROI and a FixedProjectiveConstraint, wherever its file is
    {"BoxConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints", "box!", "drawSize", tac_sofa_build_box_constraint},
    LACKING("FixedRotationProjectiveConstraint", "points are held, rotations alone are not"),
    {"LinearMovementProjectiveConstraint", TAC_SOFA_CONSTRAINT, "ScriptedMotion",
     "indices>points keyTimes>times! movements>offsets!", "relativeMovements topology",
     tac_sofa_build_movement},
    {"LinearMovementConstraint", TAC_SOFA_CONSTRAINT, "ScriptedMotion",
     "indices>points keyTimes>times! movements>offsets!", "relativeMovements topology",
     tac_sofa_build_movement},
    {"LinearVelocityProjectiveConstraint", TAC_SOFA_CONSTRAINT, "LinearVelocity",
     "indices>points keyTimes>times velocities>velocities coordinates>directions! "
     "continueAfterEnd>keep_going",
     "topology", tac_sofa_build_velocity},
    {"FixedPlaneProjectiveConstraint", TAC_SOFA_CONSTRAINT, "FixedPlane",
     "direction>normal dmin>low dmax>high", "indices topology", NULL},
    {"FixedPlaneConstraint", TAC_SOFA_CONSTRAINT, "FixedPlane", "direction>normal dmin>low dmax>high",
     "indices topology", NULL},
    {"OscillatorProjectiveConstraint", TAC_SOFA_CONSTRAINT, "Oscillator", "oscillators!", "topology",
     tac_sofa_build_oscillator},
    {"LineProjectiveConstraint", TAC_SOFA_CONSTRAINT, "LineProjection", "indices>points! origin direction",
     "topology drawSize", tac_sofa_build_projection},
    {"ProjectToLineConstraint", TAC_SOFA_CONSTRAINT, "LineProjection", "indices>points! origin direction",
     "topology drawSize", tac_sofa_build_projection},
    {"PlaneProjectiveConstraint", TAC_SOFA_CONSTRAINT, "PlaneProjection", "indices>points! origin normal",
     "topology drawSize", tac_sofa_build_projection},
    {"ProjectToPlaneConstraint", TAC_SOFA_CONSTRAINT, "PlaneProjection", "indices>points! origin normal",
     "topology drawSize", tac_sofa_build_projection},
    {"PointProjectiveConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints", "indices>points! fixAll>points! point!",
     "topology drawSize", tac_sofa_build_point_projection},
    {"ProjectToPointConstraint", TAC_SOFA_CONSTRAINT, "FixedPoints", "indices>points! fixAll>points! point!",
     "topology drawSize", tac_sofa_build_point_projection},
    LACKING("AttachProjectiveConstraint", "use springs, or one matter for both"),
    LACKING("AffineMovementProjectiveConstraint", "no such constraint"),
    LACKING("PatchTestMovementProjectiveConstraint", "no such constraint"),
    LACKING("PositionBasedDynamicsProjectiveConstraint", "no such constraint"),
    LACKING("ParabolicProjectiveConstraint", "no such constraint"),
    LACKING("HermiteSplineProjectiveConstraint", "no such constraint"),
    LACKING("SkeletalMotionProjectiveConstraint", "no such constraint"),
    LACKING("DirectionProjectiveConstraint", "no such constraint"),

    // --- maps ---
    {"IdentityMapping", TAC_SOFA_MAP, "IdentityMap", "input>parent! output>child!", "*", NULL},
    {"SubsetMapping", TAC_SOFA_MAP, "SubsetMap", "input>parent! output>child! indices>points",
     "first last radius ignoreNotFound resizeToModel handleTopologyChange mapForces mapConstraints", NULL},
    {"RigidMapping", TAC_SOFA_MAP, "RigidMap", RIGID, RIGID_IGNORED, tac_sofa_build_rigid_map},
    {"RigidRigidMapping", TAC_SOFA_MAP, "FrameMap", RIGID " repartition>frames!", RIGID_IGNORED,
     tac_sofa_build_rigid_map},
    {"BarycentricMapping", TAC_SOFA_MAP, "BarycentricMap",
     "input>parent! output>child! input_topology>topology!",
     "useRestPosition mapForces mapConstraints mapMasses output_topology mapper",
     tac_sofa_build_barycentric_map},
    {"DistanceMapping", TAC_SOFA_MAP, "DistanceMap",
     "input>parent! output>child! topology>pairs! restLengths>lengths! computeDistance>lengths! "
     "geometricStiffness>geometric!",
     "applyRestPosition mapForces mapConstraints mapMasses indexPairs", tac_sofa_build_distance_map},
    {"SquareDistanceMapping", TAC_SOFA_MAP, "DistanceMap",
     "input>parent! output>child! topology>pairs! restLengths>lengths! computeDistance>lengths! "
     "geometricStiffness>geometric!",
     "applyRestPosition mapForces mapConstraints mapMasses", tac_sofa_build_distance_map},
    {"SkinningMapping", TAC_SOFA_MAP, "SkinningMap",
     "input>parent! output>child! indices>frames weight>weights nbRef:4>nearest",
     "initPos mapForces mapConstraints", tac_sofa_build_skinning},
    {"DistanceMultiMapping", TAC_SOFA_MAP, "Springs",
     "input>matter! output! topology>pairs! indexPairs>pairs! restLengths>lengths! computeDistance>lengths! "
     "applyRestPosition>lengths! geometricStiffness>turns!",
     "mapForces mapConstraints mapMasses", NULL},
    LACKING("DistanceFromTargetMapping", "no such map"),
    LACKING("SubsetMultiMapping", "maps have one parent"),
    LACKING("CenterOfMassMapping", "no such map"),
    LACKING("CenterOfMassMultiMapping", "no such map"),
    LACKING("TubularMapping", "no such map"),
    LACKING("BeamLinearMapping", "no such map"),
    LACKING("LineSetSkinningMapping", "use SkinningMapping"),
    LACKING("BarycentricMappingRigid", "only points ride on elements"),
    LACKING("HomogenizedMapping", "no such map"),
    LACKING("DeformableOnRigidFrameMapping", "no such map"),
    LACKING("AreaMapping", "no such map"),
    LACKING("VolumeMapping", "no such map"),
    LACKING("Mesh2PointMechanicalMapping", "no such map"),
    LACKING("SimpleTesselatedTetraMechanicalMapping", "no such map"),
    NOTHING("ImplicitSurfaceMapping"),
    NOTHING("VoidMapping"),

    {"Gravity", TAC_SOFA_SETTING, "Gravity", "gravity>acceleration", "", NULL},

    // --- loaders and creators ---
    MESH("MeshGmshLoader"),
    MESH("MeshOBJLoader"),
    MESH("MeshObjLoader"),
    MESH("MeshVTKLoader"),
    MESH("MeshSTLLoader"),
    MESH("MeshOffLoader"),
    MESH("SphereLoader"),
    MESH("StringMeshCreator"),
    {"TransformEngine", TAC_SOFA_MESH, NULL, "input_position! translation! rotation! scale!",
     "output_position inverse", NULL},
    MESH("MeshTrianLoader"),
    MESH("GIDMeshLoader"),
    MESH("MeshXspLoader"),
    MESH("VoxelGridLoader"),
    MESH("OffSequenceLoader"),

    // --- topologies ---
    TOPOLOGY("MeshTopology"),
    TOPOLOGY("Mesh"),
    TOPOLOGY("RegularGridTopology"),
    TOPOLOGY("RegularGrid"),
    TOPOLOGY("PointSetTopologyContainer"),
    TOPOLOGY("EdgeSetTopologyContainer"),
    TOPOLOGY("TriangleSetTopologyContainer"),
    TOPOLOGY("QuadSetTopologyContainer"),
    TOPOLOGY("TetrahedronSetTopologyContainer"),
    TOPOLOGY("HexahedronSetTopologyContainer"),
    TOPOLOGY("DynamicSparseGridTopologyContainer"),
    TOPOLOGY("CubeTopology"),
    {"SparseGridTopology", TAC_SOFA_TOPOLOGY, NULL, SPARSE, SPARSE_IGNORED, NULL},
    {"SparseGrid", TAC_SOFA_TOPOLOGY, NULL, SPARSE, SPARSE_IGNORED, NULL},
    LACKING("SparseGridRamificationTopology", "use SparseGridTopology: cells are joined where they touch"),
    LACKING("SparseGridMultipleTopology", "sparse grids are not to be had"),
    LACKING("CylinderGridTopology", "use a mesh"),
    LACKING("SphereGridTopology", "use a mesh"),
    LACKING("SphereQuadTopology", "use a mesh"),
    MAPPING("Hexa2TetraTopologicalMapping"),
    MAPPING("Tetra2TriangleTopologicalMapping"),
    MAPPING("Hexa2QuadTopologicalMapping"),
    MAPPING("Quad2TriangleTopologicalMapping"),
    MAPPING("Triangle2EdgeTopologicalMapping"),
    MAPPING("IdentityTopologicalMapping"),
    LACKING("SubsetTopologicalMapping", "no such mapping"),
    LACKING("Edge2QuadTopologicalMapping", "no such mapping"),
    {"Mesh2PointTopologicalMapping", TAC_SOFA_MAPPING, NULL,
     "input! output! pointBaryCoords! edgeBaryCoords! triangleBaryCoords! quadBaryCoords! tetraBaryCoords! "
     "hexaBaryCoords!",
     MAPPING_IGNORED " copyEdges copyTriangles copyTetrahedra", NULL},
    LACKING("CenterPointTopologicalMapping", "no such mapping"),
    LACKING("SimpleTesselatedTetraTopologicalMapping", "no such mapping"),
    LACKING("SimpleTesselatedHexaTopologicalMapping", "no such mapping"),
    LACKING("MultilevelHexahedronSetTopologyContainer", "no such topology"),

    // --- selections ---
    {"BoxROI", TAC_SOFA_REGION, NULL, "box! position! rest_position! orientedBox!",
     "strict doUpdate edges triangles tetrahedra hexahedra quad computeEdges computeTriangles "
     "computeTetrahedra "
     "computeHexahedra computeQuad indicesOut drawBoxes drawPoints drawSize nbIndices extendedInRanges tetra",
     NULL},
    {"SphereROI", TAC_SOFA_REGION, NULL, "centers! radii! position! rest_position!",
     "edges triangles tetrahedra quads computeEdges computeTriangles computeTetrahedra computeQuads "
     "direction normal "
     "edgeAngle triAngle",
     NULL},
    {"PlaneROI", TAC_SOFA_REGION, NULL, "plane! position! rest_position!",
     "edges triangles tetrahedra computeEdges computeTriangles computeTetrahedra drawPoints drawSize", NULL},
    LACKING("PairBoxROI", "use BoxROI"),
    LACKING("MeshROI", "use BoxROI"),
    LACKING("NearestPointROI", "use indices"),
    LACKING("PointsFromIndices", "use indices"),
    LACKING("ValuesFromIndices", "no such engine"),
    LACKING("IndexValueMapper", "no such engine"),
    LACKING("MergeMeshes", "no such engine"),
    LACKING("MergePoints", "no such engine"),
    LACKING("GenerateCylinder", "use a mesh"),
    LACKING("GenerateGrid", "use RegularGridTopology"),
    LACKING("GenerateSphere", "use a mesh"),
    LACKING("ExtrudeSurface", "use a mesh"),
    LACKING("GenerateRigidMass", "give the mass"),

    // --- collisions ---
    COLLIDER("TriangleCollisionModel"),
    COLLIDER("TriangleModel"),
    COLLIDER("LineCollisionModel"),
    COLLIDER("LineModel"),
    COLLIDER("PointCollisionModel"),
    COLLIDER("PointModel"),
    COLLIDER("SphereCollisionModel"),
    COLLIDER("SphereModel"),
    COLLIDER("Sphere"),
    COLLIDER("TetrahedronCollisionModel"),
    COLLIDER("CubeCollisionModel"),
    COLLIDER("CapsuleCollisionModel"),
    COLLIDER("OBBCollisionModel"),
    COLLIDER("CylinderCollisionModel"),
    COLLIDER("RayCollisionModel"),
    PIPELINE("CollisionPipeline"),
    PIPELINE("DefaultPipeline"),
    PIPELINE("CompositeCollisionPipeline"),
    NOTHING("SubCollisionPipeline"),
    NOTHING("BruteForceBroadPhase"),
    NOTHING("BruteForceDetection"),
    NOTHING("BVHNarrowPhase"),
    NOTHING("ParallelBruteForceBroadPhase"),
    NOTHING("ParallelBVHNarrowPhase"),
    NOTHING("DirectSAPNarrowPhase"),
    NOTHING("DirectSAP"),
    NOTHING("IncrSAP"),
    NOTHING("RayTraceNarrowPhase"),
    NOTHING("CollisionResponse"),
    NOTHING("DefaultContactManager"),
    NOTHING("RuleBasedContactManager"),
    NOTHING("MinProximityIntersection"),
    NOTHING("NewProximityIntersection"),
    NOTHING("DiscreteIntersection"),
    NOTHING("LocalMinDistance"),
    NOTHING("CCDTightInclusionIntersection"),
    NOTHING("DefaultCollisionGroupManager"),
    NOTHING("CollisionGroup"),
    NOTHING("TreeCollisionGroupManager"),
    NOTHING("ContactListener"),

    // --- hard constraints: nothing by themselves, and the ones that tie bodies are lacking ---
    NOTHING("GenericConstraintCorrection"),
    NOTHING("UncoupledConstraintCorrection"),
    NOTHING("LinearSolverConstraintCorrection"),
    NOTHING("PrecomputedConstraintCorrection"),
    NOTHING("GenericConstraintSolver"),
    NOTHING("BlockGaussSeidelConstraintSolver"),
    NOTHING("ProjectedGaussSeidelConstraintSolver"),
    NOTHING("UnbuiltGaussSeidelConstraintSolver"),
    NOTHING("NNCGConstraintSolver"),
    NOTHING("ImprovedJacobiConstraintSolver"),
    NOTHING("LCPConstraintSolver"),
    LACKING("BilateralLagrangianConstraint", "hard constraints between bodies are not to be had"),
    LACKING("BilateralInteractionConstraint", "hard constraints between bodies are not to be had"),
    LACKING("UniformLagrangianConstraint", "hard constraints between bodies are not to be had"),
    LACKING("FixedLagrangianConstraint", "use FixedProjectiveConstraint"),
    LACKING("SlidingLagrangianConstraint", "hard constraints between bodies are not to be had"),
    LACKING("SlidingConstraint", "hard constraints between bodies are not to be had"),
    LACKING("StopperLagrangianConstraint", "hard constraints between bodies are not to be had"),
    LACKING("UnilateralLagrangianConstraint", "hard constraints between bodies are not to be had"),
    LACKING("AugmentedLagrangianConstraint", "hard constraints between bodies are not to be had"),
    LACKING("AttachBodyButtonSetting", "there is no mouse"),

    // --- what has no part in the motion ---
    NOTHING("RequiredPlugin"),
    NOTHING("DefaultAnimationLoop"),
    NOTHING("FreeMotionAnimationLoop"),
    NOTHING("MultiStepAnimationLoop"),
    NOTHING("ConstraintAnimationLoop"),
    NOTHING("DefaultVisualManagerLoop"),
    NOTHING("VisualManagerLoop"),
    NOTHING("InteractiveCamera"),
    NOTHING("Camera"),
    NOTHING("RecordedCamera"),
    NOTHING("BaseCamera"),
    NOTHING("ViewerSetting"),
    NOTHING("BackgroundSetting"),
    NOTHING("MouseButtonSetting"),
    NOTHING("AddFrameButtonSetting"),
    NOTHING("AddRecordedCameraButtonSetting"),
    NOTHING("ConstraintAttachButtonSetting"),
    NOTHING("StatsSetting"),
    NOTHING("PauseAnimation"),
    NOTHING("PauseAnimationOnEvent"),
    NOTHING("VisualStyle"),
    NOTHING("VisualGrid"),
    NOTHING("LineAxis"),
    NOTHING("Visual3DText"),
    NOTHING("VisualTransform"),
    NOTHING("VisualModelImpl"),
    NOTHING("VisualMesh"),
    NOTHING("VisualPointCloud"),
    NOTHING("VisualVectorField"),
    NOTHING("TrailRenderer"),
    NOTHING("VisualBoundingBox"),
    NOTHING("OglModel"),
    NOTHING("OglLabel"),
    NOTHING("OglSceneFrame"),
    NOTHING("OglGrid"),
    NOTHING("OglLineAxis"),
    NOTHING("OglShadowShader"),
    NOTHING("OglShader"),
    NOTHING("OglTexture2D"),
    NOTHING("OglViewport"),
    NOTHING("OglColorMap"),
    NOTHING("OglFloatVariable"),
    NOTHING("OglIntVariable"),
    NOTHING("OglTetrahedralModel"),
    NOTHING("OglCylinderModel"),
    NOTHING("OglPointModel"),
    NOTHING("LightManager"),
    NOTHING("PositionalLight"),
    NOTHING("DirectionalLight"),
    NOTHING("SpotLight"),
    NOTHING("ClipPlane"),
    NOTHING("PointSplatModel"),
    NOTHING("SlicedVolumetricModel"),
    NOTHING("DataDisplay"),
    NOTHING("MergeVisualModels"),
    NOTHING("TextureInterpolation"),
    NOTHING("CompositingVisualLoop"),
    NOTHING("VisualManagerPass"),
    NOTHING("OrderIndependentTransparencyManager"),
    NOTHING("TransformPosition"),
    NOTHING("PostProcessManager"),
    NOTHING("Shader"),
    NOTHING("RenderingModel"),
    NOTHING("PointSetTopologyModifier"),
    NOTHING("EdgeSetTopologyModifier"),
    NOTHING("TriangleSetTopologyModifier"),
    NOTHING("QuadSetTopologyModifier"),
    NOTHING("TetrahedronSetTopologyModifier"),
    NOTHING("HexahedronSetTopologyModifier"),
    NOTHING("PointSetGeometryAlgorithms"),
    NOTHING("EdgeSetGeometryAlgorithms"),
    NOTHING("TriangleSetGeometryAlgorithms"),
    NOTHING("QuadSetGeometryAlgorithms"),
    NOTHING("TetrahedronSetGeometryAlgorithms"),
    NOTHING("HexahedronSetGeometryAlgorithms"),
    NOTHING("PointSetTopologyAlgorithms"),
    NOTHING("EdgeSetTopologyAlgorithms"),
    NOTHING("TriangleSetTopologyAlgorithms"),
    NOTHING("TetrahedronSetTopologyAlgorithms"),
    NOTHING("TopologyBoundingTrasher"),
    NOTHING("TopologyChecker"),
    NOTHING("NaturalOrderingMethod"),
    NOTHING("AMDOrderingMethod"),
    NOTHING("COLAMDOrderingMethod"),
    NOTHING("EigenOrderingMethod"),
    NOTHING("MatrixLinearSystem"),
    NOTHING("TypedMatrixLinearSystem"),
    NOTHING("ConstantSparsityPatternSystem"),
    NOTHING("ConstantSparsityProjectionMethod"),
    NOTHING("CompositeLinearSystem"),
    NOTHING("GlobalSystemMatrixImage"),
    NOTHING("GlobalSystemMatrixExporter"),
    NOTHING("FillReducingOrdering"),
    NOTHING("PreconditionedMatrixFreeSystem"),
    NOTHING("PrecomputedMatrixSystem"),
    NOTHING("MatrixFreeSystem"),
    NOTHING("AssemblingMatrixAccumulator"),
    NOTHING("AssemblingMappedMatrixAccumulator"),
    NOTHING("SpatialGridContainer"),
    NOTHING("Monitor"),
    NOTHING("WriteState"),
    NOTHING("ReadState"),
    NOTHING("CompareState"),
    NOTHING("VTKExporter"),
    NOTHING("MeshExporter"),
    NOTHING("OBJExporter"),
    NOTHING("VisualModelOBJExporter"),
    NOTHING("STLExporter"),
    NOTHING("BlenderExporter"),
    NOTHING("MomentumMonitor"),
    NOTHING("ExtraMonitor"),
    NOTHING("DevTensionMonitor"),
    NOTHING("APIVersion"),
    NOTHING("InfoComponent"),
    NOTHING("MakeAlias"),
    NOTHING("MakeDataAlias"),
    NOTHING("MessageHandlerComponent"),
    NOTHING("FileMessageHandlerComponent"),
    NOTHING("MaterialProperties"),
    NOTHING("NodeToggleController"),
    NOTHING("MechanicalStateController"),
    NOTHING("SceneCheckerVisitor"),
    NOTHING("SofaDefaultPathSetting"),
    NOTHING("WriteTopology"),
    NOTHING("SceneDataDisplay"),
    NOTHING("EvalPointsDistance"),
};

const size_t tac_sofa_class_count = TAC_COUNT(tac_sofa_classes);

// Elements that SOFA names by template ("Vec3,Hexahedron"), by the name that they have without one.
const TacSofaClass *tac_sofa_element_class(const TacSofaClass *cls, const char *type) {
    static const char *const kinds[] = {"Tetrahedron", "Hexahedron"};
    char name[64];
    bool by_template = !strcmp(cls->name, "CorotationalFEMForceField") ||
                       !strcmp(cls->name, "LinearSmallStrainFEMForceField");
    for (size_t i = 0; by_template && type && i < TAC_COUNT(kinds); i++) {
        if (!strstr(type, kinds[i])) continue;
        snprintf(name, sizeof name, "%s%s", kinds[i], cls->name);
        const TacSofaClass *found = tac_sofa_find_class(name);
        if (found) return found;
    }
    return cls;
}

const TacSofaClass *tac_sofa_find_class(const char *name) {
    // some were called after their elements for a while
    if (!strncmp(name, "Element", 7) && strstr(name, "FEMForceField")) name += 7;
    for (size_t i = 0; i < tac_sofa_class_count; i++)
        if (!strcmp(tac_sofa_classes[i].name, name)) return &tac_sofa_classes[i];
    return NULL;
}

static void copy_part(char *to, size_t size, const char *from, size_t length) {
    if (length >= size) length = size - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

bool tac_sofa_next_word(const char **list, TacSofaWord *word) {
    const char *p = *list;
    while (*p == ' ') p++;
    if (!*p) return false;
    size_t name = strcspn(p, " :>!"), all = strcspn(p, " ");
    *word = (TacSofaWord){.computed = p[all - 1] == '!'};
    copy_part(word->sofa, sizeof word->sofa, p, name);
    if (p[name] == ':') {
        size_t n = strcspn(p + name + 1, " >!");
        copy_part(word->initial, sizeof word->initial, p + name + 1, n);
        // a default of several numbers is written with lines between them
        for (char *c = word->initial; *c; c++)
            if (*c == '_') *c = ' ';
    }
    const char *arrow = memchr(p, '>', all);
    if (arrow) {
        size_t n = strcspn(arrow + 1, " !");
        copy_part(word->ours, sizeof word->ours, arrow + 1, n);
    } else {
        copy_part(word->ours, sizeof word->ours, p, name);
    }
    *list = p + all;
    return true;
}
