"""The data of a long trace, packed for a page into a tenth of its bytes; the page unpacks it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from itertools import pairwise

# `live` is the sum of `bytes`, which stand only where they are others than those of the event
# before; of the stops there are the gaps, of the sentences each one once and where it stands.
UNPACK = """
const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).json();
  for (const trace of data.traces) {
    const { texts, at } = trace.words;
    let before, stop = 0;
    trace.words = at.map((i) => texts[i]);
    trace.stops = trace.stops.map((gap) => (stop += gap));
    for (const e of trace.events) {
      before = e.bytes ??= before;
      e.live = before.reduce((sum, n) => sum + n, 0);
    }
  }
  return data;
};
"""


def packed(data) -> str:
    """What `view_data` gives, as text of letters, digits, "+", "/" and "="."""
    traces = [
        trace | dict(events=[*_brief(trace["events"])], words=_once(trace["words"]),
                     stops=[b - a for a, b in pairwise([0, *trace["stops"]])])
        for trace in data["traces"]
    ]  # fmt: skip
    text = json.dumps(data | dict(traces=traces), separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _once(words) -> dict:
    """Each sentence once, and which of them stands where."""
    numbers = {text: i for i, text in enumerate(dict.fromkeys(words))}
    return dict(texts=[*numbers], at=[numbers[text] for text in words])


def _brief(events) -> Iterator[dict]:
    """The events without what the one before tells."""
    before = None
    for event in events:
        known = {"live", "bytes"} if event["bytes"] == before else {"live"}
        yield {key: value for key, value in event.items() if key not in known}
        before = event["bytes"]
