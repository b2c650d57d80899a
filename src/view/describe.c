// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "view/describe.h"
#include "base/memory.h"
#include "world/look.h"

#include <ctype.h>
#include <stdio.h>

enum { MOST_TREE_BYTES = 8 << 20, MOST_VALUE = 256, MOST_AGENTS = 4096 };

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// --- hello ------------------------------------------------------------------------------------------------

static void put_track(TacJson *json, const TacStage *s, size_t i) {
    const TacTrackDef *track = &s->what.tracks[i];
    char kind[16];
    snprintf(kind, sizeof kind, "%s", tac_matter_kind_name(track->kind));
    for (char *c = kind; *c; c++) *c = (char)tolower((unsigned char)*c);
    double radius = track->radius;
    for (size_t k = 0; radius == 0 && k < track->radii.count; k++)
        if (track->radii.data[k] > radius) radius = track->radii.data[k];
    tac_json_open(json, NULL, '{');
    tac_json_int(json, "id", (int64_t)i);
    tac_json_text(json, "path", track->name);
    tac_json_text(json, "kind", kind);
    tac_json_int(json, "points", (int64_t)track->point_count);
    tac_json_int(json, "positionSize", tac_frame_position_size(track->kind));
    tac_json_vector(json, "color", tac_load3(track->color));
    tac_json_real(json, "opacity", track->opacity);
    tac_json_real(json, "radius", radius);
    tac_json_bool(json, "visible", track->visible);
    tac_json_int(json, "triangles", (int64_t)(s->meshes[i].triangles.count / 3));
    tac_json_int(json, "lines", (int64_t)(s->meshes[i].edges.count / 2));
    tac_json_close(json, '}');
}

static void put_camera(TacJson *json, const TacRecordingDef *what) {
    const TacCamera *c = &what->camera;
    if (c->field_of_view == 0) {
        tac_json_null(json, "camera");
        return;
    }
    tac_json_open(json, "camera", '{');
    tac_json_vector(json, "eye", c->eye);
    tac_json_vector(json, "target", c->target);
    tac_json_real(json, "fov", c->field_of_view);
    tac_json_close(json, '}');
}

static void put_ground(TacJson *json, const TacRecordingDef *what) {
    if (!what->ground.visible) {
        tac_json_null(json, "ground");
        return;
    }
    tac_json_open(json, "ground", '{');
    tac_json_vector(json, "normal", what->ground.normal);
    tac_json_real(json, "offset", what->ground.offset);
    tac_json_close(json, '}');
}

static void put_channels(TacJson *json, const TacRecordingDef *what) {
    tac_json_open(json, "channels", '[');
    for (size_t i = 0; i < what->channel_count; i++) {
        tac_json_open(json, NULL, '{');
        tac_json_int(json, "id", (int64_t)i);
        tac_json_text(json, "name", what->channels[i].name);
        tac_json_text(json, "unit", what->channels[i].unit);
        tac_json_close(json, '}');
    }
    tac_json_close(json, ']');
}

static void put_agents(TacJson *json, const TacStage *s) {
    tac_json_open(json, "agents", '[');
    size_t count = s->world ? tac_world_stats(s->world).agents : 0;
    for (size_t i = 0; i < count && i < MOST_AGENTS; i++) {
        TacAgentInfo agent = tac_world_agent(s->world, i);
        tac_json_open(json, NULL, '{');
        tac_json_text(json, "name", agent.name);
        tac_json_text(json, "solver", agent.solver);
        tac_json_real(json, "step", agent.step);
        tac_json_close(json, '}');
    }
    tac_json_close(json, ']');
}

