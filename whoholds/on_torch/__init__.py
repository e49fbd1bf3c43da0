"""The recorder for PyTorch; needs no minigrad."""
