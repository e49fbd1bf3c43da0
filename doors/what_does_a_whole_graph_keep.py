# %% [markdown]
# # How do I see what a whole graph keeps for backward?
# PyTorch has no call for it, but each node has `next_functions` and `_saved_...` attributes: a dozen lines walk the graph and add up.
# Count each storage once. What two nodes have saved is one tensor, and a view holds the whole storage of its base.
# `saved_tensors_hooks` sees every tensor at the moment when it is saved, also of a Function of your own, whose node has other names for it.
# Asked: 003.check-api
# Also: activation memory of a model; list all saved tensors of a graph; which tensors are shared; measure memory saved for backward

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()  # saves its result
# the product saves h twice, sin the product
loss = (h * h).sin().sum()
loss.backward()

# %% [markdown]
# ## Ways to see it
# ### Walk the graph

# %% way
import torch


def kept(root):
    """Bytes by storage: what two nodes have saved counts once."""
    found, seen, todo = {}, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [below for below, _ in node.next_functions]
        for name in dir(node):
            one = getattr(node, name) if name.startswith("_saved_") else None
            if isinstance(one, torch.Tensor):
                storage = one.untyped_storage()
                found[storage.data_ptr()] = storage.nbytes()
    return sum(found.values())


w = torch.ones(1000, requires_grad=True)
h = w.exp()
print(kept((h * h).sin().sum()), "B")

# %% [markdown]
# ### See each tensor as it is saved

# %% way
import torch

saved = []


def pack(tensor):
    saved.append((tensor.untyped_storage().data_ptr(), tensor.untyped_storage().nbytes()))
    return tensor


w = torch.ones(1000, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
    h = w.exp()
    loss = (h * h).sin().sum()
print(len(saved), "times saved,", sum(dict(saved).values()), "B")

# %% [markdown]
# ## In the course
# Lesson {06} builds this report, {19} applies it to a transformer block.
