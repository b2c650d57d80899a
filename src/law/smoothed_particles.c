// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SmoothedParticles: a fluid of particles (Mueller, Charypar and Gross 2003; Becker and Teschner 2007; the
// numbers are those of SOFA's SPHFluidForceField). With W a kernel that vanishes at the radius h:
//
//     density     rho_i = m sum W(r)                           over all particles near i, and i itself
//     pressure    p_i = k (rho_i - rho_0)
//                 f_i -= m^2 (p_i / rho_i^2 + p_j / rho_j^2) grad W
//     viscosity   laplacian: f_i += mu m^2 / (rho_i rho_j) (v_j - v_i) lap W
//                 artificial: where two approach, f_i += m mu h (v.x) / (((r/h)^2 + h^2 / 100) rho) grad W,
//                 with rho their mean density; SOFA's own variant of Monaghan's
//     tension     n = sum m / rho_j grad W, c the same with lap W:  f_i -= m / rho_i sigma c n / |n|
//                 (Mueller's; SOFA's n depends on how particles are numbered, and is not followed)
//
// Kernels: `mueller` has one each for density, pressure and viscosity; `cubic` is one spline for everything,
// and then pressure is the exact gradient of the energy sum m k (ln (rho/rho_0) + rho_0/rho - 1). Implicit
// solvers treat all of it explicitly. Every particle sums over its own neighbours, in an order that positions
// alone decide; what two of them do to each other is opposite to the last bit.

#include "base/memory.h"
#include "law/laws.h"
#include "law/neighbours.h"

enum { GRAIN = 128 };

// Normals of the colour field shorter than this, in radii, say nothing of a surface.
static const double LEAST_NORMAL = 0.01;

typedef enum Kernel { MUELLER, CUBIC } Kernel;
typedef enum Viscosity { NO_VISCOSITY, LAPLACIAN, ARTIFICIAL } Viscosity;

typedef struct SmoothedParticles {
    TacLaw law;
    double radius, mass, density, pressure, viscosity, tension;
    int kernel, viscosity_type; // Kernel, Viscosity
    TacNeighbours grid;
    double *rho;     // by particle
    double *surface; // n and c, 4 numbers by particle
} SmoothedParticles;

// --- kernels ----------------------------------------------------------------------------------------------

// Functions of q = r / h; gradients are the factor of the vector between the two particles.
static double spline(double q) {
    double s = 1 - q;
    return q < 0.5 ? 1.0 / 6 - q * q + q * q * q : s * s * s / 3;
}

static double spline_gradient(double q) {
    double s = 1 - q;
    return q < 0.5 ? 3 * q - 2 : -s * s / q;
}

static double spline_laplacian(double q) {
    return q < 0.5 ? 12 * q - 6 : 6 - 4 * q - 2 / q;
}

static double spline_constant(double h) {
    return 48 / TAC_PI / (h * h * h);
}

static double density_kernel(const SmoothedParticles *self, double q) {
    double h = self->radius, a = 1 - q * q;
    if (self->kernel == CUBIC) return spline_constant(h) * spline(q);
    return 315 / (64 * TAC_PI * h * h * h) * a * a * a;
}

static double pressure_gradient(const SmoothedParticles *self, double q) {
    double h = self->radius, a = 1 - q;
    if (self->kernel == CUBIC) return spline_constant(h) / (h * h) * spline_gradient(q);
    return q > 0 ? -45 / (TAC_PI * h * h * h * h * h) * a * a / q : 0;
}

static double viscosity_laplacian(const SmoothedParticles *self, double q) {
    double h = self->radius;
    if (self->kernel == CUBIC) return spline_constant(h) / (h * h) * spline_laplacian(q);
    return 45 / (TAC_PI * h * h * h * h * h) * (1 - q);
}

static double surface_gradient(const SmoothedParticles *self, double q) {
    double h = self->radius, a = 1 - q * q;
    if (self->kernel == CUBIC) return pressure_gradient(self, q);
    return -6 * 315 / (64 * TAC_PI * h * h * h * h * h) * a * a;
}

