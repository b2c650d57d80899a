// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Every key and control of the page with the real program behind it, in Chromium. (page.spec.mjs looks closer at what
// the page says and does, on a stand-in whose numbers are known.)
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { launch, openPage, probe, until } from "./browser.mjs";
import { Tactus, example } from "./tactus.mjs";

const SMALL = { width: 900, height: 600 };
const FAILING = `<tactus version="1" dt="0.01">
  <node name="a"> <SymplecticEuler/> <Points positions="0 0 0  1 0 0" velocities="0 0 0  1 0 0"/> <UniformMass mass="1"/>
    <Springs pairs="0 1" stiffness="1e9"/> </node>
</tactus>`;
const WIRES = `<tactus version="1" dt="0.01"> <node name="n"> <Spook time_limit="0.004"/>
  <node name="a"> <Line divisions="32" from="0 0 0" to="0 -10 0"/> <Points/> <Wire mass="1" cost="0.0002"/> <FixedPoints points="0"/> </node>
  <node name="b"> <Line divisions="32" from="9 0 0" to="9 -10 0"/> <Points/> <Wire mass="1" cost="0.0002"/> <FixedPoints points="0"/> </node>
</node> </tactus>`;
const BALL = `<tactus version="1" title="NAME" dt="0.01" gravity="0 -10 0">
  <node name="ball"> <Points positions="0 2 0  1 2 0"/> <UniformMass mass="1"/> <Look radius="0.1"/> <Springs name="string" pairs="0 1" stiffness="10"/> </node>
</tactus>`;
// A blue ball over a red table that has only four corners.
const TABLE = `<tactus version="1" dt="0.01" gravity="0 0 0">
  <node name="table"> <Sheet divisions="1" width="2" depth="2"/> <Points/> <UniformMass/> <Look color="1 0 0"/> </node>
  <node name="ball"> <Points positions="0 0.6 0"/> <UniformMass/> <Look radius="0.3" color="0 0 1"/> </node>
</tactus>`;
let browser;
let folder;

before(async () => {
    browser = await launch();
    folder = await mkdtemp(join(tmpdir(), "tactus-page-"));
    for (const name of ["alpha", "beta", "gamma"]) await writeFile(join(folder, `${name}.tac`), BALL.replace("NAME", name));
});
after(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
});

/// A page on a scene of the examples or of our folder; closed, and looked at for errors, when the test ends.
async function open(t, scene, options = [], look = SMALL) {
    const server = await Tactus.start(scene.includes("/") ? example(scene) : join(folder, scene), options, folder);
    const view = await openPage(browser, server.address, look);
    t.after(async () => {
        await view.close();
        assert.equal(await server.stop(), 0);
        assert.deepEqual(view.problems, []);
    });
    return { server, ...view };
}

const at = (page, track, point) => page.evaluate(([t, p]) => window.tactusProbe.project(t, p), [track, point]);
const waitTime = (page, test, value) => page.waitForFunction(test, value, { polling: 30 });
const last = async (page, name) => (await page.evaluate((channel) => window.tactusProbe.history(channel), name))[1].at(-1);
const pressAll = async (page, keys) => {
    for (const key of keys) await page.keyboard.press(key);
};

