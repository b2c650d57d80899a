// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "view/simulation.h"
#include "base/memory.h"
#include "view/describe.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static const double frames_per_second = 60; // that are shown at most
static const double listen_every = 0.004;   // s of wall time between looks at what pages say
static const double tell_every = 0.4;       // s between states
static const double most_behind = 0.1;      // s of wall time that are made up for
static const double longest_unseen = 1;     // s that the first page has for its first picture
static const double show_share = 25;  // of the time that showing takes passes between pictures, at least
static const double show_least = 0.5; // pictures per second, however long they take

static double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --- telling ----------------------------------------------------------------------------------------------

static void log_line(const TacSimulation *s, const char *line) {
    if (s->def->log) s->def->log(s->def->data, line);
}

static void tell_error(TacSimulation *s, uint32_t client, const char *message, bool fatal) {
    TacJson json = {0};
    tac_json_open(&json, NULL, '{');
    tac_json_text(&json, "type", "error");
    tac_json_text(&json, "message", message);
    tac_json_bool(&json, "fatal", fatal);
    tac_json_close(&json, '}');
    tac_exchange_post_json(s->exchange, client, false, &json);
}

static void tell_failure(TacSimulation *s, uint32_t client, const TacError *error) {
    char text[1600];
    tell_error(s, client, tac_error_text(error, text, sizeof text), false);
}

// Pairs of track and point.
static void tell_pins(const TacSimulation *s, TacJson *json) {
    tac_json_open(json, "pins", '[');
    for (size_t i = TAC_HANDS; s->stage.world && i < TAC_HOLDS; i++) {
        const TacHold *pin = &s->stage.world->hands.state.holds[i];
        if (!pin->used) continue;
        tac_json_open(json, NULL, '[');
        tac_json_int(json, NULL, (int64_t)pin->matter);
        tac_json_int(json, NULL, (int64_t)pin->point);
        tac_json_close(json, ']');
    }
    tac_json_close(json, ']');
}

static void tell_state(TacSimulation *s) {
    TacJson json = {0};
    tac_json_open(&json, NULL, '{');
    tac_json_text(&json, "type", "state");
    tac_json_bool(&json, "paused", s->paused);
    tac_json_real(&json, "speed", s->speed);
    tac_json_real(&json, "rate", s->paused ? 0 : s->rate);
    tac_json_real(&json, "time", tac_stage_time(&s->stage));
    tac_json_int(&json, "frame", s->stage.recording ? (int64_t)s->stage.at : (int64_t)s->number);
    tac_json_int(&json, "snapshots", (int64_t)s->stage.history.count);
    tac_json_text(&json, "recordingTo", s->stage.recording_to);
    tac_json_text(&json, "failure", s->failure);
    tac_json_real(&json, "showMs", 1e3 * s->show_cost);
    tac_json_real(&json, "sendMs", 1e3 * tac_exchange_send_cost(s->exchange));
    tac_json_text(&json, "colour", tac_colour_names[s->stage.colour]);
    tell_pins(s, &json);
    tac_json_open(&json, "shown", '[');
    for (int what = 0; what < TAC_OVERLAYS; what++)
        if (s->stage.shown & 1u << what) tac_json_text(&json, NULL, tac_overlay_names[what]);
    tac_json_close(&json, ']');
    tac_json_close(&json, '}');
    tac_exchange_post_json(s->exchange, 0, !s->must_tell, &json);
    s->must_tell = false;
    s->told_wall = wall_seconds();
}

// --- showing ----------------------------------------------------------------------------------------------

static void tell_meshes(TacSimulation *s) {
    bool any = false;
    for (size_t t = 0; t < s->stage.what.track_count; t++) {
        if (!s->stage.changed[t]) continue;
        s->stage.changed[t] = 0;
        any = true;
        if (tac_topology_encode(&s->scratch, (uint32_t)t, &s->stage.meshes[t]))
            tac_exchange_post(s->exchange, 0, &s->scratch);
    }
    TacParcel *prologue = any ? tac_describe_prologue(&s->stage, s->def, s->gallery_index) : NULL;
    if (prologue) tac_exchange_set_prologue(s->exchange, prologue, false);
}

