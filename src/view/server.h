// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The server: the page over HTTP, one WebSocket per client, on libwebsockets. One thread, one loop; a client
// is written to only when its socket has room, so a slow one costs nothing but its own place.

#ifndef TACTUS_VIEW_SERVER_H
#define TACTUS_VIEW_SERVER_H

#include "view/exchange.h"

typedef struct TacServer TacServer;

enum { TAC_SERVER_CLIENTS = 8 };

// Listens. `port` 0: any. `token` must stay.
TacStatus tac_server_create(TacServer **server, const char *address, int port, const char *token,
                            TacExchange *exchange, TacError *error);
void tac_server_destroy(TacServer *server);
int tac_server_port(const TacServer *server);

// Waits for something to do, at most some 50 ms, and does it.
void tac_server_serve(TacServer *server);
void tac_server_wake(TacServer *server); // from any thread

#endif
