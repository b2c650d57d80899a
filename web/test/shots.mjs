// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Takes pictures of the page for people to look at: test/shots/*.png. Not a test.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MockServer } from "../mock/server.mjs";
import { launch } from "./browser.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "shots");
const wanted = process.argv.slice(2);

async function session(name, { options = {}, theme = "light", width = 1280, height = 720, touch = false, act = async () => {} }) {
    if (wanted.length && !wanted.includes(name)) return;
    const server = new MockServer(options);
    const address = await server.listen();
    const browser = await launch();
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch });
    const page = await context.newPage();
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && console.log(`${name}: ${message.text()}`));
    page.on("pageerror", (error) => console.log(`${name}: ${error.stack}`));
    await page.goto(`${address}&quality=high`);
    await page.waitForFunction(() => window.tactusStats?.frames > 16, null, { timeout: 60000 }).catch((error) => console.log(`${name}: ${error.message}`));
    await act(page, server);
    await page.screenshot({ timeout: 120000, path: join(folder, `${name}.png`) });
    console.log(name, JSON.stringify(await page.evaluate(() => window.tactusStats)));
    await browser.close();
    await server.close();
}

async function pull(page, server, by = [130, -60]) {
    server.on_pause(); // a slow machine shows where the cloth was, not where it is
    await page.waitForFunction((time) => window.tactusProbe.state().shown === time, server.world.time);
    const at = await page.evaluate(() => window.tactusProbe.project(0, 33 * 40 + 30));
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    server.on_play();
    for (let k = 1; k <= 10; k++) await page.mouse.move(at.x + (by[0] * k) / 10, at.y + (by[1] * k) / 10);
    await page.waitForTimeout(1500);
}

await mkdir(folder, { recursive: true });
const cut = { cloth: 1600, balls: 240 };
await session("view-light", { options: cut, act: async (page, server) => {
    await page.locator("[data-path='/cloth/springs']").click();
    await pull(page, server);
} });
await session("view-dark", { theme: "dark", options: cut, act: async (page, server) => {
    await page.keyboard.press("c");
    await page.keyboard.press("j");
    await page.locator("[data-path='/cloth']").click();
    await pull(page, server, [90, -90]);
} });
await session("help", { act: (page) => page.keyboard.press("F1") });
await session("menu", { theme: "dark", act: (page) => page.keyboard.press("F2") });
await session("tablet", { width: 1024, height: 768, touch: true });
await session("heap", { theme: "dark", options: { cloth: 0, balls: 20000, boxes: 0, wire: false } });
await session("bare", { act: (page) => page.keyboard.press("Tab") });
