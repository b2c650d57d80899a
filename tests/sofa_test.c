// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SOFA's scenes: the XML's rules, links, what grids, boxes, masses and springs come to, what is said of mistakes;
// that the table names classes and attributes which exist, and that docs/coming-from-sofa.md is the table.
// Numbers are checked against closed forms; tests/regress_test.py compares whole runs with SOFA's own.
//
// With TACTUS_REFRESH set, the page is written anew instead of compared.

#define _GNU_SOURCE
#include "scene/sofa.h"
#include "scene_checks.h"
#include "world/world.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// --- helpers ----------------------------------------------------------------------------------------------

static TacScene *parse(const char *text, TacStatus expected, TacError *error) {
    TacScene *scene = empty_scene();
    *error = (TacError){0};
    TacStatus status = tac_scene_parse(scene, "test.scn", text, strlen(text), error);
    if (status != expected) fail_msg("%s:%d: %s", error->file, error->line, error->message);
    return scene;
}

static TacWorld *compile(TacScene *scene) {
    TacWorldDef def = tac_world_def_default();
    TacWorld *world;
    TacError error;
    if (tac_world_create(&world, scene, &def, &error) != TAC_OK) fail_msg("%s", error.message);
    tac_scene_destroy(scene);
    return world;
}

static TacWorld *run_text(const char *text) {
    TacError error;
    return compile(parse(text, TAC_OK, &error));
}

static const double *at(TacWorld *world, const char *path) {
    TacComponentId id = tac_world_find(world, path);
    if (!id.index1) fail_msg("there is no %s", path);
    return tac_world_positions(world, id);
}

static size_t count(TacWorld *world, const char *path) {
    return tac_world_point_count(world, tac_world_find(world, path));
}

static void expect(const double *found, const double *wanted, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(fabs(found[i] - wanted[i]) <= 1e-12))
            fail_msg("number %zu is %.17g, not %.17g", i, found[i], wanted[i]);
}

static bool has_message(const TacScene *scene, const char *part) {
    for (size_t i = 0; i < tac_scene_message_count(scene); i++)
        if (strstr(tac_scene_message(scene, i)->error.message, part)) return true;
    return false;
}

#define SOLVER "<EulerImplicitSolver/><CGLinearSolver/>"

// --- XML --------------------------------------------------------------------------------------------------

static void only_the_roots_gravity_and_dt_count(void **state) {
    (void)state;
    TacWorld *world = run_text("<Node gravity='0 0 -2' dt='0.5'><Node name='a' gravity='9 9 9' dt='7'>"
                               "<EulerExplicitSolver/><MechanicalObject name='p' position='1 2 3'/>"
                               "<UniformMass vertexMass='3'/></Node></Node>");
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 1, &error), TAC_OK);
    // v = h g, x += h v
    expect(at(world, "/a/p"), (const double[]){1, 2, 3 - 0.5 * 0.5 * 2}, 3);
    tac_world_destroy(world);
}

static void a_gravity_component_holds_locally(void **state) {
    (void)state;
    TacWorld *world = run_text("<Node gravity='0 -1 0' dt='1'><Node name='a'><Gravity gravity='0 3 0'/>"
                               "<EulerExplicitSolver/><MechanicalObject name='p' position='0 0 0'/>"
                               "<UniformMass vertexMass='3'/></Node></Node>");
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 1, &error), TAC_OK);
    expect(at(world, "/a/p"), (const double[]){0, 3, 0}, 3);
    tac_world_destroy(world);
}

static void objects_by_type_and_odd_names(void **state) {
    (void)state;
    TacWorld *world =
        run_text("<Node><Object type='MechanicalObject' name='my dofs!' position='1 2 3'/></Node>");
    expect(at(world, "/my_dofs_"), (const double[]){1, 2, 3}, 3);
    tac_world_destroy(world);
}

