import gc
import weakref

import torch

w = torch.ones(1000, requires_grad=True)
y = (w * 2).tanh()
box, loss = [y], (y * w).sum()
print("referrers of y: ", sorted(type(one).__name__ for one in gc.get_referrers(y)))

bytes_of_y = weakref.ref(y.untyped_storage())
del y
box.clear()
print("names gone, bytes of y alive:", bytes_of_y() is not None)

saved = loss.grad_fn.next_functions[0][0]._saved_self  # the bytes of y
print("referrers of it:", sorted(type(one).__name__ for one in gc.get_referrers(saved)))
