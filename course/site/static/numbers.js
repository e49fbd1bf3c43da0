// Guesses of a card that asks for a number: what course/predict/numbers.py does, word for word.

const POWERS = { kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 }, LONGEST = 60, CLOSE = 1.2;

const refusal = (unit) => `That is no number of ${unit}: write ${unit === "bytes" ? "3072, or 3 KiB, or 3 * 1024" : "12, or 3 * 4"}.`;

/** The number in a text, with or without its unit; null where there is none. */
function numberOf(text, unit) {
  let plain = String(text).trim().toLowerCase().replace(/(?<=\d)[ _,'](?=\d{3}\b)/g, "");
  const word = unit.toLowerCase(), words = [word, word.replace(/s$/, ""), unit === "bytes" ? "b" : ""].filter(Boolean)
    .map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  plain = plain.replace(new RegExp(`(?<=[\\d\\s.)])(${words.join("|")})$`), "").trim();
  const larger = unit === "bytes" && plain.match(/(?<=[\d\s])([kmg]ib)$/);
  if (plain.length > LONGEST) return null;
  const value = summed(larger ? plain.slice(0, larger.index).trim() : plain);
  const number = value === null ? null : value * (larger ? POWERS[larger[1]] : 1);
  return Number.isFinite(number) ? number : null;
}

/** The value of `64 * 32 * 4`, by descent; null where it is no sum of numbers. */
function summed(text) {
  const tokens = text.match(/\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|\/\/|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const operations = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b,
    "/": (a, b) => a / b, "//": (a, b) => Math.floor(a / b) };
  const chain = (next, signs) => {
    let value = next();
    while (signs.includes(tokens[at])) value = operations[tokens[at++]](value, next());
    return value;
  };
  const sum = () => chain(product, ["+", "-"]);
  const product = () => chain(factor, ["*", "/", "//"]);
  function factor() {
    const token = tokens[at++];
    if (token === "-") return -factor();
    if (token === "(") {
      const value = sum();
      return tokens[at++] === ")" ? value : NaN;
    }
    return /^[\d.]/.test(token ?? "") && !/^0\d*[1-9]\d*$/.test(token) ? Number(token) : NaN;
  }
  const value = sum();
  return at === tokens.length && !Number.isNaN(value) ? value : null;
}

const short = (factor) => factor >= 100 ? Math.round(factor).toLocaleString("en-US") : String(+factor.toPrecision(3));

function saidOf(number, unit) {
  const whole = Number.isInteger(number) || Math.abs(number) >= 1e5;
  const text = whole ? Math.round(number).toLocaleString("en-US") : (+number.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 6 });
  return `${text} ${text === "1" && unit.endsWith("s") && unit !== "times" ? unit.slice(0, -1) : unit}`.trim();
}

/** `twice too few`, `3 times too many`; a difference where a factor says nothing. */
function far(guess, measured, unit) {
  const side = guess < measured ? "few" : "many", low = Math.min(guess, measured), high = Math.max(guess, measured);
  if (low <= 0 || high / low < CLOSE) return `${saidOf(high - low, unit)} too ${side}`;
  const factor = high / low, times = factor === 2 ? "twice" : `${short(factor)} times`;
  return Number.isInteger(factor) ? `${times} too ${side}` : `about ${times} too ${side}`;
}

/** The verdict on a guess: that of a number that was foreseen, else one that says how far it is. */
function guessed(guess, measured, known, skip, unit) {
  const found = known.find(([number]) => number === guess);
  if (found) return found[1];
  const top = Math.max(guess, measured), rows = [["you said", guess], ["measured", measured]];
  return { ...skip, outcome: "wrong", choice: guess,
    headline: `You said ${saidOf(guess, unit)}, measured <strong>${saidOf(measured, unit)}</strong>: ${far(guess, measured, unit)}.`,
    bars: guess < 0 || measured < 0 ? [] : rows.map(([name, n]) => ({ name, value: saidOf(n, unit), part: n / top })) };
}
