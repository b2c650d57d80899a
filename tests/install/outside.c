// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A program outside of the house: uses an installed Tactus as anybody would. It calls into parts of the
// library that stand on zlib and cairo, so that linking fails when the installed package forgets to name
// them.

#include <tactus/base.h>
#include <tactus/geometry.h>
#include <tactus/record.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", TAC_VERSION_MAJOR, TAC_VERSION_MINOR, TAC_VERSION_PATCH);
    if (strcmp(version, tac_version()) != 0) {
        printf("headers are of version %s, the library is of version %s\n", version, tac_version());
        return 1;
    }

    // an icosahedron has 5 (3 + sqrt 5) / 12 times the cube of its edge, which is 1 / sin 72 degrees at
    // radius 1
    TacMesh mesh = {0};
    TacError error;
    if (tac_mesh_icosphere(&mesh, 0, 1.0, &error) != TAC_OK) {
        printf("no mesh: %s\n", error.message);
        return 1;
    }
    double volume = tac_mesh_volume(&mesh);
    tac_mesh_destroy(&mesh);
    if (!(fabs(volume - 2.536150710) < 1e-6)) {
        printf("an icosahedron of volume %g\n", volume);
        return 1;
    }

    // a recording that is not there, and what would be made of it
    TacRecording *recording = NULL;
    TacPlotDef plot = tac_plot_def_default();
    if (tac_recording_open(&recording, "/nowhere/nothing.tacrec", &error) == TAC_OK) {
        return tac_recording_plot(recording, &plot, "plot.png", &error) == TAC_OK ? 1 : 2;
    }
    printf("tactus %s, from outside\n", tac_version());
    return 0;
}
