// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What is recorded of a world: matter as tracks with looks and meshes, measurements as channels.

#include "base/memory.h"
#include "world/loose.h"
#include "world/world.h"

enum { GENERAL_CHANNELS = 11, AGENT_CHANNELS = 3 };

struct TacWorldRecord {
    TacRecordingDef def;
    TacTrackDef *tracks;
    TacChannelDef *channels;
    size_t agents;  // tickers whose channels are recorded
    size_t general; // channels of the whole world
    size_t ranks;   // agents of a loose world whose priorities are recorded, after the delay
    TacComponent **probes;
    size_t probe_count;
    TacFrameTrack *frame_tracks;
    double *values;
    TacFrame frame;
    double seconds; // wall time that had been taken at the last frame
};

// --- tracks -----------------------------------------------------------------------------------------------

// Hues a golden angle apart, of equal lightness to the eye: neighbours in the scene never look alike.
static void choose_color(size_t i, double color[3]) {
    static const double palette[][3] = {{0.85, 0.37, 0.25}, {0.20, 0.50, 0.75}, {0.90, 0.68, 0.25},
                                        {0.30, 0.62, 0.45}, {0.58, 0.42, 0.70}, {0.80, 0.45, 0.60},
                                        {0.45, 0.55, 0.60}, {0.62, 0.60, 0.30}};
    memcpy(color, palette[i % TAC_COUNT(palette)], 3 * sizeof(double));
}

// Copies a list that the geometry module allocated into the world's memory; unless it is one that was given.
static TacStatus keep_ints(TacWorld *world, int32_t *list, size_t count, TacInts given, TacInts *kept,
                           TacError *error) {
    bool same = count == given.count && (!count || !memcmp(list, given.data, count * sizeof *list));
    int32_t *copy = same ? NULL : tac_arena_array(&world->arena, count, sizeof *copy);
    if (copy && count) memcpy(copy, list, count * sizeof *copy);
    free(list);
    if (same) {
        *kept = given;
        return TAC_OK;
    }
    *kept = (TacInts){copy, count};
    return copy ? TAC_OK : tac_fail_memory(error, count * sizeof *copy);
}

static TacStatus take_mesh(TacWorld *world, const TacShape *shape, TacTrackDef *track, TacError *error) {
    if (!shape->topology || shape->topology->mesh.point_count != shape->matter->count) return TAC_OK;
    const TacMesh *mesh = &shape->topology->mesh;
    int32_t *triangles;
    size_t count;
    TAC_TRY(tac_mesh_surface(mesh, &triangles, &count, error));
    TacInts given = {mesh->elements[TAC_TRIANGLES].indices, 3 * mesh->elements[TAC_TRIANGLES].count};
    TAC_TRY(keep_ints(world, triangles, 3 * count, given, &track->mesh.triangles, error));
    track->mesh.edges = (TacInts){mesh->elements[TAC_EDGES].indices, 2 * mesh->elements[TAC_EDGES].count};
    track->mesh.tetrahedra =
        (TacInts){mesh->elements[TAC_TETRAHEDRA].indices, 4 * mesh->elements[TAC_TETRAHEDRA].count};
    if (mesh->radii) track->radii = (TacReals){mesh->radii, mesh->point_count};
    return TAC_OK;
}

static TacStatus make_track(TacWorld *world, const TacShape *shape, size_t i, TacTrackDef *track,
                            TacError *error) {
    *track = (TacTrackDef){.name = shape->matter->base.path,
                           .kind = shape->matter->kind,
                           .point_count = shape->matter->count,
                           .opacity = 1,
                           .visible = !shape->has_skin};
    choose_color(i, track->color);
    const TacLook *look = shape->look;
    if (look) {
        if (!isnan(look->color.x)) tac_store3(track->color, look->color);
        track->opacity = look->opacity;
        track->radius = look->radius;
        if (look->visible) track->visible = look->visible == 1;
    }
    return take_mesh(world, shape, track, error);
}

