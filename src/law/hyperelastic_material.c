// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Strain energies and their derivatives. See hyperelastic.h for the two families; the energies are those of
// SOFA's materials, with zero at rest.

#include "base/memory.h"
#include "law/hyperelastic.h"
#include "law/rotation.h"

static const double LEAST_J = 0.02, LEAST_STRETCH = 0.1;

// exp(x) with its first two derivatives, continued by its tangent where it would grow beyond all numbers.
static void bounded_exp(double x, double *value, double *slope, double *bend) {
    static const double most = 60;
    double at = exp(x < most ? x : most);
    *value = x < most ? at : at * (1 + x - most);
    *slope = at;
    *bend = x < most ? at : 0;
}

size_t tac_material_parameters(TacMaterial material) {
    static const size_t counts[TAC_MATERIAL_COUNT] = {2, 2, 2, 3, 2, 3, 3, 8};
    return counts[material];
}

bool tac_material_is_invariant(TacMaterial material) {
    return material != TAC_OGDEN && material != TAC_COSTA;
}

// --- of invariants ----------------------------------------------------------------------------------------

// factor / 2 (ln J)^2
static void add_log_square(double factor, double j, TacInvariantEnergy *e) {
    double log_j = log(j);
    e->w += 0.5 * factor * log_j * log_j;
    e->wj += factor * log_j / j;
    e->wjj += factor * (1 - log_j) / (j * j);
}

// h(B) with B = J^(-2/3) I1, from h and its first two derivatives.
static void add_first_bar(double h, double h1, double h2, double i1, double j, TacInvariantEnergy *e) {
    double b1 = pow(j, -2.0 / 3), bj = -2.0 / 3 * b1 * i1 / j;
    double b1j = -2.0 / 3 * b1 / j, bjj = 10.0 / 9 * b1 * i1 / (j * j);
    e->w += h;
    e->w1 += h1 * b1;
    e->wj += h1 * bj;
    e->w11 += h2 * b1 * b1;
    e->w1j += h2 * b1 * bj + h1 * b1j;
    e->wjj += h2 * bj * bj + h1 * bjj;
}

// factor (J^(-4/3) I2 - 3)
static void add_second_bar(double factor, double i2, double j, TacInvariantEnergy *e) {
    double b2 = pow(j, -4.0 / 3);
    e->w += factor * (b2 * i2 - 3);
    e->w2 += factor * b2;
    e->wj += factor * -4.0 / 3 * b2 * i2 / j;
    e->w2j += factor * -4.0 / 3 * b2 / j;
    e->wjj += factor * 28.0 / 9 * b2 * i2 / (j * j);
}

static void neo_hookean(const double *p, double i1, double j, TacInvariantEnergy *e) {
    double mu = p[0], lambda = p[1];
    e->w = 0.5 * mu * (i1 - 3) - mu * log(j);
    e->w1 = 0.5 * mu;
    e->wj = -mu / j;
    e->wjj = mu / (j * j);
    add_log_square(lambda, j, e);
}

// Smith, De Goes and Kim (2018), without the barrier at the origin.
static void stable_neo_hookean(const double *p, double i1, double j, TacInvariantEnergy *e) {
    double mu = p[0], both = p[0] + p[1], alpha = 1 + mu / both;
    e->w = 0.5 * mu * (i1 - 3) + 0.5 * both * ((j - alpha) * (j - alpha) - (1 - alpha) * (1 - alpha));
    e->w1 = 0.5 * mu;
    e->wj = both * (j - alpha);
    e->wjj = both;
}

static void saint_venant_kirchhoff(const double *p, double i1, double i2, TacInvariantEnergy *e) {
    double mu = p[0], lambda = p[1];
    e->w = 0.125 * lambda * (i1 - 3) * (i1 - 3) + 0.25 * mu * (i1 * i1 - 2 * i2 - 2 * i1 + 3);
    e->w1 = 0.25 * lambda * (i1 - 3) + 0.5 * mu * (i1 - 1);
    e->w2 = -0.5 * mu;
    e->w11 = 0.25 * lambda + 0.5 * mu;
}

