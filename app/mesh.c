// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus mesh: what a mesh is like, and the repairs that scenes most often need. Tetrahedra are left to Gmsh.

#define _GNU_SOURCE
#include "commands.h"
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct MeshOptions {
    const char *output;
    double weld, scale, size;
    bool orient, tetrahedra, json;
} MeshOptions;

static const AppOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXT,
     .value = "FILE",
     .offset = offsetof(MeshOptions, output),
     .doc = "Where to write the mesh; by extension: .obj .stl .ply .msh .vtk .vtu."},
    {.name = "scale",
     .kind = APP_REAL,
     .value = "X",
     .offset = offsetof(MeshOptions, scale),
     .doc = "Multiplies all lengths: 0.001 makes metres of millimetres.",
     .least = 1e-300,
     .most = 1e300},
    {.name = "weld",
     .kind = APP_REAL,
     .value = "D",
     .offset = offsetof(MeshOptions, weld),
     .doc = "Makes one point of those closer than D, in m after --scale; 0: of those at the same place.",
     .least = 0,
     .most = 1e300},
    {.name = "orient",
     .kind = APP_FLAG,
     .offset = offsetof(MeshOptions, orient),
     .doc =
         "Winds faces so that neighbours agree and closed surfaces face outward; turns inverted elements."},
    {.name = "tetrahedra",
     .kind = APP_FLAG,
     .offset = offsetof(MeshOptions, tetrahedra),
     .doc = "Fills a closed surface with tetrahedra by Gmsh, which must be installed (Debian: apt install "
            "gmsh)."},
    {.name = "size",
     .kind = APP_REAL,
     .value = "L",
     .offset = offsetof(MeshOptions, size),
     .doc =
         "With --tetrahedra: how long edges are at most on the surface, whose triangles are split, and about "
         "so inside, in m; by default the surface stays as it is, and decides.",
     .least = 1e-300,
     .most = 1e300},
    {.name = "json",
     .kind = APP_FLAG,
     .offset = offsetof(MeshOptions, json),
     .doc = "Prints one JSON object."},
};

static int mesh(int argc, char **argv);

const AppCommand app_mesh_command = {
    .name = "mesh",
    .arguments = "IN",
    .summary = "looks at a mesh, repairs it, fills it with tetrahedra",
    .text = "Reports what a mesh file holds: points and elements, whether its surface is closed, manifold "
            "and wound one "
            "way, where it intersects itself, slivers, size in metres, volume. Then does what the options "
            "ask, in the "
            "order scale, weld, orient, tetrahedra, reports on the result, and writes it. Reads OBJ, STL, "
            "PLY, Gmsh, "
            "VTK, VTU.",
    .examples = "  tactus mesh bunny.stl                                   the report\n"
                "  tactus mesh part.stl -o part.obj --scale 0.001 --weld 1e-6 --orient\n"
                "  tactus mesh part.obj -o part.msh --tetrahedra --size 0.02\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 1,
    .most = 1,
    .run = mesh,
};

// --- the report -------------------------------------------------------------------------------------------

enum { MOST_MEETINGS = 10000, MOST_TRIANGLES = 2000000 };

typedef struct Finding {
    TacMeshReport report;
    size_t meetings; // pairs of triangles that meet, up to MOST_MEETINGS
} Finding;

static TacStatus look(const TacMesh *m, Finding *finding, TacError *error) {
    TacStatus status = tac_mesh_report(m, &finding->report, error);
    TacMeeting *meetings = NULL;
    if (status == TAC_OK)
        status = tac_mesh_intersections(m, MOST_MEETINGS, &meetings, &finding->meetings, error);
    free(meetings);
    return status;
}

static void put_fault(bool *good, size_t count, const char *what, const char *more) {
    if (!count) return;
    printf("%s%s%s", *good ? "no: " : ", ", app_number_of(count, what).text, more);
    *good = false;
}

