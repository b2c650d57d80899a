// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// What tests of the page share: the browser, and a page that fails the test if anything goes wrong in it.
import { chromium } from "playwright-core";

// As people have it who have no graphics card: the processor draws, and the browser draws its own things without shaders.
export const AS_IT_COMES = ["--no-sandbox", "--enable-unsafe-swiftshader"];
// As if the processor were a graphics card: the same on every machine, and slower; panels and text go through shaders too.
export const AS_A_CARD = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

export function launch(args = AS_A_CARD) {
    return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}

/// `problems` collects errors of the page, broken content policies among them.
export async function openPage(browser, address, { width = 1280, height = 720, theme = "light", touch = false } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch, acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.setDefaultTimeout(30000);
    const problems = [];
    page.on("pageerror", (error) => problems.push(String(error.stack ?? error)));
    page.on("console", (message) => {
        const text = message.text();
        if (message.type() === "error" && !/favicon|WebSocket connection/.test(text)) problems.push(text);
    });
    await page.goto(address);
    await page.waitForFunction(() => window.tactusStats?.frames > 0 && window.tactusStats.drawn > 0);
    return { page, problems, close: () => context.close() };
}

export const probe = (page) => page.evaluate(() => window.tactusProbe.state());
export const until = (page, test, argument) => page.waitForFunction(test, argument, { polling: 50 });
