"""R14 hit 1. Page: a guide to training a model for linear regression (own loss, then MSELoss and SGD).
ends: ok
"""
import torch

X = torch.tensor([1, 2, 3, 4], dtype=torch.float32)
Y = torch.tensor([2, 4, 6, 8], dtype=torch.float32)
w = torch.tensor(0.0, dtype=torch.float32, requires_grad=True)


def forward(x):
    return w * x


def loss(y, y_pred):
    return ((y_pred - y) ** 2).mean()


y_pred = forward(X)
l_custom = loss(Y, y_pred)
l_pytorch = torch.nn.MSELoss()(y_pred, Y)
print(f"Custom loss: {l_custom}, PyTorch loss: {l_pytorch}")
optimizer = torch.optim.SGD([w], lr=0.01)
for epoch in range(100):
    y_pred = forward(X)
    l = loss(y_pred, Y)
    l.backward()
    optimizer.step()
    optimizer.zero_grad()
    if epoch % 25 == 0:
        print(f"epoch {epoch + 1}: w = {w:.3f}, loss = {l:.5f}")
print(f"{forward(5.0):.3f}")
