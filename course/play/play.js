// The page's half of the game, behind view.js. It knows no rule:
// a click goes to the kernel, which tells all that changed.

const PATIENCE = 1500; // ms, then a silent kernel is told
const BOARD = `<div class="mg-top"><strong class="mg-title"></strong><span class="mgg-score"></span></div>
  <div class="mgg-how"></div><svg class="mg-plot" role="img"></svg>
  <div class="mg-bar mgg-bar"><button class="mgg-back"></button><button class="mgg-again">Start over</button>
    <span class="mgg-track" aria-hidden="true"><span class="mgg-fill"></span></span><span class="mgg-meter"></span></div>
  <div class="mg-body"><div class="mgg-side"><div class="mg-status" role="status"></div>
    <div class="mg-error" role="alert"></div><div class="mg-held"></div><div class="mg-source"></div></div>
    <div class="mg-lanes" role="group" aria-label="nodes and chips"><svg><defs></defs><g class="mg-heads"></g>
    <g class="mg-arrows"></g><g class="mg-cards"></g><g class="mgg-chips"></g><g class="mgg-reason"></g></svg></div></div>`;

/** What Python sends, as the State that the view's cards and arrows are drawn from. */
function worldOf(sent) {
  const parts = Object.entries(sent).map(([name, part]) => [name, Array.isArray(part) ? new Map(part) : part]);
  return Object.assign(new State(), Object.fromEntries(parts));
}

