// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// ConditionalLinks: springs and dampers that change what they are, by rules over distance, speed, slip, force
// and time, with memory. Contact, plasticity, fracture, sticking and melting are such rules; none needs an
// algorithm of its own ("Balls, bubbles and agglomerates", section II; link_rules.h has the language).
//
// In a state with stiffness k, damping c, drag g and rest length L, with d = x_j - x_i, l = |d|, u = d / l,
// and w the difference of velocities: the pull on i is (k (l - L) + c u.w) u + g (w - (u.w) u), on j the
// opposite.
//
//  1. A link changes state at most once an instant, before the force of that instant, by the positions and
//     velocities that hold then. A solver that tries forces elsewhere within its step (Runge-Kutta, a Newton
//     iteration) sees the state that the instant began with: `tick` says for which instant links have been
//     looked at.
//  2. State, rest length and time of entering are state of the world; with `tick`, a restored world goes on
//     alike.
//  3. Every link computes its own pull, then pulls are added in the order of links: the same bits on any
//     number of threads.

#include "base/memory.h"
#include "law/laws.h"
#include "law/link_rules.h"
#include "law/setup.h"

enum { GRAIN = 512 };

// As many pairs as a reach may join.
static const size_t MOST_PAIRS = (size_t)1 << 26;

// What a link remembers.
typedef struct Memory {
    double rest;  // m
    double since; // s: when it entered its state
    int64_t state;
} Memory;

typedef struct ConditionalLinks {
    TacLaw law;
    TacInts given_pairs;
    double reach;
    const char *states_text, *rest_text, *transitions_text, *initial_text;
    TacReals given_stiffness, given_damping, given_drag;
    bool stable;
    TacReals counts; // output: how many links are in each state
    TacLinkRules rules;
    double stiffness[TAC_LINK_STATES], damping[TAC_LINK_STATES], drag[TAC_LINK_STATES];
    size_t count, dimension;
    const int32_t *pairs;
    double *start; // m: distances at the start
    Memory *memory;
    int64_t *tick;    // the instant that links were looked at
    double *pulls;    // 3 numbers per link
    double *in_state; // the numbers of `counts`
} ConditionalLinks;

// --- one link ---------------------------------------------------------------------------------------------

typedef struct Call {
    ConditionalLinks *self;
    const TacLawVectors *vectors;
    double time, k, b;
} Call;

// A link as it is: u is zero where there is no direction.
typedef struct Link {
    double u[3], w[3], length, along; // along: u.w
} Link;

static Link measure(const ConditionalLinks *self, const TacLawVectors *vectors, size_t i) {
    Link link = {.length = 0};
    double square = 0;
    const double *x[2], *v[2];
    for (int end = 0; end < 2; end++) {
        size_t p = (size_t)self->pairs[2 * i + (size_t)end];
        x[end] = vectors->x[end] + (size_t)self->law.matter[end]->position_size * p;
        v[end] = vectors->v[end] + (size_t)self->law.matter[end]->velocity_size * p;
    }
    for (size_t k = 0; k < self->dimension; k++) {
        link.u[k] = x[1][k] - x[0][k];
        link.w[k] = v[1][k] - v[0][k];
        square += link.u[k] * link.u[k];
    }
    link.length = sqrt(square);
    double over = link.length > 0 ? 1 / link.length : 0;
    for (size_t k = 0; k < 3; k++) {
        link.u[k] *= over;
        link.along += link.u[k] * link.w[k];
    }
    return link;
}

static double pull_of(const ConditionalLinks *self, const Memory *memory, const Link *link) {
    return self->stiffness[memory->state] * (link->length - memory->rest) +
           self->damping[memory->state] * link->along;
}

// --- rules ------------------------------------------------------------------------------------------------

static double rest_of(const TacLinkState *state, double start, double distance, double before) {
    switch (state->rest) {
    case TAC_REST_START: return start;
    case TAC_REST_ENTERED: return fmax(distance + state->length, 0);
    case TAC_REST_KEPT: return before;
    default: return state->length;
    }
}

