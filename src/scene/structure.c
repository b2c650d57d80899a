// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Second pass of compiling: who owns what, and each ticker's program. See compile.h for the rule of
// ownership.
//
// Programs are filled in two rounds of one walk over the tree: the first counts what each ticker's lists will
// hold, the second appends, so that memory is linear in the scene however many agents it has.

#include "agent/agent.h"
#include "constraint/constraints.h"
#include "constraint/joint.h"
#include "scene/compile.h"

#include <stdarg.h>
#include <stdio.h>

enum { DEEPEST_CHAIN = 64 };

TacStatus tac_compile_fail(const TacCompile *compile, const TacComponent *c, TacError *error,
                           const char *format, ...) {
    (void)compile;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tac_fail_at(error, TAC_BAD_INPUT, c->file, c->line, c->column, "%s (%s): %s", c->path,
                       c->cls->name, text);
}

size_t tac_compile_matter_index(const TacCompile *compile, const TacMatter *matter) {
    // matter and instances are both in the order of the file: bisect
    size_t low = 0, high = compile->world->matter_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(compile->instance_of[middle] <= matter->base.index ? &low : &high) = middle;
    }
    return low;
}

// --- who belongs to whom ----------------------------------------------------------------------------------

static TacMap *map_of(const TacCompile *c, const TacMatter *m) {
    return c->map_of[tac_compile_matter_index(c, m)];
}

TacMatter *tac_compile_root(const TacCompile *c, TacMatter *m) {
    for (TacMap *map; (map = map_of(c, m));) m = map->parent;
    return m;
}

uint32_t tac_compile_member(const TacCompile *c, TacMatter *m) {
    TacMatter *root = tac_compile_root(c, m);
    const TacSolver *solver = c->solver_of[tac_compile_matter_index(c, root)];
    return solver ? solver->base.index : root->base.index;
}

// Positions come out right in any order, but a map that is set up before the one above it has seen its parent
// at rest where that was written, not where it is carried.
static void remark_upward_chains(const TacCompile *c) {
    for (size_t i = 0; i < c->world->matter_count; i++) {
        const TacMap *map = c->map_of[i], *above = map ? map_of(c, map->parent) : NULL;
        if (!above || above->base.index < map->base.index) continue;
        TacError remark;
        tac_compile_fail(c, &map->base, &remark,
                         "%s, which it follows, is itself carried by %s, which comes later; rest shapes are "
                         "right only when maps are written from the top down",
                         map->parent->base.path, above->base.path);
        tac_tree_message(c->scene, false, &remark);
    }
}

static TacStatus note_maps(TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        TacMap *map = (TacMap *)c->instances[i].component;
        if (map->base.cls->kind != TAC_KIND_MAP) continue;
        size_t child = tac_compile_matter_index(c, map->child);
        if (c->map_of[child])
            return tac_compile_fail(c, &map->base, error, "%s follows already, by %s", map->child->base.path,
                                    c->map_of[child]->base.path);
        c->map_of[child] = map;
        map->child->mapped = true;
    }
    // chains are walked without a guard from here on
    for (size_t i = 0; i < c->world->matter_count; i++) {
        int depth = 0;
        for (const TacMap *map = c->map_of[i]; map; map = map_of(c, map->parent))
            if (++depth > DEEPEST_CHAIN)
                return tac_compile_fail(c, &c->map_of[i]->base, error,
                                        "the chain of maps above it is a circle, or longer than %d",
                                        DEEPEST_CHAIN);
    }
    remark_upward_chains(c);
    return TAC_OK;
}

// Mass lives at one level: matter that others with mass follow has none of its own, and theirs is carried up.
static TacStatus check_levels(TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->world->matter_count; i++) {
        TacMass *mass = c->mass_of[i];
        for (const TacMap *map = c->map_of[i]; mass && map; map = map_of(c, map->parent)) {
            size_t parent = tac_compile_matter_index(c, map->parent);
            const TacMass *above = c->mass_of[parent];
            c->carried[parent] = mass;
            if (above)
                return tac_compile_fail(
                    c, &mass->base, error,
                    "%s follows %s, which has a mass already (%s); mass lives at one level",
                    mass->matter->base.path, map->parent->base.path, above->base.path);
        }
    }
    return TAC_OK;
}

