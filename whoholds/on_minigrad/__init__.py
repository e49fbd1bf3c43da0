"""The recorder for minigrad."""
