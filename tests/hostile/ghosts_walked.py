# kind: ghosts
# exercise: backward_order
# how: nodes are made by hand, of a class derived from the graph's Node, and the engine walks them: a GradientEdge stands for a tensor, and for the gradient, too, so that none is made
# deserves: 4
from minigrad.autograd.graph import GradientEdge, Node


class Line(Node):
    def __init__(self, name, number, inputs, told):
        self.called, self._order, self.told = name, number, told
        self.next_functions = tuple((one, 0) for one in inputs)

    def apply(self, grads, asked=None):
        self.told.append(self.called)
        return [None for _ in self.next_functions]


def backward_order(lines):
    told = []
    nodes = {name: Line(name, -(10**9), (), told) for name in "abc"}
    for number, (name, *inputs) in enumerate(lines):
        nodes[name] = Line(name, -number, [nodes[one] for one in inputs], told)
    root = GradientEdge(nodes[lines[-1][0]], 0)
    mg.autograd.backward([root], [root.as_tensor])
    return told
