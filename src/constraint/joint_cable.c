// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Cable: a massless line from one thing to another, over wheels that it turns or that turn it, rings and edges of bodies:
// one run from end to end. See cable.h for all that it does.

#include "base/memory.h"
#include "constraint/cable.h"

typedef struct Cable {
    TacJoint joint; // matter[0]: at the start, matter[1]: at the end; NULL: the world
    int64_t point[2];
    TacVec3 at[2];
    TacMatter *shown;
    double length;
    TacCable line;
    TacCableRun run;
    struct {
        double tension, known;
        double place[2][3]; // of the ends, at the last step
    } state;
    TacReals tensions, arcs, nodes;
    double tension_out[1 + TAC_CABLE_WHEELS], arc_out[TAC_CABLE_WHEELS],
        node_out[4 * TAC_CABLE_EDGE_NODES + 1];
} Cable;

// The run as it is: everything but its ends is state.
static TacCableRun *run_of(Cable *self) {
    TacCableRun *run = &self->run;
    run->first = 0;
    run->last = tac_cable_count(&self->line);
    for (int k = 0; k < 2; k++) run->was[k] = tac_load3(self->state.place[k]);
    return run;
}

static void add(void *data, const TacContext *context, TacRows *rows) {
    (void)context;
    Cable *self = data;
    TacCableRun *run = run_of(self);
    tac_cable_follow(&self->line, run, 1);
    for (int k = 0; k < 2; k++) tac_store3(self->state.place[k], tac_attachment_place(&run->end[k]));
    tac_cable_add(&self->line, run, rows);
}

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    Cable *self = data;
    tac_cable_take(&self->line, run_of(self), forces);
}

// --- looking ------------------------------------------------------------------------------------------------

static void show(Cable *self) {
    TacCablePath path;
    const TacMatter *m = self->shown;
    const TacCable *line = &self->line;
    tac_cable_path(line, run_of(self), &path, NULL);
    double from = line->way.drum[0] ? tac_cable_node(line, 0)->material[1] : 0;
    double to =
        line->way.drum[1] ? tac_cable_node(line, tac_cable_count(line) - 1)->material[0] : line->length;
    for (size_t i = 0; i < m->count; i++) {
        double part = m->count > 1 ? (double)i / (double)(m->count - 1) : 0;
        tac_store3(m->vectors[TAC_X] + 3 * i,
                   tac_cable_place(line, &self->run, &path, from + part * (to - from)));
    }
}

static void put_out(Cable *self) {
    const TacCable *line = &self->line;
    self->tension_out[0] = self->state.tension;
    for (size_t j = 0; j < line->wheel_count; j++) {
        const TacCableNode *n = &line->state->nodes[j];
        self->tension_out[1 + j] = n->wound.touched != 0 ? n->tension : 0;
        self->arc_out[j] = n->wound.touched != 0 ? n->wound.arc : 0;
    }
    double *out = self->node_out + 1;
    memset(self->node_out, 0, sizeof self->node_out);
    for (size_t k = 0; k < tac_cable_count(line); k++) {
        if (line->state->order[k] < TAC_CABLE_WHEELS) continue;
        const TacCableNode *n = tac_cable_node(line, k);
        self->node_out[0]++;
        memcpy(out, n->place[0], 3 * sizeof *out);
        out[3] = n->tension;
        out += 4;
    }
    if (self->shown) show(self);
}

static void settle(void *const *cables, size_t count, const TacSettling *settling) {
    (void)settling;
    for (size_t i = 0; i < count; i++) {
        Cable *self = cables[i];
        tac_cable_place_edges(&self->line);
        tac_cable_slide(&self->line, run_of(self));
        put_out(self);
    }
}

// --- operations ---------------------------------------------------------------------------------------------

static TacJointSize capacity(const void *data) {
    TacJointSize size = tac_cable_size(&((const Cable *)data)->line);
    return (TacJointSize){size.rows + 1, size.blocks + TAC_CABLE_STOPS, size.slots + 1};
}

