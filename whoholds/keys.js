// The keys, shared with JupyterLab: a new widget takes them, Shift+Enter hands them on.

const READER = document.activeElement; // JupyterLab loads this once, as the cell makes its widget

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
  const tall = root.offsetHeight > innerHeight / 2; // its head is what is read first
  if (!tall) root.scrollIntoView({ block: "nearest" });
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

