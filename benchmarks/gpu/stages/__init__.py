"""A stage each: a function `rows(place)` that yields a row for each thing it tries."""