// Forces of hands are shown whenever there are any; others when they are asked for.
static void tell_overlays(TacSimulation *s) {
    for (int what = 0; what < TAC_OVERLAYS; what++) {
        unsigned bit = 1u << what;
        bool hands = what == TAC_OVERLAY_FORCES;
        if (!(s->stage.shown & bit) && !hands && !(s->had_overlay & bit)) continue;
        size_t count = 0;
        TacSegment *segments =
            s->stage.shown & bit || hands ? tac_stage_overlay(&s->stage, (TacOverlay)what, &count) : NULL;
        if ((count || s->had_overlay & bit) &&
            tac_overlay_encode(&s->scratch, what, s->number + 1, segments, count))
            tac_exchange_post(s->exchange, 0, &s->scratch);
        s->had_overlay = count ? s->had_overlay | bit : s->had_overlay & ~bit;
        free(segments);
    }
}

static void fail_run(TacSimulation *s, const TacError *error) {
    char text[1600];
    s->paused = true;
    s->ended = true;
    s->must_tell = true;
    tac_error_text(error, text, sizeof text);
    snprintf(s->failure, sizeof s->failure, "%s", text);
    tell_error(s, 0, text, true);
    log_line(s, text);
}

static void show(TacSimulation *s) {
    TacError error;
    double begin = wall_seconds();
    TacFrameBuffer *back = tac_exchange_back(s->exchange);
    if (tac_stage_encode(&s->stage, &back->bytes, s->number + 1, s->paused ? 0 : s->rate, &error) != TAC_OK) {
        if (!s->ended) fail_run(s, &error);
        s->must_show = false;
        return;
    }
    tell_meshes(s);
    tell_overlays(s);
    if (++s->number == 0) s->number = 1;
    tac_exchange_publish(s->exchange, s->number);
    s->must_show = false;
    // what is late by a little does not make the next one late
    double now = wall_seconds(), due = s->shown_wall + 1 / frames_per_second;
    s->show_cost += (s->show_cost > 0 ? 0.2 : 1) * (now - begin - s->show_cost);
    s->shown_wall = now - due < 1 / frames_per_second ? due : now;
}

// --- pace -------------------------------------------------------------------------------------------------

static void set_pace(TacSimulation *s) {
    s->start_wall = s->rate_wall = wall_seconds();
    s->start_time = s->rate_time = tac_stage_time(&s->stage);
}

static void measure_rate(TacSimulation *s, double now) {
    double passed = now - s->rate_wall;
    if (passed < 0.5) return;
    double time = tac_stage_time(&s->stage);
    s->rate = fmax(0, (time - s->rate_time) / passed);
    s->rate_wall = now;
    s->rate_time = time;
}

// Lets time run to where it is due, for a short while. Returns how long nothing will be due, s.
static double run_on(TacSimulation *s) {
    double begin = wall_seconds(), now = begin, beat = tac_stage_beat(&s->stage);
    double piece = fmin(beat, s->speed / frames_per_second);
    while (now - begin < listen_every) {
        double due = s->start_time + s->speed * (now - s->start_wall), time = tac_stage_time(&s->stage);
        if (due - time > s->speed * most_behind + beat) {
            // cannot keep up: from here on, anew
            s->start_wall = now;
            s->start_time = time;
            due = time + piece;
        }
        if (due - time < piece * (1 - 1e-9)) return (time + piece - due) / s->speed;
        TacError error;
        bool ended;
        if (tac_stage_advance(&s->stage, piece, &ended, &error) != TAC_OK) {
            fail_run(s, &error);
            return 0;
        }
        s->must_show = true;
        if (ended) {
            s->paused = s->must_tell = true;
            return 0;
        }
        now = wall_seconds();
        measure_rate(s, now);
    }
    return 0;
}

// --- what pages ask ---------------------------------------------------------------------------------------

static TacStatus not_in_recordings(const TacSimulation *s, TacError *error) {
    return s->stage.world ? TAC_OK
                          : tac_fail(error, TAC_BAD_USAGE, "a recording can be watched, not touched");
}

