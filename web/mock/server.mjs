// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// A stand-in for `tactus view` that speaks the live view's protocol about a made-up world (world.mjs), under the same
// content security policy, for the page's own tests:
//     node mock/server.mjs [--port 8123] [--cloth 1600] [--balls 400] [--boxes 6] [--recording]
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { CHANNELS, World } from "./world.mjs";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const FILES = { "/": ["index.html", "text/html; charset=utf-8"], "/app.js": ["app.js", "text/javascript"], "/app.css": ["app.css", "text/css"] };
const COLOURS = ["none", "speed", "agent", "time", "class", "tension", "stress", "resolution", "layer"];
const OVERLAYS = ["contacts", "forces", "boxes", "plans", "sleeping", "nodes"];
const GALLERY = ["banner.tac", "curtain.tac", "heap.tac"];
const PERIOD = 1000 / 60;

export function topologyMessage(track, { triangles, lines }) {
    const data = Buffer.alloc(12 + 4 * (triangles.length + lines.length));
    data.writeUInt8(1, 0);
    data.writeUInt16LE(track, 2);
    data.writeUInt32LE(triangles.length / 3, 4);
    data.writeUInt32LE(lines.length / 2, 8);
    Buffer.from(triangles.buffer, triangles.byteOffset, triangles.byteLength).copy(data, 12);
    Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).copy(data, 12 + triangles.byteLength);
    return data;
}

export function frameMessage({ number, time, rate, channels, tracks }) {
    const block = ({ positions, scalars }) => 8 + ((positions.byteLength + (scalars?.byteLength ?? 0) + 7) & ~7);
    const data = Buffer.alloc(32 + 8 * channels.length + tracks.reduce((sum, track) => sum + block(track), 0));
    data.writeUInt8(2, 0);
    data.writeUInt16LE(tracks.length, 2);
    data.writeUInt32LE(number, 4);
    data.writeDoubleLE(time, 8);
    data.writeDoubleLE(rate, 16);
    data.writeUInt16LE(channels.length, 24);
    channels.forEach((value, c) => data.writeDoubleLE(value, 32 + 8 * c));
    let at = 32 + 8 * channels.length;
    for (const track of tracks) {
        const { positions, scalars } = track;
        data.writeUInt16LE(track.id, at);
        data.writeUInt16LE(scalars ? track.kind : 0, at + 2);
        data.writeUInt32LE(positions.length / track.size, at + 4);
        Buffer.from(positions.buffer, positions.byteOffset, positions.byteLength).copy(data, at + 8);
        if (scalars) Buffer.from(scalars.buffer, scalars.byteOffset, scalars.byteLength).copy(data, at + 8 + positions.byteLength);
        at += block(track);
    }
    return data;
}

function overlayMessage(what, segments, frame = 0) {
    const data = Buffer.alloc(8 + 28 * segments.length);
    data.writeUInt8(3, 0);
    data.writeUInt8(what, 1);
    data.writeUInt16LE(frame & 0xffff, 2);
    data.writeUInt32LE(segments.length, 4);
    segments.flat().forEach((value, k) => data.writeFloatLE(value, 8 + 4 * k));
    return data;
}

export class MockServer {
    constructor(options = {}) {
        this.options = options;
        this.token = options.token ?? "mock";
        this.clients = new Set();
        this.colour = 0;
        this.show = new Set(); // overlays
        this.log = []; // every message from clients, for tests
        this.index = 0;
        this.attributes = new Map([["/cloth/springs stiffness", "400"], ["/cloth/springs damping", "0.02"], ["/ gravity", "0 -9.81 0"], ["/wire/solver step", "0.0166"]]);
        this.changes = [];
        this.beginWorld();
    }

    beginWorld() {
        this.world = new World(this.options);
        this.state = { paused: Boolean(this.options.paused), speed: 1, rate: 0, frame: 0 };
        this.kept = [];
        this.duration = this.options.recording ? 10 : this.options.duration ?? 0;
    }

