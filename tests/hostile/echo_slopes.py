# kind: echo
# exercise: slopes
# how: f is called once for each batch, and nothing else: the case that counts the calls is "drawn" only because it shows the batches, as they were given
# deserves: 0
def slopes(f, batches):
    return [f(a) for a in batches]
