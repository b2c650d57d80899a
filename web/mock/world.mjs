// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// A small made-up world for the page's own tests: a cloth (threads that keep their length), a heap of balls, turning
// bodies and a hanging wire. It knows nothing of the library; it only moves, can be pulled, and has known numbers.

const GRAVITY = -9.81;

function grid(columns, rows) {
    const triangles = [];
    for (let r = 0; r + 1 < rows; r++) {
        for (let c = 0; c + 1 < columns; c++) {
            const a = r * columns + c;
            if ((r + c) % 2) triangles.push(a, a + columns, a + 1, a + 1, a + columns, a + columns + 1);
            else triangles.push(a, a + columns, a + columns + 1, a, a + columns + 1, a + 1);
        }
    }
    return Uint32Array.from(triangles);
}

/// Points that keep their distances (Verlet, then a few sweeps over the links).
class Threads {
    constructor(positions, links, fixed, sweeps) {
        this.x = Float32Array.from(positions);
        this.start = Float32Array.from(positions);
        this.old = Float32Array.from(positions);
        this.links = links;
        this.rest = Float32Array.from({ length: links.length / 2 }, (_, i) => this.distance(links[2 * i], links[2 * i + 1]));
        this.fixed = new Map(fixed.map((p) => [p, [...this.x.subarray(3 * p, 3 * p + 3)]]));
        this.sweeps = sweeps;
    }

    distance(a, b) {
        return Math.hypot(...[0, 1, 2].map((k) => this.x[3 * a + k] - this.x[3 * b + k]));
    }

    reset() {
        this.x.set(this.start);
        this.old.set(this.start);
    }

    step(dt, wind, hands, ball) {
        const { x, old } = this;
        for (let p = 0; p < x.length; p += 3) {
            for (let k = 0; k < 3; k++) {
                const v = (x[p + k] - old[p + k]) * 0.992;
                old[p + k] = x[p + k];
                x[p + k] += v + (k === 1 ? GRAVITY : k === 2 ? wind(x[p], x[p + 1]) : 0) * dt * dt;
            }
        }
        for (const { point, target, strength } of hands) {
            const pull = Math.min(0.9, strength / 220);
            for (let k = 0; k < 3; k++) x[3 * point + k] += pull * (target[k] - x[3 * point + k]);
        }
        for (let sweep = 0; sweep < this.sweeps; sweep++) this.relax();
        for (let p = 0; p < x.length; p += 3) this.keepOut(p, ball);
        for (const [p, at] of this.fixed) x.set(at, 3 * p);
    }

    relax() {
        const { x, links, rest } = this;
        for (let i = 0; i < rest.length; i++) {
            const a = 3 * links[2 * i];
            const b = 3 * links[2 * i + 1];
            const dx = x[b] - x[a], dy = x[b + 1] - x[a + 1], dz = x[b + 2] - x[a + 2];
            const length = Math.hypot(dx, dy, dz) || 1e-9;
            const f = (0.5 * (length - rest[i])) / length;
            x[a] += f * dx; x[a + 1] += f * dy; x[a + 2] += f * dz;
            x[b] -= f * dx; x[b + 1] -= f * dy; x[b + 2] -= f * dz;
        }
        for (const [p, at] of this.fixed) x.set(at, 3 * p);
    }

    keepOut(p, ball) {
        const { x, old } = this;
        if (x[p + 1] < 0.012) {
            x[p + 1] = 0.012;
            for (const k of [0, 2]) old[p + k] = x[p + k];
        }
        if (!ball) return;
        const d = [0, 1, 2].map((k) => x[p + k] - ball.center[k]);
        const length = Math.hypot(...d) || 1e-9;
        const reach = ball.radius + 0.012;
        if (length < reach) for (let k = 0; k < 3; k++) x[p + k] += (d[k] / length) * (reach - length);
    }

    speeds(dt) {
        return Float32Array.from({ length: this.x.length / 3 }, (_, p) =>
            Math.hypot(...[0, 1, 2].map((k) => (this.x[3 * p + k] - this.old[3 * p + k]) / dt)));
    }
}

function makeCloth(count) {
    const n = Math.round(Math.sqrt(count));
    const positions = [];
    for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) positions.push(-0.75 + (1.5 * c) / (n - 1), 1.9 - (1.35 * r) / (n - 1) * 0.9, -0.25 + 0.35 * (r / (n - 1)));
    const links = [];
    for (let r = 0; r < n; r++) {
        for (let c = 0; c < n; c++) {
            const a = r * n + c;
            if (c + 1 < n) links.push(a, a + 1);
            if (r + 1 < n) links.push(a, a + n);
            if (c + 1 < n && r + 1 < n) links.push(a, a + n + 1, a + 1, a + n);
        }
    }
    return { n, positions, links: Uint32Array.from(links), triangles: grid(n, n) };
}

export class World {
    constructor({ cloth = 1600, balls = 400, boxes = 6, wire = true } = {}) {
        this.dt = 1 / 120;
        this.hands = new Map();
        this.pins = new Set();
        this.ball = null;
        this.wind = 1;
        this.tracks = [];
        this.parts = [];
        if (cloth) this.addCloth(cloth);
        if (boxes) this.addBoxes(boxes);
        if (wire) this.addWire();
        if (balls) this.addBalls(balls);
        this.reset();
    }

    add(track, part) {
        const id = this.tracks.length;
        this.tracks.push({ id, kind: "vec3", positionSize: 3, opacity: 1, radius: 0, visible: true, triangles: 0, lines: 0, ...track });
        this.parts.push({ topology: null, ...part });
    }

