# %% [markdown]
# # How do I reset gradients, and what does `zero_grad(set_to_none=True)` free?
# It sets every `.grad` to `None`, so the gradients' bytes go, as many as the parameters have; it is the default since PyTorch 2.0.
# `set_to_none=False` fills them with zeros: the bytes stay, and the next backward adds to them.
# Called right after `step()` the bytes are free during forward, when the activations need them.
# Also: reset the grad of one tensor by hand; add set_to_none keyword parameter to zero_grad; optimizer.zero_grad versus model.zero_grad; gradients let go between steps; zero gradients memory

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for turn in range(2):
    opt.zero_grad()
    w.exp().sum().backward()
    opt.step()
opt.zero_grad()

# %% [markdown]
# ## What each costs
# ### Zeros

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for turn in range(2):
    opt.zero_grad(set_to_none=False)
    w.exp().sum().backward()
    opt.step()
opt.zero_grad(set_to_none=False)

# %% [markdown]
# ### None, right after the step

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for turn in range(2):
    w.exp().sum().backward()
    opt.step()
    opt.zero_grad()

# %% [markdown]
# ### A tensor of your own: `w.grad = None`
# No module and no optimizer knows it, so its user does it by hand.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(2):
    w.exp().sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None

# %% [markdown]
# ## In the course
# Lesson {03} shows who writes `.grad`, and that it is added to in place.