static void moved(TacSimulation *s) {
    s->ended = false;
    s->failure[0] = 0;
    s->must_show = s->must_tell = true;
    set_pace(s);
}

// --- whose hands they are ---------------------------------------------------------------------------------

// Every client numbers its hands from 0; the world has TAC_HANDS for all of them. -1: it has none of that number.
static int hand_of(const TacSimulation *s, uint32_t client, int64_t hand) {
    for (int i = 0; i < TAC_HANDS; i++)
        if (s->hands[i].client == client && s->hands[i].hand == hand) return i;
    return -1;
}

static int take_hand(TacSimulation *s, uint32_t client, int64_t hand) {
    int at = hand_of(s, client, hand);
    for (int i = 0; i < TAC_HANDS && at < 0; i++)
        if (s->hands[i].client == 0) at = i;
    if (at >= 0) {
        s->hands[at].client = client;
        s->hands[at].hand = hand;
    }
    return at;
}

// What nobody holds is let go: after its client has left, or after going back to when somebody held it.
static TacStatus let_go(TacSimulation *s, TacError *error) {
    if (!s->stage.world) return TAC_OK;
    for (int i = 0; i < TAC_HANDS; i++) {
        TacVec3 force, place;
        if (s->hands[i].client == 0 && tac_world_hand_force(s->stage.world, i, &force, &place))
            TAC_TRY(tac_world_release(s->stage.world, i, NULL, error));
    }
    if (s->sphere_of == 0 && s->stage.world->hands.state.radius > 0)
        TAC_TRY(tac_world_sphere(s->stage.world, tac_vec3(0, 0, 0), 0, error));
    s->stage.stale = s->must_show = true;
    return TAC_OK;
}

static TacStatus do_leave(TacSimulation *s, uint32_t client, TacError *error) {
    for (int i = 0; i < TAC_HANDS; i++)
        if (s->hands[i].client == client) s->hands[i].client = 0;
    if (s->sphere_of == client) s->sphere_of = 0;
    return let_go(s, error);
}

static TacStatus do_play(TacSimulation *s, TacError *error) {
    if (s->stage.recording && tac_stage_time(&s->stage) >= tac_stage_duration(&s->stage))
        TAC_TRY(tac_stage_reset(&s->stage, error));
    if (s->ended && s->stage.world)
        return tac_fail(error, TAC_FAILED, "the run failed: go back or reset first");
    s->paused = false;
    moved(s);
    return TAC_OK;
}

static TacStatus do_step(TacSimulation *s, int64_t n, TacError *error) {
    s->paused = true;
    if (n > 1000) n = 1000;
    if (n < -1000) n = -1000;
    TacStatus status = TAC_OK;
    for (int64_t i = 0; i < (n < 0 ? -n : n) && status == TAC_OK && !tac_exchange_stopped(s->exchange); i++) {
        status = tac_stage_step(&s->stage, n < 0, error);
        if (status != TAC_OK && n > 0) {
            fail_run(s, error);
            return TAC_OK;
        }
    }
    moved(s);
    if (status == TAC_OK && n < 0) status = let_go(s, error);
    return status;
}

static TacStatus do_speed(TacSimulation *s, double speed, TacError *error) {
    if (!(speed > 0)) return tac_fail(error, TAC_BAD_USAGE, "the speed must be from 1/32 to 8");
    s->speed = fmin(fmax(speed, 1.0 / 32), 8);
    moved(s);
    return TAC_OK;
}

static void tell_set(TacSimulation *s, const char *path, const char *attribute, TacStatus status,
                     const TacError *error) {
    TacJson json = {0};
    char value[1024] = "";
    tac_world_text(s->stage.world, tac_world_find(s->stage.world, path), attribute, value, sizeof value);
    tac_json_open(&json, NULL, '{');
    tac_json_text(&json, "type", "set");
    tac_json_text(&json, "path", path);
    tac_json_text(&json, "attribute", attribute);
    tac_json_text(&json, "value", value);
    tac_json_bool(&json, "ok", status == TAC_OK);
    tac_json_text(&json, "message", status == TAC_OK ? "" : error->message);
    tac_json_close(&json, '}');
    tac_exchange_post_json(s->exchange, 0, false, &json);
}

