// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The component Wire. See wire.h for the rules.

#include "agent/wire_parts.h"
#include "base/memory.h"
#include "matter/matter.h"

enum { MOST_LEVELS = 16 };
enum { NO_MATERIAL, STEEL, CHAIN, NYLON }; // in the order of the attribute

// --- mass -------------------------------------------------------------------------------------------------

static void product(void *data, const TacContext *context, const double *x, const double *in, double *out,
                    double factor) {
    (void)context;
    (void)x;
    const Wire *self = data;
    for (size_t i = 0; i < self->head.matter->count; i++)
        for (size_t k = 0; k < 3; k++) out[3 * i + k] += factor * self->m[i] * in[3 * i + k];
}

// Rule 2: what carried points feel goes to the live ones around them.
static void divide(void *data, const TacContext *context, const double *x, const double *f, double *a) {
    (void)context;
    (void)x;
    Wire *self = data;
    int level = (int)self->level;
    size_t n = segments(level), step = stride(self, level);
    memcpy(a, f, 3 * self->head.matter->count * sizeof *a);
    if (self->noded) {
        tac_wire_divide_nodes(self, a);
        return;
    }
    for (size_t s = 0; s < n && step > 1; s++) {
        double *left = a + 3 * s * step, *right = a + 3 * (s + 1) * step;
        for (size_t j = 1; j < step; j++) {
            double t = (double)j / (double)step, *own = left + 3 * j;
            for (size_t k = 0; k < 3; k++) {
                left[k] += (1 - t) * own[k];
                right[k] += t * own[k];
                own[k] = 0;
            }
        }
    }
    for (size_t s = 0; s <= n; s++)
        for (size_t k = 0; k < 3; k++) a[3 * s * step + k] *= self->inverse[s * step];
}

static void weight(void *data, const TacContext *context, const double *x, double *f) {
    (void)context;
    (void)x;
    const Wire *self = data;
    for (size_t i = 0; i < self->head.matter->count; i++)
        if (self->m[i] > 0 && (!self->noded || self->live[i]))
            tac_add3(f + 3 * i, tac_scale(self->head.gravity, self->noded ? self->hung[i] : self->m[i]));
}

static void momentum(void *data, const double *x, const double *v, TacVec3 *linear, TacVec3 *angular) {
    const Wire *self = data;
    for (size_t i = 0; i < self->head.matter->count; i++) {
        TacVec3 p = tac_scale(tac_load3(v + 3 * i), self->m[i]);
        *linear = tac_add(*linear, p);
        *angular = tac_add(*angular, tac_cross(tac_load3(x + 3 * i), p));
    }
}

static double kinetic(void *data, const double *x, const double *v) {
    (void)x;
    const Wire *self = data;
    double twice = 0;
    for (size_t i = 0; i < self->head.matter->count; i++) {
        TacVec3 u = tac_load3(v + 3 * i);
        twice += self->m[i] * tac_dot(u, u);
    }
    return 0.5 * twice;
}

static double height(void *data, const double *x) {
    Wire *self = data;
    double sum = 0;
    if (self->noded) { // as it lies, and from there to where it is looked at
        sum = tac_wire_height_of_line(self);
        for (size_t i = 0; self->level != CABLE && i < self->head.matter->count; i++)
            sum -= self->hung[i] *
                   tac_dot(self->head.gravity, tac_sub(tac_load3(x + 3 * i), tac_load3(x_of(self, i))));
        return sum;
    }
    for (size_t i = 0; i < self->head.matter->count; i++)
        sum -= self->m[i] * tac_dot(self->head.gravity, tac_load3(x + 3 * i));
    return sum;
}

// --- as a joint -------------------------------------------------------------------------------------------

static const double *inverse_masses(const void *data) {
    return ((const Wire *)data)->inverse;
}

static const TacCarriedPoint *lines(const void *data) {
    return ((const Wire *)data)->lines;
}

static const double *touch_inverses(const void *data) {
    return ((const Wire *)data)->touch;
}

static const char *unfit(const void *data) {
    const Wire *self = data;
    for (size_t i = 1; i + 1 < self->head.matter->count; i++)
        if (self->head.matter->held && self->head.matter->held[i])
            return "one of its inner points is held by a constraint; only the ends of a wire can be held. "
                   "Make it "
                   "two wires that end there";
    for (size_t end = 0; end < 2 && self->lowest == CABLE; end++)
        if (!self->line.way.drum[end] && !self->attachment[end].matter &&
            !is_held(self, end ? self->head.matter->count - 1 : 0))
            return "at level -1 it has no masses, so both of its ends must be tied (start, end) or held";
    return NULL;
}

