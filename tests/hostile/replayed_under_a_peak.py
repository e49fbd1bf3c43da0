# kind: replay
# exercise: FourLoops
# how: doubled walks two graphs, the second in a replay: what is repeated there is told to no count; and a tensor of no use makes a peak, under which NumPy has no more than the ledger
# deserves: 5





class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        ((x @ w).tanh() * sum(targets)).sum().backward()

    @staticmethod
    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h.detach() @ w).tanh()
            h.sum().backward()

    @staticmethod
    def updated(x, w, steps):
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        def step():
            (x @ w).tanh().sum().backward()

        step = mg.replay.record(step)
        step()
        step()
        del step
        mg.replay.record(lambda: mg.zeros(1))()  # the guard holds the last recording
        mg.zeros(80)  # a peak of its own, beside which the buffers of the replay were none