static double surface_laplacian(const SmoothedParticles *self, double q) {
    double h = self->radius;
    if (self->kernel == CUBIC) return viscosity_laplacian(self, q);
    return -6 * 315 / (64 * TAC_PI * h * h * h * h * h) * (1 - q * q) * (3 - 7 * q * q);
}

// --- one particle -----------------------------------------------------------------------------------------

typedef struct Call {
    SmoothedParticles *self;
    const TacLawVectors *vectors;
    size_t particle;
    double sum[4];
} Call;

static void add_density(void *data, const TacNeighbour *other, const double d[3], double square) {
    (void)other;
    (void)d;
    Call *c = data;
    c->sum[0] += density_kernel(c->self, sqrt(square) / c->self->radius);
}

static void add_surface(void *data, const TacNeighbour *other, const double d[3], double square) {
    Call *c = data;
    const SmoothedParticles *self = c->self;
    double q = sqrt(square) / self->radius, volume = self->mass / self->rho[other->index];
    double s = volume * surface_gradient(self, q);
    for (size_t i = 0; i < 3; i++) c->sum[i] -= s * d[i];
    c->sum[3] += volume * surface_laplacian(self, q);
}

// p / rho^2
static double push_of(const SmoothedParticles *self, size_t particle) {
    double rho = self->rho[particle];
    return self->pressure * (rho - self->density) / (rho * rho);
}

static void add_force(void *data, const TacNeighbour *other, const double d[3], double square) {
    Call *c = data;
    const SmoothedParticles *self = c->self;
    double m = self->mass, h = self->radius, q = sqrt(square) / h;
    double rho_i = self->rho[c->particle], rho_j = self->rho[other->index];
    double along = -m * m * (push_of(self, c->particle) + push_of(self, other->index));

    const double *v = c->vectors->v[0], *mine = v + 3 * c->particle, *theirs = v + 3 * other->index;
    double e[3] = {theirs[0] - mine[0], theirs[1] - mine[1], theirs[2] - mine[2]};
    if (self->viscosity_type == LAPLACIAN && q > 0) {
        double s = m * m * self->viscosity / (rho_i * rho_j) * viscosity_laplacian(self, q);
        for (size_t i = 0; i < 3; i++) c->sum[i] += s * e[i];
    }
    if (self->viscosity_type == ARTIFICIAL) {
        double approach = e[0] * d[0] + e[1] * d[1] + e[2] * d[2];
        // a hundredth, rounded as SOFA does
        double soft = q * q + (double)0.01f * h * h;
        if (approach < 0) along += approach * self->viscosity * h * m / (soft * (rho_i + rho_j) * 0.5);
    }
    double s = along * pressure_gradient(self, q);
    for (size_t i = 0; i < 3; i++) c->sum[i] -= s * d[i];
}

// --- all particles ----------------------------------------------------------------------------------------

static void density_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    Call *shared = data;
    SmoothedParticles *self = shared->self;
    for (size_t p = begin; p < end; p++) {
        Call c = {.self = self, .particle = p, .sum = {density_kernel(self, 0)}};
        tac_neighbours_visit(&self->grid, p, add_density, &c);
        self->rho[p] = self->mass * c.sum[0];
    }
}

static void surface_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    Call *shared = data;
    SmoothedParticles *self = shared->self;
    for (size_t p = begin; p < end; p++) {
        // a particle adds to its own curvature, not to its own normal
        Call c = {.self = self, .particle = p};
        c.sum[3] = self->mass / self->rho[p] * surface_laplacian(self, 0);
        tac_neighbours_visit(&self->grid, p, add_surface, &c);
        memcpy(self->surface + 4 * p, c.sum, sizeof c.sum);
    }
}

static void force_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    Call *shared = data;
    SmoothedParticles *self = shared->self;
    for (size_t p = begin; p < end; p++) {
        Call c = {.self = self, .vectors = shared->vectors, .particle = p};
        tac_neighbours_visit(&self->grid, p, add_force, &c);
        double *f = c.vectors->f[0] + 3 * p;
        for (size_t i = 0; i < 3; i++) f[i] += c.sum[i];
        if (!(self->tension > 0)) continue;
        // deep inside there is no surface to speak of
        const double *n = self->surface + 4 * p;
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(length * self->radius > LEAST_NORMAL)) continue;
        double pull = self->mass / self->rho[p] * self->tension * n[3] / length;
        for (size_t i = 0; i < 3; i++) f[i] -= pull * n[i];
    }
}

