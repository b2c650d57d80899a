// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The page as a person uses it, in Chromium, on the mock server: every key and control, touching things, plots, the
// tree, recordings, two clients, reload, a server that dies and comes back.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, afterEach, before, beforeEach } from "node:test";
import { MockServer } from "../mock/server.mjs";
import { launch, openPage, probe, until } from "./browser.mjs";

const SMALL = { cloth: 400, balls: 60, boxes: 4 };
const CLOTH = 0;
const MIDDLE = 16 * 20 + 12; // a point inside the cloth, near its free end
let browser;
let server;
let view;
let page;

before(async () => {
    browser = await launch();
});
after(() => browser.close());

async function start(options = {}, look = {}) {
    server = new MockServer({ ...SMALL, ...options });
    view = await openPage(browser, await server.listen(), look);
    page = view.page;
}

async function stop() {
    const problems = view.problems;
    await view.close();
    await server.close();
    assert.deepEqual(problems, []);
}

const sent = (type) => server.log.filter((message) => message.type === type);

async function untilSent(type, count = 1) {
    for (let k = 0; k < 400; k++) {
        if (sent(type).length >= count) return sent(type).at(-1);
        await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail(`"${type}" was not sent; sent were ${server.log.map((message) => message.type)}`);
}

async function holds(what, check) {
    let last;
    for (let k = 0; k < 400; k++) {
        last = await check();
        if (last) return last;
        await new Promise((done) => setTimeout(done, 50));
    }
    return assert.fail(what);
}

const whereIs = (track, point) => page.evaluate(([t, p]) => window.tactusProbe.project(t, p), [track, point]);
const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

/// A mouse button goes down on a point of the cloth that lies in front of everything else.
async function take(point = MIDDLE) {
    const { paused } = server.state;
    server.on_pause(); // a slow machine shows where the cloth was, not where it is
    await until(page, (time) => window.tactusProbe.state().shown === time && window.tactusProbe.state().paused, server.world.time);
    const at = await whereIs(CLOTH, point);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await untilSent("grab");
    if (!paused) server.on_play();
    return at;
}

/// Space, once the page knows what the run does.
async function toggle() {
    const { paused } = server.state;
    await until(page, (known) => window.tactusProbe.state().paused === known, paused);
    await page.keyboard.press(" ");
    await holds("pause and play", () => server.state.paused !== paused);
}

/// Moves and lets go within a few milliseconds of the events' own time, however slow the machine is.
async function fling({ x, y }, [dx, dy]) {
    const wire = await page.context().newCDPSession(page);
    const now = Date.now() / 1000;
    const event = (type, k) => wire.send("Input.dispatchMouseEvent", {
        type, x: x + (dx * k) / 5, y: y + (dy * k) / 5, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1, timestamp: now + 0.016 * k,
    });
    await Promise.all([1, 2, 3, 4, 5].map((k) => event("mouseMoved", k)).concat(event("mouseReleased", 5.5)));
    await page.mouse.up();
}

test("running", async (t) => {
    beforeEach(() => {
        server.log.length = 0;
    });
    await start();
    t.after(stop);

    await t.test("the title, the file and a moving picture are there", async () => {
        assert.equal(await page.title(), "Banner in the wind · Tactus");
        const before = (await whereIs(CLOTH, MIDDLE)).world;
        await until(page, (drawn) => window.tactusStats.drawn > drawn, await page.evaluate(() => window.tactusStats.drawn + 3));
        assert.ok(distance(before, (await whereIs(CLOTH, MIDDLE)).world) > 1e-4);
    });

    await t.test("Space pauses and plays, and the button says what it would do", async () => {
        await page.keyboard.press(" ");
        await untilSent("pause");
        await holds("paused", () => server.state.paused);
        assert.equal(await page.locator(".Time [data-command=pause]").getAttribute("aria-label"), "Play");
        await page.getByRole("button", { name: "Play", exact: true }).click();
        await untilSent("play");
        await until(page, () => !window.tactusProbe.state().paused);
        await page.keyboard.press(" ");
        await untilSent("pause", 2);
    });

    await t.test("steps forward and back, by keys and by buttons", async () => {
        const time = () => server.world.time;
        for (const key of [".", "ArrowRight"]) {
            const before = time();
            await page.keyboard.press(key);
            await holds(`${key} steps`, () => Math.abs(time() - before - 1 / 60) < 1e-9);
            await until(page, (now) => Math.abs(window.tactusProbe.state().time - now) < 1e-9, time());
        }
        const before = time();
        await page.keyboard.press("ArrowLeft");
        await holds("steps back", () => time() < before);
        await page.getByRole("button", { name: "Step", exact: true }).click();
        await page.getByRole("button", { name: "Step back" }).click();
        assert.deepEqual((await untilSent("step", 5)).n, -1);
    });

    await t.test("speed goes from 1/32 to 8 and no further", async () => {
        const speed = page.locator(".speed");
        for (let k = 0; k < 7; k++) await page.keyboard.press("-");
        await holds("slowest", async () => server.state.speed === 1 / 32 && (await speed.textContent()) === "1/32×");
        assert.ok(await page.getByRole("button", { name: "Slower" }).isDisabled());
        for (let k = 0; k < 10; k++) await page.keyboard.press("+");
        await holds("fastest", async () => server.state.speed === 8 && (await speed.textContent()) === "8×");
        await page.getByRole("button", { name: "Slower" }).click();
        await holds("slower", () => server.state.speed === 4);
        await page.keyboard.press("0");
        await holds("real time", () => server.state.speed === 1);
    });

    await t.test("Backspace resets", async () => {
        await page.keyboard.press("Backspace");
        await untilSent("reset");
        await until(page, () => window.tactusProbe.state().time === 0);
    });

    await t.test("the timeline goes to a kept snapshot", async () => {
        for (let k = 0; k < 3; k++) await page.keyboard.press(".");
        await holds("stepped", () => server.world.time > 0.04);
        await page.locator(".timeline").evaluate((slider) => {
            slider.value = 0;
            slider.dispatchEvent(new Event("input"));
        });
        assert.equal((await untilSent("seek")).time, 0);
        await until(page, () => window.tactusProbe.state().time === 0);
    });

    await t.test("the view: turn, move, zoom, frame, stored views; the run is told", async () => {
        const pose = () => page.evaluate(() => window.tactusProbe.pose());
        const away = ({ eye, target }) => distance(eye, target);
        const start = await pose();
        await page.keyboard.press("Shift+Digit1");
        const moves = ["Shift+ArrowLeft", "Shift+ArrowRight", "Shift+ArrowUp", "Shift+ArrowDown", "ArrowUp", "ArrowDown", "q", "e", "w", "a", "s", "d"];
        for (const key of moves) {
            const before = await pose();
            await page.keyboard.press(key);
            const now = await pose();
            assert.ok(distance(before.eye, now.eye) > 1e-4, `${key} moves the eye`);
            if (key.startsWith("Shift")) assert.ok(Math.abs(away(before) - away(now)) < 1e-3, `${key} keeps the distance`);
            else if ("wasd".includes(key)) assert.ok(distance(before.target, now.target) > 1e-4, `${key} moves the target`);
        }
        await page.keyboard.press("ArrowUp");
        assert.ok(away(await pose()) < away(start));
        await page.keyboard.press("Shift+ArrowLeft");
        assert.ok(distance((await pose()).eye, start.eye) > 0.01);
        await page.keyboard.press("1");
        assert.ok(distance((await pose()).eye, start.eye) < 1e-6);
        await page.mouse.move(640, 600);
        await page.mouse.wheel(0, 600);
        await holds("the wheel zooms out", async () => away(await pose()) > 1.05 * away(start));
        await page.keyboard.press("f");
        await holds("framed", async () => distance((await pose()).eye, (await pose()).target) < 1.05 * away(start));
        const told = await untilSent("camera");
        assert.equal(told.eye.length, 3);
        const before = await pose();
        await page.mouse.move(420, 620);
        await page.mouse.down();
        await page.mouse.move(520, 600, { steps: 4 });
        await page.mouse.up();
        await holds("a drag of the empty space turns", async () => distance((await pose()).eye, before.eye) > 0.01);
        await page.keyboard.press("1");
    });

    await t.test("what is shown: colours with a bar, shading, overlays, shadows, ground, theme, panels", async () => {
        await page.keyboard.press("c");
        assert.equal((await untilSent("colour")).by, "speed");
        await page.locator(".colour-bar").waitFor();
        for (const by of ["agent", "time", "class", "tension", "stress", "resolution", "layer", "none"]) {
            await page.keyboard.press("c");
            await holds(by, () => sent("colour").at(-1).by === by);
        }
        await page.getByRole("combobox", { name: "Colour by" }).selectOption("Stress");
        await holds("by the menu too", () => sent("colour").at(-1).by === "stress");
        await until(page, () => { const { range } = window.tactusProbe.state(); return range[0] === 0 && range[1] > 0.9 && range[1] < 1; });
        await page.getByRole("combobox", { name: "Colour by" }).selectOption("Own colours");
        for (const [key, what] of [["k", "contacts"], ["j", "forces"], ["x", "boxes"], ["l", "plans"], ["z", "sleeping"], ["y", "nodes"]]) {
            await page.keyboard.press(key);
            await holds(`${what} on`, () => sent("show").some((m) => m.what === what && m.on));
            await until(page, (name) => window.tactusProbe.state().overlays[name] === 24, what);
            await page.keyboard.press(key);
            await holds(`${what} off`, () => sent("show").some((m) => m.what === what && !m.on));
            assert.equal((await probe(page)).overlays[what], 0);
        }
        for (const shading of ["smooth", "flat", "auto"]) {
            await page.keyboard.press("m");
            assert.equal((await probe(page)).shading, shading);
        }
        for (const [key, what] of [["o", "shadows"], ["g", "ground"]]) {
            await page.keyboard.press(key);
            assert.equal((await probe(page))[what], false);
            await page.keyboard.press(key);
        }
        await page.keyboard.press("n");
        assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
        await page.getByRole("button", { name: "Light or dark" }).click();
        assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
        await page.keyboard.press("Tab");
        assert.ok(await page.locator(".side.left").isHidden());
        await page.keyboard.press("Tab");
        assert.ok(await page.locator(".side.left").isVisible());
    });

    await t.test("F1 shows every key, F2 every command, and the menu runs them", async () => {
        await page.keyboard.press("F1");
        const help = page.getByRole("dialog", { name: "All keys" });
        await help.waitFor();
        const text = await help.textContent();
        for (const word of ["Space", "Backspace", "Frame everything", "Previous scene", "Store the view", "Throw", "Ctrl"]) {
            assert.ok(text.toLowerCase().includes(word.toLowerCase()), word);
        }
        await page.keyboard.press("F1");
        await help.waitFor({ state: "hidden" });
        await page.keyboard.press("F2");
        const items = await page.locator(".menu [data-command]").count();
        const known = await page.evaluate(() => window.tactusProbe.commands().filter((id) => !/^(view|store)-[4-9]|^menu$/.test(id)).length);
        assert.equal(items, known);
        const before = server.world.time;
        await page.locator(".menu [data-command=step]").click();
        await holds("the menu steps", () => server.world.time > before);
        await page.getByRole("button", { name: "Menu" }).click();
        await page.keyboard.press("Escape");
        await page.locator(".menu").waitFor({ state: "hidden" });
    });

    await t.test("every control has an accessible name", async () => {
        const bare = await page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea")]
            .filter((e) => e.offsetParent && !(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim() || e.getAttribute("aria-labelledby")))
            .map((e) => e.outerHTML));
        assert.deepEqual(bare, []);
    });

    await t.test("the gallery turns both ways", async () => {
        await page.keyboard.press("]");
        await until(page, () => document.querySelector("h1").textContent === "Curtain");
        await page.getByRole("button", { name: "Next scene" }).click();
        await until(page, () => document.querySelector("h1").textContent === "Heap");
        await page.keyboard.press("[");
        await page.keyboard.press("[");
        await until(page, () => document.querySelector("h1").textContent === "Banner in the wind");
    });
});

