// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Everything around the picture: bars, panels, menu, the page of keys, banners. Buttons and menu come from the table
// of commands; this file only says where they stand.
import { COMMANDS, GROUPS, byId, keyName, nameOf } from "./commands.js";
import { h, icon, show } from "./dom.js";

const LONGEST_HOLD = 4000; // ms

export function speedName(speed) {
    return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

export class Chrome {
    constructor(app, root) {
        this.app = app;
        this.root = root;
        this.buttons = [];
        this.banner = h("div", { class: "banner", role: "alert", hidden: true });
        this.lost = h("div", { class: "banner lost", role: "alert", hidden: true });
        this.labels = h("div", { class: "labels", "aria-live": "off" });
        this.toast = h("div", { class: "toast", role: "status" });
        this.makeHelp();
        this.makeMenu();
    }

    button(id, extra = "") {
        const command = byId.get(id);
        const button = h("button", { type: "button", class: `tool ${extra}`, "data-command": id, onclick: (event) => {
            this.app.run(command);
            if (event.detail) this.app.stage.canvas.focus({ preventScroll: true }); // a mouse leaves no focus behind
        } }, icon(command.icon));
        this.buttons.push({ button, command });
        return button;
    }

    build({ outline, look, plots, colourBar }) {
        this.title = h("h1", {}, "Tactus");
        this.file = h("span", { class: "file" });
        this.speedLabel = h("b", { class: "speed", "aria-label": "Wanted speed" });
        this.rateLabel = h("span", { class: "rate" });
        this.timeLabel = h("span", { class: "clock" });
        this.timeline = h("input", { type: "range", min: 0, max: 1, step: "any", value: 0, class: "timeline", "aria-label": "Timeline",
            oninput: () => this.app.seek(Number(this.timeline.value)) });
        const bar = (name, ...children) => h("div", { class: `card bar ${name}`, role: "toolbar", "aria-label": name }, ...children);
        this.gallery = h("span", { class: "gallery" }, this.button("previous"), this.file, this.button("next"));
        const head = bar("Scene", h("span", { class: "mark", "aria-hidden": "true" }), h("div", { class: "names" }, this.title, this.gallery));
        const tools = bar("Tools", this.button("hand"), this.button("sphere"), this.button("pin"), h("hr"), this.button("frame"), this.button("screenshot"), this.button("record"),
            h("hr"), this.button("panels"), this.button("theme"), this.button("help"), this.button("menu"));
        const transport = bar("Time", this.button("reset"), this.button("back"), this.button("pause", "main"), this.button("step"), h("hr"),
            this.button("slower"), h("span", { class: "rates" }, this.speedLabel, this.rateLabel), this.button("faster"), h("hr"), this.timeLabel, this.timeline);
        const left = h("aside", { class: "side left", "aria-label": "Tree and inspector" },
            h("section", { class: "card tree-card" }, outline.search, outline.list),
            h("section", { class: "card inspector-card" },
                h("header", {}, h("h2", {}, "Inspector"), this.button("undo", "small"), this.button("copy", "small")), outline.inspector));
        this.sides = [left];
        const right = h("aside", { class: "side right", "aria-label": "Look and plots" }, look,
            h("section", { class: "card plots-card" }, h("header", {}, h("h2", {}, "Plots"), plots.tools), plots.body));
        this.sides.push(right);
        this.bottom = transport;
        this.root.append(head, tools, left, right, h("div", { class: "foot" }, colourBar.element, transport), this.labels, this.banner, this.lost, this.toast, this.menu, this.help);
        this.head = head;
    }

    /// Panels wait until the first pictures are there: one part of them after the other `arrive`s, or all at once when
    /// somebody does not wait.
    hold() {
        this.waiting = new Set(["bars", "left", "right"]);
        this.arrive();
        setTimeout(() => this.arriveAll(), LONGEST_HOLD); // where there are no pictures
    }

    arrive(part) {
        this.waiting.delete(part);
        document.documentElement.dataset.waits = [...this.waiting].join(" ");
    }

    arriveAll() {
        this.waiting.clear();
        this.arrive();
    }

    /// The margins that panels take from the picture.
    room() {
        const none = { left: 0, right: 0, top: 0, bottom: 0 };
        if (this.app.panelsHidden) return none;
        const [left, right] = this.sides.map((side) => (side.offsetParent ? side.getBoundingClientRect().width + 20 : 0));
        return { left, right, top: 56, bottom: 76 };
    }

    makeMenu() {
        this.menu = h("div", { class: "card menu", role: "menu", "aria-label": "Menu", hidden: true, onkeydown: (event) => this.menuKey(event) });
    }

    drawMenu() {
        this.menu.replaceChildren(h("div", { class: "menu-groups" }, ...GROUPS.map((group) => h("div", { class: "menu-group", role: "group", "aria-label": group }, h("h3", {}, group),
            ...COMMANDS.filter((command) => command.group === group && command.inMenu !== false).map((command) => {
                const on = command.on?.(this.app);
                const item = h("button", {
                    type: "button", role: command.on && !command.labelOn ? "menuitemcheckbox" : "menuitem", disabled: command.can && !command.can(this.app),
                    "data-command": command.id, onclick: () => {
                        this.toggleMenu(false);
                        this.app.run(command);
                    },
                }, h("span", { class: "tick", "aria-hidden": "true" }, on && !command.labelOn ? "✓" : ""), h("span", {}, nameOf(command, this.app)), h("kbd", {}, keyName(command.keys[0])));
                if (command.on && !command.labelOn) item.setAttribute("aria-checked", String(Boolean(on)));
                return item;
            })))));
    }

    toggleMenu(on = this.menu.hidden) {
        if (on) this.drawMenu();
        this.menu.hidden = !on;
        if (on) this.menu.querySelector("button:not([disabled])").focus();
        else this.app.stage.canvas.focus({ preventScroll: true });
        this.update();
    }

    menuKey(event) {
        const items = [...this.menu.querySelectorAll("button:not([disabled])")];
        const at = items.indexOf(document.activeElement);
        const moves = { ArrowDown: at + 1, ArrowUp: at - 1 + (at < 1 ? items.length : 0), Home: 0, End: items.length - 1 };
        if (event.key in moves) {
            items[moves[event.key] % items.length].focus();
            event.preventDefault();
            event.stopPropagation();
        }
    }

    makeHelp() {
        const pointer = [["Drag a thing", "Pull it; let go while moving to throw it"], ["Wheel while pulling", "Pull nearer or farther"], ["Click a thing", "Select it"],
            ["Drag the empty space", "Turn the view"], ["Right drag, two fingers", "Move the view"], ["Wheel, pinch", "Zoom"], ["Sphere: move", "Push things; Shift wheel: nearer, farther"]];
        const line = (keys, text) => h("div", { class: "key" }, h("span", { class: "keys" }, keys), h("span", {}, text));
        const groups = GROUPS.map((group) => h("section", {}, h("h3", {}, group), ...COMMANDS.filter((command) => command.group === group && !/-[2-9]$/.test(command.id)).map((command) => {
            if (command.id === "view-1") return line([h("kbd", {}, "1"), " … ", h("kbd", {}, "9")], "Saved views");
            if (command.id === "store-1") return line([h("kbd", {}, "Shift 1"), " … ", h("kbd", {}, "9")], "Store the view");
            const keys = [...new Set(command.keys.filter((key) => !["Shift+>", "Shift+<", "Shift+?"].includes(key)).map(keyName))];
            return line(keys.map((key) => h("kbd", {}, key)), command.label);
        })));
        groups.splice(2, 0, h("section", {}, h("h3", {}, "Pointer"), ...pointer.map(([what, text]) => line([what], text))));
        const close = h("button", { type: "button", class: "tool", "aria-label": "Close", onclick: () => this.help.close() }, icon("close"));
        this.help = h("dialog", { class: "help", "aria-label": "All keys" }, h("header", {}, h("h2", {}, "All keys"), close),
            h("div", { class: "key-groups" }, ...groups));
    }

    toggleHelp() {
        if (this.help.open) this.help.close();
        else this.help.showModal();
    }

    /// The run's own message, until it is closed or a new run begins.
    error(message, fatal) {
        this.banner.replaceChildren(h("b", {}, fatal ? "The run stopped." : "Message"), h("span", {}, message),
            h("button", { type: "button", class: "tool", "aria-label": "Close the message", onclick: () => (this.banner.hidden = true) }, icon("close")));
        this.banner.classList.toggle("fatal", Boolean(fatal));
        this.banner.hidden = false;
    }

    showLost(seconds) {
        this.lost.replaceChildren(h("b", {}, "The connection is lost."), h("span", {}, `Trying again ${seconds < 1 ? "now" : `in ${Math.round(seconds)} s`}. If tactus view was started anew, open the address it printed.`));
        this.lost.hidden = false;
    }

    say(text) {
        clearTimeout(this.toastTimer);
        this.toast.textContent = text;
        this.toast.classList.add("on");
        this.toastTimer = setTimeout(() => this.toast.classList.remove("on"), 1800);
    }

    showText(title, text) {
        const area = h("textarea", { readOnly: true, value: text, "aria-label": title });
        const dialog = h("dialog", { class: "help text", "aria-label": title, onclose: () => dialog.remove() },
            h("header", {}, h("h2", {}, title), h("button", { type: "button", class: "tool", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"))), area);
        this.root.append(dialog);
        dialog.showModal();
        area.select();
    }

    update() {
        const { app } = this;
        for (const { button, command } of this.buttons) {
            const on = Boolean(command.on?.(app));
            const name = nameOf(command, app);
            const label = `${name} (${keyName(command.keys[0])})`;
            if (button.title !== label) {
                button.title = label;
                button.setAttribute("aria-label", name);
                button.setAttribute("aria-keyshortcuts", command.keys[0] === " " ? "Space" : command.keys[0]);
            }
            if (command.iconOn) {
                const wanted = on ? command.iconOn : command.icon;
                if (button.dataset.icon !== wanted) button.replaceChildren(icon(wanted));
                button.dataset.icon = wanted;
            } else if (command.on) {
                button.setAttribute("aria-pressed", String(on));
            }
            button.disabled = Boolean(command.can && !command.can(app));
        }
        const menu = this.buttons.find(({ command }) => command.id === "menu");
        menu?.button.setAttribute("aria-expanded", String(!this.menu.hidden));
        this.updateClock();
    }

    updateClock() {
        const { state, hello } = this.app;
        const set = (element, text) => element.textContent !== text && (element.textContent = text);
        set(this.speedLabel, speedName(state.speed));
        set(this.rateLabel, state.paused ? "paused" : `runs at ${state.rate.toFixed(2)}×`);
        this.rateLabel.classList.toggle("late", !state.paused && state.rate < 0.9 * state.speed);
        const end = hello?.mode === "recording" && hello.duration > 0 ? hello.duration : 0; // a live world has no end
        set(this.timeLabel, `${state.time.toFixed(2)} s${end ? ` / ${show(end, 4)} s` : ""}`);
        const reach = Math.max(end, state.time, 1e-9);
        this.timeline.hidden = !(end || state.snapshots);
        if (Number(this.timeline.max) !== reach) this.timeline.max = reach;
        if (document.activeElement !== this.timeline || !state.paused) this.timeline.value = state.time;
        this.timeline.style.setProperty("--done", `${(100 * state.time) / reach}%`);
        this.timeline.setAttribute("aria-valuetext", `${state.time.toFixed(2)} s`);
    }
}