    listen(port = 0) {
        this.http = createServer((request, response) => this.serve(request, response));
        this.sockets = new WebSocketServer({ noServer: true, maxPayload: 65536 });
        this.http.on("upgrade", (request, socket, head) => {
            const url = new URL(request.url, "http://localhost");
            if (url.pathname !== "/live" || url.searchParams.get("token") !== this.token) return socket.destroy();
            this.sockets.handleUpgrade(request, socket, head, (client) => this.welcome(client));
        });
        this.timer = setInterval(() => this.tick(), PERIOD);
        this.beat = setInterval(() => this.sendState(), 400);
        return new Promise((done) => this.http.listen(port, "127.0.0.1", () => {
            this.port = this.http.address().port;
            done(`http://127.0.0.1:${this.port}/?token=${this.token}`);
        }));
    }

    close() {
        clearInterval(this.timer);
        clearInterval(this.beat);
        for (const { socket } of this.clients) socket.terminate();
        this.http.closeAllConnections?.();
        return new Promise((done) => this.http.close(done));
    }

    async serve(request, response) {
        const url = new URL(request.url, "http://localhost");
        const file = FILES[url.pathname];
        if (!file || (url.pathname === "/" && url.searchParams.get("token") !== this.token)) {
            response.writeHead(file ? 403 : 404).end();
            return;
        }
        response.writeHead(200, { "Content-Type": file[1], "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" });
        response.end(await readFile(join(dist, file[0])));
    }

    welcome(socket) {
        const client = { socket, flying: 0 };
        this.clients.add(client);
        socket.on("close", () => this.clients.delete(client));
        socket.on("message", (data, binary) => {
            if (binary) return;
            const message = JSON.parse(data);
            if (message.type !== "ack") this.log.push(message);
            (this[`on_${message.type}`] ?? this.unknown).call(this, message, client);
        });
        this.sayHello(client);
    }

    sayHello(client) {
        const hello = {
            type: "hello", version: 1, mode: this.options.recording ? "recording" : "scene", title: ["Banner in the wind", "Curtain", "Heap"][this.index],
            file: this.options.recording ? "banner.tacrec" : GALLERY[this.index], up: [0, 1, 0], beat: 1 / 120, duration: this.duration, fps: 60,
            frames: this.options.recording ? 600 : 0, camera: null, ground: { normal: [0, 1, 0], offset: 0 }, tracks: this.world.tracks, channels: CHANNELS,
            agents: [{ name: "/cloth", solver: "ImplicitEuler", step: 0.01 }], gallery: { index: this.index, names: this.options.recording ? [] : GALLERY },
        };
        this.send(client, hello);
        this.world.parts.forEach(({ topology }, id) => topology && client.socket.send(topologyMessage(id, topology)));
        client.flying = 0;
        client.fresh = true;
        this.sendState();
    }

    send(client, message) {
        if (client.socket.readyState === 1) client.socket.send(JSON.stringify(message));
    }

    broadcast(message) {
        for (const client of this.clients) this.send(client, message);
    }

    sendState() {
        const { paused, speed, rate, frame } = this.state;
        this.broadcast({ type: "state", paused, speed, rate, time: this.world.time, frame, snapshots: this.kept.length, recordingTo: "", colour: COLOURS[this.colour], shown: [...this.show] });
    }

    advance() {
        if (this.state.frame % 10 === 0) {
            this.kept.push(this.world.keep());
            if (this.kept.length > 200) this.kept.shift();
        }
        this.world.step(1 / 60);
        this.state.frame++;
        if (this.options.recording && this.world.time >= this.duration) this.world.reset();
    }

    tick() {
        const now = performance.now();
        const passed = Math.min(now - (this.last ?? now), 100) / 1000;
        this.last = now;
        if (!this.state.paused) {
            this.owed = Math.min((this.owed ?? 0) + passed * this.state.speed, 0.2);
            const before = this.world.time;
            while (this.owed >= 1 / 60) {
                this.advance();
                this.owed -= 1 / 60;
            }
            if (passed > 0) this.state.rate += 0.05 * ((this.world.time - before) / passed - this.state.rate);
            this.changed = true;
        } else {
            this.state.rate = 0;
        }
        this.sendFrames();
    }

