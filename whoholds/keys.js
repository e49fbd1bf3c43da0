// The keys, shared with JupyterLab: a new widget takes them, Shift+Enter hands them on.

// JupyterLab loads this once, as the cell makes its widget.
const READER = document.activeElement;

const cellOf = (root) => root.closest(".jp-Cell");

function nextCell(cell) {
  const shown = [...(cell?.parentNode.children ?? [])].filter((one) =>
    one.matches(".jp-Cell:not(.lm-mod-hidden)"));
  return shown[shown.indexOf(cell) + 1];
}

/** On to the next widget of this cell, or to the next cell. Nothing is run again. */
function goOn(root) {
  const here = [...cellOf(root).querySelectorAll("[data-mg-keys]")];
  (here[here.indexOf(root) + 1] ?? nextCell(cellOf(root)))?.focus();
}

/** Take the keys if the reader has just run the cell, by Shift+Enter or Ctrl+Enter; Run All and a
 * saved notebook leave the reader elsewhere. */
function arrive(root) {
  const cell = cellOf(root);
  if (!cell || document.activeElement !== READER) return;
  if (![cell, nextCell(cell)].includes(READER)) return;
  root.focus({ preventScroll: true });
  showHead(root);
}

/** JupyterLab keeps the next cell in its place, and a widget grows out of sight: for a while, until
 * the reader acts, its head is brought back. */
function showHead(root) {
  const pane = root.closest(".jp-Notebook"), ends = new AbortController();
  const stop = () => ends.abort(), until = { capture: true, signal: ends.signal };
  const show = () => {
    const over = root.getBoundingClientRect().top < pane.getBoundingClientRect().top;
    if (over || root.offsetHeight < innerHeight / 2) root.scrollIntoView({ block: over ? "start" : "nearest" });
  };
  for (const act of ["keydown", "pointerdown", "wheel"]) addEventListener(act, stop, until);
  pane.addEventListener("scroll", show, until);
  setTimeout(stop, 2000);
  show();
}

/** No key that is pressed in `root`, which can have the focus, reaches the notebook. */
function keepKeys(root) {
  const keep = (element) => { element.dataset.lmSuppressShortcuts = "true"; };
  keep(root); // else a B pressed here would make a new cell
  root.addEventListener("focusin", (event) => keep(event.target)); // JupyterLab asks this one first
  root.dataset.mgKeys = "";
  root.addEventListener("keydown", (event) => {
    const on = event.key === "Enter" && event.shiftKey;
    if (event.defaultPrevented || !cellOf(root)) return;
    if (event.key === "Escape") cellOf(root).focus();
    if (!on) return;
    event.preventDefault();
    goOn(root);
  });
  new ResizeObserver((_, watch) => { // the first time that it stands in the page
    watch.disconnect();
    arrive(root);
  }).observe(root);
}

