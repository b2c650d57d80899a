// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The statements of CORDIS-ANIMA model files, one function each. The first twelve are the document's (III.5.6),
// the rest is in the same spirit: one line, one keyword, one name, parameters. See ca.h.

#define _GNU_SOURCE
#include "base/text.h"
#include "scene/ca.h"

#include <math.h>
#include <stdio.h>

static const double LARGEST = 1e15; // of any number with a meaning; keeps squares finite

enum { MOST_MOMENTS = 1000000 };

// --- the milieu and time ----------------------------------------------------------------------------------

static bool read_viscosity(TacCa *ca) {
    return tac_ca_want_number(ca, "the viscosity of the milieu (N s/m)", 0, LARGEST, &ca->viscosity);
}

static bool read_gravity(TacCa *ca) {
    ca->gravity_place = ca->statement;
    return tac_ca_want_number(ca, "gravity (m/s^2, downward)", -LARGEST, LARGEST, &ca->gravity);
}

static bool read_rate(TacCa *ca) {
    return tac_ca_want_number(ca, "the rate (steps per second)", 1e-3, 1e7, &ca->rate);
}

static bool read_duration(TacCa *ca) {
    return tac_ca_want_number(ca, "the duration (s)", 1e-9, 1e9, &ca->duration);
}

static bool read_frames(TacCa *ca) {
    return tac_ca_want_number(ca, "frames per second", 1e-3, 1e6, &ca->frames);
}

static bool read_title(TacCa *ca) {
    tac_ca_skip(&ca->scan, false);
    const char *from = ca->scan.at;
    tac_ca_skip_line(&ca->scan);
    size_t length = (size_t)(ca->scan.at - from);
    while (length && (unsigned char)from[length - 1] <= ' ') length--;
    for (size_t i = 0; i < length; i++)
        if (!from[i]) return tac_ca_complain(ca, ca->statement, "the title contains a zero byte");
    ca->title = tac_arena_text_n(ca->arena, from, length);
    return ca->title != NULL || tac_ca_no_memory(ca);
}

// --- definitions ------------------------------------------------------------------------------------------

// Puts a finished definition's name into its name space.
static bool enter(TacCa *ca, uint32_t space, const char *name, size_t index) {
    TacName *entry = tac_names_add(&ca->names, space, name);
    if (!entry) return tac_ca_no_memory(ca);
    entry->child = (uint32_t)index;
    return true;
}

static bool read_mass(TacCa *ca) {
    TacCaMass mass;
    if (!tac_ca_want_new_name(ca, TAC_CA_MASSES, &mass.name) ||
        !tac_ca_want_number(ca, "the mass (kg)", 1e-30, LARGEST, &mass.kg))
        return false;
    if (!tac_grow(&ca->masses, &ca->mass_capacity, ca->mass_count + 1, sizeof *ca->masses))
        return tac_ca_no_memory(ca);
    ca->masses[ca->mass_count] = mass;
    return enter(ca, TAC_CA_MASSES, mass.name, ca->mass_count++);
}

static bool read_pieces(TacCa *ca, TacCaLaw *law) {
    if (!tac_ca_want_count(ca, "the number of pieces", TAC_CA_MOST_PIECES, &law->pieces)) return false;
    law->slopes = tac_arena_array(ca->arena, law->pieces, sizeof *law->slopes);
    law->thresholds = tac_arena_array(ca->arena, law->pieces, sizeof *law->thresholds);
    if (!law->slopes || !law->thresholds) return tac_ca_no_memory(ca);
    for (size_t i = 0; i < law->pieces; i++) {
        double piece[2];
        tac_ca_skip(&ca->scan, true);
        TacPlace place = tac_ca_place(&ca->scan);
        if (!tac_ca_want_tuple(ca, "a piece (slope,threshold)", "()", piece, 2)) return false;
        if (!(fabs(piece[0]) <= LARGEST && piece[1] >= 0 && piece[1] <= LARGEST))
            return tac_ca_complain(ca, place, "a threshold is a distance (m), 0 or more");
        if (i == 0 && piece[1] != 0)
            return tac_ca_complain(ca, place, "the threshold of the first piece, the base slope, is 0");
        law->slopes[i] = piece[0];
        law->thresholds[i] = piece[1];
    }
    return true;
}

