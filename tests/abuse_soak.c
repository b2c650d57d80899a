// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A week of abuse: `abuse_soak SEED [SCENE [show [FOLDER]]]` builds worlds that mix everything (abuse_scenes.h) and runs each in
// a process of its own, with hands, pins, velocities and values that are set while time runs, and while something goes wrong: an allocation fails, the disk is full, the process is killed. What
// must hold: no crash, no hang; the same bits on other threads and after a resume; accounts that add up; no
// intersection; recordings that open and snapshots that are whole or absent, whatever happened.
//
// scene_soak tries hostile values; here values are usual and what happens is not.

#define _GNU_SOURCE
#include "abuse_scenes.h"
#include "tactus/tactus.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SCENES = 12, BEATS = 16, SECONDS = 60 };

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

// --- runs --------------------------------------------------------------------------------------------------------

static _Noreturn void broken(const char *what, const TacError *error) {
    fprintf(stderr, "abuse: %s%s%s\n", what, error ? ": " : "", error ? error->message : "");
    _exit(1);
}

static TacStatus make_world(const Maker *m, int threads, TacWorld **world, TacError *error) {
    TacScene *scene = NULL;
    TacStatus status = tac_scene_create(&scene, error);
    if (status != TAC_OK) return status;
    char name[300];
    snprintf(name, sizeof name, "%s/abuse.tac", m->folder);
    status = tac_scene_parse(scene, name, m->text, m->length, error);
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    if (status == TAC_OK) status = tac_world_create(world, scene, &def, error);
    tac_scene_destroy(scene);
    return status;
}

// Another value for something, where there is such a thing: of springs, solids, contact, or whatever the dice say.
static TacStatus set_value(TacWorld *world, TacRandom *random) {
    static const char *const sets[][3] = {
        {"b0/solver", "damping_mass", "3"},
        {"b1/solver", "damping_stiffness", "0.02"},
        {"b2/solver", "damping_mass", "0"},
        {"b3/liaisons", "viscosity", "0.2"},
        {"b0/liaisons", "strength", "0.5"},
        {"g0/n/plane", "stiffness", "500"},
        {"g1/n/plane", "friction", "0.1"},
        {"g0/n/pressure", "pressure", "9"},
        {"g1/n/motor", "speed", "-3"},
        {"g0/n/bow", "speed", "0.5"},
        {"g0/n/liaisons", "strength", "2"},
        {"g0/n/conjugateGradient", "iterations", "3"},
        {"g1/n/static", "newton_iterations", "3"},
        {"g0/n/ellipsoidForce", "stiffness", "50"},
        {"b1/springs", "stiffness", "20"},
        {"floor/model", "nothing", "0"},
    };
    const char *const *set = sets[tac_random_bits(random) % (sizeof sets / sizeof sets[0])];
    char path[60];
    snprintf(path, sizeof path, "/%s", set[0]);
    return tac_world_set(world, tac_world_find(world, path), set[1], set[2], NULL);
}

static TacStatus set_velocities(TacWorld *world, TacComponentId id, TacRandom *random) {
    double v[6 * 64];
    size_t n = tac_world_point_count(world, id) * (size_t)tac_velocity_size(tac_world_kind(world, id));
    if (n > sizeof v / sizeof v[0]) return TAC_OK;
    for (size_t i = 0; i < n; i++) v[i] = tac_random_unit(random) - 0.5;
    return tac_world_set_state(world, id, NULL, v, NULL);
}