function renderPlay({ model, el }) {
  const id = "mg" + Math.random().toString(36).slice(2), stop = new AbortController();
  const listen = (target, type, f) => target.addEventListener(type, f, { signal: stop.signal });
  const board = model.get("board"), { layout } = board;
  const root = el.appendChild(document.createElement("div"));
  Object.assign(root, { className: "mg-view mg-play", role: "group", ariaLabel: board.title, tabIndex: -1, innerHTML: BOARD });
  keepKeys(root);
  const by = (name) => root.querySelector("." + name);
  const put = (name, text) => { by(name).textContent = text; };
  const svg = by("mg-lanes").firstElementChild;
  let timer, current; // the key where the arrow keys stand

  put("mg-title", board.title);
  put("mgg-how", board.how);
  by("mg-plot").setAttribute("viewBox", board.frame);
  by("mg-source").innerHTML = board.source;
  svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
  svg.style.width = by("mg-lanes").style.flexBasis = `${layout.width}px`;
  svg.firstChild.innerHTML = markers(id) + board.patterns.replaceAll("%ID%", id);
  by("mg-heads").innerHTML = board.heads;

  function send(message) {
    const silent = () => put("mg-status", board.silent);
    clearTimeout(timer);
    timer = setTimeout(silent, PATIENCE);
    try { model.send(message); } catch { silent(); }
  }

  const find = (key) => root.querySelector(`[data-key="${key}"]`);

  /** Make a card or a chip playable. */
  function item({ key, label, held, slot, why }) {
    const [node, chip] = key.split(":");
    const card = root.querySelector(`[data-node="${node}"]`), element = chip ? card.querySelector(".mg-chip") : card;
    if (chip) { // above the cards: no button inside of another
      by("mgg-chips").append(element);
      element.setAttribute("transform", card.getAttribute("transform"));
      element.classList.replace("held", held ? "held" : "freed");
    } else origin(card, board.origins[node]);
    element.classList.add("mgg-item");
    Object.assign(element.dataset, { key, slot });
    Object.assign(element, { role: "button", ariaLabel: label, ariaDescription: why });
  }

  function origin(card, text) {
    const title = card.querySelector("text"), room = 154 - 5.6 * text.length;
    if (title.getComputedTextLength() > room) title.setAttribute("textLength", room);
    card.insertAdjacentHTML("beforeend", `<text class="mgg-origin" x="166" y="14">${escaped(text)}</text>`);
  }

  const look = (part) => part.scrollIntoView({ block: "nearest" });

  function stand(on, focus) {
    current = on?.dataset.key;
    for (const one of root.querySelectorAll(".mgg-item")) one.setAttribute("tabindex", one === on ? 0 : -1);
    if (focus) on?.focus({ preventScroll: true });
    return on;
  }

  const drawn = (tag) => ({ key, attributes, inner }) => {
    const element = document.createElementNS(svg.namespaceURI, tag), d = layout.arcs[key];
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    if (d) element.setAttribute("d", d); // its own way
    element.innerHTML = inner;
    return element;
  };

  function lanes(now) {
    const focused = svg.contains(document.activeElement);
    const state = worldOf(now.state), view = { state, boxes: layout, look: board.look, id, event: now.event,
      ...linksOf(state), dying: [] };
    by("mg-arrows").replaceChildren(...arrowsOf(view).map(drawn("path")));
    by("mgg-chips").replaceChildren();
    by("mg-cards").replaceChildren(...cardsOf(view).reverse().map(drawn("g"))); // nodes first, for Tab
    now.items.forEach(item);
    stand(find(current) ?? find(now.items.findLast(({ slot }) => !slot)?.key), focused);
    by("mgg-reason").innerHTML = now.reason;
    if (now.reason) look(by("mgg-reason"));
  }

  function draw() {
    clearTimeout(timer);
    const now = model.get("now"), back = by("mgg-back");
    lanes(now);
    by("mg-plot").innerHTML = now.plot;
    by("mg-plot").ariaLabel = now.meter;
    put("mgg-meter", now.meter);
    put("mg-status", now.sentence);
    by("mg-status").dataset.kind = now.kind;
    put("mg-error", now.error);
    back.textContent = now.failed ? "Back to before the mistake" : "Undo";
    back.classList.toggle("mgg-now", now.failed);
    back.disabled = !now.failed && !now.moves;
    put("mgg-score", now.score);
    by("mgg-fill").style.width = `${100 * now.part}%`;
    [...by("mg-source").children].forEach((row, i) => row.classList.toggle("now", i + 1 === now.line));
    hold(null);
  }

  function play(on) {
    if (!on) return;
    stand(on, true);
    const { key, slot } = on.dataset;
    send(key.includes(":") ? { type: "drop", node: parseInt(key), slot } : { type: "visit", node: +key });
  }

  function hold(card) {
    put("mg-held", card ? `${card.querySelector("text").textContent} held by: ${card.dataset.held}`
      : "Point at a storage, or tap it, to see what holds it.");
    for (const path of by("mg-arrows").children) path.classList.toggle("on", path.dataset.to === card?.dataset.storage);
  }

  function move(key) { // up and down: nodes; right and left: a node's chips
    const keys = model.get("now").items.map((one) => one.key), nodes = keys.filter((one) => !one.includes(":"));
    const at = keys.indexOf(current), mine = nodes.indexOf(current.split(":")[0]);
    const chip = (one) => one?.includes(":") && one;
    const to = { ArrowDown: nodes[mine + 1], ArrowUp: nodes[mine - 1], Home: nodes[0], End: nodes.at(-1),
      ArrowLeft: chip(current) && keys[at - 1], ArrowRight: chip(keys[at + 1]) }[key];
    if (to) look(stand(find(to), true));
  }

  listen(root, "keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
    const { key } = e, on = e.target.closest(".mgg-item");
    if (key === "Backspace") send({ type: "back" });
    else if (on && /^(Enter| )$/.test(key)) play(on);
    else if (on && /^(Arrow|Home|End)/.test(key)) move(key);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  listen(svg, "click", (e) => play(e.target.closest(".mgg-item")));
  for (const type of ["back", "again"]) listen(by("mgg-" + type), "click", () => send({ type }));
  for (const type of ["pointerover", "focusin"]) listen(by("mg-lanes"), type, (e) => hold(e.target.closest(".mg-storage")));
  for (const type of ["pointerleave", "focusout"]) listen(by("mg-lanes"), type, () => hold(null)); // an <svg> would be a tab stop
  model.on("change:now", draw);
  draw();
  listen(root, "focus", () => stand(find(current), true));
  return () => {
    clearTimeout(timer);
    stop.abort();
    model.off("change:now", draw);
    root.remove();
  };
}

export default { render: renderPlay };