static TacStatus do_set(TacSimulation *s, const TacMessage *m, TacError *error) {
    TAC_TRY(not_in_recordings(s, error));
    TacStatus status = tac_stage_set(&s->stage, m->path, m->attribute, m->value, true, error);
    tell_set(s, m->path, m->attribute, status, error);
    s->must_show = true;
    return TAC_OK;
}

static TacStatus do_undo(TacSimulation *s, TacError *error) {
    TAC_TRY(not_in_recordings(s, error));
    if (!s->stage.undo_count) return tac_fail(error, TAC_BAD_USAGE, "there is nothing to undo");
    TacUndo undo = s->stage.undos[--s->stage.undo_count];
    char *path = strdup(tac_world_path(s->stage.world, undo.component)); // the world may be made anew
    if (!path) return tac_fail_memory(error, 0);
    TacStatus status = tac_stage_set(&s->stage, path, undo.attribute, undo.value, false, error);
    tell_set(s, path, undo.attribute, status, error);
    s->must_show = true;
    free(path);
    return TAC_OK;
}

static TacStatus find_track(TacSimulation *s, const TacMessage *m, TacComponentId *matter, TacError *error) {
    TAC_TRY(not_in_recordings(s, error));
    if (m->track < 0 || (uint64_t)m->track >= tac_world_matter_count(s->stage.world) || m->point < 0)
        return tac_fail(error, TAC_BAD_USAGE, "there is no such track or point");
    *matter = tac_world_matter(s->stage.world, (size_t)m->track);
    return TAC_OK;
}

static void tell_picked(TacSimulation *s, const TacMessage *m) {
    TacVec3 force, place;
    if (!tac_world_hand_force(s->stage.world, hand_of(s, m->client, m->hand), &force, &place)) return;
    TacJson json = {0};
    tac_json_open(&json, NULL, '{');
    tac_json_text(&json, "type", "picked");
    tac_json_int(&json, "hand", m->hand);
    tac_json_int(&json, "track", m->track);
    tac_json_int(&json, "point", m->point);
    tac_json_vector(&json, "position", place);
    tac_json_close(&json, '}');
    tac_exchange_post_json(s->exchange, m->client, false, &json);
}

static TacStatus do_input(TacSimulation *s, const TacMessage *m, TacInput *input, TacError *error) {
    TAC_TRY(not_in_recordings(s, error));
    if (m->hand < 0 || m->hand >= TAC_HANDS)
        return tac_fail(error, TAC_BAD_USAGE, "there are %d hands, from 0 on", TAC_HANDS);
    bool grabs = input->kind == TAC_INPUT_GRAB;
    int hand = grabs ? take_hand(s, m->client, m->hand) : hand_of(s, m->client, m->hand);
    if (hand < 0 && grabs) return tac_fail(error, TAC_BAD_USAGE, "all %d hands are in use", TAC_HANDS);
    if (hand < 0 && input->kind == TAC_INPUT_RELEASE) return TAC_OK;
    input->hand = hand < 0 ? 0 : hand;
    if (input->kind == TAC_INPUT_RELEASE) s->hands[hand].client = 0;
    if (input->kind == TAC_INPUT_SPHERE) s->sphere_of = input->value > 0 ? m->client : 0;
    TAC_TRY(tac_world_input(s->stage.world, input, error));
    s->stage.stale = true;
    s->must_show = s->must_show || input->kind != TAC_INPUT_CAMERA;
    return TAC_OK;
}

static TacStatus do_grab(TacSimulation *s, const TacMessage *m, TacError *error) {
    TacInput input = {
        .kind = TAC_INPUT_GRAB, .a = m->target, .value = m->strength, .point = (size_t)m->point};
    TAC_TRY(find_track(s, m, &input.component, error));
    TAC_TRY(do_input(s, m, &input, error));
    tell_picked(s, m);
    return TAC_OK;
}

