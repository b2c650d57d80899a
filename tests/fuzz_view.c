// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fuzzes what pages say: any bytes are read or refused with a reason; what is read is within the struct's
// limits, is read the same again, and does a simulation no harm.

#include "view/message.h"
#include "view/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition) {
    if (!condition) abort();
}

static bool ends(const char *text, size_t size) {
    return memchr(text, 0, size) != NULL;
}

static void check(const TacMessage *m) {
    require(m->kind < TAC_MESSAGE_KINDS);
    require(ends(m->path, sizeof m->path) && ends(m->attribute, sizeof m->attribute));
    require(ends(m->value, sizeof m->value) && ends(m->what, sizeof m->what));
    const double numbers[] = {m->time,     m->speed,    m->radius,   m->strength,   m->target.x,
                              m->target.y, m->target.z, m->center.x, m->velocity.x, m->eye.x};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) require(isfinite(numbers[i]));
}

// Lines of the input, one message each.
static void perform(const char *data, size_t size) {
    TacViewDef def = tac_view_def_default();
    TacExchange exchange;
    TacSimulation simulation;
    TacError error;
    def.path = "tests/corpus/scene/springs.tac";
    def.snapshot_memory = 1 << 20;
    def.paused = true;
    def.folder = "/nonexistent";
    if (tac_exchange_init(&exchange, &error) != TAC_OK) return;
    if (tac_simulation_open(&simulation, &def, &exchange, &error) == TAC_OK) {
        for (size_t begin = 0, count = 0; begin < size && count < 20; count++) {
            const char *end = memchr(data + begin, '\n', size - begin);
            size_t length = end ? (size_t)(end - data) - begin : size - begin;
            TacMessage m;
            if (tac_message_read(&m, data + begin, length, &error) == TAC_OK) {
                if (m.kind == TAC_MESSAGE_STEP) m.n %= 5;
                tac_simulation_do(&simulation, &m);
            }
            begin += length + 1;
        }
        tac_simulation_close(&simulation);
    }
    tac_parcels_free(tac_exchange_take_parcels(&exchange));
    tac_exchange_destroy(&exchange);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    TacMessage first, second;
    TacError error = {0};
    TacStatus status = tac_message_read(&first, (const char *)data, size, &error);
    require(status == TAC_OK || (status == TAC_BAD_INPUT && error.message[0]));
    require(tac_message_read(&second, (const char *)data, size, NULL) == status);
    if (status == TAC_OK) {
        require(!memcmp(&first, &second, sizeof first));
        check(&first);
    }
    perform((const char *)data, size);
    return 0;
}
