// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Measures, not tests, with the real program in Chromium: what a frame costs on both sides at the sizes that matter, how
// soon there is a moving picture, and how much watching slows the run.
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";
import { AS_A_CARD, AS_IT_COMES, launch, openPage } from "./browser.mjs";
import { BINARY, Tactus, example } from "./tactus.mjs";

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

async function write(text, name = "scene.tac") {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
}

/// Hears states and nothing else: it acknowledges no frame, so after two of them none is made for it. Or it does, at once
/// (`reads`): then it is a page that takes every frame and draws nothing.
function listen(server, reads = false) {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/live?token=${server.token}`, { origin: `http://127.0.0.1:${server.port}` });
    const states = [];
    const waiting = [];
    socket.on("message", (data, binary) => {
        const message = binary ? null : JSON.parse(data);
        if (reads && binary && data[0] === 2) socket.send(JSON.stringify({ type: "ack", frame: data.readUInt32LE(4) }));
        if (message?.type !== "state") return;
        states.push(message);
        for (const done of waiting.splice(0)) done(message);
    });
    return { states, next: () => new Promise((done) => waiting.push(done)), close: () => socket.close() };
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

/// Processor time of what this program started and is still there, by process: its role (tactus, the page, the browser's
/// graphics, the rest of it) and seconds.
async function cpuByProcess() {
    const table = new Map();
    for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
        const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => "");
        const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const type = /--type=([\w-]+)/.exec(line)?.[1];
        const role = type === "renderer" ? "page" : type === "gpu-process" ? "graphics" : line.startsWith(BINARY) ? "tactus" : "browser";
        table.set(id, { parent: fields[1], role, seconds: (Number(fields[11]) + Number(fields[12])) / 100 });
    }
    const isOurs = (id) => {
        for (let at = table.get(id)?.parent, k = 0; at && k < 16; at = table.get(at)?.parent, k++) if (at === String(process.pid)) return true;
        return false;
    };
    return new Map([...table].filter(([id]) => isOurs(id)));
}

/// What each role worked between two of these, ms.
function worked(before, after) {
    const sums = { tactus: 0, page: 0, graphics: 0, browser: 0 };
    for (const [id, { role, seconds }] of after) sums[role] += 1000 * (seconds - (before.get(id)?.seconds ?? 0));
    return sums;
}

/// From starting the program to a moving picture (three pictures, the clock of the world going), once: when what was there,
/// in ms since the program was started, and the processor time that each took meanwhile, in ms.
async function startOnce(name, own, flags) {
    const before = await cpuByProcess();
    const begin = performance.now();
    const server = await Tactus.start(example(name));
    const address = performance.now() - begin;
    const opened = own ?? await launch(flags);
    const context = await opened.newContext({ viewport: { width: 1280, height: 720 } });
    const page = await context.newPage();
    const tab = performance.now() - begin;
    await page.goto(server.address, { waitUntil: "commit" });
    await page.waitForFunction(() => window.tactusStats?.drawn > 2 && window.tactusProbe.state().shown > 0.02, null, { polling: "raf" });
    const moving = performance.now() - begin;
    const { reached, script } = await page.evaluate(() => ({
        reached: window.tactusStats.reached, script: performance.getEntriesByName(new URL("app.js", location.href).href)[0].responseEnd }));
    const after = await cpuByProcess();
    await context.close();
    if (!own) await opened.close();
    await server.stop();
    return { moving, address, tab: tab - address, loaded: script, parsed: reached.script - script, graphics: reached.graphics - reached.script,
        panels: reached.panels - reached.graphics, socket: Math.max(reached.hello - reached.panels, 0), frame: reached.frame - reached.hello,
        picture: reached.picture - reached.frame, worked: worked(before, after) };
}

const PARTS = { address: "address printed", tab: "browser and tab", loaded: "page sent", parsed: "parsed", graphics: "graphics context", panels: "panels",
    socket: "socket, hello", frame: "first frame taken", picture: "first picture drawn" };

async function start() {
    const kinds = [["a browser that is not open", AS_IT_COMES, 3], ["one that is not open and draws everything with shaders", AS_A_CARD, 3], ["an open one of that kind", null, 5]];
    for (const [kind, flags, times] of kinds) {
        for (const name of ["first/jelly.tac", "springs/cloth.tac", "together/safe.tac"]) {
            const all = [];
            for (let k = 0; k < times; k++) {
                await rest(300);
                all.push(await startOnce(name, flags ? null : browser, flags));
            }
            all.sort((a, b) => a.moving - b.moving);
            const [best, middle] = [all[0], all[times >> 1]];
            console.log(`${name}, ${kind}: a moving picture after ${best.moving.toFixed(0)} ms at best, ${middle.moving.toFixed(0)} in the middle of ${times}`);
            console.log(`    ${Object.entries(PARTS).map(([part, text]) => `${text} ${best[part].toFixed(0)}`).join(", ")}`);
            const work = (role) => all.map((one) => one.worked[role]).sort((a, b) => a - b)[times >> 1];
            console.log(`    processor time, ms: ${Object.keys(best.worked).map((role) => `${role} ${work(role).toFixed(0)}`).join(", ")}`);
        }
    }
}

/// A world that cannot keep up, alone; with somebody who takes every frame and draws nothing; with a page that draws it;
/// and with a page that draws another world of its size, which takes as much of the processors and has nothing to do with it.
async function slowdown() {
    const server = await Tactus.start(await write(BUSY), ["--speed", "8"]);
    const other = await Tactus.start(await write(SIZES["cloth of 50,176 vertices"], "other.tac"));
    const ears = listen(server);
    await rest(3000);
    const pace = async (seconds) => {
        const sample = async () => ({ time: (await ears.next()).time, wall: performance.now() / 1000, cpu: await worldCpu(server) });
        const from = await sample();
        await rest(1000 * seconds);
        const to = await sample();
        return { own: (to.time - from.time) / (to.cpu - from.cpu), wall: (to.time - from.time) / (to.wall - from.wall) };
    };
    const watched = async (address) => {
        const { close } = await openPage(browser, address, { width: 480, height: 360 });
        await rest(500);
        const result = await pace(3);
        await close();
        return result;
    };
    const kinds = { alone: [], "with somebody who takes every frame and draws nothing": [], "with a page that draws it": [], "with a page that draws another world": [] };
    const [alone, read, drawn, foreign] = Object.values(kinds);
    for (let k = 0; k < 4; k++) {
        alone.push(await pace(3));
        const reader = listen(server, true);
        read.push(await pace(3));
        reader.close();
        drawn.push(await watched(server.address));
        foreign.push(await watched(other.address));
    }
    // the middle, for others work here as well
    const middle = (list, of) => list.map((one) => one[of]).sort((a, b) => a - b)[list.length >> 1];
    for (const [kind, list] of Object.entries(kinds)) {
        const slower = (of) => `${(100 * (1 - middle(list, of) / middle(alone, of))).toFixed(1)} % slower`;
        console.log(`busy cloth ${kind}: ${middle(list, "own").toFixed(3)} simulated s for each s of its thread (${slower("own")}), ${middle(list, "wall").toFixed(3)} for each s on the wall (${slower("wall")})`);
    }
    ears.close();
    await server.stop();
    await other.stop();
}

if (asked("frames")) await frames();
if (asked("start")) await start();
if (asked("slowdown")) await slowdown();
await browser.close();
await rm(folder, { recursive: true });