static bool add_law(TacCa *ca, TacCaLaw law) {
    if (!tac_grow(&ca->laws, &ca->law_capacity, ca->law_count + 1, sizeof *ca->laws))
        return tac_ca_no_memory(ca);
    ca->laws[ca->law_count] = law;
    return enter(ca, TAC_CA_LAWS, law.name, ca->law_count++);
}

static bool read_law(TacCa *ca) {
    TacCaLaw law = {0};
    if (!tac_ca_want_new_name(ca, TAC_CA_LAWS, &law.name) || !read_pieces(ca, &law) ||
        !tac_ca_want_tuple(ca, "the distance at which the force is zero, [m]", "[]", &law.zero, 1))
        return false;
    if (!(law.zero >= 0 && law.zero <= LARGEST))
        return tac_ca_complain(ca, ca->statement, "the distance at which the force is zero is 0 or more");
    return add_law(ca, law);
}

// Lennard-Jones' V_n, which the law itself draws with three pieces.
static bool read_attraction(TacCa *ca) {
    TacCaLaw law = {.exponent = 6};
    if (!tac_ca_want_new_name(ca, TAC_CA_LAWS, &law.name) ||
        !tac_ca_want_number(ca, "the energy that parts two balls (J)", 1e-30, LARGEST, &law.depth) ||
        !tac_ca_want_number(ca, "the distance of two balls at rest (m)", 1e-12, LARGEST, &law.distance))
        return false;
    TacCaScan before = ca->scan;
    if (!tac_ca_skip(&ca->scan, false) || !tac_ca_number(&ca->scan, &law.exponent)) ca->scan = before;
    if (!(law.exponent >= 1 && law.exponent <= 100))
        return tac_ca_complain(ca, ca->statement, "the exponent n is between 1 and 100");
    return add_law(ca, law);
}

// --- groups -----------------------------------------------------------------------------------------------

static bool add_group(TacCa *ca, TacCaGroup group) {
    if (ca->balls + group.count > TAC_CA_MOST_BALLS)
        return tac_ca_complain(ca, ca->statement, "the model has more than %d balls", TAC_CA_MOST_BALLS);
    group.place = ca->statement;
    group.x = tac_arena_array(ca->arena, 3 * group.count, sizeof(double));
    group.placed = tac_arena_array(ca->arena, group.count, sizeof(bool));
    if (!group.x || !group.placed ||
        !tac_grow(&ca->groups, &ca->group_capacity, ca->group_count + 1, sizeof *ca->groups))
        return tac_ca_no_memory(ca);
    ca->balls += group.count;
    ca->groups[ca->group_count] = group;
    return enter(ca, TAC_CA_GROUPS, group.name, ca->group_count++);
}

static bool read_mobile(TacCa *ca) {
    TacCaGroup group = {.kind = TAC_CA_MOBILE, .law = TAC_NONE};
    if (!tac_ca_want_new_name(ca, TAC_CA_GROUPS, &group.name) ||
        !tac_ca_want_count(ca, "the number of balls", TAC_CA_MOST_BALLS, &group.count) ||
        !tac_ca_want_known(ca, TAC_CA_MASSES, &group.mass))
        return false;
    if (tac_ca_option(ca, "AGGLO") && !tac_ca_want_known(ca, TAC_CA_LAWS, &group.law)) return false;
    return add_group(ca, group);
}

static bool read_unmoved(TacCa *ca, TacCaKind kind) {
    TacCaGroup group = {.kind = kind, .law = TAC_NONE, .mass = TAC_NONE};
    return tac_ca_want_new_name(ca, TAC_CA_GROUPS, &group.name) &&
           tac_ca_want_count(ca, "the number of balls", TAC_CA_MOST_BALLS, &group.count) &&
           add_group(ca, group);
}

static bool read_fixed(TacCa *ca) {
    return read_unmoved(ca, TAC_CA_FIXED);
}

static bool read_hand(TacCa *ca) {
    return read_unmoved(ca, TAC_CA_HAND);
}

