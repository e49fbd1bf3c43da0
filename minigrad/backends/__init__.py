"""torch.backends: switches of libraries that minigrad does not use.

Programs set them, and nothing else happens.
"""

from types import SimpleNamespace

from minigrad.backends import cudnn, mps  # noqa: F401

cuda = SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False), is_built=lambda: False)