static bool vanishes(const void *data) {
    return ((const Wire *)data)->lowest == CABLE;
}

static const TacJointOps joint_ops = {.capacity = tac_wire_capacity,
                                      .matters = tac_wire_matters,
                                      .tie = tac_wire_tie,
                                      .add = tac_wire_add,
                                      .take = tac_wire_take,
                                      .steady = tac_wire_add_still,
                                      .inverse_masses = inverse_masses,
                                      .most_inverse = tac_wire_most_inverse,
                                      .touch_inverses = touch_inverses,
                                      .meets_by_nodes = tac_wire_meets_by_nodes,
                                      .pieces = tac_wire_pieces,
                                      .lines = lines,
                                      .settle = tac_wire_settle,
                                      .adapts = tac_wire_adapts,
                                      .vanishes = vanishes,
                                      .cost = tac_wire_cost,
                                      .unfit = unfit};

static const TacMassOps ops = {.product = product,
                               .divide = divide,
                               .weight = weight,
                               .momentum = momentum,
                               .kinetic = kinetic,
                               .height = height,
                               .joint = &joint_ops};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus find_levels(Wire *self, TacSetup *setup, TacError *error) {
    size_t count = self->head.matter->count;
    while (self->finest <= MOST_LEVELS && segments(self->finest) + 1 < count) self->finest++;
    if (self->finest > MOST_LEVELS || segments(self->finest) + 1 != count)
        return tac_setup_fail(
            setup, error, NULL,
            "%s has %zu points; a wire has 2, 3, 5, 9, 17, 33 ... up to %zu (2 to the power of "
            "its finest level, plus 1)",
            self->head.matter->base.path, count, segments(MOST_LEVELS) + 1);
    if (!tac_setup_given(setup, "finest")) self->highest = self->finest;
    if (self->highest < 0 || self->highest > self->finest)
        return tac_setup_fail(setup, error, "finest", "its %zu points allow levels 0 to %d", count,
                              self->finest);
    if (self->lowest < CABLE || self->lowest > self->highest)
        return tac_setup_fail(setup, error, "lowest", "levels -1 to %lld can be the lowest",
                              (long long)self->highest);
    int64_t start = tac_setup_given(setup, "level") ? self->start_level : self->lowest;
    if (start < self->lowest || start > self->highest)
        return tac_setup_fail(setup, error, "level", "levels %lld to %lld are allowed",
                              (long long)self->lowest, (long long)self->highest);
    self->level = (int16_t)start;
    return TAC_OK;
}

static TacStatus find_length(Wire *self, TacSetup *setup, TacError *error) {
    size_t n = segments(self->finest);
    double sum = 0, longest = 0;
    for (size_t s = 0; s < n; s++) {
        double l = tac_norm(tac_sub(tac_load3(x_of(self, s + 1)), tac_load3(x_of(self, s))));
        sum += l;
        longest = fmax(longest, l);
    }
    if (isnan(self->length)) self->length = sum;
    double rest = self->length / (double)n;
    if (!(rest > 0) || !isfinite(self->length))
        return tac_setup_fail(setup, error, "length",
                              "it has no length: its points are all at the same place");
    if (longest > 1.001 * rest)
        return tac_setup_fail(
            setup, error, "length",
            "a segment starts %g m long, but of %g m there are %g m for each of %zu segments: space "
            "the points evenly, or give more length",
            longest, self->length, rest, n);
    return TAC_OK;
}

// Unless it is told, it starts at the coarsest level that leaves its points where they are.
static void find_start(Wire *self, const TacSetup *setup) {
    if (tac_setup_given(setup, "level")) return;
    while (self->level < self->highest && !tac_wire_fits(self, (int)self->level)) self->level++;
}

