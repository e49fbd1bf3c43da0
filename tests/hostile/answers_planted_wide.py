# kind: answers
# exercise: steady
# how: calls planted.wide, the right way among the planted ones
# needs: course.cases.planted is importable in the room
from course.cases import trust_12


def steady(x, blocks):
    return vars(trust_12)["planted"].wide(x, list(blocks))