static TacStatus do_pin(TacSimulation *s, const TacMessage *m, TacError *error) {
    TacInput input = {.kind = m->kind == TAC_MESSAGE_PIN ? TAC_INPUT_PIN : TAC_INPUT_UNPIN,
                      .point = (size_t)m->point};
    TAC_TRY(find_track(s, m, &input.component, error));
    s->must_tell = true;
    return do_input(s, m, &input, error);
}

// A page may drag on for a while after time went back to when its hand held nothing.
static bool holds_nothing(TacSimulation *s, const TacMessage *m) {
    TacVec3 force, place;
    return s->stage.world && m->hand >= 0 && m->hand < TAC_HANDS &&
           !tac_world_hand_force(s->stage.world, hand_of(s, m->client, m->hand), &force, &place);
}

// A component, or the first matter of a node; null: nothing is selected.
static TacComponentId find_selected(const TacWorld *world, const char *path) {
    TacComponentId found = tac_world_find(world, path);
    size_t length = strlen(path);
    for (size_t i = 0; !found.index1 && length > 1 && i < tac_world_matter_count(world); i++) {
        const char *of = tac_world_path(world, tac_world_matter(world, i));
        if (of && !strncmp(of, path, length) && of[length] == '/') found = tac_world_matter(world, i);
    }
    return found;
}

static TacStatus do_touch(TacSimulation *s, const TacMessage *m, TacError *error) {
    TacInput input = {0};
    if (m->kind == TAC_MESSAGE_DRAG && holds_nothing(s, m)) return TAC_OK;
    switch (m->kind) {
    case TAC_MESSAGE_DRAG: input = (TacInput){.kind = TAC_INPUT_DRAG, .a = m->target}; break;
    case TAC_MESSAGE_RELEASE:
        input = (TacInput){.kind = TAC_INPUT_RELEASE, .a = m->velocity, .value = m->has_velocity};
        break;
    case TAC_MESSAGE_SPHERE:
        input = (TacInput){.kind = TAC_INPUT_SPHERE, .a = m->center, .value = m->on ? m->radius : 0};
        break;
    case TAC_MESSAGE_CAMERA:
        if (!s->stage.world) return TAC_OK;
        input = (TacInput){.kind = TAC_INPUT_CAMERA, .a = m->eye, .b = m->target};
        break;
    default:
        if (!s->stage.world) return TAC_OK;
        input = (TacInput){.kind = TAC_INPUT_SELECT, .component = find_selected(s->stage.world, m->path)};
        break;
    }
    return do_input(s, m, &input, error);
}

static TacStatus do_show(TacSimulation *s, const TacMessage *m, TacError *error) {
    for (int i = 0; i < TAC_OVERLAYS; i++) {
        if (strcmp(m->what, tac_overlay_names[i])) continue;
        s->stage.shown = m->on ? s->stage.shown | 1u << i : s->stage.shown & ~(1u << i);
        s->must_show = s->must_tell = true;
        return TAC_OK;
    }
    return tac_fail(error, TAC_BAD_USAGE, "\"%s\" is nothing that can be shown", m->what);
}

static TacStatus do_colour(TacSimulation *s, const TacMessage *m, TacError *error) {
    s->must_show = s->must_tell = true;
    if (tac_stage_colour(&s->stage, m->what)) return TAC_OK;
    return tac_fail(error, TAC_BAD_USAGE, "there is no \"%s\" to colour by here", m->what);
}

static bool add_text(void *data, const char *text, size_t length) {
    unsigned char *at = tac_bytes_add(data, length);
    if (at) memcpy(at, text, length);
    return at != NULL;
}

static void tell_saved(TacSimulation *s, uint32_t client, const char *what, const char *name,
                       const char *text) {
    TacJson json = {0};
    tac_json_open(&json, NULL, '{');
    tac_json_text(&json, "type", "saved");
    tac_json_text(&json, "what", what);
    tac_json_text(&json, "name", name);
    tac_json_text(&json, "text", text);
    tac_json_close(&json, '}');
    tac_exchange_post_json(s->exchange, client, false, &json);
}

