// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Everything. docs/embedding.md has a whole program in 40 lines.

#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#include "tactus/base.h"
#include "tactus/ccd.h"
#include "tactus/component.h"
#include "tactus/contact.h"
#include "tactus/convex.h"
#include "tactus/geometry.h"
#include "tactus/math.h"
#include "tactus/record.h"
#include "tactus/scene.h"
#include "tactus/sofa.h"
#include "tactus/view.h"
#include "tactus/world.h"

#endif
