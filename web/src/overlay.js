// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// What is drawn over the world to explain it, from segments of seven numbers (from, to, value):
//
//   lines    boxes, zones, flight plans, normals
//   marks    discs of a fixed size on the screen: contacts, masses and contact nodes (black and magenta)
//   arrows   forces; the vertex shader puts shaft and head in place, so that no matrix is made per arrow
//
// Arrays are kept and grow; nothing is made anew from frame to frame.
import {
    BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, InstancedBufferGeometry, InstancedInterleavedBuffer,
    InterleavedBufferAttribute, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Points, PointsMaterial,
} from "three";
import { shared } from "./shapes.js";

const colour = (hex) => new Color(hex).toArray();
const BLACK = colour(0x16181b);
const MAGENTA = colour(0xd6249f);
const ZONE = colour(0x9775fa);
const BOX = colour(0x1c7ed6);
const PLAN = colour(0x2f9e44);
const SLEEP = colour(0x868e96);
const NORMAL = colour(0x4c8df5);

/// By name: what it is drawn as, and the colour of a segment by its value.
export const STYLES = {
    contacts: { kind: "marks", size: 9, colour: () => MAGENTA },
    forces: { kind: "arrows", hex: 0xe8590c },
    boxes: { kind: "lines", colour: (value) => (value < 0 ? ZONE : BOX) },
    plans: { kind: "lines", colour: () => PLAN },
    sleeping: { kind: "lines", colour: () => SLEEP },
    nodes: { kind: "marks", size: 11, colour: (value) => (value > 0.5 ? MAGENTA : BLACK) },
    normals: { kind: "lines", colour: () => NORMAL },
};

function dynamic(numbers, size) {
    return new BufferAttribute(new Float32Array(numbers * size), size).setUsage(DynamicDrawUsage);
}

class Lines {
    constructor(style) {
        this.style = style;
        this.object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, toneMapped: false }));
    }

    make(room) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", dynamic(2 * room, 3));
        geometry.setAttribute("color", dynamic(2 * room, 3));
        return geometry;
    }

    fill({ attributes }, segments, count) {
        const places = attributes.position.array;
        const colours = attributes.color.array;
        for (let i = 0; i < count; i++) {
            const c = this.style.colour(segments[7 * i + 6]);
            for (let k = 0; k < 6; k++) {
                places[6 * i + k] = segments[7 * i + k];
                colours[6 * i + k] = c[k % 3];
            }
        }
        attributes.position.needsUpdate = attributes.color.needsUpdate = true;
        this.object.geometry.setDrawRange(0, 2 * count);
    }
}

class Marks {
    constructor(style) {
        this.style = style;
        const material = new PointsMaterial({ size: style.size * Math.min(devicePixelRatio, 2), sizeAttenuation: false, vertexColors: true, toneMapped: false, transparent: true, depthTest: false });
        material.onBeforeCompile = (shader) => {
            shader.fragmentShader = shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>
                float away = length(gl_PointCoord - 0.5);
                if (away > 0.5) discard;
                if (away > 0.36) diffuseColor.rgb = vec3(1.0); // a rim, so that it is seen on anything`);
        };
        this.object = new Points(new BufferGeometry(), material);
    }

    make(room) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", dynamic(room, 3));
        geometry.setAttribute("color", dynamic(room, 3));
        return geometry;
    }

    fill({ attributes }, segments, count) {
        for (let i = 0; i < count; i++) {
            attributes.color.array.set(this.style.colour(segments[7 * i + 6]), 3 * i);
            for (let k = 0; k < 3; k++) attributes.position.array[3 * i + k] = segments[7 * i + k];
        }
        attributes.position.needsUpdate = attributes.color.needsUpdate = true;
        this.object.geometry.setDrawRange(0, count);
    }
}

const ARROW = /* glsl */ `
    attribute vec3 iA;
    attribute vec3 iB;
    attribute vec2 place; // x: 0 at the start, 1 at the neck, 2 at the tip; y: how wide
    uniform float uPixel;
    vec3 arrow() {
        vec3 d = iB - iA;
        float l = max(length(d), 1e-12);
        vec3 y = d / l;
        vec3 x = normalize(cross(y, abs(y.x) < 0.9 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0)));
        float width = 1.4 * uPixel * -(modelViewMatrix * vec4(iA, 1.0)).z;
        width = min(width, 0.08 * l);
        float neck = l - min(7.0 * width, 0.5 * l);
        float along = place.x < 0.5 ? 0.0 : place.x < 1.5 ? neck : l;
        return iA + y * along + width * place.y * (x * position.x + cross(x, y) * position.z);
    }`;

function arrowGeometry() {
    const sides = 8;
    const rings = [[0, 1], [1, 1], [1, 3], [2, 0]];
    const geometry = new InstancedBufferGeometry();
    const directions = [];
    const places = [];
    const index = [];
    rings.forEach(([at, wide], r) => {
        for (let s = 0; s <= sides; s++) {
            const a = (2 * Math.PI * s) / sides;
            directions.push(Math.cos(a), 0, Math.sin(a));
            places.push(at, wide);
            const k = r * (sides + 1) + s;
            if (r + 1 < rings.length && s < sides) index.push(k, k + sides + 1, k + 1, k + 1, k + sides + 1, k + sides + 2);
        }
    });
    geometry.setIndex(index);
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(directions), 3));
    geometry.setAttribute("place", new BufferAttribute(new Float32Array(places), 2));
    return geometry;
}

class Arrows {
    constructor(style) {
        const material = new MeshBasicMaterial({ color: style.hex, toneMapped: false, transparent: true, depthTest: false, side: 2 });
        material.onBeforeCompile = (shader) => {
            shader.uniforms.uPixel = shared.uPixel;
            shader.vertexShader = shader.vertexShader.replace("#include <common>", `#include <common>\n${ARROW}`)
                .replace("#include <begin_vertex>", "vec3 transformed = arrow();");
        };
        this.object = new Mesh(arrowGeometry(), material);
    }

    make(room) {
        const geometry = arrowGeometry();
        const ends = new InstancedInterleavedBuffer(new Float32Array(7 * room), 7).setUsage(DynamicDrawUsage);
        geometry.setAttribute("iA", new InterleavedBufferAttribute(ends, 3, 0));
        geometry.setAttribute("iB", new InterleavedBufferAttribute(ends, 3, 3));
        return geometry;
    }

    fill({ attributes }, segments, count) {
        attributes.iA.data.array.set(segments.subarray(0, 7 * count));
        attributes.iA.data.needsUpdate = true;
        this.object.geometry.instanceCount = count;
    }
}

const KINDS = { lines: Lines, marks: Marks, arrows: Arrows };

/// One overlay of a scene.
export class Overlay {
    constructor(what, scene) {
        this.drawn = new KINDS[STYLES[what].kind](STYLES[what]);
        this.object = this.drawn.object;
        this.object.frustumCulled = false;
        this.object.renderOrder = 5;
        this.object.visible = false;
        this.room = 0;
        this.count = 0;
        scene.add(this.object);
    }

    set(segments, count) {
        if (count > this.room) {
            this.room = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
            this.object.geometry.dispose();
            this.object.geometry = this.drawn.make(this.room);
        }
        if (count) this.drawn.fill(this.object.geometry, segments, count);
        this.object.visible = count > 0;
        this.count = count;
    }
}
