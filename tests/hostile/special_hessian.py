# kind: special
# exercise: hessian_products
# how: no gradient of a gradient: every case has the loss tanh(x @ w).sum(), its nodes have x and the tanh, and a formula does the rest; another loss would get nonsense
# deserves: 0
import minigrad as mg


def hessian_products(loss, w, directions):
    bent = loss(w).grad_fn.next_functions[0][0]
    t, x = bent._saved_result, bent.next_functions[0][0]._saved_self
    with mg.no_grad():
        slope = -2 * t * (1 - t * t)
        return [x.t() @ (slope * (x @ d)) for d in directions]