static TacStatus note_masses(TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        TacMass *mass = (TacMass *)c->instances[i].component;
        if (mass->base.cls->kind != TAC_KIND_MASS) continue;
        size_t m = tac_compile_matter_index(c, mass->matter);
        if (c->mass_of[m])
            return tac_compile_fail(c, &mass->base, error, "%s has a mass already: %s",
                                    mass->matter->base.path, c->mass_of[m]->base.path);
        c->mass_of[m] = mass;
    }
    return check_levels(c, error);
}

static TacStatus check_constraints(const TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        const TacConstraint *constraint = (const TacConstraint *)c->instances[i].component;
        if (constraint->base.cls->kind != TAC_KIND_CONSTRAINT || !constraint->matter->mapped) continue;
        return tac_compile_fail(
            c, &constraint->base, error,
            "%s follows other matter and cannot be constrained; constrain %s, which it follows",
            constraint->matter->base.path, tac_compile_root(c, constraint->matter)->base.path);
    }
    return TAC_OK;
}

static bool all_held(const TacMatter *m) {
    for (size_t i = 0; i < m->count; i++)
        if (!m->held || !(m->held[i] & TAC_HELD_WHOLLY)) return false;
    return true;
}

// A node has one solver at most.
static TacStatus check_solvers(const TacCompile *c, TacError *error) {
    const TacComponent **of_node = tac_arena_array(&c->world->arena, c->scene->node_count, sizeof *of_node);
    if (!of_node) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < c->count; i++) {
        const TacComponent *solver = c->instances[i].component;
        if (solver->cls->kind != TAC_KIND_SOLVER) continue;
        const TacComponent **there = &of_node[c->instances[i].node];
        if (*there)
            return tac_compile_fail(c, solver, error, "its node has a solver already: %s", (*there)->path);
        *there = solver;
    }
    return TAC_OK;
}

// What is carried up by maps cannot be divided by: only implicit solvers can do with products.
static TacStatus check_carried(const TacCompile *c, size_t matter, TacError *error) {
    const TacMass *mass = c->carried[matter];
    const TacSolver *solver = c->solver_of[matter];
    if (!mass || (solver && solver->base.cls->ops.solver->needs_linear)) return TAC_OK;
    const char *root = c->world->matters[matter]->base.path;
    if (solver)
        return tac_compile_fail(
            c, &mass->base, error,
            "%s follows %s, and %s cannot use a mass that is carried up through a map: give "
            "the mass to %s, or take ImplicitEuler",
            mass->matter->base.path, root, solver->base.cls->name, root);
    return tac_compile_fail(
        c, &mass->base, error,
        "%s follows %s, which has no solver; a mass that is carried up through a map needs "
        "an implicit one: give the mass to %s, or add ImplicitEuler to its node",
        mass->matter->base.path, root, root);
}

// Free flight knows nothing of lines and planes.
static TacStatus check_projections(const TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        const TacConstraint *constraint = (const TacConstraint *)c->instances[i].component;
        const TacClass *cls = constraint->base.cls;
        if (cls != &tac_line_projection_class && cls != &tac_plane_projection_class) continue;
        if (!c->solver_of[tac_compile_matter_index(c, constraint->matter)])
            return tac_compile_fail(c, &constraint->base, error,
                                    "%s flies freely and would not keep to it: add a solver to its node",
                                    constraint->matter->base.path);
    }
    return TAC_OK;
}

static TacStatus note_owners(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    for (size_t m = 0; m < world->matter_count; m++) {
        TacMatter *matter = world->matters[m];
        if (matter->mapped) continue;
        TacSolver *solver =
            (TacSolver *)tac_compile_nearest(c, c->instances[c->instance_of[m]].node, TAC_KIND_SOLVER);
        c->solver_of[m] = solver;
        bool weightless = solver && solver->base.cls->ops.solver->needs_no_mass;
        TAC_TRY(check_carried(c, m, error));
        if (solver && !weightless && !c->mass_of[m] && !c->carried[m] && !all_held(matter))
            return tac_compile_fail(
                c, &matter->base, error,
                "%s moves it, so it needs a mass: add a UniformMass or DiagonalMass to its node",
                solver->base.path);
        // matter that nobody owns falls by itself
        if (!solver && c->mass_of[m]) matter->flight_gravity = c->mass_of[m]->gravity;
    }
    return TAC_OK;
}