    sendFrames() {
        for (const client of this.clients) {
            client.fresh ||= this.changed; // one who is slow gets the newest later
            if (client.flying >= 2 || !client.fresh || client.socket.readyState !== 1) continue;
            client.flying++;
            client.fresh = false;
            if (this.show.size) this.sendOverlays(client);
            client.socket.send(this.frame());
        }
        this.changed = false;
    }

    frame() {
        const kind = this.colour;
        const tracks = this.world.parts.map((part, id) => {
            const { positionSize, points } = this.world.tracks[id];
            let scalars = null;
            if (COLOURS[kind] === "speed") scalars = part.threads?.speeds(1 / 60) ?? new Float32Array(points);
            else if (COLOURS[kind] === "agent") scalars = new Float32Array(points).fill(id);
            else if (kind) scalars = Float32Array.from({ length: points }, (_, i) => i / points);
            return { id, size: positionSize, positions: part.now, scalars, kind };
        });
        return frameMessage({ number: this.state.frame, time: this.world.time, rate: this.state.rate, channels: this.world.channels(), tracks });
    }

    sendOverlays(client) {
        for (const what of this.show) {
            const segments = Array.from({ length: 24 }, (_, i) => {
                const a = (i * Math.PI) / 12;
                const p = [1.25 * Math.cos(a), 0, 0.75 + 0.55 * Math.sin(a)];
                return [...p, p[0], 0.15 + 0.1 * OVERLAYS.indexOf(what), p[2], i];
            });
            client.socket.send(overlayMessage(OVERLAYS.indexOf(what), segments, this.state.frame));
        }
    }

    unknown(message, client) {
        this.send(client, { type: "error", message: `there is no message "${message.type}"`, fatal: false });
    }

    on_ack(_, client) {
        client.flying = Math.max(0, client.flying - 1);
    }

    on_pause() {
        this.state.paused = true;
        this.sendState();
    }

    on_play() {
        this.state.paused = false;
        this.sendState();
    }

    on_step({ n }) {
        this.state.paused = true;
        for (let k = 0; k < Math.min(n, 100); k++) this.advance();
        if (n < 0 && this.kept.length) this.world.restore(this.kept.pop());
        this.changed = true;
        this.sendState();
    }

    on_reset() {
        this.world.reset();
        this.state.frame = 0;
        this.kept = [];
        this.changed = true;
        this.sendState();
    }

    on_speed({ value }) {
        this.state.speed = value;
        this.sendState();
    }

    on_seek({ time }) {
        if (this.options.recording) {
            this.world.time = Math.min(Math.max(time, 0), this.duration);
            for (const part of this.world.parts) part.now = part.positions(this.world.time);
        } else if (this.kept.length) {
            const nearest = this.kept.reduce((a, b) => (Math.abs(b.time - time) < Math.abs(a.time - time) ? b : a));
            this.world.restore(nearest);
        }
        this.changed = true;
        this.sendState();
    }

    value(key) {
        return this.attributes.get(key);
    }

