// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Motion of masses under liaisons and Lennard-Jones laws against closed forms: two bodies, the modes of a
// chain, Kepler's ellipses, energy over a million steps; and against LAMMPS, where that is installed.

#define _GNU_SOURCE
#include "scene_checks.h"

#include <math.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

static void advance(TacWorld *world, int64_t beats) {
    TacError error = {0};
    if (tac_world_advance_beats(world, beats, &error) != TAC_OK) fail_msg("%s", error.message);
}

static const double *positions(TacWorld *world) {
    return tac_world_positions(world, tac_world_find(world, "/n/points"));
}

// --- two bodies -------------------------------------------------------------------------------------------

// Masses of 1 and 3 kg on a spring of 48 N/m: omega^2 = k (1/m1 + 1/m2) = 64. The first kick is a whole one:
// half of it belongs before the start, where the spring is at rest and does not kick.
static void test_two_bodies(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.0005' gravity='0 0 0'><node name='n'><SymplecticEuler/><Points "
                 "name='points' positions='0 0 0 0.5 0 0' velocities='-0.3 0 0 0.1 0 0'/><DiagonalMass "
                 "masses='1 3'/><Liaisons slopes='-48' thresholds='0' zero='0.5'/></node></tactus>");
    for (int i = 1; i <= 20; i++) {
        advance(world, 173);
        const double *x = positions(world);
        double t = 173 * 0.0005 * i;
        assert_true(fabs(x[3] - x[0] - 0.5 - 0.4 / 8 * sin(8 * t)) < 1e-5);
        // the common centre does not move
        assert_true(fabs(x[0] + 3 * x[3] - 1.5) < 1e-12);
    }
    tac_world_destroy(world);
}

// --- a chain ----------------------------------------------------------------------------------------------

// N masses between two walls, on a line, tied by liaisons of stiffness k: mode j swings with
// omega = 2 sqrt(k/m) sin(j pi / (2 (N + 1))), and keeps its shape.
static void test_chain_modes(void **state) {
    (void)state;
    enum { N = 7 };
    const double k = 100, m = 0.5, h = 1e-4, size = 1e-3;
    for (int mode = 1; mode <= N; mode += 2) {
        char text[8192], *to = text, *end = text + sizeof text;
        to += snprintf(to, (size_t)(end - to),
                       "<tactus version='1' dt='%g' gravity='0 0 0'><node name='n'>"
                       "<SymplecticEuler/><Points name='points' dimension='1' positions='",
                       h);
        for (int i = 0; i <= N + 1; i++)
            to += snprintf(to, (size_t)(end - to), "%.17g ", i + size * sin(mode * PI * i / (N + 1)));
        to += snprintf(to, (size_t)(end - to), "'/><UniformMass mass='%g'/><FixedPoints points='0 %d'/>", m,
                       N + 1);
        for (int i = 0; i <= N; i++)
            to += snprintf(to, (size_t)(end - to),
                           "<Liaisons name='l%d' points='%d' others='%d' slopes='%g' "
                           "thresholds='0' zero='1'/>",
                           i, i, i + 1, -k);
        snprintf(to, (size_t)(end - to), "</node></tactus>");
        TacWorld *world = world_of(text);
        double omega = 2 * sqrt(k / m) * sin(mode * PI / (2.0 * (N + 1)));
        for (int turn = 1; turn < 5; turn++) {
            int64_t beats = 3000;
            advance(world, beats);
            double t = (double)(beats * turn) * h;
            const double *x = positions(world);
            for (int i = 1; i <= N; i++) {
                // at the start the whole kick is half a kick too much: a phase of half a step
                double expected =
                    size * sin(mode * PI * i / (N + 1)) * cos(omega * (t + 0.5 * h)) / cos(0.5 * omega * h);
                assert_true(fabs(x[i] - i - expected) < 2e-3 * size);
            }
        }
        tac_world_destroy(world);
    }
}

// --- ellipses ---------------------------------------------------------------------------------------------