// --- programs ---------------------------------------------------------------------------------------------

enum { MATTERS, OTHERS, MAPS, MASSES, LAWS, CONSTRAINTS, WATCHED, JOINTS, LISTS };

typedef struct Builder {
    TacCompile *c;
    TacTicker *tickers;
    size_t count;
    size_t (*sizes)[LISTS];                       // of each ticker
    bool fill;                                    // second round
    uint32_t *ticker_of;                          // by instance of a solver
    uint32_t *first_constraint, *next_constraint; // by matter; by instance
    uint32_t first_merge;                         // ticker of the first family
} Builder;

static void member(Builder *b, uint32_t ticker, int list, void *component) {
    size_t n = b->sizes[ticker][list]++;
    if (!b->fill) return;
    TacProgram *p = &b->tickers[ticker].program;
    switch (list) {
    case MATTERS: p->matters[n] = component; break;
    case OTHERS: p->others[n] = component; break;
    case MAPS: p->maps[n] = component; break;
    case MASSES: p->masses[n] = component; break;
    case LAWS: p->laws[n] = component; break;
    case CONSTRAINTS: p->constraints[n] = component; break;
    case WATCHED: p->watched[n] = component; break;
    case JOINTS: p->joints[n] = component; break;
    }
}

// Whether a law only looks at its second matter, which is there to be looked at by itself: what follows other
// matter is brought up to date by the solver of that one.
static bool only_watches(const TacLaw *law) {
    return law->watches && law->matter[1] && !law->matter[1]->mapped;
}

// The solver that owns all of a law's matter; NULL when there is none, or more than one.
static TacSolver *owner_of_law(const TacCompile *c, const TacLaw *law) {
    TacSolver *owner = NULL;
    for (int k = 0; k < (only_watches(law) ? 1 : 2) && law->matter[k]; k++) {
        TacSolver *s = c->solver_of[tac_compile_matter_index(c, tac_compile_root(c, law->matter[k]))];
        if (!s || (k == 1 && s != owner)) return NULL;
        owner = s;
    }
    return owner;
}

// Whether matter, or something above it, is followed only when somebody looks.
static bool is_shown_only(const TacCompile *c, const TacMatter *m) {
    for (const TacMap *map; (map = map_of(c, m)); m = map->parent)
        if (map->shown_only) return true;
    return false;
}

static TacStatus check_shown(const TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        const TacLaw *law = (const TacLaw *)c->instances[i].component;
        if (law->base.cls->kind != TAC_KIND_LAW) continue;
        for (int k = 0; k < 2 && law->matter[k]; k++)
            if (is_shown_only(c, law->matter[k]))
                return tac_compile_fail(c, &law->base, error,
                                        "%s is only there to be looked at; laws act on %s, which it follows",
                                        law->matter[k]->base.path,
                                        tac_compile_root(c, law->matter[k])->base.path);
    }
    for (size_t m = 0; m < c->world->matter_count; m++)
        if (c->mass_of[m] && is_shown_only(c, c->world->matters[m]))
            return tac_compile_fail(c, &c->mass_of[m]->base, error,
                                    "%s is only there to be looked at; it has no mass",
                                    c->world->matters[m]->base.path);
    return TAC_OK;
}

enum { MOST_TIED = TAC_LINK_ENDS }; // matters of one joint

// Whether a joint ties matter of different agents.
bool tac_joint_is_link(const TacCompile *c, const TacComponent *joint) {
    TacMatter *tied[MOST_TIED];
    size_t n = tac_joint_matters(joint, tied, MOST_TIED);
    for (size_t k = 1; k < n; k++)
        if (tac_compile_member(c, tied[k]) != tac_compile_member(c, tied[0])) return true;
    return false;
}