// A hand now and then, or something else from outside, the same for the same beat. False: there was no memory for it, and
// that was said.
static bool meddle(const Maker *m, TacWorld *world, int beat) {
    TacRandom random = tac_random(m->length, (uint64_t)beat);
    size_t matters = tac_world_matter_count(world);
    if (tac_random_bits(&random) % 4) return true;
    TacComponentId id = tac_world_matter(world, tac_random_bits(&random) % matters);
    TacVec3 place = {0.1, m->lift + 0.4, 0};
    TacStatus status;
    switch (tac_random_bits(&random) % 11) {
    case 0:
    case 1: status = tac_world_grab(world, 0, id, 0, place, 50, NULL); break;
    case 2: status = tac_world_release(world, 0, NULL, NULL); break;
    case 3: status = tac_world_drag(world, 0, (TacVec3){-0.3, m->lift + 0.2, 0.1}, NULL); break;
    case 4: status = tac_world_sphere(world, place, 0.2, NULL); break;
    case 5: status = tac_world_pin(world, id, 0, NULL); break;
    case 6: status = tac_world_unpin(world, id, 0, NULL); break;
    case 7: status = set_velocities(world, id, &random); break;
    case 8: return true; // values: set_values
    case 9: {
        TacInput look = {.kind = TAC_INPUT_CAMERA, .a = place, .b = {0, 0, 0}};
        status = tac_world_input(world, &look, NULL);
        break;
    }
    default: status = tac_world_grab(world, 1, id, 0, place, 20, NULL); break;
    }
    return status != TAC_NO_MEMORY;
}

// Values are no state: whoever goes on from a snapshot sets them again, from the first beat on.
static bool set_values(const Maker *m, TacWorld *world, int beat) {
    TacRandom random = tac_random(m->length + 1, (uint64_t)beat);
    if (tac_random_bits(&random) % 4) return true;
    return set_value(world, &random) != TAC_NO_MEMORY;
}

static bool from_outside(const Maker *m, TacWorld *world, int beat) {
    return set_values(m, world, beat) && meddle(m, world, beat);
}

// Beats from..BEATS; false where the world fails, which must be said.
static bool run(const Maker *m, TacWorld *world, int from) {
    for (int beat = from; beat < BEATS; beat++) {
        TacError error = {0};
        if (!from_outside(m, world, beat)) return false;
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
    // solvers that move matter themselves book a step when it begins
    static const char *const movers[] = {"<ExplicitEuler", "<RungeKutta4", "<Static", "damping_velocity",
                                         "drift='mean'"};
    bool moves = false;
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) moves = moves || strstr(m->text, movers[i]);
    if (good && !moves && !is_slow(&start) && !(fabs(sum.unaccounted) < 1e-3 * scale)) {
        fprintf(stderr, "abuse: %g J of %g J unaccounted\n", sum.unaccounted, scale);
        _exit(1);
    }
    TacVec3 lost = sum.linear_unaccounted;
    double most = 1e-3 * (1 + tac_norm(sum.linear)) + 1e-6 * sqrt(scale); // what blows up is rounded
    if (good && !moves && !is_slow(&start) && !(tac_norm(lost) < most)) {
        fprintf(stderr, "abuse: %g %g %g N s of %g unaccounted\n", lost.x, lost.y, lost.z,
                tac_norm(sum.linear));
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
        from_outside(m, first, beat);
        set_values(m, second, beat);
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
        from_outside(m, world, beat);
        good = tac_world_advance_beats(world, 1, &error) == TAC_OK;
        good = good && tac_recorder_frame(recorder, tac_world_frame(world), &error) == TAC_OK;
        if (beat % 3 == 2) good = good && tac_world_save_file(world, snapshot, &error) == TAC_OK;
    }
    if (!good && !error.message[0]) broken("a file could not be written, and nothing was said", NULL);
    good = tac_recorder_close(recorder, &error) == TAC_OK && good;
    return good;
}

