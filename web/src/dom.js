// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Small helpers to make elements, icons and files to save. Text is always set as text, never as markup.

/// An element: properties that start with "on" are listeners, "aria-", "data-" and "role" are attributes, the rest are
/// properties of the element. Children are elements or texts; null and false are left out.
export function h(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === undefined || value === null) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (/^(aria-|data-|role$|for$|list$)/.test(name)) element.setAttribute(name, value);
        else if (name === "class") element.className = value;
        else element[name] = value;
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

// 24x24, drawn with a stroke of the text's colour.
const ICONS = {
    play: "M7 4.5v15l12-7.5z",
    pause: "M8 5v14M16 5v14",
    step: "M5 5v14l9-7zM18 5v14",
    back: "M19 5v14l-9-7zM6 5v14",
    reset: "M4 12a8 8 0 1 0 2.6-5.9M4 4v4.5h4.5",
    slower: "M5 12h14",
    faster: "M5 12h14M12 5v14",
    previous: "M15 5l-7 7 7 7",
    next: "M9 5l7 7-7 7",
    hand: "M8 13V5.5a1.5 1.5 0 0 1 3 0V11m0-6.5v-1a1.5 1.5 0 0 1 3 0V11m0-5.500a1.500 1.500 0 0 1 3 0V12m0-3.500a1.500 1.500 0 0 1 3 0V15a6 6 0 0 1-6 6h-2c-3 0-4-1-5.300-3.300L4.200 13.500a1.500 1.500 0 0 1 2.600-1.500L8 14",
    sphere: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3.500 9.500c4 2.600 13 2.600 17 0M12 3c-5 5-5 13 0 18",
    pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6",
    camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z",
    record: "M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z",
    frame: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
    theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
    menu: "M4 7h16M4 12h16M4 17h16",
    help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.500 9.500a2.500 2.500 0 1 1 3.600 2.200c-.8.4-1.100.9-1.100 1.800M12 17v.01",
    panels: "M4 5h16v14H4zM9.500 5v14M14.500 5v14",
    undo: "M9 7L5 11l4 4M5 11h9a5 5 0 0 1 0 10h-3",
    copy: "M9 9h11v11H9zM5 15H4V4h11v1",
    save: "M12 4v11M7 11l5 5 5-5M5 20h14",
    close: "M6 6l12 12M18 6L6 18",
    chart: "M4 4v16h16M7 15l4-5 3 3 5-7",
};

export function icon(name) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    svg.classList.add("icon");
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", ICONS[name] ?? "");
    svg.append(path);
    return svg;
}

export function saveFile(name, blob) {
    const address = URL.createObjectURL(blob);
    const link = h("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/// A number for people: four digits that matter, and a power of ten only where it must be.
export function show(value, digits = 4) {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text = size >= 1e5 || size < 1e-3 ? value.toExponential(digits - 2) : String(+value.toPrecision(digits));
    return text.replace("-", "−").replace(/e\+?(.*)$/, "e$1");
}

/// A unit for people: pure numbers have none.
export function unitOf({ unit }) {
    return unit === "1" ? "" : unit ?? "";
}

export function remember(key, value) {
    try {
        localStorage.setItem(`tactus.${key}`, JSON.stringify(value));
    } catch {
        // a browser that keeps nothing still works
    }
}

export function recall(key, otherwise) {
    try {
        return JSON.parse(localStorage.getItem(`tactus.${key}`)) ?? otherwise;
    } catch {
        return otherwise;
    }
}
