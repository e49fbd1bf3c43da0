"""One text source per lesson becomes three notebooks, and every claim in them is proved.

`python -m course.build build` writes, `python -m course.build check` proves. It knows nothing of
what a lesson teaches: README.md beside this file says what a source may contain.
"""

import sys

# nbformat checks by jsonschema, and that would make a grammar of addresses in all alphabets, which
# takes longer than all else that a process of the build imports. Where the grammar's package is not
# there it does without, and so it seems to be: no notebook's schema asks for an address.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