// "yes", or "no: 3 open edges".
static void put_surface(const Finding *f) {
    const TacMeshReport *r = &f->report;
    bool good = true;
    printf("  closed     ");
    put_fault(&good, r->open_edges, "open edge", "");
    puts(good ? "yes" : "");
    good = true;
    printf("  manifold   ");
    put_fault(&good, r->crowded_edges, "edge", " with more than two faces");
    put_fault(&good, r->pinched_points, "point", " where it only touches itself");
    puts(good ? "yes" : "");
    good = true;
    printf("  wound      ");
    put_fault(&good, r->turned_edges, "edge", " whose two faces disagree");
    puts(good ? "one way" : "  (--orient)");
    if (f->meetings)
        printf("  meets      itself, in %s%s of triangles\n", f->meetings >= MOST_MEETINGS ? "at least " : "",
               app_number_of(f->meetings, "pair").text);
    else
        puts("  meets      not itself");
}

static void put_size(const TacMeshReport *r) {
    TacVec3 d = tac_sub(r->high, r->low);
    double longest = fmax(d.x, fmax(d.y, d.z));
    printf("  size       %.4g x %.4g x %.4g m, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)\n", d.x, d.y,
           d.z, r->low.x, r->low.y, r->low.z, r->high.x, r->high.y, r->high.z);
    if (longest >= 50) puts("             that is large; if the file is in millimetres: --scale 0.001");
    if (r->surface_triangles) {
        printf("  surface    %s, %.4g m^2\n", app_elements(r->surface_triangles, TAC_TRIANGLES).text,
               r->area);
        printf("  edges      %.4g to %.4g m\n", r->shortest_edge, r->longest_edge);
    }
}

static void put_report(const char *path, const TacMesh *m, const Finding *f) {
    AppStyle style = app_style(stdout);
    const TacMeshReport *r = &f->report;
    fputs(style.bold, stdout);
    app_put(stdout, path);
    printf("%s: %s", style.off, app_number_of(m->point_count, "point").text);
    for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++)
        if (m->elements[kind].count) printf(", %s", app_elements(m->elements[kind].count, kind).text);
    printf(", in %s", app_number_of(r->parts, "piece").text);
    if (r->unused_points) printf("; %s unused", app_number_of(r->unused_points, "point").text);
    putchar('\n');
    put_size(r);
    if (r->surface_triangles) put_surface(f);
    if (r->surface_triangles)
        printf("  slivers    %s; worst quality %.3g of 1\n", app_count(r->slivers).text, r->worst_quality);
    if (r->inverted) printf("  inverted   %s elements  (--orient)\n", app_count(r->inverted).text);
    if (r->closed && r->oriented)
        printf("  volume     %.6g m^3%s\n", r->volume, r->volume < 0 ? ": it faces inward  (--orient)" : "");
}

static void put_json(const char *path, const TacMesh *m, const Finding *f) {
    const TacMeshReport *r = &f->report;
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "file", path);
    app_json_number(&json, "points", m->point_count);
    for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++)
        app_json_number(&json, tac_element_name(kind), m->elements[kind].count);
    app_json_number(&json, "unused_points", r->unused_points);
    app_json_number(&json, "parts", r->parts);
    app_json_number(&json, "surface_triangles", r->surface_triangles);
    app_json_bool(&json, "closed", r->closed);
    app_json_bool(&json, "manifold", r->manifold);
    app_json_bool(&json, "oriented", r->oriented);
    app_json_number(&json, "open_edges", r->open_edges);
    app_json_number(&json, "crowded_edges", r->crowded_edges);
    app_json_number(&json, "turned_edges", r->turned_edges);
    app_json_number(&json, "pinched_points", r->pinched_points);
    app_json_number(&json, "intersections", f->meetings);
    app_json_number(&json, "slivers", r->slivers);
    app_json_number(&json, "inverted", r->inverted);
    app_json_real(&json, "worst_quality", r->worst_quality);
    app_json_real(&json, "shortest_edge", r->shortest_edge);
    app_json_real(&json, "longest_edge", r->longest_edge);
    app_json_real(&json, "area", r->area);
    app_json_real(&json, "volume", r->volume);
    app_json_vec3(&json, "low", r->low);
    app_json_vec3(&json, "high", r->high);
    app_json_close(&json, '}');
}

