// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reads CORDIS-ANIMA model files (.ca; "Balls, bubbles and agglomerates", III.5.6) into our authoring tree.
//
//     VISCOSITY 0.01                          DEFMOB rattle 4 m_rattle AGGLO fi_in_rattle
//     DEFMASS m_rattle 10e-3                  LINKGRP rattle sphere fi_rattle_sphere
//     DEFFI fi_in_rattle 1 (-1,0) [.05]       POSITAROUND rattle (0,0,0) [.1,.1,.1]
//
//   ca_scan.c        characters to words, numbers and tuples, each with its place
//   ca_read.c        statements to the plain picture below
//   ca_statements.c  the table of keywords, one function each
//   ca_conditions.c  those of conditional links
//   ca_build.c       from the picture to nodes and components
//
// Rules of the language:
//   1. A statement is a keyword, names, and parameters. What it must have may go on over line ends; what it may
//      have (AGGLO and the like) stands on the same line.
//   2. Behind a complete statement the rest of the line is a comment, unless it begins with another keyword. Such
//      comments are remarks, so that a misspelt option does not vanish. '#' begins a comment that nobody echoes.
//   3. A statement names only what stands above it. Masses, laws and groups have names of their own.
//   4. Ball 3 of a group `foo` is `foo3`; a group of that very name goes before.
//
// A model becomes one agent: SymplecticEuler at 1/RATE is CORDIS-ANIMA's own scheme, x(n+1) = 2 x(n) - x(n-1) +
// F(n) T^2 / M with speeds x(n) - x(n-1). Each group is a node with its Points; each law between two groups is a
// Liaisons beside them. docs/cordis-anima.md is the user's page.

#ifndef TACTUS_SCENE_CA_H
#define TACTUS_SCENE_CA_H

#include "scene/notes.h"
#include "scene/tree.h"

enum {
    TAC_CA_MOST_BYTES = 1 << 26, // of a file
    TAC_CA_MOST_BALLS = 1000000, // of a model
    TAC_CA_MOST_PIECES = 16,     // of a law
    TAC_CA_MOST_STATEMENTS = 200000,
    TAC_CA_LONGEST_NAME = 60,
};

// --- scanning ---------------------------------------------------------------------------------------------

typedef struct TacCaScan {
    const char *file, *at, *end, *line_start;
    int line;
} TacCaScan;

TacPlace tac_ca_place(const TacCaScan *scan);

// Over blanks; with `lines` over line ends and '#' comments too. False at the end of the line or file.
bool tac_ca_skip(TacCaScan *scan, bool lines);
void tac_ca_skip_line(TacCaScan *scan);

// A name at the cursor: letters, digits, _ and -; \_ is _. False, cursor unmoved, when there is none or it is too
// long.
bool tac_ca_name(TacCaScan *scan, char name[TAC_CA_LONGEST_NAME + 1]);
// A number at the cursor, not followed by a letter.
bool tac_ca_number(TacCaScan *scan, double *value);
// "(a,b,c)" with the brackets given, after blanks and line ends; `count` numbers exactly. On failure the cursor is
// where it went wrong.
bool tac_ca_tuple(TacCaScan *scan, const char brackets[2], double *values, size_t count);

// --- the picture ------------------------------------------------------------------------------------------

typedef struct TacCaMass {
    const char *name;
    double kg;
} TacCaMass;

typedef struct TacCaLaw {
    const char *name;
    size_t pieces;
    double *slopes, *thresholds; // in the arena
    double zero;
    double viscosity, reach;          // reach 0: everywhere
    double depth, distance, exponent; // of Lennard-Jones' family, drawn with three pieces; depth 0: not one
} TacCaLaw;

// The points of a skin are made when the world is: in the picture it has no balls.
typedef enum TacCaKind { TAC_CA_MOBILE, TAC_CA_FIXED, TAC_CA_HAND, TAC_CA_SKIN } TacCaKind;

typedef struct TacCaGroup {
    const char *name;
    TacPlace place;
    TacCaKind kind;
    size_t count;
    uint32_t mass, law;     // TAC_NONE: none
    double *x, *v, *around; // 3 for each ball; the last ones NULL where nobody gave any
    bool *placed, *held;    // by ball; held NULL: none
    double color[3], radius;
    bool has_color;
    double shake[3], shake_rate; // Hz; 0: not shaken
    TacPlace shake_place;
    double *times, *gesture; // moments, and 3 numbers each; NULL: none
    size_t moments;
    uint32_t inside;          // of a skin: the group that it is drawn around
    double distance, tension; // of a skin
    TacNodeId node;
    TacComponentId matter;
} TacCaGroup;

static inline bool tac_ca_moves(const TacCaGroup *group) {
    return group->kind == TAC_CA_MOBILE || group->kind == TAC_CA_SKIN;
}

// A group, or one ball of it.
typedef struct TacCaWho {
    uint32_t group;
    bool one;
    size_t ball; // from 0, where it is one
} TacCaWho;

