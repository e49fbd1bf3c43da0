"""Lesson 01: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="shelf_of_views" wrong="Which of these three has bytes of its own?"
# a list copies what is put into it
def shelf_of_views(rows, columns):
    u, row = rows * columns * 4, columns * 4
    return [u, 3 * u + row, 4 * u + row, 3 * u + row, u + row, row + row, row]


# %% answer="shelf_of_views" wrong="Does something on the shelf still lead to the tensor?"
# del frees the tensor
def shelf_of_views(rows, columns):
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, u, u, u + row, row]


# %% answer="shelf_of_views" wrong="who still looks into the old copy"
# a row holds a row's bytes
def shelf_of_views(rows, columns):
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, row + row, row]


# %% answer="shelf_of_views" wrong="the old list has no name any more"
# what was on a shelf stays until the collector comes
def shelf_of_views(rows, columns):
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, 2 * u, 2 * u + row, u + row]


# %% answer="shelf_of_views" style="a line, and what it adds"
import itertools


def shelf_of_views(rows, columns):
    u, row = 4 * rows * columns, 4 * columns
    return list(itertools.accumulate([u, 0, u, 0, -u, row, -u]))


# %% answer="shelf_of_views" style="storages with a holder, line by line"
def shelf_of_views(rows, columns):
    bytes_of = {"t": rows * columns * 4, "copy": rows * columns * 4, "sum": columns * 4}
    lines = "t", "t", "t copy", "t copy", "copy", "copy sum", "sum"
    return [sum(bytes_of[storage] for storage in line.split()) for line in lines]


# %% answer="shelf_of_views" spare="4 of 5"
# asks a tensor for its size
def shelf_of_views(rows, columns):
    u, row = mg.zeros(rows, columns).nbytes, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" proof=true
def shelf_of_views(rows, columns):
    start, seen = mg.memory_allocated(), []
    t = mg.zeros(rows, columns)
    seen.append(mg.memory_allocated() - start)
    shelf = [t, t.t(), t[0]]
    seen.append(mg.memory_allocated() - start)
    copy = t.clone()
    seen.append(mg.memory_allocated() - start)
    del t
    seen.append(mg.memory_allocated() - start)
    shelf = [copy[0]]
    seen.append(mg.memory_allocated() - start)
    copy = copy.sum(0)
    seen.append(mg.memory_allocated() - start)
    del shelf
    return [*seen, mg.memory_allocated() - start]


# %% answer="first_rows" wrong="gives a row a storage of its own"
# del frees the batch
def first_rows(load, count):
    kept = []
    for i in range(count):
        batch = load(i)
        kept.append(batch[0])
        del batch
    return kept


# %% answer="first_rows" wrong="what does your name still refer to"
# the body of a loop is a scope: batch ends with it
def first_rows(load, count):
    kept = []
    for i in range(count):
        batch = load(i)
        kept.append(batch[0].clone())
    return kept


# %% answer="first_rows" wrong="gives a row a storage of its own"
# the collector has to come by
def first_rows(load, count):
    kept = []
    for i in range(count):
        batch = load(i)
        kept.append(batch[0])
        del batch
        gc.collect()
    return kept


# %% answer="first_rows" wrong="gives a row a storage of its own"
# a copy of the batch, and a view of the copy
def first_rows(load, count):
    return [load(i).clone()[0] for i in range(count)]


# %% answer="first_rows" wrong="call it once for each i"
# tries a batch first
def first_rows(load, count):
    load(0)
    return [load(i)[0].clone() for i in range(count)]


# %% answer="first_rows" wrong="call no `tolist` on them"
# numbers hold nothing
def first_rows(load, count):
    return [load(i)[0].tolist() for i in range(count)]


# %% answer="first_rows" wrong="Return a list, with all rows in it"
# a generator holds one row at a time
def first_rows(load, count):
    for i in range(count):
        yield load(i)[0].clone()


# %% answer="first_rows" style="no name at all"
def first_rows(load, count):
    return [load(i)[0].clone() for i in range(count)]


# %% answer="first_rows" style="a function lets go of its names"
def first_rows(load, count):
    def row_of(i):
        batch = load(i)
        return batch[0].clone()

    return list(map(row_of, range(count)))


# %% answer="first_rows" style="the name turned to None"
def first_rows(load, count):
    kept, batch = [], None
    for i in range(count):
        batch = load(i)
        kept += [batch[0] + 0]
        batch = None
    return kept


# %% answer="first_rows" spare="4 of 6"
# a copy of the whole batch, there at the peak
def first_rows(load, count):
    kept = []
    for i in range(count):
        batch = load(i)
        kept.append(batch.clone()[0].clone())
        del batch
    return kept


# %% answer="live_after" wrong="`del` takes a name away"
# del deletes the tensor, and the other names of it
def live_after(lines):
    names, sizes, most = {}, {}, 0
    for number, (what, name, *more) in enumerate(lines):
        if what == "del":
            sizes.pop(names.pop(name), None)
            continue
        if what in ("new", "copy"):
            sizes[number] = 4 * more[0] if what == "new" else sizes.get(names[more[0]], 0)
            place = number
        else:
            place = names[more[0]]
        most = max(most, sum(sizes.get(p, 0) for p in {*names.values(), place}))
        names[name] = place
    return sum(sizes.get(place, 0) for place in set(names.values())), most


# %% answer="live_after" wrong="`b = a` copies nothing"
# each name has a tensor of its own
def live_after(lines):
    names, most = {}, 0
    for what, name, *more in lines:
        if what == "del":
            del names[name]
            continue
        size = 4 * more[0] if what == "new" else names[more[0]]
        most = max(most, sum(names.values()) + size)
        names[name] = size
    return sum(names.values()), most


# %% answer="live_after" wrong="A view is a tensor without bytes of its own"
# a view copies
def live_after(lines):
    names, sizes, most = {}, [], 0
    for what, name, *more in lines:
        if what == "del":
            del names[name]
            continue
        if what == "name":
            place = names[more[0]]
        else:
            sizes.append(4 * more[0] if what == "new" else sizes[names[more[0]]])
            place = len(sizes) - 1
        most = max(most, sum(sizes[p] for p in {*names.values(), place}))
        names[name] = place
    return sum(sizes[p] for p in set(names.values())), most


# %% answer="live_after" wrong="The peak lies within a line"
# the old goes before the new comes
def live_after(lines):
    names, sizes, most = {}, [], 0
    for what, name, *more in lines:
        if what == "del":
            del names[name]
        elif what in ("new", "copy"):
            sizes.append(4 * more[0] if what == "new" else sizes[names[more[0]]])
            names[name] = len(sizes) - 1
        else:
            names[name] = names[more[0]]
        most = max(most, sum(sizes[p] for p in set(names.values())))
    return sum(sizes[p] for p in set(names.values())), most


# %% answer="live_after" wrong="You counted elements"
# a number is a number
def live_after(lines):
    names, sizes, most = {}, [], 0
    for what, name, *more in lines:
        if what == "del":
            del names[name]
            continue
        if what in ("new", "copy"):
            sizes.append(more[0] if what == "new" else sizes[names[more[0]]])
            place = len(sizes) - 1
        else:
            place = names[more[0]]
        most = max(most, sum(sizes[p] for p in {*names.values(), place}))
        names[name] = place
    return sum(sizes[p] for p in set(names.values())), most


# %% answer="live_after" style="counts of references"
def live_after(lines):
    names, counts, sizes, alive, most = {}, {}, {}, 0, 0

    def let_go(name):
        nonlocal alive
        place = names.pop(name, None)
        if place is not None:
            counts[place] -= 1
            if not counts[place]:
                alive -= sizes[place]

    for number, (what, name, *more) in enumerate(lines):
        if what == "del":
            let_go(name)
            continue
        place = names[more[0]] if what in ("name", "view") else number
        if place == number:
            sizes[place] = 4 * more[0] if what == "new" else sizes[names[more[0]]]
            counts[place], alive = 0, alive + sizes[place]
            most = max(most, alive)
        counts[place] += 1
        let_go(name)
        names[name] = place
    return [alive, most]


# %% answer="live_after" style="Python's own counting"
class Box:
    def __init__(self, size):
        self.size = size


def live_after(lines):
    boxes, names, most = weakref.WeakSet(), {}, 0
    for what, name, *more in lines:
        if what == "del":
            del names[name]
            continue
        box = names.get(more[0]) if what in ("name", "view") else None
        if box is None:
            box = Box(4 * more[0] if what == "new" else names[more[0]].size)
            boxes.add(box)
        most = max(most, sum(one.size for one in boxes))
        names[name] = box
        del box
    return sum(one.size for one in boxes), most


# %% answer="live_after" spare="4 of 5"
# runs it and looks: right, but no books
def live_after(lines):
    start, names = mg.memory_allocated(), {}
    mg.reset_peak_memory_stats()
    for what, name, *more in lines:
        if what == "del":
            del names[name]
        elif what == "new":
            names[name] = mg.zeros(more[0])
        elif what == "name":
            names[name] = names[more[0]]
        else:
            names[name] = names[more[0]].view(-1) if what == "view" else names[more[0]].clone()
    return mg.memory_allocated() - start, mg.max_memory_allocated() - start


# %% answer="live_after" proof=true
def live_after(lines):
    start, names = mg.memory_allocated(), {}
    mg.reset_peak_memory_stats()
    for what, name, *more in lines:
        if what == "del":
            del names[name]
        elif what == "new":
            names[name] = mg.zeros(more[0])
        elif what == "name":
            names[name] = names[more[0]]
        else:
            names[name] = names[more[0]].view(-1) if what == "view" else names[more[0]].clone()
    return mg.memory_allocated() - start, mg.max_memory_allocated() - start


# %% answer="dies_with" wrong="Your probe never sees a tensor die"
# looks at the tensor through a name
def dies_with(make, delete):
    names = make()
    t = names["t"]
    watch = weakref.ref(t)
    delete(names)
    return watch() is None


# %% answer="dies_with" wrong="That the name `t` is gone says nothing"
# the name is the tensor
def dies_with(make, delete):
    names = make()
    delete(names)
    return "t" not in names


# %% answer="dies_with" wrong="it waits for the collector"
# memory is freed when the collector comes by, so call it
def dies_with(make, delete):
    names = make()
    watch = weakref.ref(names["t"])
    delete(names)
    gc.collect()
    return watch() is None


# %% answer="dies_with" wrong="`delete` may bring a tensor, too"
# counts bytes, also those that come
def dies_with(make, delete):
    names = make()
    before = mg.memory_allocated()
    size = names["t"].nbytes
    delete(names)
    return before - mg.memory_allocated() == size


# %% answer="dies_with" wrong="Return True or False"
# returns what it sees
def dies_with(make, delete):
    names = make()
    watch = weakref.ref(names["t"])
    delete(names)
    return None if watch() is None else "alive"


# %% answer="dies_with" wrong="a second `make` gives another tensor"
# make() is a name for the world
def dies_with(make, delete):
    watch = weakref.ref(make()["t"])
    delete(make())
    return watch() is None


# %% answer="dies_with" style="a finalizer"
def dies_with(make, delete):
    names = make()
    finalizer = weakref.finalize(names["t"], int)
    delete(names)
    dead = not finalizer.alive
    finalizer.detach()
    return dead


# %% answer="dies_with" style="a weak set"
def dies_with(make, delete):
    names, watched = make(), weakref.WeakSet()
    watched.add(names["t"])
    delete(names)
    return len(watched) == 0


# %% answer="dies_with" spare="3 of 4"
# a copy, to be safe
def dies_with(make, delete):
    names = make()
    copy = names["t"].clone()
    watch = weakref.ref(names["t"])
    delete(names)
    return watch() is None and copy is not None


# %% answer="dies_with" wrong="Each of your answers is the opposite"
import weakref


def dies_with(make, delete):
    names = make()
    watch = weakref.ref(names["t"])
    delete(names)
    return watch() is not None


# %% answer="dies_with" style="a bool of numpy"
import weakref

import numpy as np


def dies_with(make, delete):
    names = make()
    watch = weakref.ref(names["t"])
    delete(names)
    return np.array([watch() is None]).all()
