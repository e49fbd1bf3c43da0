// The rules of "be the engine", for a page without a kernel: what course/play/game.py and its
// neighbours do, move by move; a test plays both. Stands behind the text of view.js.

const ACCUMULATE = "AccumulateGrad";
const BACK_FIRST = "The program has stopped with an error; go back to before the mistake.";
const OVER = "Backward is over.", NOTHING_LEFT = "Every node has run; let go of what is still held.";
const counted = (n, what) => `${n || "No"} ${what}${n === 1 ? "" : "s"}`;
const listed = (parts) => parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts.join("");
const total = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** The trace's State, and the slots that the learner has dropped. */
class World extends State {
  constructor(survivors) {
    super();
    Object.assign(this, { survivors: new Set(survivors), dropped: new Set(), sizes: new Map(), releasing: null });
  }
  _born(e) { super._born(e); this.sizes.set(e.storage, e.size); }
  has(node, slot) { return !this.dropped.has(`${node}:${slot}`); }
  held(node) {
    const slots = this.nodes.get(node)?.slots ?? [];
    return [...new Set(slots.map((s) => s.slot).filter((slot) => this.has(node, slot)))];
  }
  alive(event) {
    const bytes = (numbers) => total([...numbers].map((n) => this.sizes.get(n)));
    return shown(event) + bytes(this.late()) - bytes(this.early());
  }
  late() { return [...this.chips()[0].keys()].filter((n) => this.sizes.has(n) && !this.storages.has(n)); }
  early() {
    const [kept, gone] = this.chips();
    return [...gone.keys()].filter((n) => this.storages.has(n) && !kept.has(n) && this.forlorn(n, gone));
  }
  chips() {
    const kept = new Map(), gone = new Map();
    const add = (map, slot) => map.set(slot.storage, [...(map.get(slot.storage) ?? []), slot]);
    for (const [number, node] of this.nodes) {
      for (const slot of node.slots) {
        if (this.has(number, slot.slot)) add(kept, slot);
        else if (number !== this.releasing && !node.freed) add(gone, slot);
      }
    }
    return [kept, gone];
  }
  forlorn(number, gone) {
    const s = this.storages.get(number);
    if (s.leaves || s.grads || s.flight) return false;
    const saved = new Set(gone.get(number).map((slot) => slot.tensor).filter((t) => !this.survivors.has(t)));
    const named = new Set([...this.names.values()].flat());
    const on = [...this.tensors].filter(([, t]) => t.storage === number).map(([n]) => n);
    return on.every((n) => saved.has(n) && !named.has(`t${n}`));
  }
  drawn() {
    const [kept] = this.chips(), gone = new Set(this.early());
    const storages = [...this.storages].filter(([n]) => !gone.has(n)).map(([n, s]) => [n, { ...s }]);
    for (const n of this.late()) {
      storages.push([n, { leaves: 0, grads: 0, inputs: 0, results: 0, version: 0, flight: 0, size: this.sizes.get(n) }]);
    }
    for (const [n, storage] of storages) storage.saves = kept.get(n)?.length ?? 0;
    const tensors = [...this.tensors].filter(([, t]) => !gone.has(t.storage)).map(([n, t]) => [n, { ...t }]);
    return { names: [...this.names], tensors, storages, nodes: [...this.nodes.keys()].map((n) => [n, this.node(n)]),
      walking: this.walking, here: this.here, line: this.line, played: true };
  }
  node(number) {
    const node = this.nodes.get(number), held = this.held(number);
    const slots = node.slots.map((s) => ({ ...s, held: held.includes(s.slot), storage: held.includes(s.slot) ? s.storage : null }));
    return { ...node, slots, freed: false };
  }
}

class DoesNotFit extends Error {
  constructor(size, used) { super(); Object.assign(this, { size, used }); }
}