test("touching", async (t) => {
    beforeEach(() => {
        server.log.length = 0;
    });
    await start({ balls: 0, boxes: 0 });
    t.after(stop);

    await t.test("a pulled cloth follows the hand, and the force is shown", async () => {
        const at = await take();
        const grab = await untilSent("grab");
        assert.equal(grab.track, CLOTH);
        const start = [...server.world.parts[CLOTH].now.slice(3 * grab.point, 3 * grab.point + 3)];
        await page.mouse.move(at.x + 120, at.y - 100, { steps: 6 });
        const target = (await untilSent("drag")).target;
        await holds("the point moved to the hand", () => {
            const now = [...server.world.parts[CLOTH].now.slice(3 * grab.point, 3 * grab.point + 3)];
            return distance(now, start) > 0.1 && distance(now, sent("drag").at(-1).target) < distance(start, target);
        });
        const shown = await page.locator(".force").textContent();
        assert.match(shown, /^[\d.]+ N$/);
        await fling({ x: at.x + 120, y: at.y - 100 }, [40, -20]);
        const release = await untilSent("release");
        assert.equal(release.velocity?.length, 3, "let go while moving: a throw");
        assert.equal(await page.locator(".force").count(), 0);
    });

    await t.test("a hand that rests lets go without a throw; the wheel pulls in depth", async () => {
        await take();
        await untilSent("grab");
        await page.mouse.wheel(0, 300);
        await untilSent("drag");
        await page.waitForTimeout(400);
        await page.mouse.up();
        assert.equal((await untilSent("release")).velocity, undefined);
    });

    await t.test("the strength is adjustable", async () => {
        await page.keyboard.press(">");
        await take();
        assert.equal((await untilSent("grab")).strength, 200);
        await page.mouse.up();
        await page.keyboard.press("<");
        assert.equal((await probe(page)).strength, 100);
    });

    await t.test("P pins what is held, and unpins it", async () => {
        await toggle();
        await take();
        await untilSent("grab");
        await page.keyboard.press("p");
        const pin = await untilSent("pin");
        await untilSent("release");
        await page.mouse.up();
        assert.equal((await probe(page)).pins, 1);
        assert.ok(server.world.parts[CLOTH].threads.fixed.has(pin.point));
        await page.getByRole("button", { name: "Pin or unpin the point" }).click();
        await holds("pin button acts", async () => sent("unpin").length + sent("pin").length >= 2);
        await toggle();
    });

    await t.test("the sphere follows the pointer and pushes", async () => {
        await page.mouse.move(500, 300);
        await page.keyboard.press("b");
        assert.equal((await untilSent("sphere")).on, true);
        await page.mouse.move(600, 380, { steps: 3 });
        await holds("it moves", () => sent("sphere").length > 1);
        assert.ok(distance(sent("sphere")[0].center, sent("sphere").at(-1).center) > 0.05);
        assert.ok(server.world.ball.radius > 0);
        await page.keyboard.press("h");
        await holds("it goes away", () => server.world.ball === null);
    });

    await t.test("a click selects in the view, in the tree, and tells the run", async () => {
        await toggle();
        await take();
        await page.mouse.up();
        assert.equal((await untilSent("select")).path, "/cloth/points");
        assert.equal(await page.locator(".tree [aria-selected=true]").getAttribute("data-path"), "/cloth/points");
        await page.locator("[data-path='/wire']").click();
        assert.equal((await untilSent("select", 2)).path, "/wire");
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await holds("nothing is selected", async () => (await probe(page)).selected === "");
        await toggle();
    });
});

