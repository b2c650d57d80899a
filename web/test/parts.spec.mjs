// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The parts of the page that need no browser: messages, history, the table of commands, archives.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { frameMessage, topologyMessage } from "../mock/server.mjs";
import { tar } from "../src/capture.js";
import { COMMANDS, commandFor, keyName } from "../src/commands.js";
import { show } from "../src/dom.js";
import { History } from "../src/history.js";
import { decodeFrame, decodeOverlay, decodeTopology, decodeTracks } from "../src/protocol.js";

const plain = (data) => data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);

function sample() {
    return frameMessage({
        number: 7, time: 1.25, rate: 0.5, channels: [3, 4.5, -1],
        tracks: [
            { id: 0, size: 3, kind: 1, positions: Float32Array.from([1, 2, 3]), scalars: Float32Array.from([9]) },
            { id: 2, size: 7, kind: 0, positions: Float32Array.from([1, 2, 3, 0, 0, 0, 1]), scalars: null },
        ],
    });
}

const sizes = (track) => ({ 0: 3, 2: 7 })[track] ?? 0;

test("a frame is what was sent, and its arrays are views of the message", () => {
    const buffer = plain(sample());
    const frame = decodeFrame(buffer);
    assert.deepEqual([frame.number, frame.time, frame.rate, [...frame.channels]], [7, 1.25, 0.5, [3, 4.5, -1]]);
    const seen = [];
    decodeTracks(frame, sizes, (track, kind, points, positions, scalars) => {
        assert.equal(positions.buffer, buffer);
        seen.push([track, kind, points, [...positions], scalars && [...scalars]]);
    });
    assert.deepEqual(seen, [[0, 1, 1, [1, 2, 3], [9]], [2, 0, 1, [1, 2, 3, 0, 0, 0, 1], null]]);
});

test("a frame that is cut anywhere is refused, not half read", () => {
    const whole = plain(sample());
    for (let length = 0; length < whole.byteLength - 8; length++) {
        assert.throws(() => decodeTracks(decodeFrame(whole.slice(0, length)), sizes, () => {}), RangeError, `cut at ${length}`);
    }
});

test("counts that promise more than there is are refused", () => {
    const frame = Buffer.from(sample());
    frame.writeUInt32LE(0xffffffff, 32 + 24 + 4);
    assert.throws(() => decodeTracks(decodeFrame(plain(frame)), sizes, () => {}), RangeError);
    const topology = topologyMessage(0, { triangles: Uint32Array.of(0, 1, 2), lines: Uint32Array.of(4, 5) });
    assert.deepEqual([...decodeTopology(plain(topology)).lines], [4, 5]);
    topology.writeUInt32LE(0x7fffffff, 4);
    assert.throws(() => decodeTopology(plain(topology)), RangeError);
    const overlay = Buffer.alloc(8);
    overlay.writeUInt32LE(1, 4);
    assert.throws(() => decodeOverlay(plain(overlay)), RangeError);
});

test("a track that nobody announced is refused", () => {
    assert.throws(() => decodeTracks(decodeFrame(plain(sample())), () => 0, () => {}), /no track 0/);
});

test("history forgets what a reset undoes, thins itself, and writes a table", () => {
    const history = new History();
    history.begin([{ name: "a, b", unit: "J" }]);
    for (let i = 0; i < 10; i++) history.push(i, [i * i]);
    history.push(4, [-1]);
    assert.deepEqual([...history.since(2, [0])[0]], [2, 3, 4]);
    assert.equal(history.last(0), -1);
    assert.deepEqual(history.csv().split("\n").slice(0, 3), ['time (s),"a, b (J)"', "0,0", "1,1"]);
    for (let i = 5; i < 100000; i++) history.push(i, [i]);
    const [times, values] = history.since(-Infinity, [0]);
    assert.ok(times.length <= 16384 && times[times.length - 1] === 99999 && times[0] === 0);
    for (let i = 1; i < times.length; i++) assert.ok(times[i] > times[i - 1]);
    assert.equal(values[values.length - 1], 99999);
});

test("every command has a name, a key of its own and a group", () => {
    const seen = new Map();
    for (const command of COMMANDS) {
        assert.ok(command.label && command.group && typeof command.run === "function", command.id);
        assert.ok(command.keys.length > 0, command.id);
        for (const key of command.keys) {
            assert.ok(!seen.has(key), `${key}: ${command.id} and ${seen.get(key)}`);
            seen.set(key, command.id);
        }
    }
});

test("key events find their command", () => {
    const press = (key, more = {}) => commandFor({ key, code: "", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more })?.id;
    assert.equal(press(" "), "pause");
    assert.equal(press("."), "step");
    assert.equal(press("ArrowLeft", { shiftKey: true }), "left");
    assert.equal(press("+", { shiftKey: true }), "faster");
    assert.equal(press("!", { shiftKey: true, code: "Digit1" }), "store-1");
    assert.equal(press("1"), "view-1");
    assert.equal(press("z", { ctrlKey: true }), "undo");
    assert.equal(press("C", { ctrlKey: true, shiftKey: true }), "copy");
    assert.equal(press("f", { altKey: true }), undefined);
    assert.equal(keyName("Shift+Digit3"), "Shift 3");
    assert.equal(keyName("+"), "+");
});

test("numbers are shown short and true", () => {
    assert.deepEqual([0, 1.23456, -2, 1234567, 1e-7, NaN, Infinity].map((x) => show(x)), ["0", "1.235", "−2", "1.23e6", "1.00e−7", "–", "∞"]);
});

test("pictures go into an archive that tar reads", async () => {
    const files = [{ name: "000000_0.000000s.png", data: new Uint8Array(700).fill(7) }, { name: "b.png", data: new Uint8Array(512) }];
    const archive = Buffer.from(await tar(files).arrayBuffer());
    const listed = spawnSync("tar", ["-tvf", "-"], { input: archive, encoding: "utf8" });
    assert.equal(listed.status, 0, listed.stderr);
    assert.match(listed.stdout, /700 .*000000_0\.000000s\.png\n.*512 .*b\.png/);
});
