// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling: from the authoring tree to a world of flat arrays and flat programs. The passes:
//
//   instances.c   each component, in the order of the file: memory, attributes, links, head, init
//   structure.c   who owns what: maps top down, each solver's program, laws and scripts on their own clocks
//   classes_compile.c   laws made of parts, in worlds with safe contact: one ticker per class of clocks
//   merge_compile.c   agents that links may make one
//   compile_contact.c  collision models and their laws
//   compile.c     vectors, clocks, state, what is recorded
//
// The rule of ownership: matter belongs to the nearest solver in its node or above. A law whose matter (after
// going up through maps) all belongs to one solver is part of that solver's program; any other law is on its
// own clock and kicks matter that it does not own.

#ifndef TACTUS_SCENE_COMPILE_H
#define TACTUS_SCENE_COMPILE_H

#include "agent/half_law.h"
#include "scene/tree.h"
#include "world/merge.h"
#include "world/world.h"

// Everything known about one component while compiling; same index as in the world.
typedef struct TacInstance {
    uint32_t source; // component in the tree
    uint32_t node;
    TacComponent *component;
} TacInstance;

// The last components made in a node so far.
typedef struct TacLatest {
    TacComponent *of_kind[TAC_KIND_COUNT];
    TacGravity *gravity;
} TacLatest;

typedef struct TacCompile {
    TacScene *scene;
    TacWorld *world;
    const TacWorldDef *def;
    TacInstance *instances; // in the order of the file
    size_t count;
    uint32_t *of_source; // instance of each component of the tree; TAC_NONE: not made yet
    TacLatest *latest;   // by node of the tree
    // by matter (index in world->matters)
    TacMap **map_of;       // that makes it mapped; NULL: independent
    TacMass **mass_of;     // NULL: none
    TacSolver **solver_of; // NULL: nobody owns it
    TacMass **carried;     // mass of matter that follows it; NULL: none
    uint32_t *instance_of;
    TacGround ground;
    // agents that links may make one (merge.h)
    uint32_t *family_of; // by component, of solvers and of matter that none owns; TAC_NONE: none
    size_t family_count;
    bool safe;            // contact is safe
    TacWorldTouch *touch; // loose contact while it is made; NULL: none
    TacHalfLaw *halves;   // of laws between two agents, in loose worlds
    size_t half_count;
} TacCompile;

// What init functions see.
struct TacSetup {
    TacCompile *compile;
    uint32_t instance;
};

TacStatus tac_compile_instances(TacCompile *compile, TacError *error);
TacStatus tac_compile_structure(TacCompile *compile, TacError *error);

// Another instance of a component, which is in no list.
TacStatus tac_compile_twin(TacCompile *compile, const TacComponent *of, TacComponent **twin, TacError *error);

// Laws between two agents of a loose world: which halves there are. Once owners are known.
TacStatus tac_compile_halves(TacCompile *compile, TacError *error);
// Whether a law has halves instead of a clock of its own.
bool tac_compile_is_halved(const TacCompile *compile, const TacLaw *law);

TacStatus tac_compile_classes(TacCompile *compile, TacError *error); // before clocks
TacStatus tac_compile_safe(TacCompile *compile, TacError *error);    // after clocks
TacStatus tac_compile_told(TacCompile *compile, TacError *error); // after safe contact: what it cannot part
// With layers there: who delivers kicks of batches in parts (batch_parts.h).
TacStatus tac_compile_batch_parts(TacCompile *compile, TacError *error);
TacStatus tac_compile_limits(TacCompile *compile, TacError *error); // after safe contact

// Whether one of two collision models is a wire that meets the other by contact nodes (node_pairs.c); whether a model is in
// any such pair.
bool tac_compile_meet_by_nodes(const TacCompile *compile, const TacComponent *a, const TacComponent *b);
bool tac_compile_has_nodes(const TacCompile *compile, const TacComponent *model);
// Whether matter is a wire over contact nodes.
bool tac_compile_goes_over_nodes(const TacCompile *compile, const TacMatter *matter);
// Lists those pairs for the audit, when safe contact is there; refuses what begins cut.
TacStatus tac_compile_node_pairs(TacCompile *compile, const TacSafeSkin *skins, size_t count,
                                 TacError *error);

// What matter follows, through all its maps; itself where it follows nothing.
TacMatter *tac_compile_root(const TacCompile *compile, TacMatter *matter);

// Who owns matter: the solver of its root, or the root itself, as a component's index.
uint32_t tac_compile_member(const TacCompile *compile, TacMatter *matter);

