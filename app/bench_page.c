// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The page of `tactus bench`: all rows, with the date, the machine, and the versions of compiler and peers, and where
// figures that were not measured here come from. Made of text only, so that two runs can be compared by `diff`.

#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 512, MOST_KEPT = 1 << 20 };

const char *app_bench_page_path(void) {
    bool source = access("docs", W_OK) == 0 && access("app/bench.c", R_OK) == 0;
    return source ? "docs/benchmarks.md" : "benchmarks.md";
}

// --- the machine ------------------------------------------------------------------------------------------

static void cut_end(char *text) {
    size_t n = strlen(text);
    while (n && strchr("\n\r\" ", text[n - 1])) text[--n] = 0;
}

// What follows `key` and `between` in the first line of a file that begins with the key; "unknown" without one.
static void find_line(const char *path, const char *key, const char *between, char out[LINE]) {
    char line[LINE];
    FILE *file = fopen(path, "r");
    snprintf(out, LINE, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        const char *value = strstr(line, between);
        if (!value) continue;
        snprintf(out, LINE, "%s", value + strlen(between));
        cut_end(out);
        break;
    }
    if (file) fclose(file);
}

static void put_machine(FILE *page, double load) {
    char processor[LINE], system[LINE], date[64];
    find_line("/proc/cpuinfo", "model name", ": ", processor);
    find_line("/etc/os-release", "PRETTY_NAME", "=\"", system);
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%Y-%m-%d", &parts);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 0x1p30;
    fprintf(page, "| | |\n|---|---|\n| date | %s |\n| processor | %s, %ld cores in use |\n", date, processor,
            sysconf(_SC_NPROCESSORS_ONLN));
    fprintf(page, "| memory | %.0f GiB |\n| system | %s |\n", memory, system);
    fprintf(page, "| load before | %.1f |\n", load);
    fprintf(page, "| Tactus | %s, compiled by %s %s |\n", tac_version(),
#ifdef __clang__
            "clang",
#else
            "gcc",
#endif
            __VERSION__);
}

// Debian's packages of the peers, where they are installed.
static void put_peers(FILE *page) {
    static const char command[] = "dpkg-query -W -f='${db:Status-Abbrev} ${Package} ${Version}\\n' lammps "
                                  "libccd-dev libfcl-dev libode-dev libbullet-dev libmujoco-dev 2>/dev/null";
    char line[LINE];
    const char *between = "";
    FILE *pipe = popen(command, "r");
    fputs("| peers | ", page);
    while (pipe && fgets(line, sizeof line, pipe)) {
        if (strncmp(line, "ii", 2) != 0) continue;
        cut_end(line);
        fprintf(page, "%s%s", between, line + 2 + strspn(line + 2, " "));
        between = ", ";
    }
    if (pipe) pclose(pipe);
    fprintf(page, "%s |\n\n", *between ? "" : "none is installed as a package of Debian");
}

// --- the table --------------------------------------------------------------------------------------------

static void put_rows(FILE *page, const AppBench *bench) {
    fputs("| bench | scene | ours | unit | other | which is | ratio | threads |\n"
          "|---|---|---:|---|---:|---|---:|---:|\n",
          page);
    for (size_t i = 0; i < bench->row_count; i++) {
        const AppBenchRow *row = &bench->rows[i];
        fprintf(page, "| %s | %s | %s | %s |", row->name, row->scene, app_bench_figure(row->ours).text,
                row->unit);
        if (row->other[0])
            fprintf(page, " %s | %s | %.2f |", app_bench_figure(row->theirs).text, row->other,
                    app_bench_ratio(row));
        else
            fputs(" | | |", page);
        fprintf(page, " %d |\n", row->threads);
    }
    fputs("\nA ratio above 1 means that ours is better. One ratio stands for each benchmark:\n\n", page);
    for (size_t i = 0; i < bench->result_count; i++) {
        const AppBenchResult *result = &bench->results[i];
        if (result->code == APP_DONE)
            fprintf(page, "- %s: %.3f, %s\n", result->name, result->ratio, result->basis);
        else
            fprintf(page, "- %s: did not run here (a peer or its files are missing)\n", result->name);
    }
}

