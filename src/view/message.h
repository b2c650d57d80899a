// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What a page says: one flat JSON object (RFC 8259), read strictly into a struct of fixed size. Values are
// texts, numbers, true, false, null, and lists of at most three numbers; nothing deeper. Nothing is allocated
// and nothing outside the struct is touched, so a hostile message costs its own length and no more.

#ifndef TACTUS_VIEW_MESSAGE_H
#define TACTUS_VIEW_MESSAGE_H

#include "tactus/base.h"
#include "tactus/math.h"

enum { TAC_MESSAGE_BYTES = 64 * 1024 }; // the longest that is read

typedef enum TacMessageKind {
    TAC_MESSAGE_PAUSE,
    TAC_MESSAGE_PLAY,
    TAC_MESSAGE_STEP,
    TAC_MESSAGE_RESET,
    TAC_MESSAGE_SPEED,
    TAC_MESSAGE_ACK,
    TAC_MESSAGE_SEEK,
    TAC_MESSAGE_TREE,
    TAC_MESSAGE_SET,
    TAC_MESSAGE_UNDO,
    TAC_MESSAGE_GRAB,
    TAC_MESSAGE_DRAG,
    TAC_MESSAGE_RELEASE,
    TAC_MESSAGE_PIN,
    TAC_MESSAGE_UNPIN,
    TAC_MESSAGE_SPHERE,
    TAC_MESSAGE_CAMERA,
    TAC_MESSAGE_SELECT,
    TAC_MESSAGE_COLOUR,
    TAC_MESSAGE_SHOW,
    TAC_MESSAGE_SAVE,
    TAC_MESSAGE_GALLERY,
    TAC_MESSAGE_KINDS,                    // that pages can send
    TAC_MESSAGE_LEAVE = TAC_MESSAGE_KINDS // said by the server: the client is gone
} TacMessageKind;

// Fields that a kind does not have are zero.
typedef struct TacMessage {
    TacMessageKind kind;
    uint32_t client; // filled by the server: who said it
    int64_t hand, track, point, n, frame, index;
    double time, speed, radius, strength;
    bool on, has_velocity, has_center;
    TacVec3 target, center, eye, velocity;
    char path[512], attribute[128], value[1024];
    char what[32]; // "what" of show and save, "by" of colour
} TacMessage;

// Reads one message of `bytes` bytes, which need not end in 0. On failure the message says what is wrong, and
// at which byte.
TacStatus tac_message_read(TacMessage *message, const char *text, size_t bytes, TacError *error);

#endif
