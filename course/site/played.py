"""What the rules of a game are about, as plain data: `static/game.js` plays by them in a page."""

from __future__ import annotations

from course.play import chart
from course.play.game import Game
from course.play.reason import SAID
from course.play.walks import survivors
from minigrad.core.messages import BACKWARD_TWICE
from minigrad.memory.budgets import OUT_OF_MEMORY


def rules(game: Game) -> dict:
    """All that a game is made of, but its moves."""
    walks = list({id(visit.walk): visit.walk for visit in game.visits}.values())
    below, above = chart.Chart(game.trace, game.capacity, game.drops).still()
    return {
        "events": game.events,
        "capacity": game.capacity,
        "peak": game.trace.peak,
        "drops": game.drops,
        "survivors": sorted(survivors(game.events)),
        "labels": {str(node): label for node, label in game.labels.items()},
        "source": game.trace.source.splitlines(),
        "walks": [
            {
                "line": walk.line,
                "visited": walk.visited,
                "consumers": {str(node): by for node, by in walk.consumers.items()},
            }
            for walk in walks
        ],
        "visits": [
            {
                "node": visit.node,
                "at": visit.at,
                "release": visit.release,
                "stop": visit.stop,
                "walk": next(i for i, walk in enumerate(walks) if walk is visit.walk),
            }
            for visit in game.visits
        ],
        "said": SAID,
        "twice": f"RuntimeError: {BACKWARD_TWICE}",
        "memory": f"OutOfMemoryError: {OUT_OF_MEMORY}",
        "chart": {
            "below": below,
            "above": above,
            "frame": [chart.WIDTH, chart.HEIGHT, chart.LEFT, chart.RIGHT, chart.UP, chart.DOWN],
        },
    }
