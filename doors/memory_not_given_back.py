# %% [markdown]
# # Why does nvidia-smi still show memory after `del` and `empty_cache()`?
# PyTorch keeps what it has freed, to give it out again: nvidia-smi shows that pool and the CUDA context, not what lives.
# `torch.cuda.memory_allocated()` counts tensors that are alive, `memory_reserved()` the pool; `empty_cache()` gives back only segments in which nothing lives.
# If `memory_allocated()` itself does not fall, something holds the tensor: a name, a list, an exception's traceback, a graph.
# Also: no memory being freed when using torch.cuda.empty_cache; GPU memory is not freed correctly or fully; control GPU memory cache; how to delete PyTorch objects correctly from memory; what exactly is occupying the gpu cache; memory consumption does not reflect nvidia-smi; reserved versus allocated

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
model = {"w": w}
out = w.exp()
del model, w  # out's graph leads to w

# %% [markdown]
# ## Ways out
# The programs of this page run on the processor: what they count are tensors that live, as
# `memory_allocated()` does. Pool and nvidia-smi are in lesson 14.
# ### Let go of the output too

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
model = {"w": w}
out = w.exp()
del model, w, out

# %% [markdown]
# ### Keep the output without its graph

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
model = {"w": w}
out = w.exp().detach()
del model, w

# %% [markdown]
# ### A function ends, and its names with it
# What `main()` does not return is let go of when it ends.

# %% way
import torch


def main():
    w = torch.ones(1000, requires_grad=True)
    return w.exp().sum().item()


main()

# %% [markdown]
# ## In the course
# Lesson {14} tells the pool from what lives, and shows why free bytes may not be enough.