// --- tetrahedra -------------------------------------------------------------------------------------------

// A folder of our own, and the files in it.
typedef struct Workshop {
    char *folder, *surface, *steps, *filled, *log;
} Workshop;

static char *inside(const char *folder, const char *name) {
    char *path = NULL;
    return folder && asprintf(&path, "%s/%s", folder, name) >= 0 ? path : NULL;
}

static bool workshop_open(Workshop *w) {
    const char *place = getenv("TMPDIR");
    *w = (Workshop){0};
    if (asprintf(&w->folder, "%s/tactus-mesh-XXXXXX", place && *place ? place : "/tmp") < 0) return false;
    if (!mkdtemp(w->folder)) {
        app_say("%.300s: %s", w->folder, strerror(errno));
        free(w->folder);
        w->folder = NULL;
        return false;
    }
    w->surface = inside(w->folder, "surface.msh");
    w->steps = inside(w->folder, "steps.geo");
    w->filled = inside(w->folder, "filled.msh");
    w->log = inside(w->folder, "log");
    return w->surface && w->steps && w->filled && w->log;
}

static void workshop_close(Workshop *w) {
    char *files[] = {w->surface, w->steps, w->filled, w->log};
    for (size_t i = 0; i < APP_COUNT(files); i++) {
        if (files[i]) unlink(files[i]);
        free(files[i]);
    }
    if (w->folder) rmdir(w->folder);
    free(w->folder);
}

// What Gmsh is told: take the surface as it is given, and fill it.
static bool write_steps(const Workshop *w, double size) {
    FILE *out = fopen(w->steps, "w");
    if (!out) return false;
    fputs("Merge \"surface.msh\";\nSurface Loop(1) = Surface{:};\nVolume(1) = {1};\n"
          "Mesh.Optimize = 1;\n",
          out);
    if (!isnan(size)) fprintf(out, "Mesh.CharacteristicLengthMax = %.17g;\n", size);
    return fclose(out) == 0;
}

// The last line of the log that says what went wrong.
static void put_gmsh_error(const Workshop *w) {
    char *line = NULL, error[200] = "";
    size_t size = 0;
    FILE *log = fopen(w->log, "r");
    while (log && getline(&line, &size, log) > 0)
        if (!strncmp(line, "Error", 5)) snprintf(error, sizeof error, "%.*s", (int)strcspn(line, "\n"), line);
    if (log) fclose(log);
    free(line);
    app_say("gmsh could not fill the surface%s%s", *error ? ": " : "", error);
}

static int run_gmsh(const Workshop *w) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, w->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    char *words[] = {"gmsh", "-3", "-nt", "1", "-format", "msh22", "-o", w->filled, w->steps, NULL};
    pid_t child;
    app_catch_interrupt();
    int failed = posix_spawnp(&child, "gmsh", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT) {
        app_say("--tetrahedra needs gmsh, and it is not installed (Debian: apt install gmsh)");
        return APP_FAILED;
    }
    if (failed) {
        app_say("gmsh: %s", strerror(failed));
        return APP_FAILED;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (app_interrupted()) return APP_STOPPED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        app_say("--tetrahedra needs gmsh, and it is not installed (Debian: apt install gmsh)");
        return APP_FAILED;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(w->filled, R_OK) == 0) return APP_DONE;
    put_gmsh_error(w);
    return APP_FAILED;
}

