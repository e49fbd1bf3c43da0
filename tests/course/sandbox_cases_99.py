"""Cases of the tests' own: the exercise `total` adds up a list."""

from course.trying.cases import case


@case("total", "two numbers")
def two(f, draw):
    return f(draw.ints(2, 1, 999))


@case("total", "many numbers")
def many(f, draw):
    return f(draw.ints(30, 1, 999))


@case("total", "no numbers")
def none(f, draw):
    return f([])