test("time: pause, step, back, reset, speeds with the wanted and the actual rate, timeline", async (t) => {
    const { page } = await open(t, "springs/cloth.tac");
    await waitTime(page, () => window.tactusProbe.state().shown > 0.3);
    await page.keyboard.press(" ");
    await until(page, () => window.tactusProbe.state().paused && window.tactusProbe.state().rate === 0);
    await page.waitForTimeout(700);
    await until(page, () => window.tactusProbe.state().shown === window.tactusProbe.state().time); // what was on its way has come
    const { shown } = await probe(page);
    await page.keyboard.press("ArrowRight");
    await until(page, (before) => window.tactusProbe.state().shown > before, shown);
    const stepped = (await probe(page)).shown;
    await page.keyboard.press("ArrowLeft");
    await until(page, (before) => window.tactusProbe.state().shown < before, stepped);
    // a busy browser may have shown an older picture than the one where time stopped: then it takes some more
    for (let k = 0; k < 40 && (await probe(page)).shown >= shown; k++) {
        await page.keyboard.press("ArrowLeft");
        await page.waitForTimeout(200);
    }
    assert.ok((await probe(page)).shown < shown);
    await pressAll(page, Array(7).fill("-"));
    await page.getByText("1/32×").waitFor();
    assert.ok(await page.getByRole("button", { name: "Slower" }).isDisabled());
    await page.keyboard.press(" ");
    await until(page, () => window.tactusProbe.state().rate > 0.01 && window.tactusProbe.state().rate < 0.06);
    assert.match(await page.locator(".rate").textContent(), /runs at 0\.0/);
    await pressAll(page, Array(9).fill("+"));
    await page.locator(".speed", { hasText: "8×" }).waitFor();
    await page.keyboard.press("0");
    await page.locator(".speed", { hasText: /^1×$/ }).waitFor();
    await page.keyboard.press("Backspace");
    await until(page, (before) => window.tactusProbe.state().shown < before, shown);
    await page.keyboard.press(" ");
    await until(page, () => window.tactusProbe.state().paused);
});

test("a cloth is grabbed, pulled, thrown and pinned; a sphere pushes it", async (t) => {
    const { page } = await open(t, "springs/cloth.tac", ["--paused"]);
    const point = 16 * 33 + 16;
    const start = await at(page, 0, point);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 90, start.y - 40, { steps: 5 });
    await page.keyboard.press(" ");
    const held = await page.evaluate(() => window.tactusProbe.state().held);
    assert.equal(held, 1);
    await until(page, ([p, x]) => Math.hypot(...window.tactusProbe.project(0, p).world.map((value, k) => value - x[k])) > 0.1, [point, start.world]);
    assert.match(await page.locator(".force").textContent(), /\d N$/);
    await page.mouse.up();
    await until(page, () => window.tactusProbe.state().held === 0);
    await page.keyboard.press(" ");
    await until(page, () => window.tactusProbe.state().paused);
    const there = await at(page, 0, point);
    await page.mouse.move(there.x, there.y);
    await page.keyboard.press("p");
    await until(page, () => window.tactusProbe.state().pins === 1);
    await page.reload(); // the run knows what is pinned
    await until(page, () => window.tactusProbe?.state().pins === 1);
    await page.keyboard.press("b");
    assert.equal((await probe(page)).tool, "sphere");
    await page.mouse.move(440, 300, { steps: 3 });
    await page.keyboard.press(" ");
    await until(page, () => !window.tactusProbe.state().paused);
    await page.keyboard.press("h");
    await page.keyboard.press(" ");
});

test("looks: each scene has the colours and overlays that it has numbers for", async (t) => {
    const CASES = [
        ["solid/liver.tac", ["stress"], []],
        ["wires/wheels.tac", ["tension"], [["y", "nodes"]]],
        ["contact/projectiles.tac", ["layer"], [["l", "plans"], ["x", "boxes"]]],
        ["agents/polyhedra.tac", ["agent"], [["x", "boxes"], ["k", "contacts"], ["j", "forces"]]],
    ];
    for (const [scene, colours, overlays] of CASES) {
        await t.test(scene, async (inner) => {
            const { page } = await open(inner, scene, [], { width: 480, height: 360 });
            for (const by of colours) {
                await until(page, (name) => {
                    const { colour } = window.tactusProbe.state();
                    if (colour !== name) document.dispatchEvent(new KeyboardEvent("keydown", { key: "c", bubbles: true }));
                    return colour === name;
                }, by);
            }
            for (const [key, what] of overlays) {
                await page.keyboard.press(key);
                await until(page, (name) => window.tactusProbe.state().overlays[name] > 0, what);
                await page.keyboard.press(key);
                await until(page, (name) => window.tactusProbe.state().overlays[name] === 0 && !window.tactusProbe.state().show[name], what);
            }
            await page.keyboard.press("u");
            const meshes = await page.evaluate(() => window.tactusProbe.state().overlays.normals);
            if (scene !== "wires/wheels.tac") assert.ok(meshes > 0, "normals of meshes");
        });
    }
});