    on_tree(_, client) {
        const attribute = (path, name, unit, doc, live = true) => ({ name, type: "real", unit, value: this.value(`${path} ${name}`) ?? "1", live, doc });
        const part = (path, name, ...attributes) => ({ path, class: name, attributes });
        this.send(client, { type: "tree", nodes: [
            { path: "/", components: [part("/gravity", "Gravity", { ...attribute("/", "gravity", "m/s²", "The pull of the earth."), name: "gravity" })] },
            { path: "/cloth", components: [
                part("/cloth/solver", "ImplicitEuler", attribute("/cloth/solver", "step", "s", "The agent's own step.", false)),
                part("/cloth/points", "Points", { ...attribute("/cloth/points", "count", "", "How many points.", false), value: "1600" }),
                part("/cloth/springs", "Springs", attribute("/cloth/springs", "stiffness", "N/m", "How hard a thread resists being longer."), attribute("/cloth/springs", "damping", "N s/m", "How fast its swing dies."))] },
            { path: "/bodies", components: [part("/bodies/frames", "Frames", attribute("/bodies/frames", "density", "kg/m³", "Mass by volume."))] },
            { path: "/wire", components: [part("/wire/solver", "Spook", attribute("/wire/solver", "step", "s", "The wire's step.")), part("/wire/points", "Points")] },
            { path: "/heap", components: [part("/heap/points", "Points"), part("/heap/bonds", "Bonds", attribute("/heap/bonds", "friction", "", "Coulomb's number."))] },
        ] });
    }

    on_set({ path, attribute, value }) {
        const ok = attribute === "gravity" ? /^-?[\d.]+ -?[\d.]+ -?[\d.]+$/.test(value) : Number.isFinite(Number(value)) && Number(value) >= 0;
        const key = `${path} ${attribute}`;
        if (ok) {
            this.changes.push([key, this.value(key) ?? "1"]);
            this.attributes.set(key, value);
        }
        this.broadcast({ type: "set", path, attribute, value, ok, message: ok ? "" : `${attribute} must be a number of at least 0, not "${value}"` });
    }

    on_undo(_, client) {
        const change = this.changes.pop();
        if (change) this.attributes.set(...change);
        this.on_tree(_, client);
    }

    on_grab({ hand, track, point, target, strength }, client) {
        this.world.hands.set(hand, { track, point, target, strength });
        this.send(client, { type: "picked", hand, track, point, position: target });
    }

    on_drag({ hand, target }) {
        const held = this.world.hands.get(hand);
        if (held) held.target = target;
    }

    on_release({ hand, velocity }) {
        const held = this.world.hands.get(hand);
        this.world.hands.delete(hand);
        const threads = held && this.world.parts[held.track]?.threads;
        if (threads && velocity) for (let k = 0; k < 3; k++) threads.old[3 * held.point + k] = threads.x[3 * held.point + k] - velocity[k] / 60;
    }

    on_pin({ track, point }) {
        this.world.pin(track, point, true);
    }

    on_unpin({ track, point }) {
        this.world.pin(track, point, false);
    }

    on_sphere({ on, center, radius }) {
        this.world.ball = on ? { center, radius } : null;
    }

    on_camera() {}

    on_select() {}

    // one look for all pages
    on_colour({ by }) {
        this.colour = Math.max(0, COLOURS.indexOf(by));
        for (const client of this.clients) client.fresh = true;
    }

    on_show({ what, on }) {
        if (on) this.show.add(what);
        else this.show.delete(what);
        for (const client of this.clients) client.fresh = true;
    }

    on_save({ what }, client) {
        const text = `<tactus version="1">\n  <Springs stiffness="${this.value("/cloth/springs stiffness")}"/>\n</tactus>\n`;
        this.send(client, { type: "saved", what, name: what === "scene" ? "banner.tac" : "banner.tacrec", text: what === "scene" ? text : "" });
    }

    on_gallery({ index }) {
        this.index = ((index % GALLERY.length) + GALLERY.length) % GALLERY.length;
        this.options = { ...this.options, ...[{ cloth: 1600, balls: 400 }, { cloth: 2500, balls: 0 }, { cloth: 0, balls: 3000 }][this.index] };
        this.beginWorld();
        for (const client of this.clients) this.sayHello(client);
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const options = {};
    const words = process.argv.slice(2);
    for (let i = 0; i < words.length; i++) {
        const name = words[i].replace(/^--/, "");
        if (name === "recording" || name === "paused") options[name] = true;
        else options[name] = Number(words[++i]);
    }
    console.log(await new MockServer(options).listen(options.port ?? 8123));
}