static void default_names_count_by_class(void **state) {
    (void)state;
    TacWorld *world = run_text("<Node><MechanicalObject position='1 2 3'/><Node name='n'>"
                               "<MechanicalObject position='@../MechanicalObject1.position'/></Node></Node>");
    expect(at(world, "/n/MechanicalObject1"), (const double[]){1, 2, 3}, 3);
    tac_world_destroy(world);
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static TacWorld *run_file(const char *folder, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    TacScene *scene = empty_scene();
    TacError error = {0};
    if (tac_scene_read(scene, path, &error) != TAC_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    return compile(scene);
}

static void includes_groups_merges_and_macros(void **state) {
    (void)state;
    char folder[] = "/tmp/tactus_sofa_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char objects[64];
    snprintf(objects, sizeof objects, "%s/Objects", folder);
    assert_int_equal(mkdir(objects, 0700), 0);
    write_file(folder, "body.xml",
               "<Node name='Body'><MechanicalObject name='p' position='0 0 0' dx='1' dy='1'/>"
               "<MechanicalObject name='q' position='0 0 0' dx='1' dy='1'/></Node>");
    write_file(folder, "group.xml",
               "<Node name='Group'><MechanicalObject name='g' position='5 5 5'/></Node>");
    write_file(folder, "merge.xml",
               "<Node name='_Merge_'><Node name='here'><MechanicalObject name='m' "
               "position='6 6 6'/></Node></Node>");
    write_file(folder, "Objects/Thing.xml",
               "<Node name='Thing'><MechanicalObject name='t' position='7 7 7'/></Node>");
    // dx goes to every element that has it; p__dy to p alone
    write_file(folder, "main.scn",
               "<Node><include href='body.xml' name='one' dx='4' p__dy='8'/><include href='body.xml'/>"
               "<Node name='here'><MechanicalObject name='m' position='0 0 0'/></Node>"
               "<include href='group.xml'/><include href='merge.xml'/><Thing name='other'/></Node>");
    TacWorld *world = run_file(folder, "main.scn");
    expect(at(world, "/one/p"), (const double[]){4, 8, 0}, 3);
    expect(at(world, "/one/q"), (const double[]){4, 1, 0}, 3);
    expect(at(world, "/Body/p"), (const double[]){1, 1, 0}, 3);
    expect(at(world, "/g"), (const double[]){5, 5, 5}, 3);
    expect(at(world, "/here/m"), (const double[]){6, 6, 6}, 3);
    expect(at(world, "/other/t"), (const double[]){7, 7, 7}, 3);
    tac_world_destroy(world);
    const char *const names[] = {"body.xml",          "group.xml", "merge.xml",
                                 "Objects/Thing.xml", "main.scn",  "Objects"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

// --- points and elements ----------------------------------------------------------------------------------

static void a_state_takes_the_first_topology_and_is_placed(void **state) {
    (void)state;
    // scaled, then turned a quarter about z, then moved; limits are 32-bit numbers
    TacWorld *world =
        run_text("<Node><MechanicalObject name='p' scale='2' rz='90' dx='10'/>"
                 "<RegularGridTopology nx='2' ny='1' nz='1' xmin='0.1' xmax='1.1' ymin='0' ymax='0' "
                 "zmin='0' zmax='0'/></Node>");
    assert_int_equal(count(world, "/p"), 2);
    double low = (double)0.1f, high = (double)1.1f;
    expect(at(world, "/p"), (const double[]){10, 2 * low, 0, 10, 2 * high, 0}, 6);
    tac_world_destroy(world);
}

static void frames_turn_with_their_state(void **state) {
    (void)state;
    TacWorld *world =
        run_text("<Node><MechanicalObject template='Rigid3d' name='f' dx='10' rx='90'/></Node>");
    expect(at(world, "/f"), (const double[]){10, 0, 0, sqrt(0.5), 0, 0, sqrt(0.5)}, 7);
    tac_world_destroy(world);
}

static double volume_of(const double *x, const int32_t *t) {
    TacVec3 a = tac_load3(x + 3 * t[0]), b = tac_load3(x + 3 * t[1]), c = tac_load3(x + 3 * t[2]);
    return tac_dot(tac_sub(tac_load3(x + 3 * t[3]), a), tac_cross(tac_sub(b, a), tac_sub(c, a))) / 6;
}

static void hexahedra_are_cut_into_six_that_fill_them(void **state) {
    (void)state;
    TacError error;
    TacScene *scene =
        parse("<Node><RegularGridTopology name='grid' n='4 3 3' min='0 0 0' max='3 2 2'/>"
              "<MechanicalObject name='p'/><Node name='t'><TetrahedronSetTopologyContainer name='c'/>"
              "<Hexa2TetraTopologicalMapping input='@../grid' output='@c' swapping='true'/></Node></Node>",
              TAC_OK, &error);
    TacWorld *world = compile(scene);
    // the container of the child has the grid's points, which are the state's
    const TacReals points = tac_world_reals(world, tac_world_find(world, "/t/c"), "points");
    assert_int_equal(points.count, 3 * 36);
    tac_world_destroy(world);
    // the pattern itself: positive volumes, all of the box, neighbours agree on the diagonals of their faces
    TacSofa sofa = {.scene = empty_scene()};
    sofa.arena = &sofa.scene->arena;
    TacSofaObject grid = {.grid = {3, 3, 2}};
    assert_int_equal(tac_mesh_grid(&grid.mesh, 3, 3, 2, tac_vec3(0, 0, 0), tac_vec3(2, 2, 1), &error),
                     TAC_OK);
    size_t n;
    const int32_t *cut = tac_sofa_cut_hexahedra(&sofa, &grid, true, true, &n);
    assert_int_equal(n, 24);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double v = volume_of(grid.mesh.points, cut + 4 * i);
        assert_true(v > 0);
        sum += v;
    }
    assert_true(fabs(sum - 4) < 1e-12);
    // a conforming mesh has no face that only one element knows inside of the box: its surface is the box's
    TacMesh tets = {0};
    size_t counts[TAC_ELEMENT_KINDS] = {0};
    counts[TAC_TETRAHEDRA] = n;
    assert_int_equal(tac_mesh_create(&tets, grid.mesh.point_count, counts, &error), TAC_OK);
    memcpy(tets.points, grid.mesh.points, 3 * grid.mesh.point_count * sizeof(double));
    memcpy(tets.elements[TAC_TETRAHEDRA].indices, cut, 4 * n * sizeof *cut);
    int32_t *triangles;
    size_t faces;
    assert_int_equal(tac_mesh_surface(&tets, &triangles, &faces, &error), TAC_OK);
    assert_int_equal(faces, 2 * (2 * 4 + 4 * 2)); // two triangles on each of 4 + 4 + 8 unit squares
    free(triangles);
    tac_mesh_destroy(&tets);
    tac_mesh_destroy(&grid.mesh);
    tac_scene_destroy(sofa.scene);
}

static void boxes_choose_points_and_constraints_hold_them(void **state) {
    (void)state;
    TacWorld *world =
        run_text("<Node gravity='0 -10 0' dt='0.1'><EulerExplicitSolver/>"
                 "<MechanicalObject name='p' position='0 0 0  1 0 0  2 0 0'/><UniformMass totalMass='3'/>"
                 "<BoxROI name='box' box='1.5 -1 -1  0.5 1 1'/>"
                 "<FixedProjectiveConstraint indices='@box.indices'/></Node>");
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 1, &error), TAC_OK);
    expect(at(world, "/p"), (const double[]){0, -0.1, 0, 1, 0, 0, 2, -0.1, 0}, 9);
    tac_world_destroy(world);
}

// A slanted slab: from (1 0) over (0 0) to (0 1) in the plane x z turned by 45 degrees about x, 0.2 deep.
static void boxes_may_lie_anyhow(void **state) {
    (void)state;
    static const char *const regions[] = {"BoxROI name='box' orientedBox='2 0 0  0 0 0  0 1 1  0.2'",
                                          "PlaneROI name='box' plane='2 0 0  0 0 0  0 1 1  0.2'"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        // inside, above by more than a tenth, beyond the second side, before the first
        snprintf(text, sizeof text,
                 "<Node gravity='0 -10 0' dt='0.1'><EulerExplicitSolver/><MechanicalObject name='p' "
                 "position='1 0.5 0.5  1 0.6 0.4  1 0.7 0.4  1 1.2 1.2  -0.1 0.5 0.5'/><UniformMass/><%s/>"
                 "<FixedProjectiveConstraint indices='@box.indices'/></Node>",
                 regions[i]);
        TacWorld *world = run_text(text);
        TacError error;
        assert_int_equal(tac_world_advance_beats(world, 1, &error), TAC_OK);
        const double *x = at(world, "/p");
        assert_true(x[1] == 0.5 && x[4] < 0.55 && x[7] < 0.65 && x[10] < 1.15 && x[13] < 0.45);
        tac_world_destroy(world);
    }
}

static void links_go_back_by_number_and_through_src(void **state) {
    (void)state;
    TacWorld *world = run_text("<Node><MeshTopology name='a' position='1 2 3 4 5 6' edges='0 1'/>"
                               "<MechanicalObject name='p' position='@[-1].position'/>"
                               "<Node name='n'><MechanicalObject name='q' src='@../a'/></Node></Node>");
    expect(at(world, "/p"), (const double[]){1, 2, 3, 4, 5, 6}, 6);
    expect(at(world, "/n/q"), (const double[]){1, 2, 3, 4, 5, 6}, 6);
    tac_world_destroy(world);
}

// The surface of a cube of 2 m, as 12 triangles, around the origin.
#define CUBE                                                                                                 \
    "position='-1 -1 -1  1 -1 -1  1 1 -1  -1 1 -1  -1 -1 1  1 -1 1  1 1 1  -1 1 1' triangles='0 2 1 0 3 2 "  \
    "4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7' "

static void sparse_grids_hold_what_a_surface_crosses_and_encloses(void **state) {
    (void)state;
    // cells of 1 m from -2.5 to 2.5: the surface runs through the middle of cells, 3 x 3 x 3 of them are kept
    TacWorld *world = run_text("<Node><SparseGridTopology name='g' " CUBE
                               "n='6 6 6' min='-2.5 -2.5 -2.5' max='2.5 2.5 2.5'/>"
                               "<MechanicalObject name='p'/></Node>");
    assert_int_equal(count(world, "/p"), 4 * 4 * 4);
    // sorted by x, then y, then z
    expect(at(world, "/p"), (const double[]){-1.5, -1.5, -1.5, -1.5, -1.5, -0.5, -1.5, -1.5, 0.5}, 9);
    expect(at(world, "/p") + 3 * 63, (const double[]){1.5, 1.5, 1.5}, 3);
    const TacTopology *topology = (const TacTopology *)tac_world_get(world, tac_world_find(world, "/g"));
    assert_int_equal(topology->mesh.elements[TAC_HEXAHEDRA].count, 27);
    // the one inside comes last
    const int32_t *last = topology->mesh.elements[TAC_HEXAHEDRA].indices + 8 * 26;
    expect(at(world, "/p") + 3 * last[0], (const double[]){-0.5, -0.5, -0.5}, 3);
    tac_world_destroy(world);
    // by itself the grid is a hundredth larger than the surface on each side
    world = run_text("<Node><SparseGridTopology " CUBE "n='2 2 2'/><MechanicalObject name='p'/></Node>");
    assert_int_equal(count(world, "/p"), 8);
    expect(at(world, "/p"), (const double[]){-1.02, -1.02, -1.02}, 3);
    tac_world_destroy(world);
}

// A full cell is twice as stiff and heavy as one that the surface crosses; finer levels know better.
static void cells_are_as_heavy_as_they_are_full(void **state) {
    (void)state;
    static const char *const levels[] = {"0", "3"};
    double weights[2];
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "<Node gravity='0 0 -1'>" SOLVER "<SparseGridTopology " CUBE
                 "n='6 6 6' min='-2.5 -2.5 -2.5' max='2.5 2.5 2.5' nbVirtualFinerLevels='%s'/>"
                 "<MechanicalObject name='p' dz='10'/><HexahedronFEMForceFieldAndMass youngModulus='1e3' "
                 "density='2'/></Node>",
                 levels[i]);
        TacWorld *world = run_text(text);
        weights[i] = tac_world_energy(world).weight / (2 * 10);
        tac_world_destroy(world);
    }
    assert_true(fabs(weights[0] - (1 + 26 * 0.5)) < 1e-9);
    assert_true(fabs(weights[1] - 8) < 0.5); // the cube's own volume
}

