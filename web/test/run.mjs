// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Runs the tests one file after the other, in a way that every node from 18 on understands.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
let failed = 0;
for (const name of readdirSync(here).sort()) {
    if (!name.endsWith(".spec.mjs") || (wanted.length && !wanted.some((word) => name.includes(word)))) continue;
    console.log(`# ${name}`);
    failed |= spawnSync(process.execPath, ["--test", join(here, name)], { stdio: "inherit" }).status ?? 1;
}
process.exit(failed ? 1 : 0);
