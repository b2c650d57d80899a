// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The panel of looks (lil-gui) and the colour bar. The panel shows the application's settings and calls the same
// functions as the keys do; it holds no state of its own.
import GUI from "lil-gui";
import "../node_modules/lil-gui/dist/lil-gui.css";
import { colourAt, isKind, kindCount } from "./colours.js";
import { h, show } from "./dom.js";

export const COLOUR_NAMES = {
    none: "Own colours", speed: "Speed", agent: "Agent", time: "Local time", class: "Clock class", tension: "Tension",
    stress: "Stress", resolution: "Resolution", layer: "Contact layer",
};
export const COLOUR_UNITS = { speed: "m/s", time: "s", tension: "N", stress: "Pa" };

export function makeLook(app, parent) {
    const gui = new GUI({ container: parent, title: "Look", injectStyles: false, width: 0 });
    gui.domElement.style.removeProperty("--width");
    const { look, settings } = app;
    const name = (controller, text) => controller.name(text).listen();
    const colours = Object.fromEntries(Object.entries(COLOUR_NAMES).map(([by, text]) => [text, by]));
    const byColour = name(gui.add(look, "colour", colours), "Colour by").onChange((by) => app.colour(by));
    // what this world has no numbers for cannot be chosen
    gui.setColours = (can) => {
        for (const option of byColour.$select.options) option.disabled = !can.includes(colours[option.textContent]);
    };
    name(gui.add(look, "shading", { "By size": "auto", Smooth: "smooth", Flat: "flat" }), "Shading").onChange(() => app.repaint());
    const shown = gui.addFolder("Show");
    const overlays = { contacts: "Contacts", forces: "Contact forces", boxes: "k-DOPs, zones", plans: "Flight plans", nodes: "Masses, nodes", sleeping: "Sleeping agents" };
    for (const [what, text] of Object.entries(overlays)) {
        name(shown.add(look.show, what), text).onChange((on) => app.show(what, on));
    }
    name(shown.add(look, "normals"), "Normals").onChange((on) => app.normals(on));
    name(shown.add(look, "edges"), "Edges of meshes").onChange(() => app.rebuild());
    name(shown.add(look, "points"), "Points").onChange(() => app.rebuild());
    name(shown.add(look, "shadows"), "Shadows").onChange((on) => app.shadows(on));
    name(shown.add(look, "ground"), "Ground").onChange((on) => app.ground(on));
    const touch = gui.addFolder("Touch");
    const strength = { get exponent() { return Math.log10(settings.strength); }, set exponent(e) { settings.strength = 10 ** e; } };
    const pull = name(touch.add(strength, "exponent", 0, 5, 0.05), "Strength").decimals(2);
    const size = { get percent() { return 100 * settings.radius / (look.unit || 1); }, set percent(p) { app.hands.setRadius(p / 100 * (look.unit || 1)); } };
    const radius = name(touch.add(size, "percent", 1, 40, 0.5), "Sphere size");
    // lil-gui shows the exponent; people want newtons per metre
    const say = (controller, text) => {
        const note = h("output", { class: "said" });
        controller.$widget.append(note);
        const update = () => {
            const now = text();
            if (note.textContent !== now) note.textContent = now;
        };
        update();
        return update;
    };
    const updates = [say(pull, () => `${show(settings.strength, 3)} N/m`), say(radius, () => `${show(settings.radius, 3)} m`)];
    for (const input of gui.domElement.querySelectorAll("input, select")) {
        const text = input.closest(".lil-controller")?.querySelector(".lil-name")?.textContent;
        if (text) input.setAttribute("aria-label", text);
    }
    gui.update = () => updates.forEach((update) => update());
    if (innerHeight < 800) shown.close();
    return gui;
}

/// The bar that says what colours mean. The range follows the frames: it grows at once and shrinks slowly, so that
/// colours do not flicker; or it stays where it is, on request.
export class ColourBar {
    constructor() {
        this.range = [0, 1];
        this.fresh = true;
        this.canvas = h("canvas", { width: 240, height: 10 });
        this.low = h("span", {});
        this.high = h("span", {});
        this.title = h("b", {});
        this.lock = h("input", { type: "checkbox", "aria-label": "Keep the range of the colour bar" });
        this.element = h("div", { class: "card colour-bar", hidden: true, role: "img", "aria-label": "Colour bar" },
            h("div", { class: "row" }, this.title, h("label", {}, this.lock, "keep range")), this.canvas,
            h("div", { class: "row" }, this.low, this.high));
    }

    begin(by) {
        this.by = by;
        this.fresh = true;
        this.range = [0, 1];
        this.lock.checked = false;
        this.element.hidden = by === "none";
        this.title.textContent = COLOUR_NAMES[by] + (COLOUR_UNITS[by] ? ` (${COLOUR_UNITS[by]})` : "");
        const context = this.canvas.getContext("2d");
        for (let x = 0; x < this.canvas.width; x++) {
            context.fillStyle = `rgb(${colourAt(by, x / (this.canvas.width - 1)).join(" ")})`;
            context.fillRect(x, 0, 1, this.canvas.height);
        }
        this.tell();
    }

    /// Takes the smallest and largest value of a frame.
    follow(low, high) {
        if (!(low <= high) || this.lock.checked) return;
        if (this.fresh) this.range = [low, high];
        else {
            this.range[0] = Math.min(low, this.range[0] + 0.02 * (low - this.range[0]));
            this.range[1] = Math.max(high, this.range[1] + 0.02 * (high - this.range[1]));
        }
        this.fresh = false;
        this.tell();
    }

    tell() {
        const [low, high] = isKind(this.by) ? [0, kindCount - 1] : this.range;
        this.low.textContent = show(low, 3);
        this.high.textContent = show(high, 3);
        this.element.setAttribute("aria-label", `Colours: ${this.title.textContent} from ${show(low, 3)} to ${show(high, 3)}`);
    }
}
