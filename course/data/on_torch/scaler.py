import torch

w = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.125)
scaler = torch.amp.GradScaler("cpu")  # "cuda" on a card


def turn(slope):
    optimizer.zero_grad()
    scaler.scale((w * slope).sum()).backward()
    before, grad = scaler.get_scale(), w.grad.item()
    scaler.step(optimizer)  # divides .grad by the scale; no step if there is an inf
    scaler.update()
    print(f"{slope:5} {before:9,.0f} {grad:11,.0f} {scaler.get_scale():13,.0f} {w.item():7}")


print("slope     scale   in backward   scale after       w")
for slope in (2.0, float("inf"), 2.0):
    turn(slope)
