// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// What the eye sees: renderer, camera, lights, ground, tracks and overlays. Draws only when something changed.
import {
    NeutralToneMapping, BasicShadowMap, CanvasTexture, Color, DirectionalLight, HemisphereLight, MOUSE, Mesh, MeshLambertMaterial, MeshStandardMaterial, PCFShadowMap,
    PerspectiveCamera, PlaneGeometry, Quaternion, Ray, SRGBColorSpace, Scene, TOUCH, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Track } from "./track.js";
import { Overlay, STYLES } from "./overlay.js";
import { pick } from "./pick.js";
import { shared } from "./shapes.js";

const PALETTE = {
    light: { top: "#dfe5ea", bottom: "#f7f5f1", ground: 0xf1f1ef, grid: 0x8b96a3, sky: 0xffffff, earth: 0xe4dfd6, sun: 2.2, fill: 1.6 },
    dark: { top: "#0d1014", bottom: "#1d232b", ground: 0x2a2f37, grid: 0x7d8ea3, sky: 0xe2e9f2, earth: 0x5a554d, sun: 2.3, fill: 1.7 },
};
const MOST_NORMALS = 20000;
const USUAL_FREE = 0.94; // width over height of what panels leave free at 1280 x 720

const GRID = /* glsl */ `
    float gridLine(vec2 p, float cell) {
        vec2 q = p / cell;
        vec2 w = fwidth(q);
        vec2 g = abs(fract(q - 0.5) - 0.5) / max(w, 1e-6);
        return (1.0 - min(min(g.x, g.y), 1.0)) * (1.0 - smoothstep(0.2, 0.7, max(w.x, w.y)));
    }`;

/// The browser has no WebGL 2, or does not let this page have it.
export class NoPictures extends Error {}

/// A canvas and its context, and whether pictures are computed by the processor: then everything that costs much and shows
/// little is left out, and the context is one without smoothed edges. Making one takes long there, so it is made once.
/// `quality=high` or `quality=low` in the address decides it by hand.
function makeContext() {
    const asked = new URLSearchParams(location.search).get("quality");
    const attempt = (antialias) => {
        const canvas = document.createElement("canvas");
        const options = { antialias, alpha: true, depth: true, stencil: false, premultipliedAlpha: true, preserveDrawingBuffer: true };
        return { canvas, context: canvas.getContext("webgl2", options) };
    };
    if (asked === "high") return { ...attempt(true), plain: false };
    const made = attempt(false);
    const known = made.context?.getExtension("WEBGL_debug_renderer_info");
    const name = known ? made.context.getParameter(known.UNMASKED_RENDERER_WEBGL) : "";
    if (asked === "low" || /swiftshader|llvmpipe|software/i.test(name)) return { ...made, plain: true };
    made.context?.getExtension("WEBGL_lose_context")?.loseContext();
    return { ...attempt(true), plain: false };
}

/// How far the nearest corner of a box is along a direction.
function lowestCorner({ low, high }, normal) {
    return normal.toArray().reduce((sum, n, k) => sum + n * (n > 0 ? low[k] : high[k]), 0);
}

export class Stage {
    constructor(parent, look) {
        const { canvas, context, plain } = makeContext();
        if (!context) throw new NoPictures();
        this.plain = look.plain = plain;
        this.sketches = plain;
        document.documentElement.classList.toggle("plain", this.plain);
        this.look = look;
        this.tracks = new Map();
        this.overlays = new Map();
        this.views = [];
        this.changed = true;
        this.listeners = { drawn: [], moved: [] };
        this.up = new Vector3(0, 1, 0);
        this.box = { low: [-1, -1, -1], high: [1, 1, 1] };

        this.renderer = new WebGLRenderer({ canvas, context, antialias: !this.plain, preserveDrawingBuffer: true });
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.toneMappingExposure = 1;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.autoUpdate = !this.sketches;
        this.renderer.shadowMap.type = this.plain ? BasicShadowMap : PCFShadowMap;
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "application");
        this.canvas.setAttribute("aria-label", "The world. Drag things to pull them, drag the empty space to turn the view.");
        parent.append(this.canvas);

