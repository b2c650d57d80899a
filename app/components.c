// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus components and tactus schema: what scenes can be made of, from the tables of the classes themselves.

#include "commands.h"

#include <string.h>

typedef struct ComponentsOptions {
    AppTexts plugins;
    bool all;
} ComponentsOptions;

static const AppOption options[] = {
    {.name = "plugin",
     .kind = APP_TEXTS,
     .value = "FILE",
     .offset = offsetof(ComponentsOptions, plugins),
     .doc = "Also the components of this shared object (.so). It is code: only load what you trust."},
    // what follows is of `components` alone
    {.name = "all",
     .kind = APP_FLAG,
     .offset = offsetof(ComponentsOptions, all),
     .doc = "The pages of all components as one, in Markdown: what docs/components.md is."},
};

static int components(int argc, char **argv);
static int schema(int argc, char **argv);

const AppCommand app_components_command = {
    .name = "components",
    .arguments = "[NAME]",
    .summary = "lists the components, or shows the page of one",
    .text =
        "Lists all components that scenes can use, by their kind; with a name, shows that one's page: what "
        "it does and all of its attributes with their units and defaults.",
    .examples = "  tactus components\n"
                "  tactus components Springs\n"
                "  tactus components --plugin ./wind.so Wind\n"
                "  tactus components --all > components.md\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 0,
    .most = 1,
    .run = components,
};

const AppCommand app_schema_command = {
    .name = "schema",
    .arguments = "",
    .summary = "prints the RELAX NG schema of scene files, for editors",
    .text = "Prints the RELAX NG schema of .tac files. Editors complete and check scenes with it.",
    .examples = "  tactus schema > tactus.rng\n"
                "  xmllint --noout --relaxng tactus.rng beam.tac\n",
    .options = options,
    .option_count = 1,
    .least = 0,
    .most = 0,
    .run = schema,
};

static bool put(void *data, const char *text, size_t length) {
    (void)data;
    return fwrite(text, 1, length, stdout) == length;
}

// The first sentence of a description; abbreviations do not end it, for a capital must follow.
static int first_sentence(const char *doc) {
    for (const char *p = doc; *p; p++)
        if (*p == '.' && (!p[1] || (p[1] == ' ' && p[2] >= 'A' && p[2] <= 'Z'))) return (int)(p - doc) + 1;
    return (int)strlen(doc);
}

static void list_kind(const TacScene *scene, TacComponentKind kind) {
    AppStyle style = app_style(stdout);
    bool any = false;
    for (size_t i = 0; i < tac_scene_class_count(scene); i++) {
        const TacClass *cls = tac_scene_class(scene, i);
        if (cls->kind != kind) continue;
        if (!any) printf("%s%s%s\n", style.bold, tac_component_kind_name(kind), style.off);
        any = true;
        char about[400];
        snprintf(about, sizeof about, "%.*s", first_sentence(cls->doc), cls->doc);
        app_put_row(cls->name, 20, about);
    }
}

static int show(const TacScene *scene, const char *name) {
    if (tac_scene_find_class(scene, name)) {
        tac_scene_reference(scene, name, put, NULL);
        return APP_DONE;
    }
    const char *near = tac_scene_nearest_class(scene, name);
    return app_bad_usage("components", "there is no component \"%.100s\"%s%s%s", name,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int components(int argc, char **argv) {
    ComponentsOptions o = {0};
    AppTexts arguments = {0};
    TacScene *scene = NULL;
    AppParsed parsed = app_parse(&app_components_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? app_create_scene(&scene, &o.plugins) : app_parsed_code(parsed);
    if (scene && arguments.count)
        code = show(scene, arguments.items[0]);
    else if (scene && o.all)
        tac_scene_reference(scene, NULL, put, NULL);
    else if (scene)
        for (int kind = 0; kind < TAC_KIND_COUNT; kind++) list_kind(scene, (TacComponentKind)kind);
    tac_scene_destroy(scene);
    app_texts_free(&arguments);
    app_free_values(&app_components_command, &o);
    return code;
}

static int schema(int argc, char **argv) {
    ComponentsOptions o = {0};
    AppTexts arguments = {0};
    TacScene *scene = NULL;
    AppParsed parsed = app_parse(&app_schema_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? app_create_scene(&scene, &o.plugins) : app_parsed_code(parsed);
    if (scene) tac_scene_schema(scene, put, NULL);
    tac_scene_destroy(scene);
    app_texts_free(&arguments);
    app_free_values(&app_schema_command, &o);
    return code;
}
