// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Channels as a table (RFC 4180): one row per frame, the time first; names with their units in the first row.
// Numbers have 17 digits, so that reading them gives the same bits; NaN and infinities are written nan, inf,
// -inf.

#include "record/export.h"

// Quoted where a comma, a quote or a blank at an end would be misread.
static void print_title(FILE *stream, const char *name, const char *unit) {
    bool quoted = strpbrk(name, ",\"") || strpbrk(unit, ",\"") || name[0] == ' ';
    if (quoted) fputc('"', stream);
    const char *parts[] = {name, " [", unit, "]"};
    for (size_t i = 0; i < TAC_COUNT(parts); i++)
        for (const char *c = parts[i]; *c; c++) {
            if (*c == '"') fputc('"', stream);
            fputc(*c, stream);
        }
    if (quoted) fputc('"', stream);
}

static TacStatus print_rows(TacExport *e, FILE *stream, TacError *error) {
    print_title(stream, "time", "s");
    for (size_t i = 0; i < e->def->channel_count; i++) {
        fputc(',', stream);
        print_title(stream, e->def->channels[i].name, e->def->channels[i].unit);
    }
    fputs("\r\n", stream);
    for (size_t f = 0; f < e->frame_count; f++) {
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(e->recording, f, &frame, error));
        tac_print_real(stream, frame->time, 17);
        for (size_t i = 0; i < e->def->channel_count; i++) {
            double value = frame->channels[i];
            fputc(',', stream);
            // a NaN may have a sign, which says nothing and is not read everywhere
            tac_print_real(stream, isnan(value) ? (double)NAN : value, 17);
        }
        fputs("\r\n", stream);
        TAC_TRY(tac_export_progress(e, (double)(f + 1) / (double)e->frame_count, error));
    }
    return TAC_OK;
}

TacStatus tac_export_csv(TacExport *e, TacError *error) {
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, e->path, error));
    TacStatus status = print_rows(e, writer.stream, error);
    TacStatus finish = tac_file_writer_finish(&writer, status == TAC_OK, status == TAC_OK ? error : NULL);
    return status != TAC_OK ? status : finish;
}
