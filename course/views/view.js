// A trace, stepped through in the browser: plot, source, lanes. No state outside render().
// State is a copy of minigrad/trace/state.py, and tested against it.

const FLIGHT = 3, SCRATCH = 6, ELSEWHERE = 7; // categories

export class State extends Holding {
  constructor() {
    super();
    this.names = new Map(); this.tensors = new Map();
    this.storages = new Map(); this.nodes = new Map();
    this.totals = Array(8).fill(0);
    this.walking = 0; this.here = null; this.line = 0;
  }
  apply(e) { this.line = e.line; this["_" + e.kind]?.(e); }
  _bind(e) { this.names.set(e.name, e.targets); }
  _unbind(e) { this.names.delete(e.name); }
  _tensor(e) {
    this.leave(e.tensor);
    const known = this.tensors.get(e.tensor) ?? { grad: null };
    this.tensors.set(e.tensor, Object.assign(known, factsOf(e)));
    this.count(known, 1);
  }
  _forget(e) {
    const tensor = this.tensors.get(e.tensor);
    if (!tensor) return;
    if (tensor.grad !== null) this.move(tensor.grad, "grads", -1);
    this.leave(e.tensor);
    this.tensors.delete(e.tensor);
  }
  leave(number) { if (this.tensors.has(number)) this.count(this.tensors.get(number), -1); }
  count(t, step) { this.move(t.storage, !t.leaf ? "results" : t.wants ? "leaves" : "inputs", step); }
  _grad(e) {
    const tensor = this.tensors.get(e.tensor);
    if (!tensor) return;
    if (tensor.grad !== null) this.move(tensor.grad, "grads", -1);
    tensor.grad = e.storage;
    if (e.storage !== null) this.move(e.storage, "grads", 1);
  }
  _born(e) {
    this.storages.set(e.storage, { size: e.size, leaves: 0, grads: 0, saves: 0, inputs: 0,
      results: 0, version: 0, flight: this.walking > 0 ? 1 : 0 });
    this.totals[this.category(e.storage)] += e.size;
  }
  _died(e) {
    if (!this.storages.has(e.storage)) return;
    this.totals[this.category(e.storage)] -= this.storages.get(e.storage).size;
    this.storages.delete(e.storage);
  }
  _elsewhere(e) { this.totals[ELSEWHERE] += e.size; }
  _write(e) { const s = this.storages.get(e.storage); if (s) s.version = e.version; }
  move(number, what, step) {
    const s = this.storages.get(number);
    if (!s) return;
    this.totals[this.category(number)] -= s.size;
    s[what] += step;
    this.totals[this.category(number)] += s.size;
  }
  category(number) {
    const s = this.storages.get(number);
    const first = [s.leaves, s.grads, s.saves, s.flight && !s.results, s.inputs, s.results].findIndex((n) => n);
    return first < 0 ? SCRATCH : first;
  }
  _node({ node, name, edges, tensor }) {
    this.nodes.set(node, { name, edges, tensor, slots: [], freed: false, visited: false });
    this.lead(tensor, name, node);
  }
  _save({ node, slot, storage, tensor, size, shared }) {
    this.nodes.get(node).slots.push({ slot, storage, tensor, size, shared });
    this.move(storage, "saves", 1);
  }
  _visit(e) { this.here = e.node; this.nodes.get(e.node).visited = true; }
  _free(e) { const node = this.nodes.get(e.node); this.drop(node); node.freed = true; }
  _gone(e) {
    const node = this.nodes.get(e.node);
    this.nodes.delete(e.node);
    if (node) this.drop(node);
  }
  drop(node) { if (!node.freed) for (const s of node.slots) this.move(s.storage, "saves", -1); }
  _backward() { if (!this.walking++) for (const n of this.nodes.values()) n.visited = false; }
  _end() {
    this.walking--;
    this.here = null;
    for (const [n, s] of this.storages) if (s.flight && !this.walking) this.move(n, "flight", -1);
  }
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const cut = (text, most) => (text.length <= most ? text : text.slice(0, most - 1) + "…");
const shapeText = (s) => `(${s.join(", ")}${s.length === 1 ? "," : ""})`;
const shown = (e) => (e ? e.live - e.bytes[ELSEWHERE] : 0);

export function sizeText(n) {
  const a = Math.abs(n);
  if (a < 10000) return `${n} B`;
  const [power, unit] = a >= 2 ** 30 ? [30, "GiB"] : a >= 2 ** 20 ? [20, "MiB"] : [10, "KiB"];
  return `${n < 0 ? "-" : ""}${Math.floor((a * 10) / 2 ** power + 0.5) / 10} ${unit}`;
}

const BUTTONS = {
  first: ["First step", "M3 3v10M13 3L6 8l7 5z"], prev: ["Previous step", "M11 3L4 8l7 5z"],
  play: ["Play", "M4 2.5v11L13 8z"], next: ["Next step", "M5 3l7 5-7 5z"],
  last: ["Last step", "M13 3v10M3 3l7 5-7 5z"],
};
const PAUSE = ["Pause", "M4 3h3v10H4zM9 3h3v10H9z"];
const icon = (path) => `<svg viewBox="0 0 16 16"><path d="${path}"/></svg>`;
const button = ([name, [label, path]]) => `<button data-go="${name}" title="${label}"
  aria-label="${label}">${icon(path)}</button>`;

const ROWS = 4, HEAD = 20, ROW = 16;

function linksOf(state) { // storage -> tensors; target -> name; storage -> holders, whose .grad
  const on = new Map(), named = new Map(), held = new Map(), owners = new Map();
  const add = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
  for (const [number, t] of state.tensors) add(on, t.storage, number);
  for (const [name, targets] of state.names) {
    for (const t of targets) if (!named.has(t)) named.set(t, name);
    const storages = targets.map((t) => t[0] === "t" && state.tensors.get(+t.slice(1))?.storage);
    for (const storage of new Set(storages)) add(held, storage, `name ${name}`);
  }
  for (const node of state.nodes.values()) {
    for (const s of node.freed ? [] : node.slots) add(held, s.storage, `node ${node.name}.${s.slot}`);
  }
  const holds = holdsOf(state, named, (...row) => add(held, ...row));
  for (const [number, { grad }] of state.tensors) {
    if (grad === null) continue;
    owners.set(grad, named.get("t" + number));
    add(held, grad, `.grad of ${owners.get(grad) ?? "a tensor"}`);
  }
  return { on, named, held, owners, holds };
}

const card = (kind, key, [x, y, w, h], classes, more, inner) => ({ key: kind + key + (more["aria-hidden"] ? " dead" : ""),
  attributes: { class: `mg-card mg-${kind} ${classes}`, transform: `translate(${x} ${y})`,
    ["data-" + kind]: key, role: "img", ...more },
  inner: `<rect class="mg-box" width="${w}" height="${h}" rx="4"/>${inner}` });

function storageCard(view, number, dead) {
  const { state, boxes, look, on, named, id } = view, box = boxes.storages[number];
  const storage = state.storages.get(number), rows = on.get(number) ?? [];
  const category = storage ? state.category(number) : SCRATCH;
  const size = dead ?? storage.size, label = storage ? look[category][0] : "given back";
  let inner = `<rect class="mg-stripe" width="10" height="${box[3]}" rx="4" fill="url(#${id}${category})"/>
    <text class="mg-strong" x="16" y="14">${sizeText(size)}</text>
    <text x="${box[2] - 6}" y="14" text-anchor="end">${label}</text>`;
  const write = (i, text, more) => inner +=
    `<text class="${more}" x="16" y="${HEAD + ROW * i + 11}">${escaped(cut(text, 18))}</text>`;
  const owner = view.owners.get(number);
  rows.slice(0, ROWS).forEach((t, i) => {
    const own = named.get("t" + t) ?? (owner ? owner + ".grad" : outside(state.tensors.get(t)));
    write(i, i === ROWS - 1 && rows.length > ROWS ? `and ${rows.length - ROWS + 1} more`
      : `${own} ${shapeText(state.tensors.get(t).shape)}`.trim(), "mg-row");
  });
  if (storage && !rows.length) {
    write(0, category === FLIGHT ? "a gradient" : storage.saves ? "only saved" : "no tensor", "mg-faint");
  }
  const held = view.held.get(number)?.join(", ") ?? nobody(state, storage, rows);
  const mark = storage ? (view.event?.storage === number ? "now" : "") : "dead";
  return card("storage", number, box, `${mark} ${category === FLIGHT ? "flight" : ""}`, !storage ? { "aria-hidden": true } : {
    tabindex: 0, "data-category": category, "data-held": held,
    "aria-label": `storage of ${size} bytes, ${label}; held by: ${held}` }, inner);
}

function nodeCard(view, number, node) {
  const { state, boxes, event } = view, box = boxes.nodes[number], chips = boxes.chips[number];
  let inner = `<text class="mg-strong" x="8" y="14">${escaped(cut(node.name, 20))}</text>`;
  node.slots.forEach((s, i) => {
    const [x, y, w, text] = chips[i];
    const what = `${node.freed ? "freed" : "held"}${s.shared ? " shared" : ""}`;
    inner += `<g class="mg-chip ${what}" data-chip="${number}:${escaped(s.slot)}" data-of="${s.storage}">
      <title>${escaped(s.slot)}, ${s.size} bytes, ${what}</title><rect x="${x}" y="${y}" width="${w}" height="15" rx="3"/>
      <text x="${x + 5}" y="${y + 11.5}">${escaped(text)}</text></g>`;
  });
  inner += holdLabel(view, number, node.name, box);
  const here = state.here === number && state.walking;
  const label = `node ${node.name}${here ? ", backward is here" : ""}${node.freed ? ", freed" : ""}`;
  const mark = event?.node !== number ? "" : event.kind === "error" ? "wrong" : "now";
  return card("node", number, box, `${here ? "here" : ""} ${node.visited ? "visited" : ""} ${mark}`,
    { "aria-label": label }, inner);
}

const nameCard = (view, name) => card("name", name, view.boxes.names[name],
  view.event?.name === name ? "now" : "", { "aria-label": `name ${name}` },
  `<text class="mg-code" x="8" y="14">${escaped(cut(name, 12))}</text>`);

function cardsOf(view) {
  const { state, boxes } = view, cards = [];
  for (const name of state.names.keys()) cards.push(nameCard(view, name));
  for (const dead of view.dying) cards.push(storageCard(view, ...dead));
  for (const number of state.storages.keys()) if (boxes.storages[number]) cards.push(storageCard(view, number));
  for (const [number, node] of state.nodes) cards.push(nodeCard(view, number, node));
  return cards;
}

const curve = (a, b, c, d, out, back = -out) => `M${a} ${b}C${a + out} ${b} ${c + back} ${d} ${c} ${d}`;

function arrowsOf(view) { // references, with the storage they lead to
  const { state, boxes, on, id } = view, out = [];
  const add = (key, kind, to, d, of = "") => out.push({ key, inner: "", attributes: {
    class: `mg-arrow ${kind}`, "data-to": to, "data-of": of, d, "marker-end": `url(#${id}${kind.split(" ")[0]})` } });
  const row = (t) => {
    const s = state.tensors.get(t)?.storage, box = boxes.storages[s];
    if (!box || !state.storages.has(s)) return null;
    const i = Math.min((on.get(s) ?? []).indexOf(t), ROWS - 1);
    return { s, x: box[0], end: box[0] + box[2], y: box[1] + HEAD + ROW * i + 7 };
  };
  for (const [name, targets] of state.names) {
    const [x, y, w, h] = boxes.names[name];
    for (const target of targets) {
      const to = target[0] === "t" ? row(+target.slice(1)) : null;
      const node = target[0] === "n" && state.nodes.has(+target.slice(1)) && boxes.nodes[target.slice(1)];
      if (to) add(name + target, "ref", to.s, curve(x + w, y + h / 2, to.x - 2, to.y, 28));
      if (node) add(name + target, "ref", "", curve(x + w, y + h / 2, node[0] - 2, node[1] + 10, 40));
    }
  }
  for (const [number, t] of state.tensors) {
    const from = row(number), node = state.nodes.has(t.fn) && boxes.nodes[t.fn];
    if (from && node) add("fn" + number, "fn", from.s, curve(from.end, from.y, node[0] - 2, node[1] + 10, 26));
    const grad = t.grad !== null && state.storages.has(t.grad) && boxes.storages[t.grad];
    if (from && grad) add("grad" + number, "grad", t.grad, curve(from.x, from.y, grad[0] - 2, grad[1] + 10, -34, -34));
  }
  for (const [number, node] of state.nodes) {
    const [x, y, w] = boxes.nodes[number];
    node.slots.forEach((s, i) => {
      const box = boxes.storages[s.storage], chip = boxes.chips[number][i];
      if (node.freed || !box || !state.storages.has(s.storage)) return;
      add(`save${number}.${i}`, s.shared ? "save shared" : "save", s.storage,
        curve(x + chip[0], y + chip[1] + 7, box[0] + box[2] + 2, box[1] + 10, -26), number);
    });
    node.edges.forEach((edge, i) => {
      const to = edge && state.nodes.has(edge[0]) && boxes.nodes[edge[0]];
      if (to) add(`edge${number}.${i}`, "edge", "", edgePath([x, y, w], to), number);
    });
  }
  holdArrows(view, add, row);
  return out;
}

function edgePath([x, y, w], [tx, ty, tw, th]) {
  if (tx === x && ty < y && y - ty - th < 12) return `M${x + w / 2} ${y}V${ty + th + 2}`;
  if (tx === x) return curve(x + w, y + 10, x + w + 2, ty + 10, 18, 18);
  return tx < x ? curve(x, y + 10, tx + tw + 2, ty + 10, -16) : curve(x + w, y + 10, tx - 2, ty + 10, 16);
}

const markers = (id) => ["ref", "fn", "grad", "save", "edge"].map((kind) => `<marker id="${id}${kind}" class="mg-head-${kind}" viewBox="0 0 8 8"
  refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .5L8 4L0 7.5z"/></marker>`).join("");

const skeleton = (id) => `<div class="mg-top"><strong class="mg-title"></strong>
    <label class="mg-pick" hidden>trace <select class="mg-which"></select></label></div>
    <svg class="mg-plot" role="img" viewBox="0 0 1000 190"></svg>
    <div class="mg-under"><div class="mg-legend"></div><span class="mg-outside"></span></div>
    <div class="mg-bar">${Object.entries(BUTTONS).map(button).join("")}
      <input class="mg-range" type="range" aria-label="Step">
      <span class="mg-count"></span><select class="mg-mode" aria-label="What is a step">
      <option value="main">main steps<option value="all">every event<option value="line">lines only</select></div>
    <div class="mg-status" role="status"></div><div class="mg-error" role="alert"></div>
    <div class="mg-held"></div><div class="mg-body"><div class="mg-source"></div>
      <div class="mg-lanes"><svg><defs>${markers(id)}</defs><g class="mg-heads"></g><g class="mg-arrows"></g><g class="mg-cards"></g></svg></div></div>`;

function render({ model, el }) {
  const id = "mg" + Math.random().toString(36).slice(2);
  const stop = new AbortController();
  const listen = (target, types, f) => types.split(" ").forEach((type) =>
    target.addEventListener(type, f, { signal: stop.signal }));
  const root = el.appendChild(document.createElement("div"));
  root.className = "mg-view";
  root.tabIndex = 0;
  root.role = "group";
  keepKeys(root);
  root.innerHTML = skeleton(id);
  const by = Object.fromEntries([...root.querySelectorAll("[class^=mg-]")]
    .map((part) => [part.getAttribute("class").slice(3), part]));
  const lanes = by.lanes.firstChild;
  let data, trace, stops, state, applied, timer = null;
  const stopsOf = () => ({ main: trace.stops, line: trace.lines })[by.mode.value]
    ?? [...trace.events.keys(), trace.events.length];
  const drawn = new Map(), linked = new Map(); // key -> [element, markup]

  const step = () => Math.max(0, Math.min(model.get("step"), trace.events.length));
  // Saved at once: an echo from the kernel would undo what is set and not saved yet.
  const set = (name, value) => { model.set(name, value); model.save_changes(); };
  const go = (to) => set("step", Math.max(0, Math.min(to, trace.events.length)));
  const next = (list) => list.find((s) => s > step()) ?? trace.events.length;
  const prev = (list) => list.findLast((s) => s < step()) ?? 0;
  const actions = { first: () => go(0), prev: () => go(prev(stops)), play: () => play(timer === null),
    next: () => go(next(stops)), last: () => go(trace.events.length) };

  function play(on) {
    clearInterval(timer);
    timer = null;
    if (on && step() >= trace.events.length) go(0);
    if (on) timer = setInterval(() => { actions.next(); if (step() >= trace.events.length) play(false); }, 650);
    const face = root.querySelector("[data-go=play]");
    const [label, path] = on ? PAUSE : BUTTONS.play;
    face.innerHTML = icon(path);
    face.title = face.ariaLabel = label;
  }

  function at(to) { // the state after `to` events
    if (!state || applied > to) { state = new State(); applied = 0; }
    while (applied < to) state.apply(trace.events[applied++]);
    return state;
  }

  function dying(to) { // storages that died since the stop before: [number, size]
    const from = stops.findLast((s) => s < to) ?? 0, boxes = trace.layout.storages;
    const taken = new Set([...state.storages.keys()].map((n) => String(boxes[n]?.slice(0, 2))));
    return trace.events.slice(from, to).flatMap((e, i) => (e.kind === "died" && boxes[e.storage]
      && !taken.has(String(boxes[e.storage].slice(0, 2))) ? [[e.storage, trace.events[from + i - 1].live - e.live]] : []));
  }

  function load() {
    play(false);
    data = model.get("trace");
    const which = Math.min(model.get("which"), data.traces.length - 1);
    trace = data.traces[which];
    state = null;
    fill(by.cards, drawn, []);
    fill(by.arrows, linked, []);
    stops = stopsOf();
    by.title.textContent = data.title || trace.title || "";
    by.pick.hidden = data.traces.length < 2;
    by.which.innerHTML = data.traces.map((t) => `<option>${escaped(t.label)}</option>`).join("");
    by.which.selectedIndex = which;
    by.range.max = trace.events.length;
    root.ariaLabel = trace.about;
    by.plot.ariaLabel = "Bytes alive: " + trace.about;
    root.classList.toggle("live", trace.recording);
    plot(data.plots[which]);
    by.source.innerHTML = trace.source.split("\n").map((text, i) => `<div data-line="${
      i + trace.first}"><i></i><i></i><b>${i + trace.first}</b><code>${escaped(text) || " "}</code></div>`).join("");
    by.source.hidden = !trace.source;
    const { width, height, heads } = trace.layout;
    lanes.setAttribute("viewBox", `0 0 ${width} ${height}`);
    lanes.style.width = by.lanes.style.flexBasis = `${width}px`;
    lanes.style.minWidth = `${Math.round(width * 0.7)}px`;
    by.heads.innerHTML = heads.map(([x, text]) => `<text x="${x}" y="14">${text}</text>`).join("");
    draw();
  }

  function plot(svg) {
    by.plot.innerHTML = svg.replaceAll("%ID%", id);
    by.legend.innerHTML = [...by.plot.querySelectorAll("[data-category]")].map((area) => `<span><svg
      viewBox="0 0 18 12"><rect width="18" height="12" rx="2" fill="${area.getAttribute("fill")}"/></svg>${
      data.look[area.dataset.category][0]}</span>`).join("");
  }

  function grow(told) { // the plot of a recording; its trace comes at the end
    if (!trace.recording) return;
    plot(told.plot);
    by.count.textContent = told.count;
  }

  function draw() {
    const now = step(), event = trace.events[now - 1], s = at(now);
    const view = { ...linksOf(s), state: s, boxes: trace.layout, look: data.look, id, event, dying: dying(now) };
    fill(by.cards, drawn, cardsOf(view));
    fill(by.arrows, linked, arrowsOf(view));
    by.arrows.classList.toggle("many", linked.size > 40);
    by.status.textContent = trace.words[now];
    by.range.value = now;
    by.range.ariaValueText = trace.words[now];
    by.count.textContent = `${now} / ${trace.events.length} · ${sizeText(shown(event))} alive`;
    by.count.dataset.live = event ? event.live : 0;
    const outside = event?.bytes[ELSEWHERE] ?? 0;
    by.outside.textContent = outside ? `${sizeText(outside)} elsewhere, not drawn` : "";
    const wrong = now > trace.failed ? trace.events[trace.failed] : event;
    by.error.textContent = wrong?.kind === "error" ? [wrong.text, ...wrong.notes].join("\n") : "";
    cursor(event);
    source(now);
    within(by.lanes, (drawn.get("node" + event?.node) ?? drawn.get("storage" + event?.storage))?.[0]);
    hold(root.querySelector(".mg-storage:focus") ?? root.querySelector(".mg-storage:hover"));
  }

  function fill(group, drawn, list) { // touches only what changed
    const wanted = new Set(list.map((part) => part.key)), tag = group === by.cards ? "g" : "path";
    for (const [key, [element]] of drawn) if (!wanted.has(key)) { element.remove(); drawn.delete(key); }
    for (const { key, attributes, inner } of list) {
      let [element, before] = drawn.get(key) ?? [];
      if (!element) element = group.appendChild(document.createElementNS(lanes.namespaceURI, tag));
      const now = JSON.stringify(attributes) + inner;
      if (now === before) continue;
      for (const name in attributes) element.setAttribute(name, attributes[name]);
      element.innerHTML = inner;
      drawn.set(key, [element, now]);
    }
  }

  function cursor(event) {
    const k = data.scale, x = k.left + (k.wide * step()) / k.most;
    root.querySelector(".mg-cursor").setAttribute("d", `M${x} ${k.up - 14}V${k.floor}`);
    const dot = root.querySelector(".mg-dot");
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", k.floor - ((k.floor - k.up) * shown(event)) / k.top);
  }

  function source(now) {
    const last = new Map();
    for (const v of trace.visits) { if (v[1] > now) break; last.set(v[0], v); }
    for (const row of by.source.children) {
      const v = last.get(+row.dataset.line), after = v && shown(trace.events[Math.min(v[2], now) - 1]);
      const change = v ? after - v[3] : 0;
      const [bytes, delta] = row.children;
      bytes.textContent = v ? sizeText(after) : "";
      delta.textContent = change ? `${change > 0 ? "+" : ""}${sizeText(change)}` : "";
      row.classList.toggle("now", now > 0 && +row.dataset.line === trace.events[now - 1].line);
    }
    within(by.source, root.querySelector(".mg-source .now"));
  }

  function within(box, child) { // scrolls the box, never the page
    if (!child || box.scrollHeight <= box.clientHeight) return;
    const a = child.getBoundingClientRect(), b = box.getBoundingClientRect();
    if (a.top < b.top + 20) box.scrollTop -= b.top + 20 - a.top;
    else if (a.bottom > b.bottom - 12) box.scrollTop += a.bottom - b.bottom + 12;
  }

  function hold(card) {
    const now = trace.events[step() - 1], to = card?.dataset.storage ?? now?.storage, of = card ? null : now?.node;
    by.held.textContent = card ? `${card.querySelector("text").textContent} held by: ${card.dataset.held}`
      : "Point at a storage to see what holds it.";
    for (const p of by.arrows.children) p.classList.toggle("on", p.dataset.to == to || p.dataset.of == of);
    by.arrows.classList.toggle("some", !!card);
  }

  function point(event) {
    const box = by.plot.getBoundingClientRect(), k = data.scale;
    const x = ((event.clientX - box.left) * k.width) / box.width;
    go(Math.ceil(((x - k.left) / k.wide) * k.most));
  }

  const keys = { ArrowRight: actions.next, ArrowDown: actions.next, ArrowLeft: actions.prev,
    ArrowUp: actions.prev, Home: actions.first, End: actions.last, " ": actions.play,
    PageDown: () => go(next(trace.lines)), PageUp: () => go(prev(trace.lines)) };
  listen(root, "keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.tagName === "SELECT") return;
    if (!keys[e.key] || (e.key === " " && e.target.tagName === "BUTTON")) return;
    e.preventDefault();
    e.stopPropagation();
    if (e.key !== " ") play(false);
    keys[e.key]();
  });
  listen(root, "click", (e) => {
    const name = e.target.closest("[data-go]")?.dataset.go;
    if (name && name !== "play") play(false);
    if (name) actions[name]();
    const line = e.target.closest("[data-line]")?.dataset.line;
    const visit = trace.visits.find((v) => v[0] === +line);
    if (visit) go(visit[1]);
  });
  let dragging = false;
  listen(by.plot, "pointerdown", (e) => { dragging = true; play(false); by.plot.setPointerCapture(e.pointerId); point(e); });
  listen(by.plot, "pointermove", (e) => { if (dragging) point(e); });
  listen(by.plot, "pointerup pointercancel", () => { dragging = false; });
  listen(by.range, "input", (e) => { play(false); go(+e.target.value); });
  listen(by.mode, "change", () => { stops = stopsOf(); draw(); });
  listen(by.which, "change", () => set("which", by.which.selectedIndex));
  listen(lanes, "pointerover focusin", (e) => hold(e.target.closest(".mg-storage")));
  listen(lanes, "pointerleave focusout", () => hold(null));
  const watched = { "change:step": draw, "change:which": load, "change:trace": load, "msg:custom": grow };
  for (const name in watched) model.on(name, watched[name]);
  load();
  return () => {
    play(false);
    stop.abort();
    for (const name in watched) model.off(name, watched[name]);
    root.remove();
  };
}

export default { render };
