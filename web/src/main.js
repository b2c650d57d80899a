// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The application: its state, what each command does, and what each message of the run changes. Frames wait until the
// screen asks for a picture; only the newest is drawn, and each is acknowledged once it is used, so a slow page never
// has a queue.
import { Capture } from "./capture.js";
import { Chrome } from "./chrome.js";
import { colourTexture, isKind } from "./colours.js";
import { FASTEST, SLOWEST, byId, commandFor } from "./commands.js";
import { Connection } from "./connection.js";
import { h, recall, remember, show } from "./dom.js";
import { Hands } from "./hand.js";
import { History } from "./history.js";
import { COLOUR_NAMES, ColourBar, makeLook } from "./look.js";
import { Outline } from "./outline.js";
import { STYLES } from "./overlay.js";
import { Plots } from "./plots.js";
import { COLOURS, KIND, OVERLAYS, decodeFrame, decodeOverlay, decodeTopology, decodeTracks, kindOf } from "./protocol.js";
import { shared } from "./shapes.js";
import { NoPictures, Stage } from "./stage.js";
import { Vector3 } from "three";
import "./style.css";

const OWN = 400; // ms that our own pause, speed and look stand against older answers
// How many pictures of a new world come before anything else that takes long, how many then between one such thing and the
// next, and how long all of them may be waited for.
const PICTURES_FIRST = 3;
const PICTURES_BETWEEN = 2;
const PICTURES_FIRST_MS = 1500;

// Why there is nothing to be seen of an overlay.
const MISSING = {
    contacts: "Nothing here can touch anything", forces: "Nothing here can touch anything", boxes: "There are no boxes here",
    plans: "Only worlds with safe contact have flight plans", sleeping: "Only agents under the loose scheduler sleep", nodes: "There are no wires or cables here",
};

/// When what was reached for the first time, ms since the page was asked for: `npm run measure` prints it.
const reached = { script: performance.now() };
const reach = (what) => (reached[what] ??= performance.now());

class Application {
    constructor() {
        // the first message comes when all of this is made; until then the socket opens
        this.connection = new Connection({
            text: {
                hello: (message) => {
                    reach("hello");
                    this.begin(message);
                },
                tree: ({ nodes }) => this.outline.setNodes(nodes),
                state: (message) => this.takeState(message),
                error: ({ message, fatal }) => {
                    if (fatal) this.failure = message;
                    this.chrome.error(String(message), fatal);
                },
                set: (message) => this.answered(message),
                saved: (message) => this.saved(message),
            },
            binary: (buffer) => this.binary(buffer),
            opened: () => {
                reach("socket");
                this.chrome.lost.hidden = true;
            },
            lost: (seconds) => this.lost(seconds),
        });
        this.ownUntil = 0;
        this.lookUntil = 0;
        this.hello = null;
        this.state = { paused: true, speed: 1, rate: 0, time: 0, shown: 0, frame: 0, snapshots: 0, recordingTo: "" };
        this.settings = { strength: 100, radius: 0.1 };
        this.look = {
            colour: "none", shading: "auto", edges: false, points: false, normals: false, wireframe: false, shadows: true, ground: true, unit: 1,
            show: Object.fromEntries(OVERLAYS.map((what) => [what, false])),
        };
        this.pending = [];
        this.waiting = []; // overlays
        this.unseen = []; // frames that are acknowledged when they are drawn
        this.later = []; // what comes after the first pictures
        this.panelsHidden = false;
        this.stats = { frames: 0, drawn: 0, fps: 0, decodeMs: 0, updateMs: 0, renderMs: 0, points: 0, bad: 0, reached, recent: [],
            /// Milliseconds spent on a frame, decoding and updating: the median of the last frames.
            get medianMs() {
                return [...this.recent].sort((a, b) => a - b)[this.recent.length >> 1] ?? NaN;
            } };
        window.tactusStats = this.stats;

        this.stage = new Stage(document.getElementById("stage"), this.look);
        reach("graphics");
        this.history = new History();
        this.outline = new Outline(this);
        this.plots = new Plots(this.history, () => this.fileName());
        this.colourBar = new ColourBar();
        this.capture = new Capture(this.stage.canvas, () => this.fileName());
        this.chrome = new Chrome(this, document.getElementById("ui"));
        this.hands = new Hands(this.stage, this, this.chrome.labels);
        const lookCard = document.createElement("section");
        lookCard.className = "card look-card";
        this.chrome.build({ outline: this.outline, look: lookCard, plots: this.plots, colourBar: this.colourBar });
        this.gui = makeLook(this, lookCard);
        this.setTheme(recall("theme", null) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => {
            if (!recall("theme", null)) this.setTheme(matches ? "dark" : "light");
        });
        this.stage.listeners.moved.push(() => (this.cameraMoved = true));
        setInterval(() => this.tellCamera(), 200);
        setInterval(() => this.stage.lowerGround(), 500);
        addEventListener("keydown", (event) => this.key(event));
        this.chrome.update();
        this.chrome.hold();
        reach("panels");
        requestAnimationFrame((now) => this.tick(now));
    }