        this.scene = new Scene();
        this.camera = new PerspectiveCamera(40, 1, 0.01, 100);
        this.camera.position.set(3, 2, 4);
        this.addLights();
        this.addGround();
        this.makeControls();
        this.setTheme("light");
        new ResizeObserver(() => this.resize()).observe(parent);
        this.parent = parent;
        this.resize();
    }

    addLights() {
        this.sky = new HemisphereLight(0xffffff, 0xd8cfc0, 1);
        this.sun = new DirectionalLight(0xfffaf3, 2.4);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.setScalar(this.plain ? 1024 : 2048);
        this.sun.shadow.radius = 3;
        this.rim = new DirectionalLight(0xcfe2ff, 0.5);
        this.scene.add(this.sky, this.sun, this.sun.target, this.rim, this.rim.target);
    }

    addGround() {
        const grounds = { uGrid: { value: new Color() }, uCell: { value: 1 }, uReach: { value: 10 }, uFill: { value: 1 } };
        const Kind = this.plain ? MeshLambertMaterial : MeshStandardMaterial;
        const material = new Kind({ transparent: true });
        material.roughness = 0.95;
        material.polygonOffset = true; // what lies on the ground is drawn, not the ground
        material.polygonOffsetFactor = 1;
        material.polygonOffsetUnits = 1;
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, grounds);
            shader.vertexShader = shader.vertexShader
                .replace("#include <common>", "#include <common>\nvarying vec2 vPlace; uniform float uReach;")
                .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position.xy * uReach;");
            shader.fragmentShader = shader.fragmentShader
                .replace("#include <common>", `#include <common>
                    varying vec2 vPlace;
                    uniform vec3 uGrid; uniform float uCell; uniform float uReach; uniform float uFill;
                    ${GRID}`)
                .replace("#include <color_fragment>", `#include <color_fragment>
                    float fade = 1.0 - smoothstep(0.25, 1.0, length(vPlace) / uReach);
                    float line = max(0.16 * gridLine(vPlace, uCell), 0.34 * gridLine(vPlace, 5.0 * uCell));
                    diffuseColor.rgb = mix(diffuseColor.rgb, uGrid, line / max(max(uFill, line), 1e-3));
                    diffuseColor.a = fade * max(uFill, line);`);
        };
        this.ground = new Mesh(new PlaneGeometry(2, 2), material);
        this.ground.userData = grounds;
        this.ground.receiveShadow = true;
        this.ground.frustumCulled = false;
        this.ground.renderOrder = -1;
        this.ground.visible = !this.sketches;
        this.scene.add(this.ground);
    }

    makeControls() {
        const target = this.controls?.target.clone();
        this.controls?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        if (target) this.controls.target.copy(target);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.18;
        this.controls.zoomSpeed = 1.4;
        this.controls.zoomToCursor = true;
        this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
        this.controls.addEventListener("change", () => {
            this.touch();
            for (const moved of this.listeners.moved) moved();
        });
        this.leadBySphere(false);
    }

    /// While the sphere tool is out, the left button and one finger move it; the right button turns the view.
    leadBySphere(on) {
        this.controls.mouseButtons = on
            ? { LEFT: null, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.ROTATE }
            : { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
        this.controls.touches.ONE = on ? null : TOUCH.ROTATE;
    }

    setTheme(theme) {
        const colours = PALETTE[theme];
        this.setBackground(colours);
        this.ground.material.color.set(colours.ground);
        this.ground.userData.uGrid.value.set(colours.grid);
        this.sky.color.set(colours.sky);
        this.sky.groundColor.set(colours.earth);
        this.sky.intensity = colours.fill;
        this.sun.intensity = colours.sun;
        this.touch();
    }

    setBackground(colours) {
        this.scene.background?.dispose?.();
        if (this.plain) {
            this.scene.background = new Color(colours.bottom);
            return;
        }
        const canvas = document.createElement("canvas");
        canvas.width = 2;
        canvas.height = 256;
        const context = canvas.getContext("2d");
        const gradient = context.createLinearGradient(0, 0, 0, 256);
        gradient.addColorStop(0, colours.top);
        gradient.addColorStop(1, colours.bottom);
        context.fillStyle = gradient;
        context.fillRect(0, 0, 2, 256);
        this.scene.background = new CanvasTexture(canvas);
        this.scene.background.colorSpace = SRGBColorSpace;
    }

    resize() {
        const width = Math.max(this.parent?.clientWidth ?? innerWidth, 2);
        const height = Math.max(this.parent?.clientHeight ?? innerHeight, 2);
        this.renderer.setPixelRatio(this.sketches ? 0.5 : this.plain ? 1 : Math.min(devicePixelRatio, 2));
        this.renderer.setSize(width, height);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        this.touch();
    }

    /// Where the processor draws, the first pictures of a page are small and have neither ground nor shadows, whose programs
    /// take long to make. From here on nothing is left out.
    finishSketch() {
        if (!this.sketches) return;
        this.sketches = false;
        this.renderer.shadowMap.autoUpdate = true;
        this.ground.visible = this.look.ground;
        this.resize();
    }

    /// Something changed: draw at the next chance.
    touch() {
        this.changed = true;
    }

    /// Called once per picture of the screen; says whether it drew.
    draw() {
        this.controls.update();
        if (!this.changed) return false;
        this.changed = false;
        const height = this.renderer.domElement.clientHeight || 1;
        const pixel = (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
        shared.uPixel.value = 0.9 * pixel;
        this.renderer.render(this.scene, this.camera);
        for (const drawn of this.listeners.drawn) drawn();
        return true;
    }

    // --- the world ---

    begin(hello) {
        for (const track of this.tracks.values()) track.dispose();
        this.tracks.clear();
        for (const what of Object.keys(STYLES)) this.setOverlay(what, new Float32Array(0), 0);
        for (const info of hello.tracks ?? []) {
            const track = new Track(info, this.look);
            this.tracks.set(info.id, track);
            this.scene.add(track.group);
        }
        this.hello = hello;
        this.up.fromArray(hello.up ?? [0, 1, 0]).normalize();
        if (this.up.lengthSq() < 0.5) this.up.set(0, 1, 0);
        if (!this.camera.up.equals(this.up)) {
            this.camera.up.copy(this.up);
            this.makeControls(); // orbiting is about the new up
        }
        this.touch();
    }

    worldBox(chosen) {
        const box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
        for (const track of this.tracks.values()) {
            if (track.group.visible && (!chosen || chosen.has(track))) track.growBox(box);
        }
        return box.low.every((low, k) => low <= box.high[k]) ? box : { low: [-1, -1, -1], high: [1, 1, 1] };
    }

    /// The world, and the place on the ground below it where that is not far: what falls comes there.
    boxWithGround() {
        const box = this.worldBox();
        if (!this.groundAt) return box;
        const { normal, offset, own } = this.groundAt;
        const gap = lowestCorner(box, normal) - offset;
        if (own || !(gap > 0 && gap < this.size)) return box;
        for (let k = 0; k < 3; k++) {
            box.low[k] = Math.min(box.low[k], box.low[k] - gap * normal.getComponent(k));
            box.high[k] = Math.max(box.high[k], box.high[k] - gap * normal.getComponent(k));
        }
        return box;
    }

    /// Lengths that depend on how large the world is: ground, grid, shadows, clipping, small radii.
    settle() {
        const box = this.worldBox();
        this.box = box;
        const low = new Vector3(...box.low);
        const high = new Vector3(...box.high);
        const centre = low.clone().add(high).multiplyScalar(0.5);
        const size = Math.max(high.distanceTo(low), 1e-6);
        this.size = size;
        this.centre = centre;
        this.look.unit = size;
        const plane = this.hello?.ground;
        const normal = new Vector3(...(plane?.normal ?? this.up.toArray())).normalize();
        const offset = plane ? plane.offset : lowestCorner(box, normal) - 0.002 * size;
        this.groundAt = { normal, offset, least: offset - 1.5 * size, own: !plane };
        const foot = centre.clone().addScaledVector(normal, offset - normal.dot(centre));
        this.ground.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
        const cell = 10 ** Math.floor(Math.log10(size / 3));
        const inPlane = foot.clone().applyQuaternion(this.ground.quaternion.clone().invert());
        inPlane.x = Math.round(inPlane.x / (5 * cell)) * 5 * cell; // lines stay at round numbers
        inPlane.y = Math.round(inPlane.y / (5 * cell)) * 5 * cell;
        this.ground.position.copy(inPlane.applyQuaternion(this.ground.quaternion));
        this.ground.scale.setScalar(6 * size);
        this.ground.userData.uReach.value = 6 * size;
        this.ground.userData.uCell.value = cell;
        this.ground.userData.uFill.value = plane ? 1 : 0;
        this.placeLights(centre, size);
        this.camera.near = size / 500;
        this.camera.far = size * 60;
        this.camera.updateProjectionMatrix();
        this.controls.minDistance = size / 100;
        this.controls.maxDistance = size * 20;
        for (const track of this.tracks.values()) track.paint();
        this.touch();
    }

    /// Where the scene has no ground, the grid stays below what hangs or falls, as long as that is not too far.
    lowerGround() {
        const { normal, offset, least, own } = this.groundAt ?? {};
        if (!own) return;
        const wanted = Math.max(lowestCorner(this.worldBox(), normal) - 0.002 * this.size, least);
        if (!(wanted < offset - 0.01 * this.size)) return;
        this.ground.position.addScaledVector(normal, wanted - offset);
        this.groundAt.offset = wanted;
        this.touch();
    }

    placeLights(centre, size) {
        const across = new Vector3(0.55, 0, 0.6);
        if (Math.abs(this.up.z) > 0.7) across.set(0.55, -0.6, 0);
        this.sun.target.position.copy(centre);
        this.sun.position.copy(centre).addScaledVector(this.up, 1.6 * size).addScaledVector(across, 1.1 * size);
        this.rim.target.position.copy(centre);
        this.rim.position.copy(centre).addScaledVector(this.up, 0.5 * size).addScaledVector(across, -1.5 * size);
        const camera = this.sun.shadow.camera;
        camera.left = camera.bottom = -0.9 * size;
        camera.right = camera.top = 0.9 * size;
        camera.near = 0.2 * size;
        camera.far = 4.5 * size;
        camera.updateProjectionMatrix();
        this.sun.shadow.bias = -0.0006;
        this.sun.shadow.normalBias = 0.0015 * size;
        this.sun.shadow.needsUpdate = true;
    }

    setOverlay(what, segments, count) {
        let overlay = this.overlays.get(what);
        if (!overlay && !count) return;
        if (!overlay) this.overlays.set(what, (overlay = new Overlay(what, this.scene)));
        overlay.set(segments, count);
        this.touch();
    }

    /// Lines along the normals of meshes; the page knows them without asking.
    showNormals(on) {
        let count = 0;
        const most = on ? MOST_NORMALS : 0;
        const total = [...this.tracks.values()].reduce((sum, track) => sum + track.normalCount(), 0);
        const stride = Math.max(1, Math.ceil(total / MOST_NORMALS));
        this.normalLines ??= new Float32Array(7 * MOST_NORMALS);
        for (const track of on ? this.tracks.values() : []) {
            count += track.putNormals(this.normalLines, count, most, stride, 0.025 * this.look.unit);
        }
        this.setOverlay("normals", this.normalLines, count);
    }

    setShadows(on) {
        this.sun.castShadow = on;
        this.touch();
    }

    select(paths) {
        this.chosen = new Set();
        for (const track of this.tracks.values()) {
            const path = track.info.path;
            track.selected = paths.some((p) => p && (path === p || (p === "/" ? false : path.startsWith(p + "/"))));
            if (track.selected) this.chosen.add(track);
            track.paint();
        }
        this.touch();
    }

    // --- the eye ---

    pose() {
        return { eye: this.camera.position.toArray(), target: this.controls.target.toArray() };
    }

    setPose({ eye, target, fov }) {
        this.camera.position.fromArray(eye);
        this.controls.target.fromArray(target);
        if (fov > 1 && fov < 170) this.camera.fov = fov;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.touch();
    }

    /// The scene's own camera. Where panels leave less than on a usual screen it steps back, so that the same is seen.
    setScenePose(pose, room) {
        this.setPose(pose);
        const free = (this.camera.aspect * (this.canvas.clientWidth - room.left - room.right)) / this.canvas.clientWidth;
        if (free < USUAL_FREE) this.approach(USUAL_FREE / Math.max(free, 0.3 * USUAL_FREE));
    }

    /// Brings the world, or what is selected, into the part of the page that panels leave free.
    frame(room = { left: 0, right: 0, top: 0, bottom: 0 }) {
        const box = this.chosen?.size ? this.worldBox(this.chosen) : this.boxWithGround();
        const low = new Vector3(...box.low);
        const high = new Vector3(...box.high);
        const centre = low.clone().add(high).multiplyScalar(0.5);
        const radius = Math.max(0.5 * high.distanceTo(low), 1e-4 * (this.size ?? 1));
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        const free = Math.min((width - room.left - room.right) / width * this.camera.aspect, (height - room.top - room.bottom) / height);
        const half = Math.tan((this.camera.fov * Math.PI) / 360) * Math.max(free, 0.3);
        const distance = (0.8 * radius) / Math.sin(Math.atan(half)); // worlds seldom fill the corners of their box
        const direction = this.camera.position.clone().sub(this.controls.target);
        if (direction.lengthSq() < 1e-12 || !this.framed) direction.copy(this.up).multiplyScalar(0.5).add(this.away());
        this.framed = true;
        direction.normalize();
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).addScaledVector(direction, distance);
        this.shift(room);
        this.controls.update();
        this.touch();
    }

    away() {
        return Math.abs(this.up.z) > 0.7 ? new Vector3(0.55, -1, 0) : new Vector3(0.55, 0, 1);
    }

    /// The middle of what panels leave free is where the eye looks.
    shift(room) {
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        const x = (room.right - room.left) / 2;
        const y = (room.bottom - room.top) / 2;
        if (Math.abs(x) + Math.abs(y) < 1) this.camera.clearViewOffset();
        else this.camera.setViewOffset(width, height, x, y, width, height);
    }

    /// Turn (radians), slide (parts of the distance), approach (a factor): the keyboard's way to move.
    turn(around, over) {
        const offset = this.camera.position.clone().sub(this.controls.target);
        const toY = new Quaternion().setFromUnitVectors(this.up, new Vector3(0, 1, 0));
        offset.applyQuaternion(toY);
        const radius = offset.length();
        const theta = Math.atan2(offset.x, offset.z) + around;
        const phi = Math.min(Math.max(Math.acos(offset.y / radius) + over, 0.02), Math.PI - 0.02);
        offset.set(radius * Math.sin(phi) * Math.sin(theta), radius * Math.cos(phi), radius * Math.sin(phi) * Math.cos(theta));
        offset.applyQuaternion(toY.invert());
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
        this.touch();
    }

    slide(right, upward) {
        const distance = this.camera.position.distanceTo(this.controls.target);
        const move = new Vector3(right, upward, 0).multiplyScalar(distance).applyQuaternion(this.camera.quaternion);
        this.camera.position.add(move);
        this.controls.target.add(move);
        this.controls.update();
        this.touch();
    }

    approach(factor) {
        const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
        this.touch();
    }

    // --- pointers ---

    ray(x, y) {
        const box = this.canvas.getBoundingClientRect();
        const at = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
        const origin = new Vector3().setFromMatrixPosition(this.camera.matrixWorld);
        const direction = new Vector3(at.x, at.y, 0.5).unproject(this.camera).sub(origin).normalize();
        return new Ray(origin, direction);
    }

    pick(x, y, pixels) {
        const reach = (pixels * 2 * Math.tan((this.camera.fov * Math.PI) / 360)) / this.canvas.clientHeight;
        return pick(this.tracks.values(), this.ray(x, y), reach);
    }

    /// Where the ray meets the plane through `through` that faces the eye.
    onPlane(x, y, through) {
        const ray = this.ray(x, y);
        const normal = this.camera.getWorldDirection(new Vector3());
        const slope = ray.direction.dot(normal);
        if (slope < 1e-6) return null;
        const distance = through.clone().sub(ray.origin).dot(normal) / slope;
        return ray.origin.clone().addScaledVector(ray.direction, distance);
    }

    /// Pixels on the page, and whether it is in front of the eye.
    project(position) {
        const at = position.clone().project(this.camera);
        const box = this.canvas.getBoundingClientRect();
        return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height, front: at.z < 1 };
    }
}