test("a finger pulls too, on a tablet", async (t) => {
    await start({ balls: 0, boxes: 0, paused: true }, { width: 1024, height: 768, touch: true });
    t.after(stop);
    const at = await whereIs(CLOTH, MIDDLE);
    const wire = await page.context().newCDPSession(page);
    const touch = (type, points) => wire.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [{ x: at.x, y: at.y }]);
    assert.equal((await untilSent("grab")).hand, 0);
    await touch("touchMove", [{ x: at.x + 60, y: at.y - 40 }]);
    await untilSent("drag");
    await touch("touchEnd", []);
    await untilSent("release");
    const overflow = await page.evaluate(() => [...document.querySelectorAll(".bar")].filter((bar) => {
        const box = bar.getBoundingClientRect();
        return box.left < 0 || box.right > innerWidth || bar.scrollWidth > bar.clientWidth + 1;
    }).map((bar) => bar.className));
    assert.deepEqual(overflow, []);
});

test("plots show the numbers of the run, and save them", async (t) => {
    await start({ paused: true });
    t.after(stop);
    for (let k = 0; k < 12; k++) {
        const time = server.world.time;
        await page.keyboard.press(".");
        await holds("stepped", () => server.world.time > time);
        await until(page, (now) => Math.abs(window.tactusProbe.state().shown - now) < 1e-9, server.world.time);
    }
    const [kinetic, potential, total] = server.world.channels();
    const value = (name) => page.locator(`[data-plot=energy] [data-channel="${name}"]`).getAttribute("data-value").then(Number);
    await holds("the last value", async () => (await value("energy/kinetic")) === kinetic);
    assert.equal(await value("energy/potential"), potential);
    assert.equal(await value("energy/total"), total);
    const [times, values] = await page.evaluate(() => window.tactusProbe.history("energy/kinetic"));
    times.forEach((time, i) => assert.ok(Math.abs(values[i] - (2 + 1.5 * Math.sin(2 * time) ** 2 * Math.exp(-0.05 * time))) < 1e-12));
    const [table] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("t")]);
    assert.match(table.suggestedFilename(), /^banner-.*\.csv$/);
    const rows = (await readFile(await table.path(), "utf8")).trim().split("\n");
    assert.ok(rows[0].startsWith("time (s),energy/kinetic (J),energy/potential (J)"));
    assert.equal(Number(rows.at(-1).split(",")[1]), kinetic);
    const [picture] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as PNG: Energy" }).click()]);
    assert.equal((await readFile(await picture.path())).subarray(1, 4).toString(), "PNG");
    await page.getByRole("button", { name: "Choose channels: Channels" }).click();
    await page.getByRole("group", { name: "Channels of Channels" }).getByText("momentum/y").click();
    assert.equal(await page.locator('[data-plot=chosen] [data-channel="momentum/y"]').count(), 1);
    await page.getByRole("combobox", { name: "Time shown in plots" }).selectOption("All");
});

