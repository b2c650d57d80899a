// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See server.h; gate.h says who may come in, exchange.h what passes to and from the world.

#define _GNU_SOURCE
#include "view/server.h"
#include "base/memory.h"
#include "base/wall_clock.h"
#include "view/gate.h"
#include "view/page.h"

#include <libwebsockets.h>
#include <stdio.h>

enum {
    MOST_CONNECTIONS = 64,
    HEADER_BYTES = 8192,   // of a request, all headers together
    MOST_WAITING = 512,    // parcels of one client; who has more is dropped
    MOST_BYTES = 64 << 20, // of them all, besides the prologue
    MANY_WAITING = 8,      // above this, droppable ones are
    IN_FLIGHT = 2,         // frames that a client has not acknowledged
    CHUNK = 32 * 1024,     // of a file
};

typedef struct Client {
    struct Client *next;
    struct lws *wsi;
    uint32_t id, generation, sent;
    int in_flight;
    uint32_t flying[IN_FLIGHT]; // numbers of the frames on their way, oldest first
    TacParcel *first, *last;
    size_t waiting, waiting_bytes;
    size_t prologue, prologue_bytes; // that it was given last: it is not held against it
    char *message;                   // that is coming in
    size_t bytes;
    bool too_long;
    double complained; // s, when it was last told of a message that makes no sense
} Client;

// What libwebsockets keeps for a connection, of either kind.
typedef struct Connection {
    Client *client;            // a socket
    const unsigned char *body; // a file on its way
    size_t left;
} Connection;

struct TacServer {
    struct lws_context *context;
    char address[256];
    int port;
    const char *token;
    TacExchange *exchange;
    Client *clients;
    size_t client_count;
    uint32_t next_id;
};

// --- the gate ---------------------------------------------------------------------------------------------

static bool header(struct lws *wsi, enum lws_token_indexes which, char *text, int size) {
    *text = 0;
    if (lws_hdr_total_length(wsi, which) <= 0) return false;
    if (lws_hdr_copy(wsi, text, size, which) < 0) *text = 0;
    return true;
}

// Whether Host and Origin are ours.
static bool comes_from_us(const TacServer *s, struct lws *wsi, bool needs_origin) {
    char host[300], origin[320];
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !tac_gate_host(host, s->address, s->port))
        return false;
    if (!header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)) return !needs_origin;
    return tac_gate_origin(origin, host);
}

static bool has_token(const TacServer *s, struct lws *wsi) {
    char argument[128];
    for (int i = 0; i < 8; i++) {
        if (lws_hdr_copy_fragment(wsi, argument, sizeof argument, WSI_TOKEN_HTTP_URI_ARGS, i) < 0)
            return false;
        if (!strncmp(argument, "token=", 6)) return tac_gate_same_token(s->token, argument + 6);
    }
    return false;
}

// --- HTTP -------------------------------------------------------------------------------------------------

typedef struct Answer {
    unsigned status;
    const char *type;
    const unsigned char *body;
    size_t bytes;
} Answer;

static const char refusal[] = "This page needs the whole address that tactus view printed, with its token.\n";
static const char not_here[] = "There is no such page.\n";
static const char not_this_way[] = "Pages can only be read.\n";

// One clear pixel: browsers ask for an icon, and complain where there is none.
static const unsigned char icon[] = {'G', 'I', 'F',  '8',  '9',  'a', 1,    0, 1, 0, 0x80, 0,    0, 0,
                                     0,   0,   0xFF, 0xFF, 0xFF, 33,  0xF9, 4, 1, 0, 0,    0,    0, ',',
                                     0,   0,   0,    0,    1,    0,   1,    0, 0, 2, 1,    0x44, 0, ';'};
static const size_t icon_bytes = sizeof icon;

static Answer text_answer(unsigned status, const char *text) {
    return (Answer){status, "text/plain; charset=utf-8", (const unsigned char *)text, strlen(text)};
}

