// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// One track of the run, drawn: a mesh where it has triangles, tubes where it has lines, balls or bodies where it has
// points only. Frames are taken over without a copy: the attribute's array *is* the message.
import {
    BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, InstancedBufferAttribute,
    InstancedInterleavedBuffer, InterleavedBufferAttribute, Mesh, SRGBColorSpace,
} from "three";
import { addUpNormals, ballGeometry, bodyGeometry, material, tubeGeometry } from "./shapes.js";

const FEW_POINTS = 65; // below this many points a mesh is a solid with edges rather than a smooth skin

function largest(list) {
    let most = -1;
    for (let i = 0; i < list.length; i++) if (list[i] > most) most = list[i];
    return most;
}

export class Track {
    constructor(info, look) {
        this.info = info;
        this.size = info.positionSize;
        this.look = look;
        this.points = 0;
        this.positions = new Float32Array(0);
        this.scalars = null;
        this.triangles = new Uint32Array(0);
        this.lines = new Uint32Array(0);
        this.mostIndex = -1;
        this.selected = false;
        this.group = new Group();
        this.group.visible = info.visible !== false;
        this.parts = {}; // by kind: {object, main, depth, ...}
    }

    setTopology(triangles, lines) {
        this.triangles = triangles;
        this.lines = lines;
        this.mostIndex = Math.max(largest(triangles), largest(lines));
        this.rebuild();
    }

    /// What this track is drawn as; asked again when the look changes.
    kinds() {
        if (this.size === 7) return ["bodies"];
        const kinds = [];
        if (this.triangles.length) kinds.push("mesh");
        if (this.lines.length && (!this.triangles.length || this.look.edges)) kinds.push("tubes");
        if (!kinds.length || this.look.points) kinds.push("balls");
        return kinds;
    }

    radiusOf(kind) {
        const unit = this.look.unit; // a length that fits the scene
        const radius = this.info.radius > 0 ? this.info.radius : 0;
        if (kind === "balls") {
            if (this.triangles.length) return 0.004 * unit;
            return this.lines.length ? Math.max(1.6 * radius, 0.004 * unit) : radius || 0.006 * unit;
        }
        if (kind === "tubes") return this.triangles.length ? 0 : radius;
        return radius || 0.02 * unit;
    }

    rebuild() {
        for (const part of Object.values(this.parts)) {
            part.object.removeFromParent();
            part.object.geometry.dispose();
            part.main.dispose();
            part.depth.dispose();
        }
        this.parts = {};
        if (!this.points) return;
        for (const kind of this.kinds()) this.parts[kind] = this.makePart(kind);
        this.paint();
    }

    makePart(kind) {
        const [r, g, b] = this.info.color ?? [0.6, 0.6, 0.6];
        let colour = new Color().setRGB(r, g, b, SRGBColorSpace);
        if (kind !== "mesh" && this.triangles.length) colour = colour.clone().multiplyScalar(0.25);
        if (kind === "balls" && this.lines.length && !this.triangles.length) colour = new Color(0x111111);
        const opacity = this.info.opacity ?? 1;
        const { main, depth } = material(kind, { colour, opacity, radius: this.radiusOf(kind), plain: this.look.plain });
        const part = { kind, main, depth };
        const geometry = this["geometryOf_" + kind](part);
        part.object = new Mesh(geometry, main);
        part.object.customDepthMaterial = depth;
        part.object.frustumCulled = false;
        part.object.castShadow = opacity > 0.3;
        part.object.receiveShadow = true;
        this.group.add(part.object);
        return part;
    }

