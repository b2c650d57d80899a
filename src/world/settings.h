// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Components that set something rather than act: the world's beat and gravity, looks, the camera, what to
// record; and probes, which turn the state into a number over time.

#ifndef TACTUS_WORLD_SETTINGS_H
#define TACTUS_WORLD_SETTINGS_H

#include "tactus/component.h"

typedef struct TacWorldSettings {
    TacComponent base;
    const char *title;
    double dt, duration;
    TacVec3 gravity; // NaN: 9.81 m/s^2 downward
    int up;          // 0: y, 1: z
    int scheduler;   // 0: causal, 1: loose
    int clock;       // of the loose scheduler; 0: virtual, 1: wall
    int64_t priorities, max_exec;
} TacWorldSettings;

typedef struct TacGravity {
    TacComponent base;
    TacVec3 acceleration;
} TacGravity;

typedef struct TacLook {
    TacComponent base;
    TacMatter *matter;
    TacVec3 color; // NaN: chosen by position in the scene
    double opacity, radius;
    int visible; // 0: auto, 1: yes, 2: no
} TacLook;

typedef struct TacCameraSetting {
    TacComponent base;
    TacVec3 eye, target;
    double field_of_view;
} TacCameraSetting;

typedef struct TacRecordSetting {
    TacComponent base;
    double fps; // NaN: chosen
    bool velocities;
    int precision; // 0: double, 1: single
    int channels;  // 0: all, 1: energy, 2: none
} TacRecordSetting;

typedef struct TacListen {
    TacComponent base;
    TacMatter *matter, *other; // the second one also where only a mass is heard
    int64_t point, other_point;
    TacVec3 direction; // a unit vector after init; NaN: along the link
    int what;
    double gain, pan;
    bool is_link;
} TacListen;

extern const TacClass tac_world_class, tac_gravity_class, tac_look_class, tac_camera_class, tac_record_class,
    tac_probe_class, tac_listen_class;

#endif
