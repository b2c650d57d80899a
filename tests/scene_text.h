// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pieces that scenes in tests are written with.

#ifndef TACTUS_TESTS_SCENE_TEXT_H
#define TACTUS_TESTS_SCENE_TEXT_H

#define SCENE(content)    "<tactus version='1' dt='0.01'>" content "</tactus>"
#define IN_NODE(content)  SCENE("<node name='n'>" content "</node>")
#define THREE_POINTS      "<Points positions='0 0 0 1 0 0 1 1 0'/>"
#define SMALL_AGENT(rest) IN_NODE("<SymplecticEuler/>" THREE_POINTS "<UniformMass mass='2'/>" rest)

#endif
