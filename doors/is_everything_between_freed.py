# %% [markdown]
# # Is everything between the input and the loss freed, or these two as well?
# Neither. Where a tensor stands does not matter: freed is what some rule has saved, and of that only what nobody else holds.
# Each operation saves what its own rule needs: `exp` its result, `sin` its input, a product the factors, `sum` nothing. So the input may be saved, and something in the middle not.
# Input and loss stay because you have names for them. A middle result without a name that no rule saved is gone before backward begins.
# Asked: 003.between 003.position
# Also: what is an intermediate variable; which intermediate values are freed after backward; are all variables and functions between a and o freed

# %% step
import torch

a = torch.ones(1000, requires_grad=True)
# of exp the result is saved, of sin the input
z = (a.exp() * 5).sin()
o = z.sum()
o.backward()
print(a.shape, z.shape, o.shape)

# %% [markdown]
# ## The same place, other operations
# ### A middle that nothing saves
# It goes when the next line has used it.

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
o = ((a + 1) * 5).sum()
o.backward()

# %% [markdown]
# ### A middle that is saved by its own rule

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
o = (a.exp() * 5).sum()
o.backward()

# %% [markdown]
# ### A middle that you hold yourself
# Backward frees nothing of it.

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
y = a.exp()
o = (y * 5).sum()
o.backward()

# %% [markdown]
# ## In the course
# Lesson {04} tells what survives, row by row; {03} shows what a node holds, {06} what each operation saves.
