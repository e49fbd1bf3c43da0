# %% [markdown]
# # Which is freed by `backward()`, and which is not?
# Freed is what the nodes had saved for backward. Nodes, edges and `grad_fn` stay as long as a tensor leads to them.
# Your own tensors stay: parameters, inputs, every result that a name leads to, whether a node had saved it or not.
# So a second backward fails at the first node that had saved something, and a buffer that was freed can be printed still if you hold it.
# Asked: 002.docs 002.k-and-m 002.meaning 003.freed-but-there 003.usable
# Also: what does backward free and what stays; call backward() to clear the graph; autograd garbage collection; what does it mean that the graph is freed; grad_fn is still there after backward; how can one check whether a buffer has been freed; the input still exists after backward; is a Linear layer freed with the graph; when does an engine let go of intermediate values; buffers are freed but the tensor can still be printed

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
loss = (h * h).sum()
loss.backward()
print(h.shape, loss.grad_fn.name())

# %% [markdown]
# ## Ways to see it
# ### Ask the node
# `_saved_` attributes raise once they are freed.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
print(h.grad_fn._saved_result.data_ptr() == h.data_ptr())
h.sum().backward()
try:
    h.grad_fn._saved_result
except RuntimeError as error:
    print(str(error)[:49])

# %% [markdown]
# ### What nobody holds is gone: a weak reference

# %% way
import torch
import weakref

w = torch.ones(1000, requires_grad=True)
h = w.exp()
seen = weakref.ref(h)
loss = (h * h).sum()
del h
print("before:", seen() is not None)
loss.backward()
print("after: ", seen() is not None)

# %% [markdown]
# ### A layer is not freed
# The graph holds its weight and bias. You hold the layer.

# %% way
import torch

layer = torch.nn.Linear(10, 10)
out = layer(torch.ones(4, 10))
out.sum().backward()
print([name for name, _ in layer.named_parameters()])
layer(torch.ones(4, 10)).sum().backward()

# %% [markdown]
# ## In the course
# Lesson {04}, "Which is freed, which is not", is about nothing else. [The five threads](../lessons/threads.ipynb)
# has the question as it was asked.