static void look_at(const Call *c, size_t i) {
    ConditionalLinks *self = c->self;
    Memory *memory = &self->memory[i];
    Link link = measure(self, c->vectors, i);
    double slip = 0, pull = pull_of(self, memory, &link);
    for (size_t k = 0; k < 3; k++) {
        double across = link.w[k] - link.along * link.u[k];
        slip += across * across;
    }
    const double quantities[TAC_LINK_QUANTITIES] = {[TAC_LINK_DISTANCE] = link.length,
                                                    [TAC_LINK_STRETCH] = link.length - memory->rest,
                                                    [TAC_LINK_SPEED] = link.along,
                                                    [TAC_LINK_SLIP] = sqrt(slip),
                                                    [TAC_LINK_PULL] = pull,
                                                    [TAC_LINK_PUSH] = -pull,
                                                    [TAC_LINK_TIME] = c->time - memory->since};
    int next = tac_link_next(&self->rules, (int)memory->state, quantities);
    if (next < 0) return;
    memory->rest = rest_of(&self->rules.states[next], self->start[i], link.length, memory->rest);
    memory->since = c->time;
    memory->state = next;
}

static void look_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    for (size_t i = begin; i < end; i++) look_at(data, i);
}

static void count_states(ConditionalLinks *self) {
    for (size_t s = 0; s < self->rules.state_count; s++) self->in_state[s] = 0;
    for (size_t i = 0; i < self->count; i++) self->in_state[self->memory[i].state]++;
}

// The instant that forces are asked for. Matter's own time stands still while a solver tries; mapped matter
// has none, and goes by the time of the call (positive numbers are ordered like their bits).
static int64_t instant_of(const Call *c) {
    const TacMatter *const *matter = (const TacMatter *const *)c->self->law.matter;
    if (matter[0]->mapped && matter[1]->mapped) {
        int64_t bits;
        double time = fmax(c->time, 0);
        memcpy(&bits, &time, sizeof bits);
        return bits;
    }
    return matter[0]->time > matter[1]->time ? matter[0]->time : matter[1]->time;
}

static void look_once(Call *c, TacTeam *team) {
    ConditionalLinks *self = c->self;
    int64_t now = instant_of(c);
    if (now <= *self->tick) return;
    *self->tick = now;
    tac_team_run(team, self->count, GRAIN, look_chunk, c);
    count_states(self);
}

// --- operations -------------------------------------------------------------------------------------------

static void pull_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    ConditionalLinks *self = c->self;
    for (size_t i = begin; i < end; i++) {
        Link link = measure(self, c->vectors, i);
        const Memory *memory = &self->memory[i];
        double pull = link.length > 0 ? pull_of(self, memory, &link) : 0, drag = self->drag[memory->state];
        for (size_t k = 0; k < 3; k++)
            self->pulls[3 * i + k] = pull * link.u[k] + drag * (link.w[k] - link.along * link.u[k]);
    }
}

