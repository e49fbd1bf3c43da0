"""Modules that only show what others define: PyTorch keeps it in a file of that name."""

from __future__ import annotations

import sys
from types import ModuleType

FILES = {
    "minigrad.distributions": """
bernoulli Bernoulli
categorical Categorical
distribution Distribution
kl kl_divergence
normal Normal
""",
    "minigrad.nn.utils": """
clip_grad clip_grad_norm clip_grad_norm_ clip_grad_value_ get_total_norm
convert_parameters parameters_to_vector vector_to_parameters
""",
    "minigrad.optim": """
adagrad Adagrad
adam Adam
adamax Adamax
adamw AdamW
nadam NAdam
rmsprop RMSprop
sgd SGD
""",
    "minigrad.utils.data": """
dataloader DataLoader default_collate default_convert
dataset ChainDataset ConcatDataset Dataset IterableDataset Subset TensorDataset random_split
sampler BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler
    WeightedRandomSampler
""",
}


def shown(module: str, listed: str, source: dict) -> None:
    """Below `module` stand those of `listed`, a line for each: its name, then what it shows."""
    for line in listed.strip().replace("\n    ", " ").split("\n"):
        file, *names = line.split()
        below = sys.modules[f"{module}.{file}"] = ModuleType(f"{module}.{file}")
        vars(below).update({name: source[name] for name in names})
        if module != "minigrad.optim":  # from which PyTorch takes them away again
            setattr(sys.modules[module], file, below)
    vars(sys.modules[module]).setdefault("__path__", [])  # Python takes it for a package, as there
