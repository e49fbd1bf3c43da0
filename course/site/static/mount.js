// Each widget's page half, given a model that needs no kernel: its state lies in the page.

/** What a widget asks of its model; `answer(message, model)` stands in for the kernel. */
function modelOf(values, answer = () => {}) {
  const heard = {};
  const tell = (name, ...rest) => [...(heard[name] ?? [])].forEach((f) => f(...rest));
  const model = {
    get: (name) => values[name],
    set: (name, value) => {
      if (values[name] === value) return;
      values[name] = value;
      tell("change:" + name);
    },
    on: (name, f) => (heard[name] ??= []).push(f),
    off: (name, f) => { heard[name] = (heard[name] ?? []).filter((g) => g !== f); },
    save_changes: () => {},
    send: (message) => answer(message, model, tell),
  };
  return model;
}

/** The kernel's part of a card: which verdict belongs to a choice. */
const judge = ({ options, skip, number, known }, asked) => (message, model, tell) => {
  if (message.type === "skip") return model.set("verdict", skip);
  if (options) return model.set("verdict", options[message.choice]);
  const guess = numberOf(message.choice, asked.unit);
  if (guess !== null) return model.set("verdict", guessed(guess, number, known, skip, asked.unit));
  model.set("problem", refusal(asked.unit));
  tell("msg:custom", { type: "refused" });
};

const makers = {
  async view(text, { step, which }) {
    const trace = await unpacked(text);
    return [render, modelOf({ trace, step: +step, which: +which })];
  },
  async card(text) {
    const { state, verdicts } = JSON.parse(text);
    return [renderCard, modelOf(state, judge(verdicts, state.asked))];
  },
  async game(text) {
    const { state, rules } = JSON.parse(text);
    return [renderPlay, modelOf(state, engineOf(rules, state.board.layout))];
  },
};

async function mount(part) {
  const stored = part.querySelector(":scope > script"), place = document.createElement("div");
  const [draw, model] = await makers[part.dataset.kind](stored.textContent, part.dataset);
  part.classList.add("mg-mounted");
  part.append(place);
  draw({ model, el: place });
}

for (const part of document.querySelectorAll(".mg-live")) if (makers[part.dataset.kind]) mount(part);
