"""A page with a game on it, whose kernel is the Python of this test."""

from course.play import play
from course.play.widget import Play
from whoholds.views.export import DARK

# What anywidget gives a view: state, events, messages. `kernel` is the Python of this test.
SHOW = """async ([script, board, now, silent]) => {
  const state = { board, now }, heard = {};
  window.sent = [];
  window.model = {
    get: key => state[key],
    on: (name, call) => (heard[name] ??= []).push(call),
    off: (name, call) => (heard[name] = heard[name].filter(other => other !== call)),
    send: async message => {
      window.sent.push(message);
      if (silent) return;
      state.now = await window.kernel(message);
      (heard["change:now"] ?? []).forEach(call => call());
    },
  };
  window.heard = heard;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  window.view = (await import(url)).default;
  window.stop = window.view.render({ model: window.model, el: document.getElementById("play") });
}"""


class Table:
    """A page with a game on it, and the widget behind it."""

    def __init__(self, page, widget):
        self.page, self.widget, self.game = page, widget, widget._game

    def kernel(self, message):
        self.widget._heard(None, message, [])
        return self.widget.now

    def click(self, key):
        turn = self.widget.now["turn"]
        element = self.page.locator(f'[data-key="{key}"]')
        element.locator("text").first.click()
        self._answered(turn)

    def press(self, *keys):
        for key in keys:
            turn = self.widget.now["turn"]
            self.page.keyboard.press(key)
            if key in ("Enter", "Backspace"):
                self._answered(turn)

    def button(self, name):
        turn = self.widget.now["turn"]
        self.page.get_by_role("button", name=name, exact=True).click()
        self._answered(turn)

    def _answered(self, turn):
        self.page.wait_for_function("turn => window.model.get('now').turn > turn", arg=turn)

    @property
    def said(self):
        return self.page.get_by_role("status").inner_text()

    @property
    def error(self):
        return self.page.get_by_role("alert").inner_text()

    def meter(self):
        return self.page.locator(".mgg-meter").inner_text()

    def perfect(self, until=99):
        """Click as the engine would, up to that turn."""
        while not self.game.over and self.game.ran < until:
            visit = self.game.visits[self.game.ran]
            self.click(visit.node)
            if visit.release is not None:
                slots = self.game.world.nodes[visit.node]["slots"]
                for i in range(len(slots)):
                    self.click(f"{visit.node}:{i}")


def laid(page, source, silent=False, **more):
    """Put a game on a bare page."""
    widget = play(source, **more)
    found = Table(page, widget)
    style = f"<style>{Play._css}{DARK}</style>"
    page.set_content(f"{style}<button>before</button><div id=play></div>")
    page.expose_function("kernel", found.kernel)
    page.evaluate(SHOW, [Play._esm, widget.board, widget.now, silent])
    return found