// "[x]" on the same line, where it is given; false after a complaint.
static bool may_have(TacCa *ca, const char *what, double most, double *value) {
    if (!tac_ca_skip(&ca->scan, false) || *ca->scan.at != '[') return true;
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_want_tuple(ca, what, "[]", value, 1)) return false;
    if (*value >= 0 && *value <= most) return true;
    return tac_ca_complain(ca, place, "%s is %g; 0 to %g was expected", what, *value, most);
}

static bool want_spring(TacCa *ca, const char *what, uint32_t *law) {
    if (!tac_ca_want_known(ca, TAC_CA_LAWS, law)) return false;
    const TacCaLaw *l = &ca->laws[*law];
    if (l->pieces == 1 && l->slopes[0] <= 0 && !(l->reach > 0)) return true;
    return tac_ca_complain(ca, ca->statement,
                           "%s is made of springs: \"%s\" should have one piece, falling with distance", what,
                           l->name);
}

// A net of masses and springs around a group.
static bool read_skin(TacCa *ca) {
    TacCaGroup skin = {.kind = TAC_CA_SKIN};
    return tac_ca_want_new_name(ca, TAC_CA_GROUPS, &skin.name) &&
           tac_ca_want_known(ca, TAC_CA_GROUPS, &skin.inside) &&
           tac_ca_want_known(ca, TAC_CA_MASSES, &skin.mass) && want_spring(ca, "a skin", &skin.law) &&
           tac_ca_want_number(ca, "the distance of the skin from the balls (m)", 1e-12, LARGEST,
                              &skin.distance) &&
           may_have(ca, "the tension of the skin, [part of its size]", 1, &skin.tension) &&
           add_group(ca, skin);
}

// What is told of balls cannot be told of a skin's points: nobody knows how many there will be.
static bool has_balls(TacCa *ca, uint32_t group) {
    const TacCaGroup *g = &ca->groups[group];
    if (g->kind != TAC_CA_SKIN) return true;
    return tac_ca_complain(ca, ca->statement,
                           "%s is a skin: where its points are follows from the balls of %s", g->name,
                           ca->groups[g->inside].name);
}

static void range_of(const TacCa *ca, TacCaWho who, size_t *first, size_t *end) {
    *first = who.one ? who.ball : 0;
    *end = who.one ? who.ball + 1 : ca->groups[who.group].count;
}

// 3 numbers per ball that a group may have.
static bool numbers_of(TacCa *ca, TacCaGroup *group, double **numbers) {
    if (!*numbers) *numbers = tac_arena_array(ca->arena, 3 * group->count, sizeof(double));
    return *numbers != NULL || tac_ca_no_memory(ca);
}

static bool read_hold(TacCa *ca) {
    TacCaWho who;
    if (!tac_ca_want_balls(ca, &who) || !has_balls(ca, who.group)) return false;
    TacCaGroup *group = &ca->groups[who.group];
    if (group->kind != TAC_CA_MOBILE)
        return tac_ca_complain(ca, ca->statement, "%s does not move by itself; there is nothing to hold",
                               group->name);
    if (!group->held) group->held = tac_arena_array(ca->arena, group->count, sizeof(bool));
    if (!group->held) return tac_ca_no_memory(ca);
    size_t first, end;
    range_of(ca, who, &first, &end);
    for (size_t i = first; i < end; i++) group->held[i] = true;
    return true;
}

// --- links ------------------------------------------------------------------------------------------------

static bool read_law_viscosity(TacCa *ca) {
    uint32_t index;
    double z, reach = 0;
    if (!tac_ca_want_known(ca, TAC_CA_LAWS, &index) ||
        !tac_ca_want_number(ca, "the viscosity of the law (N s/m)", 0, LARGEST, &z) ||
        !may_have(ca, "the distance within which it acts, [m]", LARGEST, &reach))
        return false;
    ca->laws[index].viscosity = z;
    ca->laws[index].reach = reach;
    return true;
}

static bool add_link(TacCa *ca, TacCaLink link) {
    link.place = ca->statement;
    if (!tac_grow(&ca->links, &ca->link_capacity, ca->link_count + 1, sizeof *ca->links))
        return tac_ca_no_memory(ca);
    ca->links[ca->link_count++] = link;
    return true;
}