// Into a file that others read; with a disk that fills, it may fail, and says so.
static void export_it(TacRecording *r, const char *recording, Maker *random, bool full) {
    char path[320];
    TacError error = {0};
    snprintf(path, sizeof path, "%.*s%s", (int)(strrchr(recording, '/') + 1 - recording), recording,
             PICK(random, "out.csv", "out.obj", "out.pvd", "out.usda", "frames/"));
    struct rlimit limit = {below(random, 30000), RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    if (full) setrlimit(RLIMIT_FSIZE, &limit);
    TacStatus status = tac_recording_export(r, path, NULL, NULL, &error);
    setrlimit(RLIMIT_FSIZE, &none);
    if (status != TAC_OK && !error.message[0]) broken("an export failed without a word", NULL);
    if (status != TAC_OK && !full) broken("an export failed", &error);
    if (status == TAC_OK && access(path, R_OK) != 0) broken("an export left nothing", NULL);
}

// What is left: a recording that opens (where it was begun), a snapshot that is whole (where there is one) and leads to
// the same end.
static void look_at_files(const Maker *m, uint64_t hash, Maker *random, const char *recording,
                          const char *snapshot) {
    TacRecording *r = NULL;
    TacError error = {0};
    if (access(recording, R_OK) == 0 && tac_recording_open(&r, recording, &error) == TAC_OK) {
        const TacFrame *frame;
        for (size_t i = 0; i < tac_recording_frame_count(r); i++)
            if (tac_recording_frame(r, i, &frame, &error) != TAC_OK) broken("a frame is lost", &error);
        bool full =
            below(random, 2) == 0; // asked in any case, so that the dice do not depend on when it was killed
        if (tac_recording_frame_count(r)) export_it(r, recording, random, full);
        tac_recording_close(r);
    } else if (error.message[0] && error.status == TAC_FAILED) {
        broken("a recording does not open", &error);
    }
    if (access(snapshot, R_OK) != 0) return;
    TacWorld *world = NULL;
    if (make_world(m, 1, &world, &error) != TAC_OK) broken("not a scene", &error);
    TacSnapshotInfo info;
    if (tac_snapshot_read_info(&info, snapshot, &error) != TAC_OK) broken("half a snapshot", &error);
    int beat = (int)llround(info.time / info.beat);
    for (int i = 0; i < beat; i++) set_values(m, world, i);
    if (tac_world_restore_file(world, snapshot, NULL, &error) != TAC_OK)
        broken("a snapshot is refused", &error);
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
    look_at_files(m, hash, random, recording, snapshot);
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
    look_at_files(m, hash, random, recording, snapshot);
}

// --- one scene, in a process of its own ----------------------------------------------------------------------------

static void write_file(const char *folder, const char *name, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) broken("no file", NULL);
}

// The scene of a number, with the files that it includes. Of those that are refused (guests want what the world is not)
// another one is made, a few times.
static void build_scene(Maker *m, uint64_t seed, uint64_t number, const char *folder) {
    enum { TRIES = 8 };
    for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
        memset(m, 0, sizeof *m);
        m->random = tac_random(seed, number + 10000000 * attempt);
        snprintf(m->folder, sizeof m->folder, "%s", folder);
        make_scene(m);
        for (size_t i = 0; i < m->file_count; i++) write_file(folder, m->files[i].name, m->files[i].text);
        TacWorld *world = NULL;
        TacError error = {0};
        TacStatus status = make_world(m, 1, &world, &error);
        tac_world_destroy(world);
        if (status == TAC_OK) return;
        if (getenv("ABUSE_TALK")) fprintf(stderr, "refused: %s\n", error.message);
    }
}

static _Noreturn void one_scene(uint64_t seed, uint64_t number, const char *folder) {
    static Maker m;
    // of computing, so that a busy machine is no hang; and of waiting, for what does not compute either
    struct rlimit limit = {SECONDS, SECONDS};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(20 * SECONDS);
    build_scene(&m, seed, number, folder);
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

// For whoever wants to see it, and for view_soak.py: what it includes is written into the folder.
static int show_scene(uint64_t seed, uint64_t number, const char *folder) {
    static Maker m;
    build_scene(&m, seed, number, folder);
    puts(m.text);
    return 0;
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t good = 0, refused_scenes = 0, slow = 0, failed = 0;
    if (argc > 3 && !strcmp(argv[3], "show")) {
        char folder[] = "/tmp/tactus-abuse-XXXXXX";
        if (argc <= 4 && !mkdtemp(folder)) return 1;
        int code = show_scene(seed, strtoull(argv[2], NULL, 10), argc > 4 ? argv[4] : folder);
        if (argc <= 4) remove_folder(folder);
        return code;
    }
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
            failed++;
        }
        good += code == 0;
        refused_scenes += code == 2;
        slow += code == 3;
    }
    printf("abuse: %zu scenes held, %zu were refused or blew up, %zu were too slow\n", good, refused_scenes,
           slow);
    return failed ? 1 : 0;
}