test("the tree is searched, attributes are changed, refused and undone, the scene is copied", async (t) => {
    await start({ paused: true });
    t.after(stop);
    await page.keyboard.press("/");
    await page.keyboard.type("bonds");
    await until(page, () => document.querySelectorAll(".tree [role=treeitem]").length === 2);
    await page.locator("[data-path='/heap/bonds']").click();
    await page.getByRole("searchbox").fill("");
    await page.locator("[data-path='/cloth/springs']").click();
    const stiffness = page.getByRole("textbox", { name: "stiffness of Springs in N/m" });
    assert.equal(await stiffness.inputValue(), "400");
    await stiffness.fill("250");
    await stiffness.press("Enter");
    await holds("set", () => server.value("/cloth/springs stiffness") === "250");
    await stiffness.fill("hard");
    await stiffness.press("Enter");
    await page.getByText('stiffness must be a number of at least 0, not "hard"').first().waitFor();
    assert.equal(await stiffness.getAttribute("aria-invalid"), "true");
    assert.equal(server.value("/cloth/springs stiffness"), "250");
    await page.getByRole("button", { name: "Copy the changed scene as text" }).click();
    await holds("the text is on the clipboard", async () => (await page.evaluate(() => navigator.clipboard.readText().catch(() => ""))).includes('stiffness="250"'));
    await page.locator("canvas").first().focus();
    await page.keyboard.press("Control+z");
    await holds("undone", async () => server.value("/cloth/springs stiffness") === "400" && (await stiffness.inputValue()) === "400");
    await page.locator("[data-path='/cloth/solver']").click();
    assert.ok(await page.getByRole("textbox", { name: /step of ImplicitEuler/ }).isDisabled());
});