// Five terms of the series of the inverse Langevin function, for chains of eight links.
static void arruda_boyce(const double *p, double i1, double j, TacInvariantEnergy *e) {
    static const double factors[5] = {1.0 / 2, 1.0 / 160, 11.0 / 67200, 19.0 / 3584000, 519.0 / 2759680000.0};
    double bar = pow(j, -2.0 / 3) * i1, lower = 0, power = 1, rest = 1, h = 0, h1 = 0, h2 = 0;
    for (int i = 0; i < 5; i++) {
        double n = i + 1;
        // power is bar^i, lower is bar^(i - 1)
        h2 += factors[i] * n * i * lower;
        h1 += factors[i] * n * power;
        lower = power;
        power *= bar;
        rest *= 3;
        h += factors[i] * (power - rest);
    }
    add_first_bar(p[0] * h, p[0] * h1, p[0] * h2, i1, j, e);
    add_log_square(p[1], j, e);
}

static void mooney_rivlin(const double *p, double i1, double i2, double j, TacInvariantEnergy *e) {
    add_first_bar(p[0] * (pow(j, -2.0 / 3) * i1 - 3), p[0], 0, i1, j, e);
    add_second_bar(p[1], i2, j, e);
    add_log_square(p[2], j, e);
}

static void veronda_westman(const double *p, double i1, double i2, double j, TacInvariantEnergy *e) {
    double h, h1, h2;
    bounded_exp(p[1] * (pow(j, -2.0 / 3) * i1 - 3), &h, &h1, &h2);
    add_first_bar(p[0] * (h - 1), p[0] * p[1] * h1, p[0] * p[1] * p[1] * h2, i1, j, e);
    add_second_bar(-0.5 * p[0] * p[1], i2, j, e);
    add_log_square(p[2], j, e);
}

// w by its tangent in J.
static void extend(double by, TacInvariantEnergy *e) {
    e->w += by * e->wj;
    e->w1 += by * e->w1j;
    e->w2 += by * e->w2j;
    e->wjj = 0;
}

void tac_material_invariant(TacMaterial material, const double *parameters, double i1, double i2, double j,
                            TacInvariantEnergy *out) {
    *out = (TacInvariantEnergy){0};
    if (material == TAC_STABLE_NEO_HOOKEAN) {
        stable_neo_hookean(parameters, i1, j, out);
        return;
    }
    double held = j > LEAST_J ? j : LEAST_J;
    switch (material) {
    case TAC_SAINT_VENANT_KIRCHHOFF: saint_venant_kirchhoff(parameters, i1, i2, out); break;
    case TAC_MOONEY_RIVLIN: mooney_rivlin(parameters, i1, i2, held, out); break;
    case TAC_ARRUDA_BOYCE: arruda_boyce(parameters, i1, held, out); break;
    case TAC_VERONDA_WESTMAN: veronda_westman(parameters, i1, i2, held, out); break;
    default: neo_hookean(parameters, i1, held, out); break;
    }
    if (j < held) extend(j - held, out);
}

// --- of stretches and axes --------------------------------------------------------------------------------

enum { SWEEPS = 30 };

// Turns rows and columns p and q of a so that a[p][q] vanishes, and columns of v alike (Jacobi).
static bool eigen_turn(TacMat3 *a, TacMat3 *v, int p, int q) {
    double pq = a->m[p][q];
    if (!(fabs(pq) > 1e-17 * (fabs(a->m[p][p]) + fabs(a->m[q][q])))) return false;
    double zeta = (a->m[q][q] - a->m[p][p]) / (2 * pq);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    for (int i = 0; i < 3; i++) {
        double ip = a->m[i][p], iq = a->m[i][q], vp = v->m[i][p], vq = v->m[i][q];
        a->m[i][p] = c * ip - s * iq;
        a->m[i][q] = s * ip + c * iq;
        v->m[i][p] = c * vp - s * vq;
        v->m[i][q] = s * vp + c * vq;
    }
    for (int i = 0; i < 3; i++) {
        double pi = a->m[p][i], qi = a->m[q][i];
        a->m[p][i] = c * pi - s * qi;
        a->m[q][i] = s * pi + c * qi;
    }
    return true;
}

