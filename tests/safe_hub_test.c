// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Where many edges or faces lie in one place, many pairs push at once: tips of fans that meet, meshes with edges shorter than the
// thickness. Together they must not be too stiff for their clocks (src/contact/safe_hub.c): nothing leaves with more energy than
// it came with.

#define _GNU_SOURCE
#include "base/memory.h"
#include "world_fixture.h"

// What hits comes down on what lies below, 2 mm thick, at 10 m/s; `solver` and `laws` are those of what comes down.
typedef struct Hit {
    const char *name, *solver, *laws;
    int upper, lower; // sides of the fans
    double e;
    double fine;   // m: length of edges of a grid that is below instead; 0: there is none
    bool wires;    // edges without faces
    bool body;     // what comes down is one
    bool free;     // what lies below can move, too
    bool tip_only; // of what comes down only the tip moves
} Hit;

static const double THICKNESS = 0.002, SPEED = 10;

static void write_fan(FILE *to, int sides, double tip, double rise, bool wires) {
    fprintf(to, "<Mesh at='0 %.17g 0", tip);
    for (int i = 0; i < sides; i++) {
        double turn = 2 * M_PI * i / sides + (rise > 0 ? 0.013 : 0);
        fprintf(to, "  %.17g %.17g %.17g", 0.1 * cos(turn), tip + rise, 0.1 * sin(turn));
    }
    fprintf(to, "' %s='", wires ? "with_edges" : "with_triangles");
    for (int i = 0; i < sides; i++) {
        if (wires) fprintf(to, "0 %d  ", i + 1);
        if (!wires) fprintf(to, "0 %d %d  ", i + 1, (i + 1) % sides + 1);
    }
    fprintf(to, "'/>");
}

// A little bent, so that it is no plane.
static void write_grid(FILE *to, double length) {
    enum { SIDE = 17 };
    fprintf(to, "<Mesh at='");
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = length * (i / SIDE - 0.5 * SIDE + 0.8), z = length * (i % SIDE - 0.5 * SIDE + 0.7);
        fprintf(to, "%.17g %.17g %.17g  ", x, -x * x - z * z, z);
    }
    fprintf(to, "' with_triangles='");
    for (int i = 0; i + SIDE < SIDE * SIDE; i++)
        if (i % SIDE < SIDE - 1)
            fprintf(to, "%d %d %d  %d %d %d  ", i, i + SIDE, i + SIDE + 1, i, i + SIDE + 1, i + 1);
    fprintf(to, "'/>");
}

static void write_lower(FILE *to, const Hit *h) {
    fprintf(to, "<node name='lower'>");
    if (h->fine > 0)
        write_grid(to, h->fine);
    else
        write_fan(to, h->lower, 0, -0.05, h->wires);
    fprintf(to, "<Points/>%s<Skin/></node>", h->free ? "<UniformMass total='0.02'/>" : "");
}

static void write_velocities(FILE *to, const Hit *h) {
    fprintf(to, "0 %.17g 0", -SPEED);
    for (int i = 0; h->tip_only && i < h->upper; i++) fprintf(to, "  0 0 0");
}

static void write_upper(FILE *to, const Hit *h) {
    if (h->body) {
        fprintf(to,
                "<node name='upper'><Frames positions='0 0 0 0 0 0 1' velocities='0 %.17g 0 0 0 0'/>"
                "<UniformMass mass='0.02' inertia='1e-4 1e-4 1e-4'/><node name='skin'>",
                -SPEED);
        write_fan(to, h->upper, 1.5 * THICKNESS, 0.05, h->wires);
        fprintf(to, "<Points/><RigidMap/><Skin/></node></node>");
        return;
    }
    fprintf(to, "<node name='upper'>%s", h->solver ? h->solver : "");
    write_fan(to, h->upper, 1.5 * THICKNESS, 0.05, h->wires);
    fprintf(to, "<Points velocities='");
    write_velocities(to, h);
    fprintf(to, "'/><UniformMass total='0.02'/>%s<Skin/></node>", h->laws ? h->laws : "");
}

