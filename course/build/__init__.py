"""One text source per lesson becomes three notebooks, and every claim in them is proved.

`python -m course.build build` writes, `python -m course.build check` proves. It knows nothing of
what a lesson teaches: README.md beside this file says what a source may contain.
"""