// A mesh of the surface's triangles alone, as fine as the tetrahedra shall be: what Gmsh is given.
static TacStatus write_surface(const TacMesh *m, double size, const char *path, TacError *error) {
    int32_t *triangles;
    size_t counts[TAC_ELEMENT_KINDS] = {0};
    TacStatus status = tac_mesh_surface(m, &triangles, &counts[TAC_TRIANGLES], error);
    if (status != TAC_OK) return status;
    TacMesh surface = {0};
    status = tac_mesh_create(&surface, m->point_count, counts, error);
    if (status == TAC_OK) {
        memcpy(surface.points, m->points, 3 * m->point_count * sizeof *m->points);
        memcpy(surface.elements[TAC_TRIANGLES].indices, triangles,
               3 * counts[TAC_TRIANGLES] * sizeof *triangles);
    }
    free(triangles);
    if (status == TAC_OK && !isnan(size)) status = tac_mesh_refine(&surface, size, MOST_TRIANGLES, error);
    if (status == TAC_OK) status = tac_mesh_write(&surface, path, error);
    tac_mesh_destroy(&surface);
    return status;
}

// Tetrahedra and their points, and nothing else that Gmsh wrote.
static TacStatus keep_tetrahedra(TacMesh *m, const TacMesh *filled, TacError *error) {
    size_t counts[TAC_ELEMENT_KINDS] = {[TAC_TETRAHEDRA] = filled->elements[TAC_TETRAHEDRA].count}, used = 0;
    const int32_t *corners = filled->elements[TAC_TETRAHEDRA].indices;
    int32_t *number = malloc(filled->point_count * sizeof *number + 1);
    if (!number) {
        snprintf(error->message, sizeof error->message, "not enough memory");
        return error->status = TAC_NO_MEMORY;
    }
    for (size_t i = 0; i < filled->point_count; i++) number[i] = -1;
    for (size_t i = 0; i < 4 * counts[TAC_TETRAHEDRA]; i++)
        if (number[corners[i]] < 0) number[corners[i]] = 0, used++;
    TacStatus status = tac_mesh_create(m, used, counts, error);
    int32_t next = 0;
    for (size_t i = 0; status == TAC_OK && i < filled->point_count; i++) {
        if (number[i] < 0) continue;
        memcpy(m->points + 3 * (size_t)next, filled->points + 3 * i, 3 * sizeof(double));
        number[i] = next++;
    }
    for (size_t i = 0; status == TAC_OK && i < 4 * counts[TAC_TETRAHEDRA]; i++)
        m->elements[TAC_TETRAHEDRA].indices[i] = number[corners[i]];
    free(number);
    return status;
}

static int take_filled(TacMesh *m, const Workshop *w) {
    TacError error;
    TacMesh filled, made = {0};
    if (tac_mesh_read(&filled, w->filled, &error) != TAC_OK) return app_report(&error);
    int code = APP_DONE;
    if (!filled.elements[TAC_TETRAHEDRA].count) {
        put_gmsh_error(w);
        code = APP_FAILED;
    } else if (keep_tetrahedra(&made, &filled, &error) != TAC_OK ||
               tac_mesh_orient(&made, NULL, &error) != TAC_OK) {
        code = app_report(&error);
        tac_mesh_destroy(&made);
    }
    tac_mesh_destroy(&filled);
    if (code != APP_DONE) return code;
    tac_mesh_destroy(m);
    *m = made;
    return APP_DONE;
}

// Gmsh would say less clearly, or not at all, what is wrong with a surface.
static int check_fillable(const TacMesh *m) {
    Finding f;
    TacError error;
    if (look(m, &f, &error) != TAC_OK) return app_report(&error);
    const char *fault = !f.report.surface_triangles ? "there is no surface"
                        : !f.report.closed          ? "its surface is not closed (--weld may close seams)"
                        : !f.report.manifold        ? "its surface is not manifold"
                        : f.meetings                ? "its surface meets itself"
                                                    : NULL;
    if (!fault) return APP_DONE;
    app_say("it cannot be filled with tetrahedra: %s", fault);
    return APP_BAD_INPUT;
}