test("what is seen is saved: a picture, a film, a row of pictures; the recording too", async (t) => {
    await start({ balls: 0 }, { width: 1000, height: 600 });
    t.after(stop);
    const download = async (key) => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press(key)]);
        return { name: file.suggestedFilename(), data: await readFile(await file.path()) };
    };
    const picture = await download("i");
    assert.match(picture.name, /^banner-[\d.]+s\.png$/);
    assert.equal(picture.data.subarray(1, 4).toString(), "PNG");
    await page.keyboard.press("r");
    await page.waitForTimeout(2500);
    const film = await download("r");
    assert.match(film.name, /\.webm$/);
    assert.equal(film.data.readUInt32BE(0), 0x1a45dfa3, "an EBML file");
    await page.keyboard.press("Shift+r");
    await page.waitForTimeout(1000);
    const pictures = await download("r");
    assert.match(pictures.name, /-pictures\.tar$/);
    assert.match(pictures.data.subarray(0, 30).toString(), /^000000_[\d.]+s\.png/);
    await page.keyboard.press("Control+s");
    assert.equal((await untilSent("save")).what, "recording");
    await page.getByText("Saved banner.tacrec").waitFor();
});

test("a recording is scrubbed", async (t) => {
    await start({ recording: true, paused: true, cloth: 0 });
    t.after(stop);
    await page.locator(".timeline").evaluate((slider) => {
        slider.value = 4;
        slider.dispatchEvent(new Event("input"));
    });
    await untilSent("seek");
    await until(page, () => Math.abs(window.tactusProbe.state().time - 4) < 1e-9);
    assert.equal(await page.locator(".clock").textContent(), "4.00 s / 10 s");
    assert.ok(await page.getByRole("button", { name: /^Hand/ }).isDisabled(), "a recording cannot be touched");
    const box = await whereIs(0, 0);
    await page.mouse.click(box.x, box.y);
    assert.equal((await untilSent("select")).path, "/bodies/frames", "but its things can be selected");
    assert.equal(sent("grab").length, 0);
});