static TacWorld *make_hit(const Hit *h, int threads, const char *way) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    assert_non_null(to);
    fprintf(to,
            "<tactus version='1' dt='0.00004' gravity='0 0 0'><Contact thickness='%.17g' friction='0' "
            "restitution='%.17g' %s/>",
            THICKNESS, h->e, way);
    write_lower(to, h);
    write_upper(to, h);
    fprintf(to, "</tactus>");
    assert_int_equal(fclose(to), 0);
    TacWorld *world = world_on(threads, text);
    free(text);
    return world;
}

// Energy stays below `most` of what it was, and ends above `least` of it.
static void expect_energy(const Hit *h, int beats_to_go, double most, double least) {
    TacWorld *world = make_hit(h, 1, "");
    double start = tac_world_energy(world).total, now = start;
    for (int i = 0; i < beats_to_go; i++) {
        beats(world, 1);
        now = tac_world_energy(world).total;
        if (!(now < most * start))
            fail_msg("%s, %d and %d sides, e = %g: %g times its energy", h->name, h->upper, h->lower, h->e,
                     now / start);
    }
    if (!(now > least * start))
        fail_msg("%s, %d and %d sides, e = %g: %g times its energy is left", h->name, h->upper, h->lower,
                 h->e, now / start);
    tac_world_destroy(world);
}

// --- energy -------------------------------------------------------------------------------------------------

static void test_tips_of_fans_leave_no_faster_than_they_came(void **state) {
    (void)state;
    static const int sides[] = {12, 40, 100};
    for (size_t i = 0; i < TAC_COUNT(sides); i++)
        for (int j = 0; j < 3; j++) {
            Hit h = {.name = "points", .upper = sides[i], .lower = sides[i], .e = 0.5 * j};
            expect_energy(&h, 40, 1.01, 0);
            h.wires = true;
            expect_energy(&h, 40, 1.01, 0);
        }
}

// All of the energy is in the tip, and all of it is left after an elastic hit. In the midst of it, it is read less well.
static void test_a_tip_alone_keeps_its_energy(void **state) {
    (void)state;
    static const int sides[] = {12, 40, 100};
    for (size_t i = 0; i < TAC_COUNT(sides); i++) {
        Hit h = {.name = "a tip", .upper = sides[i], .lower = sides[i], .e = 1, .tip_only = true};
        expect_energy(&h, 40, 1.03, 0.98);
        h.e = 0.5;
        expect_energy(&h, 40, 1.03, 0.2);
        h.lower = 3;
        h.free = true;
        expect_energy(&h, 40, 1.03, 0.2);
    }
}

static void test_bodies_with_tips_keep_their_energy(void **state) {
    (void)state;
    for (int sides = 16; sides <= 64; sides *= 2) {
        Hit h = {.name = "a body", .upper = sides, .lower = sides, .e = 1, .body = true};
        expect_energy(&h, 50, 1.02, 0.98);
        h.e = 0.5;
        expect_energy(&h, 50, 1.02, 0.2);
    }
}

static void test_tips_that_solvers_move_gain_nothing(void **state) {
    (void)state;
    static const char *const laws = "<Springs stiffness='200'/>";
    static const char *const solvers[] = {"", "<SymplecticEuler step='0.00002'/>",
                                          "<ImplicitEuler step='0.0002'/><SparseDirect/>"};
    for (size_t i = 0; i < TAC_COUNT(solvers); i++)
        for (double e = 0.3; e < 1.1; e += 0.7) {
            Hit h = {
                .name = solvers[i], .solver = solvers[i], .laws = laws, .upper = 40, .lower = 40, .e = e};
            expect_energy(&h, 150, 1.02, 0);
        }
}

// Its edges are an eighth of the thickness, and more.
static void test_fine_meshes_are_as_good_as_coarse_ones(void **state) {
    (void)state;
    for (double fine = 0.125; fine < 0.6; fine *= 2)
        for (double e = 0.5; e <= 1; e += 0.5) {
            Hit h = {.name = "a fine mesh", .upper = 6, .e = e, .fine = fine * THICKNESS, .tip_only = true};
            expect_energy(&h, 40, 1.04, 0.15);
        }
}

