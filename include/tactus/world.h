// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Worlds: everything that is simulated together, with one notion of now.
//
//     TacWorldDef def = tac_world_def_default();
//     tac_world_create(&world, scene, &def, &error);
//     tac_world_advance(world, 1.0, &error);
//     const double *x = tac_world_positions(world, tac_world_find(world, "/cloth/points"));
//
// Time is an integer number of ticks; what happens at one instant is computed from the state before it. A run
// depends on scene, seed and build alone: not on the number of threads, nor on how often anybody looked.
// Two worlds in two threads do not see each other; one world belongs to one thread at a time.

#ifndef TACTUS_WORLD_H
#define TACTUS_WORLD_H

#include "tactus/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TacWorld TacWorld;

typedef struct TacWorldDef {
    int threads;   // 0: as many as the machine has cores
    uint64_t seed; // of everything random in the scene
    size_t memory; // bytes that the world may take; 0: three quarters of the machine's memory
    // Told what is being done ("checking the start") and how much of all is (0..1) while a world is made: for whoever
    // waits. It is called from the thread that makes the world, once for each component and stage; NULL: nobody is told.
    void (*progress)(void *data, const char *stage, double done);
    void *progress_data;
} TacWorldDef;

TAC_API TacWorldDef tac_world_def_default(void); // 1 thread, seed 1, usual memory, nobody is told

// Compiles a scene. The scene may be changed or destroyed afterwards. Remarks made on the way are added to
// the scene's messages.
TAC_API TacStatus tac_world_create(TacWorld **world, TacScene *scene, const TacWorldDef *def,
                                   TacError *error);
TAC_API void tac_world_destroy(TacWorld *world); // NULL is allowed

// Lets time run: all instants from now up to, but not including, the one reached. A failed world (a number
// that is no longer finite) stays where it failed.
TAC_API TacStatus tac_world_advance(TacWorld *world, double seconds, TacError *error);
TAC_API TacStatus tac_world_advance_beats(TacWorld *world, int64_t beats, TacError *error);
// To the n-th frame of a rate given in frames per second: exact, without drift. Not back in time.
TAC_API TacStatus tac_world_advance_to_frame(TacWorld *world, double fps, int64_t n, TacError *error);

// Asked every so often while time runs: when it says true, the advance ends between two instants, before the time
// that was asked for, and returns TAC_OK. NULL: nobody is asked.
TAC_API void tac_world_stop_when(TacWorld *world, bool (*stop)(void *data), void *data);

TAC_API double tac_world_time(const TacWorld *world);  // s
TAC_API int64_t tac_world_tick(const TacWorld *world); // exact
TAC_API double tac_world_beat(const TacWorld *world);  // s, the scene's dt

// --- state ------------------------------------------------------------------------------------------------

// Handles are those of the scene.
TAC_API TacComponentId tac_world_find(const TacWorld *world, const char *path); // null when there is none
TAC_API size_t tac_world_matter_count(const TacWorld *world);
TAC_API TacComponentId tac_world_matter(const TacWorld *world, size_t i);
TAC_API const char *tac_world_path(const TacWorld *world, TacComponentId component);

TAC_API TacMatterKind tac_world_kind(const TacWorld *world, TacComponentId matter);
TAC_API size_t tac_world_point_count(const TacWorld *world, TacComponentId matter); // 0: not matter
// Positions and velocities as of now, without a copy; valid until the world advances. NULL: not matter.
TAC_API const double *tac_world_positions(TacWorld *world, TacComponentId matter);
TAC_API const double *tac_world_velocities(TacWorld *world, TacComponentId matter);
// Puts matter elsewhere, from now on. NULL leaves positions or velocities as they are. Mapped matter is
// refused. The kicks of the instant now are computed again from there; with safe contact they are those of where it was.
// Velocities of what is held, or moves as it is told, stay.
TAC_API TacStatus tac_world_set_state(TacWorld *world, TacComponentId matter, const double *positions,
                                      const double *velocities, TacError *error);

// The forces of all laws of its agent on matter at its last kick, N (and N m), held points included: what a hand that
// is moved by a script feels. Zero before the first kick; not part of snapshots. NULL: not matter, or mapped.
TAC_API const double *tac_world_forces(const TacWorld *world, TacComponentId matter);

// Changes an attribute that may change while time runs, from the next instant on; other ones are refused with a list of
// those that may.
TAC_API TacStatus tac_world_set(TacWorld *world, TacComponentId component, const char *attribute,
                                const char *text, TacError *error);
// An attribute as a scene would write it, as it is now. False where there is none of that name, or where it is
// longer than `size` allows (then `text` holds its beginning).
TAC_API bool tac_world_text(const TacWorld *world, TacComponentId component, const char *attribute,
                            char *text, size_t size);
