// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Scenes: the tree of nodes and components that a world is made from, built by calls or read from a .tac
// file.
//
// A scene is text made typed: names, links and values, nothing simulated yet. tac_world_create
// (tactus/world.h) compiles it; the scene can be changed and compiled again afterwards. Handles are small
// values: an index and a generation; a zeroed handle is null, and one to something removed is refused.

#ifndef TACTUS_SCENE_H
#define TACTUS_SCENE_H

#include "tactus/component.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TacScene TacScene;

typedef struct TacNodeId {
    uint32_t index1; // 0: null
    uint32_t generation;
} TacNodeId;

typedef struct TacComponentId {
    uint32_t index1; // 0: null
    uint32_t generation;
} TacComponentId;

// An empty scene: a root node and its World component (dt, gravity, up).
TAC_API TacStatus tac_scene_create(TacScene **scene, TacError *error);
TAC_API void tac_scene_destroy(TacScene *scene); // NULL is allowed

// Loads a plugin: its classes can be named from then on. Only load what you trust: it is code.
TAC_API TacStatus tac_scene_load_plugin(TacScene *scene, const char *path, TacError *error);

// Adds one class without a plugin: what a program that makes components itself calls. The class and all that it
// refers to must outlive the scene and the worlds made from it. Refused where its table makes no sense.
TAC_API TacStatus tac_scene_add_class(TacScene *scene, const TacClass *cls, TacError *error);

// A parameter for the file that will be read: replaces the default of <param name="...">.
TAC_API TacStatus tac_scene_set_parameter(TacScene *scene, const char *name, const char *value,
                                          TacError *error);

// Reads a scene file into an empty scene. All messages are kept (tac_scene_message); on failure `error` is
// the first of them and the scene is of no further use but for its messages.
TAC_API TacStatus tac_scene_read(TacScene *scene, const char *path, TacError *error);

// The same from memory. `name` stands for the path: included files are looked for beside it.
TAC_API TacStatus tac_scene_parse(TacScene *scene, const char *name, const char *text, size_t bytes,
                                  TacError *error);

// --- building ---------------------------------------------------------------------------------------------

TAC_API TacNodeId tac_scene_root(const TacScene *scene);
TAC_API TacComponentId tac_scene_world(const TacScene *scene); // the World component of the root

// Names: letters, digits, _ and -. NULL or "": a fresh one (the class's name and a number).
TAC_API TacStatus tac_scene_add_node(TacScene *scene, TacNodeId parent, const char *name, TacNodeId *node,
                                     TacError *error);
TAC_API TacStatus tac_scene_add(TacScene *scene, TacNodeId node, const char *class_name, const char *name,
                                TacComponentId *component, TacError *error);
TAC_API TacStatus tac_scene_remove_node(TacScene *scene, TacNodeId node, TacError *error); // and all below it
TAC_API TacStatus tac_scene_remove(TacScene *scene, TacComponentId component, TacError *error);
TAC_API bool tac_scene_node_exists(const TacScene *scene, TacNodeId node);
TAC_API bool tac_scene_exists(const TacScene *scene, TacComponentId component);

// As a scene file would write it: "0.5", "1 0 0", "true", "@/cloth/points", "polar".
TAC_API TacStatus tac_scene_set(TacScene *scene, TacComponentId component, const char *attribute,
                                const char *text, TacError *error);
// Lists (and single numbers and vectors) without text; the numbers are copied.
TAC_API TacStatus tac_scene_set_reals(TacScene *scene, TacComponentId component, const char *attribute,
                                      const double *values, size_t count, TacError *error);
TAC_API TacStatus tac_scene_set_ints(TacScene *scene, TacComponentId component, const char *attribute,
                                     const int32_t *values, size_t count, TacError *error);

// "/node/component.attribute=value"
TAC_API TacStatus tac_scene_set_by_path(TacScene *scene, const char *assignment, TacError *error);

// By path, "/node/component"; null when there is none.
TAC_API TacComponentId tac_scene_find(const TacScene *scene, const char *path);
TAC_API TacNodeId tac_scene_find_node(const TacScene *scene, const char *path);

// --- looking ----------------------------------------------------------------------------------------------

typedef struct TacSceneMessage {
    bool is_error; // otherwise a remark
    TacError error;
} TacSceneMessage;

// What reading and compiling had to say, in order; at most a hundred.
TAC_API size_t tac_scene_message_count(const TacScene *scene);
TAC_API const TacSceneMessage *tac_scene_message(const TacScene *scene, size_t i);

// All nodes and components, in the order of the tree (a node before its children).
TAC_API size_t tac_scene_nodes(const TacScene *scene, TacNodeId *nodes, size_t capacity); // returns how many
TAC_API const char *tac_scene_node_name(const TacScene *scene, TacNodeId node);
TAC_API TacNodeId tac_scene_node_parent(const TacScene *scene, TacNodeId node);
TAC_API size_t tac_scene_components(const TacScene *scene, TacNodeId node, TacComponentId *components,
                                    size_t capacity);
TAC_API const char *tac_scene_name(const TacScene *scene, TacComponentId component);
TAC_API const TacClass *tac_scene_class_of(const TacScene *scene, TacComponentId component);

typedef struct TacParameterInfo {
    const char *name, *initial, *doc, *value;
} TacParameterInfo;
// The parameters that the scene file declares.
TAC_API size_t tac_scene_parameter_count(const TacScene *scene);
TAC_API TacParameterInfo tac_scene_parameter(const TacScene *scene, size_t i);

// All classes that this scene can name: the built-in ones and those of its plugins.
TAC_API size_t tac_scene_class_count(const TacScene *scene);
TAC_API const TacClass *tac_scene_class(const TacScene *scene, size_t i);
TAC_API const TacClass *tac_scene_find_class(const TacScene *scene, const char *name); // NULL when unknown
TAC_API const char *tac_scene_nearest_class(const TacScene *scene,
                                            const char *name); // NULL when none is near

// Called with pieces of a text that is being made; returning false stops it.
typedef bool (*TacSink)(void *data, const char *text, size_t length);

// The scene as a .tac file: what was given, with parameters and includes already put in. Files that it names
// stay relative to the current folder.
TAC_API bool tac_scene_write(const TacScene *scene, TacSink sink, void *data);

// The RELAX NG schema of .tac files, for editors.
TAC_API bool tac_scene_schema(const TacScene *scene, TacSink sink, void *data);
// The reference page of one class (Markdown), or of all when `name` is NULL.
TAC_API bool tac_scene_reference(const TacScene *scene, const char *name, TacSink sink, void *data);

#ifdef __cplusplus
}
#endif

#endif