// --- channels ---------------------------------------------------------------------------------------------

static TacStatus make_channels(TacWorld *world, TacWorldRecord *r, TacError *error) {
    static const TacChannelDef general[GENERAL_CHANNELS] = {
        {"energy/kinetic", "J"},  {"energy/weight", "J"},   {"energy/elastic", "J"},  {"energy/total", "J"},
        {"momentum/x", "kg m/s"}, {"momentum/y", "kg m/s"}, {"momentum/z", "kg m/s"}, {"spin/x", "kg m^2/s"},
        {"spin/y", "kg m^2/s"},   {"spin/z", "kg m^2/s"},   {"wall time", "s"}};
    for (size_t i = 0; i < world->component_count; i++)
        r->probe_count += world->components[i]->cls->kind == TAC_KIND_PROBE;
    int which = world->record ? world->record->channels : 0;
    r->agents = which == 0 ? world->ticker_count : 0;
    size_t general_count = r->general = which == 0 ? GENERAL_CHANNELS : which == 1 ? 4 : 0;
    r->ranks = which == 0 && world->settings->scheduler == 1 ? world->ticker_count : 0;
    size_t count =
        general_count + r->agents * AGENT_CHANNELS + r->probe_count + (r->ranks ? 1 + r->ranks : 0);
    r->channels = tac_arena_array(&world->arena, count, sizeof *r->channels);
    r->values = tac_arena_array(&world->arena, count, sizeof *r->values);
    r->probes = tac_arena_array(&world->arena, r->probe_count, sizeof *r->probes);
    if (!r->channels || !r->values || !r->probes) return tac_fail_memory(error, 0);
    memcpy(r->channels, general, general_count * sizeof *r->channels);
    size_t n = general_count;
    for (size_t i = 0; i < r->agents; i++) {
        static const TacChannelDef of_agent[AGENT_CHANNELS] = {
            {"local time", "s"}, {"step", "s"}, {"wall time", "s"}};
        for (size_t k = 0; k < AGENT_CHANNELS; k++, n++) {
            const char *name = world->tickers[i].name;
            r->channels[n] = (TacChannelDef){
                tac_arena_format(&world->arena, "%s%s%s", name, name[1] ? "/" : "", of_agent[k].name),
                of_agent[k].unit};
            if (!r->channels[n].name) return tac_fail_memory(error, 0);
        }
    }
    size_t probe = 0;
    for (size_t i = 0; i < world->component_count; i++) {
        TacComponent *c = world->components[i];
        if (c->cls->kind != TAC_KIND_PROBE) continue;
        r->probes[probe++] = c;
        r->channels[n] = (TacChannelDef){tac_arena_format(&world->arena, "probe%s", c->path), "SI"};
        if (!r->channels[n++].name) return tac_fail_memory(error, 0);
    }
    if (r->ranks) r->channels[n++] = (TacChannelDef){"delay", "s"};
    for (size_t i = 0; i < r->ranks; i++) {
        r->channels[n] =
            (TacChannelDef){tac_arena_format(&world->arena, "priority%s", world->tickers[i].name), "1"};
        if (!r->channels[n++].name) return tac_fail_memory(error, 0);
    }
    r->def.channels = r->channels;
    r->def.channel_count = count;
    return TAC_OK;
}

