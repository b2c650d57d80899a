// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The binary messages of the live view: decoded without copying. Every array that comes out is a view of the message
// itself. A message that does not add up throws a RangeError with the reason; nothing is half decoded.

export const KIND = { topology: 1, frame: 2, overlay: 3 };

// By their number in a frame's track blocks, and as the `colour` message names them.
export const COLOURS = ["none", "speed", "agent", "time", "class", "tension", "stress", "resolution", "layer"];
// By their number in overlay messages, and as the `show` message names them.
export const OVERLAYS = ["contacts", "forces", "boxes", "plans", "sleeping", "nodes"];

function need(ok, what) {
    if (!ok) throw new RangeError(what);
}

export function kindOf(buffer) {
    need(buffer.byteLength >= 8, "message shorter than any header");
    return new Uint8Array(buffer, 0, 1)[0];
}

export function decodeTopology(buffer) {
    need(buffer.byteLength >= 12, "topology: short header");
    const head = new DataView(buffer);
    const track = head.getUint16(2, true);
    const triangleCount = head.getUint32(4, true);
    const lineCount = head.getUint32(8, true);
    need(buffer.byteLength >= 12 + 4 * (3 * triangleCount + 2 * lineCount), "topology: shorter than its counts say");
    const triangles = new Uint32Array(buffer, 12, 3 * triangleCount);
    const lines = new Uint32Array(buffer, 12 + 12 * triangleCount, 2 * lineCount);
    return { track, triangles, lines };
}

/// A frame's clock and channels; its tracks stay where they are until `decodeTracks` is asked for them.
export function decodeFrame(buffer) {
    need(buffer.byteLength >= 32, "frame: short header");
    const head = new DataView(buffer);
    const channelCount = head.getUint16(24, true);
    need(buffer.byteLength >= 32 + 8 * channelCount, "frame: shorter than its channels");
    return {
        buffer,
        trackCount: head.getUint16(2, true),
        number: head.getUint32(4, true),
        time: head.getFloat64(8, true),
        rate: head.getFloat64(16, true),
        channels: new Float64Array(buffer, 32, channelCount),
    };
}

/// Calls visit(track, scalarKind, points, positions, scalars or null) for every block. `sizes(track)` gives the numbers
/// per point of a track, 0 where there is no such track.
export function decodeTracks(frame, sizes, visit) {
    const { buffer } = frame;
    const view = new DataView(buffer);
    let at = 32 + 8 * frame.channels.length;
    for (let k = 0; k < frame.trackCount; k++) {
        need(at + 8 <= buffer.byteLength, "frame: a track block is missing");
        const track = view.getUint16(at, true);
        const scalarKind = view.getUint16(at + 2, true);
        const points = view.getUint32(at + 4, true);
        const size = sizes(track);
        need(size > 0, `frame: there is no track ${track}`);
        at += 8;
        const bytes = 4 * points * (size + (scalarKind ? 1 : 0));
        need(at + bytes <= buffer.byteLength, "frame: a track block is cut short");
        const positions = new Float32Array(buffer, at, points * size);
        const scalars = scalarKind ? new Float32Array(buffer, at + 4 * points * size, points) : null;
        visit(track, scalarKind, points, positions, scalars);
        at += (bytes + 7) & ~7;
    }
}

/// Segments of seven numbers each: from, to, value. `frame` is the number of the frame they belong to, its last 16 bits.
export function decodeOverlay(buffer) {
    const head = new DataView(buffer);
    const count = head.getUint32(4, true);
    need(buffer.byteLength >= 8 + 28 * count, "overlay: shorter than its count says");
    return { what: head.getUint8(1), frame: head.getUint16(2, true), count, segments: new Float32Array(buffer, 8, 7 * count) };
}