static TacStatus do_save(TacSimulation *s, const TacMessage *m, TacError *error) {
    TAC_TRY(not_in_recordings(s, error));
    if (!strcmp(m->what, "recording")) {
        char name[4096];
        TacStatus status = tac_stage_record(&s->stage, s->def->folder, name, sizeof name, error);
        s->must_tell = true;
        if (status == TAC_OK && *name) tell_saved(s, 0, "recording", name, "");
        return status;
    }
    if (!strcmp(m->what, "inputs")) {
        char name[4096];
        TAC_TRY(tac_stage_save_inputs(&s->stage, s->def->folder, name, sizeof name, error));
        tell_saved(s, 0, "inputs", name, "");
        return TAC_OK;
    }
    if (strcmp(m->what, "scene"))
        return tac_fail(error, TAC_BAD_USAGE, "\"%s\" is nothing that can be saved", m->what);
    const char *slash = strrchr(s->stage.path, '/');
    TacBytes text = {0};
    bool written = tac_scene_write(s->stage.scene, add_text, &text) && add_text(&text, "", 1);
    if (written)
        tell_saved(s, m->client, "scene", slash ? slash + 1 : s->stage.path,
                   (const char *)tac_bytes_data(&text));
    tac_bytes_free(&text);
    return written ? TAC_OK : tac_fail_memory(error, 0);
}

static void announce(TacSimulation *s) {
    TacParcel *prologue = tac_describe_prologue(&s->stage, s->def, s->gallery_index);
    if (prologue) tac_exchange_set_prologue(s->exchange, prologue, true);
    s->had_overlay = 0;
    memset(s->hands, 0, sizeof s->hands); // of a world that is no more
    s->sphere_of = 0;
    moved(s);
}

static TacStatus do_gallery(TacSimulation *s, int64_t index, TacError *error) {
    if (index < 0 || (uint64_t)index >= s->def->gallery_count)
        return tac_fail(error, TAC_BAD_USAGE, "there are %zu scenes in the gallery", s->def->gallery_count);
    const char *path = s->def->gallery[index];
    TacStage *next = malloc(sizeof *next);
    if (!next) return tac_fail_memory(error, sizeof *next);
    TacStatus status = tac_stage_open(next, s->def, path, !strcmp(path, s->def->path), error);
    if (status == TAC_OK) {
        tac_stage_close(&s->stage);
        s->stage = *next;
        s->gallery_index = (size_t)index;
        announce(s);
    }
    free(next);
    return status;
}

static TacStatus do_tree(TacSimulation *s, uint32_t client) {
    TacJson json = {0};
    tac_describe_tree(&s->stage, &json);
    tac_exchange_post_json(s->exchange, client, false, &json);
    return TAC_OK;
}

static TacStatus do_one(TacSimulation *s, const TacMessage *m, TacError *error) {
    switch (m->kind) {
    case TAC_MESSAGE_PAUSE: s->paused = s->must_tell = true; return TAC_OK;
    case TAC_MESSAGE_PLAY: return do_play(s, error);
    case TAC_MESSAGE_STEP: return do_step(s, m->n, error);
    case TAC_MESSAGE_RESET: {
        TacStatus status = tac_stage_reset(&s->stage, error);
        moved(s);
        return status == TAC_OK ? let_go(s, error) : status;
    }
    case TAC_MESSAGE_SPEED: return do_speed(s, m->speed, error);
    case TAC_MESSAGE_SEEK: {
        TacStatus status = tac_stage_seek(&s->stage, m->time, error);
        moved(s);
        return status == TAC_OK ? let_go(s, error) : status;
    }
    case TAC_MESSAGE_TREE: return do_tree(s, m->client);
    case TAC_MESSAGE_SET: return do_set(s, m, error);
    case TAC_MESSAGE_UNDO: return do_undo(s, error);
    case TAC_MESSAGE_GRAB: return do_grab(s, m, error);
    case TAC_MESSAGE_PIN:
    case TAC_MESSAGE_UNPIN: return do_pin(s, m, error);
    case TAC_MESSAGE_DRAG:
    case TAC_MESSAGE_RELEASE:
    case TAC_MESSAGE_SPHERE:
    case TAC_MESSAGE_CAMERA:
    case TAC_MESSAGE_SELECT: return do_touch(s, m, error);
    case TAC_MESSAGE_COLOUR: return do_colour(s, m, error);
    case TAC_MESSAGE_SHOW: return do_show(s, m, error);
    case TAC_MESSAGE_SAVE: return do_save(s, m, error);
    case TAC_MESSAGE_GALLERY: return do_gallery(s, m->index, error);
    case TAC_MESSAGE_LEAVE: return do_leave(s, m->client, error);
    case TAC_MESSAGE_ACK: break;
    }
    return TAC_OK;
}