static bool moves(const TacCa *ca, TacCaWho who) {
    return tac_ca_moves(&ca->groups[who.group]);
}

static bool read_link(TacCa *ca) {
    TacCaLink link = {0};
    if (!tac_ca_want_balls(ca, &link.ends[0]) || !tac_ca_want_balls(ca, &link.ends[1]) ||
        !tac_ca_want_known(ca, TAC_CA_LAWS, &link.law))
        return false;
    TacCaWho a = link.ends[0], b = link.ends[1];
    const char *name = ca->groups[a.group].name;
    if (!moves(ca, a) && !moves(ca, b))
        return tac_ca_complain(ca, ca->statement, "neither %s nor %s can move", name,
                               ca->groups[b.group].name);
    if (a.group == b.group && ca->groups[a.group].kind == TAC_CA_SKIN)
        return tac_ca_complain(ca, ca->statement, "the points of %s are linked already: it is a skin", name);
    if (a.group == b.group && !(a.one && b.one))
        return tac_ca_complain(ca, ca->statement,
                               "%s is linked with itself: DEFMOB %s %zu ... AGGLO LAW does that", name, name,
                               ca->groups[a.group].count);
    if (a.group == b.group && a.ball == b.ball)
        return tac_ca_complain(ca, ca->statement, "a ball cannot be linked with itself");
    // the one that moves comes first
    if (!moves(ca, a)) {
        link.ends[0] = b;
        link.ends[1] = a;
    }
    return add_link(ca, link);
}

static bool read_chain(TacCa *ca) {
    TacCaLink link = {.chain = true};
    uint32_t group;
    if (!tac_ca_want_known(ca, TAC_CA_GROUPS, &group) || !has_balls(ca, group) ||
        !want_spring(ca, "a chain", &link.law))
        return false;
    link.ends[0] = link.ends[1] = (TacCaWho){group, false, 0};
    if (!moves(ca, link.ends[0]))
        return tac_ca_complain(ca, ca->statement, "%s cannot move", ca->groups[group].name);
    if (ca->groups[group].count < 2)
        return tac_ca_complain(ca, ca->statement, "%s has one ball; a chain has two or more",
                               ca->groups[group].name);
    return add_link(ca, link);
}

// --- where, how fast --------------------------------------------------------------------------------------

static bool want_vector(TacCa *ca, const char *what, double v[3]) {
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_want_tuple(ca, what, "()", v, 3)) return false;
    for (int k = 0; k < 3; k++)
        if (!(fabs(v[k]) <= LARGEST)) return tac_ca_complain(ca, place, "%g is too large", v[k]);
    return true;
}

static void place_ball(TacCaGroup *group, size_t i, const double x[3]) {
    memcpy(group->x + 3 * i, x, 3 * sizeof(double));
    group->placed[i] = true;
}

// One place for each ball that is named.
static bool read_position(TacCa *ca) {
    TacCaWho who;
    if (!tac_ca_want_balls(ca, &who) || !has_balls(ca, who.group)) return false;
    TacCaGroup *group = &ca->groups[who.group];
    size_t first, end;
    range_of(ca, who, &first, &end);
    for (size_t i = first; i < end; i++) {
        double x[3];
        tac_ca_skip(&ca->scan, true);
        if (i > first && (ca->scan.at == ca->scan.end || *ca->scan.at != '('))
            return tac_ca_complain(
                ca, tac_ca_place(&ca->scan),
                "%s has %zu balls and %zu places; give a place for each, or scatter them with "
                "POSITAROUND",
                group->name, end - first, i - first);
        if (!want_vector(ca, "a place (x,y,z)", x)) return false;
        place_ball(group, i, x);
    }
    return true;
}