    send(message) {
        this.connection?.send(message);
    }

    // --- what the run says ---

    begin(hello) {
        const again = this.hello && this.hello.file === hello.file && this.hello.title === hello.title;
        this.hello = hello;
        this.pending = [];
        this.waiting = [];
        this.hands.letGoAll();
        this.hands.forgetPins();
        this.stage.begin(hello);
        this.history.begin(hello.channels ?? []);
        this.plots.clear();
        this.later = [
            () => this.stage.finishSketch(),
            () => this.chrome.arrive("bars"),
            () => {
                this.chrome.arrive("left");
                this.send({ type: "tree" });
            },
            () => {
                this.chrome.arrive("right");
                this.plots.begin(hello.channels ?? []);
            },
        ];
        this.fresh = again ? "again" : "new";
        this.chrome.banner.hidden = true;
        this.failure = "";
        this.chrome.title.textContent = hello.title || hello.file || "Tactus";
        this.chrome.title.title = this.chrome.title.textContent;
        document.title = `${hello.title || hello.file || "world"} · Tactus`;
        const names = hello.gallery?.names ?? [];
        this.chrome.file.textContent = names.length > 1 ? `${hello.file} · ${hello.gallery.index + 1} of ${names.length}` : hello.file ?? "";
        this.chrome.gallery.classList.toggle("alone", names.length < 2);
        if (!again) {
            this.stage.views = recall(`views.${hello.file}`, []);
            this.outline.select("");
            this.stage.select([]);
        }
        this.gui.setColours(this.colours());
        if (!this.colours().includes(this.look.colour)) this.colour("none");
        if (this.look.colour !== "none") this.send({ type: "colour", by: this.look.colour });
        for (const what of OVERLAYS) if (this.look.show[what]) this.send({ type: "show", what, on: true });
        this.chrome.update();
    }

    takeState(message) {
        const numbers = ["speed", "rate", "time", "frame", "snapshots"];
        const { speed, paused } = this.state;
        for (const key of numbers) if (Number.isFinite(message[key])) this.state[key] = message[key];
        this.state.paused = Boolean(message.paused);
        // an answer that was on its way when a key was pressed must not undo the key
        if (performance.now() < this.ownUntil) Object.assign(this.state, { speed, paused });
        this.state.recordingTo = message.recordingTo ?? "";
        // who came after it failed has not heard the error itself
        if (message.failure && message.failure !== this.failure) this.chrome.error(String(message.failure), true);
        this.failure = message.failure ?? "";
        if (performance.now() >= this.lookUntil) this.takeLook(message);
        if (Array.isArray(message.pins) && performance.now() >= this.hands.pinsUntil) this.hands.setPins(message.pins);
        this.chrome.update();
    }

    /// Colours and overlays are one for all pages: what another one chose is shown here too.
    takeLook({ colour, shown }) {
        if (COLOURS.includes(colour) && colour !== this.look.colour) this.setColour(colour);
        for (const what of Array.isArray(shown) ? OVERLAYS : []) {
            if (this.look.show[what] !== shown.includes(what)) this.setShown(what, shown.includes(what));
        }
    }