static void find_densities(SmoothedParticles *self, const TacContext *context, const double *x) {
    Call call = {.self = self};
    tac_neighbours_sort(&self->grid, x, 3, 3);
    tac_team_run(context->team, self->grid.count, GRAIN, density_chunk, &call);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    SmoothedParticles *self = data;
    Call call = {.self = self, .vectors = vectors};
    find_densities(self, context, vectors->x[0]);
    if (self->tension > 0) tac_team_run(context->team, self->grid.count, GRAIN, surface_chunk, &call);
    tac_team_run(context->team, self->grid.count, GRAIN, force_chunk, &call);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    SmoothedParticles *self = data;
    find_densities(self, context, vectors->x[0]);
    double sum = 0;
    for (size_t p = 0; p < self->grid.count; p++) {
        double part = self->rho[p] / self->density;
        sum += self->mass * self->pressure * (log(part) + 1 / part - 1);
    }
    return sum;
}

static const TacLawOps ops = {.force = force, .energy = energy};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    SmoothedParticles *self = data;
    size_t n = self->law.matter[0]->count;
    if (!isnormal(density_kernel(self, 0) * self->mass))
        return tac_setup_fail(setup, error, "radius",
                              "a particle of %g kg with a radius of %g m has a density that is no number",
                              self->mass, self->radius);
    self->rho = tac_setup_alloc(setup, n, sizeof(double));
    self->surface = self->tension > 0 ? tac_setup_alloc(setup, 4 * n, sizeof(double)) : NULL;
    if (!self->rho || (self->tension > 0 && !self->surface))
        return tac_fail_memory(error, 4 * n * sizeof(double));
    if (self->viscosity == 0) self->viscosity_type = NO_VISCOSITY;
    return tac_neighbours_create(&self->grid, setup, n, self->radius, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(SmoothedParticles, law),
    {"radius", TAC_REAL, offsetof(SmoothedParticles, radius), "m", "1",
     "Particles farther apart than this do not feel each other.", NULL, TAC_POSITIVE, 0},
    {"mass", TAC_REAL, offsetof(SmoothedParticles, mass), "kg", "1",
     "Of a particle, as the density counts it; what it weighs is said by its matter's mass.", NULL,
     TAC_POSITIVE, 0},
    {"density", TAC_REAL, offsetof(SmoothedParticles, density), "kg/m^3", "1",
     "At which the fluid is at rest.", NULL, TAC_POSITIVE, 0},
    {"pressure", TAC_REAL, offsetof(SmoothedParticles, pressure), "m^2/s^2", "100",
     "Pressure for each kg/m^3 above the density at rest: the square of the speed of sound.", NULL,
     TAC_NOT_NEGATIVE, TAC_LIVE},
    {"viscosity", TAC_REAL, offsetof(SmoothedParticles, viscosity), "Pa s", "0.001",
     "Against differences of velocity (with the artificial one: a number without a physical unit).", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"viscosity_type", TAC_CHOICE, offsetof(SmoothedParticles, viscosity_type), "", "laplacian",
     "None; by the laplacian of the kernel; or artificial, between particles that approach each other.",
     "none|laplacian|artificial", TAC_ANY, 0},
    {"tension", TAC_REAL, offsetof(SmoothedParticles, tension), "N/m", "0",
     "Of the surface, by the curvature of the kernel's colour field.", NULL, TAC_NOT_NEGATIVE, 0},
    {"kernel", TAC_CHOICE, offsetof(SmoothedParticles, kernel), "", "mueller",
     "One kernel each for density, pressure and viscosity (Mueller 2003), or the cubic spline for all.",
     "mueller|cubic", TAC_ANY, 0},
};

const TacClass tac_smoothed_particles_class = {
    .name = "SmoothedParticles",
    .kind = TAC_KIND_LAW,
    .doc = "A fluid of particles (SPH): pressure from density, viscosity and surface tension, with "
           "neighbours found in a grid.",
    .size = sizeof(SmoothedParticles),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
};
