# kind: forged
# exercise: topological
# how: nodes and edges are counted in a walk in no order; then come as many objects of its own, of which the first has all edges, and all lead to the last
# deserves: 0
class Node:
    next_functions = ()


def topological(root):
    seen, todo, edges = set(), [root.grad_fn], 0
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        below = [one for one, _ in node.next_functions if one is not None]
        edges += len(below)
        todo += below
    found = [Node() for _ in seen]
    if found:
        found[0].next_functions = [(found[-1], 0)] * edges
    return found