    lost(seconds) {
        this.chrome.arriveAll();
        this.hands.letGoAll();
        this.chrome.showLost(seconds);
    }

    answered(message) {
        this.outline.answered(message);
        if (!message.ok) this.chrome.say(message.message || `${message.attribute} was refused`);
    }

    saved({ what, name, text }) {
        if (what !== "scene") {
            this.chrome.say(`Saved ${name || what}`);
            return;
        }
        const copied = () => this.chrome.say("The changed scene is on the clipboard");
        const otherwise = () => this.chrome.showText("The changed scene", text ?? "");
        this.sceneText = text;
        if (navigator.clipboard?.writeText) navigator.clipboard.writeText(text ?? "").then(copied, otherwise);
        else otherwise();
    }

    binary(buffer) {
        try {
            const kind = kindOf(buffer);
            if (kind === KIND.frame) {
                const start = performance.now();
                const frame = decodeFrame(buffer);
                this.stats.decodeMs = performance.now() - start;
                this.pending.push(frame);
                if (document.hidden) this.consume(); // no pictures are asked for; the run goes on
            } else if (kind === KIND.topology) {
                const { track, triangles, lines } = decodeTopology(buffer);
                this.stage.tracks.get(track)?.setTopology(triangles, lines);
                this.stage.touch();
            } else if (kind === KIND.overlay) {
                this.waiting.push(decodeOverlay(buffer));
            }
        } catch (problem) {
            this.stats.bad++;
            if (!(problem instanceof RangeError)) throw problem;
            this.chrome.error(`A message could not be read: ${problem.message}`, false);
        }
    }

    /// Uses what came since the last picture: all channels, but only the newest positions.
    consume() {
        if (!this.pending.length) return;
        const frames = this.pending;
        this.pending = [];
        const start = performance.now();
        for (const frame of frames) this.history.push(frame.time, frame.channels);
        const frame = frames[frames.length - 1];
        reach("frame");
        this.takeFrame(frame);
        this.takeOverlays(frame.number);
        const spent = performance.now() - start + this.stats.decodeMs;
        if (this.fresh && !document.hidden) this.unseen = frames;
        else this.acknowledge(frames);
        this.count(spent, frames.length);
        if (this.fresh) this.firstFrame();
        this.hands.refresh();
        this.chrome.updateClock();
    }

    takeFrame(frame) {
        this.state.time = this.state.shown = frame.time;
        this.state.rate = frame.rate;
        this.state.frame = frame.number;
        let points = 0;
        let low = Infinity;
        let high = -Infinity;
        try {
            decodeTracks(frame, (track) => this.stage.tracks.get(track)?.size ?? 0, (track, kind, count, positions, scalars) => {
                points += count;
                const wanted = scalars && COLOURS[kind] === this.look.colour ? scalars : null;
                this.stage.tracks.get(track).update(count, positions, wanted);
                if (!wanted) return;
                for (let i = 0; i < count; i++) {
                    if (wanted[i] < low) low = wanted[i];
                    if (wanted[i] > high) high = wanted[i];
                }
            });
        } catch (problem) {
            this.stats.bad++;
            if (!(problem instanceof RangeError)) throw problem;
            this.chrome.error(`A frame could not be read: ${problem.message}`, false);
        }
        const coloured = this.look.colour !== "none" && low <= high;
        shared.uColoured.value = coloured ? (isKind(this.look.colour) ? 2 : 1) : 0;
        if (coloured) {
            this.colourBar.follow(low, high);
            shared.uRange.value.fromArray(this.colourBar.range);
        }
        this.stats.points = points;
        if (this.look.normals) this.stage.showNormals(true);
        this.stage.touch();
    }

    /// Overlays are shown with the frame they belong to; those of later frames wait for these.
    takeOverlays(number) {
        const isLater = (frame) => {
            const ahead = (frame - number) & 0xffff;
            return ahead > 0 && ahead < 0x8000;
        };
        const now = this.waiting.filter(({ frame }) => !isLater(frame));
        this.waiting = this.waiting.filter(({ frame }) => isLater(frame));
        for (const { what, segments, count } of now) {
            if (OVERLAYS[what] === "forces") this.hands.takeForces(segments, count);
            if (OVERLAYS[what] && this.look.show[OVERLAYS[what]]) this.stage.setOverlay(OVERLAYS[what], segments, count);
        }
    }