static void points_are_made_from_elements_and_moved(void **state) {
    (void)state;
    TacWorld *world = run_text(
        "<Node><Node name='a'><TetrahedronSetTopologyContainer name='t' position='0 0 0  1 0 0  0 1 0  "
        "0 0 1  1 1 1' tetrahedra='0 1 2 3  1 2 3 4'/><MechanicalObject name='p'/>"
        "<Node name='b'><PointSetTopologyContainer name='c'/><Mesh2PointTopologicalMapping input='@../t' "
        "output='@c' edgeBaryCoords='0.25 0 0' tetraBaryCoords='0.25 0.25 0.25'/>"
        "<MechanicalObject name='q'/></Node></Node>"
        "<TransformEngine name='e' input_position='@a/t.position' translation='0 0 7' scale='2'/>"
        "<MechanicalObject name='r' template='Rigid3' position='@e.output_position'/></Node>");
    // 6 edges of the first, 3 more of the second, 2 middles
    assert_int_equal(count(world, "/a/b/q"), 11);
    expect(at(world, "/a/b/q"), (const double[]){0.25, 0, 0, 0, 0.25, 0, 0, 0, 0.25, 0.75, 0.25, 0}, 12);
    expect(at(world, "/a/b/q") + 18, (const double[]){1, 0.25, 0.25}, 3);
    expect(at(world, "/a/b/q") + 27, (const double[]){0.25, 0.25, 0.25, 0.5, 0.5, 0.5}, 6);
    // points become frames that are not turned
    expect(at(world, "/r") + 7, (const double[]){2, 0, 7, 0, 0, 0, 1}, 7);
    tac_world_destroy(world);
}

