// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the world tells safe contact about who else kicks its supports; see safe.h.

#include "contact/safe_parts.h"

void tac_safe_set_regular(TacSafe *safe, uint32_t support, int regular) {
    safe->supports[support].regular = (int8_t)regular;
}
