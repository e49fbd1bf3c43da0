# kind: empty
# exercise: held_by_chain
# how: memory.saved of tensors without an element, as text
# deserves: 4
def held_by_chain(steps, rows, columns):
    x = mg.zeros(0, requires_grad=True); y = x
    for s in steps:
        y = {"tanh": mg.tanh, "exp": mg.exp, "double": lambda y: y * 2, "square": lambda y: y * y}[s](y)
    rows_ = [l for l in str(mg.memory.saved(y * y)).splitlines()[:-1]]
    n = sum("same buffer" not in l and "a leaf" not in l and "[" in l for l in rows_)
    U = rows * columns * 4
    return n * U, U * bool(steps)
