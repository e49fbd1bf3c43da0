// The page's half of a prediction: it asks, locks, and shows what the kernel answers. It holds no
// answer, and no state outside `render`: a page may show one card twice.

const PATIENCE = 1500; // ms until silence is worth a sentence

function make(parent, tag, properties = {}) {
  const { html, ...rest } = properties;
  const node = Object.assign(document.createElement(tag), rest);
  if (html !== undefined) node.innerHTML = html; // escaped by the kernel
  parent.append(node);
  return node;
}

const button = (parent, textContent, type = "button") =>
  make(parent, "button", { textContent, type });

function options(parent, asked) {
  const kind = asked.options.some((option) => option.picture) ? "grid" : "list";
  const list = make(parent, "div", { className: `mgp-${kind}` });
  asked.options.forEach((option, index) => {
    const row = make(list, "label", { className: "mgp-option" });
    make(row, "input", { type: "radio", name: "choice", value: index });
    make(row, "span", { className: "mgp-letter", textContent: option.letter });
    if (option.picture) make(row, "span", { className: "mgp-picture", html: option.picture });
    make(row, "span", { className: "mgp-text", html: option.text });
  });
}

function number(parent, asked) {
  const row = make(parent, "label", { className: "mgp-number" });
  make(row, "span", { textContent: "Your number" });
  make(row, "input", { type: "text", autocomplete: "off", size: 16, name: "number" });
  make(row, "span", { textContent: asked.unit });
}

function reason(parent, row) {
  const part = make(parent, "div", { className: `mgp-reason mgp-${row.kind}` });
  const title = make(part, "p", { className: "mgp-title" });
  make(title, "strong", { html: row.title });
  const pill = { chosen: "your choice", right: "measured" }[row.kind];
  if (pill) make(title, "span", { className: "mgp-pill", textContent: pill });
  make(part, "p", { html: row.text });
}

function bars(parent, rows) {
  // The headline says the same.
  const chart = make(parent, "div", { className: "mgp-bars", ariaHidden: "true" });
  for (const row of rows) {
    make(chart, "span", { textContent: row.name });
    const bar = make(make(chart, "span", { className: "mgp-track" }), "span");
    bar.style.width = `${Math.max(100 * row.part, 0.5)}%`;
    make(chart, "span", { textContent: row.value });
  }
}

function result(parent, verdict) {
  make(parent, "p", { className: `mgp-headline mgp-${verdict.outcome}`, html: verdict.headline });
  if (verdict.bars?.length) bars(parent, verdict.bars);
  verdict.reasons.forEach((row) => reason(parent, row));
  if (verdict.note) make(parent, "p", { className: "mgp-note", textContent: verdict.note });
}

function folded(parent, rows, asked) {
  if (!rows.length) return;
  const more = make(parent, "details");
  const which = `the other ${rows.length === 1 ? "one" : rows.length}`;
  make(more, "summary", { textContent: `And ${asked.options ? which : "other numbers"}?` });
  rows.forEach((row) => reason(more, row));
}

/** All of the card that stands still; `parts` is what the rest of the file moves. */
function build(el, asked) {
  const root = make(el, "div", { className: "mgp-card", tabIndex: -1 });
  const form = make(root, "form");
  const fields = make(form, "fieldset");
  const legend = make(fields, "legend");
  const tag = asked.form ? `Predict · form ${asked.form}` : "Predict";
  make(legend, "span", { className: "mgp-tag", textContent: tag });
  make(legend, "span", { className: "mgp-question", html: asked.question });
  if (asked.figure) make(fields, "div", { className: "mgp-figure", html: asked.figure });
  (asked.options ? options : number)(fields, asked);
  const actions = make(form, "div", { className: "mgp-actions" });
  const lock = button(actions, "Lock and see", "submit");
  const skip = button(actions, "Show me without a choice");
  skip.className = "mgp-skip";
  const kind = asked.options ? "mgp-keys" : "mgp-hint";
  make(actions, "span", { className: kind, textContent: asked.hint });
  const status = make(root, "div", { className: "mgp-result", role: "status" });
  const more = make(root, "div");
  const after = make(root, "div", { className: "mgp-actions" });
  const anew = button(after, "Answer again");
  make(after, "span", { className: "mgp-keys", textContent: "Shift+Enter goes on." });
  const inputs = [...fields.elements];
  return { root, form, fields, lock, skip, status, more, anew, inputs };
}

