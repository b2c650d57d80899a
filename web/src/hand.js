// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Touching the world: grab and pull, pin, throw, and the solid sphere. Every pointer is a hand of its own, so two
// fingers can stretch a cloth. A hand is a spring from the grabbed point to where the pointer is; the run turns it into
// a law, the page only says where and how strong.
import {
    ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, SphereGeometry, Vector3,
} from "three";
import { h, show } from "./dom.js";

const CLICK = 5; // pixels a pointer may wander and still be a click
const THROW_TIME = 0.1; // seconds: who rested this long before letting go did not throw
const MOST_HANDS = 8;
const Y = new Vector3(0, 1, 0);

class Arrow {
    constructor(colour) {
        const material = new MeshBasicMaterial({ color: colour, toneMapped: false, depthTest: false, transparent: true });
        this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material);
        this.head = new Mesh(new ConeGeometry(1, 1, 20).translate(0, -0.5, 0), material);
        this.dot = new Mesh(new SphereGeometry(1, 16, 12), material);
        this.group = new Group().add(this.shaft, this.head, this.dot);
        for (const part of this.group.children) part.renderOrder = 10;
    }

    set(from, to, width) {
        const direction = to.clone().sub(from);
        const length = direction.length();
        const head = Math.min(7 * width, 0.5 * length);
        this.group.position.copy(from);
        if (length > 0) this.group.quaternion.setFromUnitVectors(Y, direction.divideScalar(length));
        this.dot.scale.setScalar(2.2 * width);
        this.shaft.scale.set(width, Math.max(length - head, 1e-9), width);
        this.head.scale.set(3 * width * Math.min(1, head / (7 * width) + 0.01), Math.max(head, 1e-9), 3 * width);
        this.head.position.y = length;
        this.head.visible = this.shaft.visible = length > width;
    }
}

export class Hands {
    /// `app` gives settings {strength, radius}, send(message), select(path), canTouch().
    constructor(stage, app, labels) {
        this.stage = stage;
        this.app = app;
        this.labels = labels;
        this.tool = "hand";
        this.held = new Map(); // pointer id -> hand
        this.pins = new Map(); // "track:point" -> {track, point, mark}
        this.pinsUntil = 0; // until then older answers do not undo what was just pinned
        this.pointer = null; // last place of the mouse on the page
        this.last = null; // last point touched: what the Pin button means
        this.still = null; // a pointer that went down and grabbed nothing: a click, unless it wanders
        this.ball = new Mesh(new SphereGeometry(1, 48, 32),
            new MeshStandardMaterial({ color: 0xff7a3d, roughness: 0.35, transparent: true, opacity: 0.78 }));
        this.ball.castShadow = true;
        this.ball.visible = false;
        stage.scene.add(this.ball);
        const canvas = stage.canvas;
        const options = { capture: true };
        canvas.addEventListener("pointerdown", (event) => this.down(event), options);
        canvas.addEventListener("pointermove", (event) => this.move(event), options);
        canvas.addEventListener("pointerup", (event) => this.up(event, true), options);
        canvas.addEventListener("pointercancel", (event) => this.up(event, false), options);
        canvas.addEventListener("wheel", (event) => this.wheel(event), { capture: true, passive: false });
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        stage.listeners.drawn.push(() => this.placeLabels());
    }

    setTool(tool) {
        this.tool = tool;
        const on = tool === "sphere";
        this.stage.leadBySphere(on);
        if (on) {
            const start = this.stage.centre?.clone() ?? new Vector3();
            const at = this.pointer && this.stage.onPlane(this.pointer.x, this.pointer.y, start);
            this.ball.position.copy(at ?? start);
            this.ball.scale.setScalar(this.app.settings.radius);
        }
        this.ball.visible = on;
        this.sendSphere(on);
        this.stage.touch();
    }

    sendSphere(on) {
        const { radius } = this.app.settings;
        this.app.send({ type: "sphere", on, center: this.ball.position.toArray(), radius });
    }

    setRadius(radius) {
        this.app.settings.radius = radius;
        this.ball.scale.setScalar(radius);
        if (this.tool === "sphere") this.sendSphere(true);
        this.stage.touch();
    }

    down(event) {
        this.pointer = { x: event.clientX, y: event.clientY };
        this.stage.canvas.focus({ preventScroll: true });
        if (this.tool === "sphere") {
            if (event.button === 0) this.moveSphere(event);
            return;
        }
        if (event.button !== 0 || this.tool === "look") return;
        const found = this.stage.pick(event.clientX, event.clientY, event.pointerType === "touch" ? 28 : 10);
        if (!found || !this.app.canTouch()) {
            this.still = { x: event.clientX, y: event.clientY, path: found?.track.info.path ?? "" };
            return;
        }
        event.stopImmediatePropagation(); // the camera must not follow
        event.preventDefault();
        this.stage.canvas.setPointerCapture(event.pointerId);
        this.grab(event, found);
    }

