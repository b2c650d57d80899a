// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A week of abuse: `abuse_soak SEED [SCENE [show]]` builds worlds that mix everything (solvers, solids, cloth, wires, balls,
// rigid bodies, joints and laws between agents, triggers, hands, sleep; both schedulers, both kinds of contact) and runs each in
// a process of its own, while something goes wrong: an allocation fails, the disk is full, the process is killed. What
// must hold: no crash, no hang; the same bits on other threads and after a resume; accounts that add up; no
// intersection; recordings that open and snapshots that are whole or absent, whatever happened.
//
// scene_soak tries hostile values; here values are usual and what happens is not.

#define _GNU_SOURCE
#include "base/random.h"
#include "tactus/tactus.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SCENES = 12, MOST_BODIES = 5, BEATS = 16, SECONDS = 60 };

// --- an allocation that fails ---------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COUNTING = 0 };
#else
enum { COUNTING = 1 };
#endif
static atomic_long allocations, fail_at = -1;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool refused(void) {
    return atomic_fetch_add(&allocations, 1) == atomic_load(&fail_at);
}

void *malloc(size_t size) {
    return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return refused() ? NULL : __libc_realloc(old, size);
}
#endif

// --- scenes -----------------------------------------------------------------------------------------------------

typedef struct Maker {
    TacRandom random;
    char text[20000];
    size_t length;
    bool safe, loose;
    size_t bodies;
    size_t rigid[MOST_BODIES], rigid_count; // bodies that are single frames
    char solver_of[MOST_BODIES + 1][24];
    bool points[MOST_BODIES]; // its matter is points
} Maker;

static size_t below(Maker *m, size_t n) {
    return (size_t)(tac_random_bits(&m->random) % n);
}

static double between(Maker *m, double low, double high) {
    return low + (high - low) * tac_random_unit(&m->random);
}

__attribute__((format(printf, 2, 3))) static void put(Maker *m, const char *format, ...) {
    va_list args;
    va_start(args, format);
    m->length += (size_t)vsnprintf(m->text + m->length, sizeof m->text - m->length, format, args);
    va_end(args);
    if (m->length >= sizeof m->text) abort();
}

