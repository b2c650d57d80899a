// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Builds of safe contact that are broken on purpose (TACTUS_SABOTAGE, in cmake/tests.cmake), each of which the audit
// must catch: layers that are never armed, certificates that are looked at late, arcs that are taken for straight, wires that
// coarsen whatever is in the way.
// `sabotage caught` demands a violation in some scene, `sabotage clean` (the unbroken build) none in any.

#include "tactus/tactus.h"

#include <stdio.h>
#include <string.h>

static const char *const scenes[] = {
    // a fast ball, and a cloth in its way
    "<tactus version='1' gravity='0 0 0'><Contact thickness='0.002'/>"
    "<node name='ball'><Points positions='0.013 0.5 0.017' velocities='0 -20 0'/><UniformMass mass='0.1'/>"
    "<Balls radius='0.03'/></node>"
    "<node name='cloth'><SymplecticEuler step='0.0025'/><Sheet divisions='6' width='0.4' "
    "depth='0.4'/><Points/>"
    "<UniformMass mass='0.01'/><Springs stiffness='50'/><Skin/></node></tactus>",
    // a tip on a turning arm, and a plate beside its way: straight ahead it would pass, the arc leads into the plate
    "<tactus version='1' gravity='0 0 0'><Contact thickness='0.0002' speed='5'/>"
    "<node name='arm'><Frames positions='0 0 0 0 0 -0.0499792 0.9987503' velocities='0 0 0 0 0 20'/>"
    "<UniformMass mass='1' box='1 0.3 0.3'/><node name='tip'>"
    "<Box low='0.46 -0.0005 -0.002' high='0.48 0.0005 0.002'/><Points/><RigidMap/><Skin/></node></node>"
    "<node name='plate'><Sheet divisions='1' width='0.23' depth='0.1' rotation='0 0 90' "
    "translation='0.4585 0.085 0'/><Points/><Skin/></node></tactus>",
    // a wire around a post that wants to be straight
    "<tactus version='1' gravity='0 0 0'><Contact thickness='0.004'/><node name='post'><Box low='-0.05 -0.05 "
    "-1' "
    "high='0.05 0.05 1'/><Points/><FixedPoints box='-2 -2 -2 2 2 2'/><Skin/></node><node name='n'><Spook/>"
    "<Line divisions='2'/><Points positions='-0.5 -0.5 0 0 0.3 0 0.5 -0.5 0'/><Wire mass='1' "
    "weight_accuracy='0' "
    "level='1'/><Skin radius='0.003'/></node></tactus>",
};

static size_t violations_of(const char *text) {
    TacScene *scene;
    TacWorld *world = NULL;
    TacError error = {0};
    TacWorldDef def = tac_world_def_default();
    if (tac_scene_create(&scene, &error) != TAC_OK ||
        tac_scene_parse(scene, "sabotage.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK || tac_world_audit(world, &error) != TAC_OK ||
        tac_world_advance(world, 0.1, &error) != TAC_OK)
        fprintf(stderr, "%s\n", error.message);
    if (!world) return 0;
    TacAuditSummary audit = tac_world_audit_summary(world);
    char line[512];
    if (audit.violations) printf("%s\n", tac_world_audit_violation(world, 0, line, sizeof line));
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return audit.violations;
}

int main(int argc, char **argv) {
    size_t found = 0;
    if (argc != 2) return 2;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) found += violations_of(scenes[i]);
    printf("%zu violations\n", found);
    return strcmp(argv[1], "caught") ? found > 0 : found == 0;
}
