// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Colour tables: one for quantities (blue over teal to yellow, safe for the colour blind), one
// for kinds (agents, clock classes), one for the lines of plots.
import { DataTexture, LinearFilter, NearestFilter, RGBAFormat, SRGBColorSpace } from "three";

// From blue over teal and green to yellow: grows lighter all the way, and is never so dark that shape is lost.
const QUANTITY = [
    [72, 84, 180], [52, 112, 192], [38, 140, 186], [34, 164, 164], [64, 184, 130], [122, 202, 94], [188, 217, 62], [253, 231, 37],
];
const KINDS = [
    [42, 127, 184], [232, 119, 34], [46, 160, 103], [204, 72, 104], [126, 98, 190], [196, 160, 0], [23, 162, 170],
    [160, 100, 60], [220, 120, 190], [110, 140, 50], [70, 90, 130], [150, 150, 150],
];

export const LINES = {
    light: ["#0f766e", "#d9480f", "#6741d9", "#b8860b", "#1971c2", "#c2255c", "#2b8a3e", "#5f3dc4", "#868e96"],
    dark: ["#4fd1c5", "#ff9f5a", "#b197fc", "#ffd43b", "#74c0fc", "#faa2c1", "#8ce99a", "#d0bfff", "#adb5bd"],
};

const KIND_NAMES = new Set(["agent", "class"]);
export const isKind = (by) => KIND_NAMES.has(by);

function mix(table, t) {
    const x = t * (table.length - 1);
    const i = Math.min(Math.floor(x), table.length - 2);
    return table[i].map((a, k) => Math.round(a + (x - i) * (table[i + 1][k] - a)));
}

export function colourAt(by, t) {
    return isKind(by) ? KINDS[Math.min(Math.floor(t * KINDS.length), KINDS.length - 1)] : mix(QUANTITY, t);
}

export const kindCount = KINDS.length;

export function colourTexture(by) {
    const width = isKind(by) ? KINDS.length : 256;
    const data = new Uint8Array(4 * width);
    for (let i = 0; i < width; i++) {
        const t = isKind(by) ? (i + 0.5) / width : i / (width - 1);
        data.set([...colourAt(by, t), 255], 4 * i);
    }
    const texture = new DataTexture(data, width, 1, RGBAFormat);
    texture.colorSpace = SRGBColorSpace;
    texture.magFilter = texture.minFilter = isKind(by) ? NearestFilter : LinearFilter;
    texture.needsUpdate = true;
    return texture;
}