// What points can be coloured by here, and of which overlays there can be something to see.
static void put_looks(TacJson *json, const TacStage *s) {
    bool contact = s->world && (s->world->safe || s->world->touch);
    const bool can[TAC_OVERLAYS] = {[TAC_OVERLAY_CONTACTS] = contact,
                                    [TAC_OVERLAY_FORCES] = contact,
                                    [TAC_OVERLAY_BOXES] = true,
                                    [TAC_OVERLAY_PLANS] = s->world && s->world->safe,
                                    [TAC_OVERLAY_SLEEPING] = s->world && s->world->loose,
                                    [TAC_OVERLAY_NODES] = s->world && tac_world_nodes(s->world, NULL, 0) > 0};
    tac_json_open(json, "colours", '[');
    for (int i = 0; i < TAC_COLOURS; i++)
        if (tac_stage_can_colour(s, (TacColourBy)i)) tac_json_text(json, NULL, tac_colour_names[i]);
    tac_json_close(json, ']');
    tac_json_open(json, "overlays", '[');
    for (int i = 0; i < TAC_OVERLAYS; i++)
        if (can[i]) tac_json_text(json, NULL, tac_overlay_names[i]);
    tac_json_close(json, ']');
}

static void put_gallery(TacJson *json, const TacViewDef *def, size_t index) {
    tac_json_open(json, "gallery", '{');
    tac_json_int(json, "index", (int64_t)index);
    tac_json_open(json, "names", '[');
    for (size_t i = 0; i < def->gallery_count; i++) tac_json_text(json, NULL, name_of(def->gallery[i]));
    tac_json_close(json, ']');
    tac_json_close(json, '}');
}

static void put_hello(TacJson *json, const TacStage *s, const TacViewDef *def, size_t gallery_index) {
    const char *title = s->world ? tac_world_title(s->world) : "";
    tac_json_open(json, NULL, '{');
    tac_json_text(json, "type", "hello");
    tac_json_int(json, "version", 1);
    tac_json_text(json, "mode", s->world ? "scene" : "recording");
    tac_json_text(json, "title", title && *title ? title : name_of(s->path));
    tac_json_text(json, "file", name_of(s->path));
    tac_json_vector(json, "up", s->what.up);
    tac_json_real(json, "beat", s->what.beat);
    tac_json_real(json, "duration", tac_stage_duration(s));
    tac_json_real(json, "fps", s->what.fps);
    tac_json_int(json, "frames", s->recording ? (int64_t)tac_recording_frame_count(s->recording) : 0);
    put_camera(json, &s->what);
    put_ground(json, &s->what);
    tac_json_open(json, "tracks", '[');
    for (size_t i = 0; i < s->what.track_count; i++) put_track(json, s, i);
    tac_json_close(json, ']');
    put_channels(json, &s->what);
    put_agents(json, s);
    put_looks(json, s);
    put_gallery(json, def, gallery_index);
    tac_json_close(json, '}');
}

TacParcel *tac_describe_prologue(TacStage *s, const TacViewDef *def, size_t gallery_index) {
    TacJson json = {0};
    put_hello(&json, s, def, gallery_index);
    TacParcel *first = json.failed ? NULL : tac_parcel(0, false, json.text, json.bytes);
    TacParcel *last = first;
    tac_json_free(&json);
    TacBytes bytes = {0};
    for (size_t t = 0; last && t < s->what.track_count; t++) {
        const TacTrackMesh *mesh = &s->meshes[t];
        if (!mesh->triangles.count && !mesh->edges.count) continue;
        bool made = tac_topology_encode(&bytes, (uint32_t)t, mesh);
        last->next = made ? tac_parcel(0, true, tac_bytes_data(&bytes), bytes.bytes) : NULL;
        last = last->next;
    }
    tac_bytes_free(&bytes);
    if (!last) {
        tac_parcels_free(first);
        return NULL;
    }
    return first;
}

// --- the tree ---------------------------------------------------------------------------------------------

static const char *type_name(TacType type) {
    static const char *const names[] = {"bool",   "int",  "real",  "vector", "text",
                                        "choice", "path", "reals", "ints",   "link"};
    return (size_t)type < TAC_COUNT(names) ? names[type] : "";
}

