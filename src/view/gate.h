// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Who may come in. A page of another site that is open in the same browser can send requests to the loopback
// address, so four things are asked of each:
//
//   1. Host names us: the loopback address or the one that was asked for, with our port. (A foreign name that
//      was made to point here is refused: DNS rebinding.)
//   2. Origin, where there is one, is the page that Host says. A socket must have one.
//   3. The token: 128 bits from the system, compared in a time that does not depend on where it differs.
//   4. Nothing is ever answered with permission for other origins.

#ifndef TACTUS_VIEW_GATE_H
#define TACTUS_VIEW_GATE_H

#include "tactus/base.h"

enum { TAC_TOKEN_TEXT = 33 }; // 32 hexadecimal digits and the 0

TacStatus tac_gate_token(char token[TAC_TOKEN_TEXT], TacError *error);
bool tac_gate_same_token(const char *token, const char *given);

bool tac_gate_is_loopback(const char *address); // "127.0.0.1", "localhost", "::1", "[::1]", 127/8
// `address` is what we listen on.
bool tac_gate_host(const char *host, const char *address, int port);
// `host` passed tac_gate_host.
bool tac_gate_origin(const char *origin, const char *host);

#endif