static size_t matters(const void *data, TacMatter **list, size_t most) {
    const Cable *self = data;
    const TacCable *line = &self->line;
    TacMatter *const all[] = {line->way.drum[0] ? NULL : self->run.end[0].matter,
                              line->way.drum[1] ? NULL : self->run.end[1].matter,
                              line->wheel_count ? line->way.wheels_of : NULL,
                              line->body_count ? line->way.bodies_of : NULL, self->shown};
    size_t n = 0;
    for (size_t i = 0; i < TAC_COUNT(all) && n < most; i++) {
        bool known = !all[i];
        for (size_t k = 0; k < n; k++) known = known || list[k] == all[i];
        if (!known) list[n++] = all[i];
    }
    return n;
}

// From its start to its end: what it is tied to there, what it is led over, and what it may bend over.
static const TacAttachment *thing(const Cable *self, size_t i) {
    const TacCable *line = &self->line;
    size_t n = line->wheel_count;
    bool drum[2] = {line->way.drum[0], line->way.drum[1]};
    if (i == 0) return drum[0] ? &line->wheels[0].centre : &self->run.end[0];
    if (i <= n) return &line->wheels[i - 1].centre;
    if (i <= n + line->body_count) return &line->bodies[i - 1 - n];
    return drum[1] ? &line->wheels[n - 1].centre : &self->run.end[1];
}

// Each of them to the next.
static bool tie(const void *data, size_t number, TacTie *result) {
    const Cable *self = data;
    if (number > self->line.wheel_count + self->line.body_count) return false;
    const TacAttachment *a = thing(self, number), *b = thing(self, number + 1);
    *result = (TacTie){{a->matter, b->matter}, {a->point, b->point}};
    return true;
}

static double cost(const void *data) {
    (void)data;
    return 0;
}

static const char *unfit(const void *data) {
    const Cable *self = data;
    for (size_t i = 0; self->shown && i < self->shown->count; i++)
        if (!self->shown->held || !(self->shown->held[i] & TAC_HELD_WHOLLY))
            return "the points in which it is shown must be held: add a FixedPoints for all of them";
    return NULL;
}

static const TacJointOps ops = {.capacity = capacity,
                                .matters = matters,
                                .tie = tie,
                                .add = add,
                                .take = take,
                                .settle = settle,
                                .cost = cost,
                                .unfit = unfit};

// --- setting up ---------------------------------------------------------------------------------------------

static TacStatus find_ends(Cable *self, TacSetup *setup, TacError *error) {
    static const char *const names[2] = {"start", "end"}, *const points[2] = {"start_point", "end_point"};
    for (int k = 0; k < 2; k++) {
        TacMatter *m = self->joint.matter[k];
        if (self->line.way.drum[k]) continue;
        if (m && m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
            return tac_setup_fail(setup, error, names[k], "%s is %s; points or frames in space were expected",
                                  m->base.path, tac_matter_kind_name(m->kind));
        if (m && (size_t)self->point[k] >= m->count)
            return tac_setup_fail(setup, error, points[k], "%s has %zu points or frames, from 0",
                                  m->base.path, m->count);
        TacVec3 at = isnan(self->at[k].x) ? tac_vec3(0, 0, 0) : self->at[k];
        if (!m && isnan(self->at[k].x))
            return tac_setup_fail(setup, error, NULL,
                                  "needs %s, what it is tied to, or %s, where in the world",
                                  k ? "end" : "start", k ? "end_at" : "start_at");
        self->run.end[k] = (TacAttachment){m, (size_t)self->point[k], at};
    }
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Cable *self = data;
    TAC_TRY(tac_cable_find(&self->line, setup, error));
    TAC_TRY(find_ends(self, setup, error));
    if (self->shown && self->shown->kind != TAC_VEC3)
        return tac_setup_fail(setup, error, "shown", "points in space were expected");
    TacMatter *tied[5];
    size_t own = self->shown ? 1 : 0;
    if (matters(self, tied, 5) <= own)
        return tac_setup_fail(setup, error, NULL, "ties nothing that could move");
    TacCableRun *run = &self->run;
    run->tension = &self->state.tension;
    run->known = &self->state.known;
    self->line.first_slot = 1;
    TAC_TRY(tac_cable_lay(&self->line, run, self->length, setup, error));
    for (int k = 0; k < 2; k++) tac_store3(self->state.place[k], tac_attachment_place(&run->end[k]));
    self->tensions = (TacReals){self->tension_out, self->line.wheel_count + 1};
    self->arcs = (TacReals){self->arc_out, self->line.wheel_count};
    self->nodes = (TacReals){self->node_out, self->line.body_count ? TAC_COUNT(self->node_out) : 0};
    put_out(self);
    TAC_TRY(tac_setup_state(setup, &self->state, sizeof self->state, error));
    TAC_TRY(tac_setup_state(setup, self->tension_out, sizeof self->tension_out, error));
    TAC_TRY(tac_setup_state(setup, self->arc_out, sizeof self->arc_out, error));
    return tac_setup_state(setup, self->node_out, sizeof self->node_out, error);
}

static bool state_is_sound(const void *data) {
    return tac_cable_is_sound(&((const Cable *)data)->line);
}

static size_t nodes(const void *data, TacNodeMark *marks, size_t most) {
    return tac_cable_marks(&((const Cable *)data)->line, marks, most);
}

// All points in which it is shown have its largest tension.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const Cable *self = data;
    float *to = what == TAC_SCALAR_TENSION && self->shown ? tac_scalar_sheet_of(sheet, self->shown) : NULL;
    for (size_t i = 0; to && i < self->shown->count; i++)
        for (size_t k = 0; k < self->tensions.count; k++) tac_scalar_raise(to + i, self->tension_out[k]);
}

