// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Inputs in files (.tacin), so that what somebody did to a world can be done again. Text, one input a line, in the order
// in which they were given:
//
//     tactus-inputs 1
//     beat 0.01
//     TICK KIND HAND POINT  AX AY AZ  BX BY BZ  VALUE PATH
//
// Numbers are written so that they are read back to the last bit. PATH is the component, - where there is none. Every
// line is checked before anything is done.

#include "base/memory.h"
#include "base/text.h"
#include "world/world.h"

#include <errno.h>
#include <inttypes.h>

static const size_t MOST_BYTES = (size_t)1 << 28;
static const char *const names[] = {"grab", "drag", "release", "pin", "unpin", "sphere", "camera", "select"};

// --- writing ----------------------------------------------------------------------------------------------

static void write_input(const TacWorld *world, const TacInput *i, FILE *to) {
    const char *path = i->component.index1 ? tac_world_path(world, i->component) : NULL;
    fprintf(to, "%" PRId64 " %s %d %zu  %.17g %.17g %.17g  %.17g %.17g %.17g  %.17g %s\n", i->tick,
            names[i->kind], i->hand, i->point, i->a.x, i->a.y, i->a.z, i->b.x, i->b.y, i->b.z, i->value,
            path ? path : "-");
}

TacStatus tac_world_save_inputs(const TacWorld *world, const char *path, TacError *error) {
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, path, error));
    fprintf(writer.stream, "tactus-inputs 1\nbeat %.17g\n", world->base.beat);
    for (size_t i = 0; i < world->hands.input_count; i++)
        write_input(world, &world->hands.inputs[i], writer.stream);
    return tac_file_writer_finish(&writer, true, error);
}

// --- reading ----------------------------------------------------------------------------------------------

typedef struct Reader {
    const char *path;
    char *at; // the rest of the line
    int line;
    TacError *error;
} Reader;

static TacStatus refuse(const Reader *r, const char *expected) {
    return tac_fail_at(r->error, TAC_BAD_INPUT, r->path, r->line, 0, "expected %s", expected);
}

// The next word of the line, ended in place; "" at its end.
static char *word(Reader *r) {
    char *begin = r->at + strspn(r->at, " \t"), *end = begin + strcspn(begin, " \t");
    r->at = *end ? end + 1 : end;
    *end = 0;
    return begin;
}

static bool read_real(Reader *r, double *value) {
    char *text = word(r), *end;
    *value = strtod(text, &end);
    return *text && !*end && isfinite(*value);
}

static bool read_whole(Reader *r, int64_t most, int64_t *value) {
    char *text = word(r), *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    *value = n;
    return *text && !*end && errno == 0 && n >= 0 && n <= most;
}

static TacStatus read_kind(Reader *r, TacInputKind *kind) {
    const char *name = word(r);
    for (size_t k = 0; k < TAC_COUNT(names); k++)
        if (!strcmp(name, names[k])) {
            *kind = (TacInputKind)k;
            return TAC_OK;
        }
    return refuse(r, "grab, drag, release, pin, unpin, sphere, camera or select");
}

static TacStatus read_input(Reader *r, const TacWorld *world, TacInput *i) {
    int64_t hand, point;
    if (!read_whole(r, TAC_TICK_NEVER / 2, &i->tick)) return refuse(r, "a tick");
    TAC_TRY(read_kind(r, &i->kind));
    if (!read_whole(r, TAC_HANDS - 1, &hand)) return refuse(r, "the number of a hand");
    if (!read_whole(r, INT64_MAX, &point)) return refuse(r, "the number of a point");
    double *const reals[] = {&i->a.x, &i->a.y, &i->a.z, &i->b.x, &i->b.y, &i->b.z, &i->value};
    for (size_t k = 0; k < TAC_COUNT(reals); k++)
        if (!read_real(r, reals[k])) return refuse(r, "seven numbers behind the point");
    i->hand = (int)hand;
    i->point = (size_t)point;
    const char *path = r->at + strspn(r->at, " \t"); // to the end of the line: names may have blanks
    if (!strcmp(path, "-")) return TAC_OK;
    i->component = tac_world_find(world, path);
    if (!i->component.index1)
        return tac_fail_at(r->error, TAC_BAD_INPUT, r->path, r->line, 0,
                           "there is no component \"%.200s\" in this scene", path);
    return TAC_OK;
}

// The next line of a text; NULL at its end.
static char *next_line(char **text, Reader *r) {
    char *begin = *text;
    if (!*begin) return NULL;
    char *end = begin + strcspn(begin, "\n");
    *text = *end ? end + 1 : end;
    *end = 0;
    r->line++;
    r->at = begin;
    return begin;
}

static TacStatus read_head(Reader *r, char **text, const TacWorld *world) {
    double beat;
    if (!next_line(text, r) || strcmp(word(r), "tactus-inputs") || strcmp(word(r), "1"))
        return refuse(r, "\"tactus-inputs 1\"");
    if (!next_line(text, r) || strcmp(word(r), "beat") || !read_real(r, &beat)) return refuse(r, "the beat");
    if (beat != world->base.beat)
        return tac_fail_at(r->error, TAC_BAD_INPUT, r->path, r->line, 0,
                           "inputs were given to a world with a beat of %g s; this one's is %g s", beat,
                           world->base.beat);
    return TAC_OK;
}

static TacStatus read_all(Reader *r, char *text, TacWorld *world) {
    TacHands *h = &world->hands;
    TacTick before = 0;
    TAC_TRY(read_head(r, &text, world));
    while (next_line(&text, r)) {
        TacInput input = {0};
        if (!*(r->at + strspn(r->at, " \t\r"))) continue;
        TAC_TRY(read_input(r, world, &input));
        if (input.tick < before) return refuse(r, "ticks in order of time");
        before = input.tick;
        if (!tac_grow(&h->script, &h->script_capacity, h->script_count + 1, sizeof *h->script))
            return tac_fail_memory(r->error, h->script_count * sizeof *h->script);
        h->script[h->script_count++] = input;
    }
    tac_hands_script_rewind(world);
    return TAC_OK;
}

TacStatus tac_world_replay_inputs(TacWorld *world, const char *path, TacError *error) {
    char *text;
    size_t bytes;
    TacHands *h = &world->hands;
    TAC_TRY(tac_read_whole_file(path, MOST_BYTES, &text, &bytes, error));
    h->script_count = h->script_at = 0;
    Reader reader = {.path = path, .error = error};
    TacStatus status = memchr(text, 0, bytes) ? refuse(&reader, "text") : read_all(&reader, text, world);
    if (status != TAC_OK) h->script_count = h->script_at = 0;
    free(text);
    return status;
}

void tac_hands_script_rewind(TacWorld *world) {
    TacHands *h = &world->hands;
    for (h->script_at = 0; tac_hands_script_next(world) < world->now; h->script_at++) continue;
}

TacTick tac_hands_script_next(const TacWorld *world) {
    const TacHands *h = &world->hands;
    return h->script_at < h->script_count ? h->script[h->script_at].tick : TAC_TICK_NEVER;
}

TacStatus tac_hands_script_do(TacWorld *world, TacError *error) {
    TacHands *h = &world->hands;
    while (tac_hands_script_next(world) <= world->now)
        TAC_TRY(tac_world_input(world, &h->script[h->script_at++], error));
    return TAC_OK;
}
