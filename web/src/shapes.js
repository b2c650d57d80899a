// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// How each kind of matter is drawn: one small geometry and one material per kind, where the vertex shader puts every
// instance in its place straight from the numbers of the frame. No matrix is ever made, and nothing is copied but the
// two ends of line segments.
//
//   mesh    the frame's positions are the vertices
//   balls   attribute iPos: a centre per instance
//   bodies  attributes iPos, iRot (x y z w): interleaved as the frame has them
//   tubes   attributes iA, iB: the ends of a segment; round caps close the bends
import {
    BufferAttribute, BufferGeometry, BoxGeometry, DoubleSide, FrontSide, IcosahedronGeometry, InstancedBufferGeometry,
    MeshDepthMaterial, MeshLambertMaterial, MeshStandardMaterial, RGBADepthPacking, Vector2,
} from "three";
import { mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { colourTexture } from "./colours.js";

// Shared by all materials: what colours mean right now, and the size of a pixel.
export const shared = {
    uTable: { value: colourTexture("speed") },
    uRange: { value: new Vector2(0, 1) },
    uColoured: { value: 0 },
    uPixel: { value: 0 }, // world size of a pixel at unit distance
};

const PLACE = {
    mesh: "",
    balls: /* glsl */ `
        attribute vec3 iPos;
        uniform float uRadius;
        vec3 placedNormal() { return normal; }
        vec3 placedPosition() { return position * uRadius + iPos; }`,
    bodies: /* glsl */ `
        attribute vec3 iPos;
        attribute vec4 iRot;
        uniform float uRadius;
        vec3 turn(vec3 v) { return v + 2.0 * cross(iRot.xyz, cross(iRot.xyz, v) + iRot.w * v); }
        vec3 placedNormal() { return turn(normal); }
        vec3 placedPosition() { return turn(position * uRadius) + iPos; }`,
    tubes: /* glsl */ `
        attribute vec3 iA;
        attribute vec3 iB;
        attribute float end;
        uniform float uRadius;
        uniform float uPixel;
        vec3 placedNormal() {
            vec3 d = iB - iA;
            float l = length(d);
            vec3 y = l > 0.0 ? d / l : vec3(0.0, 1.0, 0.0);
            vec3 x = normalize(cross(y, abs(y.x) < 0.9 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0)));
            return x * position.x + y * position.y + cross(x, y) * position.z;
        }
        vec3 placedPosition() {
            vec3 c = mix(iA, iB, end);
            float away = -(modelViewMatrix * vec4(c, 1.0)).z;
            return c + placedNormal() * max(uRadius, uPixel * away);
        }`,
};

function insert(shader, kind, uniforms, coloured) {
    Object.assign(shader.uniforms, uniforms);
    const placed = kind !== "mesh";
    let head = PLACE[kind];
    if (coloured) head += "\nattribute float scalar; varying float vScalar;";
    shader.vertexShader = shader.vertexShader.replace("#include <common>", `#include <common>\n${head}`);
    if (placed) {
        shader.vertexShader = shader.vertexShader
            .replace("#include <beginnormal_vertex>", "vec3 objectNormal = placedNormal();")
            .replace("#include <begin_vertex>", "vec3 transformed = placedPosition();");
    }
    if (!coloured) return;
    shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>",
        "vScalar = scalar;\n#include <project_vertex>");
    shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>
            varying float vScalar;
            uniform sampler2D uTable;
            uniform vec2 uRange;
            uniform float uColoured;
            uniform float uHas;`)
        .replace("#include <color_fragment>", `#include <color_fragment>
            if (uColoured > 0.5) {
                float t = uColoured > 1.5 ? (mod(floor(vScalar + 0.5), 12.0) + 0.5) / 12.0
                                          : clamp((vScalar - uRange.x) / max(uRange.y - uRange.x, 1e-30), 0.0, 1.0);
                // what has no such number is grey
                diffuseColor.rgb = uHas > 0.5 ? texture2D(uTable, vec2(t, 0.5)).rgb : vec3(0.33);
            }`)
        // partly lit from within, so that a colour in the shade is still the colour of the bar
        .replace("#include <emissivemap_fragment>", `#include <emissivemap_fragment>
            if (uColoured > 0.5 && uHas > 0.5) totalEmissiveRadiance += 0.45 * diffuseColor.rgb;`);
}

/// A material for a kind of matter, and the one that its shadow is drawn with.
export function material(kind, { colour, opacity, radius, plain }) {
    const own = { uRadius: { value: radius }, uHas: { value: 0 } };
    const finish = plain ? {} : { roughness: kind === "mesh" ? 0.72 : 0.5, metalness: 0.02 };
    const main = new (plain ? MeshLambertMaterial : MeshStandardMaterial)({
        ...finish,
        color: colour,
        transparent: opacity < 1,
        opacity,
        depthWrite: opacity >= 1,
        side: kind === "mesh" ? DoubleSide : FrontSide,
    });
    main.onBeforeCompile = (shader) => insert(shader, kind, { ...shared, ...own }, true);
    main.customProgramCacheKey = () => `tactus-${kind}`;
    main.userData.radius = own.uRadius;
    main.userData.has = own.uHas;
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking, side: DoubleSide });
    depth.onBeforeCompile = (shader) => insert(shader, kind, { ...own, uPixel: { value: 0 } }, false);
    depth.customProgramCacheKey = () => `tactus-depth-${kind}`;
    return { main, depth };
}

function instanced(base) {
    const geometry = new InstancedBufferGeometry();
    geometry.index = base.index;
    for (const name of ["position", "normal", "end"]) {
        if (base.attributes[name]) geometry.setAttribute(name, base.attributes[name]);
    }
    return geometry;
}

/// Fewer triangles for more balls: the eye sees the heap, not the ball.
export function ballGeometry(count, plain) {
    const detail = count > 5000 ? 1 : count > 500 ? 2 : count > 50 ? 4 : 8;
    const base = mergeVertices(new IcosahedronGeometry(1, plain ? detail >> 1 : detail).deleteAttribute("uv").deleteAttribute("normal"));
    base.setAttribute("normal", base.attributes.position.clone()); // smooth, whatever the detail
    return instanced(base);
}

export function bodyGeometry(count) {
    return instanced(count > 2000 ? new BoxGeometry(2, 2, 2) : new RoundedBoxGeometry(2, 2, 2, 3, 0.16));
}

/// A capsule of unit radius: its vertices are directions, `end` says at which end of the segment they sit.
export function tubeGeometry(count) {
    const sides = count > 4000 ? 4 : count > 800 ? 6 : 12;
    const rings = count > 4000 ? [[0, 0], [0, 1]]
        : [[-90, 0], [-45, 0], [0, 0], [0, 1], [45, 1], [90, 1]];
    const directions = [];
    const ends = [];
    const index = [];
    for (const [latitude, end] of rings) {
        const phi = (latitude * Math.PI) / 180;
        for (let s = 0; s <= sides; s++) {
            const a = (2 * Math.PI * s) / sides;
            directions.push(Math.cos(phi) * Math.cos(a), Math.sin(phi), Math.cos(phi) * Math.sin(a));
            ends.push(end);
        }
    }
    const row = sides + 1;
    for (let r = 0; r + 1 < rings.length; r++) {
        for (let s = 0; s < sides; s++) {
            const a = r * row + s;
            index.push(a, a + row, a + 1, a + 1, a + row, a + row + 1);
        }
    }
    const base = new BufferGeometry();
    base.setIndex(index);
    base.setAttribute("position", new BufferAttribute(new Float32Array(directions), 3));
    base.setAttribute("normal", base.attributes.position);
    base.setAttribute("end", new BufferAttribute(new Float32Array(ends), 1));
    return instanced(base);
}

/// Adds up the triangles' normals at their vertices, weighted by area. The vertex shader makes them of unit length.
export function addUpNormals(positions, triangles, normals) {
    normals.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
        const a = 3 * triangles[t];
        const b = 3 * triangles[t + 1];
        const c = 3 * triangles[t + 2];
        const x = positions[a];
        const y = positions[a + 1];
        const z = positions[a + 2];
        const ux = positions[b] - x;
        const uy = positions[b + 1] - y;
        const uz = positions[b + 2] - z;
        const vx = positions[c] - x;
        const vy = positions[c + 1] - y;
        const vz = positions[c + 2] - z;
        const nx = uy * vz - uz * vy;
        const ny = uz * vx - ux * vz;
        const nz = ux * vy - uy * vx;
        normals[a] += nx;
        normals[a + 1] += ny;
        normals[a + 2] += nz;
        normals[b] += nx;
        normals[b + 1] += ny;
        normals[b + 2] += nz;
        normals[c] += nx;
        normals[c + 1] += ny;
        normals[c + 2] += nz;
    }
}