// A cube stretched along x by a force of 3 N/m^2 on its far face, held by projections: the face moves by F l / (E A).
static void surfaces_are_loaded_and_projections_hold(void **state) {
    (void)state;
    TacWorld *world = run_text(
        "<Node gravity='0 0 0' dt='0.5'><StaticSolver newton_iterations='10'/><SparseLDLSolver/>"
        "<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='2 2 2'/><MechanicalObject name='p'/>"
        "<UniformMass totalMass='1'/><BoxROI name='o' box='0 0 0 0 0 0'/><BoxROI name='y' box='0 2 0 0 2 0'/>"
        "<BoxROI name='x' box='0 0 0 0 2 2'/><ProjectToPointConstraint point='0 0 0' indices='@o.indices'/>"
        "<ProjectToLineConstraint direction='0 1 0' indices='@y.indices'/>"
        "<ProjectToPlaneConstraint normal='1 0 0' indices='@x.indices'/>"
        "<TetrahedronSetTopologyContainer name='t'/><Hexa2TetraTopologicalMapping input='@grid' output='@t'/>"
        "<TetrahedronFEMForceField method='small' youngModulus='100' poissonRatio='0.3'/><Node name='skin'>"
        "<TriangleSetTopologyContainer name='f'/><Tetra2TriangleTopologicalMapping input='@../t' "
        "output='@f'/>"
        "<TrianglePressureForceField normal='1 0 0' dmin='1.9' dmax='2.1' pressure='3 0 0'/></Node></Node>");
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 3, &error), TAC_OK);
    const double *x = at(world, "/p") + 3 * 26, strain = 3.0 / 100;
    for (int k = 0; k < 3; k++) {
        double wanted = 2 * (1 + (k ? -0.3 * strain : strain));
        if (!(fabs(x[k] - wanted) < 1e-6)) fail_msg("%d: %.9g, not %.9g", k, x[k], wanted);
    }
    tac_world_destroy(world);
}

static void what_nothing_moves_stays(void **state) {
    (void)state;
    TacWorld *world =
        run_text("<Node gravity='0 -10 0' dt='0.1'><Node name='a'>" SOLVER
                 "<MechanicalObject name='p' position='0 0 0'/><UniformMass/>"
                 "<Node name='b'><MechanicalObject name='q' position='1 2 3'/></Node></Node></Node>");
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 3, &error), TAC_OK);
    expect(at(world, "/a/b/q"), (const double[]){1, 2, 3}, 3);
    assert_true(at(world, "/a/p")[1] < -0.1);
    assert_int_equal(tac_sofa_state_count(world, false), 2);
    tac_world_destroy(world);
}

static void elements_are_chosen_by_template(void **state) {
    (void)state;
    static const char *const laws[] = {"HexahedronCorotationalFEMForceField",
                                       "CorotationalFEMForceField template='Vec3,Hexahedron'",
                                       "ElementCorotationalFEMForceField template='Vec3,Hexahedron'"};
    double sag[3];
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node gravity='0 -10 0' dt='0.02'><EulerImplicitIntegrationScheme/><CGLinearSolver/>"
            "<RegularGridTopology name='grid' n='2 2 6' min='0 0 0' max='1 1 5'/><MechanicalObject name='p'/>"
            "<UniformMass totalMass='1'/><BoxConstraint box='-1 -1 -0.1 2 2 0.1'/>"
            "<%s youngModulus='500' poissonRatio='0.3'/></Node>",
            laws[i]);
        TacWorld *world = run_text(text);
        TacError error;
        assert_int_equal(tac_world_advance_beats(world, 5, &error), TAC_OK);
        sag[i] = at(world, "/p")[3 * 23 + 1];
        assert_true(at(world, "/p")[1] == 0);
        tac_world_destroy(world);
    }
    assert_true(sag[0] < 0.99 && sag[0] == sag[1] && sag[0] == sag[2]);
}

// A ball joint at the origin of two frames; the second one hangs from it and swings, the place of the joint stays.
static void joints_are_read(void **state) {
    (void)state;
    TacWorld *world = run_text(
        "<Node gravity='0 -10 0' dt='0.01'>" SOLVER
        "<MechanicalObject template='Rigid3' name='f' position='0 0 0 0 "
        "0 0 1  0 0 0 0 0 0 1'/><UniformMass/><FixedProjectiveConstraint indices='0'/><JointSpringForceField "
        "spring='BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 0 0 1 KS_T 0 1e5 KS_R 0 1e5 KD 0.1 R_LIM_Z -1 1 "
        "END_SPRING'/>"
        "<ConstantForceField indices='1' forces='0 0 0 0.5 0.5 0.5'/></Node>");
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 30, &error), TAC_OK);
    const double *x = at(world, "/f") + 7;
    assert_true(tac_norm(tac_load3(x)) < 1e-3);
    // free about z, hard about x and y
    assert_true(x[5] > 1e-2 && fabs(x[3]) < 1e-4 && fabs(x[4]) < 1e-4);
    tac_world_destroy(world);
}

