// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reads SOFA's scenes (.scn) into our authoring tree. Between the two stands a plain picture of the SOFA scene:
//
//   sofa_read.c    XML to elements: includes, groups, merges, macros; then nodes and objects with their names
//   sofa_find.c    links between objects, and values that are links
//   sofa_mesh.c    what loaders, grids, containers and topological mappings come to: points and elements
//   sofa_sparse.c  sparse grids
//   sofa_state.c   what states and regions of interest come to: positions, indices
//   sofa_table.c   the table: SOFA's components, what they are here, which attributes become which
//   sofa_build.c   nodes, topology, matter, solvers, maps, masses, constraints and laws of our tree
//   sofa_parts.c   those components whose attributes need more than a new name
//   sofa_loads.c   the same for constraints and for loads on surfaces
//   sofa_contact.c collision models and penalty contact
//   sofa_joints.c  the same for what ties frames, and points of several states, together
//
// Everything that SOFA's engines compute once (grids, selections, lumped masses, springs of a mesh) is computed
// while reading, in SOFA's own order, and written into our components as lists. What a scene needs and we lack is
// an error, one message for each, so that one reading names all of it; an attribute that is not known is a remark.
// docs/coming-from-sofa.md is held to the table by tests/sofa_test.c.

#ifndef TACTUS_SCENE_SOFA_H
#define TACTUS_SCENE_SOFA_H

#include "scene/notes.h"
#include "scene/tree.h"
#include "scene/xml.h"
#include "tactus/geometry.h"

typedef struct TacSofa TacSofa;
typedef struct TacSofaObject TacSofaObject;

// --- the table --------------------------------------------------------------------------------------------

typedef enum TacSofaRole {
    TAC_SOFA_NOTHING,    // has no part in the motion: drawing, plugins, loops, pipelines
    TAC_SOFA_MESH,       // becomes points and elements while reading
    TAC_SOFA_TOPOLOGY,   // the same, and is the topology of its node
    TAC_SOFA_MAPPING,    // a topological mapping: fills another topology while reading
    TAC_SOFA_REGION,     // becomes a list of indices while reading
    TAC_SOFA_STATE,      // matter
    TAC_SOFA_SOLVER,     // of differential equations
    TAC_SOFA_LINEAR,     // solver
    TAC_SOFA_MASS,       //
    TAC_SOFA_LAW,        //
    TAC_SOFA_CONSTRAINT, // projective
    TAC_SOFA_MAP,        //
    TAC_SOFA_SETTING,    // gravity
    TAC_SOFA_COLLIDER,   // a collision model: counted, to know whether anything can touch
    TAC_SOFA_PIPELINE,   // looks for contacts
    TAC_SOFA_LACKING,    // known by name, and not to be had here
    TAC_SOFA_ROLES
} TacSofaRole;

// Builds what needs more than renamed attributes. `id` is the component made, with what could be renamed set.
typedef bool (*TacSofaBuild)(TacSofa *sofa, TacSofaObject *object, TacComponentId id);

typedef struct TacSofaClass {
    const char *name;
    TacSofaRole role;
    const char *ours; // our class; NULL where nothing is made
    const char
        *attributes; // "tolerance:1e-5 youngModulus:5000>young method!": the same name with SOFA's default,
                     // renamed, computed by `build`
    const char *ignored; // attributes that change nothing here
    TacSofaBuild build;  // NULL: renaming is enough
} TacSofaClass;

extern const TacSofaClass tac_sofa_classes[];
extern const size_t tac_sofa_class_count;

// NULL when it is not in the table.
const TacSofaClass *tac_sofa_find_class(const char *name);
// The class that a template stands for: "Vec3,Hexahedron" of a CorotationalFEMForceField; otherwise the same.
const TacSofaClass *tac_sofa_element_class(const TacSofaClass *cls, const char *type);

// One word of an attribute list: its SOFA name, our name (NULL where it is computed). False at the end.
typedef struct TacSofaWord {
    char sofa[64], ours[64];
    char initial[32]; // SOFA's default, where ours differs; "" otherwise
    bool computed;
} TacSofaWord;
bool tac_sofa_next_word(const char **list, TacSofaWord *word);

// --- the picture ------------------------------------------------------------------------------------------

typedef struct TacSofaAttribute {
    const char *name, *value;
    TacPlace place;
} TacSofaAttribute;

typedef struct TacSofaElement TacSofaElement;

struct TacSofaElement {
    const char *tag;    // "Node", or the type of a component
    const char *folder; // of the file it stands in
    TacPlace place;
    TacSofaAttribute *attributes;
    size_t count, capacity;
    TacSofaElement *first, *last, *next;
};

typedef enum TacSofaProgress { TAC_SOFA_NEW, TAC_SOFA_BUSY, TAC_SOFA_DONE, TAC_SOFA_FAILED } TacSofaProgress;