class Game {
  constructor(rules) {
    Object.assign(this, rules, { mistakes: 0, refused: null, raised: "" });
    this.replay([]);
  }
  get turn() { return this.visits[Math.min(this.ran, this.visits.length - 1)]; }
  get walk() { return this.walks[this.turn.walk]; }
  get over() { return this.at === this.events.length; }
  get now() { return this.world.alive(this.events[this.at - 1]); }
  get told() { return `${sizeText(this.now)} are alive`; }
  label(node) { return this.labels[node].join(" of "); }

  visit(node) {
    if (this.failed !== null || this.ran === this.visits.length) return this.refuse(this.failed !== null ? BACK_FIRST : NOTHING_LEFT, 0);
    if (node !== this.visits[this.ran].node) return this.refuse(this.whyNot(node, this.label(node)));
    const held = this.world.held(node), lost = this.slots(node).map((s) => s.slot).filter((slot) => !held.includes(slot));
    return lost.length ? this.secondTime(node, lost) : this.make(["visit", node]);
  }
  drop(node, slot) {
    if (this.failed !== null || this.over) return this.refuse(this.over ? OVER : BACK_FIRST, 0);
    if (!this.world.held(node).includes(slot)) return this.refuse(`${this.label(node)} holds no ${slot} any more.`, 0);
    return this.make(["drop", node, slot]);
  }
  back() {
    if (!this.moves.length && this.failed === null) return { kind: "back", sentence: "This is where backward begins.", error: "" };
    const keep = this.failed === null ? this.moves.length - 1 : this.failed;
    const [, node, slot] = keep < this.moves.length ? this.moves[keep] : this.refused;
    this.replay(this.moves.slice(0, keep));
    const what = slot ? `${slot} of ${this.label(node)} was dropped` : `${this.label(node)} ran`;
    return { kind: "back", sentence: `Back to before ${what}; ${this.told}.`, error: "" };
  }
  again() {
    this.mistakes = 0;
    this.replay([]);
    return { kind: "back", sentence: "From the start.", error: "" };
  }
  make(move) {
    const before = this.now;
    try {
      this.apply(move);
    } catch (error) {
      if (!(error instanceof DoesNotFit)) throw error;
      return this.outOfMemory(move, error);
    }
    this.moves.push(move);
    const said = move[0] === "visit" ? this.afterVisit(move) : this.afterDrop(move, before);
    return this.over ? { kind: "done", sentence: `${said} ${this.score()}`, error: "" }
      : { kind: move[0] === "visit" ? "ran" : "dropped", sentence: said, error: "" };
  }
  apply([kind, node, slot]) {
    if (kind === "drop") {
      this.world.dropped.add(`${node}:${slot}`);
      this.freed = this.now; // before anything else happens
      if (this.pending === node && !this.world.held(node).length) this.goOn(this.visits[this.ran - 1].stop);
      return;
    }
    const visit = this.visits[this.ran];
    this.goOn(visit.at);
    this.ran += 1;
    this.goTo(visit.release ?? visit.stop);
    this.pending = visit.release === null ? null : visit.node;
  }
  goOn(stop) {
    this.world.releasing = this.pending;
    this.pending = null;
    this.goTo(stop);
  }
  goTo(stop) {
    while (this.at < stop) {
      const event = this.events[this.at], before = this.at ? this.now : 0;
      this.world.apply(event);
      this.at += 1;
      const after = this.now;
      if (event.kind === "born" && after > this.capacity) throw new DoesNotFit(event.size, before);
      this.curve.push(after);
    }
  }
  replay(moves) {
    Object.assign(this, { world: new World(this.survivors), moves: [...moves], curve: [], at: 0, ran: 0, pending: null, failed: null });
    this.goTo(this.visits[0].at);
    for (const move of moves) this.apply(move);
  }
  slots(node) { return this.world.nodes.get(node)?.slots ?? []; }