    grab(event, found) {
        const taken = new Set([...this.held.values()].map((hand) => hand.number));
        const number = [...Array(MOST_HANDS).keys()].find((k) => !taken.has(k));
        if (number === undefined) return;
        const hand = {
            number, track: found.track, point: found.point, target: found.position.clone(),
            start: { x: event.clientX, y: event.clientY }, moved: false, trail: [],
            arrow: new Arrow(0xff5a1f), label: h("div", { class: "force", role: "status", "aria-label": "Force of the hand" }),
        };
        hand.plane = hand.target.clone();
        this.stage.scene.add(hand.arrow.group);
        this.labels.append(hand.label);
        this.held.set(event.pointerId, hand);
        this.last = { track: hand.track, point: hand.point };
        this.app.send({ type: "grab", hand: number, track: hand.track.info.id, point: hand.point,
            target: hand.target.toArray(), strength: this.app.settings.strength });
        this.stage.canvas.classList.add("grabbing");
        this.refresh();
    }

    move(event) {
        this.pointer = { x: event.clientX, y: event.clientY };
        if (this.tool === "sphere") {
            if (event.pointerType !== "touch" || event.buttons) this.moveSphere(event);
            return;
        }
        const hand = this.held.get(event.pointerId);
        if (!hand) return;
        event.stopImmediatePropagation();
        if (Math.hypot(event.clientX - hand.start.x, event.clientY - hand.start.y) > CLICK) hand.moved = true;
        const target = this.stage.onPlane(event.clientX, event.clientY, hand.plane);
        if (!target) return;
        hand.target.copy(target);
        const events = event.getCoalescedEvents?.() ?? [];
        for (const { clientX, clientY, timeStamp } of events.length ? events : [event]) {
            const at = this.stage.onPlane(clientX, clientY, hand.plane);
            if (at) hand.trail.push({ time: timeStamp / 1000, at });
        }
        while (hand.trail.length > 8 && hand.trail[0].time < event.timeStamp / 1000 - 2 * THROW_TIME) hand.trail.shift();
        hand.dirty = true;
        this.refresh();
    }

    moveSphere(event) {
        if (event.buttons & ~1) return; // the view is being turned
        const at = this.stage.onPlane(event.clientX, event.clientY, this.ball.position);
        if (!at) return;
        this.ball.position.copy(at);
        this.sphereDirty = true;
        this.stage.touch();
    }

    /// The velocity of the last moments, or null where the pointer rested before it let go.
    throwVelocity(hand, now) {
        const { trail } = hand;
        const last = trail[trail.length - 1];
        if (!last || last.time < now - THROW_TIME) return null;
        let first = null; // the latest place that is long enough ago to tell a velocity from
        for (const place of trail) if (place.time <= last.time - 0.008 && (!first || place.time < last.time - 0.5 * THROW_TIME)) first = place;
        if (!first) return null;
        return last.at.clone().sub(first.at).divideScalar(last.time - first.time);
    }

    up(event, thrown) {
        const { still } = this;
        this.still = null;
        const hand = this.held.get(event.pointerId);
        if (!hand) {
            const click = still && Math.hypot(event.clientX - still.x, event.clientY - still.y) <= CLICK;
            if (click && this.tool !== "sphere") this.app.select(still.path);
            return;
        }
        event.stopImmediatePropagation();
        const message = { type: "release", hand: hand.number };
        const velocity = thrown && hand.moved ? this.throwVelocity(hand, event.timeStamp / 1000) : null;
        if (velocity) message.velocity = velocity.toArray();
        this.letGo(event.pointerId, message);
        if (!hand.moved) this.app.select(hand.track.info.path);
    }

    letGo(pointer, message) {
        const hand = this.held.get(pointer);
        this.flush();
        this.held.delete(pointer);
        this.app.send(message);
        hand.arrow.group.removeFromParent();
        hand.label.remove();
        if (!this.held.size) this.stage.canvas.classList.remove("grabbing");
        this.stage.touch();
    }

    letGoAll() {
        for (const [pointer, hand] of [...this.held]) this.letGo(pointer, { type: "release", hand: hand.number });
    }