// Whether it makes sense to offer it for a change: numbers and choices of what acts.
static bool can_change(const TacClass *cls, const TacAttribute *a) {
    bool number = a->type == TAC_BOOL || a->type == TAC_INT || a->type == TAC_REAL || a->type == TAC_VECTOR ||
                  a->type == TAC_CHOICE || a->type == TAC_REALS;
    bool acts = cls->kind != TAC_KIND_TOPOLOGY && cls->kind != TAC_KIND_MATTER && cls->kind != TAC_KIND_MAP;
    bool clock = !strcmp(a->name, "step") || !strcmp(a->name, "period") || !strcmp(a->name, "dt");
    return a->flags & TAC_LIVE || (number && acts && !clock && !(a->flags & TAC_OUTPUT));
}

static void put_attribute(TacJson *json, const TacWorld *world, TacComponentId id, const TacClass *cls,
                          const TacAttribute *a) {
    char value[MOST_VALUE];
    bool whole = tac_world_text(world, id, a->name, value, sizeof value);
    if (!whole) memcpy(value + sizeof value - 5, " ...", 5);
    tac_json_open(json, NULL, '{');
    tac_json_text(json, "name", a->name);
    tac_json_text(json, "type", type_name(a->type));
    tac_json_text(json, "unit", a->unit);
    tac_json_text(json, "value", value);
    tac_json_bool(json, "live", can_change(cls, a));
    tac_json_text(json, "doc", a->doc);
    if (a->type == TAC_CHOICE) tac_json_text(json, "choices", a->accepts);
    tac_json_close(json, '}');
}

static void put_component(TacJson *json, const TacStage *s, TacComponentId id) {
    const TacClass *cls = tac_scene_class_of(s->scene, id);
    const char *path = tac_world_path(s->world, id);
    if (!cls || !path) return;
    tac_json_open(json, NULL, '{');
    tac_json_text(json, "path", path);
    tac_json_text(json, "class", cls->name);
    tac_json_open(json, "attributes", '[');
    for (size_t i = 0; i < cls->attribute_count; i++)
        put_attribute(json, s->world, id, cls, &cls->attributes[i]);
    tac_json_close(json, ']');
    tac_json_close(json, '}');
}

// "/a/b", from the root down; the root is "/".
static void node_path(const TacScene *scene, TacNodeId node, char *path, size_t size) {
    TacNodeId parent = tac_scene_node_parent(scene, node);
    if (!parent.index1) {
        snprintf(path, size, "/");
        return;
    }
    const char *names[256];
    size_t depth = 0, used = 0;
    for (; parent.index1 && depth < TAC_COUNT(names); parent = tac_scene_node_parent(scene, node)) {
        names[depth++] = tac_scene_node_name(scene, node);
        node = parent;
    }
    *path = 0;
    while (depth-- > 0 && used < size)
        used += (size_t)snprintf(path + used, size - used, "/%s", names[depth]);
}

static void put_node(TacJson *json, const TacStage *s, TacNodeId node) {
    char path[2048];
    node_path(s->scene, node, path, sizeof path);
    tac_json_open(json, NULL, '{');
    tac_json_text(json, "path", path);
    tac_json_open(json, "components", '[');
    size_t count = tac_scene_components(s->scene, node, NULL, 0);
    TacComponentId *components = calloc(count + 1, sizeof *components);
    if (components) tac_scene_components(s->scene, node, components, count);
    for (size_t i = 0; components && i < count && json->bytes < MOST_TREE_BYTES; i++)
        put_component(json, s, components[i]);
    free(components);
    tac_json_close(json, ']');
    tac_json_close(json, '}');
}

void tac_describe_tree(const TacStage *s, TacJson *json) {
    tac_json_open(json, NULL, '{');
    tac_json_text(json, "type", "tree");
    tac_json_open(json, "nodes", '[');
    size_t count = s->scene ? tac_scene_nodes(s->scene, NULL, 0) : 0, i = 0;
    TacNodeId *nodes = calloc(count + 1, sizeof *nodes);
    if (nodes && s->scene) tac_scene_nodes(s->scene, nodes, count);
    for (; nodes && i < count && json->bytes < MOST_TREE_BYTES; i++) put_node(json, s, nodes[i]);
    free(nodes);
    tac_json_close(json, ']');
    tac_json_bool(json, "cut", i < count); // too long to be sent whole
    tac_json_close(json, '}');
}