TacStatus tac_world_record_setup(TacWorld *world, const TacShape *shapes, const TacCameraSetting *camera,
                                 const TacGround *ground, const char *scene, TacError *error) {
    TacWorldRecord *r = tac_arena_alloc(&world->arena, sizeof *r);
    if (!r) return tac_fail_memory(error, sizeof *r);
    world->recording = r;
    r->tracks = tac_arena_array(&world->arena, world->matter_count, sizeof *r->tracks);
    r->frame_tracks = tac_arena_array(&world->arena, world->matter_count, sizeof *r->frame_tracks);
    if (!r->tracks || !r->frame_tracks) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < world->matter_count; i++)
        TAC_TRY(make_track(world, &shapes[i], i, &r->tracks[i], error));
    r->def = tac_recording_def_default();
    r->def.scene = tac_arena_text(&world->arena, scene);
    if (!r->def.scene) return tac_fail_memory(error, 0);
    r->def.beat = world->base.beat;
    r->def.fps = tac_world_fps(world);
    r->def.up = world->up;
    r->def.ground = *ground;
    if (camera) r->def.camera = (TacCamera){camera->eye, camera->target, camera->field_of_view};
    r->def.velocities = world->record && world->record->velocities;
    r->def.single_precision = world->record && world->record->precision == 1;
    r->def.tracks = r->tracks;
    r->def.track_count = world->matter_count;
    return make_channels(world, r, error);
}

const TacRecordingDef *tac_world_recording_def(TacWorld *world, TacError *error) {
    (void)error;
    return &world->recording->def;
}

double tac_world_fps(const TacWorld *world) {
    if (world->record && !isnan(world->record->fps)) return world->record->fps;
    // frames on whole beats show every agent of the beat at its tick, where energy reads best
    double beats = ceil(1 / (60 * world->base.beat) - 1e-9);
    return 1 / (fmax(beats, 1) * world->base.beat);
}

const char *tac_world_title(const TacWorld *world) {
    return world->settings->title;
}

double tac_world_duration(const TacWorld *world) {
    return world->settings->duration;
}

// --- frames -----------------------------------------------------------------------------------------------

static void measure(TacWorld *world, TacWorldRecord *r) {
    size_t n = 0, general = r->general;
    if (general) {
        TacEnergy e = tac_world_energy(world);
        const double energies[] = {e.kinetic, e.weight, e.elastic, e.total};
        for (size_t k = 0; k < TAC_COUNT(energies); k++) r->values[n++] = energies[k];
    }
    if (general > 4) {
        TacMomentum p = tac_world_momentum(world);
        const double momenta[] = {p.linear.x, p.linear.y, p.linear.z, p.angular.x, p.angular.y, p.angular.z};
        for (size_t k = 0; k < TAC_COUNT(momenta); k++) r->values[n++] = momenta[k];
        // what the time since the last frame has cost
        r->values[n++] = world->seconds - r->seconds;
        r->seconds = world->seconds;
    }
    for (size_t i = 0; i < r->agents; i++) {
        const TacTicker *t = &world->tickers[i];
        TacTick time = t->program.matter_count ? t->program.matters[0]->time : world->now;
        r->values[n++] = tac_seconds(world->base, time);
        r->values[n++] = t->step;
        r->values[n++] = t->seconds;
    }
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    for (size_t i = 0; i < r->probe_count; i++)
        r->values[n++] = r->probes[i]->cls->ops.probe->value(r->probes[i], &context);
    if (!r->ranks || !world->loose) return;
    TacWorldLoose *loose = world->loose;
    r->values[n++] = world->base.tick * loose->frame_delay;
    if (loose->frame_turns) loose->frame_turn = (loose->frame_turn + 1) % loose->frame_turns;
    loose->frame_turns = 0;
    for (size_t i = 0; i < r->ranks; i++) r->values[n++] = loose->scheduler.agents[i].priority;
}

const TacFrame *tac_world_frame(TacWorld *world) {
    TacWorldRecord *r = world->recording;
    tac_world_show(world);
    double now = tac_world_time(world);
    for (size_t i = 0; i < world->matter_count; i++) {
        const TacMatter *m = world->matters[i];
        r->frame_tracks[i] =
            (TacFrameTrack){.time = now,
                            .count = m->count,
                            .positions = m->vectors[TAC_X_SHOWN],
                            .velocities = r->def.velocities ? m->vectors[TAC_V_SHOWN] : NULL};
    }
    measure(world, r);
    r->frame = (TacFrame){now, r->frame_tracks, r->values};
    return &r->frame;
}
