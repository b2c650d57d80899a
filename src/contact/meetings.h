// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Which skins touch, in a world with safe contact: what layers do pair by pair and tick by tick, told as
// "these two began to touch, these two parted, with this impulse".
//
// Rules:
//   1. Two skins touch from the first kick between them until none has come for `pause`: twice the period of
//      the coarsest layer of their materials, so that a contact whose layers alternate is one contact.
//   2. A parting is found when somebody looks (tac_meetings_look) or at the next kick, whichever is earlier;
//      both give it the time of the last kick. So what is told does not depend on when anybody looks.
//   3. The table is of fixed size and is state of the world as it is. When it is full, further pairs of skins go
//      untold and are counted.

#ifndef TACTUS_CONTACT_MEETINGS_H
#define TACTUS_CONTACT_MEETINGS_H

#include "base/memory.h"
#include "contact/events.h"
#include "time/ticks.h"

typedef struct TacSkinMeeting {
    uint32_t first_plus_1, second; // skins; 0: an empty place
    uint32_t touching;
    uint32_t unused;
    int64_t last, pause; // ticks
    uint64_t begins, ends;
    double impulse; // N s, since they began
    double total;   // N s, ever
    double point[3], normal[3];
} TacSkinMeeting;

typedef struct TacSkinMeetings {
    TacSkinMeeting *table; // NULL: nobody wants to know
    size_t size;           // a power of two
    uint64_t *untold;
    double tick; // s
    TacEvents *events;
} TacSkinMeetings;

// A kick between two skins: `push` is its normal impulse, `normal` from the second to the first.
typedef struct TacSkinKick {
    uint32_t first, second;
    TacTick now, pause;
    double push;
    const double *normal, *point;
} TacSkinKick;

// How large a table is wanted for so many skins.
size_t tac_meetings_size(size_t skins);

void tac_meetings_note(TacSkinMeetings *meetings, const TacSkinKick *kick);

// Where kicks between two skins are noted; TAC_NO_MEETING: nowhere yet. Changes nothing.
#define TAC_NO_MEETING UINT16_MAX
uint16_t tac_meetings_place(const TacSkinMeetings *meetings, uint32_t first, uint32_t second);
// One more kick there, if one was noted at this instant; false: there was none.
static inline bool tac_meetings_add(TacSkinMeetings *meetings, uint16_t place, TacTick now, double push) {
    if (place == TAC_NO_MEETING) return false;
    TacSkinMeeting *meeting = &meetings->table[place];
    bool noted = meeting->touching && meeting->last == now;
    if (!noted) return false;
    meeting->impulse += push;
    meeting->total += push;
    return true;
}

// Two skins that touch go on touching, without a kick.
void tac_meetings_keep(TacSkinMeetings *meetings, uint32_t first, uint32_t second, TacTick now);

// Finds out who has parted by now.
void tac_meetings_look(TacSkinMeetings *meetings, TacTick now);

#endif
