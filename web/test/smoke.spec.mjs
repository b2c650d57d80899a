// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The page and the real program together, quickly: part of `make test` where Chromium and node are there. What is
// expected is computed here from closed forms, not read off the program.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { launch, openPage, probe, until } from "./browser.mjs";
import { Tactus } from "./tactus.mjs";

// 2 kg fall freely from the start; a sheet hangs from two corners.
const SCENE = `<tactus version="1" title="Stone and sheet" dt="0.01" gravity="0 -10 0">
  <node name="stone"> <Points positions="2 0 0"/> <UniformMass mass="2"/> <Look radius="0.05"/> </node>
  <node name="sheet">
    <ImplicitEuler/> <Sheet divisions="8"/> <Points/> <UniformMass mass="0.001"/> <FixedPoints points="0 8"/>
    <Springs name="threads" pairs="@sheet.edges" stiffness="20" damping="0.05"/>
  </node>
</tactus>`;
const SHEET = 1;
let browser;
let folder;

before(async () => {
    browser = await launch();
    folder = await mkdtemp(join(tmpdir(), "tactus-page-"));
    await writeFile(join(folder, "scene.tac"), SCENE);
});
after(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
});

const at = (page, track, point) => page.evaluate(([t, p]) => window.tactusProbe.project(t, p), [track, point]);
const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

async function stepTo(page, time) {
    while ((await probe(page)).shown < time - 1e-9) {
        const { shown } = await probe(page);
        await page.keyboard.press(".");
        await until(page, (before) => window.tactusProbe.state().shown > before, shown);
    }
}

test("the page shows, plots, pulls, colours and comes back", async () => {
    const server = await Tactus.start(join(folder, "scene.tac"), ["--paused"]);
    const { page, problems, close } = await openPage(browser, server.address, { width: 1000, height: 640 });
    assert.equal(await page.title(), "Stone and sheet · Tactus");

    // a plot has the right numbers: m (g t)^2 / 2
    await stepTo(page, 0.05);
    const [times, values] = await page.evaluate(() => window.tactusProbe.history("energy/kinetic"));
    assert.equal(times.length, values.length);
    assert.ok(Math.abs(times.at(-1) - 0.05) < 1e-9);
    const stone = 0.5 * 2 * (10 * 0.05) ** 2;
    assert.ok(values.at(-1) >= stone && values.at(-1) < stone + 0.5 * 0.1 * 0.5 ** 2, `kinetic energy ${values.at(-1)}`);
    await until(page, (value) => Number(document.querySelector('[data-plot=energy] [data-channel="energy/kinetic"]').dataset.value) === value, values.at(-1));
    const place = (await at(page, 0, 0)).world;
    assert.ok(Math.abs(place[1] + 0.5 * 10 * 0.05 ** 2) < 1e-6, `the stone is at ${place}`);

    // a pulled sheet follows the hand
    const middle = 4 * 9 + 4;
    const start = await at(page, SHEET, middle);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 60, start.y - 60, { steps: 4 });
    await page.locator(".force").waitFor();
    await page.keyboard.press(" ");
    await until(page, ([track, point, y]) => window.tactusProbe.project(track, point).world[1] > y + 0.05, [SHEET, middle, start.world[1]]);
    await page.mouse.up();
    assert.ok(distance((await at(page, SHEET, middle)).world, start.world) > 0.02);

    // colours come from the world: the hanging corners carry the sheet, its free edge nothing
    await page.getByRole("combobox", { name: "Colour by" }).selectOption("Tension");
    await until(page, () => window.tactusProbe.state().range[1] > 0.01);

    // reload, then the server is killed and comes back under the same address
    await page.reload();
    await until(page, () => window.tactusStats?.frames > 1);
    await server.stop("SIGKILL");
    await page.getByText("The connection is lost.").waitFor();
    const again = await Tactus.start(join(folder, "scene.tac"), ["--port", server.port, "--token", server.token]);
    await page.locator(".lost").waitFor({ state: "hidden" });
    const frames = await page.evaluate(() => window.tactusStats.frames);
    await until(page, (before) => window.tactusStats.frames > before + 2, frames);
    await close();
    assert.equal(await again.stop(), 0);
    assert.deepEqual(problems, []);
});