    count(spent, frames) {
        const { stats } = this;
        stats.frames += frames;
        stats.updateMs = spent;
        if (stats.recent.push(spent) > 128) stats.recent.shift();
    }

    firstFrame() {
        this.begun = true;
        this.stage.settle();
        if (this.fresh === "new") {
            this.settings.radius = 0.06 * this.look.unit;
            this.stage.framed = false;
            this.frame();
            if (this.hello.camera) this.stage.setScenePose(this.hello.camera, this.chrome.room());
        } else {
            this.stage.select([this.outline.selected]);
        }
        if (this.hands.tool === "sphere") this.hands.setTool("sphere");
        this.fresh = null;
        this.picturesFirst = { drawn: this.stats.drawn + PICTURES_FIRST, time: performance.now() + PICTURES_FIRST_MS };
    }

    /// Panels, plots and the tree take as long to make and to draw as a picture does, and longer where the processor draws:
    /// they come one after the other when the world is seen to move.
    makeTheRest() {
        if (!this.later.length || this.fresh || !this.begun) return;
        const { drawn, time } = this.picturesFirst;
        const still = this.state.paused && this.stats.drawn > 0;
        if (this.stats.drawn < drawn && performance.now() < time && !still) return;
        this.later.shift()();
        this.picturesFirst.drawn = this.stats.drawn + PICTURES_BETWEEN;
    }

    /// Somebody does not wait.
    hurry() {
        this.chrome.arriveAll();
        while (this.begun && !this.fresh && this.later.length) this.later.shift()();
    }

    /// The first picture of a world takes long; its time begins when the run hears that it was seen.
    acknowledge(frames) {
        for (const { number } of frames) this.send({ type: "ack", frame: number });
    }

    tick(now) {
        requestAnimationFrame((later) => this.tick(later));
        this.hands.flush();
        this.consume();
        this.makeTheRest();
        this.plots.tend();
        this.gui.update();
        if (!this.begun) return; // an empty world is not worth a picture
        if (this.capture.kind === "film") this.stage.touch(); // a film goes on while nothing moves
        const start = performance.now();
        if (!this.stage.draw()) return;
        this.stats.renderMs = performance.now() - start;
        this.stats.drawn++;
        this.acknowledge(this.unseen);
        this.unseen = [];
        reach("picture");
        const gap = now - (this.lastDrawn ?? now);
        this.lastDrawn = now;
        if (gap > 0 && gap < 1000) this.stats.fps += 0.1 * (1000 / gap - this.stats.fps);
        this.capture.picture(this.state.time);
    }

    // --- what people ask for ---

    run(command) {
        if (command.can && !command.can(this)) return;
        command.run(this);
        this.chrome.update();
    }

    key(event) {
        if (event.defaultPrevented) return;
        this.hurry();
        const at = document.activeElement;
        const typing = at?.matches?.("input:not([type=range], [type=checkbox]), textarea, select");
        if (event.key === "Escape") return this.escape(at);
        const command = commandFor(event);
        if (!command) return;
        const global = /^F\d|^Ctrl/.test(command.keys[0]);
        if (typing && !global) return;
        const onCanvas = !at || at === document.body || at === this.stage.canvas;
        // elsewhere these keys belong to the control that has the focus
        if (!onCanvas && (event.key === "Tab" || (event.key === " " && !at.matches("aside, section, li")))) return;
        if (at?.matches?.("[type=range]") && event.key.startsWith("Arrow")) return;
        if (this.chrome.help.open && command.id !== "help") return;
        event.preventDefault();
        if (event.repeat && !command.repeat) return;
        this.run(command);
    }