// A component's output attribute or list; empty when there is none of that name.
TAC_API TacReals tac_world_reals(const TacWorld *world, TacComponentId component, const char *attribute);

// --- what can be measured ---------------------------------------------------------------------------------

// Energies in J. Read at an instant at which agents tick, velocities are taken in the middle of that
// instant's kicks: whole kicks read several times noisier.
typedef struct TacEnergy {
    double kinetic, weight, elastic, contact, total;
} TacEnergy;

typedef struct TacMomentum {
    TacVec3 linear, angular; // kg m/s, and kg m^2/s about the origin
} TacMomentum;

// Of everything that has mass, and of all laws, now.
TAC_API TacEnergy tac_world_energy(TacWorld *world);
TAC_API TacMomentum tac_world_momentum(TacWorld *world);

// What each agent, each law on its own clock and contact put into the world or took out of it. Nothing but kicks changes
// a velocity: what somebody's kicks do, and what the potential energy of its own laws and of the weights that it carries
// gains, cancel where its method keeps energy.
typedef struct TacAccount {
    const char *
        name; // of the agent, or of the law; "layers", "hands", "rest" (falling asleep), "outside" (what is set), "levels"
    const char *what;        // class of its solver, or of the law; "" for the others
    double work;             // J, that its kicks did
    double stored;           // J, that its laws and weights gained
    double put_in;           // J: the sum of both; negative: taken out
    TacVec3 linear, angular; // N s and N m s: the sum of its kicks
} TacAccount;

typedef struct TacAccountSum {
    double start, end;          // J, between instants (tac_world_energy reads in the middle of one)
    double put_in;              // J, by all
    double unaccounted;         // J: end - start - put_in
    TacVec3 linear;             // N s, by all, and by the fall of what no solver owns
    TacVec3 linear_unaccounted; // N s: what momentum gained - linear
} TacAccountSum;

// From now on accounts are kept; again: from now on anew. It costs time, and changes no bit of the run. A snapshot does
// not hold them.
TAC_API TacStatus tac_world_keep_accounts(TacWorld *world, TacError *error);

// Writes up to `most` rows, agents first; *count is how many there are. All zero where no accounts are kept.
TAC_API TacAccountSum tac_world_accounts(TacWorld *world, TacAccount *rows, size_t most, size_t *count);

// Of all state, as it is: two runs that agree here agree in every bit.
TAC_API uint64_t tac_world_hash(TacWorld *world);

typedef struct TacWorldStats {
    uint64_t instants;    // at which something ticked
    uint64_t agent_kicks; // by solvers
    uint64_t law_kicks;   // by laws on their own clock
    uint64_t iterations;  // of linear solvers
    uint64_t growths;     // arrays that had to grow while time ran
    size_t bytes;         // of memory that the world holds
    size_t points, agents, free_laws, components;
} TacWorldStats;
TAC_API TacWorldStats tac_world_stats(const TacWorld *world);

// What safe contact did so far; zeros where there is none.
typedef struct TacContactStats {
    uint64_t looks, kicks;        // pairs evaluated; layers that kicked
    uint64_t plans, certificates; // made anew
    uint64_t refits, queries;     // of boxes
    uint64_t expired;             // promises that ran out
    size_t pairs, armed;          // now: kept, with layers that are looked at
    double shortest;              // s, period of the finest layer that was looked at
    double closest;               // m, smallest gap seen by a layer
    uint64_t reshapes;            // changes of resolution of what touches
    uint64_t postponed; // those that had to wait because something was in the way: steps, not changes
    size_t bytes;
    // What failed, came due or is new is processed; what rests on something that changed is rescheduled.
    uint64_t certificates_processed;   // a new one was found, or layers are looked at
    uint64_t certificates_rescheduled; // asked whether they hold until their window ends
    uint64_t lists_processed;          // pairs that came or went
    uint64_t lists_rescheduled;        // boxes that follow, asked what they meet until their window ends
    uint64_t checks;                   // of plans against motion
    // wall time, s
    double kicking, planning, checking;
    double certifying, boxing; // of which:
    double certificates_processing, certificates_rescheduling, lists_processing, lists_rescheduling;
} TacContactStats;
TAC_API TacContactStats tac_world_contact_stats(const TacWorld *world);

// From now on every motion is told to an audit, which asks, beat by beat and with arithmetic of its own,
// whether anything passed through anything. Only in worlds with safe contact. Slow.
TAC_API TacStatus tac_world_audit(TacWorld *world, TacError *error);