// Eigenvalues and eigenvectors (columns) of a symmetric matrix.
static void eigen(TacMat3 a, double values[3], TacMat3 *vectors) {
    *vectors = tac_mat3_identity();
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = eigen_turn(&a, vectors, 0, 1);
        turned |= eigen_turn(&a, vectors, 0, 2);
        turned |= eigen_turn(&a, vectors, 1, 2);
    }
    for (int i = 0; i < 3; i++) values[i] = a.m[i][i];
}

TacMat3 tac_material_held(const TacMat3 *f) {
    if (tac_mat3_det(f) > LEAST_J) return *f;
    TacMat3 r = tac_rotation_svd(f), back = tac_mat3_transpose(&r), stretch = tac_mat3_mul(&back, f), v;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            stretch.m[i][j] = stretch.m[j][i] = 0.5 * (stretch.m[i][j] + stretch.m[j][i]);
    double values[3];
    eigen(stretch, values, &v);
    TacMat3 held = {0};
    for (int n = 0; n < 3; n++) {
        double value = values[n] > LEAST_STRETCH ? values[n] : LEAST_STRETCH;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) held.m[i][j] += value * v.m[i][n] * v.m[j][n];
    }
    return tac_mat3_mul(&r, &held);
}

// The six numbers of a symmetric tensor.
static const int ROW[6] = {0, 1, 2, 0, 0, 1}, COLUMN[6] = {0, 1, 2, 1, 2, 2};

static void to_six(const TacMat3 *a, double six[6]) {
    for (int n = 0; n < 6; n++) six[n] = a->m[ROW[n]][COLUMN[n]];
}

// d += factor (a b^T as a map H -> a (b : H)); a and b are six numbers each
static void add_outer(TacTensorEnergy *e, double factor, const double a[6], const double b[6]) {
    for (int m = 0; m < 6; m++)
        for (int n = 0; n < 6; n++) e->d[m][n] += factor * a[m] * b[n] * (n < 3 ? 1 : 2);
}

// d += factor (H -> A H A)
static void add_sandwich(TacTensorEnergy *e, double factor, const TacMat3 *a) {
    for (int m = 0; m < 6; m++)
        for (int n = 0; n < 6; n++) {
            int i = ROW[m], j = COLUMN[m], k = ROW[n], l = COLUMN[n];
            double both = a->m[i][k] * a->m[l][j];
            if (n >= 3) both += a->m[i][l] * a->m[k][j];
            e->d[m][n] += factor * both;
        }
}

// Volume terms u(J): S += J u' C^-1, with d = J (J u')'.
static void add_volume(TacTensorEnergy *e, double ju1, double jju2, const TacMat3 *inverse) {
    double six[6];
    to_six(inverse, six);
    for (int n = 0; n < 6; n++) e->s[n] += ju1 * six[n];
    add_outer(e, jju2, six, six);
    add_sandwich(e, -2 * ju1, inverse);
}

