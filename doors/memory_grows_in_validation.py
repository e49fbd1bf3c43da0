# %% [markdown]
# # Why does memory run out during validation?
# Without `torch.no_grad()` every operation saves for a backward that never comes; `model.eval()` does not change that.
# Outputs or losses that are collected in a list, or summed, then hold the graph of every batch.
# Run it under `no_grad()`, and collect numbers, or tensors on the processor: `output.cpu()`.
# Also: CUDA out of memory issue during validation; huge memory footprint in evaluation; evaluation accumulates outputs in lists; validation loss graph; memory rises from batch to batch in test or inference

# %% step
import torch

model = torch.nn.Sequential(torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
model.eval()
losses = []
for batch in range(3):
    losses.append(model(torch.ones(100, 20)).mean())

# %% [markdown]
# ## Ways out
# ### `no_grad()`

# %% way
import torch

model = torch.nn.Sequential(torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
losses = []
with torch.no_grad():
    for batch in range(3):
        losses.append(model(torch.ones(100, 20)).mean())

# %% [markdown]
# ### Numbers
# Each batch's graph goes when the next is there; within a batch it is still made.

# %% way
import torch

model = torch.nn.Sequential(torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
losses = []
for batch in range(3):
    losses.append(model(torch.ones(100, 20)).mean().item())

# %% [markdown]
# ### Both

# %% way
import torch

model = torch.nn.Sequential(torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
losses = []
with torch.no_grad():
    for batch in range(3):
        losses.append(model(torch.ones(100, 20)).mean().item())

# %% [markdown]
# ## In the course
# Lesson {08} shows what a kept loss keeps.
