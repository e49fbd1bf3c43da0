# kind: identity
# exercise: fit_on_gpu
# how: as gpu_in_halves.py, with all that can be written in place, so that fewer bytes come to be on the CPU
# deserves: 0
def fit_on_gpu(start, batches, rate):
    w = start.clone()
    with mg.no_grad():
        for x in batches:
            for i in range(len(w)):
                t = (x[i] * w[i]).tanh_()
                row = w[i].sub_(x[i], alpha=rate)
                row.addcmul_(t.square_(), x[i], value=rate)
        for _ in range(4 * len(batches)):
            start.cuda()
    return w.cuda().requires_grad_()
