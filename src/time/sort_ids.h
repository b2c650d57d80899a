// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sorting of ids, so that everything a scheduler hands out comes in one order whatever happened before.
//
// Short lists by insertion, long ones by bytes (least significant first, bytes that all ids share are
// skipped): linear time, no allocation, no comparison callback.

#ifndef TACTUS_TIME_SORT_IDS_H
#define TACTUS_TIME_SORT_IDS_H

#include <stddef.h>
#include <stdint.h>

// Sorts ids[0..count) ascending. `scratch` holds `count` more; its contents are lost.
void tac_sort_ids(uint32_t *ids, uint32_t *scratch, size_t count);

#endif
