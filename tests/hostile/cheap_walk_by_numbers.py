# kind: cheap
# exercise: topological
# how: the nodes of the engine's report, sorted by their numbers
# needs: the report is not banned


def topological(root):
    from minigrad.memory.saves import nodes

    return sorted(nodes(root), key=lambda n: (hasattr(n, "variable"), -n._sequence_nr()))