// V_1 = D ((S/d)^2 - 2 S/d) is Kepler's attraction with a repulsion that only makes ellipses turn: with L the
// angular momentum, 1/r = (1 + e cos(g phi)) / p, g^2 = 1 + 2 m D S^2 / L^2, p = g^2 L^2 / (2 m D S). For
// small S at the same D S it is Kepler's law itself, and g is 1.
static void check_orbit(double depth, double s) {
    const double r0 = 1, v0 = 1.2, h = 2e-4;
    double momentum = r0 * v0, g = sqrt(1 + 2 * depth * s * s / (momentum * momentum));
    double p = g * g * momentum * momentum / (2 * depth * s), e = p / r0 - 1;
    // half a kick before the start
    double a = 2 * depth * (s * s / (r0 * r0 * r0) - s / (r0 * r0));
    char text[2048];
    snprintf(
        text, sizeof text,
        "<tactus version='1' dt='%g' gravity='0 0 0'><node name='n'><SymplecticEuler/><Points name='points' "
        "positions='0 0 0 %g 0 0' velocities='0 0 0 %.17g %g 0'/><UniformMass/><FixedPoints points='0'/>"
        "<LennardJones depth='%.17g' distance='%.17g' attraction='1' repulsion='2' "
        "cutoff='1e6'/></node></tactus>",
        h, r0, -0.5 * h * a, v0, depth, s);
    TacWorld *world = world_of(text);
    double phi = 0, before = 0, nearest = r0, farthest = r0;
    for (int i = 0; i < 2200; i++) {
        advance(world, 100);
        const double *x = positions(world);
        double angle = atan2(x[4], x[3]), r = hypot(x[3], x[4]);
        phi += remainder(angle - before, 2 * PI);
        before = angle;
        nearest = fmin(nearest, r);
        farthest = fmax(farthest, r);
        assert_true(fabs(1 / r - (1 + e * cos(g * phi)) / p) < 1e-5);
        assert_true(x[5] == 0);
    }
    assert_true(phi > 2 * PI);
    assert_true(fabs(farthest / (p / (1 - e)) - 1) < 1e-3 && fabs(nearest / r0 - 1) < 1e-6);
    tac_world_destroy(world);
}

static void test_kepler(void **state) {
    (void)state;
    check_orbit(0.5e4, 1e-4); // 1 / r, with a G M of 1
    check_orbit(2, 0.25);
}

// --- energy -----------------------------------------------------------------------------------------------

static void check_drift(const char *text, int64_t beats) {
    TacWorld *world = world_of(text);
    double first = 0, last = 0, scale = tac_world_energy(world).kinetic;
    enum { PIECES = 200, ENDS = 20 };
    for (int i = 0; i < PIECES; i++) {
        advance(world, beats / PIECES);
        TacEnergy energy = tac_world_energy(world);
        scale = fmax(scale, energy.kinetic);
        if (i < ENDS) first += energy.total / ENDS;
        if (i >= PIECES - ENDS) last += energy.total / ENDS;
    }
    if (!(fabs(last - first) < 1e-3 * scale)) fail_msg("%g to %g, of %g", first, last, scale);
    tac_world_destroy(world);
}

// Four balls on springs that swing and turn; four atoms, bound; a sticky pair of three pieces that bounces
// for ever.
static void test_energy_does_not_drift(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    const int64_t beats = 100000;
#else
    const int64_t beats = 1000000;
#endif
    check_drift(
        "<tactus version='1' dt='0.001' gravity='0 0 0'><node name='n'><SymplecticEuler/><Points "
        "positions='0 0 0 0.06 0 0 0 0.05 0 0 0.01 0.04' velocities='0.1 0 0 0 0.1 0 0 0 0.1 -0.1 0 0'/>"
        "<UniformMass mass='0.01'/><Liaisons slopes='-1' thresholds='0' zero='0.05'/></node></tactus>",
        beats);
    check_drift("<tactus version='1' dt='0.002' gravity='0 0 0'><node name='n'><SymplecticEuler/><Points "
                "positions='0 0 0 1.05 0 0 0.5 0.9 0 0.5 0.3 0.8' velocities='0.1 0 0.2 0 0.1 0 -0.1 0 0.1 "
                "-0.1 0 0'/>"
                "<UniformMass/><LennardJones cutoff='100'/></node></tactus>",
                beats);
    check_drift("<tactus version='1' dt='0.0005' gravity='0 0 0'><node name='n'><SymplecticEuler/><Points "
                "positions='0 0 0 1.2 0 0' velocities='0 0.3 0 0 -0.3 0'/>"
                "<UniformMass/><Liaisons fit='lennard-jones'/></node></tactus>",
                beats);
}

// --- LAMMPS -----------------------------------------------------------------------------------------------

enum { CELLS = 5, ATOMS = 4 * CELLS * CELLS * CELLS, STEPS = 1000 };

typedef struct Melt {
    double side, x[3 * ATOMS], v[3 * ATOMS];
} Melt;