// Whether a joint ties matter of different agents; whether it can.
bool tac_joint_is_link(const TacCompile *compile, const TacComponent *joint);
TacStatus tac_compile_check_link(const TacCompile *compile, const TacComponent *joint, TacError *error);

// Families: who is in which; their tickers; their clocks, when those of agents are set; the first merging, last of all.
TacStatus tac_compile_families(TacCompile *compile, TacError *error);
TacStatus tac_compile_name_families(TacCompile *compile, uint32_t first, TacError *error);
TacStatus tac_compile_family_clock(TacCompile *compile, uint32_t ticker, TacError *error);
TacStatus tac_compile_merges(TacCompile *compile, TacError *error);

// Tells whoever waits what comes next, and how much of all is done (0..1).
void tac_compile_stage(const TacCompile *compile, const char *stage, double done);

// Watches agents in worlds with safe contact (world/growth.h).
TacStatus tac_compile_growths(TacCompile *compile, TacError *error);
// Remarks on explicit agents whose laws need a shorter step than theirs.
void tac_compile_remark_steps(const TacCompile *compile);
// The same for one of them, or a law on a clock of its own.
void tac_compile_remark_step(const TacCompile *compile, const TacComponent *who, const TacProgram *program,
                             double step);

// The Agent component of a solver's node; the default one where there is none.
const struct TacAgentSetting *tac_compile_agent_setting(const TacCompile *compile, const TacTicker *ticker);

// Longer steps and sleep, with safe contact; when hands and beats are there.
TacStatus tac_compile_rests(TacCompile *compile, TacError *error);

// The gravity that holds in a node as far as the scene is read, m/s^2; TAC_NONE: the world's.
TacVec3 tac_compile_gravity(const TacCompile *compile, uint32_t node);

// The highest frequency of a ticker's laws (rad/s) on the masses it kicks; 0: they have none, or do not say.
double tac_compile_highest_frequency(const TacWorld *world, const TacTicker *ticker);

// One over the mass along each axis of velocity of each point of matter, whatever holds it; to be freed.
// Whether the masses of points change while time runs (wires of several levels).
bool tac_compile_adapts(const TacMass *mass);

TacStatus tac_compile_inverse_masses(const TacCompile *compile, size_t matter, double **result,
                                     TacError *error);

// Inverse masses of points, 1/kg, three for each: 0 along axes that are held. To be freed.
TacStatus tac_compile_weights(const TacCompile *compile, size_t matter, double **weights, TacError *error);

// From here on every point of matter has its own time.
TacStatus tac_compile_own_times(TacCompile *compile, TacMatter *matter, TacError *error);

// Marks the points that skins hang on, per matter; those of matter without a list (NULL) are left out.
TacStatus tac_compile_mark_colliding(TacCompile *compile, uint8_t *const *marks, TacError *error);

// Gives matter those of the vectors (bits 1 << TAC_...) that it has not got.
TacStatus tac_compile_take_vectors(TacWorld *world, TacMatter *matter, unsigned which, TacError *error);

// Declares `bytes` at `state` as state of the world.
TacStatus tac_compile_declare_state(void *world, void *state, size_t bytes, TacError *error);

// Contact: before programs are made, and when clocks are set.
TacStatus tac_compile_contact(TacCompile *compile, TacError *error);
TacStatus tac_compile_contact_end(TacCompile *compile, TacError *error);

// How much damping a solver makes of stiffness, s.
double tac_compile_rayleigh(const TacSolver *solver);

// Models of Levels, when clocks are set; and what cannot be one, when contact is there.
TacStatus tac_compile_levels(TacCompile *compile, TacError *error);
TacStatus tac_compile_levels_end(TacCompile *compile, TacError *error);

// The loose scheduler, where the world asks for it; last of all.
TacStatus tac_compile_loose(TacCompile *compile, TacError *error);

// Triggers and what else is looked at on beats; after that.
TacStatus tac_compile_beats(TacCompile *compile, TacError *error);

// The nearest component of a kind, in `node` or above; NULL when there is none. Only instances made so far.
TacComponent *tac_compile_nearest(const TacCompile *compile, uint32_t node, TacComponentKind kind);

// Index of matter in the world's list.
size_t tac_compile_matter_index(const TacCompile *compile, const TacMatter *matter);

// Fails with the place of a component.
TacStatus tac_compile_fail(const TacCompile *compile, const TacComponent *component, TacError *error,
                           const char *format, ...) TAC_PRINTF(4, 5);

#endif
