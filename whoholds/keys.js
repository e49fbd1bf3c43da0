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
  const cell = cellOf(root), here = [...cell.querySelectorAll("[data-mg-keys]")];
  const on = here[here.indexOf(root) + 1];
  on ? take(on) : nextCell(cell)?.focus();
}

/** Take the keys if the reader has just run the cell, by Shift+Enter or Ctrl+Enter; Run All and a
 * saved notebook leave the reader elsewhere. */
function arrive(root) {
  const cell = cellOf(root);
  if (!cell || document.activeElement !== READER) return;
  if (![cell, nextCell(cell)].includes(READER)) return;
  take(root);
}

/** Take the keys, and show what they step. JupyterLab keeps the next cell in its place, and a widget
 * grows out of sight: for a while, until the reader acts, as much of it as fits is brought back, of
 * a view the cards and arrows first. */
function take(root) {
  const pane = root.closest(".jp-Notebook"), ends = new AbortController();
  const stop = () => ends.abort(), until = { capture: true, signal: ends.signal };
  const parts = [root, root.querySelector(".mg-lanes") ?? root.firstChild];
  const show = () => parts.forEach((part) => part.scrollIntoView({ block: "nearest" }));
  const grown = new ResizeObserver(show);
  root.focus({ preventScroll: true });
  for (const act of ["keydown", "pointerdown", "wheel"]) addEventListener(act, stop, until);
  pane.addEventListener("scroll", show, until);
  ends.signal.onabort = () => grown.disconnect();
  setTimeout(stop, 2000);
  grown.observe(root);
}

/** No key that is pressed in `root`, which can have the focus, reaches the notebook: a B would make a
 * new cell. */
function keepKeys(root) {
  const keep = (element) => { element.dataset.lmSuppressShortcuts = "true"; };
  keep(root);
  // JupyterLab asks the one with the focus first.
  root.addEventListener("focusin", (event) => keep(event.target));
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

