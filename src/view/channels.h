// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The channels that pages get of a running world: those that a recording would have, and more that are for looking only.

#ifndef TACTUS_VIEW_CHANNELS_H
#define TACTUS_VIEW_CHANNELS_H

#include "tactus/world.h"

typedef struct TacChannels TacChannels;

// At most `most` (above 100) of them. The world must live as long.
TacStatus tac_channels_create(TacChannels **channels, TacWorld *world, size_t most, TacError *error);
void tac_channels_destroy(TacChannels *channels); // NULL is allowed

const TacChannelDef *tac_channels_defs(const TacChannels *channels, size_t *count);

// All values now, given the frame of now; valid until the next call.
const double *tac_channels_read(TacChannels *channels, const TacFrame *frame);

#endif
