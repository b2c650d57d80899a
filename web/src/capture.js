// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// Recording what is seen: a WebM film where the browser can make one, else every picture as a PNG in one tar archive,
// named after the time of the run.
import { saveFile } from "./dom.js";

const FILMS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

const FILM_WAIT = 10000; // ms

function filmType() {
    if (typeof MediaRecorder === "undefined") return null;
    return FILMS.find((type) => MediaRecorder.isTypeSupported(type)) ?? null;
}

/// A ustar header: name, size, and the sum of its own bytes.
function tarHeader(name, size) {
    const head = new Uint8Array(512);
    const put = (text, at) => head.set(new TextEncoder().encode(text), at);
    put(name, 0);
    put("0000644\0", 100);
    put("0000000\0", 108);
    put("0000000\0", 116);
    put(size.toString(8).padStart(11, "0") + "\0", 124);
    put("00000000000\0", 136);
    put("        ", 148);
    put("0", 156);
    put("ustar\0" + "00", 257);
    const sum = head.reduce((a, b) => a + b, 0);
    put(sum.toString(8).padStart(6, "0") + "\0 ", 148);
    return head;
}

export function tar(files) {
    const parts = [];
    for (const { name, data } of files) {
        parts.push(tarHeader(name, data.byteLength), data, new Uint8Array((512 - (data.byteLength % 512)) % 512));
    }
    parts.push(new Uint8Array(1024));
    return new Blob(parts, { type: "application/x-tar" });
}

export class Capture {
    constructor(canvas, name) {
        this.canvas = canvas;
        this.name = name;
        this.kind = ""; // "film", "pictures" or "" while nothing is recorded
    }

    screenshot() {
        return new Promise((done) => this.canvas.toBlob((blob) => {
            saveFile(`${this.name()}.png`, blob);
            done(blob);
        }, "image/png"));
    }

    get running() {
        return this.kind !== "";
    }

    start(pictures = false) {
        const type = pictures ? null : filmType();
        this.pieces = [];
        this.pending = [];
        if (type) {
            this.recorder = new MediaRecorder(this.canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
            this.recorder.ondataavailable = ({ data }) => data.size && this.pieces.push(data);
            this.recorder.start(1000);
            this.kind = "film";
        } else {
            this.kind = "pictures";
        }
    }

    /// Called after every picture that was drawn.
    picture(time) {
        if (this.kind !== "pictures") return;
        const number = this.pending.length;
        const name = `${String(number).padStart(6, "0")}_${time.toFixed(6)}s.png`;
        this.pending.push(new Promise((done) => this.canvas.toBlob(async (blob) => {
            done({ name, data: new Uint8Array(await blob.arrayBuffer()) });
        }, "image/png")));
    }

    /// The browser encodes when it has time for it: a short film may have nothing in it yet.
    async firstPiece() {
        for (let waited = 0; !this.pieces.length && waited < FILM_WAIT; waited += 100) {
            this.recorder.requestData();
            await new Promise((done) => setTimeout(done, 100));
        }
    }

    /// Whether there was anything to save.
    async stop() {
        const kind = this.kind;
        if (this.stopping) return false;
        this.stopping = true;
        if (kind === "film") await this.firstPiece();
        this.stopping = false;
        this.kind = "";
        if (kind === "film") {
            await new Promise((done) => {
                this.recorder.onstop = done;
                this.recorder.stop();
            });
            if (this.pieces.length) saveFile(`${this.name()}.webm`, new Blob(this.pieces, { type: "video/webm" }));
        } else if (this.pending.length) {
            saveFile(`${this.name()}-pictures.tar`, tar(await Promise.all(this.pending)));
        }
        const any = this.pieces.length + this.pending.length > 0;
        this.pieces = this.pending = [];
        return any;
    }
}
