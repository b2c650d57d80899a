// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Takes pictures of the page with the real program, for people to look at and for the docs: test/shots/*.png. Not a test.
//     node test/shots.mjs [NAME...]
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { Tactus, example } from "./tactus.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "shots");
const wanted = process.argv.slice(2);
const press = (page, ...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
const until = (page, time) => page.waitForFunction((t) => window.tactusProbe.state().shown >= t, time, { timeout: 60000, polling: 100 });

async function colour(page, name) {
    await page.getByRole("combobox", { name: "Colour by" }).selectOption(name);
}

/// Pulls a point of a track that is in sight, and keeps holding it.
async function pull(page, track, point, [dx, dy]) {
    const at = await page.evaluate(([t, p]) => window.tactusProbe.project(t, p), [track, point]);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let k = 1; k <= 10; k++) await page.mouse.move(at.x + (dx * k) / 10, at.y + (dy * k) / 10);
    await page.waitForTimeout(1200);
}

const SHOTS = {
    "view-light": ["springs/cloth.tac", {}, async (page) => {
        await until(page, 0.8);
        await page.locator("[data-path$='/springs']").first().click().catch(() => {});
        await pull(page, 0, 400, [120, 40]);
    }],
    "view-dark": ["solid/liver.tac", { theme: "dark" }, async (page) => {
        await until(page, 0.4);
        await colour(page, "Stress");
        await page.locator("[data-path='/liver/inside']").click();
    }],
    tension: ["springs/cloth.tac", {}, async (page) => {
        await until(page, 0.8);
        await colour(page, "Tension");
        await press(page, "u");
    }],
    "view-wires": ["wires/view.tac", { options: ["--paused"] }, async (page) => {
        for (let k = 0; k < 60; k++) await page.keyboard.press(".");
        await press(page, "y");
        await colour(page, "Resolution");
        await press(page, ".", ".", ".", ".");
    }],
    anchor: ["wires/anchor.tac", {}, async (page) => {
        await until(page, 0.5);
        await press(page, "y");
    }],
    hoist: ["wires/hoist.tac", {}, async (page) => {
        await until(page, 0.5);
        await press(page, "y");
        await colour(page, "Tension");
    }],
    layers: ["contact/nails.tac", { theme: "dark" }, async (page) => {
        await until(page, 0.5);
        await colour(page, "Contact layer");
        await press(page, "k", "j");
    }],
    plans: ["contact/curtain_hit.tac", {}, async (page) => {
        await until(page, 0.02);
        await press(page, "l");
    }],
    "view-forces": ["agents/polyhedra.tac", {}, async (page) => {
        await until(page, 0.5);
        await press(page, "x", "j");
    }],
    sleeping: ["agents/ten_spheres.tac", { theme: "dark" }, async (page) => {
        await until(page, 3);
        await press(page, "z");
    }],
    heap: ["cordis/cascade.ca", { theme: "dark" }, (page) => until(page, 1)],
    help: ["first/jelly.tac", {}, (page) => press(page, "F1")],
    menu: ["first/jelly.tac", { theme: "dark" }, (page) => press(page, "F2")],
    tablet: ["first/jelly.tac", { width: 1024, height: 768, touch: true }, (page) => until(page, 0.6)],
    portrait: ["first/jelly.tac", { width: 768, height: 1024, touch: true }, (page) => until(page, 0.6)],
    bare: ["first/jelly.tac", {}, async (page) => {
        await until(page, 0.6);
        await press(page, "Tab");
    }],
};

await mkdir(folder, { recursive: true });
for (const [name, [scene, { theme = "light", width = 1280, height = 720, touch = false, options = [] }, act]] of Object.entries(SHOTS)) {
    if (wanted.length && !wanted.includes(name)) continue;
    const server = await Tactus.start(example(scene), options);
    const browser = await launch();
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch });
    const page = await context.newPage();
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && console.log(`${name}: ${message.text()}`));
    page.on("pageerror", (error) => console.log(`${name}: ${error.stack}`));
    await page.goto(`${server.address}&quality=${process.env.QUALITY ?? "high"}`);
    await page.waitForFunction(() => window.tactusStats?.frames > 0, null, { timeout: 60000 });
    await act(page).catch((error) => console.log(`${name}: ${error.message}`));
    // what was asked for has come and is drawn, however slow the machine is
    const { frames, drawn } = await page.evaluate(() => ({ ...window.tactusStats, recent: 0 }));
    await page.waitForFunction(([, d]) => window.tactusStats.drawn > d + 3 || (window.tactusProbe.state().paused && window.tactusStats.drawn > d), [frames, drawn], { timeout: 60000 }).catch(() => {});
    await page.screenshot({ timeout: 120000, path: join(folder, `${name}.png`) });
    const stats = await page.evaluate(() => ({ ...window.tactusStats, recent: 0, overlays: window.tactusProbe.state().overlays, range: window.tactusProbe.state().range }));
    console.log(name, JSON.stringify(stats));
    await browser.close();
    await server.stop();
    if (server.said) console.log(`${name}: ${server.said}`);
}
