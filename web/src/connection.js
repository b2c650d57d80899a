// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The socket to the run: hands out messages by their type, says when the line is lost, and tries again by itself.

const FIRST_WAIT = 250; // ms before the first new try; doubles up to
const LONGEST_WAIT = 4000;

export class Connection {
    /// `handlers`: text messages by type; `binary(buffer)`; `lost(secondsToNextTry)`; `opened()`.
    constructor(handlers) {
        this.handlers = handlers;
        this.wait = FIRST_WAIT;
        this.socket = null;
        this.timer = 0;
        this.open();
    }

    get isOpen() {
        return this.socket?.readyState === WebSocket.OPEN;
    }

    open() {
        clearTimeout(this.timer);
        const address = new URL("live", location.href);
        address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
        address.search = `?token=${encodeURIComponent(new URLSearchParams(location.search).get("token") ?? "")}`;
        address.hash = "";
        const socket = new WebSocket(address);
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.wait = FIRST_WAIT;
            this.handlers.opened();
        };
        socket.onmessage = ({ data }) => this.receive(data);
        socket.onclose = () => this.retry(socket);
        this.socket = socket;
    }

    receive(data) {
        if (typeof data !== "string") {
            this.handlers.binary(data);
            return;
        }
        let message;
        try {
            message = JSON.parse(data);
        } catch {
            return;
        }
        const handler = message && typeof message.type === "string" && this.handlers.text[message.type];
        if (handler) handler(message);
    }

    retry(socket) {
        if (socket !== this.socket) return;
        this.socket = null;
        this.handlers.lost(this.wait / 1000);
        this.timer = setTimeout(() => this.open(), this.wait);
        this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    }

    /// Messages while the line is lost are dropped: the run they were meant for is gone.
    send(message) {
        if (this.isOpen) this.socket.send(JSON.stringify(message));
    }
}
