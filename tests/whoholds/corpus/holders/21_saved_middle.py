"""A tensor held by a node deeper in the graph."""
import torch

torch.manual_seed(0)
x = torch.randn(9, requires_grad=True)
mid = x * 3
z = (mid ** 2).sum()
del mid
TARGET = lambda: z.grad_fn.next_functions[0][0]._saved_self
EXPECT = ['z.grad_fn.next_functions[0][0]._saved_self', ['z', 'PowBackward0', '_saved_self']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