// Ends below its energy, and above `least` of it, after 4 ms.
static void expect_mapped(const char *mesh, double e, double least) {
    TacWorld *world = make_world(
        "<tactus version='1' dt='0.0001' gravity='0 0 0'><Contact thickness='0.002' friction='0' "
        "restitution='%g'/><node name='lower'><Cylinder sides='48' radius='0.1' top_radius='0' "
        "height='0.1' translation='0 -0.05 0'/><Points/><Skin/></node><node name='floor'><Sheet "
        "divisions='1' width='0.2' depth='0.2' translation='0.3 0 0'/><Points/><Skin/></node><node "
        "name='upper'><SymplecticEuler step='0.00001'/><Grid counts='2 2 2' low='-0.06 0.003 -0.06' "
        "high='0.06 0.05 0.06' split='true' translation='%g 0 0'/><Points velocities='0 -10 0'/>"
        "<UniformMass total='0.02'/><Tetrahedra young='20000' poisson='0.3'/><node name='skin'>%s<Points/>"
        "<BarycentricMap/><Skin/></node></node></tactus>",
        e, strncmp(mesh, "<Sheet", 6) ? 0 : 0.3, mesh);
    double start = tac_world_energy(world).total;
    beats(world, 40);
    double part = tac_world_energy(world).total / start;
    if (!(part < 1.02 && part > least)) fail_msg("%s, e = %g: %g times its energy", mesh, e, part);
    tac_world_destroy(world);
}

// A tip that few points carry, and a fine skin of which all comes down flat.
static void test_what_few_points_carry_gains_nothing(void **state) {
    (void)state;
    static const char *const meshes[] = {
        "<Cylinder sides='48' radius='0.04' top_radius='0' height='0.03' rotation='180 0 0' "
        "translation='0 0.018 0'/>",
        "<Sheet divisions='40' width='0.1' depth='0.1' translation='0.3 0.004 0'/>"};
    for (size_t i = 0; i < TAC_COUNT(meshes); i++) {
        expect_mapped(meshes[i], 1, 0.97);
        expect_mapped(meshes[i], 0.5, 0.2);
    }
}

// --- the same bits ------------------------------------------------------------------------------------------

static const Hit MANY = {.name = "points", .upper = 24, .lower = 24, .e = 0.5, .free = true};

static void test_the_same_bits_whoever_looks(void **state) {
    (void)state;
    static const char *const ways[] = {"vagueness='0'", "vagueness='10'", "cone='true' k='26'",
                                       "tree='front'", "cull='false'"};
    uint64_t expected = hash_after(make_hit(&MANY, 1, ""), 0.0016);
    for (size_t i = 0; i < TAC_COUNT(ways); i++)
        assert_int_equal(hash_after(make_hit(&MANY, 1, ways[i]), 0.0016), expected);
    assert_int_equal(hash_after(make_hit(&MANY, 3, ""), 0.0016), expected);
}

static void test_a_hit_goes_on_after_a_resume(void **state) {
    (void)state;
    uint64_t expected = hash_after(make_hit(&MANY, 1, ""), 0.0016);
    for (int i = 1; i <= 4; i++)
        assert_int_equal(
            hash_resumed(make_hit(&MANY, 1, ""), make_hit(&MANY, 1, ""), 0.00012 * i, 0.0016 - 0.00012 * i),
            expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tips_of_fans_leave_no_faster_than_they_came),
        cmocka_unit_test(test_a_tip_alone_keeps_its_energy),
        cmocka_unit_test(test_bodies_with_tips_keep_their_energy),
        cmocka_unit_test(test_tips_that_solvers_move_gain_nothing),
        cmocka_unit_test(test_fine_meshes_are_as_good_as_coarse_ones),
        cmocka_unit_test(test_what_few_points_carry_gains_nothing),
        cmocka_unit_test(test_the_same_bits_whoever_looks),
        cmocka_unit_test(test_a_hit_goes_on_after_a_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
