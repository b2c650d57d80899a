// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The authoring tree behind tactus/scene.h: nodes, components, values with places, messages, parameters,
// classes. Never walked while time runs: compile.c makes a world of it.

#ifndef TACTUS_SCENE_TREE_H
#define TACTUS_SCENE_TREE_H

#include "scene/names.h"
#include "scene/value.h"
#include "tactus/scene.h"

#define TAC_NONE UINT32_MAX

typedef struct TacSceneComponent {
    const TacClass *cls;
    const char *name;
    uint32_t node, next; // next in the same node
    uint32_t generation;
    bool alive;
    TacPlace place;
    TacValue *values; // one per attribute of the class
} TacSceneComponent;

typedef struct TacSceneNode {
    const char *name;   // "" for the root
    const char *folder; // what paths in it are relative to
    uint32_t parent, first_child, last_child, next;
    uint32_t first_component, last_component;
    uint32_t generation;
    uint32_t depth;       // below the root
    uint32_t path_length; // bytes of its path; 0 for the root
    bool alive;
    TacPlace place;
} TacSceneNode;

typedef struct TacParameter {
    const char *name, *initial, *doc;
    const char *value; // given from outside, or NULL
    bool declared;
} TacParameter;

struct TacScene {
    TacArena arena;
    TacSceneNode *nodes;
    size_t node_count, node_capacity;
    TacSceneComponent *components;
    size_t component_count, component_capacity;
    TacNames names;
    TacSceneMessage *messages;
    size_t message_count, message_capacity;
    TacParameter *parameters;
    size_t parameter_count, parameter_capacity;
    size_t expanded_bytes; // that parameters have put into values
    const TacClass **classes;
    size_t class_count, class_capacity;
    void **plugins; // as dlopen gave them
    size_t plugin_count, plugin_capacity;
    const char *file; // it was read from; NULL otherwise
};

// Built-in classes, in the order in which they are documented. NULL ends the list.
extern const TacClass *const tac_builtin_classes[];

// The index of an attribute in its class; TAC_NONE when there is none of that name.
uint32_t tac_class_attribute(const TacClass *cls, const char *name);

// The attribute, or a failure that names the nearest one.
TacStatus tac_class_find_attribute(const TacClass *cls, const char *name, TacPlace place, uint32_t *index,
                                   TacError *error);

TacSceneNode *tac_tree_node(const TacScene *scene, TacNodeId id);                // NULL: not there
TacSceneComponent *tac_tree_component(const TacScene *scene, TacComponentId id); // NULL: not there
TacComponentId tac_tree_component_id(const TacScene *scene, uint32_t index);
TacNodeId tac_tree_node_id(const TacScene *scene, uint32_t index);

// Sets with a place, as loaders do.
TacStatus tac_tree_set(TacScene *scene, TacComponentId id, const char *attribute, const char *text,
                       TacPlace attribute_place, TacPlace value_place, TacError *error);

// Keeps a message. Errors beyond the hundredth are only counted.
void tac_tree_message(TacScene *scene, bool is_error, const TacError *error);

// "/a/b" of a node, "/a/b/name" of a component; from the arena given, NULL without memory.
char *tac_tree_node_path(const TacScene *scene, uint32_t node, TacArena *arena);
char *tac_tree_path(const TacScene *scene, uint32_t component, TacArena *arena);

// The component that a link from `node` leads to: "/a/b" from the root, "./x" and "../x" from the node, a
// bare name in the node and then upward. `path` ends at `length`. TAC_NONE when there is none.
uint32_t tac_tree_follow(const TacScene *scene, uint32_t node, const char *path, size_t length);

// Next node in the order of the tree; TAC_NONE at the end. Start from the root, 0.
uint32_t tac_tree_next_node(const TacScene *scene, uint32_t node);

#endif