static void add_pulls(const Call *c) {
    const ConditionalLinks *self = c->self;
    size_t size[2] = {(size_t)self->law.matter[0]->velocity_size, (size_t)self->law.matter[1]->velocity_size};
    for (size_t i = 0; i < self->count; i++) {
        double *a = c->vectors->f[0] + size[0] * (size_t)self->pairs[2 * i];
        double *b = c->vectors->f[1] + size[1] * (size_t)self->pairs[2 * i + 1];
        for (size_t k = 0; k < self->dimension; k++) a[k] += self->pulls[3 * i + k];
        for (size_t k = 0; k < self->dimension; k++) b[k] -= self->pulls[3 * i + k];
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Call call = {.self = data, .vectors = vectors, .time = context->time};
    look_once(&call, context->team);
    tac_team_run(context->team, call.self->count, GRAIN, pull_chunk, &call);
    add_pulls(&call);
}

// How a pull changes: along u, and across it.
static void find_stiffness(const Call *c, size_t i, const Link *link, double *along, double *across) {
    const ConditionalLinks *self = c->self;
    const Memory *memory = &self->memory[i];
    double k = self->stiffness[memory->state];
    double turning = link->length > 0 ? k * (link->length - memory->rest) / link->length : 0;
    if (self->stable && turning < 0) turning = 0;
    *along = c->k * k + c->b * self->damping[memory->state];
    *across = c->k * turning + c->b * self->drag[memory->state];
}

static void change_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    for (size_t i = begin; i < end; i++) {
        Link link = measure(c->self, c->vectors, i);
        double along, across;
        find_stiffness(c, i, &link, &along, &across);
        for (size_t k = 0; k < 3; k++)
            c->self->pulls[3 * i + k] =
                along * link.along * link.u[k] + across * (link.w[k] - link.along * link.u[k]);
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    Call call = {.self = data, .vectors = vectors, .k = k, .b = b};
    tac_team_run(context->team, call.self->count, GRAIN, change_chunk, &call);
    add_pulls(&call);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const ConditionalLinks *self = data;
    double sum = 0;
    for (size_t i = 0; i < self->count; i++) {
        const Memory *memory = &self->memory[i];
        double stretch = measure(self, vectors, i).length - memory->rest;
        sum += 0.5 * self->stiffness[memory->state] * stretch * stretch;
    }
    return sum;
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    const Call c = {.self = data, .vectors = vectors, .k = k, .b = b};
    const ConditionalLinks *self = data;
    int other = self->law.matter[0] == self->law.matter[1] ? 0 : 1;
    size_t size[2] = {(size_t)self->law.matter[0]->velocity_size, (size_t)self->law.matter[1]->velocity_size};
    for (size_t l = 0; l < self->count; l++) {
        Link link = measure(self, vectors, l);
        double along, across, on[2][36] = {{0}}, between[2][36] = {{0}};
        find_stiffness(&c, l, &link, &along, &across);
        for (size_t i = 0; i < self->dimension; i++)
            for (size_t j = 0; j < self->dimension; j++) {
                double value = (along - across) * link.u[i] * link.u[j] + (i == j ? across : 0);
                for (int end = 0; end < 2; end++) {
                    on[end][size[end] * i + j] = -value;
                    between[end][size[1 - end] * i + j] = value;
                }
            }
        size_t p = (size_t)self->pairs[2 * l], q = (size_t)self->pairs[2 * l + 1];
        tac_matrix_add(matrix, 0, p, 0, p, on[0]);
        tac_matrix_add(matrix, other, q, other, q, on[1]);
        tac_matrix_add(matrix, 0, p, other, q, between[0]);
        tac_matrix_add(matrix, other, q, 0, p, between[1]);
    }
}

// Each link in its steepest state.
static void add_steepest(void *data, const TacSteepness *sums) {
    const ConditionalLinks *self = data;
    double k = 0, z = 0;
    for (size_t i = 0; i < self->rules.state_count; i++) {
        k = fmax(k, self->stiffness[i]);
        z = fmax(z, fmax(self->damping[i], self->drag[i]));
    }
    for (size_t s = 0; s < self->count; s++)
        for (int side = 0; side < 2; side++) {
            size_t i = (size_t)self->pairs[2 * s + (size_t)side];
            double weight = sums->moves[1 - side][self->pairs[2 * s + 1 - (size_t)side]] ? 2 : 1;
            sums->k[side][i] += weight * k;
            sums->z[side][i] += weight * z;
        }
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .steepest = add_steepest};

// --- setting up -------------------------------------------------------------------------------------------

static double distance_at_start(const ConditionalLinks *self, size_t p, size_t q) {
    const double *a = self->law.matter[0]->vectors[TAC_X] + (size_t)self->law.matter[0]->position_size * p;
    const double *b = self->law.matter[1]->vectors[TAC_X] + (size_t)self->law.matter[1]->position_size * q;
    double square = 0;
    for (size_t k = 0; k < self->dimension; k++) square += (b[k] - a[k]) * (b[k] - a[k]);
    return sqrt(square);
}

// Writes the pairs nearer than the reach where `pairs` is not NULL; returns how many there are.
static size_t near_pairs(const ConditionalLinks *self, int32_t *pairs) {
    bool one = self->law.matter[0] == self->law.matter[1];
    size_t n = 0;
    for (size_t p = 0; p < self->law.matter[0]->count; p++)
        for (size_t q = one ? p + 1 : 0; q < self->law.matter[1]->count; q++) {
            if (!(distance_at_start(self, p, q) < self->reach)) continue;
            if (pairs) {
                pairs[2 * n] = (int32_t)p;
                pairs[2 * n + 1] = (int32_t)q;
            }
            n++;
        }
    return n;
}

static TacStatus join_near(ConditionalLinks *self, TacSetup *setup, TacError *error) {
    size_t all = self->law.matter[0]->count * self->law.matter[1]->count;
    if (all > MOST_PAIRS)
        return tac_setup_fail(setup, error, "reach",
                              "there are too many points to look at all %zu pairs; give pairs", all);
    self->count = near_pairs(self, NULL);
    if (!self->count)
        return tac_setup_fail(setup, error, "reach", "no two points are nearer than %g m", self->reach);
    int32_t *pairs = tac_setup_alloc(setup, 2 * self->count, sizeof *pairs);
    if (!pairs) return tac_fail_memory(error, 2 * self->count * sizeof *pairs);
    near_pairs(self, pairs);
    self->pairs = pairs;
    return TAC_OK;
}

static TacStatus take_pairs(ConditionalLinks *self, TacSetup *setup, TacError *error) {
    bool given = tac_setup_given(setup, "pairs");
    if (given == !isnan(self->reach))
        return tac_setup_fail(setup, error, NULL,
                              given ? "has pairs and reach; one of them says which points are joined"
                                    : "needs pairs, or a reach: all points nearer than it are joined");
    if (!given) return join_near(self, setup, error);
    if (self->given_pairs.count % 2)
        return tac_setup_fail(setup, error, "pairs", "pairs has %zu numbers; two for each link were expected",
                              self->given_pairs.count);
    self->pairs = self->given_pairs.data;
    self->count = self->given_pairs.count / 2;
    for (size_t i = 0; i < 2 * self->count; i++) {
        size_t points = self->law.matter[i % 2]->count;
        if (self->pairs[i] < 0 || (size_t)self->pairs[i] >= points)
            return tac_setup_fail(setup, error, "pairs",
                                  "link %zu ends at point %d; the matter has points 0 to %zu", i / 2,
                                  self->pairs[i], points - 1);
        if (i % 2 && self->pairs[i] == self->pairs[i - 1] && self->law.matter[0] == self->law.matter[1])
            return tac_setup_fail(setup, error, "pairs", "link %zu begins and ends at point %d", i / 2,
                                  self->pairs[i]);
    }
    return TAC_OK;
}

static TacStatus take_rules(ConditionalLinks *self, TacSetup *setup, TacError *error) {
    TacError why = {0};
    const char *attribute = NULL;
    TacStatus status = tac_link_rules_read(&self->rules, self->states_text, self->rest_text,
                                           self->transitions_text, &attribute, &why);
    if (status != TAC_OK)
        return tac_setup_fail(setup, error, tac_setup_given(setup, attribute) ? attribute : NULL, "%s",
                              why.message);
    size_t n = self->rules.state_count;
    TAC_TRY(tac_law_one_or_each(setup, "stiffness", self->given_stiffness, n, self->stiffness, error));
    TAC_TRY(tac_law_one_or_each(setup, "damping", self->given_damping, n, self->damping, error));
    return tac_law_one_or_each(setup, "drag", self->given_drag, n, self->drag, error);
}

static TacStatus take_memory(ConditionalLinks *self, TacSetup *setup, TacError *error) {
    size_t n = self->count;
    self->start = tac_setup_alloc(setup, n, sizeof(double));
    self->memory = tac_setup_alloc(setup, n, sizeof *self->memory);
    self->pulls = tac_setup_alloc(setup, 3 * n, sizeof(double));
    self->tick = tac_setup_alloc(setup, 1, sizeof *self->tick);
    self->in_state = tac_setup_alloc(setup, self->rules.state_count, sizeof(double));
    if (!self->start || !self->memory || !self->pulls || !self->tick || !self->in_state)
        return tac_fail_memory(error, n * (sizeof *self->memory + 4 * sizeof(double)));
    self->counts = (TacReals){self->in_state, self->rules.state_count};
    *self->tick = -1;
    TAC_TRY(tac_setup_state(setup, self->memory, n * sizeof *self->memory, error));
    TAC_TRY(tac_setup_state(setup, self->in_state, self->rules.state_count * sizeof(double), error));
    return tac_setup_state(setup, self->tick, sizeof *self->tick, error);
}

// All links begin in one state; what they would have kept is the distance at the start.
static TacStatus enter_first(ConditionalLinks *self, TacSetup *setup, TacError *error) {
    const char *name = self->initial_text;
    int first = *name ? tac_link_state_find(&self->rules, name, strlen(name)) : 0;
    if (first < 0) return tac_setup_fail(setup, error, "initial", "there is no state \"%.40s\"", name);
    for (size_t i = 0; i < self->count; i++) {
        double d = distance_at_start(self, (size_t)self->pairs[2 * i], (size_t)self->pairs[2 * i + 1]);
        self->start[i] = d;
        self->memory[i] = (Memory){.rest = rest_of(&self->rules.states[first], d, d, d), .state = first};
    }
    count_states(self);
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    ConditionalLinks *self = data;
    TacMatter **matter = self->law.matter;
    if (!matter[1]) matter[1] = matter[0];
    self->law.inner = true;
    self->dimension = tac_law_place_size(matter[0]->kind);
    if (tac_law_place_size(matter[1]->kind) != self->dimension)
        return tac_setup_fail(setup, error, "other", "links cannot join %s and %s",
                              tac_matter_kind_name(matter[0]->kind), tac_matter_kind_name(matter[1]->kind));
    TAC_TRY(take_rules(self, setup, error));
    TAC_TRY(take_pairs(self, setup, error));
    TAC_TRY(take_memory(self, setup, error));
    return enter_first(self, setup, error);
}

static bool state_is_sound(const void *data) {
    const ConditionalLinks *self = data;
    for (size_t i = 0; i < self->count; i++)
        if (self->memory[i].state < 0 || (size_t)self->memory[i].state >= self->rules.state_count)
            return false;
    return true;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(ConditionalLinks, law),
    TAC_SECOND_MATTER_ATTRIBUTE(ConditionalLinks, law),
    {"pairs", TAC_INTS, offsetof(ConditionalLinks, given_pairs), "1", "",
     "The two ends of each link: a point of the matter, then one of the other.", NULL, TAC_NOT_NEGATIVE, 0},
    {"reach", TAC_REAL, offsetof(ConditionalLinks, reach), "m", "",
     "Instead of pairs: all points that are nearer than this at the start are joined.", NULL, TAC_POSITIVE,
     0},
    {"states", TAC_TEXT, offsetof(ConditionalLinks, states_text), "", NULL,
     "Names of the states that a link can be in, such as \"whole broken\".", NULL, TAC_ANY, 0},
    {"stiffness", TAC_REALS, offsetof(ConditionalLinks, given_stiffness), "N/m", NULL,
     "One for all states, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REALS, offsetof(ConditionalLinks, given_damping), "N s/m", "0",
     "Against changes of distance: one for all states, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"drag", TAC_REALS, offsetof(ConditionalLinks, given_drag), "N s/m", "0",
     "Against motion across the line between the ends: one for all states, or one each.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"rest", TAC_TEXT, offsetof(ConditionalLinks, rest_text), "m", "start",
     "The rest length in each state: a number, start (the distance at the start), entered (the distance when "
     "the "
     "state was entered; entered-0.01 adds to it) or kept (as in the state before). One for all, or one "
     "each.",
     NULL, TAC_ANY, 0},
    {"transitions", TAC_TEXT, offsetof(ConditionalLinks, transitions_text), "", "",
     "Sentences with semicolons between them: STATE to STATE when QUANTITY above NUMBER (or below; several "
     "with "
     "and). Quantities are distance, stretch, speed, slip, pull, push and time. The first that holds is "
     "followed, "
     "once an instant.",
     NULL, TAC_ANY, 0},
    {"initial", TAC_TEXT, offsetof(ConditionalLinks, initial_text), "", "",
     "The state that all links begin in; by default the first.", NULL, TAC_ANY, 0},
    {"stable", TAC_BOOL, offsetof(ConditionalLinks, stable), "", "true",
     "Leaves out of the stiffness what makes a compressed link buckle, so that implicit solvers always work.",
     NULL, TAC_ANY, 0},
    {"counts", TAC_REALS, offsetof(ConditionalLinks, counts), "1", "", "How many links are in each state.",
     NULL, TAC_ANY, TAC_OUTPUT},
};

// The pull of each link at its ends, as shown.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const ConditionalLinks *self = data;
    TacLawVectors shown;
    float *to[2];
    if (!tac_law_shown(&self->law, what == TAC_SCALAR_TENSION, sheet, &shown, to)) return;
    for (size_t i = 0; i < self->count; i++) {
        Link link = measure(self, &shown, i);
        double pull = pull_of(self, &self->memory[i], &link);
        for (int side = 0; side < 2; side++)
            tac_scalar_raise(to[side] + self->pairs[2 * i + (size_t)side], pull);
    }
}

const TacClass tac_conditional_links_class = {
    .name = "ConditionalLinks",
    .kind = TAC_KIND_LAW,
    .doc = "Links that go from state to state by rules, each with its own stiffness, damping and rest "
           "length: contact, "
           "plasticity, fracture, sticking and melting without special algorithms, as in CORDIS-ANIMA.",
    .size = sizeof(ConditionalLinks),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
    .state_is_sound = state_is_sound,
};