    addCloth(count) {
        const { n, positions, links, triangles } = makeCloth(count);
        const threads = count <= 6000 ? new Threads(positions, links, [0, n - 1, Math.floor(n / 2)], 14) : null;
        const x = Float32Array.from(positions);
        this.add({ path: "/cloth/points", points: n * n, color: [0.86, 0.36, 0.28], triangles: triangles.length / 3 }, {
            topology: { triangles, lines: new Uint32Array(0) },
            threads,
            positions: (t) => {
                if (threads) return threads.x;
                for (let p = 0; p < n * n; p++) x[3 * p + 2] = 0.12 * Math.sin(6 * x[3 * p] + 3 * t) + positions[3 * p + 2];
                return x;
            },
        });
    }

    addBoxes(count) {
        const x = new Float32Array(7 * count);
        this.add({ path: "/bodies/frames", kind: "rigid3", positionSize: 7, points: count, color: [0.24, 0.44, 0.66], radius: 0.13 }, {
            positions: (t) => {
                for (let i = 0; i < count; i++) {
                    const a = (2 * Math.PI * i) / count;
                    const lift = i % 2 ? Math.abs(Math.sin(1.6 * t + i)) * 0.35 : 0;
                    const turn = i % 2 ? 0.9 * t + i : 0.4 * i;
                    x.set([1.25 * Math.cos(a), 0.13 + lift, 0.75 + 0.55 * Math.sin(a), 0, Math.sin(turn / 2), 0, Math.cos(turn / 2)], 7 * i);
                }
                return x;
            },
        });
    }

    addWire() {
        const n = 48;
        const positions = [];
        for (let i = 0; i < n; i++) positions.push(-1.5 + (3 * i) / (n - 1) * 0.72 + 0.42, 2.1, 0.15 + 0.0001 * i);
        for (let i = 0; i < n; i++) positions[3 * i] = -1.5 + (3 * i) / (n - 1);
        const links = Uint32Array.from(Array.from({ length: n - 1 }, (_, i) => [i, i + 1]).flat());
        const threads = new Threads(positions, links, [0, n - 1], 60);
        threads.rest.fill(1.12 * threads.rest[0]);
        this.add({ path: "/wire/points", points: n, color: [0.95, 0.72, 0.2], radius: 0.016, lines: n - 1 }, {
            topology: { triangles: new Uint32Array(0), lines: links }, threads, positions: () => threads.x,
        });
    }

    addBalls(count) {
        const side = Math.ceil(Math.cbrt(count));
        const radius = count > 2000 ? 0.5 / side : 0.045;
        const x = new Float32Array(3 * count);
        this.add({ path: "/heap/points", points: count, color: [0.35, 0.62, 0.5], radius }, {
            positions: (t) => {
                for (let i = 0; i < count; i++) {
                    const layer = Math.floor(i / (side * side));
                    const r = 2.05 * radius;
                    const bounce = Math.abs(Math.sin(2.2 * t + 0.7 * (i % 17))) * 0.06 * (1 + (i % 5)) * Math.exp(-0.08 * (i % 7));
                    x[3 * i] = -0.55 + r * ((i % side) - side / 2) + 0.3 * radius * Math.sin(i);
                    x[3 * i + 1] = radius + r * layer + bounce * (layer + 1) * 0.35;
                    x[3 * i + 2] = 0.85 + r * ((Math.floor(i / side) % side) - side / 2) + 0.3 * radius * Math.cos(2 * i);
                }
                return x;
            },
        });
    }

    reset() {
        this.time = 0;
        for (const part of this.parts) {
            part.threads?.reset();
            part.now = part.positions(0);
        }
    }

    step(dt) {
        this.time += dt;
        const t = this.time;
        const wind = (x, y) => this.wind * (2.2 * Math.sin(1.7 * t + 2.5 * x) + 1.4 * Math.sin(3.1 * t + 4 * y));
        this.parts.forEach((part, id) => {
            const hands = [...this.hands.values()].filter((hand) => hand.track === id);
            part.threads?.step(dt, wind, hands, this.ball);
            part.now = part.positions(t);
        });
    }

    pin(track, point, on) {
        const threads = this.parts[track]?.threads;
        if (!threads || !(point >= 0 && 3 * point < threads.x.length)) return;
        if (on) threads.fixed.set(point, [...threads.x.subarray(3 * point, 3 * point + 3)]);
        else threads.fixed.delete(point);
    }

    keep() {
        return { time: this.time, threads: this.parts.map(({ threads }) => threads && { x: threads.x.slice(), old: threads.old.slice() }) };
    }

    restore(kept) {
        this.time = kept.time;
        kept.threads.forEach((saved, id) => {
            if (!saved) return;
            this.parts[id].threads.x.set(saved.x);
            this.parts[id].threads.old.set(saved.old);
        });
        for (const part of this.parts) part.now = part.positions(this.time);
    }

    /// Known numbers, so that plots can be checked: kinetic + potential = total at every time.
    channels() {
        const t = this.time;
        const kinetic = 2 + 1.5 * Math.sin(2 * t) ** 2 * Math.exp(-0.05 * t);
        const potential = 6 - 1.5 * Math.sin(2 * t) ** 2 * Math.exp(-0.05 * t);
        return [kinetic, potential, kinetic + potential, 0.4 * Math.sin(t), 0.1 * t, -0.2 * Math.cos(t), 3 + Math.floor(2 * Math.sin(t) + 2), 0.8 + 0.1 * Math.sin(5 * t)];
    }
}

export const CHANNELS = [
    ["energy/kinetic", "J"], ["energy/potential", "J"], ["energy/total", "J"], ["momentum/x", "kg m/s"], ["momentum/y", "kg m/s"],
    ["momentum/z", "kg m/s"], ["contact/layers", ""], ["priority/cloth", ""],
].map(([name, unit], id) => ({ id, name, unit }));