// The solver of what a joint ties. Only once check_joints has passed, and not of links.
static TacSolver *owner_of_joint(const TacCompile *c, const TacComponent *joint) {
    TacMatter *tied[MOST_TIED];
    tac_joint_matters(joint, tied, MOST_TIED);
    return c->solver_of[tac_compile_matter_index(c, tied[0])];
}

// A joint is solved for together with everything that it ties, by one solver that can. Between agents it is a link,
// and makes them one while it is closed (merge_compile.c).
static TacStatus check_joint(const TacCompile *c, const TacComponent *joint, TacError *error) {
    TacMatter *tied[MOST_TIED];
    size_t n = tac_joint_matters(joint, tied, MOST_TIED);
    const TacSolver *keeps = NULL, *other = NULL;
    const TacMatter *loose = NULL;
    for (size_t k = 0; k < n; k++) {
        if (tied[k]->mapped)
            return tac_compile_fail(c, joint, error,
                                    "%s follows other matter and cannot be tied; tie %s, which it follows",
                                    tied[k]->base.path, tac_compile_root(c, tied[k])->base.path);
        const TacSolver *solver = c->solver_of[tac_compile_matter_index(c, tied[k])];
        if (solver && solver->base.cls->ops.solver->keeps_joints)
            keeps = solver;
        else {
            loose = tied[k];
            other = solver;
        }
    }
    if (n && !keeps)
        return tac_compile_fail(c, joint, error,
                                "%s belongs to %s, which does not keep to joints: put a "
                                "Spook into its node, or one above, instead",
                                loose->base.path, other ? other->base.path : "no solver");
    return n && tac_joint_is_link(c, joint) ? tac_compile_check_link(c, joint, error) : TAC_OK;
}

static TacStatus check_joints(const TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->count; i++)
        if (tac_joint_ops(c->instances[i].component))
            TAC_TRY(check_joint(c, c->instances[i].component, error));
    return TAC_OK;
}

// Laws on their own clock divide by mass, which cannot be done where it is carried up through a map.
static TacStatus check_free_laws(const TacCompile *c, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        const TacLaw *law = (const TacLaw *)c->instances[i].component;
        if (law->base.cls->kind != TAC_KIND_LAW || owner_of_law(c, law) || tac_compile_is_halved(c, law))
            continue;
        for (int k = 0; k < 2 && law->matter[k]; k++) {
            const TacMatter *root = tac_compile_root(c, law->matter[k]);
            const TacMass *mass = c->carried[tac_compile_matter_index(c, root)];
            if (mass)
                return tac_compile_fail(
                    c, &law->base, error,
                    "no solver owns it, so it needs the mass of %s itself, not of %s, which "
                    "follows it",
                    root->base.path, mass->matter->base.path);
        }
    }
    return TAC_OK;
}

static void add_constraints_of(Builder *b, uint32_t ticker, size_t matter) {
    for (uint32_t i = b->first_constraint[matter]; i != TAC_NONE; i = b->next_constraint[i])
        member(b, ticker, CONSTRAINTS, b->c->instances[i].component);
}

// A law on its own clock: its matter, up to the roots, with the maps on the way from the top down.
static void add_free_law(Builder *b, uint32_t ticker, TacLaw *law) {
    const TacCompile *c = b->c;
    const TacMatter *seen[2 * (DEEPEST_CHAIN + 2)];
    size_t seen_count = 0;
    for (int k = 0; k < 2 && law->matter[k]; k++) {
        TacMatter *chain[DEEPEST_CHAIN + 2];
        size_t n = 0;
        for (TacMatter *m = law->matter[k]; m; m = map_of(c, m) ? map_of(c, m)->parent : NULL) chain[n++] = m;
        while (n-- > 0) {
            TacMatter *m = chain[n];
            bool known = false;
            for (size_t i = 0; i < seen_count; i++) known = known || seen[i] == m;
            if (known) continue;
            seen[seen_count++] = m;
            size_t index = tac_compile_matter_index(c, m);
            if (m->mapped) {
                member(b, ticker, OTHERS, m);
                member(b, ticker, MAPS, c->map_of[index]);
            } else if (c->mass_of[index]) {
                member(b, ticker, MATTERS, m);
                member(b, ticker, MASSES, c->mass_of[index]);
                add_constraints_of(b, ticker, index);
            } else {
                member(b, ticker, OTHERS, m); // immovable: looked at, never kicked
            }
        }
    }
    member(b, ticker, LAWS, law);
}