test("a shadow falls on a flat table", async (t) => {
    await writeFile(join(folder, "table.tac"), TABLE);
    const { page } = await open(t, "table.tac", ["--paused"]);
    // red pixels of the canvas, and how bright they are
    const reds = (on) => page.evaluate(async (wanted) => {
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "o", bubbles: true }));
        for (let k = 0; k < 3 || window.tactusProbe.state().shadows !== wanted; k++) await new Promise((done) => requestAnimationFrame(done));
        const from = document.querySelector("#stage canvas");
        const to = new OffscreenCanvas(from.width, from.height).getContext("2d");
        to.drawImage(from, 0, 0);
        const { data } = to.getImageData(0, 0, from.width, from.height);
        return Array.from({ length: data.length / 4 }, (_, i) => (data[4 * i] > 2 * data[4 * i + 1] && data[4 * i] > 2 * data[4 * i + 2] ? data[4 * i] : 0));
    }, on);
    const bright = await reds(false);
    const shaded = await reds(true);
    const darker = shaded.filter((red, i) => red > 0 && red < 0.9 * bright[i]).length;
    const all = bright.filter((red) => red > 0).length;
    // a ball of radius 0.3 shades pi 0.09 m2 of the 4 m2, and more as the light is slanted; it hides some of that itself
    assert.ok(all > 1000 && darker > 0.02 * all && darker < 0.25 * all, `${darker} of ${all} pixels are in the shade`);
});

test("where somebody looks and what is selected makes a wire finer", async (t) => {
    await writeFile(join(folder, "wires.tac"), WIRES);
    const { page } = await open(t, "wires.tac", ["--speed", "4"]);
    const level = (name) => last(page, `wire/n/${name}/wire/resolution`);
    const holds = async (what, check) => {
        for (let k = 0; k < 200; k++) {
            if (await check()) return;
            await page.waitForTimeout(50);
        }
        assert.fail(what);
    };
    for (const [name, other] of [["a", "b"], ["b", "a"]]) {
        await page.locator(`[data-path='/n/${name}']`).click();
        await page.locator("canvas").first().focus();
        await page.keyboard.press("f"); // and look at it
        await holds(`${name} is finer`, async () => (await level(name)) > (await level(other)));
    }
    assert.equal(await page.locator("[data-plot=resolution] [data-channel]").count(), 2);
    assert.equal(await page.locator("[data-plot=quality] [data-channel]").count(), 3);
});

test("attributes change, are refused and undone; the changed scene is copied", async (t) => {
    const { page } = await open(t, "alpha.tac", ["--paused"], { width: 1280, height: 720 });
    await page.locator("[data-path='/ball/string']").click();
    const stiffness = page.getByRole("textbox", { name: "stiffness of Springs in N/m" });
    await stiffness.fill("25");
    await stiffness.press("Enter");
    await until(page, () => document.querySelector("input.good"));
    await page.getByRole("button", { name: "Copy the changed scene as text" }).click();
    await until(page, () => window.tactusProbe.sceneText()?.includes('stiffness="25"'));
    await stiffness.fill("soft");
    await stiffness.press("Enter");
    await until(page, () => document.querySelector("input[aria-invalid=true]"));
    await page.locator("canvas").first().focus();
    await page.keyboard.press("Control+z");
    await until(page, () => [...document.querySelectorAll("input")].some((input) => input.value === "10" && /stiffness/.test(input.getAttribute("aria-label"))));
});

