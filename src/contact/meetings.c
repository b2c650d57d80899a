// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The table of skins that touch; see meetings.h.

#include "contact/meetings.h"

enum { MOST = 1 << 14 };

size_t tac_meetings_size(size_t skins) {
    size_t pairs = skins < MOST ? skins * (skins + 1) / 2 : MOST, size = 4;
    while (size < 2 * pairs && size < MOST) size *= 2;
    return size;
}

static void tell(TacSkinMeetings *m, const TacSkinMeeting *meeting, TacContactEventKind kind) {
    TacContactEvent event = {.kind = kind,
                             .time = m->tick * (double)meeting->last,
                             .model_a = meeting->first_plus_1 - 1,
                             .model_b = meeting->second,
                             .point = tac_load3(meeting->point),
                             .normal = tac_load3(meeting->normal),
                             .impulse = kind == TAC_CONTACT_ENDS ? meeting->impulse : 0};
    tac_events_push(m->events, &event);
}

// In either order: where it is, or an empty place; `size` where it is full.
static size_t search(const TacSkinMeetings *m, uint32_t a, uint32_t b) {
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    size_t at = (size_t)(((uint64_t)first << 32 | second) * 0x9E3779B97F4A7C15ULL >> 40);
    for (size_t i = 0; i < m->size; i++) {
        size_t place = (at + i) & (m->size - 1);
        const TacSkinMeeting *meeting = &m->table[place];
        if (!meeting->first_plus_1 || (meeting->first_plus_1 == first + 1 && meeting->second == second))
            return place;
    }
    return m->size;
}

static TacSkinMeeting *find(const TacSkinMeetings *m, uint32_t a, uint32_t b) {
    size_t place = search(m, a, b);
    if (place == m->size) return NULL;
    TacSkinMeeting *meeting = &m->table[place];
    meeting->first_plus_1 = (a < b ? a : b) + 1;
    meeting->second = a < b ? b : a;
    return meeting;
}

uint16_t tac_meetings_place(const TacSkinMeetings *m, uint32_t first, uint32_t second) {
    _Static_assert(MOST <= TAC_NO_MEETING, "places are numbered");
    size_t place = m->table ? search(m, first, second) : m->size;
    return place < m->size && m->table[place].first_plus_1 ? (uint16_t)place : TAC_NO_MEETING;
}

static void part(TacSkinMeetings *m, TacSkinMeeting *meeting) {
    meeting->touching = 0;
    meeting->ends++;
    tell(m, meeting, TAC_CONTACT_ENDS);
}

void tac_meetings_note(TacSkinMeetings *m, const TacSkinKick *kick) {
    if (!m->table) return;
    bool turned = kick->first > kick->second;
    TacSkinMeeting *meeting = find(m, kick->first, kick->second);
    if (!meeting) {
        ++*m->untold;
        return;
    }
    if (meeting->touching && kick->now - meeting->last > meeting->pause) part(m, meeting);
    meeting->last = kick->now;
    meeting->pause = kick->pause;
    for (int k = 0; k < 3; k++) { // events have it from the first to the second
        meeting->normal[k] = turned ? kick->normal[k] : -kick->normal[k];
        meeting->point[k] = kick->point[k];
    }
    if (!meeting->touching) {
        meeting->touching = 1;
        meeting->begins++;
        meeting->impulse = 0;
        tell(m, meeting, TAC_CONTACT_BEGINS);
    }
    meeting->impulse += kick->push;
    meeting->total += kick->push;
}

void tac_meetings_keep(TacSkinMeetings *m, uint32_t first, uint32_t second, TacTick now) {
    if (!m->table) return;
    TacSkinMeeting *meeting = find(m, first, second);
    if (meeting && meeting->touching) meeting->last = now;
}

void tac_meetings_look(TacSkinMeetings *m, TacTick now) {
    for (size_t i = 0; m->table && i < m->size; i++) {
        TacSkinMeeting *meeting = &m->table[i];
        if (meeting->touching && now - meeting->last > meeting->pause) part(m, meeting);
    }
}
