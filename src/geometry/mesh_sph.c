// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Lists of balls: SOFA's .sph files ("sph 1.0", then "sphe number x y z radius", "nums count", comments with
// #) and plain lines "x y z radius". The points of the mesh are the centres.

#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_file.h"

typedef struct Sph {
    TacMeshBuilder builder;
    const char *start; // of the line
    TacError *error;
} Sph;

static TacStatus fail(const Sph *sph, const char *at, const char *expected) {
    return tac_fail_at(sph->error, TAC_BAD_INPUT, sph->builder.name, sph->builder.line,
                       tac_line_column(sph->start, at), "%s was expected", expected);
}

// `skip` numbers, then x y z radius, then nothing but a comment.
static TacStatus read_ball(Sph *sph, const char *cursor, const char *stop, int skip, const char *expected) {
    double values[5];
    for (int i = 0; i < skip + 4; i++)
        if (!tac_read_real(&cursor, stop, &values[i])) return fail(sph, cursor, expected);
    const char *word;
    if (tac_line_word(&cursor, stop, &word) && *word != '#') return fail(sph, word, "the end of the line");
    const double *ball = values + skip;
    TAC_TRY(tac_mesh_builder_point(&sph->builder, ball[0], ball[1], ball[2], sph->error));
    return tac_mesh_builder_radius(&sph->builder, ball[3], sph->error);
}

static TacStatus read_line(Sph *sph, const char *stop) {
    const char *cursor = sph->start, *word;
    size_t length = tac_line_word(&cursor, stop, &word);
    if (length == 0 || *word == '#') return TAC_OK;
    if (tac_word_is(word, length, "sphe")) return read_ball(sph, cursor, stop, 1, "sphe number x y z radius");
    if (tac_word_is(word, length, "sph") || tac_word_is(word, length, "nums")) return TAC_OK;
    double number;
    const char *start = word;
    if (tac_read_real(&word, stop, &number)) return read_ball(sph, start, stop, 0, "x y z radius");
    return fail(sph, start, "'sph', 'nums', 'sphe' or x y z radius");
}

TacStatus tac_mesh_parse_sph(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    Sph sph = {.builder = {.name = input->name}, .error = error};
    TacLines lines = tac_lines(input);
    const char *stop;
    TacStatus status = TAC_OK;
    while (status == TAC_OK && tac_lines_next(&lines, &sph.start, &stop)) {
        sph.builder.line = lines.line;
        status = read_line(&sph, stop);
    }
    if (status == TAC_OK) return tac_mesh_builder_finish(&sph.builder, mesh, error);
    tac_mesh_builder_destroy(&sph.builder);
    return status;
}
