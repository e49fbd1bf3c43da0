"""Lesson 01: right answers in other styles, written from the task cards alone."""


# %% answer="first_rows" style="a list comprehension, no name for the batch at all"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    return [load(i)[0].clone() for i in range(count)]


# %% answer="first_rows" style="explicit loop, every name deleted before the next load"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept = []
    for i in range(count):
        batch = load(i)
        row = batch[0]
        own_row = row.clone()
        kept.append(own_row)
        del row  # it looks into the batch
        del batch
    return kept


# %% answer="first_rows" style="a helper function whose end lets go of the batch, and detach"
def copy_of_first_row(batch):
    return batch[0].detach().clone()


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    return list(map(lambda i: copy_of_first_row(load(i)), range(count)))


# %% answer="first_rows" style="a tensor of the right size first, then copy_ into it"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept, batch = [], None
    for i in range(count):
        batch = load(i)
        row = mg.empty_like(batch[0])
        row.copy_(batch[0])
        kept.append(row)
        batch = None
    return kept


# %% answer="first_rows" style="a generator, and numpy makes the copy"
def each_first_row(load, count):
    for i in range(count):
        yield mg.from_numpy(load(i)[0].detach().numpy().copy())


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    rows = []
    rows.extend(each_first_row(load, count))
    return rows