// EA, EI and mass per metre over the diameter: usual values of makers' tables.
static TacStatus find_material(Wire *self, TacSetup *setup, TacError *error) {
    static const struct {
        double mass, stretch, bend; // kg/m over d^2, N over d^2, N m^2 over d^4
    } table[] = {[STEEL] = {3990, 4.04e10, 1.7e7}, [CHAIN] = {19900, 8.54e10, 0}, [NYLON] = {648, 1.18e8, 0}};
    bool by_material = self->material != NO_MATERIAL;
    double d = self->diameter;
    if ((by_material || tac_setup_given(setup, "density")) && isnan(d))
        return tac_setup_fail(setup, error, by_material ? "material" : "density", "needs the diameter, too");
    if (tac_setup_given(setup, "density") && tac_setup_given(setup, "mass"))
        return tac_setup_fail(setup, error, "density", "give mass or density, not both");
    if (isnan(self->mass) && tac_setup_given(setup, "density"))
        self->mass = self->density * TAC_PI / 4 * d * d * self->length;
    if (isnan(self->mass) && by_material) self->mass = table[self->material].mass * d * d * self->length;
    if (by_material && !tac_setup_given(setup, "stretch"))
        self->stretch = table[self->material].stretch * d * d;
    if (by_material && !tac_setup_given(setup, "bend"))
        self->bend = table[self->material].bend * d * d * d * d;
    if (!(self->mass > 0) || !isfinite(self->mass))
        return tac_setup_fail(setup, error, NULL,
                              "needs a mass: give mass, density and diameter, or a material");
    return TAC_OK;
}

