// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Plots that scroll with the run: energy by kind and in all, momentum, and any channels by choice. Names, units and
// values stand in a legend of our own, which shows the last values, or those under the cursor.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { LINES } from "./colours.js";
import { h, icon, recall, remember, saveFile, show, unitOf } from "./dom.js";

const SPANS = [[5, "5 s"], [20, "20 s"], [60, "1 min"], [Infinity, "All"]];
const EVERY = 80; // ms between redraws

// Plots that a run has when it has such channels: key, title, which, and how many at most.
const MORE = [
    ["contact", "Contacts and live layers", /^contact\//, 4],
    ["resolution", "Resolution of wires", /^wire\/.*\/resolution$/, 8],
    ["quality", "Quality of a wire", /^wire\/.*\/Q /, 3],
    ["delay", "Delay between agents", /^delay\//, 2],
    ["priority", "Priorities", /^priority\//, 8],
    ["cost", "Time for a beat", /^cost\//, 5],
];

function short(name, group) {
    return name.startsWith(`${group}/`) ? name.slice(group.length + 1) : name;
}

class Plot {
    constructor(panel, key, title, channels) {
        this.panel = panel;
        this.key = key;
        this.title = title;
        this.area = h("div", { class: "plot-area" });
        this.legend = h("div", { class: "plot-legend" });
        const button = (name, label, onclick) =>
            h("button", { class: "small", type: "button", title: label, "aria-label": `${label}: ${title}`, onclick }, icon(name));
        this.chooser = h("button", { class: "small chooser", type: "button", "aria-label": `Choose channels: ${title}`, title: "Choose channels",
            onclick: () => this.choose() }, icon("menu"));
        this.list = h("div", { class: "channel-list", hidden: true, role: "group", "aria-label": `Channels of ${title}` });
        this.element = h("section", { class: "plot", "aria-label": `Plot: ${title}`, "data-plot": key },
            h("header", {}, h("h3", {}, title), h("span", { class: "unit" }), this.chooser,
                button("camera", "Save as PNG", () => this.savePicture()),
                button("save", "Save as CSV", () => panel.saveTable())),
            this.list, this.area, this.legend);
        this.setChannels(channels);
    }

    setChannels(channels) {
        this.channels = channels;
        const { all } = this.panel;
        const units = [...new Set(channels.map((c) => unitOf(all[c])).filter(Boolean))];
        this.element.querySelector(".unit").textContent = units.join(", ");
        if (this.plot) this.make(); // the first time when it has its place, and so its width
    }

    choose() {
        this.list.hidden = !this.list.hidden;
        this.list.replaceChildren(...this.panel.all.map((channel, c) => {
            const { name } = channel;
            const unit = unitOf(channel);
            const input = h("input", { type: "checkbox", checked: this.channels.includes(c), onchange: () => {
                const chosen = input.checked ? [...this.channels, c].sort((a, b) => a - b) : this.channels.filter((k) => k !== c);
                this.setChannels(chosen);
                remember(`plot.${this.key}`, chosen.map((k) => this.panel.all[k].name));
            } });
            return h("label", {}, input, name, unit ? h("small", {}, unit) : null);
        }));
    }

    make() {
        const { all, theme } = this.panel;
        this.plot?.destroy();
        const style = getComputedStyle(document.documentElement);
        const ink = style.getPropertyValue("--ink-soft").trim();
        const rule = style.getPropertyValue("--rule").trim();
        const axis = { stroke: ink, font: "11px Inter, system-ui, sans-serif", grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 4 } };
        const colours = LINES[theme];
        this.plot = new uPlot({
            width: Math.max(this.area.clientWidth, 240),
            height: this.panel.height,
            padding: [8, 16, 0, 0],
            legend: { show: false },
            cursor: { y: false, points: { size: 6 } },
            scales: { x: { time: false } },
            axes: [
                { ...axis, size: 24, gap: 3, space: 60, values: (_, ticks) => ticks.map((t) => `${show(t, 6)} s`) },
                { ...axis, size: 54, gap: 4, space: 18, values: (_, ticks) => ticks.map((t) => show(t, 4)) },
            ],
            series: [{}, ...this.channels.map((c, k) => ({
                label: all[c].name,
                stroke: colours[k % colours.length],
                width: /total$/.test(all[c].name) ? 2.2 : 1.5,
                points: { show: false },
            }))],
            hooks: { setCursor: [() => this.tell()] },
        }, [[], ...this.channels.map(() => [])], this.area);
        this.values = [];
        this.legend.replaceChildren(...this.channels.map((c, k) => {
            const value = h("b", { "data-channel": all[c].name });
            const mark = h("i", {});
            mark.style.background = colours[k % colours.length];
            this.values.push(value);
            return h("span", { title: all[c].name }, mark, short(all[c].name, this.key), value);
        }));
        this.update();
    }

    update() {
        const { history, span } = this.panel;
        const now = history.count ? history.times[history.count - 1] : 0;
        this.data = history.since(now - span, this.channels);
        const [times] = this.data;
        // the first span fills up from the left, then the plot scrolls
        const start = span === Infinity ? times[0] ?? 0 : Math.max(now - span, 0);
        const end = span === Infinity ? now : start + span;
        this.plot.batch(() => {
            this.plot.setData(this.data, true);
            this.plot.setScale("x", { min: Math.min(start, now - 1e-3), max: Math.max(end, now, start + 1e-3) });
        });
        this.tell();
    }

    tell() {
        if (!this.data || !this.values) return;
        const at = this.plot.cursor?.idx ?? this.data[0].length - 1;
        this.values.forEach((element, k) => {
            const value = this.data[k + 1]?.[at];
            element.textContent = value === undefined ? "–" : show(value);
            element.dataset.value = value ?? "";
        });
    }

    /// The curve with its title and legend, on the panel's own ground.
    savePicture() {
        const from = this.plot.ctx.canvas;
        const ratio = devicePixelRatio;
        const style = getComputedStyle(document.documentElement);
        const canvas = h("canvas", { width: from.width, height: from.height + 44 * ratio });
        const context = canvas.getContext("2d");
        context.fillStyle = style.getPropertyValue("--card-solid");
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(from, 0, 22 * ratio);
        context.scale(ratio, ratio);
        context.fillStyle = style.getPropertyValue("--ink");
        context.font = "600 13px Inter, system-ui, sans-serif";
        context.fillText(this.title, 10, 16);
        context.font = "11px Inter, system-ui, sans-serif";
        let x = 10;
        this.channels.forEach((c, k) => {
            const { name } = this.panel.all[c];
            const unit = unitOf(this.panel.all[c]);
            const text = `${short(name, this.key)}${unit ? ` (${unit})` : ""}`;
            context.fillStyle = LINES[this.panel.theme][k % LINES[this.panel.theme].length];
            context.fillRect(x, canvas.height / ratio - 15, 10, 3);
            context.fillStyle = style.getPropertyValue("--ink");
            context.fillText(text, x + 14, canvas.height / ratio - 9);
            x += context.measureText(text).width + 28;
        });
        canvas.toBlob((blob) => saveFile(`${this.panel.name()}-${this.key}.png`, blob), "image/png");
    }
}

export class Plots {
    constructor(history, name) {
        this.history = history;
        this.name = name; // () => the stem of files that are saved
        this.all = [];
        this.theme = "light";
        this.span = 20;
        this.height = innerHeight < 800 ? 108 : 140;
        this.plots = [];
        this.next = 0;
        this.body = h("div", { class: "plots" });
        const spans = h("select", { "aria-label": "Time shown in plots", onchange: () => {
            this.span = SPANS[spans.selectedIndex][0];
            this.update(true);
        } }, ...SPANS.map(([, label], k) => h("option", { selected: k === 1 }, label)));
        this.tools = h("div", { class: "tools" }, spans);
        new ResizeObserver(() => {
            for (const plot of this.plots) {
                const width = plot.area.clientWidth;
                if (width > 50) plot.plot.setSize({ width, height: this.height });
            }
        }).observe(this.body);
    }

    /// Nothing is shown until a run begins.
    clear() {
        for (const plot of this.plots) plot.plot.destroy();
        this.plots = [];
        this.body.replaceChildren();
    }

    begin(channels) {
        this.clear();
        this.all = channels;
        const starting = (group) => channels.flatMap(({ name }, c) => (name.startsWith(`${group}/`) ? [c] : []));
        const chosen = (key, otherwise) => {
            const names = recall(`plot.${key}`, null);
            if (!names) return otherwise;
            return channels.flatMap(({ name }, c) => (names.includes(name) ? [c] : []));
        };
        const rest = channels.flatMap(({ name }, c) => (/^(energy|momentum|contact|wire|delay|priority|cost)\//.test(name) ? [] : [c]));
        const matching = (pattern) => channels.flatMap(({ name }, c) => (pattern.test(name) ? [c] : []));
        const more = MORE.map(([key, title, pattern, most]) => [key, title, matching(pattern).slice(0, most)]).filter(([, , found]) => found.length);
        this.plots = channels.length ? [
            new Plot(this, "energy", "Energy", chosen("energy", starting("energy"))),
            new Plot(this, "momentum", "Momentum", chosen("momentum", starting("momentum"))),
            ...more.map(([key, title, found]) => new Plot(this, key, title, chosen(key, found))),
            new Plot(this, "chosen", "Channels", chosen("chosen", rest.slice(0, 2))),
        ] : [];
        this.body.replaceChildren(...this.plots.map((plot) => plot.element));
        if (!channels.length) this.body.append(h("p", { class: "nothing" }, "This run has no channels."));
        for (const plot of this.plots) plot.make();
    }

    setTheme(theme) {
        this.theme = theme;
        for (const plot of this.plots) plot.make();
    }

    /// Called with every picture; draws what is new, but not too often.
    tend() {
        if (this.seen !== this.history.pushes) this.update();
    }

    update(now = false) {
        const clock = performance.now();
        if ((!now && clock < this.next) || !this.body.offsetParent) return;
        this.next = clock + EVERY;
        this.seen = this.history.pushes;
        for (const plot of this.plots) plot.update();
    }

    saveTable() {
        saveFile(`${this.name()}.csv`, new Blob([this.history.csv()], { type: "text/csv" }));
    }

    savePicture() {
        this.plots[0]?.savePicture();
    }
}