typedef struct TacAuditSummary {
    bool audited;
    size_t violations; // pairs, counted once per beat
    size_t listed;     // of which the first can be told in words
    double closest;    // m, smallest distance seen; infinite where nothing came near
    size_t questions;  // that were asked
} TacAuditSummary;
TAC_API TacAuditSummary tac_world_audit_summary(const TacWorld *world);
// The i-th violation in words, into `text`, which is returned.
TAC_API const char *tac_world_audit_violation(const TacWorld *world, size_t i, char *text, size_t size);

typedef struct TacAgentInfo {
    const char *name;   // path of the node whose sub-tree it is, or of the law
    const char *solver; // class of its solver; of the law, for a law on its own clock
    bool is_law;
    double step;   // s
    bool on_ruler; // its period is the beat times a power of two
    size_t points; // that it owns; that it kicks, of parts of a law
    size_t parts;  // of a law whose parts have their own clocks: those with this one; 0: all
    uint64_t kicks;
    double seconds;  // wall time spent in its kicks
    double settling; // wall time spent after them on choosing and taking resolutions, from samples
    double time;     // s, its own; the world's now under the causal scheduler
    int priority;    // under the loose scheduler; -1: it has none
    bool resting;    // nothing moves, so it does not step
} TacAgentInfo;
TAC_API TacAgentInfo tac_world_agent(const TacWorld *world, size_t i); // agents, then free laws
// What is wrong with how it has run so far, if it is no reason to stop, and where the scene says so: its linear solver ends
// far from a solution again and again. False: nothing is.
TAC_API bool tac_world_agent_remark(const TacWorld *world, size_t i, TacError *remark);

// How near the masses of explicit agents are to the limit of their steps: K T^2 + 2 Z T < 4 M with the sums that
// CORDIS-ANIMA takes (over links to fixed points, and twice over links to masses that move). Sufficient; exact for
// a chain.
typedef struct TacMargin {
    TacComponentId matter;
    size_t first, count;               // points in a row that are alike
    double mass, stiffness, viscosity; // kg, N/m and N s/m: M, K and Z
    double step, largest_step;         // s: the agent's, and what it may be at most
    double used;                       // (K T^2 + 2 Z T) / 4 M: stable below 1
    bool whole;                        // false: a law on it does not say how steep it is
} TacMargin;
// A list that the caller frees; only points that move.
TAC_API TacStatus tac_world_margins(TacWorld *world, TacMargin **margins, size_t *count, TacError *error);

// --- listening --------------------------------------------------------------------------------------------

// The Listen components of the world, in the order of the tree: what each hears now, and where it is heard (0 left,
// 1 right). Looks only at what it needs, so that it can be asked for every sample of a sound.
TAC_API size_t tac_world_listen_count(const TacWorld *world);
TAC_API void tac_world_listen(TacWorld *world, double *heard);
TAC_API double tac_world_listen_pan(const TacWorld *world, size_t i);
TAC_API const char *tac_world_listen_name(const TacWorld *world, size_t i); // path; NULL: none
// How far apart agents are in time under the loose scheduler: the fastest's time less the slowest's, after every turn
// since this was last asked. All zero under the causal one.
typedef struct TacDelay {
    double mean, most; // s
    uint64_t turns;
} TacDelay;
TAC_API TacDelay tac_world_delay(TacWorld *world);

// --- snapshots --------------------------------------------------------------------------------------------

// Saving copies all state; restoring it into a world compiled from the same scene continues to the same bits.
TAC_API size_t tac_world_snapshot_size(const TacWorld *world); // bytes
TAC_API TacStatus tac_world_save(TacWorld *world, void *data, size_t bytes, TacError *error);
TAC_API TacStatus tac_world_restore(TacWorld *world, const void *data, size_t bytes, TacError *error);

// The same in a file (.tacsnap), which carries a version and a checksum. It is written beside its place and renamed:
// whatever happens, a whole file stands there, or the one before it, or none. For the same build of the library.
typedef struct TacSnapshotInfo {
    int version;       // of the file's format
    double time, beat; // s
    int64_t tick;      // exact time
    uint64_t seed;     // of the world
    uint64_t bytes;    // of the file
    bool loose;        // of a world with the loose scheduler
    bool other_values; // set by restoring: attributes of the scene had other values when it was saved
    int library[3];    // version that wrote it: major, minor, patch
    char scene[128];   // its title, or its file; may be cut, may be empty
} TacSnapshotInfo;
TAC_API TacStatus tac_world_save_file(TacWorld *world, const char *path, TacError *error);
// A file that is damaged, cut, newer, or of another scene, seed or beat is refused (TAC_BAD_INPUT) and the world left
// as it is. Other values of attributes are taken, and told: what follows is then not what would have followed. `info`
// may be NULL.
TAC_API TacStatus tac_world_restore_file(TacWorld *world, const char *path, TacSnapshotInfo *info,
                                         TacError *error);