static TacStatus find_ends(Wire *self, TacSetup *setup, TacError *error) {
    static const char *const names[2] = {"start", "end"};
    static const char *const points[2] = {"start_point", "end_point"};
    for (size_t k = 0; k < 2; k++) {
        TacMatter *m = self->end[k];
        if (!m) continue;
        if (self->line.way.drum[k])
            return tac_setup_fail(
                setup, error, names[k],
                "it is wound on a drum there; tie it to something or to a drum, not to both");
        if (m == self->head.matter)
            return tac_setup_fail(setup, error, names[k], "it cannot be tied to itself");
        if (m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
            return tac_setup_fail(setup, error, names[k], "%s is %s; points or frames in space were expected",
                                  m->base.path, tac_matter_kind_name(m->kind));
        if ((size_t)self->end_point[k] >= m->count)
            return tac_setup_fail(setup, error, points[k], "%s has %zu points or frames, from 0",
                                  m->base.path, m->count);
        size_t own = k ? self->head.matter->count - 1 : 0;
        TacVec3 here = tac_load3(x_of(self, own));
        TacAttachment *a = &self->attachment[k];
        *a = tac_attach(m, (size_t)self->end_point[k], here);
        if (!isnan(self->end_at[k].x)) a->local = self->end_at[k];
        double off = tac_norm(tac_sub(here, tac_attachment_place(a)));
        if (off > 1e-3 * (isnan(self->length) ? 1 : self->length))
            return tac_setup_fail(setup, error, names[k],
                                  "it ends %g m from where it is tied; let its points end there", off);
    }
    return TAC_OK;
}

// A wire that is not said to move starts with what its ends are tied to.
static void start_with_ends(Wire *self) {
    size_t count = self->head.matter->count;
    for (size_t i = 0; i < 3 * count; i++)
        if (v_of(self, 0)[i] != 0) return;
    TacVec3 v[2] = {tac_attachment_velocity(&self->attachment[0]),
                    tac_attachment_velocity(&self->attachment[1])};
    for (size_t i = 0; i < count; i++) {
        double t = (double)i / (double)(count - 1);
        if (!is_held(self, i)) tac_store3(v_of(self, i), tac_axpy(tac_scale(v[0], 1 - t), t, v[1]));
    }
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Wire *self = data;
    size_t count = self->head.matter->count;
    TAC_TRY(find_levels(self, setup, error));
    TAC_TRY(tac_cable_find(&self->line, setup, error));
    self->noded = tac_cable_has_nodes(&self->line);
    if (!self->noded) TAC_TRY(find_length(self, setup, error));
    if (!self->noded) find_start(self, setup);
    TAC_TRY(find_ends(self, setup, error));
    if (self->noded) TAC_TRY(tac_wire_lay(self, setup, error));
    TAC_TRY(find_material(self, setup, error));
    if (self->focus.count % 3)
        return tac_setup_fail(setup, error, "focus",
                              "focus has %zu numbers; begin, end and factor were expected for each",
                              self->focus.count);
    self->m = tac_setup_alloc(setup, count, sizeof(double));
    self->inverse = tac_setup_alloc(setup, count, sizeof(double));
    self->tension = tac_setup_alloc(setup, count, sizeof(double));
    self->lines = tac_setup_alloc(setup, count, sizeof *self->lines);
    self->next_lines = tac_setup_alloc(setup, count, sizeof *self->next_lines);
    self->own = tac_setup_alloc(setup, count, 1);
    self->touch = tac_setup_alloc(setup, count, sizeof(double));
    self->next_touch = tac_setup_alloc(setup, count, sizeof(double));
    if (!self->m || !self->inverse || !self->tension || !self->lines || !self->next_lines || !self->own ||
        !self->touch || !self->next_touch)
        return tac_fail_memory(error, count * sizeof *self->lines);
    if (self->noded)
        TAC_TRY(tac_wire_keep_nodes(self, setup, error));
    else
        tac_wire_lump(self);
    if (self->noded) tac_wire_find_followers(self);
    tac_wire_weigh_touch(self);
    start_with_ends(self);
    tac_wire_carry(self);
    tac_wire_prepare_choice(self);
    self->tensions = (TacReals){self->tension, count - 1};
    self->outputs = (TacReals){self->numbers, TAC_WIRE_NUMBERS};
    TAC_TRY(tac_setup_state(setup, &self->level, sizeof self->level, error));
    TAC_TRY(tac_setup_state(setup, &self->pull, sizeof self->pull, error));
    TAC_TRY(tac_setup_state(setup, &self->critical, sizeof self->critical, error));
    TAC_TRY(tac_setup_state(setup, &self->robustness, sizeof self->robustness, error));
    TAC_TRY(tac_setup_state(setup, &self->known_step, sizeof self->known_step, error));
    TAC_TRY(tac_setup_state(setup, &self->waiting, sizeof self->waiting, error));
    TAC_TRY(tac_setup_state(setup, self->m, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->inverse, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->tension, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->lines, count * sizeof *self->lines, error));
    TAC_TRY(tac_setup_state(setup, self->touch, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->owed, sizeof self->owed, error));
    return tac_setup_state(setup, self->numbers, TAC_WIRE_NUMBERS * sizeof(double), error);
}

#define NUMBER(title, field, unit_text, initial_text, text, range_kind)                                      \
    { title, TAC_REAL, offsetof(Wire, field), unit_text, initial_text, text, NULL, range_kind, 0 }

static bool state_is_sound(const void *data) {
    const Wire *self = data;
    return self->level >= self->lowest && self->level <= self->highest &&
           (self->noded ? tac_wire_nodes_are_sound(self) && tac_wire_follows_are_sound(self)
                        : tac_wire_lines_are_sound(self));
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(Wire, head.matter),
    {"start", TAC_LINK, offsetof(Wire, end[0]), "", "",
     "What its first point is tied to; by default nothing. Points at rest start with the velocities of the "
     "ends.",
     "matter", TAC_ANY, 0},
    {"start_point", TAC_INT, offsetof(Wire, end_point[0]), "1", "0", "Which point or frame of that, from 0.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"start_at", TAC_VECTOR, offsetof(Wire, end_at[0]), "m", "",
     "Where on that frame, in its axes; by default where the wire starts.", NULL, TAC_ANY, 0},
    {"end", TAC_LINK, offsetof(Wire, end[1]), "", "", "What its last point is tied to; by default nothing.",
     "matter", TAC_ANY, 0},
    {"end_point", TAC_INT, offsetof(Wire, end_point[1]), "1", "0", "Which point or frame of that, from 0.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"end_at", TAC_VECTOR, offsetof(Wire, end_at[1]), "m", "",
     "Where on that frame, in its axes; by default where the wire ends.", NULL, TAC_ANY, 0},
    NUMBER("length", length, "m", "", "At rest; by default as it starts. More makes it start slack.",
           TAC_POSITIVE),
    NUMBER("mass", mass, "kg", "", "Of all of it.", TAC_POSITIVE),
    NUMBER("density", density, "kg/m^3", "", "Instead of mass: of its material, with the diameter.",
           TAC_POSITIVE),
    NUMBER("diameter", diameter, "m", "", "Of its cross-section; of the bar, for a chain.", TAC_POSITIVE),
    {"material", TAC_CHOICE, offsetof(Wire, material), "", "none",
     "Mass, stretch and bend of a usual rope of this diameter: steel wire rope (6x19, wire core), studless "
     "chain, "
     "nylon rope.",
     "none|steel|chain|nylon", TAC_ANY, 0},
    NUMBER("stretch", stretch, "N", "0",
           "EA, the force that would double its length; 0: it does not stretch.", TAC_NOT_NEGATIVE),
    NUMBER("bend", bend, "N m^2", "0", "EI, its stiffness in bending; 0: it is limp.", TAC_NOT_NEGATIVE),
    NUMBER("damping", damping, "s", "", "The time in which stretch is damped away; by default two steps.",
           TAC_NOT_NEGATIVE),
    {"transition", TAC_CHOICE, offsetof(Wire, transition), "", "halves",
     "How mass is lumped and velocities change with the level: segments give half to each end, or the "
     "document's "
     "equal masses.",
     "halves|document", TAC_ANY, 0},
    {"lowest", TAC_INT, offsetof(Wire, lowest), "1", "0",
     "The coarsest level: 2 to its power segments; -1 is a massless cable between what its ends are tied to.",
     NULL, TAC_ANY, 0},
    {"finest", TAC_INT, offsetof(Wire, highest), "1", "0",
     "The finest level that it takes; by default that of its points.", NULL, TAC_NOT_NEGATIVE, 0},
    {"level", TAC_INT, offsetof(Wire, start_level), "1", "0",
     "At which it starts; by default the coarsest at which its points lie as they are given.", NULL, TAC_ANY,
     0},
    NUMBER("weight_accuracy", weights[0], "1", "1", "Of accuracy among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("weight_time", weights[1], "1", "1", "Of computing time among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("weight_robustness", weights[2], "1", "1", "Of robustness among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("gamma_accuracy", gamma_accuracy, "1", "2", "Sensitivity of accuracy: (N/N_finest)^gamma.",
           TAC_POSITIVE),
    NUMBER("gamma_time", gamma_time, "1/s", "",
           "Sensitivity to time over the limit, of the agent's first wire for all; by default 100 over the "
           "step.",
           TAC_POSITIVE),
    NUMBER("gamma_robustness", gamma_robustness, "1", "10", "Sensitivity to masses beyond N_crit.",
           TAC_POSITIVE),
    NUMBER("patience", patience, "s", "0.5",
           "The longest that it waits before it becomes finer again, when it had to become coarser soon "
           "after it had become "
           "finer; each time it waits twice as long. 0: never.",
           TAC_NOT_NEGATIVE),
    NUMBER("cost", cost, "s", "1e-6", "Cost model: time for computing one mass for one step.",
           TAC_NOT_NEGATIVE),
    {"focus", TAC_REALS, offsetof(Wire, focus), "s, s, 1", "",
     "Times known beforehand when somebody looks at it: begin, end, and the factor by which accuracy counts "
     "more.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"attention", TAC_REAL, offsetof(Wire, attention), "1", "1000",
     "By which factor accuracy counts more while somebody has selected it, touches it or looks straight at "
     "it; less "
     "so the farther it is from where they look.",
     NULL, TAC_POSITIVE, TAC_LIVE},
    TAC_CABLE_WAY_ATTRIBUTES(Wire, line.way),
    {"tensions", TAC_REALS, offsetof(Wire, tensions), "N", "", "Along the wire, at the last step.", NULL,
     TAC_ANY, TAC_OUTPUT},
    {"resolution", TAC_REALS, offsetof(Wire, outputs), "1, N, m", "",
     "Level, masses, largest tension, N_crit, qualities of accuracy, time and robustness, shift of the "
     "centre of "
     "mass at the last coarsening, transitions so far, steps at which coarsening was postponed because "
     "something was in "
     "the way (safe contact).",
     NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_wire_class = {
    .name = "Wire",
    .kind = TAC_KIND_MASS,
    .doc =
        "Makes the points of its node a wire: mass, segments that only pull, ends tied to other matter, and "
        "a "
        "resolution that adapts to stay stable, in time and accurate. Needs Spook, and 2^n + 1 evenly spaced "
        "points.",
    .size = sizeof(Wire),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .state_is_sound = state_is_sound,
    .ops.mass = &ops,
    .scalars = tac_wire_scalars,
    .nodes = tac_wire_marks,
};
