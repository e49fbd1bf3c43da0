// A copy of whoholds/state.py, and tested against it: it comes before the scripts that draw.

const FLIGHT = 5, SCRATCH = 8, ELSEWHERE = 9; // categories

export class State extends Holding {
  constructor() {
    super();
    this.names = new Map(); this.paths = new Map(); this.tensors = new Map();
    this.storages = new Map(); this.nodes = new Map();
    this.totals = Array(10).fill(0);
    this.walking = 0; this.here = null; this.line = 0;
  }
  apply(e) { this.line = e.line; this["_" + e.kind]?.(e); }
  _bind(e) { this.names.set(e.name, e.targets); this.paths.set(e.name, e.paths ?? []); }
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
    this.move(tensor.grad, "grads", -1);
    this.leave(e.tensor);
    this.tensors.delete(e.tensor);
  }
  leave(number) { if (this.tensors.has(number)) this.count(this.tensors.get(number), -1); }
  count(t, step) { this.move(t.storage, !t.leaf ? "results" : t.wants ? "leaves" : "inputs", step); }
  _grad(e) {
    const tensor = this.tensors.get(e.tensor);
    if (!tensor) return;
    this.move(tensor.grad, "grads", -1);
    tensor.grad = e.storage;
    this.move(e.storage, "grads", 1);
  }
  _born(e) {
    this.storages.set(e.storage, { size: e.size, leaves: 0, grads: 0, state: 0, buffer: 0, saves: 0,
      flight: +!!this.walking, inputs: 0, results: 0, version: 0 });
    this.totals[this.category(e.storage)] += e.size;
  }
  _died(e) {
    if (!this.storages.has(e.storage)) return;
    this.totals[this.category(e.storage)] -= this.storages.get(e.storage).size;
    this.storages.delete(e.storage);
  }
  _role(e) { this.move(e.storage, e.role, 1); }
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
    const first = [s.leaves, s.grads, s.state, s.buffer, s.saves, s.flight && !s.results, s.inputs,
      s.results].findIndex((n) => n);
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
