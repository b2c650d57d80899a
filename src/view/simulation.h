// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The thread of the world: lets time run at the wanted speed, does what pages ask, shows frames to whoever
// has room for one, and waits for nobody.
//
// Pace: simulated time is due at `start + speed * (wall time since)`. The thread goes there beat by beat (in
// slow motion in pieces of a beat, so that the picture moves smoothly), at most a few milliseconds at a time
// before it listens again. While it is behind, showing takes no more than a twenty-fifth of its time: then there are fewer
// pictures, and watching hardly slows the run. When it cannot keep up it does not try to make up for it: what was missed is
// dropped, and the rate that was reached is shown beside the one that is wanted. Time begins when the first page has seen its
// first frame, or a second after it came: while a browser starts it needs the processors, and nobody would see what happens.
// From then on it waits for nobody.

#ifndef TACTUS_VIEW_SIMULATION_H
#define TACTUS_VIEW_SIMULATION_H

#include "view/stage.h"

typedef struct TacSimulation {
    const TacViewDef *def;
    TacExchange *exchange;
    TacStage stage;
    size_t gallery_index;
    bool paused;
    bool begun;         // somebody looks
    double came_wall;   // when somebody came first; 0: nobody yet
    bool ended;         // a recording has come to its end, or the world has failed
    char failure[1600]; // why it failed, for pages that come later; "": it has not
    double speed;
    double rate;                   // simulated seconds per second, of late
    uint32_t number;               // of the last frame
    double start_wall, start_time; // where pacing counts from
    double rate_wall, rate_time;   // where the rate is measured from
    double told_wall, shown_wall;  // last state, last frame
    double show_cost;              // s for showing a frame, of late
    bool must_tell, must_show;
    TacBytes scratch;
    struct {
        uint32_t client;  // 0: nobody's
        int64_t hand;     // as that client calls it
    } hands[TAC_HANDS];   // of the world
    uint32_t sphere_of;   // client that has the sphere; 0: nobody
    unsigned had_overlay; // bits: pages have segments of it
} TacSimulation;

// Opens what the def says, and makes the prologue.
TacStatus tac_simulation_open(TacSimulation *simulation, const TacViewDef *def, TacExchange *exchange,
                              TacError *error);
void tac_simulation_close(TacSimulation *simulation);

// Until the exchange is stopped.
void tac_simulation_run(TacSimulation *simulation);

// Does what one message asks; answers go to the exchange.
void tac_simulation_do(TacSimulation *simulation, const TacMessage *message);

#endif