static bool read_around(TacCa *ca) {
    TacCaWho who;
    double x[3], half[3];
    if (!tac_ca_want_balls(ca, &who) || !has_balls(ca, who.group)) return false;
    TacCaGroup *group = &ca->groups[who.group];
    if (!want_vector(ca, "the middle (x,y,z)", x)) return false;
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_want_tuple(ca, "half extents [x,y,z]", "[]", half, 3)) return false;
    for (int k = 0; k < 3; k++)
        if (!(half[k] >= 0 && half[k] <= LARGEST))
            return tac_ca_complain(ca, place, "half extents are 0 or more");
    if (!numbers_of(ca, group, &group->around)) return false;
    size_t first, end;
    range_of(ca, who, &first, &end);
    for (size_t i = first; i < end; i++) {
        place_ball(group, i, x);
        memcpy(group->around + 3 * i, half, sizeof half);
    }
    return true;
}

static bool read_line(TacCa *ca) {
    uint32_t index;
    double from[3], to[3];
    if (!tac_ca_want_known(ca, TAC_CA_GROUPS, &index) || !has_balls(ca, index) ||
        !want_vector(ca, "the first place (x,y,z)", from) || !want_vector(ca, "the last place (x,y,z)", to))
        return false;
    TacCaGroup *group = &ca->groups[index];
    for (size_t i = 0; i < group->count; i++) {
        double s = group->count > 1 ? (double)i / (double)(group->count - 1) : 0, x[3];
        for (int k = 0; k < 3; k++) x[k] = from[k] + s * (to[k] - from[k]);
        place_ball(group, i, x);
    }
    return true;
}

static bool read_speed(TacCa *ca) {
    TacCaWho who;
    double v[3];
    if (!tac_ca_want_balls(ca, &who) || !has_balls(ca, who.group) || !want_vector(ca, "a speed (x,y,z)", v))
        return false;
    TacCaGroup *group = &ca->groups[who.group];
    if (!moves(ca, who)) return tac_ca_complain(ca, ca->statement, "%s cannot move", group->name);
    if (!numbers_of(ca, group, &group->v)) return false;
    size_t first, end;
    range_of(ca, who, &first, &end);
    for (size_t i = first; i < end; i++) memcpy(group->v + 3 * i, v, sizeof v);
    return true;
}

// --- looks and listening ----------------------------------------------------------------------------------

static bool read_color(TacCa *ca) {
    uint32_t index;
    double color[3];
    if (!tac_ca_want_known(ca, TAC_CA_GROUPS, &index) || !want_vector(ca, "a colour (red,green,blue)", color))
        return false;
    for (int k = 0; k < 3; k++)
        if (color[k] < 0 || color[k] > 1)
            return tac_ca_complain(ca, ca->statement, "red, green and blue are between 0 and 1");
    memcpy(ca->groups[index].color, color, sizeof color);
    ca->groups[index].has_color = true;
    return true;
}

static bool read_camera(TacCa *ca) {
    ca->has_camera = want_vector(ca, "where the camera stands (x,y,z)", ca->eye) &&
                     want_vector(ca, "what it looks at (x,y,z)", ca->target);
    return ca->has_camera;
}

static bool read_radius(TacCa *ca) {
    uint32_t index;
    return tac_ca_want_known(ca, TAC_CA_GROUPS, &index) &&
           tac_ca_want_number(ca, "the radius that balls are shown with (m)", 1e-12, LARGEST,
                              &ca->groups[index].radius);
}

static bool read_listen(TacCa *ca) {
    TacCaListen listen = {.place = ca->statement};
    char name[TAC_CA_LONGEST_NAME + 1];
    tac_ca_skip(&ca->scan, true);
    if (!tac_ca_name(&ca->scan, name))
        return tac_ca_complain(ca, tac_ca_place(&ca->scan), "expected a name for the listening point");
    listen.name = tac_arena_text(ca->arena, name);
    if (!listen.name) return tac_ca_no_memory(ca);
    if (!tac_ca_want_balls(ca, &listen.ball) || !has_balls(ca, listen.ball.group) ||
        !want_vector(ca, "a direction (x,y,z)", listen.direction))
        return false;
    const TacCaGroup *group = &ca->groups[listen.ball.group];
    if (!listen.ball.one && group->count > 1)
        return tac_ca_complain(ca, ca->statement, "which ball of %s? It has %s1 to %s%zu", group->name,
                               group->name, group->name, group->count);
    const double *d = listen.direction;
    if (d[0] == 0 && d[1] == 0 && d[2] == 0)
        return tac_ca_complain(ca, ca->statement, "the direction has no length");
    if (!tac_grow(&ca->listens, &ca->listen_capacity, ca->listen_count + 1, sizeof *ca->listens))
        return tac_ca_no_memory(ca);
    ca->listens[ca->listen_count++] = listen;
    return true;
}

