"""A tensor held by the graph of another tensor."""
import torch

torch.manual_seed(0)
x = torch.randn(9, requires_grad=True)
z = (x ** 2).exp()
TARGET = lambda: z.grad_fn._saved_result
EXPECT = ['z.grad_fn._saved_result', 'z']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
