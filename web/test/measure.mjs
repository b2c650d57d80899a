// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Measures, not tests, with the real program in Chromium: what a frame costs on both sides at the sizes that matter, how
// soon there is a moving picture, and how much watching slows the run.
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";
import { launch, openPage } from "./browser.mjs";
import { Tactus, example } from "./tactus.mjs";

const scene = (body) => `<tactus version="1" dt="0.0166666666666" gravity="0 0 0">${body}</tactus>`;
const grid = (n) => Array.from({ length: n }, (_, i) => `${(i % 28) / 14} ${(Math.floor(i / 28) % 28) / 14} ${Math.floor(i / 784) / 14}`).join(" ");
const SIZES = {
    "cloth of 50,176 vertices": scene('<node name="n"><Sheet divisions="223"/><Points/><UniformMass mass="1"/></node>'),
    "20,000 balls": scene(`<node name="n"><Points positions="${grid(20000)}"/><UniformMass mass="1"/><Look radius="0.03"/></node>`),
};
// too much work for real time
const BUSY = scene('<node name="n"><ImplicitEuler/><ConjugateGradient iterations="60" tolerance="0"/><Sheet name="sheet" divisions="260"/><Points/><UniformMass mass="0.001"/><FixedPoints points="0 260"/><Springs pairs="@sheet.edges" stiffness="50"/></node>')
    .replace('gravity="0 0 0"', "");
const folder = await mkdtemp(join(tmpdir(), "tactus-measure-"));
const browser = await launch();
const wanted = process.argv.slice(2);
const asked = (what) => !wanted.length || wanted.includes(what);

async function write(text) {
    const path = join(folder, "scene.tac");
    await writeFile(path, text);
    return path;
}

/// Hears states and nothing else: it acknowledges no frame, so after two of them none is made for it.
function listen(server) {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/live?token=${server.token}`, { origin: `http://127.0.0.1:${server.port}` });
    const states = [];
    socket.on("message", (data, binary) => {
        const message = binary ? null : JSON.parse(data);
        if (message?.type === "state") states.push(message);
    });
    return { states, close: () => socket.close() };
}

const rest = (ms) => new Promise((done) => setTimeout(done, ms));

/// Seconds of processor time of the busiest thread: that of the world.
async function worldCpu(server) {
    const tasks = `/proc/${server.process.pid}/task`;
    const times = await Promise.all((await readdir(tasks)).map(async (id) => {
        const fields = (await readFile(join(tasks, id, "stat"), "utf8")).split(") ")[1].split(" ");
        return (Number(fields[11]) + Number(fields[12])) / 100;
    }));
    return Math.max(...times);
}

/// Seconds of processor time of everything that this program started: browser, page, graphics, and tactus.
async function allCpu() {
    const parent = new Map();
    const time = new Map();
    for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
        const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => "");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        parent.set(id, fields[1]);
        time.set(id, (Number(fields[11]) + Number(fields[12])) / 100);
    }
    const isOurs = (id) => {
        for (let at = parent.get(id), k = 0; at && k < 16; at = parent.get(at), k++) if (at === String(process.pid)) return true;
        return false;
    };
    return [...time].reduce((sum, [id, seconds]) => sum + (isOurs(id) ? seconds : 0), 0);
}

async function frames() {
    for (const [name, text] of Object.entries(SIZES)) {
        const server = await Tactus.start(await write(text));
        const { page, close } = await openPage(browser, server.address, { width: 480, height: 360 });
        const ears = listen(server);
        await page.waitForFunction(() => window.tactusStats.frames > 24, null, { timeout: 120000 });
        const { median, points } = await page.evaluate(() => ({ median: window.tactusStats.medianMs, points: window.tactusStats.points }));
        await rest(600);
        const { showMs, sendMs } = ears.states.at(-1);
        console.log(`${name}: ${points} points; make ${showMs.toFixed(2)} ms + send ${sendMs.toFixed(2)} ms + decode and update ${median.toFixed(2)} ms = ${(showMs + sendMs + median).toFixed(2)} ms`);
        ears.close();
        await close();
        await server.stop();
    }
}

async function start() {
    for (const name of ["first/jelly.tac", "springs/cloth.tac", "together/safe.tac"]) {
        const times = [];
        for (let k = 0; k < 5; k++) {
            const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
            const page = await context.newPage();
            await rest(300);
            const cpu = await allCpu();
            const begin = performance.now();
            const server = await Tactus.start(example(name));
            const served = performance.now();
            await page.goto(server.address);
            await page.waitForFunction(() => window.tactusStats?.drawn > 2 && window.tactusProbe.state().shown > 0.02, null, { polling: "raf" });
            times.push([performance.now() - begin, served - begin, (await allCpu()) - cpu]);
            await context.close();
            await server.stop();
        }
        times.sort(([a], [b]) => a - b);
        const [best, , middle] = times.map(([all, address, cpu]) => `${all.toFixed(0)} ms (address after ${address.toFixed(0)} ms; all processes together worked ${(1000 * cpu).toFixed(0)} ms)`);
        console.log(`${name}: a moving picture after ${best} at best, ${middle} in the middle of 5`);
    }
}

async function slowdown() {
    const server = await Tactus.start(await write(BUSY), ["--speed", "8"]);
    const ears = listen(server);
    await rest(2000);
    const pace = async (seconds) => {
        const from = { cpu: await worldCpu(server), time: ears.states.at(-1).time };
        await rest(1000 * seconds);
        return (ears.states.at(-1).time - from.time) / ((await worldCpu(server)) - from.cpu);
    };
    const [alone, watched] = [[], []];
    for (let k = 0; k < 3; k++) {
        alone.push(await pace(4));
        const { close } = await openPage(browser, server.address, { width: 480, height: 360 });
        watched.push(await pace(4));
        await close();
    }
    const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
    console.log(`busy cloth: ${mean(alone).toFixed(4)} simulated s for each s of its thread alone, ${mean(watched).toFixed(4)} watched: ${(100 * (1 - mean(watched) / mean(alone))).toFixed(1)} % slower`);
    ears.close();
    await server.stop();
}

if (asked("frames")) await frames();
if (asked("start")) await start();
if (asked("slowdown")) await slowdown();
await browser.close();
await rm(folder, { recursive: true });