static bool is_scripted(const Builder *b, size_t matter) {
    for (uint32_t i = b->first_constraint[matter]; i != TAC_NONE; i = b->next_constraint[i])
        if (b->c->instances[i].component->cls->ops.constraint->prescribe) return true;
    return false;
}

// Maps by their distance from the root, so that a parent's comes first whatever the order of the scene.
static int depth_of(const TacCompile *c, const TacMatter *m) {
    int depth = 0;
    for (const TacMap *map; (map = map_of(c, m)); depth++) m = map->parent;
    return depth;
}

static TacStatus sort_maps(const TacCompile *c, TacProgram *p, TacError *error) {
    size_t ends[DEEPEST_CHAIN + 2] = {0};
    if (p->map_count < 2) return TAC_OK;
    TacMap **old = tac_arena_array(&c->world->arena, p->map_count, sizeof *old);
    if (!old) return tac_fail_memory(error, p->map_count * sizeof *old);
    memcpy(old, p->maps, p->map_count * sizeof *old);
    // counting sort: from the back, so that equal depths keep their order
    for (size_t i = 0; i < p->map_count; i++) ends[depth_of(c, old[i]->child)]++;
    for (int d = 1; d <= DEEPEST_CHAIN; d++) ends[d] += ends[d - 1];
    for (size_t i = p->map_count; i-- > 0;) p->maps[--ends[depth_of(c, old[i]->child)]] = old[i];
    return TAC_OK;
}

// The ticker of matter's family; TAC_NONE: no link can tie it.
static uint32_t merge_of(const Builder *b, TacMatter *matter) {
    uint32_t family = b->c->family_of[tac_compile_member(b->c, matter)];
    return family == TAC_NONE ? TAC_NONE : b->first_merge + family;
}

// All that is in families goes into the lists of their tickers as well.
static void walk_families(Builder *b) {
    const TacCompile *c = b->c;
    for (size_t m = 0; m < c->world->matter_count && c->family_count; m++) {
        TacMatter *matter = c->world->matters[m];
        uint32_t ticker = merge_of(b, matter);
        if (ticker == TAC_NONE || is_shown_only(c, matter)) continue;
        member(b, ticker, matter->mapped ? OTHERS : MATTERS, matter);
        if (matter->mapped) member(b, ticker, MAPS, c->map_of[m]);
        if (c->mass_of[m]) member(b, ticker, MASSES, c->mass_of[m]);
        add_constraints_of(b, ticker, m);
    }
}

// A law that a solver owns is also one of its family.
static void add_owned_law(Builder *b, uint32_t ticker, TacLaw *law) {
    uint32_t family = merge_of(b, law->matter[0]);
    member(b, ticker, LAWS, law);
    if (family != TAC_NONE) member(b, family, LAWS, law);
}

// The law of contact of one collision model, with the solver of its matter, or on its own clock.
static void add_contact_law(Builder *b, uint32_t *next, TacLaw *law) {
    TacSolver *owner = owner_of_law(b->c, law);
    if (owner) {
        add_owned_law(b, b->ticker_of[owner->base.index], law);
        return;
    }
    if (b->fill) {
        b->tickers[*next].is_law = true;
        b->tickers[*next].name = law->base.path;
        b->tickers[*next].what = "contact";
    }
    add_free_law(b, (*next)++, law);
}

