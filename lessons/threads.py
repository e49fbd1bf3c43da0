# %% [markdown]
# # The five threads
# This course grew out of five questions in PyTorch's forum. The lessons argue with them by
# number; the numbers are ours. Here you can read what was asked and what was
# answered, in our own words. Below each thread stands where the course takes it up.
#
# - Thread 000: Can the graph stay while its data goes?
# - Thread 001: Can a penalty be done with at once?
# - Thread 002: What does freeing the graph mean?
# - Thread 003: Which is freed, and which is not?
# - Thread 004: When is a graph made, when does it go?
#
# Most answers were right, and some were right at the time. Where one was not, it stands under *Put
# right*. All five are about the same moment, and three lines show it: what the graph has saved,
# and what it has after `backward()`. The [playground](playground.ipynb) has code for each thread
# that you can step through and change.

# %%
import minigrad as mg

y = (mg.ones(3, requires_grad=True) * 5).exp().sum()
print(mg.memory.saved(y))
y.backward()
print(mg.memory.saved(y))

# %% [markdown]
# ## Thread 000. Keep the graph and free the data
# Somebody trains a reversible network. Such a net can compute an earlier activation from a later
# one, so nothing need be stored. But the graph stores the activations, or so it seems: deleting a
# product in the middle of two does not change `torch.cuda.memory_allocated()`. Can one keep the
# structure of the graph and free its data? Must one reach into the `ctx` of a custom Function?
#
# The answers: the graph is made of nodes and not of tensors. A node saves only what its backward
# needs. If you do not want a tensor saved, do not save it; every tensor goes with its last
# reference. The asker then wrote a matrix product that saves nothing, and saw the memory go down.
# What its backward should compute, nobody said.
#
# **Asked**
#
# {asked: 000}
#
# **Put right**
#
# {put right: 000}

# %% [markdown]
# ## Thread 001. The gradient of a penalty at once
# Somebody works on a net with tensors of several gigabytes. Penalties are computed along the way
# and added to the loss at the end. Nothing later depends on a penalty. So why not take its gradient
# at once, and free all that it used? Later there is a second wish: to stop at the input of the
# penalty and scale the gradient there, by numbers that are known only at the end.
#
# The answers: call `backward(retain_graph=True)` on each penalty and drop the names. Or cut with
# `clone().detach()` and keep the gradient. Or change the gradient on its way, in a Function of your
# own. Or use `backward(inputs=...)`. The asker did it in the end, and advises others to read how
# checkpoints are implemented.
#
# **Asked**
#
# {asked: 001}
#
# **Put right**
#
# {put right: 001}

# %% [markdown]
# ## Thread 002. What freeing the graph means
# Somebody reads that `backward()` frees the graph, then prints the result: it still has its
# `grad_fn`. From what they found they conclude that saved tensors go and nodes stay. Is that right?
# Why are the nodes kept, and what are they good for? Is the documentation of `retain_graph` wrong
# when it says that the graph is freed? And could one store a backward graph for later?
#
# The answers speak of graphs that are exported for inference, and of the garbage collector. One
# ends with a training method in which a teacher follows a student.
#
# **Asked**
#
# {asked: 002}
#
# **Put right**
#
# {put right: 002}

# %% [markdown]
# ## Thread 003. Which is freed and which is not
# Somebody runs a loop a hundred times: a layer, a sum, a backward. It passes. With the forward
# before the loop it fails in the second turn. With the layer before the loop and the sum inside, it
# fails too. What is in the graph, when is it made, and what is freed? The layer as well?
# Others join in. If the input buffers are freed, why can the input still be printed? How can one
# check that a buffer is gone? Is only what lies between the input and the loss freed, or these two
# as well?
#
# The answers: freed means that the graph drops its references; what you hold, stays. What is saved
# differs from operation to operation, and there is no API to see it. One can write into a
# tensor and see whether backward complains.
#
# Two questions got no plain reply there. Here are the replies.
#
# *Was the layer `x` freed too?* No. A layer is a Python object, and no graph holds it. The graph
# holds its two parameters, the weight and the bias. Backward adds to their `.grad` and frees neither.
# You hold the layer, and the layer its parameters, so all of it stays for the next turn of the loop.
#
# *Does a `Linear` store its input, and is that what is freed?* No. A layer has its parameters and
# nothing of the calls made to it. It is the node of the result that saves the input, for the gradient
# of the weight, and backward makes the node let go of it. (Lesson 02, section 5, tries both with weak
# references. PyTorch prints the same for this cell.)

# %%
layer, a = mg.nn.Linear(3, 3), mg.ones(2, 3)
out = layer(a)
node = out.grad_fn
print("the layer has: ", [name for name, _ in layer.named_parameters()])
print("the node has a:", node._saved_mat1 is a)
out.sum().backward()
try:
    node._saved_mat1
except RuntimeError as error:
    print("after backward:", str(error).split(". ")[0])
print("layer(a) still works, and a is still there:", list(layer(a).shape), list(a.shape))

# %% [markdown]
# **Asked**
#
# {asked: 003}
#
# **Put right**
#
# {put right: 003}

# %% [markdown]
# ## Thread 004. A graph for each turn of a loop
# Somebody wants to know when a graph is made and when it goes. Does each turn of a loop make a new
# one? Is the old one freed? With `retain_graph=True`, are there a hundred graphs in the end,
# or one? And if the graph is always the same: could one keep it, and only exchange the numbers?
#
# The answers: yes, a new one each time; yes, it is freed; no, it cannot be kept, though that is
# an interesting idea. What frees it, somebody adds, is that the loop's variables go out of scope.
# Years later the last question comes back: how much time goes into building the same graph again?
#
# **Asked**
#
# {asked: 004}
#
# **Put right**
#
# {put right: 004}