struct TacSofaObject {
    TacSofaElement *element;
    const TacSofaClass *cls;
    const char *name;
    uint32_t node;
    TacSofaProgress progress;
    TacMesh mesh;             // of loaders and topologies
    int grid[3];              // points along the axes of a regular grid; 0 elsewhere
    double cell[3];           // its steps
    TacReals fills;           // how full the cells of a sparse grid are
    TacSofaObject *filled_by; // the topological mapping whose output it is
    TacInts indices;          // of regions; which elements a subset came from
    TacMatterKind kind;       // of states
    TacReals positions, rest, velocities;
    size_t points;            // of states
    TacSofaObject *mapped_by; // the mapping whose output this state is
    TacComponentId made;      // our component
    TacComponentId made_mesh; // our Mesh for a topology, once one was made
};

typedef struct TacSofaNode {
    const char *name;
    uint32_t parent;       // TAC_NONE for the root
    uint32_t first, count; // objects
    TacSofaElement *element;
    TacNodeId made;
} TacSofaNode;

struct TacSofa {
    TacScene *scene;
    TacArena *arena; // the scene's
    TacXml **documents;
    size_t document_count, document_capacity;
    const char **opened; // paths of the files that are being included
    size_t opened_count, opened_capacity;
    TacSofaNode *nodes; // each before its children
    size_t node_count, node_capacity;
    TacSofaObject *objects; // those of a node in a row
    size_t object_count, object_capacity;
    size_t includes, elements;
    TacNotes notes;
    TacNodeId into; // node that the document is put in; null: it is the scene
    double step;    // s, of its solvers, where it is put in a node
};

// --- messages ---------------------------------------------------------------------------------------------

void tac_sofa_complain(TacSofa *sofa, TacPlace place, const char *format, ...) TAC_PRINTF(3, 4);
void tac_sofa_remark(TacSofa *sofa, TacPlace place, const char *format, ...) TAC_PRINTF(3, 4);
void tac_sofa_note(TacSofa *sofa, TacPlace place, const TacError *error); // an error that may lack its place
bool tac_sofa_no_memory(TacSofa *sofa);                                   // false

// --- reading ----------------------------------------------------------------------------------------------

// The scene of a document. On return `notes.worst` says how it went. The document stays the caller's.
TacStatus tac_sofa_load(TacScene *scene, const char *path, const TacXml *xml, TacError *error);

// The same in a node of a scene: it keeps its own gravity, and its dt becomes the step of its solvers.
TacStatus tac_sofa_include(TacScene *scene, const char *path, const TacXml *xml, TacNodeId node,
                           TacError *error);

// Whether a path or a document is SOFA's.
bool tac_sofa_is_path(const char *path);
bool tac_sofa_is_document(const TacXml *xml);

// Elements and objects; false after a complaint that ends the reading.
bool tac_sofa_read(TacSofa *sofa, const char *path, const TacXml *xml);

// The file that a name in a scene means: beside the scene file, then in the share and examples folders above
// it, then in $SOFA_DATA_PATH. NULL when there is none.
const char *tac_sofa_find_file(TacSofa *sofa, const char *folder, const char *name);

// --- finding ----------------------------------------------------------------------------------------------

const TacSofaAttribute *tac_sofa_attribute(const TacSofaObject *object, const char *name); // NULL: not given
// The object that a link leads to ("@../a/b" or "../a/b"); a node stands for its one object that `fits`, where
// that is given. NULL when there is none; nothing is said.
TacSofaObject *tac_sofa_follow(TacSofa *sofa, const TacSofaObject *from, const char *link,
                               bool (*fits)(const TacSofaObject *));
// The same for an attribute; a complaint when it leads nowhere. NULL also when it is not given.
TacSofaObject *tac_sofa_link(TacSofa *sofa, const TacSofaObject *object, const char *attribute,
                             bool (*fits)(const TacSofaObject *));

// Whether a value is a link to the points of a mesh.
bool tac_sofa_leads_to_points(TacSofa *sofa, const TacSofaObject *from, const char *value);

bool tac_sofa_is_state(const TacSofaObject *object);
bool tac_sofa_is_topology(const TacSofaObject *object);
bool tac_sofa_has_mesh(const TacSofaObject *object);

// The state that an object of a node works on (its node's, or the nearest above); the topology that it uses
// (the last of its node, or the first of the nearest node above); NULL when there is none.
TacSofaObject *tac_sofa_state_of(TacSofa *sofa, uint32_t node);
TacSofaObject *tac_sofa_topology_of(TacSofa *sofa, uint32_t node);
TacSofaObject *tac_sofa_first_topology(TacSofa *sofa, uint32_t node); // of that node alone