static const TacAttribute attributes[] = {
    {"start", TAC_LINK, offsetof(Cable, joint.matter[0]), "", "",
     "What its start is tied to; by default the world.", "matter", TAC_ANY, 0},
    {"start_point", TAC_INT, offsetof(Cable, point[0]), "1", "0", "Which point or frame of that, from 0.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"start_at", TAC_VECTOR, offsetof(Cable, at[0]), "m", "",
     "Where on that frame, in its axes; where in the world, without one.", NULL, TAC_ANY, 0},
    {"end", TAC_LINK, offsetof(Cable, joint.matter[1]), "", "",
     "What its end is tied to; by default the world.", "matter", TAC_ANY, 0},
    {"end_point", TAC_INT, offsetof(Cable, point[1]), "1", "0", "Which point or frame of that, from 0.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"end_at", TAC_VECTOR, offsetof(Cable, at[1]), "m", "",
     "Where on that frame, in its axes; where in the world, without one.", NULL, TAC_ANY, 0},
    TAC_CABLE_WAY_ATTRIBUTES(Cable, line.way),
    {"length", TAC_REAL, offsetof(Cable, length), "m", "",
     "At rest, without what drums have in store; by default as it starts.", NULL, TAC_POSITIVE, 0},
    {"stretch", TAC_REAL, offsetof(Cable, line.stretch), "N", "0", "EA; 0: it does not stretch.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REAL, offsetof(Cable, line.damping), "s", "",
     "The time in which stretch is damped away; by default two steps.", NULL, TAC_NOT_NEGATIVE, 0},
    {"shown", TAC_LINK, offsetof(Cable, shown), "", "",
     "Points, all held by FixedPoints, that are put along the cable to be looked at.", "matter", TAC_ANY, 0},
    {"tensions", TAC_REALS, offsetof(Cable, tensions), "N", "",
     "Of the span at the start, then of those behind each wheel; 0 where a wheel is not touched.", NULL,
     TAC_ANY, TAC_OUTPUT},
    {"arcs", TAC_REALS, offsetof(Cable, arcs), "rad", "", "On each wheel.", NULL, TAC_ANY, TAC_OUTPUT},
    {"nodes", TAC_REALS, offsetof(Cable, nodes), "1, m, N", "",
     "How many nodes there are on edges of bodies; then, from start to end, place and tension behind of "
     "each.",
     NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_cable_class = {
    .name = "Cable",
    .kind = TAC_KIND_JOINT,
    .doc = "A massless cable between two things, over wheels, rings and edges of bodies: it turns them and "
           "is turned by "
           "them as far as friction allows, is let go and taken up by them, and is wound on drums.",
    .size = sizeof(Cable),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .state_is_sound = state_is_sound,
    .ops.joint = &ops,
    .scalars = scalars,
    .nodes = nodes,
};
