// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The parts of the live view that need no socket: messages, the gate, bytes of frames, what passes between
// threads, snapshots, and scenes written as text.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tactus/tactus.h"
#include "view/exchange.h"
#include "view/gate.h"
#include "view/history.h"
#include "view/json.h"
#include "view/message.h"

// --- messages ---------------------------------------------------------------------------------------------

static TacMessage read_good(const char *text) {
    TacMessage m;
    TacError error = {0};
    if (tac_message_read(&m, text, strlen(text), &error) != TAC_OK) fail_msg("%s: %s", text, error.message);
    return m;
}

static void test_messages_are_read(void **state) {
    (void)state;
    TacMessage m =
        read_good(" { \"type\" : \"grab\", \"hand\":1, \"track\":2,\"point\":3,\"target\":[1,-2.5,3e2],"
                  "\"strength\":40.5, \"later\": [1,2] , \"more\":null } ");
    assert_int_equal(m.kind, TAC_MESSAGE_GRAB);
    assert_int_equal(m.hand, 1);
    assert_int_equal(m.track, 2);
    assert_int_equal(m.point, 3);
    assert_true(m.target.x == 1 && m.target.y == -2.5 && m.target.z == 300 && m.strength == 40.5);
    m = read_good("{\"type\":\"set\",\"path\":\"/a\\/b\",\"attribute\":\"x\",\"value\":\"1 "
                  "\\u00e9\\ud83d\\ude00\\n\"}");
    assert_string_equal(m.path, "/a/b");
    assert_string_equal(m.value, "1 \xc3\xa9\xf0\x9f\x98\x80\n");
    assert_true(read_good("{\"type\":\"speed\",\"value\":0.5}").speed == 0.5);
    assert_int_equal(read_good("{\"type\":\"step\"}").n, 1);
    assert_int_equal(read_good("{\"type\":\"step\",\"n\":-1}").n, -1);
    assert_true(read_good("{\"type\":\"sphere\",\"on\":true,\"center\":[0,0,0],\"radius\":1}").on);
    assert_false(read_good("{\"type\":\"sphere\",\"on\":false}").on);
    assert_true(read_good("{\"type\":\"release\",\"hand\":0,\"velocity\":[0,0,0]}").has_velocity);
    assert_false(read_good("{\"type\":\"release\",\"hand\":0}").has_velocity);
    assert_string_equal(read_good("{\"type\":\"colour\",\"by\":\"speed\"}").what, "speed");
}

