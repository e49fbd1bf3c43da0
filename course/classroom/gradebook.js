// Sorting by a column: a click, or Enter on its head. Without this the table is a plain one.
"use strict";
const table = document.querySelector(".book");
const body = table.tBodies[0];
const rows = [...body.rows]; // by name, as they came
const heads = [...table.querySelectorAll("[data-sort]")];

function keys(head) {
  const place = head.cellIndex;
  if (head.dataset.sort === "name") return new Map(rows.map((row, i) => [row, i]));
  const number = (row) => parseFloat(row.cells[place].textContent);
  return new Map(rows.map((row) => [row, Number.isNaN(number(row)) ? -1 : number(row)]));
}

function sort(head) {
  const before = head.getAttribute("aria-sort");
  const usual = head.dataset.sort === "name" ? "ascending" : "descending";
  const other = usual === "ascending" ? "descending" : "ascending";
  const now = before === usual ? other : usual;
  const sign = now === "ascending" ? 1 : -1;
  const key = keys(head);
  const ordered = rows.slice().sort((a, b) => sign * (key.get(a) - key.get(b)));
  for (const one of heads) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", now);
  body.append(...ordered);
}

for (const head of heads) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  head.addEventListener("click", () => sort(head)); // a key on the button comes here, too
}
heads[0].setAttribute("aria-sort", "ascending");
