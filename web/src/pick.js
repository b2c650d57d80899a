// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Which point lies under the pointer: the nearest thing that the ray hits and, of that thing, the nearest point; where
// the ray hits nothing, the nearest point that is drawn within a few pixels. Runs over the frame's own arrays.
import { Vector3 } from "three";

function hitTriangles(track, o, d, best) {
    const { positions: x, triangles } = track;
    for (let t = 0; t < triangles.length; t += 3) {
        const a = 3 * triangles[t];
        const b = 3 * triangles[t + 1];
        const c = 3 * triangles[t + 2];
        const e1x = x[b] - x[a], e1y = x[b + 1] - x[a + 1], e1z = x[b + 2] - x[a + 2];
        const e2x = x[c] - x[a], e2y = x[c + 1] - x[a + 1], e2z = x[c + 2] - x[a + 2];
        const px = d.y * e2z - d.z * e2y, py = d.z * e2x - d.x * e2z, pz = d.x * e2y - d.y * e2x;
        const determinant = e1x * px + e1y * py + e1z * pz;
        if (determinant === 0) continue;
        const sx = o.x - x[a], sy = o.y - x[a + 1], sz = o.z - x[a + 2];
        const u = (sx * px + sy * py + sz * pz) / determinant;
        if (u < 0 || u > 1) continue;
        const qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
        const v = (d.x * qx + d.y * qy + d.z * qz) / determinant;
        if (v < 0 || u + v > 1) continue;
        const distance = (e2x * qx + e2y * qy + e2z * qz) / determinant;
        if (distance <= 0 || distance >= best.distance) continue;
        const w = 1 - u - v;
        const corner = w >= u && w >= v ? 0 : u >= v ? 1 : 2;
        Object.assign(best, { distance, track, point: triangles[t + corner] });
    }
}

function hitBalls(track, o, d, radius, best) {
    const { positions: x, size } = track;
    const r2 = radius * radius;
    for (let i = 0, p = 0; i < track.points; i++, p += size) {
        const cx = x[p] - o.x, cy = x[p + 1] - o.y, cz = x[p + 2] - o.z;
        const along = cx * d.x + cy * d.y + cz * d.z;
        const off = cx * cx + cy * cy + cz * cz - along * along;
        if (along <= 0 || off > r2) continue;
        const distance = along - Math.sqrt(r2 - off);
        if (distance < best.distance) Object.assign(best, { distance, track, point: i });
    }
}

/// The point drawn nearest to the pointer, if within `reach` (radians as seen from the eye).
function nearestDrawn(tracks, o, d, reach, best) {
    let nearest = reach;
    for (const track of tracks) {
        const { positions: x, size } = track;
        for (let i = 0, p = 0; i < track.points; i++, p += size) {
            const cx = x[p] - o.x, cy = x[p + 1] - o.y, cz = x[p + 2] - o.z;
            const along = cx * d.x + cy * d.y + cz * d.z;
            if (!(along > 0)) continue;
            const off = Math.sqrt(Math.max(0, cx * cx + cy * cy + cz * cz - along * along)) / along;
            if (off < nearest) {
                nearest = off;
                Object.assign(best, { distance: along, track, point: i });
            }
        }
    }
}

/// {track, point, distance, position} or null.
export function pick(tracks, ray, reach) {
    const seen = [...tracks].filter((track) => track.group.visible && track.points > 0);
    const best = { distance: Infinity, track: null, point: -1 };
    for (const track of seen) {
        if (track.parts.mesh?.object.visible) hitTriangles(track, ray.origin, ray.direction, best);
        const kind = track.parts.bodies ? "bodies" : track.parts.balls && !track.triangles.length ? "balls" : null;
        const swell = kind === "bodies" ? 1.25 : 1;
        if (kind) hitBalls(track, ray.origin, ray.direction, swell * track.radiusOf(kind), best);
    }
    if (!best.track) nearestDrawn(seen, ray.origin, ray.direction, reach, best);
    if (!best.track) return null;
    best.position = best.track.position(best.point, new Vector3());
    return best;
}
