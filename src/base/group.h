// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Items listed by the group that they belong to, in linear time: a counting sort. What lets threads add up the parts
// of a sum in a fixed order: the slots of a point, the points of a frame.

#ifndef TACTUS_BASE_GROUP_H
#define TACTUS_BASE_GROUP_H

#include <stddef.h>
#include <stdint.h>

// items[start[g]] .. items[start[g + 1] - 1] become the items of group g, ascending; item i, of `count`, belongs to
// group_of[i]. `start` has one number more than there are groups, all zero before.
static inline void tac_group_items(const uint32_t *group_of, size_t count, size_t groups, uint32_t *start,
                                   uint32_t *items) {
    for (size_t i = 0; i < count; i++) start[group_of[i]]++;
    for (size_t g = 1; g <= groups; g++) start[g] += start[g - 1];
    // start[g] is the end of group g, and moves back to its begin as items are filed
    for (size_t i = count; i-- > 0;) items[--start[group_of[i]]] = (uint32_t)i;
}

#endif
