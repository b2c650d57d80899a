// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The world behind tactus/world.h.
//
// Matter drifts; laws kick it; each law kicks on its own clock. What kicks is a *ticker*: an agent (a solver
// and the matter it owns), a script (matter that is moved as told and that no solver owns), or a law that no
// solver owns. All tickers that fall on one instant go through it together:
//
//     arrive    their matter flies to the instant                       (TAC_X, TAC_V, matter->time)
//     change    things with several models change them                  (levels.h; idle agents do nothing below)
//     compute   each adds its kick to TAC_DV, reading TAC_X and TAC_V   (agents side by side, then laws)
//     commit    TAC_V += TAC_DV; then solvers settle what they own (wires change their resolution), and Levels
//               choose the models of the next instant
//
// A law made of parts is one ticker for each class of clocks among them (batch.h); such tickers go through the
// same three steps with their own points only. While layers push, tickers of parts deliver what they and agents have computed
// (batch_parts.h, stride.h).
//
// Rules, held between calls:
//   1. Every instant before `now` is committed. If `prepared`, the instant at `now` has arrived and is
//      computed but not committed; otherwise it is untouched.
//   2. Matter's own time is never after `now`. TAC_DV is zero except on matter of prepared tickers.
//   3. Looking (TAC_X_SHOWN, TAC_V_SHOWN) changes neither TAC_X, TAC_V nor time. Preparing early is what the
//      instant would do anyway, so measuring energy in the middle of a kick changes nothing either.
//   4. What comes from outside (inputs, states and attributes that are set) comes after the kicks of the instant at
//      `now` are computed: they are computed first if nobody has looked. Otherwise the bits of a run would depend on
//      who looks. Kicks stand but for those of a state that is set, or of a fall that a pin ends, which are computed
//      again where that is possible.

#ifndef TACTUS_WORLD_WORLD_H
#define TACTUS_WORLD_WORLD_H

#include "base/memory.h"
#include "base/team.h"
#include "constraint/joint.h"
#include "contact/edge_limits.h"
#include "contact/layer_law.h"
#include "contact/layer_rows.h"
#include "contact/touch.h"
#include "contact/touch_skins.h"
#include "solver/solver.h"
#include "tactus/world.h"
#include "time/causal.h"
#include "world/batch.h"
#include "world/hand.h"
#include "world/levels.h"
#include "world/settings.h"
#include "world/trigger.h"

// What pushes something: bits of TacTicker.pushed.
enum { TAC_PUSHED_BY_LOSING = 1, TAC_PUSHED_BY_KEEPING = 2 };

// A kick is cut into two to the power of this many parts. Best is as often as the outermost layers push: what rests is then
// kicked both ways at once, and does not tremble in between.
enum { TAC_LEAST_PARTS = 2, TAC_MOST_PARTS = 9 };

typedef struct TacTicker {
    TacProgram program;
    TacSolver *solver; // NULL: a law or a script
    const char *name;  // path of the node or of the law
    const char *what;  // class of the solver or of the law; "script", "free flight"
    bool is_law;       // kicks matter that it does not own
    bool is_script;    // does what constraints say, or nothing but arrive
    bool is_merge;     // agents that links have made one (merge.h)
    bool idle;         // somebody else kicks for it: it is merged, or nobody is merged in it
    TacBatch *batch;   // parts of a law with one class of clocks; NULL: all of its program's matter is kicked
    bool touches;      // has laws of loose contact
    double step;       // s
    int ruler_class;   // of its step; of the longest period that is no longer where it has a free clock
    uint32_t p, q;     // of beats, of a free clock; 0: on the ruler
    TacKickReport report;    // of the last kick
    const TacMatter *broken; // some velocity there is no longer a number; NULL: none
    // agents with a solver in a world with safe contact
    TacLayerLaw **layers; // live layers within the solve, one per matter; NULL: none
    size_t layer_count;
    TacLayerRows *layer_rows; // the same for Spook, one for all its matter; NULL: none
    uint32_t parts;           // ticker that delivers its kick in parts; 0: none
    int layer_class;          // of the ruler: on which the outermost of its layers tick
    bool in_parts;            // its last kick is being delivered in parts
    bool hangs_together;      // by its laws and joints (momentum.h)
    struct TacStride *stride; // its step, cut short where layers hit it (stride.h); NULL: it never is
    uint32_t whole;           // of such a ticker: whose kick it delivers
    bool is_part;
    // at an instant at which it solves (concert.h)
    uint32_t leader, led, led_laws; // who leads it; how many it leads, and how many laws of layers these have
    uint32_t first_led, first_law;  // in the world's lists
    struct TacBatchParts *shares;   // of a law: its kicks may come in parts (batch_parts.h); NULL: never
    struct TacMatterParts *deliveries; // of one for laws: what it delivers; NULL: it is an agent's
    bool blind;                        // it solves for a step, but does not foresee all layers on its matter
    unsigned pushed;          // before its kick: what layers were live on it, if no solve foresees them
    struct TacGrowth *growth; // whether it blows up, with safe contact (growth.h); NULL: nobody looks
    struct TacRest *rest;     // longer steps and sleep, with safe contact (rest.h); NULL: neither
    uint64_t kicks, iterations;
    uint64_t unsolved; // kicks whose linear solve ended far from a solution
    double worst;      // relative residual of these
    double seconds;    // wall time
    double settling;   // wall time of what solvers do after kicks, from samples
} TacTicker;

