// A large trace, folded: a row for each turn and each group of cards; the lanes are those of one group.

const NOTHING = { width: 0, height: 0, heads: "", names: {}, storages: {}, nodes: {}, chips: {} };
const STORAGES = ELSEWHERE, NODES = STORAGES + 1, SAVING = NODES + 1; // in a row's figures, behind bytes by category
const count = (n, what) => (n ? ` · ${n} ${what}${n > 1 ? "s" : ""}` : "");

class Folds {
  constructor(lanes, { folds }, look, changed) {
    Object.assign(this, { lanes, folds, look, changed, open: -1, kept: false, turn: folds[0].turn, rows: [] });
    this.group = { storage: new Map(), node: new Map() }; // number -> index of its group
    folds.forEach(({ turn, head, title, layouts: [{ storages, nodes }] }, i) => {
      for (const n in storages) this.group.storage.set(+n, i);
      for (const n in nodes) this.group.node.set(+n, i);
      if (head) this.add(head, "turn", { turn, of: folds.flatMap((one, j) => (one.turn === turn ? j : [])) });
      this.add(title, "", { turn, of: [i], i });
    });
    this.leads = document.createElement("p");
    this.leads.className = "mg-leads";
  }

  add(title, classes, row) {
    const button = document.createElement("button");
    button.className = `mg-fold ${classes}`;
    button.dataset.word = "row";
    button.innerHTML = `<b>${escaped(title)}</b><span></span><em></em>`;
    button.onclick = () => { this.press(row); this.changed(); };
    this.lanes.before(button);
    this.rows.push({ ...row, button });
  }

  press({ turn, i }) {
    if (i === undefined) this.turn = this.turn === turn ? null : turn;
    else this.open = this.open === i ? -1 : i;
    if (i !== undefined) this.kept = this.open >= 0;
  }

  follow(event, now, { here }) { // opens the group where it happens; true if it was not open
    const before = this.open, { node, storage } = this.group;
    const to = node.get(here ?? event?.node) ?? storage.get(event?.storage) ?? before;
    if (now !== this.now) this.open = this.kept ? this.alike(this.folds[before], this.folds[to].turn) ?? before : to;
    this.now = now;
    if (this.open !== before) this.turn = this.folds[this.open].turn;
    return this.open !== before;
  }

  alike({ turn, title }, other) { // the group of that title in another turn
    const i = this.folds.findIndex((one) => one.title === title && one.turn === other);
    return turn && other && i >= 0 ? i : undefined;
  }

  get layouts() { return this.folds[this.open]?.layouts ?? [NOTHING]; }

  part(state) { // the state, of the cards of the open group alone
    const [boxes] = this.layouts, { tensors } = state;
    const own = (what) => new Map([...state[what]].filter(([key]) => boxes[what][key]));
    const inside = (target) => target[0] === "n" ? boxes.nodes[target.slice(1)] : boxes.storages[tensors.get(+target.slice(1))?.storage];
    const names = new Map([...own("names")].filter(([, targets]) => targets.some(inside)));
    return Object.assign(Object.create(state), { names, storages: own("storages"), nodes: own("nodes") });
  }

  draw(state, part) {
    const sums = this.sums(state), alive = state.totals.slice(0, ELSEWHERE).reduce((a, b) => a + b) || 1;
    for (const { button, turn, of, i } of this.rows) {
      const row = of.map((j) => sums[j]).reduce((a, b) => a.map((n, at) => n + b[at]));
      const open = i === undefined ? turn === this.turn : i === this.open;
      button.hidden = (i !== undefined && turn !== this.turn) || !(row[STORAGES] || row[NODES] || open);
      button.ariaExpanded = open;
      if (!button.hidden) this.write(button, row, alive);
      if (i === this.open && button.nextSibling !== this.lanes) button.after(this.lanes, this.leads);
    }
    const shown = this.folds[this.open]?.turn === this.turn;
    this.lanes.style.display = shown ? "" : "none";
    this.leads.textContent = shown ? this.outside(part.nodes.values()) : "";
  }

  sums(state) {
    const sums = this.folds.map(() => Array(SAVING + 1).fill(0));
    for (const [n, { size }] of state.storages) {
      const row = sums[this.group.storage.get(n)];
      row[state.category(n)] += size;
      row[STORAGES]++;
    }
    for (const [n, { freed, slots }] of state.nodes) {
      const row = sums[this.group.node.get(n)];
      row[NODES]++;
      row[SAVING] += slots.length && !freed ? 1 : 0;
    }
    return sums;
  }

  write(button, row, alive) {
    const bytes = row.slice(0, ELSEWHERE), [, bar, words] = button.children;
    bar.innerHTML = bytes.map((n, i) => (n ? `<i style="width:${(100 * n) / alive}%;background:${this.look[i][1]}"></i>` : "")).join("");
    words.textContent = sizeText(bytes.reduce((a, b) => a + b)) + count(row[STORAGES], "storage")
      + count(row[NODES], "node") + (row[NODES] ? `, ${row[SAVING]} with saved tensors` : "");
  }

  outside(nodes) { // which other groups arrows of these nodes lead to
    const found = new Set();
    for (const { freed, slots, edges } of nodes) {
      for (const { storage } of freed ? [] : slots) found.add(this.group.storage.get(storage));
      for (const edge of edges) found.add(this.group.node.get(edge?.[0]));
    }
    const titles = [...found].filter((i) => i !== undefined && i !== this.open).map((i) => this.folds[i].title);
    return titles.length ? `More arrows lead to: ${[...new Set(titles)].join(" · ")}` : "";
  }

  remove() {
    for (const { button } of this.rows) button.remove();
    this.leads.remove();
    this.lanes.style.display = "";
  }
}
