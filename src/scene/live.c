// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Changing an attribute while time runs. Only those that their class marks as live, which are plain numbers
// and choices that operations read afresh at every call.

#include "scene/tree.h"
#include "world/account.h"
#include "world/rest.h"

#include <stdio.h>

static TacStatus fail_not_live(const TacClass *cls, const char *attribute, TacError *error) {
    char list[512] = "";
    for (size_t i = 0; i < cls->attribute_count; i++) {
        if (!(cls->attributes[i].flags & TAC_LIVE)) continue;
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", cls->attributes[i].name);
    }
    return tac_fail(error, TAC_BAD_USAGE, "%s of %s cannot change while time runs; %s%s", attribute,
                    cls->name, *list ? "these can: " : "none of its attributes can", list);
}

TacStatus tac_world_set(TacWorld *world, TacComponentId id, const char *attribute, const char *text,
                        TacError *error) {
    TacComponent *c = tac_world_get(world, id);
    if (!c) return tac_fail(error, TAC_BAD_USAGE, "not a component of this world");
    uint32_t i;
    TAC_TRY(tac_class_find_attribute(c->cls, attribute, (TacPlace){0}, &i, error));
    const TacAttribute *a = &c->cls->attributes[i];
    if (!(a->flags & TAC_LIVE)) return fail_not_live(c->cls, attribute, error);
    TacArena arena = {0}; // live attributes keep no pointers
    TacValue value;
    TacStatus status = tac_value_parse(&arena, a, text, (TacPlace){0}, "", &value, error);
    if (status == TAC_OK && value.link)
        status =
            tac_fail(error, TAC_BAD_USAGE, "links are followed when a world is made, not while time runs");
    if (status == TAC_OK) status = tac_world_before_change(world, error);
    if (status == TAC_OK) {
        TacJump before = tac_account_before_jump(world);
        tac_value_store(a, &value, c);
        tac_account_after_jump(world, TAC_BOOK_OUTSIDE, &before);
        world->shown = -1;
        status = tac_world_rouse_by(world, c, error);
    }
    tac_arena_destroy(&arena);
    return status;
}