// Its clock is not on the ruler.
static inline bool tac_ticker_is_free(const TacTicker *t) {
    return t->p > 0;
}

typedef struct TacStateBlock {
    void *data;
    size_t bytes;
} TacStateBlock;

// A wire's skin, and that of a body that it meets by nodes: numbers in safe contact.
typedef struct TacNodePair {
    const TacMass *wire;
    uint32_t skin, body;
    // how the line lay at the last step, and where the body's vertices were (with room for as many)
    TacLinePiece *were;
    size_t were_count; // 0: not known
    double *places;
} TacNodePair;

// What a law keeps for changes of its force, while it does.
typedef struct TacKeptForce {
    void *data;
    size_t bytes;
    bool *keeps;
} TacKeptForce;

struct TacWorld {
    TacArena arena;
    TacTeam *team;
    TacTimebase base;
    TacCausal causal;
    TacTick now;
    double seconds; // wall time that advancing has taken
    bool prepared;
    bool hands_kicked; // of the prepared instant: hands on what nobody owns did; they may have let go since
    bool failed;
    TacError failure; // why, where an instant could not be computed; TAC_OK: said when it failed
    uint64_t seed;
    uint64_t values; // digest of all attributes when it was made

    TacKeptForce *kept;
    size_t kept_count, kept_capacity;

    // everything, in the order of the file
    TacComponent **components;
    uint32_t *component_ids; // index1 and generation of the scene's handles, two per component
    size_t component_count;
    const uint32_t *of_source; // component of each handle's index; UINT32_MAX: none
    size_t source_count;

    TacMatter **matters;
    size_t matter_count;
    TacTicker *tickers; // agents and scripts, then laws
    size_t ticker_count, agent_count;
    TacProgram all; // all matter, maps, masses, laws: for looking and measuring
    uint32_t *due;  // tickers of the prepared instant, ascending; then as many for sorting them
    size_t due_count;
    struct TacStrideKick
        *concert_kicks;         // of those that solve together, one concert after the other (concert.h)
    TacLayerLaw **concert_laws; // theirs

    struct TacRests {
        struct TacRest *list; // agents that may take longer steps and sleep (rest.h)
        size_t count, sleepers;
        uint32_t *heap; // by ticker, scratch: whom it lies on; the last stands for those who never sleep
        bool *wakes;    // by agent, scratch
    } rests;
    struct TacMerge *merges; // families of agents that links may make one
    size_t merge_count;

    TacStateBlock *blocks; // declared by components
    size_t block_count, block_capacity;

    struct TacAccounts *accounts; // NULL: nobody asked
    bool audited;
    bool has_strides;              // agents with solvers, under safe contact (stride.h)
    uint8_t *pushed;               // by matter, scratch: what pushes it; NULL: no batch asks (batch_parts.h)
    TacSafe *safe;                 // contact that cannot fail; NULL: none
    TacLimits *limits;             // edges that cannot stretch; NULL: none
    const uint32_t *first_support; // in it, by component; UINT32_MAX: none
    TacHands hands;
    TacBeats beats;
    TacWorldLevels levels;
    TacMaterials materials;
    TacGuard guard;          // of matter that changes its resolution under safe contact
    TacNodePair *node_pairs; // under safe contact: wires and what they meet by nodes
    size_t node_pair_count;
    TacLinePiece *pieces; // scratch: of the line of one of those wires
    size_t piece_capacity;
    struct TacWorldTouch *touch; // loose contact; NULL: none
    struct TacWorldLoose *loose; // the loose scheduler; NULL: the causal one

