// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "view/gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

TacStatus tac_gate_token(char token[TAC_TOKEN_TEXT], TacError *error) {
    unsigned char bytes[16];
    for (size_t n = 0; n < sizeof bytes;) {
        ssize_t got = getrandom(bytes + n, sizeof bytes - n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return tac_fail(error, TAC_FAILED, "the system gives no random numbers: %s", strerror(errno));
        n += (size_t)got;
    }
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return TAC_OK;
}

bool tac_gate_same_token(const char *token, const char *given) {
    size_t length = strlen(token);
    if (strlen(given) != length) return false;
    unsigned differs = 0;
    for (size_t i = 0; i < length; i++) differs |= (unsigned)(unsigned char)(token[i] ^ given[i]);
    return differs == 0;
}

bool tac_gate_is_loopback(const char *address) {
    unsigned a, b, c, d;
    char rest;
    bool v4 = sscanf(address, "%3u.%3u.%3u.%3u%c", &a, &b, &c, &d, &rest) == 4 && a == 127;
    return v4 || !strcasecmp(address, "localhost") || !strcmp(address, "::1") || !strcmp(address, "[::1]");
}

// The name in front of ":port", which must be ours. False when it is another, or when there is no room.
static bool split(const char *host, int port, char *name, size_t size) {
    char expected[16];
    const char *colon = strrchr(host, ':');
    if (!colon || (host[0] == '[' && colon[-1] != ']')) colon = host + strlen(host);
    snprintf(expected, sizeof expected, ":%d", port);
    bool is_usual = !*colon && port == 80;
    if (!is_usual && strcmp(colon, expected)) return false;
    size_t length = (size_t)(colon - host);
    if (length == 0 || length >= size) return false;
    memcpy(name, host, length);
    name[length] = 0;
    return true;
}

bool tac_gate_host(const char *host, const char *address, int port) {
    char name[256], bracketed[256];
    if (!split(host, port, name, sizeof name)) return false;
    static const char *const loopback[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof loopback / sizeof *loopback; i++)
        if (!strcasecmp(name, loopback[i])) return true;
    snprintf(bracketed, sizeof bracketed, strchr(address, ':') ? "[%s]" : "%s", address);
    return !strcasecmp(name, bracketed);
}

bool tac_gate_origin(const char *origin, const char *host) {
    return !strncasecmp(origin, "http://", 7) && !strcasecmp(origin + 7, host);
}