static bool add(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                unsigned char *end) {
    return !lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                        (int)strlen(value), at, end);
}

// Nothing from elsewhere, nothing kept, nothing told to others.
static bool add_headers(const TacServer *s, struct lws *wsi, const Answer *answer, unsigned char **at,
                        unsigned char *end) {
    char policy[700], host[300];
    header(wsi, WSI_TOKEN_HOST, host, sizeof host);
    bool named = tac_gate_host(host, s->address, s->port); // what we repeat, we have looked at
    snprintf(policy, sizeof policy,
             "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'%s%s; "
             "img-src 'self' data: blob:; media-src 'self' blob:; worker-src 'self' blob:; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             named ? " ws://" : "", named ? host : "");
    return add(wsi, "content-type:", answer->type, at, end) &&
           add(wsi, "content-security-policy:", policy, at, end) &&
           add(wsi, "x-content-type-options:", "nosniff", at, end) &&
           add(wsi, "x-frame-options:", "DENY", at, end) &&
           add(wsi, "referrer-policy:", "no-referrer", at, end) &&
           add(wsi, "cross-origin-resource-policy:", "same-origin", at, end) &&
           add(wsi, "cross-origin-opener-policy:", "same-origin", at, end) &&
           add(wsi, "cache-control:", "no-store", at, end);
}

static int answer_with(const TacServer *s, struct lws *wsi, Connection *connection, Answer answer) {
    unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start,
                                          *end = buffer + sizeof buffer;
    if (lws_add_http_header_status(wsi, answer.status, &at, end) || !add_headers(s, wsi, &answer, &at, end) ||
        lws_add_http_header_content_length(wsi, (lws_filepos_t)answer.bytes, &at, end) ||
        lws_finalize_write_http_header(wsi, start, &at, end))
        return -1;
    connection->body = answer.body;
    connection->left = answer.bytes;
    lws_callback_on_writable(wsi);
    return 0;
}

static int on_request(const TacServer *s, struct lws *wsi, Connection *connection, const char *path) {
    static const struct {
        const char *path, *type;
        const unsigned char *body;
        const size_t *bytes;
        bool secret;
    } files[] = {
        {"/", "text/html; charset=utf-8", tac_page_index_html, &tac_page_index_html_bytes, true},
        {"/app.js", "text/javascript; charset=utf-8", tac_page_app_js, &tac_page_app_js_bytes, false},
        {"/app.css", "text/css; charset=utf-8", tac_page_app_css, &tac_page_app_css_bytes, false},
        {"/favicon.ico", "image/gif", icon, &icon_bytes, false},
    };
    if (!comes_from_us(s, wsi, false)) return answer_with(s, wsi, connection, text_answer(403, refusal));
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return answer_with(s, wsi, connection, text_answer(405, not_this_way));
    for (size_t i = 0; i < TAC_COUNT(files); i++) {
        if (strcmp(path, files[i].path)) continue;
        if (files[i].secret && !has_token(s, wsi))
            return answer_with(s, wsi, connection, text_answer(403, refusal));
        return answer_with(s, wsi, connection, (Answer){200, files[i].type, files[i].body, *files[i].bytes});
    }
    return answer_with(s, wsi, connection, text_answer(404, not_here));
}

static int send_file(struct lws *wsi, Connection *c) {
    if (!c->body) return 0;
    unsigned char buffer[LWS_PRE + CHUNK];
    size_t n = c->left < CHUNK ? c->left : CHUNK;
    bool last = n == c->left;
    memcpy(buffer + LWS_PRE, c->body, n);
    if (lws_write(wsi, buffer + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n) return -1;
    c->body += n;
    c->left -= n;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    c->body = NULL;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// --- clients ----------------------------------------------------------------------------------------------

static void give(Client *c, TacParcel *p) {
    p->next = NULL;
    *(c->last ? &c->last->next : &c->first) = p;
    c->last = p;
    c->waiting++;
    c->waiting_bytes += p->bytes;
}

// Meshes begin with four bytes, overlays with two that say which one they are; a newer one takes the place of one that
// still waits, so that who is slow gets the latest of each and no backlog.
static bool take_place(Client *c, TacParcel *p) {
    if (!p->binary || p->bytes < 4) return false;
    size_t same = p->memory[TAC_SEND_ROOM] == 3 ? 2 : 4;
    for (TacParcel **at = &c->first; *at; at = &(*at)->next) {
        TacParcel *old = *at;
        if (!old->binary || old->bytes < 4 ||
            memcmp(old->memory + TAC_SEND_ROOM, p->memory + TAC_SEND_ROOM, same))
            continue;
        c->waiting_bytes += p->bytes - old->bytes;
        p->next = old->next;
        *at = p;
        if (c->last == old) c->last = p;
        free(old);
        return true;
    }
    return false;
}

static void refresh(TacServer *s, Client *c) {
    TacParcel *list = tac_exchange_prologue(s->exchange, &c->generation);
    if (list) c->prologue = c->prologue_bytes = 0;
    while (list) {
        TacParcel *next = list->next;
        c->prologue_bytes += list->bytes;
        c->prologue++;
        give(c, list);
        list = next;
    }
}

static void say_what_is_wanted(const TacServer *s) {
    bool wanted = false;
    for (const Client *c = s->clients; c; c = c->next) wanted = wanted || c->in_flight < IN_FLIGHT;
    tac_exchange_want(s->exchange, wanted, s->client_count);
}

static int on_client(TacServer *s, struct lws *wsi, Connection *connection) {
    if (s->client_count >= TAC_SERVER_CLIENTS) {
        static const char full[] = "there are too many pages open";
        lws_close_reason(wsi, LWS_CLOSE_STATUS_GOINGAWAY, (unsigned char *)full, sizeof full - 1);
        return -1;
    }
    Client *c = calloc(1, sizeof *c);
    if (!c) return -1;
    if (++s->next_id == 0) s->next_id = 1;
    c->id = s->next_id;
    c->wsi = wsi;
    c->next = s->clients;
    s->clients = c;
    s->client_count++;
    connection->client = c;
    refresh(s, c);
    say_what_is_wanted(s);
    lws_callback_on_writable(wsi);
    return 0;
}

static void forget_client(TacServer *s, Connection *connection) {
    Client *c = connection->client;
    if (!c) return;
    for (Client **at = &s->clients; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    s->client_count--;
    connection->client = NULL;
    TacMessage gone = {.kind = TAC_MESSAGE_LEAVE, .client = c->id};
    tac_exchange_say(s->exchange, &gone);
    tac_parcels_free(c->first);
    free(c->message);
    free(c);
    say_what_is_wanted(s);
}

// --- what clients say -------------------------------------------------------------------------------------

// At most once a second.
static void complain(Client *c, const char *text) {
    double now = tac_wall_seconds();
    if (c->complained > 0 && now - c->complained < 1) return;
    c->complained = now;
    TacJson json = {0};
    tac_json_open(&json, NULL, '{');
    tac_json_text(&json, "type", "error");
    tac_json_text(&json, "message", text);
    tac_json_bool(&json, "fatal", false);
    tac_json_close(&json, '}');
    TacParcel *p = json.failed ? NULL : tac_parcel(c->id, false, json.text, json.bytes);
    tac_json_free(&json);
    if (p) give(c, p);
    lws_callback_on_writable(c->wsi);
}

static void acknowledge(const TacServer *s, Client *c, int64_t frame) {
    // a later one stands for those before it
    for (int i = 0; i < c->in_flight; i++) {
        if (c->flying[i] != (uint32_t)frame) continue;
        c->in_flight -= i + 1;
        memmove(c->flying, c->flying + i + 1, (size_t)c->in_flight * sizeof *c->flying);
        tac_exchange_see(s->exchange);
        break;
    }
    say_what_is_wanted(s);
    lws_callback_on_writable(c->wsi);
}

static void on_message(const TacServer *s, Client *c, bool binary) {
    TacMessage message;
    TacError error;
    if (binary) {
        complain(c, "messages must be text");
    } else if (tac_message_read(&message, c->message ? c->message : "", c->bytes, &error) != TAC_OK) {
        complain(c, error.message);
    } else if (message.kind == TAC_MESSAGE_ACK) {
        acknowledge(s, c, message.frame);
    } else {
        message.client = c->id;
        if (!tac_exchange_say(s->exchange, &message)) complain(c, "too much is asked at once");
    }
}

static int on_data(const TacServer *s, Client *c, const char *data, size_t bytes) {
    if (lws_is_first_fragment(c->wsi)) c->bytes = 0;
    if (c->bytes + bytes + lws_remaining_packet_payload(c->wsi) > TAC_MESSAGE_BYTES) {
        static const char why[] = "the message is too long";
        lws_close_reason(c->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, (unsigned char *)why, sizeof why - 1);
        return -1;
    }
    if (!c->message) c->message = malloc(TAC_MESSAGE_BYTES);
    if (!c->message) return -1;
    if (bytes) memcpy(c->message + c->bytes, data, bytes);
    c->bytes += bytes;
    if (!lws_is_final_fragment(c->wsi)) return 0;
    on_message(s, c, lws_frame_is_binary(c->wsi));
    c->bytes = 0;
    return 0;
}

// --- what clients hear ------------------------------------------------------------------------------------

static int send_parcel(Client *c) {
    TacParcel *p = c->first;
    c->first = p->next;
    if (!c->first) c->last = NULL;
    c->waiting--;
    c->waiting_bytes -= p->bytes;
    int written =
        lws_write(c->wsi, p->memory + TAC_SEND_ROOM, p->bytes, p->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    bool whole = written >= (int)p->bytes;
    free(p);
    return whole ? 0 : -1;
}

// The latest frame, if this client has not had it and has room.
static int send_frame(TacServer *s, Client *c) {
    if (c->in_flight >= IN_FLIGHT) return 0;
    const TacFrameBuffer *frame = tac_exchange_latest(s->exchange);
    if (!frame || frame->number == c->sent || frame->generation != c->generation) return 0;
    double begin = tac_wall_seconds();
    int written = lws_write(c->wsi, tac_bytes_data(&frame->bytes), frame->bytes.bytes, LWS_WRITE_BINARY);
    if (written < (int)frame->bytes.bytes) return -1;
    tac_exchange_sent(s->exchange, tac_wall_seconds() - begin);
    c->sent = frame->number;
    c->flying[c->in_flight++] = frame->number;
    say_what_is_wanted(s);
    return 0;
}

static int on_room(TacServer *s, Client *c) {
    _Static_assert(TAC_SEND_ROOM >= LWS_PRE, "what is sent has room in front for what wraps it");
    int result = c->first ? send_parcel(c) : send_frame(s, c);
    if (result == 0 && (c->first || c->in_flight < IN_FLIGHT)) {
        const TacFrameBuffer *frame = c->first ? NULL : tac_exchange_latest(s->exchange);
        if (c->first || (frame && frame->number != c->sent && frame->generation == c->generation))
            lws_callback_on_writable(c->wsi);
    }
    return result;
}

// Hands out what the world has for its clients.
static void distribute(TacServer *s) {
    TacParcel *next;
    for (Client *c = s->clients; c; c = c->next) refresh(s, c);
    for (TacParcel *p = tac_exchange_take_parcels(s->exchange); p; p = next) {
        next = p->next;
        for (Client *c = s->clients; c; c = c->next) {
            if (p->client && p->client != c->id) continue;
            if (p->droppable && c->waiting > MANY_WAITING) continue;
            TacParcel *copy = tac_parcel(p->client, p->binary, p->memory + TAC_SEND_ROOM, p->bytes);
            if (copy && !take_place(c, copy)) give(c, copy);
        }
        free(p);
    }
    for (Client *c = s->clients; c; c = c->next) {
        if (c->waiting > MOST_WAITING + c->prologue || c->waiting_bytes > MOST_BYTES + c->prologue_bytes)
            lws_set_timeout(c->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
        else
            lws_callback_on_writable(c->wsi);
    }
}

// --- libwebsockets ----------------------------------------------------------------------------------------

static int on_upgrade(const TacServer *s, struct lws *wsi) {
    char path[32];
    bool right = header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) && !strcmp(path, "/live");
    if (right && comes_from_us(s, wsi, true) && has_token(s, wsi)) return 0;
    lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, NULL);
    return -1;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t bytes) {
    struct lws_context *context = wsi ? lws_get_context(wsi) : NULL;
    TacServer *s = context ? lws_context_user(context) : NULL;
    Connection *connection = user;
    if (!s) return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return on_request(s, wsi, connection, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return send_file(wsi, connection);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return on_upgrade(s, wsi);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return on_upgrade(s, wsi);
    case LWS_CALLBACK_ESTABLISHED: return on_client(s, wsi, connection);
    case LWS_CALLBACK_RECEIVE: return connection->client ? on_data(s, connection->client, in, bytes) : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE: return connection->client ? on_room(s, connection->client) : 0;
    case LWS_CALLBACK_CLOSED: forget_client(s, connection); return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: distribute(s); return 0;
    case LWS_CALLBACK_HTTP_BODY: return -1; // nobody has anything to send us that way
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "tactus",
     .callback = on_event,
     .per_session_data_size = sizeof(Connection),
     .rx_buffer_size = 16384},
    {0},
};

TacStatus tac_server_create(TacServer **result, const char *address, int port, const char *token,
                            TacExchange *exchange, TacError *error) {
    *result = NULL;
    TacServer *s = calloc(1, sizeof *s);
    if (!s) return tac_fail_memory(error, sizeof *s);
    s->token = token;
    s->exchange = exchange;
    snprintf(s->address, sizeof s->address, "%s", address);
    lws_set_log_level(0, NULL); // it would print
    struct lws_context_creation_info info = {
        .port = port,
        .iface = s->address,
        .protocols = protocols,
        .user = s,
        .options = LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   (strchr(address, ':') ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
        .max_http_header_data = HEADER_BYTES,
        .max_http_header_pool = MOST_CONNECTIONS,
        .fd_limit_per_thread = MOST_CONNECTIONS,
        .timeout_secs = 5,
        .keepalive_timeout = 5,
        .server_string = "tactus",
        .gid = -1,
        .uid = -1,
    };
    s->context = lws_create_context(&info);
    struct lws_vhost *vhost = s->context ? lws_get_vhost_by_name(s->context, "default") : NULL;
    s->port = vhost ? lws_get_vhost_listen_port(vhost) : 0;
    if (s->port <= 0) {
        tac_server_destroy(s);
        if (port)
            return tac_fail(error, TAC_FAILED, "cannot listen on %s, port %d: is it in use?", address, port);
        return tac_fail(error, TAC_FAILED, "cannot listen on %s: is it an address of this machine?", address);
    }
    *result = s;
    return TAC_OK;
}

void tac_server_destroy(TacServer *s) {
    if (!s) return;
    if (s->context) lws_context_destroy(s->context);
    free(s);
}

int tac_server_port(const TacServer *s) {
    return s->port;
}

void tac_server_serve(TacServer *s) {
    lws_service(s->context, 0);
}

void tac_server_wake(TacServer *s) {
    lws_cancel_service(s->context);
}