  refuse(sentence, counts = 1) {
    this.mistakes += counts;
    return { kind: "refused", sentence, error: this.failed !== null ? this.raised : "" };
  }
  whyNot(node, label) {
    const { walk } = this, index = this.turn.walk;
    const done = new Set(this.visits.slice(0, this.ran).filter((v) => v.walk === index).map((v) => v.node));
    if (!walk.visited.includes(node)) return `${label} has no part in this backward.`;
    if (done.has(node)) return `${label} has run already; in one backward each node runs once.`;
    const waits = walk.consumers[node].filter((c) => !done.has(c));
    if (waits.length) {
      const state = waits.length < walk.consumers[node].length ? "has only a part of its gradient" : "has no gradient yet";
      return `${label} ${state}: ${this.label(Math.max(...waits))} has not run.`;
    }
    if (this.labels[this.visits[this.ran].node][0] === ACCUMULATE) {
      return `${label} is ready, but a leaf is ready, too, and its ${ACCUMULATE} goes first.`;
    }
    return `${label} is ready, but so is a newer node, and the engine takes the newest first.`;
  }
  secondTime(node, lost) {
    this.failed = this.moves.findIndex(([kind, n, slot]) => kind === "drop" && n === node && lost.includes(slot));
    this.refused = ["visit", node];
    return this.stopped(`${this.label(node)} cannot run: you had dropped its ${lost.join(", ")}.`, this.twice);
  }
  outOfMemory(move, { size, used }) {
    this.failed = this.moves.length;
    this.refused = move;
    const late = new Set(this.world.late()), held = [];
    for (const node of this.world.nodes.keys()) {
      for (const s of this.slots(node)) if (late.has(s.storage) && this.world.held(node).includes(s.slot)) held.push(`${s.slot} of ${this.label(node)}`);
    }
    const what = held.length ? `you still hold ${listed(held)}` : "the GPU is full", numbers = [size, used, this.capacity];
    const text = this.memory.replace(/\{(:,)?\}/g, (_, commas) => { const n = numbers.shift(); return commas ? n.toLocaleString("en-US") : n; });
    return this.stopped(`At ${this.label(move[1])} ${sizeText(size)} do not fit: ${what}.`, text);
  }
  stopped(sentence, error) {
    const { line } = this.walk, code = this.source[line - 1];
    this.raised = (line > 0 && code !== undefined ? `line ${line}, \`${code.trim()}\`: ` : "") + error;
    this.mistakes += 1;
    return { kind: "error", sentence, error: this.raised };
  }
  afterVisit([, node]) {
    let said = `${this.label(node)} has run; ${this.told}.`;
    if (!this.over && this.ran < this.visits.length && this.pending === null) {
      if (this.turn.walk !== this.visits[this.ran - 1].walk) said += ` The backward of line ${this.walk.line} begins.`;
    }
    if (this.ran === this.visits.length && this.pending) said += " It was the last one: what does it still hold?";
    return said;
  }
  afterDrop([, node, slot], before) {
    const back = before - this.freed, said = `${this.label(node)} lets go of ${slot}: `;
    return said + (back ? `${sizeText(back)} are given back, ${this.told}.` : "nothing is given back, for it is still held elsewhere.");
  }
  score() {
    const left = total([...this.world.nodes].filter(([, node]) => node.freed).map(([n]) => this.world.held(n).length));
    const more = left ? ` You still hold ${counted(left, "chip")} that the engine let go of.` : "";
    return `Backward is over. Your peak is ${sizeText(Math.max(...this.curve))}, the engine's ${sizeText(this.peak)}.${more} ${counted(this.mistakes, "mistake")}.`;
  }
}

