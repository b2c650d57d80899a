// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// A running `tactus view`, for tests, pictures and measures with the real program. TACTUS_BINARY names the command.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const BINARY = process.env.TACTUS_BINARY ?? join(root, "build/tactus");
export const isBuilt = () => existsSync(BINARY);
export const example = (name) => join(root, "examples", name);

export class Tactus {
    /// Resolves once it has printed its address.
    static async start(path, options = [], folder = undefined) {
        const server = new Tactus();
        server.started = performance.now();
        server.process = spawn(BINARY, ["view", path, "--no-open", ...options], { stdio: ["ignore", "pipe", "pipe"], cwd: folder });
        server.said = "";
        server.process.stderr.on("data", (text) => (server.said += text));
        server.ended = new Promise((done) => server.process.once("exit", (code, signal) => done(code ?? signal)));
        const lines = createInterface({ input: server.process.stdout });
        server.address = await Promise.race([
            new Promise((done) => lines.once("line", done)),
            server.ended.then((code) => Promise.reject(new Error(`tactus view ended with ${code}: ${server.said}`))),
        ]);
        const url = new URL(server.address);
        server.port = url.port;
        server.token = url.searchParams.get("token");
        return server;
    }

    stop(how = "SIGINT") {
        this.process.kill(how);
        return this.ended;
    }
}
