// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What there is to see, in words: the JSON that pages are told. docs/view.md has every field.

#ifndef TACTUS_VIEW_DESCRIBE_H
#define TACTUS_VIEW_DESCRIBE_H

#include "view/stage.h"

// The hello and the meshes of a stage, for every client that comes. NULL without memory.
TacParcel *tac_describe_prologue(TacStage *stage, const TacViewDef *def, size_t gallery_index);

// The tree of nodes, components and attributes as they are now.
void tac_describe_tree(const TacStage *stage, TacJson *json);

#endif
