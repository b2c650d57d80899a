// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Bundles the page into dist/index.html, dist/app.js and dist/app.css. The page is served under a content security
// policy that allows scripts and styles of its own address only, so nothing is inlined and no font or picture is a
// data: address: the icon font that lil-gui's style brings along is left out (our style draws those icons).
import { build, context } from "esbuild";
import { copyFile, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

const withoutFonts = {
    name: "without-fonts",
    setup(bundler) {
        bundler.onLoad({ filter: /lil-gui\.css$/ }, async (file) => {
            const text = await readFile(file.path, "utf8");
            return { contents: text.replace(/@font-face\s*\{[^}]*\}/g, ""), loader: "css" };
        });
    },
};

const options = {
    entryPoints: [{ in: join(here, "src/main.js"), out: "app" }],
    outdir: dist,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    legalComments: "eof",
    logLevel: "warning",
    banner: {
        js: "// Tactus, MIT. With three.js, uPlot and lil-gui, each MIT.",
        css: "/* Tactus, MIT. With the styles of uPlot and lil-gui, each MIT. */",
    },
    plugins: [withoutFonts],
};

await mkdir(dist, { recursive: true });
await copyFile(join(here, "src/index.html"), join(dist, "index.html"));
if (process.argv.includes("--watch")) {
    await (await context(options)).watch();
} else {
    await build(options);
    for (const name of ["index.html", "app.js", "app.css"]) {
        console.log(`dist/${name}  ${((await stat(join(dist, name))).size / 1024).toFixed(0)} KiB`);
    }
}