typedef struct TacCaLink {
    TacPlace place;
    TacCaWho ends[2];
    uint32_t law;
    bool chain; // neighbours of one group rather than all pairs of two
} TacCaLink;

typedef struct TacCaListen {
    TacPlace place;
    const char *name;
    TacCaWho ball;
    double direction[3];
} TacCaListen;

// A conditional link: states, each with its constants, and rules to go from one to another, as our
// ConditionalLinks writes them.
enum { TAC_CA_MOST_STATES = 16, TAC_CA_LONGEST_RULES = 4000 };

typedef struct TacCaCondition {
    const char *name;
    size_t states;
    char *names, *rests, *rules; // texts that grow, in the arena
    double stiffness[TAC_CA_MOST_STATES], damping[TAC_CA_MOST_STATES];
} TacCaCondition;

typedef struct TacCaConditionalLink {
    TacPlace place;
    TacCaWho ends[2];
    uint32_t condition;
    double reach; // m; 0: all pairs
} TacCaConditionalLink;

typedef struct TacCaBow {
    TacPlace place;
    TacCaWho who;
    double direction[3], speed, pressure;
} TacCaBow;

typedef struct TacCa {
    TacScene *scene;
    TacArena *arena; // the scene's
    TacCaScan scan;
    TacPlace statement;                                // where the one that is being read begins
    double viscosity, gravity, rate, duration, frames; // the last two 0 where not given
    double eye[3], target[3];                          // of the camera
    bool has_camera;
    const char *title; // NULL: none
    TacPlace gravity_place;
    TacCaMass *masses;
    size_t mass_count, mass_capacity;
    TacCaLaw *laws;
    size_t law_count, law_capacity;
    TacCaGroup *groups;
    size_t group_count, group_capacity, balls;
    TacCaLink *links;
    size_t link_count, link_capacity;
    TacCaListen *listens;
    size_t listen_count, listen_capacity;
    TacCaBow *bows;
    size_t bow_count, bow_capacity;
    TacCaCondition *conditions;
    size_t condition_count, condition_capacity;
    TacCaConditionalLink *conditional;
    size_t conditional_count, conditional_capacity;
    TacNames names; // of masses, laws, groups and conditions: four name spaces
    TacNotes notes;
} TacCa;

enum { TAC_CA_MASSES, TAC_CA_LAWS, TAC_CA_GROUPS, TAC_CA_CONDITIONS };

// --- messages: false ----------------------------------------------------------------------------------------

bool tac_ca_complain(TacCa *ca, TacPlace place, const char *format, ...) TAC_PRINTF(3, 4);
bool tac_ca_note(TacCa *ca, TacPlace place, const TacError *error); // an error that may lack its place
bool tac_ca_no_memory(TacCa *ca);
void tac_ca_remark(TacCa *ca, TacPlace place, const char *format, ...) TAC_PRINTF(3, 4);

// --- parts of statements: false after a complaint ---------------------------------------------------------

// A number that the statement must have; `what` names it in messages.
bool tac_ca_want_number(TacCa *ca, const char *what, double least, double most, double *value);
bool tac_ca_want_count(TacCa *ca, const char *what, size_t most, size_t *value);
bool tac_ca_want_tuple(TacCa *ca, const char *what, const char brackets[2], double *values, size_t count);
// A new name, or one that is known, in one of the name spaces.
bool tac_ca_want_new_name(TacCa *ca, uint32_t space, const char **name);
bool tac_ca_want_known(TacCa *ca, uint32_t space, uint32_t *index);
bool tac_ca_want_balls(TacCa *ca, TacCaWho *who);
// Whether an option word stands next on this line; it is taken then.
bool tac_ca_option(TacCa *ca, const char *word);

bool tac_ca_expected(TacCa *ca, const char *what); // complains of what stands at the cursor

// Statements of conditional links.
bool tac_ca_read_state(TacCa *ca);
bool tac_ca_read_rule(TacCa *ca);
bool tac_ca_read_conditional(TacCa *ca);

// --- keywords ---------------------------------------------------------------------------------------------

typedef struct TacCaKeyword {
    const char *word;
    bool (*read)(TacCa *ca);
    const char *usage; // for messages and the page
} TacCaKeyword;

extern const TacCaKeyword tac_ca_keywords[];
extern const size_t tac_ca_keyword_count;

// --- entry ------------------------------------------------------------------------------------------------

bool tac_ca_is_path(const char *path);

// Reads a model into a node: the root of an empty scene, whose world it then sets, or the node of an include.
TacStatus tac_ca_read(TacScene *scene, const char *path, TacNodeId node, TacError *error);
TacStatus tac_ca_parse(TacScene *scene, const char *path, const char *text, size_t bytes, TacNodeId node,
                       TacError *error);

// From the picture to components; `notes.worst` says how it went.
void tac_ca_build(TacCa *ca, TacNodeId node);

#endif
