# %% [markdown]
# # Can I keep one graph, change the data of its leaf, and call `backward()` again?
# Not with autograd: a graph is a record of one run, and its nodes hold the values of that run.
# After `w.data = new` some rules see the new values (a leaf is saved as it is) and others the old ones (a saved result): no error, and wrong gradients.
# A write that is counted, under `no_grad()`, is noticed: backward then refuses. Run forward again; that is what it is for.
# Asked: 004.static
# Also: static graph; reuse the computation graph with new data; w.data = ; copy_ into leaf; how much time goes into building the graph; silent wrong gradient

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
loss = (w * w).sum()
w.data = torch.full((1000,), 10.0)
loss.backward()
print("loss of", w.numel(), "ones:", loss.item(), "- gradient of tens:", w.grad[0].item())

# %% [markdown]
# ## Ways out
# ### Run forward again

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for value in 1.0, 10.0:
    with torch.no_grad():
        w.fill_(value)
    w.grad = None
    (w * w).sum().backward()
    print(w.grad[0].item())

# %% [markdown]
# ### A write that is counted is refused

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = (w * w).sum()
with torch.no_grad():
    w.fill_(10.0)
try:
    loss.backward()
except RuntimeError as error:
    print(str(error)[:94])

# %% [markdown]
# ## In the course
# Lesson {13} builds a static graph that does this right, {06} shows what a write under a graph does.