// W = mu / alpha^2 (J^(-alpha/3) tr C^(alpha/2) - 3) + k / 2 (ln J)^2
static void ogden(const double *p, const TacMat3 *c, double j, TacTensorEnergy *e) {
    double mu = p[0], alpha = p[1], half = 0.5 * alpha, shrink = pow(j, -alpha / 3), log_j = log(j);
    double values[3], powers[3], trace = 0;
    TacMat3 v, inverse = tac_mat3_inverse(c), power = {0};
    eigen(*c, values, &v);
    for (int n = 0; n < 3; n++) {
        powers[n] = pow(values[n], half - 1);
        trace += powers[n] * values[n];
        for (int q = 0; q < 9; q++) power.m[q / 3][q % 3] += powers[n] * v.m[q / 3][n] * v.m[q % 3][n];
    }
    double stress[6], inverse6[6], scale = mu / alpha * shrink;
    to_six(&power, stress);
    to_six(&inverse, inverse6);
    e->w = mu / (alpha * alpha) * (shrink * trace - 3) + 0.5 * p[2] * log_j * log_j;
    for (int n = 0; n < 6; n++) e->s[n] = scale * (stress[n] - trace / 3 * inverse6[n]);

    // 2 d(C^(alpha/2 - 1))/dC in its eigenvectors
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double mean = 0.5 * (values[a] + values[b]), apart = values[a] - values[b];
            bool same = fabs(apart) < 1e-6 * mean;
            double slope = same ? (half - 1) * pow(mean, half - 2) : (powers[a] - powers[b]) / apart;
            double axes[6], ab[6];
            for (int n = 0; n < 6; n++) {
                axes[n] = v.m[ROW[n]][a] * v.m[COLUMN[n]][b];
                ab[n] = 0.5 * (axes[n] + v.m[ROW[n]][b] * v.m[COLUMN[n]][a]);
            }
            add_outer(e, 2 * scale * slope, ab, ab);
        }
    add_outer(e, -alpha / 3 * scale, stress, inverse6);
    add_outer(e, -alpha / 3 * scale, inverse6, stress);
    add_outer(e, alpha / 9 * scale * trace, inverse6, inverse6);
    add_sandwich(e, 2.0 / 3 * scale * trace, &inverse);
    add_volume(e, p[2] * log_j, p[2], &inverse);
}

// W = a / 2 (exp(J^(-4/3) Q) - 1) + k (J ln J - J + 1), Q = sum b_ij E_ij^2 in the axes of the world at rest
static void costa(const double *p, const TacMat3 *c, double j, TacTensorEnergy *e) {
    // parameters after a and k are those of xx, xy, yy, xz, yz, zz
    const double b[6] = {p[2], p[4], p[7], p[3], p[5], p[6]};
    double green[6], stiff[6], inverse6[6], q = 0, shrink = pow(j, -4.0 / 3), log_j = log(j);
    TacMat3 inverse = tac_mat3_inverse(c);
    to_six(c, green);
    to_six(&inverse, inverse6);
    for (int n = 0; n < 6; n++) {
        green[n] = 0.5 * (green[n] - (n < 3 ? 1 : 0));
        stiff[n] = b[n] * green[n];
        q += (n < 3 ? 1 : 2) * stiff[n] * green[n];
    }
    double rise, slope, bend, direction[6];
    bounded_exp(shrink * q, &rise, &slope, &bend);
    double scale = p[0] * slope * shrink;
    e->w = 0.5 * p[0] * (rise - 1) + p[1] * (j * log_j - j + 1);
    for (int n = 0; n < 6; n++) {
        direction[n] = stiff[n] - 2.0 / 3 * q * inverse6[n];
        e->s[n] = scale * direction[n];
        e->d[n][n] += scale * b[n];
    }
    // by the exponential, by J^(-4/3), by Q and by C^-1
    add_outer(e, 2 * p[0] * bend * shrink * shrink, direction, direction);
    add_outer(e, -4.0 / 3 * scale, direction, inverse6);
    add_outer(e, -4.0 / 3 * scale, inverse6, stiff);
    add_sandwich(e, 4.0 / 3 * scale * q, &inverse);
    add_volume(e, p[1] * j * log_j, p[1] * j * (log_j + 1), &inverse);
}

void tac_material_tensor(TacMaterial material, const double *parameters, const TacMat3 *f,
                         TacTensorEnergy *out) {
    *out = (TacTensorEnergy){0};
    TacMat3 back = tac_mat3_transpose(f), c = tac_mat3_mul(&back, f);
    double j = tac_mat3_det(f);
    if (material == TAC_OGDEN)
        ogden(parameters, &c, j, out);
    else
        costa(parameters, &c, j, out);
}