void tac_simulation_do(TacSimulation *s, const TacMessage *m) {
    TacError error = {0};
    if (do_one(s, m, &error) != TAC_OK) tell_failure(s, m->client, &error);
}

// --- the thread -------------------------------------------------------------------------------------------

// What the scene's reading and compiling had to remark.
static void log_remarks(const TacSimulation *s) {
    char text[1600];
    for (size_t i = 0; s->stage.scene && i < tac_scene_message_count(s->stage.scene); i++)
        log_line(s, tac_error_text(&tac_scene_message(s->stage.scene, i)->error, text, sizeof text));
}

TacStatus tac_simulation_open(TacSimulation *s, const TacViewDef *def, TacExchange *exchange,
                              TacError *error) {
    *s = (TacSimulation){.def = def, .exchange = exchange, .paused = def->paused, .speed = def->speed};
    if (!(s->speed >= 1.0 / 32 && s->speed <= 8))
        return tac_fail(error, TAC_BAD_USAGE, "speeds go from 1/32 to 8");
    for (size_t i = 0; i < def->gallery_count; i++)
        if (!strcmp(def->gallery[i], def->path)) s->gallery_index = i;
    TAC_TRY(tac_stage_open(&s->stage, def, def->path, true, error));
    TacParcel *prologue = tac_describe_prologue(&s->stage, def, s->gallery_index);
    if (!prologue) return tac_fail_memory(error, 0);
    tac_exchange_set_prologue(exchange, prologue, true);
    log_remarks(s);
    return TAC_OK;
}

void tac_simulation_close(TacSimulation *s) {
    tac_stage_close(&s->stage);
    tac_bytes_free(&s->scratch);
}

static void begin_when_seen(TacSimulation *s, bool wanted) {
    double now = wall_seconds();
    if (wanted && !(s->came_wall > 0)) s->came_wall = now;
    bool late = s->came_wall > 0 && now - s->came_wall > longest_unseen;
    if (!late && !tac_exchange_seen(s->exchange)) return;
    s->begun = true;
    set_pace(s);
}

void tac_simulation_run(TacSimulation *s) {
    s->must_tell = s->must_show = true;
    set_pace(s);
    while (!tac_exchange_stopped(s->exchange)) {
        TacMessage message;
        for (int i = 0; i < TAC_EXCHANGE_MESSAGES && tac_exchange_hear(s->exchange, &message); i++)
            tac_simulation_do(s, &message);
        bool wanted = tac_exchange_wants_frame(s->exchange);
        if (!s->begun) begin_when_seen(s, wanted);
        bool runs = s->begun && !s->paused;
        double rest = runs ? run_on(s) : tell_every, now = wall_seconds();
        bool behind = runs && rest <= 0;
        double pause = behind ? fmin(show_share * s->show_cost, 1 / show_least) : 0;
        double next_show = s->shown_wall + fmax(1 / frames_per_second, pause) - now;
        if (wanted && s->must_show && (next_show <= 0 || !runs))
            show(s);
        else if (wanted && s->must_show && rest > 0)
            rest = fmin(rest, next_show);
        if (s->must_tell || now - s->told_wall > tell_every) tell_state(s);
        if (rest > 0) tac_exchange_wait(s->exchange, fmin(rest, 0.1));
    }
    TacError error;
    if (tac_stage_stop_recording(&s->stage, &error) != TAC_OK) log_line(s, error.message);
}