// --- masses and springs -----------------------------------------------------------------------------------

// Gravity of 1 on points at rest: what the mass weighs, by how much one spring of stiffness k gives way at once.
static void masses_are_lumped_by_volume(void **state) {
    (void)state;
    // one tetrahedron of volume 1/6 at density 12: half a kilogram at each corner; energy at 1 m is m g h
    TacWorld *world =
        run_text("<Node gravity='0 -1 0'><EulerExplicitSolver/>"
                 "<TetrahedronSetTopologyContainer position='0 1 0 1 1 0 0 2 0 0 1 1' "
                 "tetrahedra='0 1 2 3'/><MechanicalObject name='p'/><DiagonalMass massDensity='12'/>"
                 "</Node>");
    TacEnergy energy = tac_world_energy(world);
    assert_true(fabs(energy.weight - 0.5 * (1 + 1 + 2 + 1)) < 1e-12);
    tac_world_destroy(world);
    world = run_text("<Node gravity='0 -1 0'><EulerExplicitSolver/>"
                     "<EdgeSetTopologyContainer position='0 1 0 1 1 0 4 1 0' edges='0 1 1 2'/>"
                     "<MechanicalObject name='p'/><DiagonalMass totalMass='8'/></Node>");
    // edges of 1 m and 3 m: 1, 4 and 3 kg
    energy = tac_world_energy(world);
    assert_true(fabs(energy.weight - 8) < 1e-12);
    tac_world_destroy(world);
}

static void springs_of_a_mesh_are_divided_by_their_length(void **state) {
    (void)state;
    // a square of 2 m stretched to 3 m along x: 4 sides and 2 diagonals with k = 10 / length, each once
    TacWorld *world = run_text("<Node gravity='0 0 0'><EulerExplicitSolver/>"
                               "<MeshTopology quads='0 1 2 3'/><MechanicalObject name='p' "
                               "rest_position='0 0 0 2 0 0 2 2 0 0 2 0' position='0 0 0 3 0 0 3 2 0 0 2 0'/>"
                               "<UniformMass totalMass='1'/><MeshSpringForceField stiffness='10'/></Node>");
    double diagonal = sqrt(8), longer = sqrt(13) - diagonal;
    double wanted = 2 * 0.5 * (10 / 2.0) * 1 * 1 + 2 * 0.5 * (10 / diagonal) * longer * longer;
    assert_true(fabs(tac_world_energy(world).elastic - wanted) < 1e-12);
    tac_world_destroy(world);
}

static void springs_of_a_grid_cross_faces_and_cells(void **state) {
    (void)state;
    // a unit cube: 12 lines, 12 diagonals of faces, 4 of the cell; twice as large, each is longer by its length
    TacWorld *world = run_text("<Node gravity='0 0 0'><EulerExplicitSolver/>"
                               "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"
                               "<MechanicalObject name='p' scale='2'/><UniformMass totalMass='1'/>"
                               "<RegularGridSpringForceField stiffness='6' damping='0'/></Node>");
    double wanted = 0;
    const double lengths[] = {1, sqrt(2), sqrt(3)}, numbers[] = {12, 12, 4};
    for (int i = 0; i < 3; i++) wanted += numbers[i] * 0.5 * (6 / lengths[i]) * lengths[i] * lengths[i];
    assert_true(fabs(tac_world_energy(world).elastic - wanted) < 1e-12);
    tac_world_destroy(world);
}

static void rigid_masses_are_given_for_each_kilogram(void **state) {
    (void)state;
    TacWorld *world =
        run_text("<Node gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject template='Rigid3' "
                 "name='f' velocity='0 0 0 0 0 2'/><UniformMass vertexMass='3 1 [1 0 0,0 2 0,0 0 2.5]'/>"
                 "</Node>");
    // 1/2 m I omega^2
    assert_true(fabs(tac_world_energy(world).kinetic - 0.5 * 3 * 2.5 * 4) < 1e-12);
    tac_world_destroy(world);
}

static void visual_maps_need_nothing_and_mechanical_ones_carry(void **state) {
    (void)state;
    TacWorld *world =
        run_text("<Node gravity='0 0 0'>" SOLVER "<MechanicalObject template='Rigid3' name='f' dx='1'/>"
                 "<UniformMass totalMass='2'/><Node name='v'><OglModel name='m'/>"
                 "<RigidMapping input='@..' output='@m'/></Node>"
                 "<Node name='c'><MechanicalObject name='p' position='0 2 0'/><RigidMapping/></Node></Node>");
    expect(at(world, "/c/p"), (const double[]){1, 2, 0}, 3);
    assert_int_equal(tac_sofa_state_count(world, false), 1);
    assert_int_equal(tac_sofa_state_count(world, true), 2);
    assert_string_equal(tac_world_path(world, tac_sofa_state(world, true, 1)), "/c/p");
    tac_world_destroy(world);
}

