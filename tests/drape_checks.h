// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What cloths hang over, what they are made of, and how fast they move there.

#ifndef TACTUS_TESTS_DRAPE_CHECKS_H
#define TACTUS_TESTS_DRAPE_CHECKS_H

#include "safe_checks.h"

#define FLOOR "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
#define BALL                                                                                                 \
    "<node name='ball'><Sphere radius='0.12' subdivisions='2' translation='0 0.13 "                          \
    "0'/><Points/><Skin/></node>"
#define POST                                                                                                 \
    "<node name='post'><Box low='-0.1 0 -0.1' high='0.1 0.15 0.1' translation='0 0.01 0'/><Points/><Skin/>"  \
    "</node>"

#define SPRINGS  "<Springs stiffness='60' damping='0.05'/>"
#define ELEMENTS "<Triangles young='8e3' thickness='0.001'/><EdgeDamping damping='0.05'/>"

// At ever different moments of a beat, m/s.
static inline double fastest(TacWorld *world, const char *path, int moments) {
    double most = 0;
    size_t count = tac_world_point_count(world, tac_world_find(world, path));
    for (int k = 0; k < moments; k++) {
        advance(world, 1.3e-3);
        const double *v = speeds(world, path);
        for (size_t i = 0; i < count; i++) most = fmax(most, tac_norm(tac_load3(v + 3 * i)));
    }
    return most;
}

#endif