static int fill(TacMesh *m, double size) {
    int code = check_fillable(m);
    if (code != APP_DONE) return code;
    Workshop w;
    TacError error;
    if (!workshop_open(&w))
        code = APP_FAILED;
    else if (write_surface(m, size, w.surface, &error) != TAC_OK)
        code = app_report(&error);
    else if (!write_steps(&w, size)) {
        app_say("%.300s: %s", w.steps, strerror(errno));
        code = APP_FAILED;
    } else {
        code = run_gmsh(&w);
        if (code == APP_DONE) code = take_filled(m, &w);
    }
    workshop_close(&w);
    return code;
}

// --- the command ------------------------------------------------------------------------------------------

static int work(TacMesh *m, const MeshOptions *o) {
    TacError error;
    if (o->scale != 1)
        tac_mesh_transform(m, tac_vec3(o->scale, o->scale, o->scale), tac_vec3(0, 0, 0), tac_vec3(0, 0, 0));
    if (!isnan(o->weld) && tac_mesh_weld(m, o->weld, &error) != TAC_OK) return app_report(&error);
    if (o->orient && tac_mesh_orient(m, NULL, &error) != TAC_OK) return app_report(&error);
    return o->tetrahedra ? fill(m, o->size) : APP_DONE;
}

static bool holds_solids(const char *path) {
    return app_has_extension(path, ".msh") || app_has_extension(path, ".vtk") ||
           app_has_extension(path, ".vtu");
}

static int look_and_write(const char *path, TacMesh *m, const MeshOptions *o) {
    int code = work(m, o);
    if (code != APP_DONE) return code;
    Finding finding;
    TacError error;
    if (look(m, &finding, &error) != TAC_OK) {
        if (!*error.file) snprintf(error.file, sizeof error.file, "%s", path);
        return app_report(&error);
    }
    if (o->output && tac_mesh_write(m, o->output, &error) != TAC_OK) return app_report(&error);
    const char *name = o->output ? o->output : path;
    if (o->json)
        put_json(name, m, &finding);
    else
        put_report(name, m, &finding);
    size_t solids = m->elements[TAC_TETRAHEDRA].count + m->elements[TAC_HEXAHEDRA].count;
    if (o->output && solids && !o->json && !holds_solids(o->output))
        printf("  written    its surface alone: %s holds no tetrahedra or hexahedra\n",
               strrchr(o->output, '.'));
    return APP_DONE;
}

static int check(const MeshOptions *o) {
    const char *const extensions[] = {".obj", ".stl", ".ply", ".msh", ".vtk", ".vtu"};
    bool known = !o->output;
    for (size_t i = 0; o->output && i < APP_COUNT(extensions); i++)
        known = known || app_has_extension(o->output, extensions[i]);
    if (!known)
        return app_bad_usage("mesh", "-o %.300s: the extension must be .obj, .stl, .ply, .msh, .vtk or .vtu",
                             o->output);
    if (!isnan(o->size) && !o->tetrahedra) return app_bad_usage("mesh", "--size needs --tetrahedra");
    if (o->tetrahedra && o->output && !holds_solids(o->output))
        return app_bad_usage("mesh", "-o %.300s: tetrahedra need .msh, .vtk or .vtu", o->output);
    return APP_DONE;
}

static int mesh(int argc, char **argv) {
    MeshOptions o = {.weld = NAN, .scale = 1, .size = NAN};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_mesh_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? check(&o) : app_parsed_code(parsed);
    if (parsed == APP_PARSED && code == APP_DONE) {
        TacMesh m;
        TacError error;
        if (tac_mesh_read(&m, arguments.items[0], &error) != TAC_OK) {
            code = app_report(&error);
        } else {
            code = look_and_write(arguments.items[0], &m, &o);
            tac_mesh_destroy(&m);
        }
    }
    app_texts_free(&arguments);
    return code;
}
