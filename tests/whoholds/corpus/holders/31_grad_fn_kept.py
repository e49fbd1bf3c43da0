"""A tensor held by a kept grad_fn."""
import torch

torch.manual_seed(0)
x = torch.randn(9, requires_grad=True)
fn = x.exp().grad_fn
TARGET = lambda: fn._saved_result
EXPECT = ['fn._saved_result', ['fn', 'ExpBackward0']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
