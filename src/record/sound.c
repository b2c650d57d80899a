// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Writing sounds: libsndfile, on a file that is written beside its place and renamed.

#define _GNU_SOURCE
#include "base/memory.h"
#include "base/text.h"
#include "tactus/record.h"

#include <sndfile.h>
#include <strings.h>

static bool ends_in(const char *path, const char *extension) {
    size_t n = strlen(path), e = strlen(extension);
    return n > e && !strcasecmp(path + n - e, extension);
}

static TacStatus put(const TacSound *sound, int format, TacFileWriter *writer, TacError *error) {
    SF_INFO info = {
        .samplerate = sound->rate, .channels = sound->channels, .format = format | SF_FORMAT_PCM_24};
    SNDFILE *file = sf_open_fd(fileno(writer->stream), SFM_WRITE, &info, SF_FALSE);
    if (!file) return tac_fail(error, TAC_FAILED, "%s: %s", writer->path, sf_strerror(NULL));
    sf_command(file, SFC_SET_CLIPPING, NULL, SF_TRUE);
    sf_count_t written = sf_writef_float(file, sound->samples, (sf_count_t)sound->frames);
    bool whole = written == (sf_count_t)sound->frames && sf_error(file) == SF_ERR_NO_ERROR;
    whole = sf_close(file) == 0 && whole;
    return whole ? TAC_OK : tac_fail(error, TAC_FAILED, "%s: the sound could not be written", writer->path);
}

TacStatus tac_sound_write(const TacSound *sound, const char *path, TacError *error) {
    int format = ends_in(path, ".wav") ? SF_FORMAT_WAV : ends_in(path, ".flac") ? SF_FORMAT_FLAC : 0;
    if (!format) return tac_fail(error, TAC_BAD_USAGE, "%s: a sound is a .wav or .flac file", path);
    if (sound->rate < 1000 || sound->rate > 384000 || sound->channels < 1 || sound->channels > 2)
        return tac_fail(error, TAC_BAD_USAGE, "no sound has %d channels at %d Hz", sound->channels,
                        sound->rate);
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, path, error));
    TacStatus status = put(sound, format, &writer, error);
    TacError closing;
    TacStatus closed = tac_file_writer_finish(&writer, status == TAC_OK, &closing);
    if (status == TAC_OK && closed != TAC_OK && error) *error = closing;
    return status == TAC_OK ? closed : status;
}
