# %% [markdown]
# # RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed)
# The first `backward()` let go of what the graph had saved, and the second one reached a node that needs it.
# If you have two losses, add them and call `backward()` once: nothing is kept, and nothing is walked twice.
# If the error comes in the second turn of a loop, something of the first turn is still in the graph: make it anew, or `detach()` it.
# Also: Trying to backward through the graph a second time, but the buffers have already been freed. Specify retain_graph=True when calling backward the first time; but the saved intermediate results have already been freed; backward error; error when backward is called twice

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
loss = (w * 2).exp().sum()
loss.backward()
loss.backward()

# %% [markdown]
# ## Ways out
# ### Two losses, one backward
# Add them. The part of the graph that they share is walked once.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = (w * 2).exp()
(h.sum() + (h * h).sum()).backward()

# %% [markdown]
# ### Keep what was saved: `retain_graph=True`
# Right when the two calls cannot be one. What is shared is walked twice. The last call is without it,
# or the bytes stay as long as the graph does.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = (w * 2).exp()
h.sum().backward(retain_graph=True)
(h * h).sum().backward()

# %% [markdown]
# ### Make the graph anew
# In a loop, compute inside of the loop all that depends on a parameter. This is what training does.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(2):
    loss = (w * 2).exp().sum()
    loss.backward()

# %% [markdown]
# ### Carry on a value without its graph: `detach()`
# A hidden state that goes from turn to turn brings the graph of all earlier turns along.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
state = torch.zeros(1000)
for turn in range(2):
    state = (state.detach() + w).tanh()
    state.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {05} takes the message apart, sentence by sentence, and prices each way out; {04} shows what
# backward frees, and what stays.
