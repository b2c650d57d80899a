// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Inputs: what comes from outside while time runs, checked, applied and logged. See hand.h for the rules.

#include "base/memory.h"
#include "world/account.h"
#include "world/rest.h"
#include "world/touch_law.h"
#include "world/world.h"

#include <inttypes.h>

enum { MOST_INPUTS = 1 << 20 };

static const double EXPLICIT_LIMIT = 0.1;                    // of k h^2 / m, where a kick is explicit
static const double PIN_STIFFNESS = 100;                     // in m / h^2, where an implicit solver takes it
static const double EXPLICIT_PUSH = 0.25, IMPLICIT_PUSH = 1; // of the sphere, in m / h^2

static bool is_finite(TacVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// --- holding ----------------------------------------------------------------------------------------------

static TacStatus find_matter(const TacWorld *world, TacComponentId id, uint64_t point, uint64_t *matter,
                             TacError *error) {
    const TacMatter *m = tac_world_get_matter(world, id);
    if (!m) return tac_fail(error, TAC_BAD_USAGE, "not matter of this world");
    if (point >= m->count)
        return tac_fail(error, TAC_BAD_USAGE, "%s has %zu points; there is no point %" PRIu64, m->base.path,
                        m->count, point);
    *matter = 0;
    for (; world->matters[*matter] != m; (*matter)++) {
    }
    return TAC_OK;
}

// Stiffness and damping for the mass that is felt; see rule 2 of hand.h.
static TacStatus set_strength(TacWorld *world, TacHold *hold, double strength, TacError *error) {
    double mass = tac_touch_mass(world, hold), step = tac_touch_step(world, (size_t)hold->matter);
    bool implicit = tac_touch_implicit(world, (size_t)hold->matter);
    if (!tac_touch_can_carry(world, (size_t)hold->matter))
        return tac_fail(
            error, TAC_BAD_USAGE,
            "%s cannot be pulled: its solver needs a matrix, and a map above it cannot be written as "
            "one; pull what it follows",
            world->matters[hold->matter]->base.path);
    if (mass == 0 && !implicit)
        return tac_fail(error, TAC_BAD_USAGE, "%s cannot be pulled: it has no mass, or nothing can move it",
                        world->matters[hold->matter]->base.path);
    double limit = EXPLICIT_LIMIT * mass / (step * step);
    hold->stiffness = implicit ? strength : fmin(strength, limit);
    hold->damping = 2 * sqrt(hold->stiffness * mass);
    return TAC_OK;
}

// Where on a frame a place is; points have but one place.
static TacVec3 local_place(const TacMatter *m, size_t point, TacVec3 place) {
    const double *x = m->vectors[TAC_X_SHOWN] + (size_t)m->position_size * point;
    if (m->kind == TAC_RIGID3) return tac_rotate_back(tac_load_quat(x + 3), tac_sub(place, tac_load3(x)));
    if (m->kind != TAC_RIGID2) return tac_vec3(0, 0, 0);
    double dx = place.x - x[0], dy = place.y - x[1], c = cos(x[2]), s = sin(x[2]);
    return tac_vec3(c * dx + s * dy, c * dy - s * dx, 0);
}

static TacStatus grab(TacWorld *world, const TacInput *input, TacError *error) {
    if (!(input->value > 0) || !isfinite(input->value))
        return tac_fail(error, TAC_BAD_USAGE, "a hand's strength must be positive, in N/m; it is %g",
                        input->value);
    TacHold hold = {.used = 1, .point = input->point, .target = input->a};
    TAC_TRY(find_matter(world, input->component, input->point, &hold.matter, error));
    tac_world_show(world);
    hold.local = local_place(world->matters[hold.matter], input->point, input->a);
    TAC_TRY(set_strength(world, &hold, input->value, error));
    world->hands.state.holds[input->hand] = hold;
    return TAC_OK;
}

static TacStatus drag(TacWorld *world, const TacInput *input, TacError *error) {
    TacHold *hold = &world->hands.state.holds[input->hand];
    if (!hold->used) return tac_fail(error, TAC_BAD_USAGE, "hand %d holds nothing", input->hand);
    hold->target = input->a;
    return TAC_OK;
}

// Lets go; with a velocity, what follows no other matter leaves with it.
static TacStatus release(TacWorld *world, const TacInput *input, TacError *error) {
    TacHold *hold = &world->hands.state.holds[input->hand];
    TacHold old = *hold;
    *hold = (TacHold){0};
    TacMatter *m = old.used ? world->matters[old.matter] : NULL;
    if (!m || input->value == 0 || m->mapped) return TAC_OK;
    size_t n = (size_t)m->velocity_size, d = m->kind == TAC_RIGID3 ? 3 : m->kind == TAC_RIGID2 ? 2 : n;
    double *v = malloc(tac_vector_size(m, TAC_V) * sizeof *v);
    if (!v) return tac_fail_memory(error, tac_vector_size(m, TAC_V) * sizeof *v);
    tac_world_show(world);
    memcpy(v, m->vectors[TAC_V_SHOWN], tac_vector_size(m, TAC_V) * sizeof *v);
    const double throw[3] = {input->a.x, input->a.y, input->a.z};
    memcpy(v + n * old.point, throw, d * sizeof *v);
    TacComponentId id = {world->component_ids[2 * m->base.index],
                         world->component_ids[2 * m->base.index + 1]};
    TacStatus status = tac_world_set_state(world, id, NULL, v, error);
    free(v);
    return status;
}

static TacHold *find_pin(TacWorld *world, uint64_t matter, uint64_t point, bool want_free) {
    TacHold *holds = world->hands.state.holds;
    for (size_t i = TAC_HANDS; i < TAC_HOLDS; i++)
        if (want_free ? !holds[i].used
                      : holds[i].used && holds[i].matter == matter && holds[i].point == point)
            return &holds[i];
    return NULL;
}

static TacStatus pin(TacWorld *world, const TacInput *input, TacError *error) {
    TacHold hold = {.used = 1, .point = input->point};
    TAC_TRY(find_matter(world, input->component, input->point, &hold.matter, error));
    if (find_pin(world, hold.matter, hold.point, false)) return TAC_OK;
    TacHold *slot = find_pin(world, 0, 0, true);
    if (!slot)
        return tac_fail(error, TAC_BAD_USAGE, "there are %d pins already, and no more at a time", TAC_PINS);
    tac_world_show(world);
    const TacMatter *m = world->matters[hold.matter];
    hold.target = tac_hold_place(m, &hold, m->vectors[TAC_X_SHOWN]);
    double step = tac_touch_step(world, (size_t)hold.matter);
    double mass = tac_touch_mass(world, &hold);
    // where there is no mass to compare with, as with Static, strong for anything that people hold
    double strength = mass > 0 ? PIN_STIFFNESS * mass / (step * step) : 1e6;
    TAC_TRY(set_strength(world, &hold, strength, error));
    *slot = hold;
    // at once where points have times of their own, or fall by themselves: the next instant may be anybody's
    if ((m->times && !m->mapped) || tac_matter_falls(m)) {
        tac_world_arrive(world, world->matters[hold.matter]);
        tac_world_hold_pins(world);
    }
    return TAC_OK;
}

static TacStatus unpin(TacWorld *world, const TacInput *input, TacError *error) {
    uint64_t matter = 0;
    TAC_TRY(find_matter(world, input->component, input->point, &matter, error));
    TacHold *hold = find_pin(world, matter, input->point, false);
    if (!hold) return TAC_OK;
    if (tac_matter_falls(world->matters[matter])) tac_world_arrive(world, world->matters[matter]);
    *hold = (TacHold){0};
    return TAC_OK;
}

// --- the sphere -------------------------------------------------------------------------------------------

static TacStatus move_sphere(TacWorld *world, const TacInput *input, TacError *error) {
    TacHands *h = &world->hands;
    if (!(input->value >= 0) || !isfinite(input->value))
        return tac_fail(error, TAC_BAD_USAGE, "the sphere's radius cannot be %g m", input->value);
    bool begins = h->state.radius == 0 && input->value > 0;
    h->state.center = input->a;
    h->state.radius = input->value;
    for (size_t i = 0; begins && i < world->matter_count; i++) {
        double step = tac_touch_step(world, i),
               mass = h->laws[i].takes_sphere && tac_touch_can_carry(world, i)
                          ? tac_touch_least_mass(world, i)
                          : 0;
        h->sphere_stiffness[i] =
            (tac_touch_implicit(world, i) ? IMPLICIT_PUSH : EXPLICIT_PUSH) * mass / (step * step);
    }
    return TAC_OK;
}

// --- all of them ------------------------------------------------------------------------------------------

static TacStatus apply(TacWorld *world, const TacInput *input, TacError *error) {
    TacTouchState *s = &world->hands.state;
    switch (input->kind) {
    case TAC_INPUT_GRAB: return grab(world, input, error);
    case TAC_INPUT_DRAG: return drag(world, input, error);
    case TAC_INPUT_RELEASE: return release(world, input, error);
    case TAC_INPUT_PIN: return pin(world, input, error);
    case TAC_INPUT_UNPIN: return unpin(world, input, error);
    case TAC_INPUT_SPHERE: return move_sphere(world, input, error);
    case TAC_INPUT_CAMERA:
        s->eye = input->a;
        s->aim = input->b;
        return TAC_OK;
    case TAC_INPUT_SELECT:
        s->selected = input->component.index1 | (uint64_t)input->component.generation << 32;
        return TAC_OK;
    }
    return tac_fail(error, TAC_BAD_USAGE, "not a kind of input");
}

// Whom an input may set in motion: what a hand held until now, what is named, and what the sphere was in, or is in now.
// Nobody who rests would else notice that something pulls, or that nothing holds it any more.
typedef struct Handled {
    const TacMatter *held, *named;
    TacVec3 center; // the sphere's, until now
    double radius;
} Handled;

static Handled handled_by(const TacWorld *world, const TacInput *input) {
    const TacHold *hold = &world->hands.state.holds[input->hand];
    bool by_hand =
        input->kind == TAC_INPUT_GRAB || input->kind == TAC_INPUT_DRAG || input->kind == TAC_INPUT_RELEASE;
    return (Handled){.held = by_hand && hold->used ? world->matters[hold->matter] : NULL,
                     .named = tac_world_get_matter(world, input->component),
                     .center = world->hands.state.center,
                     .radius = world->hands.state.radius};
}

static bool reaches(const TacMatter *m, TacVec3 center, double radius) {
    const double *x = m->vectors[TAC_X_SHOWN];
    for (size_t i = 0; radius > 0 && i < m->count; i++) {
        TacVec3 away = tac_sub(tac_hold_place(m, &(TacHold){.point = i}, x), center);
        if (tac_dot(away, away) < radius * radius) return true;
    }
    return false;
}

static TacStatus rouse_handled(TacWorld *world, const TacInput *input, const Handled *before,
                               TacError *error) {
    if (before->held) TAC_TRY(tac_world_rouse(world, before->held, error));
    if (before->named && before->named != before->held) TAC_TRY(tac_world_rouse(world, before->named, error));
    if (input->kind != TAC_INPUT_SPHERE) return TAC_OK;
    tac_world_show(world);
    for (size_t i = 0; i < world->matter_count; i++) {
        const TacMatter *m = world->matters[i];
        if (!(world->hands.sphere_stiffness[i] > 0)) continue;
        if (reaches(m, before->center, before->radius) || reaches(m, input->a, input->value))
            TAC_TRY(tac_world_rouse(world, m, error));
    }
    return TAC_OK;
}

// Where one input takes the place of the one before: nothing happened in between.
static bool replaces(const TacInput *last, const TacInput *input) {
    bool moves = input->kind == TAC_INPUT_DRAG || input->kind == TAC_INPUT_CAMERA ||
                 (input->kind == TAC_INPUT_SPHERE && last->value > 0 && input->value > 0);
    return moves && last->kind == input->kind && last->hand == input->hand && last->tick == input->tick;
}

static void note(TacHands *h, const TacInput *input) {
    if (h->input_count > 0 && replaces(&h->inputs[h->input_count - 1], input)) h->input_count--;
    h->inputs[h->input_count++] = *input;
    h->state.input_count = h->input_count;
}

TacStatus tac_world_input(TacWorld *world, const TacInput *input, TacError *error) {
    TacHands *h = &world->hands;
    if (input->hand < 0 || input->hand >= TAC_HANDS)
        return tac_fail(error, TAC_BAD_USAGE, "there is no hand %d: they are 0 to %d", input->hand,
                        TAC_HANDS - 1);
    if (!is_finite(input->a) || !is_finite(input->b))
        return tac_fail(error, TAC_BAD_USAGE, "places and velocities of an input must be finite");
    if (h->input_count >= MOST_INPUTS)
        return tac_fail(error, TAC_FAILED, "there is room for %zu inputs, and no more", h->input_count);
    if (!tac_grow(&h->inputs, &h->input_capacity, h->input_count + 1, sizeof *input))
        return tac_fail_memory(error, sizeof *input);
    TAC_TRY(tac_world_before_change(world, error));
    bool had_sphere = h->state.radius > 0;
    bool pins = input->kind == TAC_INPUT_PIN || input->kind == TAC_INPUT_UNPIN;
    Handled before = handled_by(world, input);
    TacStatus status = apply(world, input, error);
    if (status == TAC_OK) {
        TacInput logged = *input;
        logged.tick = world->now;
        note(h, &logged);
    }
    // where somebody looks pushes nothing
    if (input->kind == TAC_INPUT_CAMERA || input->kind == TAC_INPUT_SELECT) return status;
    bool only_moves = input->kind == TAC_INPUT_DRAG ||
                      (input->kind == TAC_INPUT_SPHERE && had_sphere == (h->state.radius > 0));
    if (pins) tac_account_close(world); // what was pinned did not fall, or did
    if (!only_moves) tac_hands_arrange(world);
    if (pins && status == TAC_OK) status = tac_world_renew_falls(world, error);
    if (pins) tac_account_open(world);
    if (status == TAC_OK) status = rouse_handled(world, input, &before, error);
    world->shown = -1;
    return status;
}

const TacInput *tac_world_inputs(const TacWorld *world, size_t *count) {
    *count = world->hands.input_count;
    return world->hands.inputs;
}

// --- by name ----------------------------------------------------------------------------------------------

TacStatus tac_world_grab(TacWorld *world, int hand, TacComponentId matter, size_t point, TacVec3 target,
                         double strength, TacError *error) {
    TacInput input = {.kind = TAC_INPUT_GRAB,
                      .hand = hand,
                      .component = matter,
                      .point = point,
                      .a = target,
                      .value = strength};
    return tac_world_input(world, &input, error);
}

TacStatus tac_world_drag(TacWorld *world, int hand, TacVec3 target, TacError *error) {
    return tac_world_input(world, &(TacInput){.kind = TAC_INPUT_DRAG, .hand = hand, .a = target}, error);
}

TacStatus tac_world_release(TacWorld *world, int hand, const TacVec3 *velocity, TacError *error) {
    TacInput input = {.kind = TAC_INPUT_RELEASE, .hand = hand};
    if (velocity) {
        input.a = *velocity;
        input.value = 1;
    }
    return tac_world_input(world, &input, error);
}

TacStatus tac_world_pin(TacWorld *world, TacComponentId matter, size_t point, TacError *error) {
    return tac_world_input(world, &(TacInput){.kind = TAC_INPUT_PIN, .component = matter, .point = point},
                           error);
}

TacStatus tac_world_unpin(TacWorld *world, TacComponentId matter, size_t point, TacError *error) {
    return tac_world_input(world, &(TacInput){.kind = TAC_INPUT_UNPIN, .component = matter, .point = point},
                           error);
}

TacStatus tac_world_sphere(TacWorld *world, TacVec3 center, double radius, TacError *error) {
    return tac_world_input(world, &(TacInput){.kind = TAC_INPUT_SPHERE, .a = center, .value = radius}, error);
}

bool tac_world_hand_force(TacWorld *world, int hand, TacVec3 *force, TacVec3 *place) {
    *force = *place = tac_vec3(0, 0, 0);
    const TacHold *hold = hand >= 0 && hand < TAC_HANDS ? &world->hands.state.holds[hand] : NULL;
    if (!hold || !hold->used) return false;
    tac_world_show(world);
    const TacMatter *m = world->matters[hold->matter];
    const double *x = m->vectors[TAC_X_SHOWN];
    *force = tac_hold_force(m, hold, x, m->vectors[TAC_V_SHOWN]);
    *place = tac_hold_place(m, hold, x);
    return true;
}
