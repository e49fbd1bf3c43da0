# %% [markdown]
# # RuntimeError: Inference tensors cannot be saved for backward.
# A tensor made under `inference_mode()` has no version counter, so no graph may save it, not even as a constant.
# `no_grad()` saves the same bytes and has no such limit; use it where the results go into training later.
# A tensor of that kind that is there already can be cloned outside of the block.
# Also: Please do not use Tensors created in inference mode in computation tracked by autograd; Inplace update to inference tensor outside InferenceMode is not allowed; Inference tensors do not track version counter; torch.inference_mode versus torch.no_grad

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
with torch.inference_mode():
    factor = torch.full((1000,), 2.0).exp()
loss = (w * factor).sum()

# %% [markdown]
# ## Ways out
# ### `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
with torch.no_grad():
    factor = torch.full((1000,), 2.0).exp()
loss = (w * factor).sum()
loss.backward()

# %% [markdown]
# ### A clone, outside

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
with torch.inference_mode():
    factor = torch.full((1000,), 2.0).exp()
loss = (w * factor.clone()).sum()
loss.backward()

# %% [markdown]
# ## In the course
# Lesson {08} compares the ways to record nothing.