// Where figures come from that were not measured in the same run.
static const char *const sources[] = {
    "\n## Where the figures of others come from\n\n",
    "Times of one thread are those of the processor, times of several are those of the wall clock. Peers "
    "named without\n",
    "\"published\" ran on this machine in the same run, from the same start, and took turns with ours.\n\n",
    "- **fem**: SOFA's own performance tests: column `TimeStep_mean` of the files in `old_results/` of\n",
    "  [sofa-framework/PerformanceRegression](https://github.com/sofa-framework/PerformanceRegression), "
    "2026;\n",
    "  1,000 steps in five runs on an Intel Core i7-4790K (4.0 to 4.4 GHz, 16 GB, Ubuntu 24.04, gcc 13.3), "
    "one\n",
    "  thread. They differ a little from one version to the next: the file of 2026-09-13 has 3.43, 2.51, "
    "5.92\n",
    "  and 1.19 ms for the first three rows and the liver. Its figure of the liver is that of\n",
    "  FixedProjectiveConstraint.scn: the mesh, the step and the 25 iterations of Demos/liver.scn, which "
    "runs\n",
    "  here, with another class of element. That processor is of 2014: on a newer one SOFA would be faster\n",
    "  too, so these ratios flatter.\n",
    "- **audio**: the figure of 1,800 modules is stated in the project's requirements; it was not found in "
    "print. What is\n",
    "  printed, both on an Intel i7-8850H (2018, 2.6 GHz): a net of 506 masses and 965 interactions in one "
    "dimension takes 67 %\n",
    "  of a core at 44.1 kHz, and 1,000 masses could not be compiled (Leonard and Villeneuve, *MI-GEN~: an "
    "efficient and\n",
    "  accessible mass-interaction sound synthesis toolbox*, Sound and Music Computing Conference 2019, "
    "table 1); and a model\n",
    "  of 172 masses and 536 interactions in three dimensions runs at 44.1 kHz (Villeneuve and Leonard, "
    "*Mass-interaction\n",
    "  physical models for sound and multi-sensory creation: starting anew*, the same conference, figure "
    "4).\n",
    "- **agents**: *Asynchronous Interactive Physical Simulation*, section 6.1: a mean delay of 8.5 ms, none "
    "above 16 ms, on a\n",
    "  machine that it does not name. Ours do not depend on the machine: they are taken on a virtual "
    "clock.\n",
    "- **safe**: the document on safe contact, its paragraphs on timing: of its reef knot's run, on one "
    "thread of an Intel Xeon\n",
    "  at 3.06 GHz with 4 GB, elastic forces and gravity took 4.8 %, so contact made it about 20 times "
    "slower. A factor on its\n",
    "  machine beside a factor on ours. Its vague trajectories made knot and compactor about 30 % faster. "
    "The "
    "compactor beside\n",
    "  *Incremental Potential Contact* (Li and others, 2020): its published code on one thread of a machine "
    "of "
    "this kind took 15 s\n",
    "  for 0.01 s of a tetrahedral body of 6,000 vertices at 10 kPa between six walls at 1 m/s.\n",
    "- **wires**: no peer; the reference is our own full resolution at a twentieth of the step.\n",
};

// --- writing ----------------------------------------------------------------------------------------------

// What follows the line APP_BENCH_BY_HAND in the page that is there; NULL without one. To be freed.
static char *read_kept(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    char *text = malloc(MOST_KEPT), *kept = NULL;
    size_t n = text ? fread(text, 1, MOST_KEPT - 1, file) : 0;
    if (text) {
        text[n] = 0;
        const char *found = strstr(text, APP_BENCH_BY_HAND);
        if (found) kept = strdup(found + strlen(APP_BENCH_BY_HAND));
    }
    free(text);
    fclose(file);
    return kept;
}

static void put_page(FILE *page, const AppBench *bench, const char *kept) {
    fputs("<!-- SPDX-FileCopyrightText: The Tactus authors -->\n<!-- SPDX-License-Identifier: MIT -->\n"
          "# Benchmarks\n\nWritten by `tactus bench`, which runs them all; `tactus bench NAME` runs one. "
          "What the "
          "figures mean, and\nwhere the time goes: [performance.md](performance.md).\n\n",
          page);
    put_machine(page, bench->load);
    put_peers(page);
    if (bench->load > 0.5)
        fputs("The machine had other work to do: rows of two threads are lower bounds.\n\n", page);
    if (bench->options.quick) fputs("**Measured with `--quick`: shorter runs, coarser figures.**\n\n", page);
    put_rows(page, bench);
    for (size_t i = 0; i < APP_COUNT(sources); i++) fputs(sources[i], page);
    fprintf(page, "\n%s%s", APP_BENCH_BY_HAND, kept ? kept : "\n");
}

int app_bench_write_page(const AppBench *bench, const char *path) {
    char beside[4096];
    if ((size_t)snprintf(beside, sizeof beside, "%s.new", path) >= sizeof beside)
        return app_bad_usage("bench", "the name of the page is too long");
    char *kept = read_kept(path);
    FILE *page = fopen(beside, "w");
    if (page) put_page(page, bench, kept);
    free(kept);
    bool failed = !page || ferror(page);
    if (page && fclose(page) != 0) failed = true;
    if (!failed && rename(beside, path) == 0) {
        printf("Written to %s.\n", path);
        return APP_DONE;
    }
    app_say("%s cannot be written", path);
    if (page) unlink(beside);
    return APP_FAILED;
}