/** The learner's bytes so far; at the end, the engine's own as well. */
function plotOf({ chart: { below, above, frame }, events, capacity, curve, over }) {
  const [width, height, left, right, up, down] = frame, near = (n) => Number(n.toFixed(1));
  const x = (step) => near(left + (width - left - right) * step / events.length);
  const y = (bytes) => near(height - down - (height - up - down) * bytes / (capacity * 1.04 || 1));
  const stairs = (values) => `M${left} ${y(values[0])}` + values.map((n, i) => `V${y(n)}H${x(i + 1)}`).join("");
  const mine = stairs(curve), engine = events.map(shown);
  let svg = `<path class="mgg-area" d="${mine}V${y(0)}H${left}Z"/><path class="mgg-mine" d="${mine}"/>`
    + `<circle class="mg-dot" r="4" cx="${x(curve.length)}" cy="${y(curve.at(-1))}"/>`;
  if (over) {
    svg += `<path class="mgg-engine" d="${stairs(engine)}"/>`;
    for (const [who, values] of [["you", curve], ["engine", engine]]) {
      const top = Math.max(...values), at = x(values.indexOf(top) + 0.5), high = y(top);
      svg += `<circle class="mg-peak" cx="${at}" cy="${high}" r="3.5"/>`;
      if (who === "engine" || top !== Math.max(...engine)) {
        const label = top !== Math.max(...curve) ? who : "you and the engine";
        svg += `<text class="mg-peak-text" x="${at - 8}" y="${high - 5}" text-anchor="end">peak of ${label} ${sizeText(top)}</text>`;
      }
    }
  }
  return below + svg + above;
}

/** Why a click was refused, written beside the card that was clicked. */
function besideOf({ kind, sentence }, node, places, said) {
  const card = places.nodes[node];
  if (!said[kind] || !card) return "";
  const [wide, line, pad, away, letters] = [244, 15, 7, 12, 36], [x, y] = card, lines = [];
  for (const word of (said[kind] + sentence).split(/\s+/)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && longer.length <= letters) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const high = line * lines.length + 2 * pad, left = Math.max(0, x - away - wide);
  const top = Math.max(1, Math.min(y + 10 - Math.floor(high / 2), places.height - high - 1));
  const rows = lines.map((text, i) => `<text x="${left + pad + 2}" y="${top + pad + 11 + line * i}">${escaped(text)}</text>`).join("");
  return `<rect x="${left}" y="${top}" width="${wide}" height="${high}" rx="4"/>`
    + `<path d="M${left + wide} ${y + 4}L${x - 1} ${y + 10}L${left + wide} ${y + 16}"/>${rows}`;
}

function itemsOf(game, boxes, refused) {
  const found = [], before = ([a], [b]) => boxes[a][0] - boxes[b][0] || boxes[a][1] - boxes[b][1];
  const item = (key, label, node, slot, held) => found.push({ key, label, slot, held,
    why: refused && refused.node === node && refused.slot === slot ? refused.sentence : null });
  for (const [number, node] of [...game.world.nodes].sort(before)) {
    const label = game.label(number), held = game.world.held(number);
    item(`${number}`, `node ${label}${node.visited ? ", has run" : ""}`, number, "", false);
    node.slots.forEach(({ slot, size }, i) => {
      const has = held.includes(slot);
      item(`${number}:${i}`, `${slot}, ${sizeText(size)}, saved by ${label}${has ? "" : ", dropped"}`, number, slot, has);
    });
  }
  return found;
}

/** All that a move has changed. */
function situationOf(game, move, places, asked) {
  const reason = besideOf(move, asked.node, places, game.said);
  const refused = reason ? { node: asked.node, slot: asked.slot ?? "", sentence: move.sentence } : null;
  return { event: move.error ? { kind: "error", node: game.refused[1] } : null, state: game.world.drawn(),
    items: itemsOf(game, places.nodes, refused), kind: move.kind, sentence: move.sentence, error: move.error,
    meter: sizeText(game.now) + (game.drops ? ` of ${sizeText(game.capacity)}` : " alive"), reason,
    part: Math.min(1, game.now / (game.capacity || 1)), score: counted(game.mistakes, "mistake"),
    line: game.walk.line, failed: game.failed !== null, moves: game.moves.length, plot: plotOf(game) };
}

/** What stands in for the kernel: a message of the page, answered. */
function engineOf(rules, places) {
  const game = new Game(rules);
  return (message, model) => {
    const { type, node, slot } = message, known = node in game.labels;
    const move = type === "visit" && known ? game.visit(node) : type === "drop" && known ? game.drop(node, slot)
      : type === "back" || type === "again" ? game[type]() : null;
    if (move) model.set("now", situationOf(game, move, places, message));
  };
}
