// What a card holds without having saved it, and who is known to hold what no arrow leads to.

const LEAF_HOLDER = "AccumulateGrad"; // the node that holds a tensor as its `variable`

const factsOf = ({ storage, shape, leaf, wants, fn, base }) => ({ storage, shape, leaf, wants, fn, base });

/** The part of State that is about holders. */
class Holding {
  _line() { this.stepped = true; }
  _held({ target, by }) {
    const thing = { t: this.tensors, n: this.nodes, s: this.storages }[target[0]].get(+target.slice(1));
    if (thing) thing.held = by;
  }
  lead(tensor, name, node) { // by its grad_fn, to the node that made it
    if (name !== LEAF_HOLDER && this.tensors.has(tensor)) this.tensors.get(tensor).fn = node;
  }
}

function linksOf(state) { // storage -> tensors; target -> name; storage -> holders, whose .grad
  const on = new Map(), named = new Map(), held = new Map(), owners = new Map();
  const add = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
  for (const [number, t] of state.tensors) add(on, t.storage, number);
  for (const [name, targets] of state.names) {
    const typed = targets.map((_, i) => [name, state.paths.get(name)?.[i]].filter(Boolean).join("."));
    targets.forEach((t, i) => named.has(t) || named.set(t, typed[i]));
    const storages = targets.map((t) => t[0] === "t" && state.tensors.get(+t.slice(1))?.storage);
    for (const storage of new Set(storages)) add(held, storage, `name ${typed[storages.indexOf(storage)]}`);
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

/** [target, holder or null, words] of each such reference; targets and holders are "t4", "n2", "s7". */
function holdsOf(state, named, hold) {
  const rows = [], things = { t: state.tensors, n: state.nodes, s: state.storages };
  for (const [n, node] of state.nodes) if (node.name === LEAF_HOLDER) rows.push([`t${node.tensor}`, `n${n}`, ".variable"]);
  for (const letter in things) {
    for (const [n, { held }] of things[letter]) for (const by of held ?? []) rows.push([letter + n, ...by]);
  }
  const known = (one) => things[one[0]].get(+one.slice(1));
  const alive = rows.filter(([target, holder]) => known(target) && known(holder ?? target));
  for (const [target, holder, words] of alive) {
    const whose = !holder ? "" : holder[0] === "n" ? `node ${known(holder).name}` : named.get(holder) ?? "a tensor";
    if (target[0] !== "n") hold(target[0] === "t" ? known(target).storage : +target.slice(1), whose + words);
  }
  return alive;
}

function rowText(name, shape, most = 18) {
  name = name.replace(/.*\[\.\.\.\]\['(\w+)'\]$/, "$1");
  const whole = `${name} ${shape}`.trim();
  if (whole.length <= most || inWords(name) || !name) return cut(whole, inWords(name) ? 24 : most);
  const short = name.replace(/.*\[\.\.\.\]/, "…");
  return short.length <= most ? short : "…" + short.slice(1 - most);
}

const inWords = (name) => name.includes(" ");

/** What a tensor without a name is held by, if by no card. */
const outside = ({ held }) => (held?.find(([holder]) => !holder)?.[1] ?? "").replace(/^name /, "");

/** Where nobody is told of: the recording tells at the end of each line. */
const nobody = (state, storage, rows) => storage?.flight ? "backward, on its way"
  : state.stepped || state.played ? `line ${state.line}, which is running` : rows.length ? "a tensor without a name" : "nothing in the picture";

/** The arrow of each; they begin at the card of the holder and end at the tensor. */
function holdArrows({ state, boxes, holds }, add, row) {
  const place = (thing) => { // left, right, y
    const number = +thing.slice(1);
    if (thing[0] === "t") { const at = row(number); return at && [at.x, at.end, at.y]; }
    const [x, y, w] = boxes[thing[0] === "n" ? "nodes" : "storages"][number] ?? [];
    return x !== undefined && [x, x + w, y + 10];
  };
  holds.forEach(([target, holder], i) => {
    const from = holder && place(holder), to = place(target);
    if (!from || !to) return;
    const [storage, of] = [target, holder].map((one) => one[0] === "t" ? state.tensors.get(+one.slice(1)).storage : +one.slice(1));
    if (holder[0] === "t" && target[0] === "t" && storage === of) return; // one card
    const d = from[0] > to[1] ? curve(from[0], from[2], to[1] + 2, to[2], -26)
      : from[1] < to[0] ? curve(from[1], from[2], to[0] - 2, to[2], 26) : curve(from[0], from[2], to[0] - 2, to[2], -34, -34);
    add(`hold${holder}${target}${i}`, "ref", target[0] === "n" ? "" : storage, d, holder[0] === "n" ? of : "");
  });
}

/** The names of what a node holds, where its card has room for them; a game has its own words there. */
function holdLabel({ holds, state }, number, name, [, , wide]) {
  if (state.played) return "";
  const own = holds.filter(([, holder]) => holder === `n${number}`).map(([, , words]) => words.replace(/^[., ]+/, ""));
  const text = [...new Set(own)].join(", "), room = wide - 18 - 7.3 * name.length;
  return text && 5.6 * text.length < room ? `<text class="mg-faint" x="${wide - 6}" y="14" text-anchor="end">${escaped(text)}</text>` : "";
}
