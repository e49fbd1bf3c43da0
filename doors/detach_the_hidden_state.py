# %% [markdown]
# # Why must I detach the hidden state of my RNN?
# A hidden state that is carried on leads to the graph of all steps before it. Backward in each step then walks into what was freed, and fails; without backward the graph grows.
# `state = state.detach()` between two batches cuts there: the value is carried on, the gradient is not.
# It does not stop learning within a batch. How far back gradients reach is how many steps lie between two cuts.
# Also: why not detach the hidden state of GRU or LSTM from the computational graph; detach; repackage_hidden; truncated backpropagation through time; backward a second time with RNN

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
state = torch.zeros(1000)
for batch in range(2):
    state = (state + w).tanh()
    state.sum().backward()

# %% [markdown]
# ## Ways out
# ### Cut after each batch

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
state = torch.zeros(1000)
for batch in range(4):
    state = (state + w).tanh()
    state.sum().backward()
    state = state.detach()

# %% [markdown]
# ### Cut after every second one
# Two steps are learned through, and their saved tensors are held at once.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
state = torch.zeros(1000)
for batch in range(2):
    for step in range(2):
        state = (state + w).tanh()
    state.sum().backward()
    state = state.detach()

# %% [markdown]
# ### Through all of time

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
state = torch.zeros(1000)
for step in range(4):
    state = (state + w).tanh()
state.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {08} cuts graphs, {05} shows the error.