static void test_nonsense_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "{",
        "}",
        "{}",
        "[]",
        "null",
        "{\"type\":\"pause\"",
        "{\"type\":\"pause\"}}",
        "{\"type\":\"pause\",}",
        "{\"type\":\"pause\" \"x\":1}",
        "{type:\"pause\"}",
        "{'type':'pause'}",
        "{\"type\":\"pause\",\"type\":\"play\"}",
        "{\"type\":\"nothing\"}",
        "{\"type\":1}",
        "{\"type\":\"ack\"}",
        "{\"type\":\"ack\",\"frame\":\"1\"}",
        "{\"type\":\"ack\",\"frame\":1.5}",
        "{\"type\":\"ack\",\"frame\":1e300}",
        "{\"type\":\"ack\",\"frame\":01}",
        "{\"type\":\"ack\",\"frame\":+1}",
        "{\"type\":\"ack\",\"frame\":.5}",
        "{\"type\":\"ack\",\"frame\":1.}",
        "{\"type\":\"ack\",\"frame\":1e}",
        "{\"type\":\"ack\",\"frame\":0x10}",
        "{\"type\":\"ack\",\"frame\":NaN}",
        "{\"type\":\"ack\",\"frame\":-}",
        "{\"type\":\"seek\",\"time\":1e999}",
        "{\"type\":\"drag\",\"hand\":0,\"target\":[1,2]}",
        "{\"type\":\"drag\",\"hand\":0,\"target\":[1,2,3,4]}",
        "{\"type\":\"drag\",\"hand\":0,\"target\":[1,2,\"3\"]}",
        "{\"type\":\"drag\",\"hand\":0,\"target\":[[1,2,3]]}",
        "{\"type\":\"pause\",\"x\":{}}",
        "{\"type\":\"pause\",\"x\":[[]]}",
        "{\"type\":\"pause\",\"x\":[1,2,3,4]}",
        "{\"type\":\"pause\",\"x\":tru}",
        "{\"type\":\"show\",\"what\":\"boxes\",\"on\":1}",
        "{\"type\":\"select\",\"path\":\"\\x\"}",
        "{\"type\":\"select\",\"path\":\"\\u0000\"}",
        "{\"type\":\"select\",\"path\":\"\\ud800\"}",
        "{\"type\":\"select\",\"path\":\"\\ud800\\u0041\"}",
        "{\"type\":\"select\",\"path\":\"\\udc00\"}",
        "{\"type\":\"select\",\"path\":\"\\u12\"}",
        "{\"type\":\"select\",\"path\":\"a\nb\"}",
        "{\"type\":\"select\",\"path\":\"\xff\"}",
        "{\"type\":\"select\",\"path\":\"\xc0\xaf\"}",
        "{\"type\":\"select\",\"path\":\"\xed\xa0\x80\"}",
        "{\"type\":\"select\",\"path\":\"\xf4\x90\x80\x80\"}",
        "{\"type\":\"select\",\"path\":\"abc",
        "{\"type\":\"set\",\"path\":\"/a\",\"attribute\":\"x\",\"value\":3}",
        "{\"type\":\"speed\",\"value\":\"1\"}",
        "{\"type\":\"sphere\",\"on\":true}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        TacMessage m;
        TacError error = {0};
        if (tac_message_read(&m, bad[i], strlen(bad[i]), &error) == TAC_OK) fail_msg("accepted: %s", bad[i]);
        assert_true(error.message[0]);
        // from memory that ends there, so that a sanitizer sees who reads on
        char *exact = malloc(strlen(bad[i]) + !bad[i][0]);
        memcpy(exact, bad[i], strlen(bad[i]));
        assert_int_not_equal(tac_message_read(&m, exact, strlen(bad[i]), NULL), TAC_OK);
        free(exact);
    }
}

static void test_every_beginning_of_a_message_is_refused(void **state) {
    (void)state;
    static const char whole[] =
        "{\"type\":\"grab\",\"hand\":1,\"track\":2,\"point\":3,\"target\":[1,-2.5,3e2],"
        "\"strength\":40.5,\"path\":\"\\u00e9\\ud83d\\ude00\",\"on\":true}";
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        TacMessage m;
        char *exact = malloc(n + 1);
        memcpy(exact, whole, n);
        assert_int_not_equal(tac_message_read(&m, exact, n, NULL), TAC_OK);
        free(exact);
    }
    read_good(whole);
    char *longest = malloc(2 * TAC_MESSAGE_BYTES);
    memset(longest, ' ', 2 * TAC_MESSAGE_BYTES);
    memcpy(longest, "{\"type\":\"pause\"}", 16);
    TacMessage m;
    assert_int_equal(tac_message_read(&m, longest, TAC_MESSAGE_BYTES, NULL), TAC_OK);
    assert_int_not_equal(tac_message_read(&m, longest, TAC_MESSAGE_BYTES + 1, NULL), TAC_OK);
    free(longest);
}

// --- JSON -------------------------------------------------------------------------------------------------

static void test_json_is_escaped(void **state) {
    (void)state;
    TacJson json = {0};
    tac_json_open(&json, NULL, '{');
    tac_json_text(&json, "a\"b", "\\ \n \x7f \xc3\xa9 \xff \xe2\x82");
    tac_json_real(&json, "pi", 0.1);
    tac_json_real(&json, "none", NAN);
    tac_json_open(&json, "list", '[');
    tac_json_int(&json, NULL, -5);
    tac_json_bool(&json, NULL, true);
    tac_json_close(&json, ']');
    tac_json_vector(&json, "v", tac_vec3(1, 2, 3));
    tac_json_close(&json, '}');
    assert_string_equal(
        json.text, "{\"a\\u0022b\":\"\\u005c \\u000a \\u007f \xc3\xa9 \\ufffd \\ufffd\\ufffd\",\"pi\":0.1,"
                   "\"none\":null,\"list\":[-5,true],\"v\":[1,2,3]}");
    tac_json_free(&json);
}

