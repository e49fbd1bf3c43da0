# kind: compiled
# exercise: penalised_step
# how: compiled under another file's name; one graph, saved tensors as lists
# deserves: 0
SRC = '''
def call(self, x, blocks, penalty):
    with mg.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda v: mg.tensor(v)):
        h, total = x, 0.0
        for b in blocks:
            h = b(h)
            total = total + penalty(h)
        total = h.sum() + total
    del h
    total.backward()
'''
names = {"mg": mg}
exec(compile(SRC, "<b>", "exec"), names)
class P:
    def first(self): pass
    __call__ = names["call"]
penalised_step = P()
