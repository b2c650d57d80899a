// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Measures, not tests: milliseconds that the page spends on a frame (decode and update), at the sizes that matter.
import { MockServer } from "../mock/server.mjs";
import { launch, openPage, until } from "./browser.mjs";

const CASES = {
    "cloth of 50,000 vertices, smooth": [{ cloth: 50000, balls: 0, boxes: 0, wire: false }],
    "cloth of 50,000 vertices, flat": [{ cloth: 50000, balls: 0, boxes: 0, wire: false }, ["m", "m"]],
    "20,000 balls": [{ cloth: 0, balls: 20000, boxes: 0, wire: false }],
    "20,000 balls, coloured": [{ cloth: 0, balls: 20000, boxes: 0, wire: false }, ["c"]],
};

const browser = await launch();
for (const [name, [options, keys = []]] of Object.entries(CASES)) {
    const server = new MockServer(options);
    const { page, close } = await openPage(browser, await server.listen(), { width: 480, height: 360 });
    for (const key of keys) await page.keyboard.press(key);
    await until(page, (frames) => window.tactusStats.frames > frames, 40);
    const { median, worst, points } = await page.evaluate(() => ({
        median: window.tactusStats.medianMs, worst: Math.max(...window.tactusStats.recent.slice(5)), points: window.tactusStats.points,
    }));
    console.log(`${name}: ${points} points, median ${median.toFixed(2)} ms, worst ${worst.toFixed(2)} ms`);
    await close();
    await server.close();
}
await browser.close();