test("errors are shown, and bad messages do no harm", async (t) => {
    await start();
    t.after(stop);
    const client = [...server.clients][0];
    server.send(client, { type: "error", message: "banner.tac:3: the cloth <b>tore</b>", fatal: true });
    await page.getByText("banner.tac:3: the cloth <b>tore</b>").waitFor();
    await page.getByRole("button", { name: "Close the message" }).click();
    for (const data of [[], [2], [2, 0, 255, 255, 0, 0, 0, 0], [1, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0], [9, 9, 9, 9, 9, 9, 9, 9], Buffer.alloc(32, 2)]) {
        client.socket.send(Buffer.from(data));
    }
    for (const text of ["{", "null", "[]", '{"type":"toString"}', '{"type":"state"}', '{"type":"tree"}']) client.socket.send(text);
    const frames = await page.evaluate(() => window.tactusStats.frames);
    await until(page, (before) => window.tactusStats.frames > before + 2 && window.tactusStats.bad > 3, frames);
});

test("two clients see the same world, in the same colours", async (t) => {
    await start({}, { width: 900, height: 600 });
    t.after(stop);
    const other = await openPage(browser, `http://127.0.0.1:${server.port}/?token=mock`, { width: 900, height: 600 });
    await page.keyboard.press(" ");
    await until(other.page, () => window.tactusProbe.state().paused);
    await holds("same time", async () => (await probe(page)).time === (await probe(other.page)).time && server.state.paused);
    await page.keyboard.press("c");
    await until(page, () => window.tactusProbe.state().colour === "speed");
    await until(other.page, () => window.tactusProbe.state().colour === "speed");
    await other.close();
    await page.keyboard.press(" ");
    const frames = await page.evaluate(() => window.tactusStats.frames);
    await until(page, (before) => window.tactusStats.frames > before + 2, frames);
    assert.deepEqual(other.problems, []);
});

test("reload, and a server that dies and comes back", async (t) => {
    await start({}, { width: 900, height: 600 });
    t.after(stop);
    await page.reload();
    await until(page, () => window.tactusStats?.frames > 2);
    assert.equal(server.clients.size, 1);
    const { port } = server;
    await server.close();
    await page.getByText("The connection is lost.").waitFor();
    server = new MockServer(SMALL);
    await server.listen(port);
    await page.locator(".lost").waitFor({ state: "hidden" });
    const frames = await page.evaluate(() => window.tactusStats.frames);
    await until(page, (before) => window.tactusStats.frames > before + 2, frames);
});

/// A page that is told something before its own script runs; `stop` does not end it.
async function openWith(script) {
    server = new MockServer(SMALL);
    const context = await browser.newContext();
    const fresh = await context.newPage();
    await fresh.addInitScript(script);
    await fresh.goto(await server.listen());
    return { fresh, end: () => context.close().then(() => server.close()) };
}

test("panels come after the first pictures, one part after the other, or at once for who does not wait", async () => {
    const { fresh, end } = await openWith(() => {
        window.arrivals = [];
        new MutationObserver(() => window.arrivals.push([document.documentElement.dataset.waits, window.tactusStats.drawn]))
            .observe(document, { subtree: true, attributeFilter: ["data-waits"] });
    });
    await until(fresh, () => document.documentElement.dataset.waits === "" && window.tactusProbe);
    const arrivals = await fresh.evaluate(() => window.arrivals);
    assert.deepEqual(arrivals.map(([waits]) => waits), ["bars left right", "left right", "right", ""]);
    assert.equal(arrivals[0][1], 0);
    assert.ok(arrivals[1][1] > 0, "a picture comes first");
    await fresh.reload();
    await until(fresh, () => window.tactusStats?.drawn > 0);
    const [file] = await Promise.all([fresh.waitForEvent("download"), fresh.keyboard.press("Shift+t")]);
    assert.match(file.suggestedFilename(), /energy\.png$/);
    await end();
});

test("a browser without WebGL is told so", async () => {
    const { fresh, end } = await openWith(() => {
        const own = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, options) {
            return kind.startsWith("webgl") ? null : own.call(this, kind, options);
        };
    });
    await fresh.getByRole("alert").getByText("This page needs WebGL 2").waitFor();
    await end();
});