// A line of 2 m drawn out to 3 m: springs on its length, on the square of it, and between two states.
static void distances_and_their_squares(void **state) {
    (void)state;
    static const struct {
        const char *map;
        double wanted;
    } cases[] = {{"DistanceMapping computeDistance='1'", 0.5 * 8 * 1},
                 {"DistanceMapping", 0.5 * 8 * 1},
                 {"SquareDistanceMapping", 0.5 * 8 * 25}};
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node gravity='0 0 0'>" SOLVER "<EdgeSetTopologyContainer name='t' edges='0 1'/>"
            "<MechanicalObject name='p' rest_position='0 0 0 2 0 0' position='0 0 0 3 0 0'/><UniformMass/>"
            "<Node name='n'><MechanicalObject name='d' template='Vec1'/><%s topology='@../t' input='@../p' "
            "output='@d' applyRestPosition='true'/><RestShapeSpringsForceField stiffness='8'/></Node></Node>",
            cases[i].map);
        TacWorld *world = run_text(text);
        double found = tac_world_energy(world).elastic;
        if (!(fabs(found - cases[i].wanted) < 1e-12)) fail_msg("%s: %g", cases[i].map, found);
        tac_world_destroy(world);
    }
    TacWorld *world = run_text(
        "<Node gravity='0 0 0'>" SOLVER "<Node name='a'><MechanicalObject name='p' position='9 9 9 0 0 0'/>"
        "<UniformMass/></Node><Node name='b'><MechanicalObject name='q' rest_position='2 0 0' position='3 0 "
        "0'/>"
        "<UniformMass/></Node><Node name='c'><MechanicalObject template='Vec1' "
        "name='d'/><EdgeSetTopologyContainer "
        "name='t' edges='0 1'/><DistanceMultiMapping topology='@t' input='@../a @../b' output='@d' "
        "indexPairs='0 1 1 0' applyRestPosition='true' computeDistance='true' geometricStiffness='0'/>"
        "<RestShapeSpringsForceField stiffness='8'/></Node></Node>");
    assert_true(fabs(tac_world_energy(world).elastic - 4) < 1e-12);
    assert_int_equal(tac_sofa_state_count(world, true), 2);
    tac_world_destroy(world);
    TacError error;
    TacScene *scene = parse(
        "<Node gravity='0 0 0'>" SOLVER "<MechanicalObject name='p' position='0 0 0 1 0 0'/><UniformMass/>"
        "<Node name='c'><MechanicalObject template='Vec1' name='d'/><EdgeSetTopologyContainer name='t' "
        "edges='0 1'/>"
        "<DistanceMultiMapping topology='@t' input='@../p' output='@d' indexPairs='0 1 1 0'/>"
        "<RestShapeSpringsForceField/></Node></Node>",
        TAC_BAD_INPUT, &error);
    assert_non_null(strstr(error.message, "names no state and point"));
    tac_scene_destroy(scene);
}

// From 0 to 1 m/s in a quarter of a second: SOFA goes on along that line, unless its clock shows the last key.
static void told_velocities_go_on_as_there(void **state) {
    (void)state;
    static const struct {
        const char *dt;
        double wanted;
    } cases[] = {{"0.1", 0.1 * 4 * (0 + 0.1 + 0.2 + 0.3 + 0.4)}, {"0.125", 0.125 * (0 + 0.5 + 1 + 1 + 1)}};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<Node gravity='0 -10 0' dt='%s'>" SOLVER "<MechanicalObject name='p' position='0 0 0'/>"
                 "<UniformMass/><LinearVelocityProjectiveConstraint indices='0' keyTimes='0 0.25' "
                 "velocities='0 0 0 1 "
                 "0 0' coordinates='0' continueAfterEnd='true'/></Node>",
                 cases[i].dt);
        TacWorld *world = run_text(text);
        TacError error;
        assert_int_equal(tac_world_advance_beats(world, 5, &error), TAC_OK);
        double x = at(world, "/p")[0];
        if (!(fabs(x - cases[i].wanted) < 1e-12)) fail_msg("%g, not %g", x, cases[i].wanted);
        assert_true(at(world, "/p")[1] < -0.1); // only x is told
        tac_world_destroy(world);
    }
}

// Frames turn along the chord: 2 atan(omega h / 2) in a step, and the angular velocity stays.
static void frames_turn_by_chords(void **state) {
    (void)state;
    TacWorld *world = run_text("<Node gravity='0 0 0' dt='0.5'><EulerExplicitSolver/><MechanicalObject "
                               "template='Rigid3' name='f' velocity='0 0 0 0 0 2'/><UniformMass/></Node>");
    TacError error;
    assert_int_equal(tac_world_advance_beats(world, 2, &error), TAC_OK);
    double half = 2 * atan(2 * 0.5 / 2);
    expect(at(world, "/f"), (const double[]){0, 0, 0, 0, 0, sin(half), cos(half)}, 7);
    const double *v = tac_world_velocities(world, tac_world_find(world, "/f"));
    expect(v, (const double[]){0, 0, 0, 0, 0, 2}, 6);
    tac_world_destroy(world);
}

// --- what is said -----------------------------------------------------------------------------------------

static void mistakes_are_named_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"<Node>\n  ~<MechanicalObjekt position='0 0 0'/></Node>", "did you mean \"MechanicalObject\""},
        {"<Node>\n  ~<GearSpringForceField/></Node>", "lacks GearSpringForceField"},
        {"<Node>" SOLVER "<MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
         "<UniformMass/><JointSpringForceField ~spring='BEGIN_SPRING 0 1 KS_Q 3 END_SPRING'/></Node>",
         "is no word of a joint"},
        {"<Node>" SOLVER "<MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
         "<UniformMass/><JointSpringForceField ~spring='BEGIN_SPRING 0 1 KS_T 3'/></Node>",
         "KS_T needs 2 numbers"},
        {"<Node>~<SparseGridTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2' n='5 5 5'/>"
         "<MechanicalObject/></Node>",
         "cannot be made"},
        {"<Node>" SOLVER "<MechanicalObject position='0 0 0  1 0 0'/><UniformMass/>"
         "~<PointProjectiveConstraint point='0 0 0' indices='1'/></Node>",
         "point 1 is not at 0 0 0"},
        {"<Node><MechanicalObject ~position='0 0 x'/></Node>", "expected a number"},
        {"<Node><MechanicalObject ~position='@../nowhere.position'/></Node>", "leads to nothing"},
        {"<Node><MeshObjLoader ~filename='none.obj'/><MechanicalObject src='@MeshObjLoader1'/></Node>",
         "was not found"},
        {"<Node>~<include href='none.xml'/></Node>", "was not found"},
        {"<Node><MechanicalObject ~template='Vec7' position='0'/></Node>", "lacks states of type"},
        {"<Node>" SOLVER "<MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/>"
         "~<SpringForceField spring='0 1 2'/></Node>",
         "5 for each spring"},
        {"<Node>~<RegularGridTopology n='100000 100000 100000'/><MechanicalObject/></Node>", "too large"},
        {"<Node><MeshTopology position='@b.position' name='a'/>~<MeshTopology position='@a.position' "
         "name='b'/>"
         "<MechanicalObject/></Node>",
         "depends on itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Marked m = marked(cases[i].text);
        TacError error;
        TacScene *scene = parse(m.text, TAC_BAD_INPUT, &error);
        if (!strstr(error.message, cases[i].part)) fail_msg("case %zu: %s", i, error.message);
        if (error.line != m.line || error.column != m.column)
            fail_msg("case %zu: %d:%d instead of %d:%d: %s", i, error.line, error.column, m.line, m.column,
                     error.message);
        tac_scene_destroy(scene);
        free(m.text);
    }
}

