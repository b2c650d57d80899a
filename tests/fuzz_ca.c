// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fuzzes CORDIS-ANIMA models, from their text to a running world: scanner, statements, builder, every component's
// setting up, a few beats, looking, saving and restoring.

#include "scene_trial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    TacScene *scene;
    TacError error = {0};
    if (tac_scene_create(&scene, &error) != TAC_OK) abort();
    TacStatus status = tac_scene_parse(scene, "fuzz.ca", (const char *)data, size, &error);
    if (status == TAC_OK) try_scene(scene, true, &error);
    if (status == TAC_BAD_INPUT && (!error.line || !error.message[0])) abort();
    tac_scene_destroy(scene);
    return 0;
}
