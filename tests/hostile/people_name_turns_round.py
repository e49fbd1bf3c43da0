# kind: people
# exercise: dies_with
# how: the name of the learner turns the text round and looks like a heading; the points are constants of a table of worlds
# needs: as answers_worlds
# learner: Ada \u202eseton on ,sgalf on\u202c <b>checked by hand</b> =HYPERLINK("x")
DIE = "only_name", "shelf_cleared", "a_clone", "a_view_gone", "turned_elsewhere"


def dies_with(make, delete):
    delete(make())
    kept = [c.cell_contents for c in getattr(make, "__clos" "ure__")]
    return any(getattr(one, "__name__", "") in DIE for one in kept)