#define PICK(m, ...)                                                                                         \
    ((const char *const[]){                                                                                  \
        __VA_ARGS__}[below(m, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

static void put_agent(Maker *m) {
    if (below(m, 2))
        put(m, "<Agent adaptive='true' rest='%s' still='%g' patience='0.02'/>",
            below(m, 2) ? "true" : "false", between(m, 0.001, 0.5));
}

static void put_step(Maker *m, const char *solver) {
    // under the loose scheduler nobody ticks on a beat
    const char *step =
        m->loose ? PICK(m, "0", "0.005", "0.0037", "0.0011") : PICK(m, "0", "0.005", "0.0025", "0.00125");
    put(m, "<%s name='solver' step='%s'/>", solver, step);
    snprintf(m->solver_of[m->bodies], sizeof m->solver_of[0], "%s", solver);
}

static const char *implicit_or_not(Maker *m) {
    return PICK(m, "ImplicitEuler", "ImplicitEuler", "SymplecticEuler");
}

static void put_cloth(Maker *m, double x, double y) {
    put_step(m, implicit_or_not(m));
    put_agent(m);
    if (below(m, 2))
        put(m, "%s", PICK(m, "<SparseDirect/>", "<PreconditionedConjugateGradient/>", "<MinimalResidual/>"));
    put(m, "<Sheet divisions='3' width='0.4' depth='0.4' translation='%g %g 0'/><Points name='matter'/>", x,
        y);
    put(m, "%s", PICK(m, "<UniformMass total='0.1'/>", "<DiagonalMass density='0.6'/>"));
    put(m, "%s",
        PICK(m, "<Springs stiffness='60' damping='0.1'/>", "<MeshSprings triangles='50'/>",
             "<Triangles young='300' thickness='0.01'/>",
             "<Springs stiffness='60'/><ShellBending stiffness='1e-4'/>",
             "<Springs stiffness='60'/><BendingSprings stiffness='0.01'/>"));
    if (below(m, 3) == 0) put(m, "<Damping coefficient='0.01'/>");
    if (below(m, 3) == 0) put(m, "<FixedPoints name='held' points='0 3'/>");
    put(m, "%s", m->safe ? "<Skin name='model'/>" : "<Balls name='model' radius='0.04' self='false'/>");
}

static void put_solid(Maker *m, double x, double y) {
    bool bricks = below(m, 4) == 0;
    put_step(m, "ImplicitEuler");
    put_agent(m);
    if (below(m, 2)) put(m, "<SparseDirect/>");
    put(m, "<Grid counts='2 2 2' low='%g %g -0.1' high='%g %g 0.1'%s/><Points name='matter'/>", x - 0.1, y,
        x + 0.1, y + 0.2, bricks ? "" : " split='true'");
    put(m, "<UniformMass total='0.5'/>");
    put(m, "%s",
        bricks
            ? "<Hexahedra young='8000'/>"
            : PICK(
                  m, "<Tetrahedra young='8000'/>", "<HyperelasticTetrahedra young='8000'/>",
                  "<Tetrahedra young='8000' plastic_yield='0.01' plastic_limit='0.1' plastic_creep='0.3'/>"));
    put(m, "%s",
        m->safe ? "<Skin name='model' self='false'/>" : "<Balls name='model' radius='0.05' self='false'/>");
}

static void put_rigid(Maker *m, double x, double y) {
    const char *solver = PICK(m, "Spook", "SymplecticEuler", "Spook", "none");
    bool free = !strcmp(solver, "none") && !m->loose;
    if (!free) put_step(m, strcmp(solver, "none") ? solver : "SymplecticEuler");
    if (!free) put_agent(m);
    put(m, "<Frames name='matter' positions='%g %g 0 0 0 %g 1' velocities='%g 0 0 0 0 %g'/>", x, y + 0.1,
        below(m, 2) ? 0.2 : 0.0, between(m, -1, 1), between(m, -1, 1));
    put(m, "<UniformMass mass='0.5' box='0.15 0.15 0.2'/>");
    if (m->safe)
        put(m, "<node name='s'><Box low='-0.07 -0.07 -0.1' high='0.07 0.07 0.1'/><Points/><RigidMap/>"
               "<Skin name='model'/></node>");
    else
        put(m, "<Shape name='model' %s/>",
            PICK(m, "size='0.14 0.14 0.2'", "shape='sphere' radius='0.08'",
                 "shape='capsule' radius='0.05' size='0 0.1 0'"));
    m->rigid[m->rigid_count++] = m->bodies;
}

static void put_wire(Maker *m, double x, double y) {
    put_step(m, "Spook");
    put(m,
        "<node name='box'><Frames name='matter' positions='%g %g 0 0 0 0 1'/><UniformMass mass='0.3' "
        "box='0.1 0.1 0.1'/>",
        x, y + 0.05);
    put(m, "%s</node>",
        m->safe ? "<node name='s'><Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05'/><Points/>"
                  "<RigidMap/><Skin name='model'/></node>"
                : "<Shape name='model' size='0.1 0.1 0.1'/>");
    put(m,
        "<node name='wire'><Line divisions='%s' from='%g %g 0' to='%g %g 0'/><Points/><Wire mass='0.05' "
        "end='@../box/matter'/><FixedPoints points='0'/></node>",
        PICK(m, "4", "8", "16"), x, y + 0.6, x, y + 0.1);
}

static void put_balls(Maker *m, double x, double y) {
    if (m->loose || below(m, 2)) put_step(m, "SymplecticEuler");
    put(m, "<Points name='matter' positions='%g %g 0 %g %g 0.01 %g %g 0'/><UniformMass mass='0.02'/>", x, y,
        x + 0.07, y, x + 0.03, y + 0.07);
    put(m, "%s",
        PICK(m, "<Springs pairs='0 1 1 2' stiffness='20'/>",
             "<Liaisons fit='lennard-jones' depth='0.002' distance='0.075' exponent='4' viscosity='0.05'/>",
             "<ConditionalLinks pairs='0 1 1 2' states='whole broken' stiffness='20 0' damping='0 0' "
             "rest='0.07 "
             "0' transitions='whole to broken when time above 0.05'/>",
             "<ConstantForce force='0.01 0 0'/>"));
    put(m, "<Balls name='model' radius='0.03'/>");
}

static void put_floor(Maker *m) {
    if (m->safe)
        put(m, "<node name='floor'><Sheet divisions='1' width='6' depth='4'/><Points/><FixedPoints "
               "points='0-3'/>"
               "<Skin name='model'/></node>");
    else
        put(m, "<node name='floor'><Frames positions='0 -0.1 0 0 0 0 1'/><FixedPoints points='0'/><Shape "
               "name='model' "
               "size='6 0.2 4'/></node>");
}

// Joints between agents, that open and close.
static void put_links(Maker *m) {
    for (size_t i = 0; i + 1 < m->rigid_count; i++) {
        size_t a = m->rigid[i], b = m->rigid[i + 1];
        bool spook = !strcmp(m->solver_of[a], "Spook") || !strcmp(m->solver_of[b], "Spook");
        if (!spook || below(m, 3) == 0) continue;
        put(m, "<%s name='link%zu' matter='@b%zu/matter' other='@b%zu/matter' open='%s'/>",
            PICK(m, "BallJoint", "LockJoint", "BallJoint"), i, a, b, below(m, 2) ? "true" : "false");
        put(m, "<Trigger when='time' value='%g' then='close' what='@link%zu' times='2'/>", between(m, 0, 0.1),
            i);
        put(m, "<Trigger when='time' value='%g' then='open' what='@link%zu' times='2'/>", between(m, 0, 0.15),
            i);
    }
}

// A law between two agents: by halves under the loose scheduler, on a clock of its own otherwise.
static void put_laws(Maker *m) {
    if (m->bodies < 2 || below(m, 3)) return;
    size_t a = below(m, m->bodies - 1), b = a + 1;
    if (!m->points[a] || !m->points[b]) return;
    put(m, "<Springs pairs='0 1' matter='@b%zu/matter' other='@b%zu/matter' stiffness='%g' damping='0.01'/>",
        a, b, between(m, 1, 20));
}

static void make_scene(Maker *m) {
    m->loose = below(m, 5) < 2;
    m->safe = !m->loose && below(m, 3) > 0;
    put(m, "<tactus version='1' dt='%s'%s>", PICK(m, "0.01", "0.005"), m->loose ? " scheduler='loose'" : "");
    put(m, "<Contact method='%s' thickness='0.006' friction='%s' restitution='%s'/>",
        m->safe ? "safe" : "loose", PICK(m, "0", "0.4"), PICK(m, "0", "0.5"));
    put_floor(m);
    size_t wanted = 1 + below(m, MOST_BODIES);
    for (; m->bodies < wanted; m->bodies++) {
        double x = -1.2 + 0.6 * (double)m->bodies, y = between(m, 0.02, 0.15);
        static void (*const makers[])(Maker *, double, double) = {put_cloth, put_solid, put_rigid,
                                                                  put_rigid, put_wire,  put_balls};
        put(m, "<node name='b%zu'>", m->bodies);
        size_t kind = below(m, 6);
        makers[kind](m, x, y);
        m->points[m->bodies] = makers[kind] != put_rigid && makers[kind] != put_wire;
        put(m, "</node>");
    }
    put_links(m);
    put_laws(m);
    if (below(m, 2)) put(m, "<ContactProbe name='push' model='@floor/model'/>");
    put(m, "<Record fps='100'/></tactus>");
}

// --- runs --------------------------------------------------------------------------------------------------------

static _Noreturn void broken(const char *what, const TacError *error) {
    fprintf(stderr, "abuse: %s%s%s\n", what, error ? ": " : "", error ? error->message : "");
    _exit(1);
}

static TacStatus make_world(const Maker *m, int threads, TacWorld **world, TacError *error) {
    TacScene *scene = NULL;
    TacStatus status = tac_scene_create(&scene, error);
    if (status != TAC_OK) return status;
    status = tac_scene_parse(scene, "abuse.tac", m->text, m->length, error);
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    if (status == TAC_OK) status = tac_world_create(world, scene, &def, error);
    tac_scene_destroy(scene);
    return status;
}

// A hand now and then, the same for the same beat. False: there was no memory for it, and that was said.
static bool meddle(const Maker *m, TacWorld *world, int beat) {
    TacRandom random = tac_random(m->length, (uint64_t)beat);
    size_t matters = tac_world_matter_count(world);
    if (tac_random_bits(&random) % 4) return true;
    TacComponentId id = tac_world_matter(world, tac_random_bits(&random) % matters);
    TacVec3 place = {0.1, 0.4, 0};
    TacStatus status;
    switch (tac_random_bits(&random) % 6) {
    case 0:
    case 1: status = tac_world_grab(world, 0, id, 0, place, 50, NULL); break;
    case 2: status = tac_world_release(world, 0, NULL, NULL); break;
    case 3: status = tac_world_drag(world, 0, (TacVec3){-0.3, 0.2, 0.1}, NULL); break;
    case 4: status = tac_world_sphere(world, place, 0.2, NULL); break;
    default: status = tac_world_grab(world, 1, id, 0, place, 20, NULL); break;
    }
    return status != TAC_NO_MEMORY;
}

// Beats from..BEATS; false where the world fails, which must be said.
static bool run(const Maker *m, TacWorld *world, int from) {
    for (int beat = from; beat < BEATS; beat++) {
        TacError error = {0};
        if (!meddle(m, world, beat)) return false;
        if (tac_world_advance_beats(world, 1, &error) == TAC_OK) {
            tac_world_energy(
                world); // as recordings do: a hand in a safe world comes after the kicks that were looked at
            continue;
        }
        if (!error.message[0]) broken("a run failed without a word", NULL);
        return false;
    }
    return true;
}

// Cloth that blows up between layers goes on for hours, and would rather be stopped.
static bool is_slow(void *start) {
    return clock() - *(clock_t *)start > 2 * CLOCKS_PER_SEC;
}

// The whole run on one thread, audited and with accounts; 0: it is refused or fails, as scenes may.
static uint64_t whole_run(const Maker *m) {
    TacWorld *world = NULL;
    TacError error = {0};
    if (make_world(m, 1, &world, &error) != TAC_OK) {
        if (error.status != TAC_BAD_INPUT || !error.message[0]) broken("not a scene", &error);
        if (getenv("ABUSE_TALK")) fprintf(stderr, "%s\n%s\n", error.message, m->text);
        return 0;
    }
    if (m->safe && tac_world_audit(world, &error) != TAC_OK) broken("no audit", &error);
    if (tac_world_keep_accounts(world, &error) != TAC_OK) broken("no accounts", &error);
    clock_t start = clock();
    tac_world_stop_when(world, is_slow, &start);
    bool good = run(m, world, 0);
    if (m->safe && tac_world_audit_summary(world).violations) broken("an intersection", NULL);
    size_t count;
    TacAccountSum sum = tac_world_accounts(world, NULL, 0, &count);
    double scale = fabs(sum.start) + fabs(sum.end) + fabs(sum.put_in) + 1;
    if (good && !is_slow(&start) && !(fabs(sum.unaccounted) < 1e-3 * scale)) {
        fprintf(stderr, "abuse: %g J of %g J unaccounted\n", sum.unaccounted, scale);
        _exit(1);
    }
    if (is_slow(&start)) _exit(3); // too slow to be done six times
    uint64_t hash = good ? tac_world_hash(world) : 0;
    tac_world_destroy(world);
    return hash;
}

static void try_threads_and_resume(const Maker *m, uint64_t hash, Maker *random) {
    TacWorld *first = NULL, *second = NULL;
    TacError error = {0};
    if (make_world(m, 3, &first, &error) != TAC_OK || make_world(m, 2, &second, &error) != TAC_OK)
        broken("not a scene the second time", &error);
    int at = (int)below(random, BEATS);
    for (int beat = 0; beat < at; beat++) {
        meddle(m, first, beat);
        if (tac_world_advance_beats(first, 1, &error) != TAC_OK) broken("fails on threads", &error);
        tac_world_energy(first);
    }
    size_t bytes = tac_world_snapshot_size(first);
    void *data = malloc(bytes);
    if (!data || tac_world_save(first, data, bytes, &error) != TAC_OK ||
        tac_world_restore(second, data, bytes, &error) != TAC_OK)
        broken("cannot be saved and restored", &error);
    free(data);
    if (!run(m, first, at) || tac_world_hash(first) != hash) broken("other bits on three threads", NULL);
    if (!run(m, second, at) || tac_world_hash(second) != hash) broken("other bits after a resume", NULL);
    tac_world_destroy(first);
    tac_world_destroy(second);
}

// Early or late while the world is made, and while time runs.
static void try_failing_allocations(const Maker *m, uint64_t hash, Maker *random) {
    enum { LATE = 3, EARLY = 2, RUNNING = 5 };
    for (int round = 0; COUNTING && round < LATE + EARLY + RUNNING; round++) {
        TacWorld *world = NULL;
        TacError error = {0};
        bool runs = round >= LATE + EARLY;
        if (!runs)
            atomic_store(&fail_at, atomic_load(&allocations) + (long)below(random, round < LATE ? 2000 : 60));
        TacStatus status = make_world(m, 1 + round % 2, &world, &error);
        if (status != TAC_OK && (runs || status != TAC_NO_MEMORY))
            broken("no memory is told as something else", &error);
        if (runs) atomic_store(&fail_at, atomic_load(&allocations) + (long)below(random, 12));
        // whoever only looks has nowhere to put a message: it is kept for who lets time run
        if (status == TAC_OK && run(m, world, 0) && tac_world_advance(world, 0, &error) == TAC_OK &&
            tac_world_hash(world) != hash)
            broken("an allocation that failed changed the bits", NULL);
        atomic_store(&fail_at, -1);
        tac_world_destroy(world);
    }
}

// --- files --------------------------------------------------------------------------------------------------------

// Records, and keeps a snapshot of every third beat. False: something could not be written, and was said.
static bool record(const Maker *m, TacWorld *world, const char *recording, const char *snapshot) {
    TacError error = {0};
    TacRecorder *recorder = NULL;
    const TacRecordingDef *def = tac_world_recording_def(world, &error);
    if (!def || tac_recorder_open(&recorder, recording, def, &error) != TAC_OK) return false;
    bool good = true;
    for (int beat = 0; beat < BEATS && good; beat++) {
        meddle(m, world, beat);
        good = tac_world_advance_beats(world, 1, &error) == TAC_OK;
        good = good && tac_recorder_frame(recorder, tac_world_frame(world), &error) == TAC_OK;
        if (beat % 3 == 2) good = good && tac_world_save_file(world, snapshot, &error) == TAC_OK;
    }
    if (!good && !error.message[0]) broken("a file could not be written, and nothing was said", NULL);
    good = tac_recorder_close(recorder, &error) == TAC_OK && good;
    return good;
}

// What is left: a recording that opens (where it was begun), a snapshot that is whole (where there is one) and leads to
// the same end.
static void look_at_files(const Maker *m, uint64_t hash, const char *recording, const char *snapshot) {
    TacRecording *r = NULL;
    TacError error = {0};
    if (access(recording, R_OK) == 0 && tac_recording_open(&r, recording, &error) == TAC_OK) {
        const TacFrame *frame;
        for (size_t i = 0; i < tac_recording_frame_count(r); i++)
            if (tac_recording_frame(r, i, &frame, &error) != TAC_OK) broken("a frame is lost", &error);
        tac_recording_close(r);
    } else if (error.message[0] && error.status == TAC_FAILED) {
        broken("a recording does not open", &error);
    }
    if (access(snapshot, R_OK) != 0) return;
    TacWorld *world = NULL;
    if (make_world(m, 1, &world, &error) != TAC_OK) broken("not a scene", &error);
    if (tac_world_restore_file(world, snapshot, NULL, &error) != TAC_OK) broken("half a snapshot", &error);
    int beat = (int)llround(tac_world_time(world) / tac_world_beat(world));
    if (!run(m, world, beat) || tac_world_hash(world) != hash) broken("other bits from a file", NULL);
    tac_world_destroy(world);
}

static void try_full_disk(const Maker *m, uint64_t hash, Maker *random, const char *recording,
                          const char *snapshot) {
    TacWorld *world = NULL;
    TacError error = {0};
    if (make_world(m, 2, &world, &error) != TAC_OK) broken("not a scene", &error);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {below(random, 60000), RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    record(m, world, recording, snapshot);
    setrlimit(RLIMIT_FSIZE, &none);
    tac_world_destroy(world);
    look_at_files(m, hash, recording, snapshot);
}

static void try_kill(const Maker *m, uint64_t hash, Maker *random, const char *recording,
                     const char *snapshot) {
    useconds_t wait = (useconds_t)(200 + below(random, 30000));
    pid_t child = fork();
    if (child < 0) broken("no process", NULL);
    if (child == 0) {
        TacWorld *world = NULL;
        TacError error = {0};
        if (make_world(m, 2, &world, &error) != TAC_OK) _exit(1);
        record(m, world, recording, snapshot);
        _exit(0);
    }
    usleep(wait);
    kill(child, SIGKILL);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    look_at_files(m, hash, recording, snapshot);
}

// --- one scene, in a process of its own ----------------------------------------------------------------------------

static _Noreturn void one_scene(uint64_t seed, uint64_t number, const char *folder) {
    static Maker m;
    m.random = tac_random(seed, number);
    // of computing, so that a busy machine is no hang; and of waiting, for what does not compute either
    struct rlimit limit = {SECONDS, SECONDS};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(20 * SECONDS);
    make_scene(&m);
    uint64_t hash = whole_run(&m);
    if (!hash) _exit(2);
    Maker random = {.random = tac_random(seed, number + 1000000)};
    char recording[300], snapshot[300];
    snprintf(recording, sizeof recording, "%s/r.tacrec", folder);
    snprintf(snapshot, sizeof snapshot, "%s/s.tacsnap", folder);
    try_threads_and_resume(&m, hash, &random);
    try_failing_allocations(&m, hash, &random);
    try_full_disk(&m, hash, &random, recording, snapshot);
    unlink(recording);
    unlink(snapshot);
    try_kill(&m, hash, &random, recording, snapshot);
    _exit(0);
}

static void remove_folder(const char *folder) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) fprintf(stderr, "abuse: %s is left\n", folder);
}

// For whoever wants to see it, and for view_soak.py.
static int show_scene(uint64_t seed, uint64_t number) {
    static Maker m;
    m.random = tac_random(seed, number);
    make_scene(&m);
    puts(m.text);
    return 0;
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t good = 0, refused_scenes = 0, slow = 0;
    if (argc > 3 && !strcmp(argv[3], "show")) return show_scene(seed, strtoull(argv[2], NULL, 10));
    for (uint64_t i = 0; i < SCENES; i++) {
        if (argc > 2 && i != strtoull(argv[2], NULL, 10)) continue;
        char folder[] = "/tmp/tactus-abuse-XXXXXX";
        if (!mkdtemp(folder)) return 1;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) one_scene(seed, i, folder);
        int status = 0;
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        remove_folder(folder);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (child < 0 || code == 1 || code < 0 || code > 3) {
            fprintf(stderr, "abuse: seed %llu, scene %llu: %s %d\n", (unsigned long long)seed,
                    (unsigned long long)i, code < 0 ? "signal" : "exit code",
                    code < 0 ? WTERMSIG(status) : code);
            return 1;
        }
        good += code == 0;
        refused_scenes += code == 2;
        slow += code == 3;
    }
    printf("abuse: %zu scenes held, %zu were refused or blew up, %zu were too slow\n", good, refused_scenes,
           slow);
    return 0;
}