// --- the gate ---------------------------------------------------------------------------------------------

static void test_tokens(void **state) {
    (void)state;
    char a[TAC_TOKEN_TEXT], b[TAC_TOKEN_TEXT];
    assert_int_equal(tac_gate_token(a, NULL), TAC_OK);
    assert_int_equal(tac_gate_token(b, NULL), TAC_OK);
    assert_int_equal(strlen(a), 32);
    assert_int_equal(strspn(a, "0123456789abcdef"), 32);
    assert_string_not_equal(a, b);
    assert_true(tac_gate_same_token(a, a));
    assert_false(tac_gate_same_token(a, b));
    assert_false(tac_gate_same_token(a, ""));
    // one digit changed, anywhere
    for (size_t i = 0; i < 32; i++) {
        memcpy(b, a, sizeof b);
        b[i] = b[i] == '0' ? '1' : '0';
        assert_false(tac_gate_same_token(a, b));
    }
    a[31] = 0;
    assert_false(tac_gate_same_token(b, a));
}

static void test_hosts_and_origins(void **state) {
    (void)state;
    static const char *const good[] = {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080"};
    static const char *const bad[] = {"",
                                      ":8080",
                                      "127.0.0.1",
                                      "127.0.0.1:80",
                                      "127.0.0.1:8081",
                                      "127.0.0.1:08080",
                                      "127.0.0.1:8080 ",
                                      "127.0.0.1:8080.evil",
                                      "127.0.0.2:8080",
                                      "evil:8080",
                                      "localhost.evil:8080",
                                      "evil.localhost:8080",
                                      "localhost.:8080",
                                      "::1:8080",
                                      "[::1]",
                                      "[::1",
                                      "[",
                                      "[::2]:8080",
                                      "x@localhost:8080",
                                      "0.0.0.0:8080"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(tac_gate_host(good[i], "127.0.0.1", 8080));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tac_gate_host(bad[i], "127.0.0.1", 8080)) fail_msg("let in: %s", bad[i]);
    assert_true(tac_gate_host("localhost", "127.0.0.1", 80));
    assert_true(tac_gate_host("192.168.1.5:8080", "192.168.1.5", 8080));
    assert_true(tac_gate_host("[fe80::1]:8080", "fe80::1", 8080));
    assert_true(tac_gate_origin("http://localhost:8080", "localhost:8080"));
    assert_false(tac_gate_origin("https://localhost:8080", "localhost:8080"));
    assert_false(tac_gate_origin("http://localhost:8080/", "localhost:8080"));
    assert_false(tac_gate_origin("http://localhost:80800", "localhost:8080"));
    assert_false(tac_gate_origin("http://127.0.0.1:8080", "localhost:8080"));
    assert_false(tac_gate_origin("null", "localhost:8080"));
    assert_false(tac_gate_origin("", "localhost:8080"));
    assert_true(tac_gate_is_loopback("127.0.0.1") && tac_gate_is_loopback("127.8.8.8") &&
                tac_gate_is_loopback("::1"));
    assert_false(tac_gate_is_loopback("0.0.0.0") || tac_gate_is_loopback("128.0.0.1") ||
                 tac_gate_is_loopback("::"));
}

// --- bytes ------------------------------------------------------------------------------------------------

static uint32_t u32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float f32(const unsigned char *p) {
    uint32_t bits = u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_frames_as_documented(void **state) {
    (void)state;
    const TacTrackDef tracks[] = {{.name = "a", .kind = TAC_VEC2, .point_count = 1},
                                  {.name = "b", .kind = TAC_RIGID3, .point_count = 1},
                                  {.name = "c", .kind = TAC_VEC3, .point_count = 3}};
    const TacChannelDef channels[] = {{"energy", "J"}};
    TacRecordingDef def = tac_recording_def_default();
    def.tracks = tracks;
    def.track_count = 3;
    def.channels = channels;
    def.channel_count = 1;
    const double a[] = {1, 2}, b[] = {1, 2, 3, 0, 0, 0, 1}, c[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, energy = 42;
    const TacFrameTrack frames[] = {
        {.count = 1, .positions = a}, {.count = 1, .positions = b}, {.count = 3, .positions = c}};
    const float speeds[] = {10, 20, 30};
    const TacFrameScalars scalars[] = {{NULL}, {NULL}, {speeds}};
    const TacFrame frame = {1.5, frames, &energy};
    TacBytes bytes = {0};
    assert_true(tac_frame_encode(&bytes, &def, &frame, 7, 0.5, TAC_COLOUR_SPEED, scalars));
    const unsigned char *p = tac_bytes_data(&bytes);
    double time, rate, channel;
    memcpy(&time, p + 8, 8);
    memcpy(&rate, p + 16, 8);
    memcpy(&channel, p + 32, 8);
    assert_true(p[0] == 2 && p[1] == 0 && p[2] == 3 && p[3] == 0 && u32(p + 4) == 7);
    assert_true(time == 1.5 && rate == 0.5 && channel == 42 && p[24] == 1 && p[25] == 0);
    p += 40; // 8 + 3 floats = 20, padded to 24
    assert_true(p[0] == 0 && p[2] == 0 && u32(p + 4) == 1 && f32(p + 8) == 1 && f32(p + 12) == 2 &&
                f32(p + 16) == 0);
    assert_int_equal(u32(p + 20), 0);
    p += 24; // 8 + 7 floats = 36, padded to 40
    assert_true(p[0] == 1 && u32(p + 4) == 1 && f32(p + 16) == 3 && f32(p + 32) == 1);
    p += 40; // 8 + 9 + 3 floats = 56
    assert_true(p[0] == 2 && p[2] == TAC_COLOUR_SPEED && u32(p + 4) == 3 && f32(p + 40) == 9 &&
                f32(p + 44) == 10);
    assert_int_equal(bytes.bytes, 40 + 24 + 40 + 56);

    const int32_t triangle[] = {0, 1, 2}, edges[] = {0, 1, 1, 2};
    const TacTrackMesh mesh = {.triangles = {triangle, 3}, .edges = {edges, 4}};
    assert_true(tac_topology_encode(&bytes, 258, &mesh));
    p = tac_bytes_data(&bytes);
    assert_true(p[0] == 1 && p[2] == 2 && p[3] == 1 && u32(p + 4) == 1 && u32(p + 8) == 2);
    assert_true(u32(p + 20) == 2 && u32(p + 24) == 0 && u32(p + 36) == 2 && bytes.bytes == 12 + 12 + 16);
    const TacSegment segment = {{1, 2, 3}, {4, 5, 6}, 7};
    assert_true(tac_overlay_encode(&bytes, 2, 0x10203, &segment, 1));
    p = tac_bytes_data(&bytes);
    assert_true(p[0] == 3 && p[1] == 2 && p[2] == 3 && p[3] == 2 && u32(p + 4) == 1 && f32(p + 8) == 1 &&
                f32(p + 32) == 7 && bytes.bytes == 36);
    tac_bytes_free(&bytes);
}

// --- between threads --------------------------------------------------------------------------------------

static void test_the_latest_frame_and_no_backlog(void **state) {
    (void)state;
    TacExchange e;
    assert_int_equal(tac_exchange_init(&e, NULL), TAC_OK);
    assert_null(tac_exchange_latest(&e));
    uint32_t generation = 0;
    tac_exchange_set_prologue(&e, tac_parcel(0, false, "hello", 5), true);
    TacParcel *list = tac_exchange_prologue(&e, &generation);
    assert_true(list && list->bytes == 5 && !list->next && generation == 1);
    tac_parcels_free(list);
    assert_null(tac_exchange_prologue(&e, &generation)); // heard already
    for (uint32_t i = 1; i <= 10; i++) {
        TacFrameBuffer *back = tac_exchange_back(&e);
        back->bytes.bytes = 0;
        *tac_bytes_add(&back->bytes, 1) = (unsigned char)i;
        tac_exchange_publish(&e, i);
    }
    const TacFrameBuffer *frame = tac_exchange_latest(&e);
    assert_true(frame->number == 10 && *tac_bytes_data(&frame->bytes) == 10 && frame->generation == 1);
    // what is being read is never written
    assert_ptr_not_equal(tac_exchange_back(&e), frame);
    tac_exchange_publish(&e, 11);
    assert_ptr_not_equal(tac_exchange_back(&e), frame);
    assert_int_equal(frame->number, 10);
    tac_exchange_destroy(&e);
}

static void test_the_ring_is_bounded_and_moves_are_merged(void **state) {
    (void)state;
    TacExchange e;
    assert_int_equal(tac_exchange_init(&e, NULL), TAC_OK);
    TacMessage m = {.kind = TAC_MESSAGE_DRAG};
    for (int i = 0; i < 1000; i++) {
        m.target.x = i;
        assert_true(tac_exchange_say(&e, &m));
    }
    TacMessage heard;
    assert_true(tac_exchange_hear(&e, &heard));
    assert_true(heard.target.x == 999);
    assert_false(tac_exchange_hear(&e, &heard));
    m.kind = TAC_MESSAGE_STEP;
    int taken = 0;
    for (int i = 0; i < 1000; i++) taken += tac_exchange_say(&e, &m);
    assert_int_equal(taken, TAC_EXCHANGE_MESSAGES);
    tac_exchange_destroy(&e);
}

// --- snapshots --------------------------------------------------------------------------------------------

static TacWorld *make(TacScene *scene) {
    TacWorldDef def = tac_world_def_default();
    TacWorld *world;
    TacError error;
    if (tac_world_create(&world, scene, &def, &error) != TAC_OK) fail_msg("%s", error.message);
    return world;
}

static void test_history(void **state) {
    (void)state;
    static const char text[] =
        "<tactus version='1' dt='0.01'><Points positions='0 0 0'/><UniformMass mass='1'/></tactus>";
    TacScene *scene;
    assert_int_equal(tac_scene_create(&scene, NULL), TAC_OK);
    assert_int_equal(tac_scene_parse(scene, "x", text, strlen(text), NULL), TAC_OK);
    TacWorld *w = make(scene);
    TacHistory h;
    tac_history_begin(&h, w, 5 * tac_world_snapshot_size(w) + 1);
    for (int i = 0; i < 10; i++) {
        tac_history_keep(&h, w);
        tac_world_advance_beats(w, 1, NULL);
    }
    assert_int_equal(h.count, 5); // 5 to 9 beats
    assert_true(tac_history_back(&h, w));
    assert_true(fabs(tac_world_time(w) - 0.09) < 1e-12);
    assert_true(tac_history_back(&h, w));
    assert_true(fabs(tac_world_time(w) - 0.08) < 1e-12);
    assert_true(tac_history_seek(&h, w, 0.0691)); // the nearest, also forward again
    assert_true(fabs(tac_world_time(w) - 0.07) < 1e-12);
    assert_true(tac_history_seek(&h, w, 100));
    assert_true(fabs(tac_world_time(w) - 0.09) < 1e-12);
    assert_true(tac_history_seek(&h, w, 0.051));
    tac_world_advance_beats(w, 1, NULL);
    tac_history_keep(&h, w); // another course: what was later is gone
    assert_int_equal(h.count, 2);
    assert_true(tac_history_back(&h, w) && tac_history_back(&h, w));
    assert_true(tac_world_time(w) == 0); // beyond what is kept there is the start
    assert_false(tac_history_back(&h, w));
    assert_true(tac_history_reset(&h, w));
    tac_history_end(&h);
    tac_world_destroy(w);
    tac_scene_destroy(scene);
}

// A world where more and more touches has larger snapshots than at its start.
static void test_history_of_a_world_that_grows(void **state) {
    (void)state;
    static const char text[] = "<tactus version='1' dt='0.01' scheduler='loose'><node "
                               "name='ground'><Frames/><Shape shape='half_space'/></node>"
                               "<node name='a'><SymplecticEuler/><Frames positions='0 0.6 0 0 0 0 "
                               "1'/><UniformMass mass='1'/><Shape/></node>"
                               "<node name='b'><SymplecticEuler/><Frames positions='3 0.6 0 0 0 0 "
                               "1'/><UniformMass mass='1'/><Shape/></node>"
                               "</tactus>";
    TacScene *scene;
    assert_int_equal(tac_scene_create(&scene, NULL), TAC_OK);
    assert_int_equal(tac_scene_parse(scene, "x", text, strlen(text), NULL), TAC_OK);
    TacWorld *w = make(scene);
    TacHistory h;
    size_t begin = tac_world_snapshot_size(w), memory = 20 * begin;
    tac_history_begin(&h, w, memory);
    uint64_t hashes[60];
    for (int i = 0; i < 60; i++) {
        tac_history_keep(&h, w);
        assert_true(h.taken <= memory);
        hashes[i] = tac_world_hash(w);
        tac_world_advance_beats(w, 1, NULL);
    }
    assert_true(tac_world_snapshot_size(w) > begin); // or this tests nothing
    assert_true(h.count > 3 && h.count < 20);
    for (size_t i = h.count; i-- > 0;) {
        assert_true(tac_history_back(&h, w));
        assert_true(tac_world_hash(w) == hashes[60 - (h.count - i)]);
    }
    assert_true(tac_history_back(&h, w) && tac_world_hash(w) == hashes[0]);
    tac_history_end(&h);
    tac_world_destroy(w);
    tac_scene_destroy(scene);
}

// --- the ground -------------------------------------------------------------------------------------------

#define GROUND(settings, flat)                                                                               \
    "<tactus version='1' " settings "><node name='n'><Points positions='0 0 0'/><UniformMass/>" flat         \
    "</node></tactus>"

static TacGround ground_of(const char *text) {
    TacScene *scene;
    assert_int_equal(tac_scene_create(&scene, NULL), TAC_OK);
    assert_int_equal(tac_scene_parse(scene, "x", text, strlen(text), NULL), TAC_OK);
    TacWorld *w = make(scene);
    TacGround ground = tac_world_recording_def(w, NULL)->ground;
    tac_world_destroy(w);
    tac_scene_destroy(scene);
    return ground;
}

// A vessel is not drawn standing on one of its walls.
static void test_the_ground_is_what_lies_level(void **state) {
    (void)state;
    TacGround ground =
        ground_of(GROUND("", "<Plane normal='1 0 0' offset='-3'/><Plane normal='0 -1 0'/>"
                             "<Plane normal='3 4 0' offset='-2'/><Plane normal='0 2 0' offset='-1'/>"
                             "<Plane normal='0 1 0' offset='-9'/>"));
    assert_true(ground.visible && ground.normal.y == 1 && ground.offset == -1);
    ground = ground_of(GROUND("up='z'", "<Plane normal='0 1 0'/><Plane normal='0 3 4' offset='2'/>"));
    assert_true(ground.visible && ground.normal.z == 0.8 && ground.offset == 2);
    assert_false(ground_of(GROUND("", "<Plane normal='1 0 0'/><Plane normal='0 -1 0'/>")).visible);
    ground = ground_of(
        "<tactus version='1'><node name='a'><Frames positions='0 0 0 0 0 0 1'/><Shape shape='half_space' "
        "rotation='0 0 90'/><Shape name='level' shape='half_space'/></node></tactus>");
    assert_true(ground.visible && ground.normal.y == 1);
}

// --- scenes as text ---------------------------------------------------------------------------------------

typedef struct Text {
    char *data;
    size_t bytes;
} Text;

static bool collect(void *data, const char *text, size_t length) {
    Text *t = data;
    t->data = realloc(t->data, t->bytes + length + 1);
    memcpy(t->data + t->bytes, text, length);
    t->bytes += length;
    t->data[t->bytes] = 0;
    return true;
}

// 0 where there is no world, as with a mesh whose file is not there.
static uint64_t run(TacScene *scene) {
    TacWorldDef def = tac_world_def_default();
    TacWorld *w;
    if (tac_world_create(&w, scene, &def, NULL) != TAC_OK) return 0;
    tac_world_advance_beats(w, 3, NULL);
    uint64_t hash = tac_world_hash(w);
    tac_world_destroy(w);
    return hash;
}

static void check_written(const char *path) {
    TacScene *first, *second;
    TacError error;
    char line[2048];
    Text text = {0}, again = {0};
    assert_int_equal(tac_scene_create(&first, NULL), TAC_OK);
    assert_int_equal(tac_scene_create(&second, NULL), TAC_OK);
    if (tac_scene_read(first, path, &error) == TAC_OK) {
        assert_true(tac_scene_write(first, collect, &text));
        if (tac_scene_parse(second, "written.tac", text.data, text.bytes, &error) != TAC_OK)
            fail_msg("%s, written: %s\n%s", path, tac_error_text(&error, line, sizeof line), text.data);
        assert_true(tac_scene_write(second, collect, &again));
        assert_string_equal(text.data, again.data);
        if (run(first) != run(second)) fail_msg("%s runs otherwise when it was written and read", path);
    }
    free(text.data);
    free(again.data);
    tac_scene_destroy(first);
    tac_scene_destroy(second);
}

// Scenes that a folder holds run to the same bits after they were written and read again.
static void test_written_scenes_are_the_same(void **state) {
    (void)state;
    size_t seen = 0;
    DIR *folder = opendir("tests/corpus/scene");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        size_t n = strlen(entry->d_name);
        if (n < 5 || strcmp(entry->d_name + n - 4, ".tac") || !strcmp(entry->d_name, "hostile.tac")) continue;
        snprintf(path, sizeof path, "tests/corpus/scene/%s", entry->d_name);
        check_written(path);
        seen++;
    }
    closedir(folder);
    assert_true(seen > 30);
}

static void test_attributes_as_text(void **state) {
    (void)state;
    static const char scene_text[] = "<tactus version='1'><node name='a'><ImplicitEuler trapezoidal='true' "
                                     "drift='mean' damping_mass='0.5'/>"
                                     "<Points name='p' positions='0 0 0  1 2 3'/><UniformMass name='m' "
                                     "mass='1'/><FixedPoints name='f' points='0 1'/>"
                                     "</node></tactus>";
    TacScene *scene;
    assert_int_equal(tac_scene_create(&scene, NULL), TAC_OK);
    assert_int_equal(tac_scene_parse(scene, "x", scene_text, strlen(scene_text), NULL), TAC_OK);
    TacWorld *w = make(scene);
    TacComponentId solver = tac_world_find(w, "/a/implicitEuler"), p = tac_world_find(w, "/a/p");
    char text[64], small[8];
    assert_true(tac_world_text(w, solver, "damping_mass", text, sizeof text));
    assert_string_equal(text, "0.5");
    assert_true(tac_world_text(w, solver, "trapezoidal", text, sizeof text));
    assert_string_equal(text, "true");
    assert_true(tac_world_text(w, solver, "drift", text, sizeof text));
    assert_string_equal(text, "mean");
    assert_true(tac_world_text(w, p, "positions", text, sizeof text));
    assert_string_equal(text, "0 0 0 1 2 3");
    assert_true(tac_world_text(w, tac_world_find(w, "/a/f"), "points", text, sizeof text));
    assert_string_equal(text, "0 1");
    assert_true(tac_world_text(w, tac_world_find(w, "/a/m"), "matter", text, sizeof text));
    assert_string_equal(text, "@/a/p");
    assert_false(tac_world_text(w, p, "positions", small, sizeof small));
    assert_string_equal(small, "0 0 0 1");
    assert_false(tac_world_text(w, p, "nothing", text, sizeof text));
    assert_int_equal(tac_world_set(w, solver, "damping_mass", "0.25", NULL), TAC_OK);
    assert_true(tac_world_text(w, solver, "damping_mass", text, sizeof text));
    assert_string_equal(text, "0.25");
    tac_world_destroy(w);
    tac_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_are_read),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_every_beginning_of_a_message_is_refused),
        cmocka_unit_test(test_json_is_escaped),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_hosts_and_origins),
        cmocka_unit_test(test_frames_as_documented),
        cmocka_unit_test(test_the_latest_frame_and_no_backlog),
        cmocka_unit_test(test_the_ring_is_bounded_and_moves_are_merged),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_history_of_a_world_that_grows),
        cmocka_unit_test(test_the_ground_is_what_lies_level),
        cmocka_unit_test(test_written_scenes_are_the_same),
        cmocka_unit_test(test_attributes_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