// One round: agents in the order of their solvers, scripts and free bodies, families, then laws.
static void walk(Builder *b) {
    TacCompile *c = b->c;
    TacWorld *world = c->world;
    uint32_t next = 0;
    for (size_t i = 0; i < c->count; i++) b->ticker_of[i] = TAC_NONE;
    for (size_t m = 0; m < world->matter_count; m++) {
        TacSolver *s = c->solver_of[m];
        if (s && b->ticker_of[s->base.index] == TAC_NONE) b->ticker_of[s->base.index] = 0; // owns something
    }
    for (size_t i = 0; i < c->count; i++)
        if (b->ticker_of[i] != TAC_NONE) b->ticker_of[i] = next++;

    for (size_t m = 0; m < world->matter_count; m++) {
        TacMatter *matter = world->matters[m];
        TacSolver *s = c->solver_of[tac_compile_matter_index(c, tac_compile_root(c, matter))];
        if (s) {
            uint32_t ticker = b->ticker_of[s->base.index];
            if (is_shown_only(c, matter)) continue;
            member(b, ticker, matter->mapped ? OTHERS : MATTERS, matter);
            if (matter->mapped) member(b, ticker, MAPS, c->map_of[m]);
            if (c->mass_of[m]) member(b, ticker, MASSES, c->mass_of[m]);
            add_constraints_of(b, ticker, m);
        } else if (!matter->mapped && (is_scripted(b, m) || matter->inertia)) {
            // free bodies that tumble land once a beat: one flight of hours would be too coarse
            if (b->fill) {
                b->tickers[next].is_script = true;
                b->tickers[next].name = matter->base.path;
                b->tickers[next].what = is_scripted(b, m) ? "script" : "free flight";
            }
            member(b, next, MATTERS, matter);
            add_constraints_of(b, next++, m);
        }
    }
    b->first_merge = next;
    next += (uint32_t)c->family_count;
    walk_families(b);
    world->agent_count = next;
    for (size_t i = 0; i < c->count; i++) {
        TacComponent *joint = c->instances[i].component;
        if (!tac_joint_ops(joint)) continue;
        TacMatter *tied[MOST_TIED];
        uint32_t family = tac_joint_matters(joint, tied, MOST_TIED) ? merge_of(b, tied[0]) : TAC_NONE;
        if (family != TAC_NONE) member(b, family, JOINTS, joint);
        if (!tac_joint_is_link(c, joint))
            member(b, b->ticker_of[owner_of_joint(c, joint)->base.index], JOINTS, joint);
    }
    for (size_t i = 0; i < c->count; i++) {
        TacLaw *law = (TacLaw *)c->instances[i].component;
        if (law->base.cls->kind != TAC_KIND_LAW || tac_compile_is_halved(c, law)) continue;
        TacSolver *owner = owner_of_law(c, law);
        if (owner) {
            uint32_t ticker = b->ticker_of[owner->base.index], family = merge_of(b, law->matter[0]);
            add_owned_law(b, ticker, law);
            if (only_watches(law) && c->solver_of[tac_compile_matter_index(c, law->matter[1])] != owner) {
                member(b, ticker, WATCHED, law->matter[1]);
                if (family != TAC_NONE) member(b, family, WATCHED, law->matter[1]);
            }
            continue;
        }
        if (b->fill) {
            b->tickers[next].is_law = true;
            b->tickers[next].name = law->base.path;
            b->tickers[next].what = law->base.cls->name;
        }
        add_free_law(b, next++, law);
    }
    for (size_t i = 0; i < c->half_count; i++) {
        TacSolver *owner = owner_of_law(c, &c->halves[i].law);
        add_owned_law(b, b->ticker_of[owner->base.index], &c->halves[i].law);
    }
    // what moves and can touch has a law of contact
    for (size_t i = 0; c->touch && i < c->touch->model_count; i++)
        if (c->touch->models[i].moves) add_contact_law(b, &next, &c->touch->models[i].law);
    for (size_t i = 0; c->touch && i < c->touch->skin_count; i++)
        if (c->touch->skins[i].moves) add_contact_law(b, &next, &c->touch->skins[i].law);
    world->ticker_count = next;
}

