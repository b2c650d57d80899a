// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus new: a first scene to change, with a comment for every line that needs one.

#define _GNU_SOURCE
#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int new_scene(int argc, char **argv);

const AppCommand app_new_command = {
    .name = "new",
    .arguments = "NAME",
    .summary = "writes a commented scene to start from",
    .text =
        "Writes NAME.tac: a soft block and a quick ball over a floor, each on its own clock, with a comment "
        "for each part. A file that exists is never overwritten.",
    .examples = "  tactus new drop            writes drop.tac\n"
                "  tactus new drop && tactus view drop.tac\n",
    .least = 1,
    .most = 1,
    .run = new_scene,
};

static const char *const starter[] = {
    "<!-- A first scene. Try:\n"
    "       tactus view FILE                    watch it, drag things\n"
    "       tactus run FILE                     simulate it into a recording\n"
    "       tactus help run                     the same with other values, as recordings, tables, sweeps\n"
    "       tactus check FILE                   what it is made of; what is wrong with it\n"
    "       tactus components Tetrahedra        what a component can do\n"
    "     Units are SI: m, kg, s, N, Pa. Y points up. -->\n"
    "\n"
    "<!-- dt is the beat: the step of whatever names no other. Gravity is 9.81 m/s^2 downward unless said "
    "otherwise. -->\n"
    "<tactus version=\"1\" title=\"A first scene\" dt=\"0.01\" duration=\"3\">\n"
    "\n"
    "  <!-- Parameters: ${young} below; the options of `tactus run` give it other values. -->\n"
    "  <param name=\"young\" default=\"20000\" doc=\"Young's modulus of the block, in Pa.\"/>\n"
    "  <param name=\"height\" default=\"0.5\" doc=\"From which things fall, in m.\"/>\n"
    "\n",
    "  <!-- An agent: a solver, and all matter in its node. Implicit Euler takes stiff things at large "
    "steps. -->\n"
    "  <node name=\"block\">\n"
    "    <ImplicitEuler/>\n"
    "    <!-- a topology: 5 x 3 x 3 points, cut into tetrahedra -->\n"
    "    <Grid counts=\"5 3 3\" low=\"-0.2 0 -0.1\" high=\"0.2 0.2 0.1\" split=\"true\" translation=\"0 "
    "${height} 0\"/>\n"
    "    <!-- matter at the grid's points, and its mass, from volume and density -->\n"
    "    <Points/>\n"
    "    <DiagonalMass density=\"1000\"/>\n"
    "    <!-- a law: what makes forces from positions. Poisson's ratio near 0.5 is rubber -->\n"
    "    <Tetrahedra young=\"${young}\" poisson=\"0.4\"/>\n"
    "    <!-- another law: a floor that pushes points back. Its normal points up by default -->\n"
    "    <Plane stiffness=\"2000\" damping=\"5\"/>\n"
    "    <Look color=\"0.84 0.40 0.24\"/>\n"
    "  </node>\n"
    "\n",
    "  <!-- Another agent, four times as quick, with a solver that keeps energy. -->\n"
    "  <node name=\"ball\">\n"
    "    <SymplecticEuler step=\"0.0025\"/>\n"
    "    <Points positions=\"0.5 ${2*height} 0\"/>\n"
    "    <UniformMass mass=\"0.1\"/>\n"
    "    <Plane stiffness=\"2000\" radius=\"0.03\"/>\n"
    "    <Look color=\"0.24 0.48 0.76\" radius=\"0.03\"/>\n"
    "    <!-- a number to watch over time: tactus plot RECORDING probe -o height.png -->\n"
    "    <Probe name=\"height\" what=\"y\"/>\n"
    "  </node>\n"
    "\n"
    "  <!-- Where one looks from, and how often frames are recorded. -->\n"
    "  <Camera eye=\"1.2 0.8 1.8\" target=\"0.15 0.3 0\"/>\n"
    "  <Record fps=\"50\"/>\n"
    "</tactus>\n",
};

static int cannot_write(const char *path) {
    const char *slash = errno == ENOENT ? strrchr(path, '/') : NULL;
    if (slash)
        app_say("%.300s cannot be written: there is no folder %.*s; mkdir -p makes it", path,
                (int)(slash - path), path);
    else
        app_say("%.300s: %s", path, strerror(errno));
    return APP_FAILED;
}

static bool write_starter(int file) {
    FILE *out = fdopen(file, "w");
    if (!out) {
        close(file);
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < APP_COUNT(starter); i++) good = fputs(starter[i], out) >= 0 && good;
    good = fchmod(fileno(out), 0644) == 0 && good;
    return fclose(out) == 0 && good;
}

// Written beside its place and then given its name, which fails where that is taken.
static int write_new(const char *path) {
    char *beside;
    if (asprintf(&beside, "%s.XXXXXX", path) < 0) return app_out_of_memory();
    int code = APP_DONE, file = mkstemp(beside);
    if (file < 0) {
        code = cannot_write(path);
        free(beside);
        return code;
    }
    if (!write_starter(file)) {
        code = cannot_write(path);
    } else if (link(beside, path) != 0) {
        code = errno == EEXIST
                   ? app_bad_usage("new", "%.300s exists and is left as it is; take another name", path)
                   : cannot_write(path);
    }
    unlink(beside);
    free(beside);
    return code;
}

static int new_scene(int argc, char **argv) {
    AppTexts arguments = {0};
    int nothing = 0;
    AppParsed parsed = app_parse(&app_new_command, argc, argv, &nothing, &arguments);
    int code = app_parsed_code(parsed);
    if (parsed == APP_PARSED) {
        const char *name = arguments.items[0];
        size_t length = strlen(name);
        char *path;
        if (!length || name[length - 1] == '/')
            code = app_bad_usage("new", "\"%.300s\" is not a name for a file", name);
        else if (asprintf(&path, "%s%s", name, app_has_extension(name, ".tac") ? "" : ".tac") < 0)
            code = app_out_of_memory();
        else {
            code = write_new(path);
            if (code == APP_DONE) {
                fputs("wrote ", stdout);
                app_put(stdout, path);
                fputs("\nnext  tactus view ", stdout);
                app_put_word(stdout, path);
                putchar('\n');
            }
            free(path);
        }
    }
    app_texts_free(&arguments);
    return code;
}