function say({ status }, text) {
  status.replaceChildren();
  make(status, "p", { className: "mgp-note", textContent: text });
}

/** The choice on the page: an option's number, or the text of a number; undefined for none. */
function choice({ inputs }, asked) {
  const picked = inputs.find((input) => input.checked);
  return asked.options ? picked && Number(picked.value) : inputs[0].value.trim() || undefined;
}

/** Show a verdict, whoever locked it and when. */
function open({ inputs, status, more }, asked, verdict) {
  inputs.forEach((input, index) => {
    if (!asked.options) return (input.value ||= verdict.choice ?? "");
    input.checked = index === verdict.chosen;
    input.parentNode.classList.toggle("mgp-was-right", index === verdict.right);
  });
  result(status, verdict);
  folded(more, verdict.others, asked);
}

/** The option a key stands for: A or 1 the first, and so on. */
const keyed = ({ inputs }, key) =>
  inputs["abcdefghij".indexOf(key.toLowerCase())] ?? inputs[key - 1];

function render({ model, el }) {
  const asked = model.get("asked");
  const parts = build(el, asked);
  const { root, form, fields, lock, skip, anew, inputs } = parts;
  let timer = 0;

  const enable = () => {
    lock.disabled = fields.disabled || choice(parts, asked) === undefined;
  };
  const freeze = (frozen) => {
    clearTimeout(timer);
    fields.disabled = skip.disabled = frozen;
    enable();
  };
  const send = (message) => {
    if (fields.disabled) return;
    freeze(true);
    root.focus({ preventScroll: true });
    const silent = () => say(parts, asked.silent);
    timer = setTimeout(silent, PATIENCE);
    try { model.send(message); } catch { silent(); }
  };
  const answered = () => {
    const verdict = model.get("verdict"), locked = !!verdict.outcome;
    root.classList.toggle("mgp-locked", locked);
    parts.status.replaceChildren();
    parts.more.replaceChildren();
    if (locked) open(parts, asked, verdict);
    else form.reset(); // anew
    freeze(locked);
    if (root.matches(":focus-within")) root.scrollIntoView({ block: "nearest" });
  };
  const again = () => {
    model.set("verdict", {});
    model.save_changes();
    root.focus();
  };
  const refused = (message) => {
    if (message?.type !== "refused") return;
    freeze(false);
    lock.disabled = true; // until it changes
    say(parts, model.get("problem"));
    inputs[0].focus();
  };
  const pressed = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const locks = event.shiftKey || event.target.type === "text"; // JupyterLab keeps a plain Enter
    if (event.key === "Enter" && locks && !lock.disabled) {
      event.preventDefault();
      form.requestSubmit();
    }
    if (!asked.options || fields.disabled || event.key.length !== 1) return;
    const input = keyed(parts, event.key);
    if (!input) return;
    event.preventDefault();
    input.checked = true;
    input.focus();
    enable();
  };
  const submitted = (event) => {
    event.preventDefault();
    if (!lock.disabled) send({ type: "lock", choice: choice(parts, asked) });
  };

  form.addEventListener("submit", submitted);
  form.addEventListener("input", enable);
  skip.addEventListener("click", () => send({ type: "skip" }));
  anew.addEventListener("click", again);
  root.addEventListener("keydown", pressed);
  if (!asked.options) root.addEventListener("focus", () => inputs[0].focus());
  keepKeys(root);
  model.on("change:verdict", answered);
  model.on("msg:custom", refused);
  answered();
  return () => {
    clearTimeout(timer);
    model.off("change:verdict", answered);
    model.off("msg:custom", refused);
  };
}

export default { render };
