"""Second derivatives, and higher ones: what create_graph=True records.

recorded.py runs a node's rule so that it is recorded; stand_in.py shows it tensors in place of
arrays; rules.py and layers.py have what PyTorch records as one operation.
"""

from minigrad.second import recorded  # noqa: F401
