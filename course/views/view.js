// A trace, stepped through in the browser: plot, source, lanes. No state outside render().
// State is a copy of minigrad/trace/state.py, and tested against it.

const FLIGHT = 3, SCRATCH = 6, ELSEWHERE = 7; // categories

export class State {
  constructor() {
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
    const { storage, shape, leaf, wants } = e;
    this.tensors.set(e.tensor, Object.assign(known, { storage, shape, leaf, wants }));
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
    const first = [s.leaves, s.grads, s.saves, s.flight, s.inputs, s.results].findIndex((n) => n);
    return first < 0 ? SCRATCH : first;
  }
  _node(e) {
    const { name, edges, tensor } = e;
    this.nodes.set(e.node, { name, edges, tensor, slots: [], freed: false, visited: false });
  }
  _save(e) {
    const { slot, storage, tensor, size, shared } = e;
    this.nodes.get(e.node).slots.push({ slot, storage, tensor, size, shared });
    this.move(e.storage, "saves", 1);
  }
  _visit(e) { this.here = e.node; this.nodes.get(e.node).visited = true; }
  _free(e) { const node = this.nodes.get(e.node); this.drop(node); node.freed = true; }
  _gone(e) {
    const node = this.nodes.get(e.node);
    this.nodes.delete(e.node);
    if (node) this.drop(node);
  }
  drop(node) { if (!node.freed) for (const s of node.slots) this.move(s.storage, "saves", -1); }
  _backward() { this.walking++; for (const node of this.nodes.values()) node.visited = false; }
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

function tensorsOn(state) {
  const on = new Map();
  for (const [number, t] of state.tensors) {
    if (!on.has(t.storage)) on.set(t.storage, []);
    on.get(t.storage).push(number);
  }
  return on;
}

function namesOf(state) {
  const found = new Map();
  for (const [name, targets] of state.names) {
    for (const t of targets) if (!found.has(t)) found.set(t, name);
  }
  return found;
}

function holders({ state, on, named }, storage) {
  const found = [], mine = on.get(storage) ?? [];
  for (const [name, targets] of state.names) {
    if (mine.some((t) => targets.includes(`t${t}`))) found.push(`name ${name}`);
  }
  for (const node of state.nodes.values()) {
    for (const s of node.freed ? [] : node.slots) {
      if (s.storage === storage) found.push(`node ${node.name}.${s.slot}`);
    }
  }
  for (const [number, t] of state.tensors) {
    if (t.grad === storage) found.push(`.grad of ${named.get(`t${number}`) ?? "a tensor"}`);
  }
  if (found.length) return found;
  return state.storages.get(storage).flight ? ["backward, on its way"] : mine.length ? ["a tensor without a name"] : [];
}

const card = (kind, key, [x, y, w, h], classes, more, inner) => ({ key: kind + key,
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
  const [of] = [...state.tensors].find(([, t]) => t.grad === number) ?? [];
  const owner = named.get("t" + of);
  rows.slice(0, ROWS).forEach((t, i) => {
    const own = named.get("t" + t) ?? (owner ? owner + ".grad" : "");
    write(i, i === ROWS - 1 && rows.length > ROWS ? `and ${rows.length - ROWS + 1} more`
      : `${own} ${shapeText(state.tensors.get(t).shape)}`.trim(), "mg-row");
  });
  if (storage && !rows.length) {
    write(0, category === FLIGHT ? "a gradient" : storage.saves ? "only saved" : "no tensor", "mg-faint");
  }
  const held = storage ? holders(view, number).join(", ") || "nothing in the picture" : "";
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

const curve = (a, b, c, d, bend) => `M${a} ${b}C${a + bend} ${b} ${c - bend} ${d} ${c} ${d}`;
const loop = (a, b, c, d, out) => `M${a} ${b}C${a + out} ${b} ${c + out} ${d} ${c} ${d}`;

// [kind, storage it leads to, path] of every reference.
function arrowsOf(view) {
  const { state, boxes, on } = view, out = [];
  const row = (t) => {
    const s = state.tensors.get(t)?.storage, box = boxes.storages[s];
    if (!box || !state.storages.has(s)) return null;
    const i = Math.min((on.get(s) ?? []).indexOf(t), ROWS - 1);
    return { s, x: box[0], end: box[0] + box[2], y: box[1] + HEAD + ROW * i + 7 };
  };
  const made = new Map();
  for (const [n, node] of state.nodes) if (!state.tensors.get(node.tensor)?.leaf) made.set(node.tensor, n);
  for (const [name, targets] of state.names) {
    const [x, y, w, h] = boxes.names[name];
    for (const target of targets) {
      const to = target[0] === "t" ? row(+target.slice(1)) : null;
      const node = target[0] === "n" && state.nodes.has(+target.slice(1)) && boxes.nodes[target.slice(1)];
      if (to) out.push(["ref", to.s, curve(x + w, y + h / 2, to.x - 2, to.y, 28)]);
      if (node) out.push(["ref", "", curve(x + w, y + h / 2, node[0] - 2, node[1] + 10, 40)]);
    }
  }
  for (const [number, t] of state.tensors) {
    const from = row(number), node = boxes.nodes[made.get(number)];
    if (from && node) out.push(["fn", from.s, curve(from.end, from.y, node[0] - 2, node[1] + 10, 26)]);
    const grad = t.grad !== null && state.storages.has(t.grad) && boxes.storages[t.grad];
    if (from && grad) out.push(["grad", t.grad, loop(from.x, from.y, grad[0] - 2, grad[1] + 10, -34)]);
  }
  for (const [number, node] of state.nodes) {
    const [x, y, w] = boxes.nodes[number];
    node.slots.forEach((s, i) => {
      const box = boxes.storages[s.storage], chip = boxes.chips[number][i];
      if (node.freed || !box || !state.storages.has(s.storage)) return;
      out.push([s.shared ? "save shared" : "save", s.storage,
        curve(x + chip[0], y + chip[1] + 7, box[0] + box[2] + 2, box[1] + 10, -26)]);
    });
    for (const edge of node.edges) {
      const to = edge && state.nodes.has(edge[0]) && boxes.nodes[edge[0]];
      if (to) out.push(["edge", "", edgePath([x, y, w], to)]);
    }
  }
  return out;
}

function edgePath([x, y, w], [tx, ty, tw, th]) {
  if (tx === x && ty < y && y - ty - th < 12) return `M${x + w / 2} ${y}V${ty + th + 2}`;
  if (tx === x) return loop(x + w, y + 10, x + w + 2, ty + 10, 18);
  return tx < x ? curve(x, y + 10, tx + tw + 2, ty + 10, -16) : curve(x + w, y + 10, tx - 2, ty + 10, 16);
}

const markers = (id) => ["ref", "fn", "grad", "save", "edge"].map((kind) => `<marker id="${id}${kind}" class="mg-head-${kind}" viewBox="0 0 8 8"
  refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .5L8 4L0 7.5z"/></marker>`).join("");

const SKELETON = `<div class="mg-top"><strong class="mg-title"></strong>
    <label class="mg-pick" hidden>trace <select class="mg-which"></select></label></div>
    <svg class="mg-plot" role="img" viewBox="0 0 1000 190"></svg>
    <div class="mg-under"><div class="mg-legend"></div><span class="mg-outside"></span></div>
    <div class="mg-bar">${Object.entries(BUTTONS).map(button).join("")}
      <input class="mg-range" type="range" aria-label="Step">
      <span class="mg-count"></span><select class="mg-mode" aria-label="What is a step">
      <option value="main">main steps<option value="all">every event<option value="line">lines only</select></div>
    <div class="mg-status" role="status"></div><div class="mg-error" role="alert" hidden></div>
    <div class="mg-held"></div><div class="mg-body"><div class="mg-source"></div>
      <div class="mg-lanes"><svg><defs class="mg-defs"></defs><g class="mg-heads"></g><g class="mg-arrows"></g><g class="mg-cards"></g></svg></div></div>`;

function render({ model, el }) {
  const id = "mg" + Math.random().toString(36).slice(2);
  const stop = new AbortController();
  const listen = (target, type, f) => target.addEventListener(type, f, { signal: stop.signal });
  const root = el.appendChild(document.createElement("div"));
  root.className = "mg-view";
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.dataset.lmSuppressShortcuts = "true"; // or Jupyter's own keys act on the cell
  root.innerHTML = SKELETON;
  const by = Object.fromEntries([...root.querySelectorAll("[class^=mg-]")]
    .map((part) => [part.getAttribute("class").slice(3), part]));
  const lanes = by.lanes.firstChild;
  let data, trace, stops, state, applied, timer = null, saving = null;
  const stopsOf = () => ({ main: trace.stops, line: trace.lines })[by.mode.value]
    ?? [...trace.events.keys(), trace.events.length];
  const drawn = new Map(); // key of a card -> [element, markup]

  const step = () => Math.max(0, Math.min(model.get("step"), trace.events.length));
  const save = () => { clearTimeout(saving); saving = setTimeout(() => model.save_changes(), 80); };
  const go = (to) => { model.set("step", Math.max(0, Math.min(to, trace.events.length))); save(); };
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
    const born = (n) => trace.events.find((e) => e.kind === "born" && e.storage === n);
    return trace.events.slice(from, to).filter((e) => e.kind === "died" && boxes[e.storage]
      && !taken.has(String(boxes[e.storage].slice(0, 2)))).map((e) => [e.storage, born(e.storage).size]);
  }

  function load() {
    play(false);
    data = model.get("trace");
    const which = Math.min(model.get("which"), data.traces.length - 1);
    trace = data.traces[which];
    state = null;
    drawn.forEach(([element]) => element.remove());
    drawn.clear();
    stops = stopsOf();
    by.title.textContent = data.title || trace.title || "";
    by.pick.hidden = data.traces.length < 2;
    by.which.innerHTML = data.traces.map((t, i) => `<option value="${i}">${escaped(t.label)}</option>`).join("");
    by.which.value = which;
    by.range.max = trace.events.length;
    root.setAttribute("aria-label", trace.about);
    by.plot.setAttribute("aria-label", "Bytes alive: " + trace.about);
    by.plot.innerHTML = data.plots[which].replaceAll("%ID%", id);
    const used = data.look.map((_, c) => trace.events.some((e) => e.bytes[c] > 0));
    by.legend.innerHTML = data.look.map(([label], c) => (used[c] ? `<span><svg viewBox="0 0 18 12"><rect width="18"
      height="12" rx="2" fill="url(#${id}${c})"/></svg>${label}</span>` : "")).join("");
    by.source.innerHTML = trace.source.split("\n").map((text, i) => `<div data-line="${
      i + trace.first}"><i></i><i></i><b>${i + trace.first}</b><code>${escaped(text) || " "}</code></div>`).join("");
    by.source.hidden = !trace.source;
    const { width, height, heads } = trace.layout;
    lanes.setAttribute("viewBox", `0 0 ${width} ${height}`);
    lanes.style.width = by.lanes.style.flexBasis = `${width}px`;
    lanes.style.minWidth = `${Math.round(width * 0.7)}px`;
    by.defs.innerHTML = markers(id);
    by.heads.innerHTML = heads.map(([x, text]) => `<text x="${x}" y="14">${text}</text>`).join("");
    draw();
  }

  function draw() {
    const now = step(), event = trace.events[now - 1], s = at(now);
    const view = { state: s, boxes: trace.layout, look: data.look, id, event, on: tensorsOn(s), named: namesOf(s), dying: dying(now) };
    cards(cardsOf(view));
    const arrows = arrowsOf(view);
    by.arrows.classList.toggle("many", arrows.length > 40);
    by.arrows.innerHTML = arrows.map(([kind, to, d]) => `<path class="mg-arrow ${kind}" data-to="${to}" d="${d}"
      marker-end="url(#${id}${kind.split(" ")[0]})"/>`).join("");
    by.status.textContent = trace.words[now];
    by.range.value = now;
    by.range.setAttribute("aria-valuetext", trace.words[now]);
    by.count.textContent = `${now} / ${trace.events.length} · ${sizeText(shown(event))} alive`;
    by.count.dataset.live = event ? event.live : 0;
    const outside = event?.bytes[ELSEWHERE] ?? 0;
    by.outside.textContent = outside ? `${sizeText(outside)} elsewhere, not drawn` : "";
    by.error.hidden = event?.kind !== "error";
    by.error.textContent = !by.error.hidden ? [event.text, ...event.notes].join("\n") : "";
    cursor(event);
    source(now);
    within(by.lanes, (drawn.get("node" + event?.node) ?? drawn.get("storage" + event?.storage))?.[0]);
    hold(root.querySelector(".mg-storage:focus") ?? root.querySelector(".mg-storage:hover"));
  }

  function cards(list) {
    const wanted = new Set(list.map((c) => c.key));
    for (const [key, [element]] of drawn) if (!wanted.has(key)) { element.remove(); drawn.delete(key); }
    for (const { key, attributes, inner } of list) {
      let [element, before] = drawn.get(key) ?? [];
      if (!element) element = by.cards.appendChild(document.createElementNS(lanes.namespaceURI, "g"));
      const now = JSON.stringify(attributes) + inner;
      if (now === before) continue;
      for (const { name } of [...element.attributes]) if (!(name in attributes)) element.removeAttribute(name);
      for (const name in attributes) element.setAttribute(name, attributes[name]);
      element.innerHTML = inner;
      drawn.set(key, [element, now]);
    }
  }

  function cursor(event) {
    const k = data.scale, floor = k.height - k.down, x = k.left + ((k.width - k.left - k.right) * step()) / k.most;
    root.querySelector(".mg-cursor").setAttribute("d", `M${x} ${k.up - 14}V${floor}`);
    const dot = root.querySelector(".mg-dot");
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", floor - ((floor - k.up) * shown(event)) / k.top);
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
    const number = card?.dataset.storage ?? String(trace.events[step() - 1]?.storage);
    by.held.textContent = card?.dataset.held ? `${card.querySelector("text").textContent} held by: ${card.dataset.held}` : "Point at a storage to see what holds it.";
    for (const p of by.arrows.children) p.classList.toggle("on", p.dataset.to === number);
    by.arrows.classList.toggle("some", !!card);
  }

  function point(event) {
    const box = by.plot.getBoundingClientRect(), k = data.scale;
    const x = ((event.clientX - box.left) * k.width) / box.width;
    go(Math.ceil(((x - k.left) / (k.width - k.left - k.right)) * k.most));
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
  for (const type of ["pointerup", "pointercancel"]) listen(by.plot, type, () => { dragging = false; });
  listen(by.range, "input", (e) => { play(false); go(+e.target.value); });
  listen(by.mode, "change", (e) => { stops = stopsOf(); draw(); });
  listen(by.which, "change", (e) => { model.set("which", +e.target.value); save(); });
  for (const type of ["pointerover", "focusin"]) {
    listen(lanes, type, (e) => hold(e.target.closest(".mg-storage")));
  }
  for (const type of ["pointerleave", "focusout"]) listen(lanes, type, () => hold(null));
  const watched = { "change:step": draw, "change:which": load, "change:trace": load };
  for (const name in watched) model.on(name, watched[name]);
  load();
  return () => {
    play(false);
    clearTimeout(saving);
    stop.abort();
    for (const name in watched) model.off(name, watched[name]);
    root.remove();
  };
}

export default { render };