// What a file holds, without a world. Reads and checks all of it.
TAC_API TacStatus tac_snapshot_read_info(TacSnapshotInfo *info, const char *path, TacError *error);

// --- touching ---------------------------------------------------------------------------------------------

// Inputs from outside while time runs: hands that pull, pins, a solid sphere that pushes, and where somebody
// looks. They take effect at the instant now and are logged with its tick; a world of the same scene that is
// given the same inputs at the same ticks has the same bits.

enum { TAC_HANDS = 8, TAC_PINS = 64 }; // the most at a time

typedef enum TacInputKind {
    TAC_INPUT_GRAB,    // hand, component (matter), point, a: target, value: strength
    TAC_INPUT_DRAG,    // hand, a: target
    TAC_INPUT_RELEASE, // hand; a: velocity to leave with, where value is not 0
    TAC_INPUT_PIN,     // component, point
    TAC_INPUT_UNPIN,   // component, point
    TAC_INPUT_SPHERE,  // a: centre, value: radius; 0: none
    TAC_INPUT_CAMERA,  // a: eye, b: target
    TAC_INPUT_SELECT,  // component; null: none
} TacInputKind;

typedef struct TacInput {
    int64_t tick; // when it took effect; ignored where an input is given
    TacInputKind kind;
    int hand; // 0 .. TAC_HANDS - 1
    TacComponentId component;
    size_t point;
    TacVec3 a, b;
    double value;
} TacInput;

// Applies one input now, and logs it. It acts from the next instant on: the kicks of the instant now are without it, whether
// somebody has looked at them or not, so that the same inputs at the same ticks give the same bits whoever looks.
TAC_API TacStatus tac_world_input(TacWorld *world, const TacInput *input, TacError *error);
// All so far, in order; valid until the next one. Going back by a snapshot forgets those after it. Moves of
// the same thing at the same tick are one.
TAC_API const TacInput *tac_world_inputs(const TacWorld *world, size_t *count);
// The same in a file (.tacin, text), and back: from now on the inputs of a file are given at their ticks while time runs;
// those before now are left out. Only for the same scene and beat (TAC_BAD_INPUT otherwise, with the line).
TAC_API TacStatus tac_world_save_inputs(const TacWorld *world, const char *path, TacError *error);
TAC_API TacStatus tac_world_replay_inputs(TacWorld *world, const char *path, TacError *error);

// The same by name. A hand pulls a point to the target by a spring of this strength (N/m) with critical
// damping; on a frame it holds the place where the target is when it grabs. Where a solver is explicit, the
// strength is limited to what its step can take.
TAC_API TacStatus tac_world_grab(TacWorld *world, int hand, TacComponentId matter, size_t point,
                                 TacVec3 target, double strength, TacError *error);
TAC_API TacStatus tac_world_drag(TacWorld *world, int hand, TacVec3 target, TacError *error);
// `velocity` (m/s) may be NULL: what is let go moves on as it does.
TAC_API TacStatus tac_world_release(TacWorld *world, int hand, const TacVec3 *velocity, TacError *error);
// A pinned point stays where it is. Matter that follows other matter is held by a strong spring.
TAC_API TacStatus tac_world_pin(TacWorld *world, TacComponentId matter, size_t point, TacError *error);
TAC_API TacStatus tac_world_unpin(TacWorld *world, TacComponentId matter, size_t point, TacError *error);
// A solid sphere that pushes all points out of it; a radius of 0 takes it away.
TAC_API TacStatus tac_world_sphere(TacWorld *world, TacVec3 center, double radius, TacError *error);
// The pull of a hand now (N), and the place it holds. False, and zero, where it holds nothing.
TAC_API bool tac_world_hand_force(TacWorld *world, int hand, TacVec3 *force, TacVec3 *place);

// --- recording --------------------------------------------------------------------------------------------

// What a recording of this world holds: its matter as tracks, energies, momentum, agents and probes as
// channels, looks, camera and ground, as the scene's Record, Look and Camera components say. Owned by the
// world.
TAC_API const TacRecordingDef *tac_world_recording_def(TacWorld *world, TacError *error);
// The frame of now; valid until the world advances or the next call.
TAC_API const TacFrame *tac_world_frame(TacWorld *world);
TAC_API const char *
tac_world_title(const TacWorld *world);                   // what the scene calls itself; "" when it does not
TAC_API double tac_world_fps(const TacWorld *world);      // that the scene asks for
TAC_API double tac_world_duration(const TacWorld *world); // s, that the scene asks for

#ifdef __cplusplus
}
#endif

#endif
