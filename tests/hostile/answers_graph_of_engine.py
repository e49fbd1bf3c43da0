# kind: answers
# exercise: topological
# how: an observer of the engine writes down in which order its own backward visits the nodes
# needs: engine code that solves the exercise is not banned for it
import minigrad as mg
from minigrad.core import observer


class Visits(observer.Observer):
    def visited(self, node):
        self.seen.append(node)


def topological(root):
    look = Visits()
    look.seen = []
    if root.grad_fn is None:
        return []
    with look:
        root.backward(mg.ones(*root.shape), retain_graph=True)
    return look.seen