// Values, with links followed. Text is NULL, and lists are empty, where nothing is given.
const char *tac_sofa_text(TacSofa *sofa, TacSofaObject *object, const char *name);
bool tac_sofa_reals(TacSofa *sofa, TacSofaObject *object, const char *name, TacReals *list);
bool tac_sofa_ints(TacSofa *sofa, TacSofaObject *object, const char *name, TacInts *list);
// The first number, or `otherwise`.
double tac_sofa_real(TacSofa *sofa, TacSofaObject *object, const char *name, double otherwise);
bool tac_sofa_bool(TacSofa *sofa, TacSofaObject *object, const char *name, bool otherwise);
// Three numbers; the single ones x, y, z (where named) go before.
TacVec3 tac_sofa_vector(TacSofa *sofa, TacSofaObject *object, const char *name, TacVec3 otherwise);

// --- evaluating -------------------------------------------------------------------------------------------

// Fills object->mesh; false after a complaint.
bool tac_sofa_make_mesh(TacSofa *sofa, TacSofaObject *object);
// Fills positions, rest, velocities of a state.
bool tac_sofa_make_state(TacSofa *sofa, TacSofaObject *object);
// Fills indices of a region.
bool tac_sofa_make_region(TacSofa *sofa, TacSofaObject *object);

// Six tetrahedra per hexahedron, cut as SOFA cuts them: `mirrored` cells list their corners the other way
// round, so that volumes stay positive. Four numbers for each, in the arena; NULL without memory.
int32_t *tac_sofa_cut_hexahedra(TacSofa *sofa, const TacSofaObject *topology, bool swap, bool mirrored,
                                size_t *count);

// The cells of a grid that a surface crosses or encloses; also fills object->fills.
bool tac_sofa_make_sparse_grid(TacSofa *sofa, TacSofaObject *object, const TacMesh *surface);

// Lists in the arena, NULL without memory.
double *tac_sofa_new_reals(TacSofa *sofa, size_t count);
int32_t *tac_sofa_new_ints(TacSofa *sofa, size_t count);

// --- building ---------------------------------------------------------------------------------------------

bool tac_sofa_build(TacSofa *sofa);

// Attributes of ours; false after a complaint.
bool tac_sofa_set(TacSofa *sofa, const TacSofaObject *object, TacComponentId id, const char *attribute,
                  const char *text);
bool tac_sofa_set_reals(TacSofa *sofa, const TacSofaObject *object, TacComponentId id, const char *attribute,
                        const double *values, size_t count);
bool tac_sofa_set_real(TacSofa *sofa, const TacSofaObject *object, TacComponentId id, const char *attribute,
                       double value);
bool tac_sofa_set_ints(TacSofa *sofa, const TacSofaObject *object, TacComponentId id, const char *attribute,
                       const int32_t *values, size_t count);
bool tac_sofa_set_link(TacSofa *sofa, const TacSofaObject *object, TacComponentId id, const char *attribute,
                       TacComponentId target);
// Another component in the node of one that was made; null after a complaint.
TacComponentId tac_sofa_add_beside(TacSofa *sofa, const TacSofaObject *object, TacComponentId id,
                                   const char *cls, const char *name);
// Whether our class of the component has such an attribute.
bool tac_sofa_has(const TacSofa *sofa, TacComponentId id, const char *attribute);

// Distances between points of several states: no map has several parents here, but springs on such distances are
// springs between those states. Whether a state is of that kind; and the springs that a law on it becomes.
bool tac_sofa_is_between(const TacSofaObject *state);
bool tac_sofa_add_between(TacSofa *sofa, TacSofaObject *law, TacSofaObject *map);
// The states that a map leads from and to; NULL where there is none.
TacSofaObject *tac_sofa_parent_of(TacSofa *sofa, TacSofaObject *map);
TacSofaObject *tac_sofa_output_of(TacSofa *sofa, TacSofaObject *map);
// A component in a node of the scene; null after a complaint.
TacComponentId tac_sofa_add_in(TacSofa *sofa, const TacSofaObject *object, uint32_t node, const char *cls,
                               const char *name);

// A component in one of our nodes; null after a complaint.
TacComponentId tac_sofa_add_at(TacSofa *sofa, const TacSofaObject *object, TacNodeId node, const char *cls,
                               const char *name);
// The node in which what acts on a state finds its topology: its own, or one made below it with that mesh.
TacNodeId tac_sofa_node_for(TacSofa *sofa, TacSofaObject *object, const TacSofaObject *state);

// Contact of the scene's collision models, or a remark that it is lacking. Last of all.
void tac_sofa_add_contact(TacSofa *sofa);

// The topology that a law, mass or map uses: given by link, or its node's.
TacSofaObject *tac_sofa_used_topology(TacSofa *sofa, TacSofaObject *object);

#endif
