// A trace, stepped through in the browser: plot, source, lanes

const { max, min } = Math;
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const cut = (text, most) => (text.length <= most ? text : text.slice(0, most - 1) + "…");
const shapeText = (s) => `(${s.join(", ")}${s.length === 1 ? "," : ""})`;
const shown = (e) => (e ? e.live - e.bytes[ELSEWHERE] : 0);

export const sizeText = (n) => `${n.toLocaleString("en-US")} B`;

const kibis = (text) => [...text.matchAll(/\d[\d,]{4,}(?= B\b)/g)].map(([n]) => // in KiB
  `${n} B = ${+(n.replaceAll(",", "") / 1024).toFixed(2)} KiB`);

const ROWS = 4, HEAD = 20, ROW = 16;
const ABOVE = 366, LEAST = 0.8; // pixels over the lanes; how small they get

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
    <text x="${box[2] - 6}" y="14" text-anchor="end" data-word="${label}">${label}</text>`;
  const write = (i, text, more, word = "") => inner +=
    `<text class="${more}" data-word="${word}" x="16" y="${HEAD + ROW * i + 11}">${escaped(cut(text, 24))}</text>`;
  const owner = view.owners.get(number);
  rows.slice(0, ROWS).forEach((t, i) => {
    const own = named.get("t" + t) ?? (owner ? owner + ".grad" : outside(state.tensors.get(t)));
    write(i, i === ROWS - 1 && rows.length > ROWS ? `and ${rows.length - ROWS + 1} more`
      : rowText(own, shapeText(state.tensors.get(t).shape)), inWords(own) ? "mg-words" : "mg-row");
  });
  if (storage && !rows.length) {
    const why = category === FLIGHT ? "a gradient" : storage.saves ? "only saved" : "no tensor";
    write(0, why, "mg-faint", why);
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
    const said = `${escaped(s.slot)}, ${sizeText(s.size)}`;
    inner += `<g class="mg-chip ${what}" data-chip="${number}:${escaped(s.slot)}" data-of="${s.storage}"
      data-word="${what}" data-about="${said}" aria-label="${said}, ${what}" role="img" tabindex="0"><rect x="${x}" y="${y}" width="${w}" height="15" rx="3"/>
      <text x="${x + 5}" y="${y + 11.5}">${escaped(text)}</text></g>`;
  });
  inner += holdLabel(view, number, node.name, box);
  const here = state.here === number && state.walking;
  const label = `node ${node.name}${here ? ", backward is here" : ""}${node.freed ? ", freed" : ""}`;
  const mark = event?.node !== number ? "" : event.kind === "error" ? "wrong" : "now";
  return card("node", number, box, `${here ? "here" : ""} ${node.visited ? "visited" : ""} ${mark}`,
    { "aria-label": label, "data-about": node.name, "data-word": "node", tabindex: 0 }, inner);
}

const nameCard = (view, name) => card("name", name, view.boxes.names[name],
  view.event?.name === name ? "now" : "", { "aria-label": `name ${name}`, "data-about": name, "data-word": "name", tabindex: 0 },
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
    const i = min((on.get(s) ?? []).indexOf(t), ROWS - 1);
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

function render({ model, el }) {
  const id = "mg" + Math.random().toString(36).slice(2);
  const stop = new AbortController(), { signal } = stop;
  const listen = (target, types, f) => types.split(" ").forEach((type) => target.addEventListener(type, f, { signal }));
  const root = el.appendChild(document.createElement("div"));
  Object.assign(root, { className: "mg-view", tabIndex: 0, role: "group" });
  keepKeys(root);
  root.innerHTML = model.get("trace").frame;
  const by = Object.fromEntries([...root.querySelectorAll("[class^=mg-]")]
    .map((part) => [part.classList[0].slice(3), part]));
  const lanes = by.lanes.firstChild, drawn = new Map(), linked = new Map(); // key -> [element, markup]
  lanes.firstChild.innerHTML = markers(id);
  let data, trace, folds, boxes, stops, state, applied, seen, deep, timer = null;
  const stopsOf = () => ({ main: trace.stops, line: trace.lines })[by.mode.value]
    ?? [...trace.events.keys(), trace.events.length];

  const step = () => max(0, min(model.get("step"), trace.events.length));
  // Saved at once: an echo from the kernel would undo what is set and not saved yet.
  const set = (name, value) => { model.set(name, value); model.save_changes(); };
  const go = (to) => set("step", max(0, min(to, trace.events.length)));
  const next = (list) => list.find((s) => s > step()) ?? trace.events.length;
  const prev = (list) => list.findLast((s) => s < step()) ?? 0;
  const actions = { first: () => go(0), prev: () => go(prev(stops)), play: () => play(timer === null),
    next: () => go(next(stops)), last: () => go(trace.events.length) };

  function play(on) {
    clearInterval(timer);
    timer = null;
    if (on && step() >= trace.events.length) go(0);
    if (on) timer = setInterval(() => { actions.next(); if (step() >= trace.events.length) play(false); }, 650);
    root.querySelector("[data-go=play]").ariaLabel = on ? "Pause" : "Play";
  }

  function at(to) { // the state after `to` events
    if (!state || applied > to) { state = new State(); applied = 0; }
    while (applied < to) state.apply(trace.events[applied++]);
    return state;
  }

  function dying(to) { // storages that died since the stop before: [number, size]
    const from = stops.findLast((s) => s < to) ?? 0, places = boxes.storages;
    const taken = new Set([...state.storages.keys()].map((n) => String(places[n]?.slice(0, 2))));
    return trace.events.slice(from, to).flatMap((e, i) => (e.kind === "died" && places[e.storage]
      && !taken.has(String(places[e.storage].slice(0, 2))) ? [[e.storage, trace.events[from + i - 1].live - e.live]] : []));
  }

  function load() {
    play(false);
    data = model.get("trace");
    const which = min(model.get("which"), data.traces.length - 1);
    trace = data.traces[which];
    state = boxes = null;
    seen = 0;
    stops = stopsOf();
    by.which.selectedIndex = which;
    by.range.max = trace.events.length;
    root.ariaLabel = by.plot.ariaLabel = trace.about;
    by.source.style.setProperty("--mg-wide", `${sizeText(trace.peak).length}ch`);
    root.classList.toggle("live", trace.recording);
    plot(data.plots[which]);
    by.source.innerHTML = trace.rows;
    by.source.hidden = !trace.source;
    folds?.remove();
    folds = trace.folds.length ? new Folds(lanes, trace, data.look, arrange) : null;
    arrange();
  }

  function arrange() { // the narrowest lanes that are low enough, beside the source if they fit
    const room = by.body.clientWidth, low = max(300, innerHeight - ABOVE);
    const size = (l, wide) => max(LEAST, min(1, wide / l.width, low / l.height));
    const high = (l, wide) => max(low, l.height * size(l, wide));
    const { layouts } = folds || trace, best = (wide) => layouts.filter((l) => l.width * LEAST <= wide)
      .sort((a, b) => high(a, wide) - high(b, wide))[0];
    const left = room - trace.beside[+(room > 800)], beside = trace.source && best(left);
    const chosen = beside || best(room) || layouts[0];
    const wide = Math.round(chosen.width * size(chosen, beside ? left : room));
    by.body.classList.toggle("beside", !!beside);
    lanes.style.width = `${wide}px`;
    if (chosen === boxes) return draw(); // what runs may be out of sight now
    boxes = chosen;
    fill(by.cards, drawn, []);
    fill(by.arrows, linked, []);
    deep = 60;
    by.heads.innerHTML = boxes.heads;
    draw();
  }

  function plot({ svg, legend }) {
    by.plot.innerHTML = svg.replaceAll("%ID%", id);
    by.legend.innerHTML = legend.replaceAll("%ID%", id);
  }

  function grow(told) { // the plot of a recording; its trace comes at the end
    if (!trace.recording) return;
    plot(told.plot);
    by.count.textContent = told.count;
  }

  function draw() {
    const now = step(), event = trace.events[now - 1], s = at(now);
    if (folds && folds.follow(event, now, s)) return arrange();
    const part = folds ? folds.part(s) : s, view = { ...linksOf(s), state: part, boxes, look: data.look, id, event, dying: dying(now) };
    fill(by.cards, drawn, cardsOf(view));
    for (const what of ["names", "storages", "nodes"])
      for (const n of part[what].keys()) deep = max(deep, (boxes[what][n]?.[1] + boxes[what][n]?.[3]) || 0);
    const high = min(boxes.height, deep + 6);
    lanes.setAttribute("viewBox", `0 0 ${boxes.width} ${high}`);
    root.style.setProperty("--mg-more", `${(boxes.height - high) * lanes.clientWidth / boxes.width}px`);
    fill(by.arrows, linked, arrowsOf(view));
    if (folds) folds.draw(s, part);
    by.arrows.classList.toggle("many", linked.size > 40);
    by.status.innerHTML = escaped(trace.words[now]).replace(/`([^`]*)`/g, "<code>$1</code>");
    by.range.value = now;
    by.range.ariaValueText = by.status.textContent;
    by.count.textContent = `${now} / ${trace.events.length} · ${sizeText(shown(event))} alive`;
    by.count.dataset.live = event?.live ?? 0;
    const outside = event?.bytes[ELSEWHERE] ?? 0;
    by.outside.textContent = `${sizeText(outside)} elsewhere, not drawn`;
    by.outside.hidden = !outside;
    const wrong = now > trace.failed ? trace.events[trace.failed] : event;
    by.error.textContent = wrong?.kind === "error" ? [wrong.text, ...wrong.notes].join("\n") : "";
    cursor(event);
    source(now);
    within(by.lanes, (drawn.get("node" + event?.node) ?? drawn.get("storage" + event?.storage))?.[0]);
    hold(root.querySelector(".mg-storage:focus") ?? root.querySelector(".mg-storage:hover"));
  }

  function fill(group, drawn, list) { // touches only what changed
    const wanted = new Set(list.map(({ key }) => key)), tag = group === by.cards ? "g" : "path";
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
    const { most, top } = data.scale;
    seen = max(seen, step());
    const put = (name, part) => by.plot.style.setProperty(`--mg-${name}`, `${100 * part}%`);
    put("x", step() / most);
    put("y", 1 - shown(event) / top);
    put("seen", seen / most);
    by.plot.classList.toggle("hiding", data.hide && seen < trace.events.length);
    by.plot.classList.toggle("unseen", data.hide && seen < trace.highest);
  }

  function source(now) {
    const last = new Map();
    for (const v of trace.visits) {
      if (v[1] > now) break;
      const before = last.get(v[0]);
      if (!before || min(v[2], now) >= before[2]) last.set(v[0], v); // the one over last
    }
    for (const row of by.source.querySelectorAll("[data-line]")) {
      const v = last.get(+row.dataset.line), after = v && shown(trace.events[min(v[2], now) - 1]);
      const change = v ? after - v[3] : 0;
      const [bytes, delta] = row.children;
      bytes.textContent = v ? sizeText(after) : "";
      delta.textContent = change ? (change > 0 ? "+" : "") + sizeText(change) : "";
      row.classList.toggle("sofar", !!v && now < v[2]);
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
      : data.help.hold;
    for (const p of by.arrows.children) p.classList.toggle("on", p.dataset.to == to || p.dataset.of == of);
    by.arrows.classList.toggle("some", !!card);
  }

  function explain({ target, type }) { // the word pointed at, or with the focus; its bytes
    const on = target.closest("[data-word]"), inner = type === "focusin" && target !== root ? "[data-word]" : "html";
    const text = target.closest("text, i, span, .mg-status, .mg-held, g")?.textContent ?? "";
    const said = [...(on ? [on] : target.querySelectorAll(inner))].flatMap(({ dataset }) =>
      [dataset.about, data.help[dataset.word]]).concat(kibis(text)).filter(Boolean);
    const box = (on ?? target).getBoundingClientRect(), frame = root.getBoundingClientRect();
    by.tip.hidden = !said.length;
    by.tip.textContent = said.join("\n");
    const left = max(4, min(box.left - frame.left, frame.width - by.tip.offsetWidth - 8));
    const top = on?.matches(".mg-fold") ? box.top - by.tip.offsetHeight - 4 : box.bottom + 4; // a row opens below
    by.tip.style.translate = `${left}px ${top - frame.top}px`;
  }

  const keys = { ArrowRight: actions.next, ArrowDown: actions.next, ArrowLeft: actions.prev,
    ArrowUp: actions.prev, Home: actions.first, End: actions.last, " ": actions.play,
    PageDown: () => go(next(trace.lines)), PageUp: () => go(prev(trace.lines)) };
  listen(root, "keydown", (e) => {
    const menu = e.target.tagName === "SELECT" && !/Left|Right/.test(e.key);
    if (e.altKey || e.ctrlKey || e.metaKey || menu) return;
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
  listen(by.plot, "pointerdown pointermove", (e) => {
    if (!e.buttons) return;
    play(false);
    by.plot.setPointerCapture(e.pointerId);
    const box = by.plot.getBoundingClientRect(), { left, right, most } = data.scale;
    go(Math.ceil(((e.clientX - box.left - left) / (box.width - left - right)) * most));
  });
  listen(by.range, "input", (e) => { play(false); go(+e.target.value); });
  listen(by.mode, "change", () => { stops = stopsOf(); draw(); });
  listen(by.which, "change", () => { set("which", by.which.selectedIndex); go(trace.opens); });
  listen(by.lanes, "scroll", () => by.heads.setAttribute("transform", // they stay in sight
    `translate(0 ${by.lanes.scrollTop * boxes.width / (lanes.clientWidth || 1)})`));
  listen(by.lanes, "pointerover focusin", (e) => hold(e.target.closest(".mg-storage")));
  listen(by.lanes, "pointerleave focusout", () => hold(null));
  listen(root, "pointerover focusin", explain);
  listen(root, "pointerleave focusout pointerdown keydown", () => { by.tip.hidden = true; });
  listen(window, "resize", arrange);
  const widths = new ResizeObserver(arrange);
  const watched = { "change:step": draw, "change:which": load, "change:trace": load, "msg:custom": grow };
  for (const name in watched) model.on(name, watched[name]);
  load();
  widths.observe(by.body);
  return () => {
    play(false);
    widths.disconnect();
    stop.abort();
    for (const name in watched) model.off(name, watched[name]);
    root.remove();
  };
}

export default { render };
