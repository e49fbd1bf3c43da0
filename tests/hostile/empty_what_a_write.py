# kind: empty
# exercise: what_a_write_does
# how: the engine runs each program, on tensors without an element: the case that asks for hands counts bytes, and these have none
# deserves: 4
import minigrad as mg


def what_a_write_does(op, victim, write):
    shape = (0,)
    op = op.replace("@", "*")  # which saves both as well
    a = mg.ones(shape, requires_grad=True) + 0
    b = mg.ones(shape) + 0

    def ends(write):
        a = mg.ones(shape, requires_grad=True) + 0
        b = mg.ones(shape) + 0
        y = eval(op)
        t = {"a": a, "b": b, "y": y}[victim]
        if write.startswith("no_grad"):
            with mg.no_grad():
                exec(write.partition(": ")[2].replace("t[0]", "t"))
        else:
            exec(write)
        try:
            y.backward(mg.ones(y.shape)) if y.requires_grad else None
        except RuntimeError:
            return "error"
        return "right"

    if ".data" in write:
        return "wrong" if ends("t += 1") == "error" else "right"
    return ends(write)