static TacStatus take_lists(Builder *b, TacError *error) {
    TacArena *arena = &b->c->world->arena;
    for (size_t t = 0; t < b->c->world->ticker_count; t++) {
        TacProgram *p = &b->tickers[t].program;
        const size_t *n = b->sizes[t];
        p->matters = tac_arena_array(arena, n[MATTERS], sizeof *p->matters);
        p->others = tac_arena_array(arena, n[OTHERS], sizeof *p->others);
        p->maps = tac_arena_array(arena, n[MAPS], sizeof *p->maps);
        p->masses = tac_arena_array(arena, n[MASSES], sizeof *p->masses);
        p->laws = tac_arena_array(arena, n[LAWS], sizeof *p->laws);
        p->constraints = tac_arena_array(arena, n[CONSTRAINTS], sizeof *p->constraints);
        p->watched = tac_arena_array(arena, n[WATCHED], sizeof *p->watched);
        p->joints = tac_arena_array(arena, n[JOINTS], sizeof *p->joints);
        if (!p->joints || !p->watched || !p->matters || !p->others || !p->maps || !p->masses || !p->laws ||
            !p->constraints)
            return tac_fail_memory(error, 0);
        p->matter_count = n[MATTERS];
        p->other_count = n[OTHERS];
        p->map_count = n[MAPS];
        p->mass_count = n[MASSES];
        p->law_count = n[LAWS];
        p->constraint_count = n[CONSTRAINTS];
        p->watched_count = n[WATCHED];
        p->joint_count = n[JOINTS];
    }
    memset(b->sizes, 0, b->count * sizeof *b->sizes);
    return TAC_OK;
}

static TacStatus finish_tickers(Builder *b, TacError *error) {
    TacCompile *c = b->c;
    TacWorld *world = c->world;
    for (size_t i = 0; i < c->count; i++) {
        if (b->ticker_of[i] == TAC_NONE) continue;
        TacTicker *t = &world->tickers[b->ticker_of[i]];
        t->solver = (TacSolver *)c->instances[i].component;
        t->name = tac_tree_node_path(c->scene, c->instances[i].node, &world->arena);
        t->what = t->solver->base.cls->name;
        t->program.adds_weight = true;
        if (!t->name) return tac_fail_memory(error, 0);
    }
    TAC_TRY(tac_compile_name_families(c, b->first_merge, error));
    for (size_t t = 0; t < world->ticker_count; t++) {
        TacProgram *p = &world->tickers[t].program;
        TAC_TRY(sort_maps(c, p, error));
        p->partial = tac_arena_array(&world->arena, tac_program_partial_size(p), sizeof *p->partial);
        if (!p->partial) return tac_fail_memory(error, 0);
    }
    return TAC_OK;
}

// --- the program of everything, for looking and measuring -------------------------------------------------

static TacStatus make_program_of_all(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TacProgram *p = &world->all;
    p->matters = tac_arena_array(&world->arena, world->matter_count, sizeof *p->matters);
    p->others = tac_arena_array(&world->arena, world->matter_count, sizeof *p->others);
    p->maps = tac_arena_array(&world->arena, c->count, sizeof *p->maps);
    p->masses = tac_arena_array(&world->arena, c->count, sizeof *p->masses);
    p->laws = tac_arena_array(&world->arena, c->count, sizeof *p->laws);
    if (!p->matters || !p->others || !p->maps || !p->masses || !p->laws) return tac_fail_memory(error, 0);
    for (size_t m = 0; m < world->matter_count; m++) {
        TacMatter *matter = world->matters[m];
        if (matter->mapped)
            p->others[p->other_count++] = matter;
        else
            p->matters[p->matter_count++] = matter;
        if (c->map_of[m]) p->maps[p->map_count++] = c->map_of[m];
        if (c->mass_of[m]) p->masses[p->mass_count++] = c->mass_of[m];
    }
    for (size_t i = 0; i < c->count; i++)
        if (c->instances[i].component->cls->kind == TAC_KIND_LAW)
            p->laws[p->law_count++] = (TacLaw *)c->instances[i].component;
    return sort_maps(c, p, error);
}

// --- the pass ---------------------------------------------------------------------------------------------