static bool read_bow(TacCa *ca) {
    TacCaBow bow = {.place = ca->statement};
    if (!tac_ca_want_balls(ca, &bow.who) ||
        !want_vector(ca, "the direction of the bow (x,y,z)", bow.direction) ||
        !tac_ca_want_number(ca, "the speed of the bow (m/s)", -LARGEST, LARGEST, &bow.speed) ||
        !tac_ca_want_number(ca, "the pressure of the bow (N)", 0, LARGEST, &bow.pressure))
        return false;
    if (!moves(ca, bow.who))
        return tac_ca_complain(ca, ca->statement, "%s cannot move", ca->groups[bow.who.group].name);
    const double *d = bow.direction;
    if (d[0] == 0 && d[1] == 0 && d[2] == 0)
        return tac_ca_complain(ca, ca->statement, "the direction has no length");
    if (!tac_grow(&ca->bows, &ca->bow_capacity, ca->bow_count + 1, sizeof *ca->bows))
        return tac_ca_no_memory(ca);
    ca->bows[ca->bow_count++] = bow;
    return true;
}

// --- the hand ---------------------------------------------------------------------------------------------

static bool want_hand(TacCa *ca, TacCaGroup **group) {
    uint32_t index;
    if (!tac_ca_want_known(ca, TAC_CA_GROUPS, &index)) return false;
    *group = &ca->groups[index];
    if ((*group)->kind != TAC_CA_HAND)
        return tac_ca_complain(ca, ca->statement, "%s is not a hand (HAND %s %zu)", (*group)->name,
                               (*group)->name, (*group)->count);
    if ((*group)->shake_rate > 0 || (*group)->times)
        return tac_ca_complain(ca, ca->statement, "the motion of %s is given already", (*group)->name);
    (*group)->shake_place = ca->statement;
    return true;
}

static bool read_shake(TacCa *ca) {
    TacCaGroup *group;
    double rate;
    if (!want_hand(ca, &group) || !want_vector(ca, "how far (x,y,z)", group->shake) ||
        !tac_ca_want_number(ca, "how often a second", 1e-6, 1e6, &rate))
        return false;
    group->shake_rate = rate;
    return true;
}

// A gesture: on each line a time and a place; '#' begins a comment.
static bool read_moments(TacCa *ca, TacCaScan *s, TacCaGroup *group) {
    size_t capacity = 0, count = 0;
    double(*moments)[4] = NULL;
    bool good = true;
    while (good && tac_ca_skip(s, true)) {
        TacPlace place = tac_ca_place(s);
        if (!tac_grow(&moments, &capacity, count + 1, sizeof *moments)) {
            good = tac_ca_no_memory(ca);
            break;
        }
        for (int k = 0; k < 4 && good; k++)
            good = (k == 0 || tac_ca_skip(s, false)) && tac_ca_number(s, &moments[count][k]) &&
                   fabs(moments[count][k]) <= LARGEST;
        if (!good)
            tac_ca_complain(ca, place, "expected a time and a place: four numbers on a line");
        else if (tac_ca_skip(s, false))
            good = tac_ca_complain(ca, tac_ca_place(s), "expected four numbers on a line, found more");
        else if (count && !(moments[count][0] > moments[count - 1][0]))
            good = tac_ca_complain(ca, place, "times must ascend");
        else if (++count > MOST_MOMENTS)
            good = tac_ca_complain(ca, place, "a gesture has at most %d moments", MOST_MOMENTS);
    }
    if (good && !count) good = tac_ca_complain(ca, ca->statement, "the gesture is empty");
    if (good) {
        group->times = tac_arena_array(ca->arena, count, sizeof(double));
        group->gesture = tac_arena_array(ca->arena, 3 * count, sizeof(double));
        group->moments = count;
        if (!group->times || !group->gesture) good = tac_ca_no_memory(ca);
        for (size_t i = 0; good && i < count; i++) {
            group->times[i] = moments[i][0];
            memcpy(group->gesture + 3 * i, moments[i] + 1, 3 * sizeof(double));
        }
    }
    free(moments);
    return good;
}

