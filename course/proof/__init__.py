"""The proof in three tiers: `run.py test`, `run.py test --ci`, `run.py test --long`.

`tiers` says which steps each has, `runner` runs them, `places` makes environments that lack a
package or have another, `kernels` finds what OpenBLAS can use on this processor, `apart` finds the
tests that are the same without PyTorch.
"""
