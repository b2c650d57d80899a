// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT
// The tree of nodes and their components, with a search, and the inspector of what is selected: attributes with their
// units and texts; those that may change while time runs can be edited, and the run's answer is shown where it belongs.
import { h, unitOf } from "./dom.js";

const MOST_ROWS = 600; // of the tree at once; the search finds the rest

function nameOf(path) {
    return path === "/" ? "world" : path.slice(path.lastIndexOf("/") + 1);
}

function depthOf(path) {
    return path === "/" ? 0 : path.split("/").length - 1;
}

export class Outline {
    /// `app`: select(path), set(path, attribute, value).
    constructor(app) {
        this.app = app;
        this.nodes = [];
        this.selected = "";
        this.closed = new Set();
        this.search = h("input", { type: "search", placeholder: "Search the tree", "aria-label": "Search the tree", spellcheck: false, oninput: () => this.draw() });
        this.list = h("ul", { class: "tree", role: "tree", "aria-label": "Tree of nodes", onkeydown: (event) => this.key(event) });
        this.inspector = h("div", { class: "inspector", "aria-label": "Inspector", role: "region" });
        this.inspect();
    }

    setNodes(nodes) {
        this.nodes = Array.isArray(nodes) ? nodes : [];
        this.draw();
        this.inspect();
    }

    rows() {
        const wanted = this.search.value.trim().toLowerCase();
        const rows = [];
        for (const node of this.nodes) {
            const parts = (node.components ?? []).map((component) => ({
                path: component.path, label: nameOf(component.path), note: component.class, leaf: true,
                depth: depthOf(node.path) + 1,
            }));
            const row = { path: node.path, label: nameOf(node.path), note: "", leaf: false, depth: depthOf(node.path) };
            if (!wanted) {
                rows.push(row, ...parts);
                continue;
            }
            const fits = ({ path, note }) => `${path} ${note}`.toLowerCase().includes(wanted);
            const fitting = parts.filter(fits);
            if (fitting.length || fits(row)) rows.push(row, ...fitting);
        }
        if (wanted) return rows;
        const hidden = (path) => [...this.closed].some((shut) => path !== shut && (shut === "/" || path.startsWith(shut + "/")));
        return rows.filter(({ path }) => !hidden(path));
    }

    draw() {
        const rows = this.rows();
        this.list.replaceChildren(...rows.slice(0, MOST_ROWS).map((row) => {
            const chosen = row.path === this.selected;
            const item = h("li", {
                role: "treeitem", tabIndex: chosen || (!this.selected && row === rows[0]) ? 0 : -1, class: row.leaf ? "leaf" : "node",
                "aria-selected": String(chosen), "aria-level": String(row.depth + 1), "data-path": row.path,
                onclick: () => this.app.select(row.path),
            });
            item.style.paddingLeft = `${8 + 14 * Math.min(row.depth, 10)}px`;
            if (!row.leaf) {
                const open = !this.closed.has(row.path);
                item.setAttribute("aria-expanded", String(open));
                item.append(h("span", { class: "twist", "aria-hidden": "true", onclick: (event) => {
                    event.stopPropagation();
                    this.twist(row.path);
                } }, open ? "▾" : "▸"));
            }
            item.append(h("span", { class: "name", title: row.label }, row.label), row.note ? h("small", {}, row.note) : "");
            return item;
        }));
        if (rows.length > MOST_ROWS) this.list.append(h("li", { class: "more" }, `${rows.length - MOST_ROWS} more: search for them`));
        if (!rows.length) this.list.append(h("li", { class: "more" }, this.search.value ? "Nothing found" : "…"));
    }

    twist(path) {
        if (!this.closed.delete(path)) this.closed.add(path);
        this.draw();
    }

    key(event) {
        const items = [...this.list.querySelectorAll("[role=treeitem]")];
        const at = items.indexOf(document.activeElement);
        const path = document.activeElement?.dataset?.path;
        const go = (k) => {
            const item = items[Math.min(Math.max(k, 0), items.length - 1)];
            item?.focus();
        };
        if (event.key === "ArrowDown") go(at + 1);
        else if (event.key === "ArrowUp") go(at - 1);
        else if (event.key === "Enter" && path) this.app.select(path);
        else if ((event.key === "ArrowLeft" && !this.closed.has(path)) || (event.key === "ArrowRight" && this.closed.has(path))) this.twist(path);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    select(path) {
        this.selected = path;
        this.draw();
        this.list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
        this.inspect();
    }

    components() {
        for (const node of this.nodes) {
            if (node.path === this.selected) return node.components ?? [];
            const found = (node.components ?? []).find(({ path }) => path === this.selected);
            if (found) return [found];
        }
        return [];
    }

    inspect() {
        const components = this.selected ? this.components() : [];
        if (!components.length) {
            const text = this.selected ? "Nothing here can be changed." : "Click a thing in the world, or a line of the tree, to see what it is made of.";
            this.inspector.replaceChildren(h("p", { class: "nothing" }, text));
            return;
        }
        this.inspector.replaceChildren(
            h("div", { class: "where" }, this.selected),
            ...components.map((component) => h("section", { class: "component" },
                h("h3", {}, component.class, h("small", {}, nameOf(component.path))),
                ...(component.attributes ?? []).map((attribute) => this.field(component, attribute)))));
    }

    field(component, attribute) {
        const id = `attribute ${component.path} ${attribute.name}`;
        const answer = h("span", { class: "answer", role: "status" });
        const unit = unitOf(attribute);
        const input = h("input", {
            id, value: attribute.value, disabled: !attribute.live, spellcheck: false, autocomplete: "off",
            "aria-label": `${attribute.name} of ${component.class}${unit ? ` in ${unit}` : ""}`,
            "data-attribute": `${component.path} ${attribute.name}`,
            onchange: () => {
                if (input.value === attribute.value) return;
                input.classList.remove("good", "bad");
                answer.textContent = "";
                this.app.set(component.path, attribute.name, input.value);
            },
            onkeydown: (event) => {
                if (event.key === "Escape") input.value = attribute.value;
                if (event.key === "Enter" || event.key === "Escape") input.blur();
                event.stopPropagation();
            },
        });
        const title = [attribute.doc, attribute.type && `(${attribute.type})`, attribute.live ? "" : "Fixed while time runs."].filter(Boolean).join(" ");
        return h("div", { class: attribute.live ? "field" : "field fixed", title },
            h("label", { for: id }, attribute.name), h("span", { class: "box" }, input, unit ? h("small", {}, unit) : null), answer);
    }

    /// The run's answer to a change, ours or another client's.
    answered({ path, attribute, value, ok, message }) {
        const input = [...this.inspector.querySelectorAll("input")].find((box) => box.dataset.attribute === `${path} ${attribute}`);
        if (ok) {
            for (const node of this.nodes) {
                for (const component of node.components ?? []) {
                    if (component.path !== path) continue;
                    for (const entry of component.attributes ?? []) if (entry.name === attribute) entry.value = value;
                }
            }
        }
        if (!input) return;
        input.classList.toggle("good", ok);
        input.classList.toggle("bad", !ok);
        input.setAttribute("aria-invalid", String(!ok));
        if (ok && document.activeElement !== input) input.value = value; // what is being typed stays
        input.closest(".field").querySelector(".answer").textContent = ok ? "" : message || "refused";
        if (ok) setTimeout(() => input.classList.remove("good"), 1200);
    }
}