static bool read_gesture(TacCa *ca) {
    TacCaGroup *group;
    if (!want_hand(ca, &group)) return false;
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    const char *from = ca->scan.at;
    while (ca->scan.at < ca->scan.end && (unsigned char)*ca->scan.at > ' ') ca->scan.at++;
    int length = (int)(ca->scan.at - from);
    const char *slash = strrchr(place.file, '/');
    int folder = length && from[0] != '/' && slash ? (int)(slash - place.file) + 1 : 0;
    char *path = length > 0 && length < 1000
                     ? tac_arena_format(ca->arena, "%.*s%.*s", folder, place.file, length, from)
                     : NULL;
    if (!path) return tac_ca_complain(ca, place, "expected the file of a gesture");
    char *text;
    size_t bytes;
    TacError error;
    if (tac_read_whole_file(path, TAC_CA_MOST_BYTES, &text, &bytes, &error) != TAC_OK)
        return tac_ca_complain(ca, place, "%s: %s", path, error.message);
    TacCaScan scan = {path, text, text + bytes, text, 1};
    bool good = read_moments(ca, &scan, group);
    free(text);
    return good;
}

// --- the table --------------------------------------------------------------------------------------------

const TacCaKeyword tac_ca_keywords[] = {
    {"VISCOSITY", read_viscosity, "VISCOSITY z"},
    {"GRAVITY", read_gravity, "GRAVITY g"},
    {"DEFMASS", read_mass, "DEFMASS name kg"},
    {"DEFFI", read_law, "DEFFI name n (slope,threshold)... [zero]"},
    {"DEFMOB", read_mobile, "DEFMOB name n mass AGGLO law"},
    {"DEFFIX", read_fixed, "DEFFIX name n"},
    {"LINKGRP", read_link, "LINKGRP a b law"},
    {"POSIT", read_position, "POSIT name (x,y,z)..."},
    {"POSITAROUND", read_around, "POSITAROUND name (x,y,z) [x,y,z]"},
    {"RATE", read_rate, "RATE hz"},
    {"VISCFI", read_law_viscosity, "VISCFI law z [reach]"},
    {"DEFLJ", read_attraction, "DEFLJ name depth distance n"},
    {"DEFSTATE", tac_ca_read_state, "DEFSTATE law state k z rest"},
    {"WHEN", tac_ca_read_rule, "WHEN law state state quantity above|below number"},
    {"LINKIF", tac_ca_read_conditional, "LINKIF a b law [reach]"},
    {"BOW", read_bow, "BOW name (x,y,z) speed pressure"},
    {"CHAIN", read_chain, "CHAIN group law"},
    {"DEFSKIN", read_skin, "DEFSKIN name group mass law distance [tension]"},
    {"POSITLINE", read_line, "POSITLINE group (x,y,z) (x,y,z)"},
    {"SPEED", read_speed, "SPEED name (x,y,z)"},
    {"HOLD", read_hold, "HOLD name"},
    {"HAND", read_hand, "HAND name n"},
    {"SHAKE", read_shake, "SHAKE hand (x,y,z) hz"},
    {"GESTURE", read_gesture, "GESTURE hand file"},
    {"LISTEN", read_listen, "LISTEN name ball (x,y,z)"},
    {"COLOUR", read_color, "COLOUR group (r,g,b)"},
    {"COLOR", read_color, "COLOR group (r,g,b)"},
    {"RADIUS", read_radius, "RADIUS group m"},
    {"CAMERA", read_camera, "CAMERA (x,y,z) (x,y,z)"},
    {"DURATION", read_duration, "DURATION s"},
    {"FRAMES", read_frames, "FRAMES hz"},
    {"TITLE", read_title, "TITLE words"},
};
const size_t tac_ca_keyword_count = TAC_COUNT(tac_ca_keywords);