    bool (*stop)(void *data); // asked while time runs; NULL: nobody
    void *stop_data;

    TacTick shown; // instant that TAC_X_SHOWN holds; -1: none
    uint64_t instants, growths;

    const TacListen **listens; // in the order of the tree
    size_t listen_count;

    // settings and what is recorded
    const TacWorldSettings *settings;
    TacVec3 up;
    const TacRecordSetting *record;
    struct TacWorldRecord *recording;
    void **plugins; // kept open as long as their classes are in use
    size_t plugin_count;
};

// Brings TAC_X_SHOWN and TAC_V_SHOWN to now.
void tac_world_show(TacWorld *world);

// Arrives and computes the instant at now, if one falls on it and it is not prepared yet.
TacStatus tac_world_prepare_now(TacWorld *world, TacError *error);

// Before a change from outside: the instant at now is prepared, whether somebody has looked or not, and whether
// anything falls on it or not. The change then acts from the next instant on.
TacStatus tac_world_before_change(TacWorld *world, TacError *error);
// What a solver does once velocities are kicked at `now`, before matter flies on: wires change their resolution. Writes
// nothing but what the ticker owns.
void tac_world_settle_solver(TacWorld *world, TacTicker *ticker, TacTick now);

// Has agents ask safe contact before they change their resolution.
void tac_world_guard(TacWorld *world);
// Tells safe contact how all points are carried now: at the start, and after a restore.
TacStatus tac_world_reshape_all(TacWorld *world, TacError *error);
// Into world->pieces, the straight pieces of a wire's line over nodes; returns how many there are.
size_t tac_world_node_pieces(TacWorld *world, const TacMass *wire);
// Looks whether the lines of an agent's wires have passed through what they meet by nodes (the audit is told): then the world fails.
TacStatus tac_world_check_nodes(TacWorld *world, const TacTicker *ticker, TacError *error);

TacMatter *tac_world_get_matter(const TacWorld *world, TacComponentId id); // NULL: not matter
TacComponent *tac_world_get(const TacWorld *world, TacComponentId id);     // NULL: not there

// Loose contact, and which matter it looks at.
typedef struct TacWorldTouch {
    TacTouch touch;
    TacTouchModel *models;
    size_t model_count;
    TacSkinTouches skin_touches;
    TacSkinTouch *skins;
    size_t skin_count;
    TacMatter **roots; // independent matter
    size_t root_count;
    TacMap **maps; // from these to the models' matter, top down
    size_t map_count;
} TacWorldTouch;

// Where a state of matter stands at an instant: on its flight, or on the way that a solver has set.
void tac_world_locate(const TacWorld *world, const TacMatter *matter, TacTick now, double *x, double *v);

// Brings matter to now, where it is not there yet.
void tac_world_arrive(TacWorld *world, TacMatter *matter);
// After an input or a state that was set, at now: pins hold at once, as the next instant may be anybody's, and kicks of this
// one see that.
void tac_world_hold_pins(TacWorld *world);
// Something that falls by itself begins or ceases to be held against that; its matter has arrived.
TacStatus tac_world_renew_falls(TacWorld *world, TacError *error);

// Whether the linear solve of its last kick used up its iterations far from a solution; and taking note of that
// (remark.c).
bool tac_world_is_unsolved(const TacTicker *ticker);
void tac_world_note_solve(TacTicker *ticker);

// One kick of a ticker, into TAC_DV of its matter.
void tac_world_kick(TacWorld *world, TacTicker *ticker, TacTick now);

// Whether somebody asked to stop (tac_world_stop_when); looked at now and then.
bool tac_world_is_stopped(const TacWorld *world);

// Finds the contacts of the instant at `now`, where somebody due has to do with them. Called when all matter of the
// instant has arrived, before kicks are computed.
TacStatus tac_world_touch(TacWorld *world, TacTick now, TacError *error);

// The nearest surface that is drawn for matter, from topology; used by recordings.
typedef struct TacShape {
    TacMatter *matter;
    const TacTopology *topology; // NULL: none
    const TacLook *look;         // NULL: none
    bool has_skin;               // other matter with a surface follows it
} TacShape;

typedef struct TacWorldRecord TacWorldRecord;

// Makes the recording's definition; called by the compile step. `shapes` has one entry per matter.
TacStatus tac_world_record_setup(TacWorld *world, const TacShape *shapes, const TacCameraSetting *camera,
                                 const TacGround *ground, const char *scene, TacError *error);

#endif