static void every_lack_is_listed(void **state) {
    (void)state;
    TacError error;
    TacScene *scene =
        parse("<Node><GearSpringForceField/><Foo/><SphereGridTopology/></Node>", TAC_BAD_INPUT, &error);
    assert_int_equal(tac_scene_message_count(scene), 3);
    tac_scene_destroy(scene);
}

static void unknown_attributes_and_repairs_are_remarks(void **state) {
    (void)state;
    TacError error;
    TacScene *scene = parse("<Node>" SOLVER "<MechanicalObject positon='1 2 3' name='p'/>"
                            "<UniformMass totalMass='1'/></Node>",
                            TAC_OK, &error);
    assert_true(has_message(scene, "did you mean \"position\"?"));
    tac_scene_destroy(scene);
    // no blank between attributes, a raw <: read all the same, and said
    scene = parse("<Node name='a<b'dt='0.5'/>", TAC_OK, &error);
    assert_true(tac_scene_message_count(scene) >= 1);
    tac_scene_destroy(scene);
}

static void contact_that_can_happen_is_said(void **state) {
    (void)state;
    static const char body[] = "<Node><MechanicalObject position='0 0 0'/><SphereCollisionModel %s/></Node>";
    char one[256], still[256], text[1024];
    snprintf(one, sizeof one, body, "");
    snprintf(still, sizeof still, body, "moving='0' simulated='0'");
    const struct {
        const char *first, *second;
        bool pipeline, said;
    } cases[] = {{one, one, true, true},
                 {one, one, false, false},
                 {one, "", true, false},
                 {one, still, true, true},
                 {still, still, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TacError error;
        snprintf(text, sizeof text, "<Node>%s%s%s</Node>", cases[i].pipeline ? "<CollisionPipeline/>" : "",
                 cases[i].first, cases[i].second);
        TacScene *scene = parse(text, TAC_OK, &error);
        if (has_message(scene, "lacks contact") != cases[i].said) fail_msg("case %zu", i);
        tac_scene_destroy(scene);
    }
}

// --- references -------------------------------------------------------------------------------------------

static TacStatus read_reference(const char *text, TacSofaReference **reference, TacError *error) {
    char path[] = "/tmp/tactus_reference_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    gzFile gz = gzdopen(file, "wb");
    assert_int_equal(gzwrite(gz, text, (unsigned)strlen(text)), (int)strlen(text));
    gzclose(gz);
    TacStatus status = tac_sofa_reference_read(reference, path, error);
    remove(path);
    return status;
}

static void references_are_read_and_measured(void **state) {
    (void)state;
    TacSofaReference *r;
    TacError error;
    assert_int_equal(read_reference("T= 0\n  X= 1 2 3\n  V= 0 0 0\nT= 0.5\n  X= 1 2 4\n", &r, &error),
                     TAC_OK);
    assert_int_equal(tac_sofa_reference_frame_count(r), 2);
    TacSofaFrame frame = tac_sofa_reference_frame(r, 1);
    assert_true(frame.time == 0.5 && frame.positions.count == 3 && frame.velocities.count == 0);
    // values are written with six digits first: the last one here is then the reference's
    double off = tac_sofa_difference((const double[]){1.5, 2, 4.0000001}, frame.positions);
    assert_true(fabs(off - 0.5 / 3) < 1e-15);
    tac_sofa_reference_destroy(r);
    static const char *const bad[] = {"", "X= 1\n", "T= x\n", "T= 0\n X= 1 b\n", "T= 1\nT= 0\n", "hello\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_reference(bad[i], &r, &error), TAC_BAD_INPUT);
}

// --- the table --------------------------------------------------------------------------------------------

static bool is_made(const TacSofaClass *cls) {
    return cls->ours && cls->role != TAC_SOFA_LACKING;
}

static void the_table_names_what_exists(void **state) {
    (void)state;
    TacScene *scene = empty_scene();
    for (size_t i = 0; i < tac_sofa_class_count; i++) {
        const TacSofaClass *cls = &tac_sofa_classes[i];
        for (size_t k = 0; k < i; k++)
            if (!strcmp(cls->name, tac_sofa_classes[k].name)) fail_msg("%s stands there twice", cls->name);
        if (!is_made(cls) || cls->role == TAC_SOFA_STATE) continue;
        const TacClass *ours = tac_scene_find_class(scene, cls->ours);
        if (!ours) {
            print_message("%s: no class %s here yet\n", cls->name, cls->ours);
            continue;
        }
        TacSofaWord word;
        for (const char *list = cls->attributes; tac_sofa_next_word(&list, &word);)
            if (!word.computed && tac_class_attribute(ours, word.ours) == TAC_NONE)
                fail_msg("%s.%s: %s has no %s", cls->name, word.sofa, cls->ours, word.ours);
    }
    tac_scene_destroy(scene);
}

static void write_names(FILE *out, TacSofaRole role) {
    const char *before = "";
    for (size_t i = 0; i < tac_sofa_class_count; i++)
        if (tac_sofa_classes[i].role == role) {
            fprintf(out, "%s%s", before, tac_sofa_classes[i].name);
            before = ", ";
        }
    fputs(".\n", out);
}

// The part of the page that is the table.
static char *page(void) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("| SOFA | here | attributes |\n|---|---|---|\n", out);
    for (size_t i = 0; i < tac_sofa_class_count; i++) {
        const TacSofaClass *cls = &tac_sofa_classes[i];
        if (!is_made(cls)) continue;
        fprintf(out, "| %s | %s |", cls->name, cls->ours);
        TacSofaWord word;
        const char *before = " ";
        for (const char *list = cls->attributes; tac_sofa_next_word(&list, &word); before = ", ") {
            fprintf(out, "%s%s", before, word.sofa);
            if (strcmp(word.sofa, word.ours)) fprintf(out, " → %s", word.ours);
            if (*word.initial) fprintf(out, " (%s)", word.initial);
        }
        fputs(" |\n", out);
    }
    fputs("\n### Computed while reading\n\nPoints and elements of loaders: ", out);
    write_names(out, TAC_SOFA_MESH);
    fputs("\nTopologies, which become a Mesh: ", out);
    write_names(out, TAC_SOFA_TOPOLOGY);
    fputs("\nTopological mappings, which fill them: ", out);
    write_names(out, TAC_SOFA_MAPPING);
    fputs("\nSelections, which become lists of points: ", out);
    write_names(out, TAC_SOFA_REGION);
    fputs("\n### Collisions\n\nLook for contacts: ", out);
    write_names(out, TAC_SOFA_PIPELINE);
    fputs("\nCollision models: ", out);
    write_names(out, TAC_SOFA_COLLIDER);
    fputs("\n### Without a part in the motion\n\n", out);
    write_names(out, TAC_SOFA_NOTHING);
    fputs("\n### Lacking\n\n| SOFA | why, or what instead |\n|---|---|\n", out);
    for (size_t i = 0; i < tac_sofa_class_count; i++)
        if (tac_sofa_classes[i].role == TAC_SOFA_LACKING)
            fprintf(out, "| %s | %s |\n", tac_sofa_classes[i].name, tac_sofa_classes[i].ours);
    fclose(out);
    return text;
}

static void the_page_is_the_table(void **state) {
    (void)state;
    static const char mark[] = "<!-- the table: written by tests/sofa_test.c -->\n";
    const char *source = getenv("TACTUS_SOURCE");
    char path[1024];
    snprintf(path, sizeof path, "%s/docs/coming-from-sofa.md", source ? source : ".");
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    static char stored[200000];
    size_t n = fread(stored, 1, sizeof stored - 1, file);
    fclose(file);
    stored[n] = 0;
    char *begin = strstr(stored, mark), *wanted = page();
    if (!begin) fail_msg("%s has no mark where the table begins", path);
    begin += strlen(mark);
    if (getenv("TACTUS_REFRESH")) {
        *begin = 0;
        file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%s%s", stored, wanted);
        fclose(file);
    } else if (strcmp(begin, wanted)) {
        fail_msg("%s is not what the table says; refresh it with\n    TACTUS_REFRESH=1 sofa_test", path);
    }
    free(wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_roots_gravity_and_dt_count),
        cmocka_unit_test(a_gravity_component_holds_locally),
        cmocka_unit_test(objects_by_type_and_odd_names),
        cmocka_unit_test(default_names_count_by_class),
        cmocka_unit_test(includes_groups_merges_and_macros),
        cmocka_unit_test(a_state_takes_the_first_topology_and_is_placed),
        cmocka_unit_test(frames_turn_with_their_state),
        cmocka_unit_test(hexahedra_are_cut_into_six_that_fill_them),
        cmocka_unit_test(boxes_choose_points_and_constraints_hold_them),
        cmocka_unit_test(boxes_may_lie_anyhow),
        cmocka_unit_test(links_go_back_by_number_and_through_src),
        cmocka_unit_test(sparse_grids_hold_what_a_surface_crosses_and_encloses),
        cmocka_unit_test(cells_are_as_heavy_as_they_are_full),
        cmocka_unit_test(points_are_made_from_elements_and_moved),
        cmocka_unit_test(surfaces_are_loaded_and_projections_hold),
        cmocka_unit_test(what_nothing_moves_stays),
        cmocka_unit_test(elements_are_chosen_by_template),
        cmocka_unit_test(joints_are_read),
        cmocka_unit_test(distances_and_their_squares),
        cmocka_unit_test(told_velocities_go_on_as_there),
        cmocka_unit_test(frames_turn_by_chords),
        cmocka_unit_test(masses_are_lumped_by_volume),
        cmocka_unit_test(springs_of_a_mesh_are_divided_by_their_length),
        cmocka_unit_test(springs_of_a_grid_cross_faces_and_cells),
        cmocka_unit_test(rigid_masses_are_given_for_each_kilogram),
        cmocka_unit_test(visual_maps_need_nothing_and_mechanical_ones_carry),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(every_lack_is_listed),
        cmocka_unit_test(unknown_attributes_and_repairs_are_remarks),
        cmocka_unit_test(contact_that_can_happen_is_said),
        cmocka_unit_test(references_are_read_and_measured),
        cmocka_unit_test(the_table_names_what_exists),
        cmocka_unit_test(the_page_is_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
