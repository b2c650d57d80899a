// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fuzzes every reader of mesh files. The first byte of an input chooses the extension, the rest is the file.
// A mesh that is accepted must be valid and survive what is usually done with one.

#include "tactus/geometry.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"m.obj", "m.stl", "m.ply", "m.sph", "m.msh", "m.vtk", "m.vtu", "m"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    TacMesh mesh;
    TacError error = {0};
    const char *name = names[data[0] % (sizeof names / sizeof names[0])];
    if (tac_mesh_parse(&mesh, name, data + 1, size - 1, &error) != TAC_OK) {
        if (mesh.points || !error.message[0]) abort();
        return 0;
    }
    int32_t *list = NULL;
    size_t count;
    TacMeshReport report;
    if (tac_mesh_validate(&mesh, NULL) != TAC_OK) abort();
    if (tac_mesh_surface(&mesh, &list, &count, NULL) == TAC_OK) free(list);
    if (tac_mesh_all_edges(&mesh, &list, &count, NULL) == TAC_OK) free(list);
    if (tac_mesh_report(&mesh, &report, NULL) != TAC_OK) abort();
    // once wound one way, there is nothing left to turn
    if (tac_mesh_orient(&mesh, NULL, NULL) == TAC_OK &&
        (tac_mesh_orient(&mesh, &count, NULL) != TAC_OK || count != 0))
        abort();
    if (tac_mesh_split(&mesh, NULL) != TAC_OK || tac_mesh_weld(&mesh, 1e-3, NULL) != TAC_OK) abort();
    if (tac_mesh_validate(&mesh, NULL) != TAC_OK) abort();
    tac_mesh_destroy(&mesh);
    return 0;
}