    wheel(event) {
        const hand = this.held.values().next().value;
        const step = Math.exp(-0.0012 * event.deltaY) - 1;
        const away = this.stage.camera.getWorldDirection(new Vector3());
        const distance = this.stage.camera.position.distanceTo(hand ? hand.target : this.ball.position);
        if (hand) {
            hand.target.addScaledVector(away, step * distance * 0.5);
            hand.plane.copy(hand.target);
            hand.dirty = true;
        } else if (this.tool === "sphere" && event.shiftKey) {
            this.ball.position.addScaledVector(away, step * distance * 0.5);
            this.sphereDirty = true;
        } else {
            return;
        }
        event.stopImmediatePropagation();
        event.preventDefault();
        this.refresh();
    }

    /// P: pins what is held, else what is under the pointer, else what was touched last; a pinned point is let free.
    pin() {
        let aim = null;
        const hand = this.held.values().next().value;
        if (hand) aim = hand;
        else if (this.pointer) aim = this.stage.pick(this.pointer.x, this.pointer.y, 14);
        aim ??= this.last;
        if (!aim || !this.stage.tracks.has(aim.track.info.id)) return false;
        const key = `${aim.track.info.id}:${aim.point}`;
        const message = { track: aim.track.info.id, point: aim.point };
        this.pinsUntil = performance.now() + 400;
        if (this.pins.has(key)) {
            this.removePin(key);
            this.app.send({ type: "unpin", ...message });
        } else {
            this.addPin(key, aim.track, aim.point);
            this.app.send({ type: "pin", ...message });
            for (const [pointer, held] of [...this.held]) {
                if (held === hand) this.letGo(pointer, { type: "release", hand: held.number });
            }
        }
        this.refresh();
        return true;
    }

    addPin(key, track, point) {
        const mark = new Mesh(new SphereGeometry(1, 20, 14), new MeshStandardMaterial({ color: 0xd6249f, roughness: 0.3, emissive: 0x5a0a40 }));
        this.stage.scene.add(mark);
        this.pins.set(key, { track, point, mark });
    }

    removePin(key) {
        this.pins.get(key).mark.removeFromParent();
        this.pins.delete(key);
    }

    /// What the run says is pinned: by another page, before a reload, or at a time gone back to.
    setPins(list) {
        const wanted = new Map(list.map(([track, point]) => [`${track}:${point}`, [track, point]]));
        const gone = [...this.pins.keys()].filter((key) => !wanted.has(key));
        for (const key of gone) this.removePin(key);
        let changed = gone.length > 0;
        for (const [key, [id, point]] of wanted) {
            const track = this.stage.tracks.get(id);
            if (this.pins.has(key) || !track || point >= track.points) continue;
            this.addPin(key, track, point);
            changed = true;
        }
        if (changed) this.refresh();
        if (changed) this.stage.touch();
    }

    forgetPins() {
        for (const { mark } of this.pins.values()) mark.removeFromParent();
        this.pins.clear();
        this.last = null;
    }

    /// The run's own word on what hands pull with: it may be less than asked for. Each hand is known by its target.
    takeForces(segments, count) {
        this.told = [];
        for (let i = 0; i < Math.min(count, MOST_HANDS); i++) {
            this.told.push({ to: new Vector3().fromArray(segments, 7 * i + 3), force: segments[7 * i + 6] });
        }
    }

    forceOf(hand) {
        const at = hand.track.position(hand.point, new Vector3());
        const told = this.told?.find(({ to }) => to.distanceTo(hand.target) < 1e-3 * this.stage.look.unit);
        if (told) hand.ratio = told.force / Math.max(at.distanceTo(hand.target), 1e-12);
        return { at, force: told?.force ?? at.distanceTo(hand.target) * (hand.ratio ?? this.app.settings.strength) };
    }

    /// Arrows and marks follow the latest frame.
    refresh() {
        if (!this.held.size && !this.pins.size && !this.ball.visible) return;
        const unit = this.stage.look.unit;
        for (const hand of this.held.values()) {
            const { at, force } = this.forceOf(hand);
            hand.arrow.set(at, hand.target, 0.0035 * unit);
            hand.force = force;
        }
        for (const { track, point, mark } of this.pins.values()) {
            track.position(point, mark.position);
            mark.scale.setScalar(Math.max(0.011 * unit, 1.15 * (track.parts.balls ? track.radiusOf("balls") : 0)));
        }
        this.stage.touch();
    }

    placeLabels() {
        for (const hand of this.held.values()) {
            const { x, y } = this.stage.project(hand.target);
            hand.label.textContent = `${show(hand.force, 3)} N`;
            hand.label.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y - 30)}px)`;
        }
    }

    /// At most one message per hand and picture.
    flush() {
        for (const hand of this.held.values()) {
            if (!hand.dirty) continue;
            hand.dirty = false;
            this.app.send({ type: "drag", hand: hand.number, target: hand.target.toArray() });
        }
        if (this.sphereDirty) {
            this.sphereDirty = false;
            this.sendSphere(true);
        }
    }
}
