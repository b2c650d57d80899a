// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Polygons from the triangles of a hull: triangles that lie in one plane within a tolerance become one face,
// bounded by the edges across which the plane changes. A group whose border is not one ring stays triangles.

#include "geometry/convex_hull.h"

typedef struct Groups {
    uint32_t *group;  // of each triangle
    uint32_t *stack;  // triangles to visit; in the end, the members of the group at hand
    uint32_t *loop;   // vertices of the face at hand
    uint32_t *starts; // of faces in `vertices`
    uint32_t *vertices;
    double *normals;
    size_t faces, used;
} Groups;

static bool lies_in(const TacPolyhedron *polyhedron, const TacHullFace *plane, const TacHullFace *face,
                    double tolerance) {
    for (int i = 0; i < 3; i++) {
        double height =
            tac_dot(plane->normal, tac_cloud_at(&polyhedron->vertices, face->corner[i])) - plane->offset;
        if (!(fabs(height) <= tolerance)) return false;
    }
    return tac_dot(plane->normal, face->normal) > 0;
}

// The triangles in one plane with the first, by neighbourhood. Returns how many.
static size_t gather(const TacPolyhedron *polyhedron, const TacHull *hull, Groups *groups, uint32_t first,
                     double tolerance) {
    size_t count = 0;
    groups->stack[count++] = first;
    groups->group[first] = first;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t next = hull->faces[groups->stack[i]].neighbour[k];
            if (groups->group[next] != TAC_HULL_NONE) continue;
            if (!lies_in(polyhedron, &hull->faces[first], &hull->faces[next], tolerance)) continue;
            groups->group[next] = first;
            groups->stack[count++] = next;
        }
    return count;
}

static uint32_t entry(const TacHullFace *face, uint32_t corner) {
    return face->corner[0] == corner ? 0 : face->corner[1] == corner ? 1 : 2;
}

// Walks the border of the group from one of its edges. Returns the number of edges walked, at most `limit`.
static size_t walk_border(const TacHull *hull, const Groups *groups, uint32_t face, uint32_t side,
                          size_t limit, uint32_t *loop) {
    uint32_t first_face = face, first_side = side, group = groups->group[face];
    size_t count = 0;
    do {
        loop[count++] = hull->faces[face].corner[side];
        // turn about the end of the edge until the next border edge
        uint32_t corner = hull->faces[face].corner[(side + 1) % 3];
        side = (side + 1) % 3;
        for (size_t turn = 0; turn < limit && groups->group[hull->faces[face].neighbour[side]] == group;
             turn++) {
            face = hull->faces[face].neighbour[side];
            side = entry(&hull->faces[face], corner);
        }
    } while ((face != first_face || side != first_side) && count < limit);
    return count;
}

static void store_face(Groups *groups, TacVec3 normal, const uint32_t *loop, size_t count) {
    tac_store3(groups->normals + 3 * groups->faces, normal);
    groups->starts[groups->faces++] = (uint32_t)groups->used;
    memcpy(groups->vertices + groups->used, loop, count * sizeof *loop);
    groups->used += count;
}

static void store_group(const TacHull *hull, Groups *groups, size_t members, uint32_t first) {
    size_t border = 0;
    uint32_t face = 0, side = 0;
    for (size_t i = 0; i < members; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (groups->group[hull->faces[groups->stack[i]].neighbour[k]] != first) {
                face = groups->stack[i];
                side = k;
                border++;
            }
    size_t walked = border >= 3 ? walk_border(hull, groups, face, side, 3 * members, groups->loop) : 0;
    if (walked == border && border >= 3) {
        store_face(groups, hull->faces[first].normal, groups->loop, border);
        return;
    }
    for (size_t i = 0; i < members; i++) {
        const TacHullFace *triangle = &hull->faces[groups->stack[i]];
        store_face(groups, triangle->normal, triangle->corner, 3);
    }
}

TacStatus tac_hull_merge_faces(TacPolyhedron *polyhedron, const TacHull *hull, double tolerance,
                               TacError *error) {
    size_t n = hull->count;
    TacArena scratch = {0};
    Groups groups = {.group = tac_arena_array(&scratch, n, sizeof(uint32_t)),
                     .stack = tac_arena_array(&scratch, n, sizeof(uint32_t)),
                     .loop = tac_arena_array(&scratch, 3 * n, sizeof(uint32_t)),
                     .normals = tac_arena_array(&scratch, 3 * n, sizeof(double)),
                     .starts = tac_arena_array(&polyhedron->arena, n + 1, sizeof(uint32_t)),
                     .vertices = tac_arena_array(&polyhedron->arena, 3 * n, sizeof(uint32_t))};
    TacStatus status = TAC_OK;
    if (!groups.group || !groups.stack || !groups.loop || !groups.normals || !groups.starts ||
        !groups.vertices)
        status = tac_fail_memory(error, 12 * n * sizeof(uint32_t));
    if (status == TAC_OK) {
        memset(groups.group, 0xff, n * sizeof(uint32_t));
        for (uint32_t f = 0; f < n; f++)
            if (groups.group[f] == TAC_HULL_NONE)
                store_group(hull, &groups, gather(polyhedron, hull, &groups, f, tolerance), f);
        groups.starts[groups.faces] = (uint32_t)groups.used;
        polyhedron->face_start = groups.starts;
        polyhedron->face_vertices = groups.vertices;
        status = tac_cloud_create(&polyhedron->arena, &polyhedron->normals, groups.normals, NULL,
                                  groups.faces, error);
    }
    tac_arena_destroy(&scratch);
    return status;
}