    geometryOf_mesh(part) {
        const geometry = new BufferGeometry();
        geometry.setIndex(new BufferAttribute(this.triangles, 1));
        part.positions = new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage);
        part.normals = new BufferAttribute(new Float32Array(3 * this.points), 3).setUsage(DynamicDrawUsage);
        part.scalars = new BufferAttribute(new Float32Array(this.points), 1).setUsage(DynamicDrawUsage);
        geometry.setAttribute("position", part.positions);
        geometry.setAttribute("normal", part.normals);
        geometry.setAttribute("scalar", part.scalars);
        return geometry;
    }

    geometryOf_balls(part) {
        const geometry = ballGeometry(this.points, this.look.plain);
        part.positions = new InstancedBufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage);
        geometry.setAttribute("iPos", part.positions);
        return this.addInstanceScalars(part, geometry, this.points);
    }

    geometryOf_bodies(part) {
        const geometry = bodyGeometry(this.points);
        part.positions = new InstancedInterleavedBuffer(this.positions, 7).setUsage(DynamicDrawUsage);
        geometry.setAttribute("iPos", new InterleavedBufferAttribute(part.positions, 3, 0));
        geometry.setAttribute("iRot", new InterleavedBufferAttribute(part.positions, 4, 3));
        return this.addInstanceScalars(part, geometry, this.points);
    }

    geometryOf_tubes(part) {
        const count = this.lines.length / 2;
        const geometry = tubeGeometry(count);
        part.ends = new InstancedInterleavedBuffer(new Float32Array(6 * count), 6).setUsage(DynamicDrawUsage);
        geometry.setAttribute("iA", new InterleavedBufferAttribute(part.ends, 3, 0));
        geometry.setAttribute("iB", new InterleavedBufferAttribute(part.ends, 3, 3));
        return this.addInstanceScalars(part, geometry, count);
    }

    addInstanceScalars(part, geometry, count) {
        part.scalars = new InstancedBufferAttribute(new Float32Array(count), 1).setUsage(DynamicDrawUsage);
        geometry.setAttribute("scalar", part.scalars);
        geometry.instanceCount = count;
        return geometry;
    }

    /// Takes a frame's block over. A track may change its number of points (adaptive resolution): then its parts are
    /// made anew; indices that point beyond the new points wait for the topology that must follow.
    update(points, positions, scalars) {
        this.positions = positions;
        this.scalars = scalars;
        if (points !== this.points) {
            this.points = points;
            this.rebuild();
        } else {
            this.refresh();
        }
    }

    refresh() {
        const whole = this.mostIndex < this.points;
        for (const part of Object.values(this.parts)) {
            const indexed = part.kind === "mesh" || part.kind === "tubes";
            part.object.visible = whole || !indexed;
            if (!part.object.visible) continue;
            if (part.positions) {
                part.positions.array = this.positions;
                part.positions.needsUpdate = true;
            }
            if (part.kind === "tubes") this.gatherEnds(part);
            if (part.kind === "mesh") { // flat ones too: shadows that fall on them are looked up along the normals
                addUpNormals(this.positions, this.triangles, part.normals.array);
                part.normals.needsUpdate = true;
            }
            if (this.scalars) this.takeScalars(part);
            part.main.userData.has.value = this.scalars ? 1 : 0;
        }
    }

    gatherEnds(part) {
        const ends = part.ends.array;
        const { lines, positions } = this;
        for (let i = 0, k = 0; i < lines.length; i++, k += 3) {
            const p = 3 * lines[i];
            ends[k] = positions[p];
            ends[k + 1] = positions[p + 1];
            ends[k + 2] = positions[p + 2];
        }
        part.ends.needsUpdate = true;
    }

    takeScalars(part) {
        if (part.kind === "tubes") {
            const to = part.scalars.array;
            const { lines, scalars } = this;
            for (let i = 0; i < to.length; i++) to[i] = 0.5 * (scalars[lines[2 * i]] + scalars[lines[2 * i + 1]]);
        } else {
            part.scalars.array = this.scalars;
        }
        part.scalars.needsUpdate = true;
    }

    /// Flat or smooth, selected or not.
    paint() {
        const flat = this.look.shading === "flat" || (this.look.shading === "auto" && this.points < FEW_POINTS);
        for (const part of Object.values(this.parts)) {
            if (part.kind === "mesh" && part.main.flatShading !== flat) {
                part.main.flatShading = flat;
                part.main.needsUpdate = true;
            }
            part.main.wireframe = part.kind === "mesh" && this.look.wireframe;
            part.main.emissive.set(this.selected ? 0xff7a3d : 0);
            part.main.emissiveIntensity = this.selected && this.look.colour === "none" ? 0.22 : 0; // colours must stay true
            part.main.userData.radius.value = this.radiusOf(part.kind);
        }
        this.refresh();
    }

    normalCount() {
        return this.triangles.length && this.group.visible ? this.points : 0;
    }

    /// Writes up to `most` segments of seven numbers from the `from`-th on: every `stride`-th vertex and its normal.
    putNormals(segments, from, most, stride, length) {
        if (!this.normalCount() || this.mostIndex >= this.points) return 0;
        if (this.upNormals?.length !== 3 * this.points) this.upNormals = new Float32Array(3 * this.points);
        const normals = this.upNormals;
        const { positions } = this;
        addUpNormals(positions, this.triangles, normals);
        let count = 0;
        for (let i = 0; i < this.points && from + count < most; i += stride) {
            const p = 3 * i;
            const size = Math.hypot(normals[p], normals[p + 1], normals[p + 2]);
            if (!(size > 0)) continue;
            const at = 7 * (from + count++);
            for (let k = 0; k < 3; k++) {
                segments[at + k] = positions[p + k];
                segments[at + 3 + k] = positions[p + k] + (length * normals[p + k]) / size;
            }
        }
        return count;
    }

    position(point, target) {
        const p = this.size * point;
        return target.set(this.positions[p], this.positions[p + 1], this.positions[p + 2]);
    }

    /// Grows the box by all points that are numbers.
    growBox(box) {
        const { positions, size } = this;
        let margin = 0;
        if (this.size === 7) margin = 1.7 * this.radiusOf("bodies");
        else if (!this.triangles.length) margin = this.info.radius || 0;
        for (let p = 0; p + 2 < positions.length; p += size) {
            for (let k = 0; k < 3; k++) {
                const x = positions[p + k];
                if (!(Math.abs(x) < 1e15)) continue;
                if (x - margin < box.low[k]) box.low[k] = x - margin;
                if (x + margin > box.high[k]) box.high[k] = x + margin;
            }
        }
    }

    dispose() {
        this.points = 0;
        this.rebuild();
        this.group.removeFromParent();
    }
}
