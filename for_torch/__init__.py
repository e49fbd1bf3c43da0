"""Files for PyTorch, each of which is copied alone: README.md says which."""
