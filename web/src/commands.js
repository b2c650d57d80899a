// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// One table of everything the page can do. Keys, buttons, the menu and the page of keys are all made from it, so they
// cannot disagree. A command: id, group, label (the accessible name), keys, icon, run(app, shift), and where it makes
// sense on(app) (is it on?) and can(app) (is there anything to do?).
//
// Keys are KeyboardEvent.key, with "Shift+", "Ctrl+" before it where the key is pressed along with them.

export const SLOWEST = 1 / 32;
export const FASTEST = 8;

export const GROUPS = ["Time", "Touch", "View", "Show", "Scene", "Save", "Page"];

const scene = (app) => app.canTouch();

export const COMMANDS = [
    { id: "pause", group: "Time", label: "Pause", labelOn: "Play", keys: [" "], icon: "pause", iconOn: "play", on: (app) => app.state.paused, run: (app) => app.pause() },
    { id: "step", group: "Time", label: "Step", keys: [".", "ArrowRight"], icon: "step", repeat: true, run: (app) => app.step(1) },
    { id: "back", group: "Time", label: "Step back", keys: ["ArrowLeft", ","], icon: "back", repeat: true, run: (app) => app.step(-1) },
    { id: "reset", group: "Time", label: "Reset", keys: ["Backspace"], icon: "reset", run: (app) => app.reset() },
    { id: "faster", group: "Time", label: "Faster", keys: ["+", "="], icon: "faster", can: (app) => app.state.speed < FASTEST, run: (app) => app.speed(2) },
    { id: "slower", group: "Time", label: "Slower", keys: ["-"], icon: "slower", can: (app) => app.state.speed > SLOWEST, run: (app) => app.speed(0.5) },
    { id: "realtime", group: "Time", label: "Real time", keys: ["0"], run: (app) => app.speed(0) },

    { id: "hand", group: "Touch", label: "Hand: grab, pull and throw", keys: ["h"], icon: "hand", on: (app) => app.hands.tool === "hand", can: scene, run: (app) => app.tool("hand") },
    { id: "sphere", group: "Touch", label: "Sphere: push things", keys: ["b"], icon: "sphere", on: (app) => app.hands.tool === "sphere", can: scene, run: (app) => app.tool(app.hands.tool === "sphere" ? "hand" : "sphere") },
    { id: "pin", group: "Touch", label: "Pin or unpin the point", keys: ["p"], icon: "pin", can: scene, run: (app) => app.pin() },
    { id: "stronger", group: "Touch", label: "Stronger hand", keys: ["Shift+>", ">"], run: (app) => app.strength(2) },
    { id: "weaker", group: "Touch", label: "Weaker hand", keys: ["Shift+<", "<"], run: (app) => app.strength(0.5) },

    { id: "frame", group: "View", label: "Frame everything, or what is selected", keys: ["f"], icon: "frame", run: (app) => app.frame() },
    { id: "left", group: "View", label: "Turn left", keys: ["Shift+ArrowLeft"], repeat: true, run: (app) => app.stage.turn(-0.1, 0) },
    { id: "right", group: "View", label: "Turn right", keys: ["Shift+ArrowRight"], repeat: true, run: (app) => app.stage.turn(0.1, 0) },
    { id: "over", group: "View", label: "Turn up", keys: ["Shift+ArrowUp"], repeat: true, run: (app) => app.stage.turn(0, -0.1) },
    { id: "under", group: "View", label: "Turn down", keys: ["Shift+ArrowDown"], repeat: true, run: (app) => app.stage.turn(0, 0.1) },
    { id: "nearer", group: "View", label: "Zoom in", keys: ["ArrowUp", "e"], repeat: true, run: (app) => app.stage.approach(1 / 1.12) },
    { id: "farther", group: "View", label: "Zoom out", keys: ["ArrowDown", "q"], repeat: true, run: (app) => app.stage.approach(1.12) },
    { id: "slide-left", group: "View", label: "Move left", keys: ["a"], repeat: true, run: (app) => app.stage.slide(-0.05, 0) },
    { id: "slide-right", group: "View", label: "Move right", keys: ["d"], repeat: true, run: (app) => app.stage.slide(0.05, 0) },
    { id: "slide-up", group: "View", label: "Move up", keys: ["w"], repeat: true, run: (app) => app.stage.slide(0, 0.05) },
    { id: "slide-down", group: "View", label: "Move down", keys: ["s"], repeat: true, run: (app) => app.stage.slide(0, -0.05) },
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) => [
        { id: `view-${n}`, group: "View", label: `Saved view ${n}`, keys: [String(n)], inMenu: n <= 3, can: (app) => Boolean(app.stage.views[n]), run: (app) => app.recallView(n) },
        { id: `store-${n}`, group: "View", label: `Store view ${n}`, keys: [`Shift+Digit${n}`], inMenu: n <= 3, run: (app) => app.storeView(n) },
    ]),

    { id: "colour", group: "Show", label: "Colour by the next quantity", keys: ["c"], run: (app) => app.nextColour() },
    { id: "shading", group: "Show", label: "Shading: auto, smooth, flat", keys: ["m"], run: (app) => app.nextShading() },
    { id: "contacts", group: "Show", label: "Contacts", keys: ["k"], on: (app) => app.look.show.contacts, run: (app) => app.show("contacts") },
    { id: "forces", group: "Show", label: "Contact forces", keys: ["j"], on: (app) => app.look.show.forces, run: (app) => app.show("forces") },
    { id: "boxes", group: "Show", label: "k-DOPs and zones", keys: ["x"], on: (app) => app.look.show.boxes, run: (app) => app.show("boxes") },
    { id: "plans", group: "Show", label: "Flight plans", keys: ["l"], on: (app) => app.look.show.plans, run: (app) => app.show("plans") },
    { id: "sleeping", group: "Show", label: "Sleeping agents", keys: ["z"], on: (app) => app.look.show.sleeping, run: (app) => app.show("sleeping") },
    { id: "nodes", group: "Show", label: "Masses and contact nodes", keys: ["y"], on: (app) => app.look.show.nodes, run: (app) => app.show("nodes") },
    { id: "normals", group: "Show", label: "Normals", keys: ["u"], on: (app) => app.look.normals, run: (app) => app.normals() },
    { id: "shadows", group: "Show", label: "Shadows", keys: ["o"], on: (app) => app.look.shadows, run: (app) => app.shadows() },
    { id: "ground", group: "Show", label: "Ground", keys: ["g"], on: (app) => app.look.ground, run: (app) => app.ground() },

    { id: "previous", group: "Scene", label: "Previous scene", keys: ["["], icon: "previous", can: (app) => app.galleryCount() > 1, run: (app) => app.gallery(-1) },
    { id: "next", group: "Scene", label: "Next scene", keys: ["]"], icon: "next", can: (app) => app.galleryCount() > 1, run: (app) => app.gallery(1) },
    { id: "undo", group: "Scene", label: "Undo the last change", keys: ["Ctrl+z"], icon: "undo", can: scene, run: (app) => app.undo() },
    { id: "copy", group: "Scene", label: "Copy the changed scene as text", keys: ["Ctrl+Shift+c"], icon: "copy", can: scene, run: (app) => app.copyScene() },
    { id: "search", group: "Scene", label: "Search the tree", keys: ["/"], run: (app) => app.search() },

    { id: "screenshot", group: "Save", label: "Save a screenshot", keys: ["i"], icon: "camera", run: (app) => app.screenshot() },
    { id: "record", group: "Save", label: "Record what is seen", labelOn: "Stop and save the film", keys: ["r"], icon: "record", on: (app) => app.capture.running, run: (app) => app.record(false) },
    { id: "pictures", group: "Save", label: "Record what is seen as pictures", keys: ["Shift+r"], on: (app) => app.capture.kind === "pictures", run: (app) => app.record(true) },
    { id: "recording", group: "Save", label: "Save the recording of the run", keys: ["Ctrl+s"], icon: "save", can: scene, run: (app) => app.saveRecording() },
    { id: "inputs", group: "Save", label: "Save what was done to the world", keys: ["Ctrl+Shift+s"], can: scene, run: (app) => app.saveInputs() },
    { id: "table", group: "Save", label: "Save the channels as CSV", keys: ["t"], run: (app) => app.plots.saveTable() },
    { id: "plot", group: "Save", label: "Save the energy plot as PNG", keys: ["Shift+t"], run: (app) => app.plots.savePicture() },

    { id: "panels", group: "Page", label: "Hide or show the panels", keys: ["Tab"], icon: "panels", on: (app) => app.panelsHidden, run: (app) => app.togglePanels() },
    { id: "theme", group: "Page", label: "Light or dark", keys: ["n"], icon: "theme", run: (app) => app.toggleTheme() },
    { id: "menu", group: "Page", label: "Menu", keys: ["F2"], icon: "menu", inMenu: false, run: (app) => app.toggleMenu() },
    { id: "help", group: "Page", label: "All keys", keys: ["F1", "?", "Shift+?"], icon: "help", run: (app) => app.toggleHelp() },
];

export const byId = new Map(COMMANDS.map((command) => [command.id, command]));

const byKey = new Map(COMMANDS.flatMap((command) => command.keys.map((key) => [key, command])));

/// How a key is written on the page.
export function keyName(key) {
    const names = {
        " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", "-": "−", Backspace: "⌫ Backspace",
    };
    const parts = key === "+" ? ["+"] : key.split("+");
    const last = parts.pop();
    const named = names[last] ?? last.replace(/^Digit/, "");
    return [...parts, named.length === 1 ? named.toUpperCase() : named].join(" ");
}

export function nameOf(command, app) {
    return command.labelOn && command.on?.(app) ? command.labelOn : command.label;
}

/// The command that a key event asks for, if any.
export function commandFor(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const control = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
    if (event.altKey) return null;
    if (event.shiftKey) {
        const digit = /^Digit[1-9]$/.test(event.code) ? byKey.get(`${control}Shift+${event.code}`) : null;
        const shifted = digit ?? byKey.get(`${control}Shift+${key}`);
        // a sign that needs Shift on some keyboards is still that sign
        return shifted ?? (/^[^a-z]$/.test(key) ? byKey.get(control + key) : null) ?? null;
    }
    return byKey.get(control + key) ?? null;
}
