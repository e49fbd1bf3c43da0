# %% [markdown]
# # Of the product `a * b`, which factor is saved for backward?
# The other one. The gradient of `a` is the incoming one times `b`: if `a` wants a gradient, `b` is saved. If both want one, both are.
# Saved is a reference and no copy, so it costs nothing as long as you hold the factor anyway.
# A write in place into a saved factor is noticed: backward refuses. One into a factor that nobody needs passes.
# Asked: 003.which-factor
# Also: mul saves self or other; what does multiplication save for backward; grad * other; in-place probe

# %% step
import torch

a = torch.ones(1000, requires_grad=True)
# wants no gradient
b = torch.full((1000,), 2.0)
y = a * b
print("a saved:", y.grad_fn._saved_self is not None, "- b saved:", y.grad_fn._saved_other is b)
del b  # the node holds it
y.sum().backward()

# %% [markdown]
# ## What it costs
# ### Both want a gradient: both are saved

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
b = torch.ones(1000, requires_grad=True)
y = a * b
print(y.grad_fn._saved_self is a, y.grad_fn._saved_other is b)
y.sum().backward()

# %% [markdown]
# ### A factor that is a number
# Next to nothing is kept.

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
y = a * 2
y.sum().backward()

# %% [markdown]
# ### A write into the factor that is not needed

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
a = w + 0
b = torch.full((1000,), 2.0)
y = a * b
with torch.no_grad():
    a += 1  # a itself was not saved
y.sum().backward()
print(w.grad[0].item())

# %% [markdown]
# ## In the course
# Lesson {03} asks the node, {06} does it for every operation.