    escape(at) {
        if (!this.chrome.menu.hidden) this.chrome.toggleMenu(false);
        else if (this.hands.tool === "sphere") this.tool("hand");
        else if (at && at !== document.body && at !== this.stage.canvas) at.blur();
        else this.select("");
        this.chrome.update();
    }

    pause() {
        this.state.paused = !this.state.paused; // shown at once; the run's answer has the last word
        this.send({ type: this.state.paused ? "pause" : "play" });
        this.ownUntil = performance.now() + OWN;
    }

    step(n) {
        if (!this.state.paused) this.pause();
        this.send({ type: "step", n });
    }

    reset() {
        this.hands.letGoAll();
        this.hands.forgetPins();
        this.send({ type: "reset" });
    }

    speed(factor) {
        const wanted = factor ? this.state.speed * factor : 1;
        this.state.speed = Math.min(Math.max(wanted, SLOWEST), FASTEST);
        this.send({ type: "speed", value: this.state.speed });
        this.ownUntil = performance.now() + OWN;
    }

    seek(time) {
        this.send({ type: "seek", time });
    }

    /// A recording can be looked at only.
    canTouch() {
        return this.hello?.mode !== "recording";
    }

    tool(tool) {
        this.hands.setTool(tool);
    }

    pin() {
        if (!this.hands.pin()) this.chrome.say("Point at something first");
    }

    strength(factor) {
        this.settings.strength = Math.min(Math.max(this.settings.strength * factor, 1), 1e5);
        this.chrome.say(`The hand pulls with ${show(this.settings.strength, 3)} N/m`);
    }

    frame() {
        this.stage.frame(this.chrome.room());
    }

    storeView(n) {
        this.stage.views[n] = this.stage.pose();
        remember(`views.${this.hello?.file}`, this.stage.views);
        this.chrome.say(`View ${n} is stored`);
    }

    recallView(n) {
        this.stage.setPose(this.stage.views[n]);
    }

    /// What points can be coloured by here.
    colours() {
        return this.hello?.colours ?? COLOURS;
    }

    colour(by) {
        this.lookUntil = performance.now() + OWN;
        this.setColour(by);
        this.send({ type: "colour", by });
    }

    setColour(by) {
        this.look.colour = by;
        if (by !== "none") {
            shared.uTable.value.dispose();
            shared.uTable.value = colourTexture(by);
        }
        shared.uColoured.value = 0;
        this.colourBar.begin(by);
        this.repaint();
    }

    nextColour() {
        const all = this.colours();
        this.colour(all[(all.indexOf(this.look.colour) + 1) % all.length]);
        this.chrome.say(`Colour by: ${COLOUR_NAMES[this.look.colour]}`);
    }

    nextShading() {
        const all = ["auto", "smooth", "flat"];
        this.look.shading = all[(all.indexOf(this.look.shading) + 1) % all.length];
        this.chrome.say(`Shading: ${this.look.shading}`);
        this.repaint();
    }

    repaint() {
        for (const track of this.stage.tracks.values()) track.paint();
        this.stage.touch();
    }

    rebuild() {
        for (const track of this.stage.tracks.values()) track.rebuild();
        this.stage.touch();
    }

    show(what, on = !this.look.show[what]) {
        this.lookUntil = performance.now() + OWN;
        this.setShown(what, on);
        this.send({ type: "show", what, on });
        const missing = on && this.hello?.overlays && !this.hello.overlays.includes(what);
        if (missing) this.chrome.say(MISSING[what]);
    }

    setShown(what, on) {
        this.look.show[what] = on;
        if (!on) this.stage.setOverlay(what, new Float32Array(0), 0);
        this.chrome.update();
    }

    normals(on = !this.look.normals) {
        this.look.normals = on;
        this.stage.showNormals(on);
    }

    shadows(on = !this.look.shadows) {
        this.look.shadows = on;
        this.stage.setShadows(on);
    }

    ground(on = !this.look.ground) {
        this.look.ground = on;
        this.stage.ground.visible = on;
        this.stage.touch();
    }

    galleryCount() {
        return this.hello?.gallery?.names?.length ?? 0;
    }

