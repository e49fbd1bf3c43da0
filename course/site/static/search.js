// The search page: what course/site/search.py does, with the index that it made.

const ENDINGS = ["ing", "ed", "es", "s"];

function stem(word) {
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length > 2);
  return ending ? word.slice(0, -ending.length) : word;
}

function wordsOf(text) {
  const found = [];
  for (const [word] of text.toLowerCase().matchAll(/[a-z0-9]+(?:_[a-z0-9]+)*/g)) {
    const parts = word.split("_").filter(Boolean);
    found.push(...parts.map(stem), ...(parts.length > 1 ? [word] : []));
  }
  return new Set(found);
}

/** [address, title] of the pages, the best first. */
function search({ pages, words }, question) {
  const worth = new Map();
  for (const word of wordsOf(question)) {
    for (const [page, value] of Object.hasOwn(words, word) ? words[word] : []) worth.set(page, (worth.get(page) ?? 0) + value);
  }
  return [...worth].sort(([a, x], [b, y]) => y - x || a - b).slice(0, 20).map(([page]) => pages[page]);
}

const place = document.getElementById("mg-results"), asked = new URLSearchParams(location.search).get("q") ?? "";
for (const input of document.querySelectorAll("input[name=q]")) input.value = asked;
const found = search(window.minigradPages, asked);
if (asked && !found.length) place.textContent = "No page has any of these words.";
for (const [address, title] of found) {
  const row = place.appendChild(document.createElement("li")), link = row.appendChild(document.createElement("a"));
  Object.assign(link, { href: address, textContent: title });
}