test("the gallery, saved views, themes, panels, keys and menu", async (t) => {
    const { page } = await open(t, "alpha.tac", ["--paused"]);
    const title = (name) => until(page, (text) => document.querySelector("h1").textContent === text, name);
    await title("alpha");
    await page.keyboard.press("]");
    await title("beta");
    await page.keyboard.press("[");
    await title("alpha");
    await page.keyboard.press("Shift+Digit1");
    const pose = await page.evaluate(() => window.tactusProbe.pose());
    await pressAll(page, ["Shift+ArrowLeft", "ArrowUp", "w"]);
    await page.keyboard.press("1");
    const back = await page.evaluate(() => window.tactusProbe.pose());
    assert.ok(Math.hypot(...pose.eye.map((x, k) => x - back.eye[k])) < 1e-6);
    await page.keyboard.press("n");
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    await page.keyboard.press("Tab");
    assert.ok(await page.locator(".side.right").isHidden());
    await page.keyboard.press("Tab");
    await page.keyboard.press("F1");
    await page.getByRole("dialog", { name: "All keys" }).waitFor();
    await page.keyboard.press("F1");
    await page.keyboard.press("F2");
    await page.locator(".menu [data-command=step]").click();
    await until(page, () => window.tactusProbe.state().shown > 0.005);
});

test("pictures, films, tables and recordings are saved, and a recording is scrubbed", async (t) => {
    const { page } = await open(t, "beta.tac");
    const download = async (key) => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press(key)]);
        return { name: file.suggestedFilename(), data: await readFile(await file.path()) };
    };
    assert.equal((await download("i")).data.subarray(1, 4).toString(), "PNG");
    const table = (await download("t")).data.toString();
    assert.match(table, /^time \(s\),energy\/kinetic \(J\)/);
    assert.match((await download("Shift+t")).name, /energy\.png$/);
    await page.keyboard.press("r");
    await page.waitForTimeout(1500);
    assert.equal((await download("r")).data.readUInt32BE(0), 0x1a45dfa3);
    await page.keyboard.press("Shift+r");
    await page.waitForTimeout(700);
    assert.match((await download("r")).name, /-pictures\.tar$/);
    await page.keyboard.press("Control+s");
    const { shown } = await probe(page);
    await until(page, (before) => window.tactusProbe.state().shown > before + 1, shown);
    await page.keyboard.press("Control+s");
    await page.getByText(/Saved .*beta-view\.tacrec/).waitFor();
    const saved = (await readdir(folder)).find((name) => name.endsWith(".tacrec"));
    const recording = await open(t, saved, ["--paused"]);
    const timeline = recording.page.locator(".timeline");
    const end = await recording.page.evaluate(() => Number(document.querySelector(".timeline").max));
    await timeline.evaluate((slider, time) => {
        slider.value = time;
        slider.dispatchEvent(new Event("input"));
    }, end);
    await until(recording.page, (time) => Math.abs(window.tactusProbe.state().shown - time) < 0.05, end);
    assert.ok(await recording.page.getByRole("button", { name: /^Hand/ }).isDisabled());
    await recording.page.keyboard.press("ArrowLeft");
    await until(recording.page, (time) => window.tactusProbe.state().shown < time, end);
});

test("an error in the run pauses it and is shown", async (t) => {
    await writeFile(join(folder, "failing.tac"), FAILING);
    const { page } = await open(t, "failing.tac");
    await page.getByText(/no longer a number/).waitFor();
    await until(page, () => window.tactusProbe.state().paused);
    await page.keyboard.press("Backspace");
    await until(page, () => window.tactusProbe.state().shown === 0);
});

test("two pages see one world, with one look", async (t) => {
    const { page, server } = await open(t, "gamma.tac");
    const other = await openPage(browser, server.address, SMALL);
    await page.keyboard.press(" ");
    await until(other.page, () => window.tactusProbe.state().paused);
    await page.getByRole("combobox", { name: "Colour by" }).selectOption("Speed");
    await until(other.page, () => window.tactusProbe.state().colour === "speed");
    await other.page.keyboard.press(" ");
    await until(page, () => !window.tactusProbe.state().paused);
    await other.close();
    assert.deepEqual(other.problems, []);
});