    gallery(by) {
        const count = this.galleryCount();
        this.hello.gallery.index = (this.hello.gallery.index + by + count) % count; // so that two presses go two on
        this.send({ type: "gallery", index: this.hello.gallery.index });
    }

    set(path, attribute, value) {
        this.send({ type: "set", path, attribute, value });
    }

    undo() {
        this.send({ type: "undo" });
        this.send({ type: "tree" });
    }

    select(path) {
        this.outline.select(path);
        this.stage.select([path]);
        this.send({ type: "select", path });
    }

    copyScene() {
        this.send({ type: "save", what: "scene" });
    }

    saveRecording() {
        this.send({ type: "save", what: "recording" });
    }

    saveInputs() {
        this.send({ type: "save", what: "inputs" });
    }

    screenshot() {
        this.stage.draw();
        this.capture.screenshot();
        this.chrome.say("Screenshot saved");
    }

    async record(pictures) {
        if (this.capture.running) {
            const any = await this.capture.stop();
            this.chrome.say(any ? "Saved what was seen" : "No picture was made meanwhile: nothing is saved");
        } else {
            this.capture.start(pictures);
            this.stage.touch();
            this.chrome.say(this.capture.kind === "film" ? "Recording what is seen" : "Recording pictures");
        }
        this.chrome.update();
    }

    search() {
        if (this.panelsHidden) this.togglePanels();
        this.outline.search.focus();
        this.outline.search.select();
    }

    togglePanels() {
        this.panelsHidden = !this.panelsHidden;
        document.body.classList.toggle("bare", this.panelsHidden);
        this.stage.shift(this.chrome.room());
        this.stage.touch();
        if (!this.panelsHidden) this.plots.update(true);
    }

    setTheme(theme) {
        this.theme = theme;
        document.documentElement.dataset.theme = theme;
        this.stage.setTheme(theme);
        this.plots.setTheme(theme);
    }

    toggleTheme() {
        this.setTheme(this.theme === "dark" ? "light" : "dark");
        remember("theme", this.theme);
    }

    toggleMenu() {
        this.chrome.toggleMenu();
    }

    toggleHelp() {
        this.chrome.toggleHelp();
    }

    tellCamera() {
        if (!this.cameraMoved) return;
        this.cameraMoved = false;
        this.send({ type: "camera", ...this.stage.pose() });
    }

    fileName() {
        const stem = (this.hello?.file || "tactus").replace(/\.[^.]*$/, "").replace(/[^\w-]+/g, "_");
        return `${stem}-${this.state.time.toFixed(2)}s`;
    }
}

function start() {
    try {
        return new Application();
    } catch (problem) {
        if (!(problem instanceof NoPictures)) throw problem;
        document.getElementById("ui").append(h("div", { class: "banner fatal", role: "alert" }, h("b", {}, "There are no pictures."),
            h("span", {}, "This page needs WebGL 2, which this browser does not have or has switched off: hardware acceleration in its settings, or another browser, may help.")));
        throw problem;
    }
}

const app = start();

// For tests and for the curious: where a point is drawn, where the eye is, what is known.
window.tactusProbe = {
    project(track, point) {
        const at = app.stage.tracks.get(track).position(point, new Vector3());
        return { ...app.stage.project(at), world: at.toArray() };
    },
    pose: () => app.stage.pose(),
    state: () => ({ ...app.state, tool: app.hands.tool, theme: app.theme, pins: app.hands.pins.size, held: app.hands.held.size,
        selected: app.outline.selected, colour: app.look.colour, shading: app.look.shading, show: { ...app.look.show },
        overlays: Object.fromEntries(Object.keys(STYLES).map((what) => [what, app.stage.overlays.get(what)?.count ?? 0])),
        range: [...app.colourBar.range], shadows: app.look.shadows, ground: app.look.ground, strength: app.settings.strength,
        sphere: app.hands.ball.position.toArray(), radius: app.settings.radius }),
    history: (name) => {
        const channel = app.history.channels.findIndex((entry) => entry.name === name);
        return app.history.since(-Infinity, [channel]).map((list) => [...list]);
    },
    commands: () => [...byId.keys()],
    sceneText: () => app.sceneText,
};