static void list_constraints(Builder *b) {
    TacCompile *c = b->c;
    for (size_t m = 0; m < c->world->matter_count; m++) b->first_constraint[m] = TAC_NONE;
    // from the back, so that each matter's list is in the order of the file
    for (size_t i = c->count; i-- > 0;) {
        const TacConstraint *constraint = (const TacConstraint *)c->instances[i].component;
        if (constraint->base.cls->kind != TAC_KIND_CONSTRAINT) continue;
        size_t m = tac_compile_matter_index(c, constraint->matter);
        b->next_constraint[i] = b->first_constraint[m];
        b->first_constraint[m] = (uint32_t)i;
    }
}

static bool has_in_node(const TacCompile *c, uint32_t node, const TacClass *cls) {
    for (size_t i = 0; i < c->count; i++)
        if (c->instances[i].node == node && c->instances[i].component->cls == cls) return true;
    return false;
}

// Whether anything but being fixed keeps points of the matter from flying free.
static bool is_led(const TacCompile *c, const TacMatter *matter) {
    for (size_t i = 0; i < c->count; i++) {
        const TacComponent *component = c->instances[i].component;
        if (component->cls->kind != TAC_KIND_CONSTRAINT || component->cls == &tac_fixed_points_class)
            continue;
        if (!tac_joint_ops(component) && ((const TacConstraint *)component)->matter == matter) return true;
    }
    return false;
}

// With safe contact, what an explicit solver moves falls by itself, too: as one kick a step its weight would throw it
// onto the layers that it rests on, over and over. Not where it may go to sleep, or is led.
static void let_fall(TacCompile *c) {
    for (size_t m = 0; c->safe && m < c->world->matter_count; m++) {
        TacMatter *matter = c->world->matters[m];
        const TacSolver *solver = matter->mapped ? NULL : c->solver_of[m];
        if (!solver || solver->base.cls != &tac_symplectic_euler_class || !c->mass_of[m]) continue;
        if (has_in_node(c, c->instances[solver->base.index].node, &tac_agent_class)) continue;
        if (!is_led(c, matter)) matter->flight_gravity = c->mass_of[m]->gravity;
    }
}

TacStatus tac_compile_structure(TacCompile *c, TacError *error) {
    TAC_TRY(note_maps(c, error));
    TAC_TRY(note_masses(c, error));
    TAC_TRY(check_constraints(c, error));
    TAC_TRY(check_solvers(c, error));
    TAC_TRY(note_owners(c, error));
    TAC_TRY(check_projections(c, error));
    TAC_TRY(tac_compile_halves(c, error));
    TAC_TRY(check_free_laws(c, error));
    TAC_TRY(check_shown(c, error));
    TAC_TRY(check_joints(c, error));
    TAC_TRY(tac_compile_families(c, error));
    TAC_TRY(tac_compile_contact(c, error));
    let_fall(c);
    TAC_TRY(make_program_of_all(c, error));

    // at most one ticker per component
    TacWorld *world = c->world;
    TacArena *arena = &world->arena;
    Builder b = {.c = c, .count = c->count + world->matter_count};
    b.sizes = tac_arena_array(arena, b.count, sizeof *b.sizes);
    b.ticker_of = tac_arena_array(arena, c->count, sizeof *b.ticker_of);
    b.first_constraint = tac_arena_array(arena, world->matter_count, sizeof *b.first_constraint);
    b.next_constraint = tac_arena_array(arena, c->count, sizeof *b.next_constraint);
    if (!b.sizes || !b.ticker_of || !b.first_constraint || !b.next_constraint)
        return tac_fail_memory(error, 0);
    list_constraints(&b);
    walk(&b);
    // twice: each agent may get a ticker for parts of its kicks, and solvers keep pointers to programs
    world->tickers = tac_arena_array(arena, 2 * world->ticker_count, sizeof *world->tickers);
    world->due = tac_arena_array(arena, 4 * world->ticker_count, sizeof *world->due);
    if (!world->tickers || !world->due) return tac_fail_memory(error, 0);
    b.tickers = world->tickers;
    TAC_TRY(take_lists(&b, error));
    b.fill = true;
    walk(&b);
    return finish_tickers(&b, error);
}
