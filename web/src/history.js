// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The channels of the last frames, for plots and for saving. When the time goes back (a reset, a step back), what was
// after it is forgotten; when the room is full, every other older sample goes.

const ROOM = 16384;

export class History {
    constructor() {
        this.begin([]);
    }

    begin(channels) {
        this.channels = channels;
        this.count = 0;
        this.pushes = 0;
        this.times = new Float64Array(ROOM);
        this.values = channels.map(() => new Float64Array(ROOM));
    }

    push(time, values) {
        while (this.count && this.times[this.count - 1] >= time) this.count--;
        if (this.count === ROOM) this.thin();
        this.times[this.count] = time;
        for (let c = 0; c < this.values.length; c++) this.values[c][this.count] = values[c] ?? NaN;
        this.count++;
        this.pushes++;
    }

    thin() {
        const half = ROOM / 2;
        for (const list of [this.times, ...this.values]) {
            for (let i = 0; i < half / 2; i++) list[i] = list[2 * i];
            list.copyWithin(half / 2, half, ROOM);
        }
        this.count = half / 2 + half;
    }

    /// Samples from `since` on: [times, ...values of the channels asked for].
    since(since, channels) {
        let low = 0;
        let high = this.count;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.times[middle] < since) low = middle + 1;
            else high = middle;
        }
        return [this.times, ...channels.map((c) => this.values[c])].map((list) => list.subarray(low, this.count));
    }

    last(channel) {
        return this.count ? this.values[channel][this.count - 1] : NaN;
    }

    csv() {
        const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
        const names = this.channels.map(({ name, unit }) => quote(unit ? `${name} (${unit})` : name));
        const rows = [["time (s)", ...names].join(",")];
        for (let i = 0; i < this.count; i++) {
            rows.push([this.times[i], ...this.values.map((list) => list[i])].join(","));
        }
        return rows.join("\n") + "\n";
    }
}