static void make_melt(Melt *melt) {
    static const double within[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    double edge = cbrt(4 / 0.8442);
    melt->side = CELLS * edge;
    for (size_t i = 0; i < ATOMS; i++) {
        const size_t cell[3] = {i / 4 % CELLS, i / 4 / CELLS % CELLS, i / 4 / CELLS / CELLS};
        for (size_t k = 0; k < 3; k++) {
            melt->x[3 * i + k] = edge * ((double)cell[k] + within[i % 4][k]);
            melt->v[3 * i + k] = 1.5 * sin(12.9898 * (double)(3 * i + k) + 0.3 * (double)(i * i % 97));
        }
    }
}

static void run_ours(const Melt *melt, double *end) {
    char text[1024];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.005' gravity='0 0 0'><node name='n'><SymplecticEuler/><Grid "
             "counts='%d %d %d'/>"
             "<Points name='points'/><UniformMass/><LennardJones distance='%.17g' cutoff='2.5' box='%.17g "
             "%.17g %.17g'/>"
             "</node></tactus>",
             CELLS, 2 * CELLS, 2 * CELLS, pow(2, 1.0 / 6), melt->side, melt->side, melt->side);
    TacWorld *world = world_of(text);
    TacError error = {0};
    assert_int_equal(tac_world_set_state(world, tac_world_find(world, "/n/points"), melt->x, melt->v, &error),
                     TAC_OK);
    advance(world, STEPS);
    memcpy(end, positions(world), 3 * ATOMS * sizeof *end);
    tac_world_destroy(world);
}

static void write_lammps(const Melt *melt, const char *folder) {
    char path[256];
    snprintf(path, sizeof path, "%s/data", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "melt\n\n%d atoms\n1 atom types\n\n", ATOMS);
    for (int k = 0; k < 3; k++) fprintf(file, "0 %.17g %clo %chi\n", melt->side, 'x' + k, 'x' + k);
    fprintf(file, "\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n");
    for (int i = 0; i < ATOMS; i++)
        fprintf(file, "%d 1 %.17g %.17g %.17g\n", i + 1, melt->x[3 * i], melt->x[3 * i + 1],
                melt->x[3 * i + 2]);
    fprintf(file, "\nVelocities\n\n");
    for (int i = 0; i < ATOMS; i++)
        fprintf(file, "%d %.17g %.17g %.17g\n", i + 1, melt->v[3 * i], melt->v[3 * i + 1],
                melt->v[3 * i + 2]);
    assert_int_equal(fclose(file), 0);
    snprintf(path, sizeof path, "%s/in", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "units lj\natom_style atomic\nread_data %s/data\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\n"
        "neighbor 0.3 bin\nneigh_modify delay 0 every 1 check yes\nfix 1 all nve\ntimestep 0.005\n"
        "dump 1 all custom %d %s/end id xu yu zu\ndump_modify 1 sort id format float %%.17g\nrun %d\n",
        folder, STEPS, folder, STEPS);
    assert_int_equal(fclose(file), 0);
}

// The same 1,000 steps: rounding grows some thousandfold on the way, everything else is the same. The atoms
// start on their lattice, where no force acts: so half a first kick, as LAMMPS does it, and a whole one are
// the same.
static void test_lammps(void **state) {
    (void)state;
    if (system("command -v lmp >/dev/null 2>&1") != 0) skip();
    static Melt melt;
    static double ours[3 * ATOMS];
    make_melt(&melt);
    run_ours(&melt, ours);
    char folder[] = "/tmp/tactus-lammps-XXXXXX", command[512], line[512];
    assert_non_null(mkdtemp(folder));
    write_lammps(&melt, folder);
    snprintf(command, sizeof command, "OMP_NUM_THREADS=1 lmp -in %s/in -log none >/dev/null 2>&1", folder);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/end", folder);
    FILE *file = fopen(command, "r");
    assert_non_null(file);
    int frame = 0, read = 0;
    double most = 0, moved = 0;
    while (fgets(line, sizeof line, file)) {
        int id;
        double x[3];
        frame += strncmp(line, "ITEM: ATOMS", 11) == 0;
        if (frame < 2 || sscanf(line, "%d %lf %lf %lf", &id, &x[0], &x[1], &x[2]) != 4) continue;
        for (int k = 0; k < 3; k++) {
            double d = ours[3 * (id - 1) + k] - x[k];
            most = fmax(most, fabs(d - melt.side * round(d / melt.side)));
            moved = fmax(moved, fabs(x[k] - melt.x[3 * (id - 1) + k]));
        }
        read++;
    }
    fclose(file);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(read, ATOMS);
    assert_true(moved > 0.4);
    if (!(most < 1e-8)) fail_msg("off by %g", most);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_bodies), cmocka_unit_test(test_chain_modes),
        cmocka_unit_test(test_kepler),     cmocka_unit_test(test_energy_does_not_drift),
        cmocka_unit_test(test_lammps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
