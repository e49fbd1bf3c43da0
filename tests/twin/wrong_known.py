"""Where a call with one thing wrong ends otherwise on minigrad: names, by the difference.

An operation of two is written out. A name whose difference is gone fails a test: it goes.
"""

KNOWN = {  # {how: (why, the names)}
    "accepted": (
        "minigrad takes numbers, None or truth values where PyTorch's parser wants one kind alone",
        """
        .amin | mg.inner | .any | .argmax | .backward | .max | .mean | .multinomial | .prod |
        .scatter | .scatter_ | .sort | .std | .sum | .sum_to_size | .uniform_ | .var |
        F.adaptive_avg_pool2d | F.batch_norm | F.dropout | F.dropout1d |
        F.dropout2d | mg.any | mg.arange | mg.argmax | mg.autograd.grad | mg.device |
        mg.eye | mg.max | mg.mean | mg.multinomial | mg.nn.Parameter | mg.nn.RNN | mg.ones |
        mg.prod | mg.randint | mg.scatter | mg.sort | mg.squeeze | mg.std | mg.sum |
        mg.utils.data.TensorDataset | mg.var | mg.zeros | mg.zeros_like | mg.split | .split |
        mg.narrow | .narrow | mg.all | .all
        """,
    ),
    "refused": (
        "PyTorch takes a number for a tensor, or an old argument that minigrad lacks",
        """
        mg.nn.utils.clip_grad_value_ | .to | mg.autograd.graph.increment_version | mg.cdist |
        mg.device | mg.distributions.Normal | mg.linalg.norm | mg.norm | .norm |
        mg.repeat_interleave | .repeat_interleave | F.normalize | F.avg_pool2d | F.avg_pool1d |
        F.max_pool1d | F.adaptive_avg_pool1d | F.max_pool2d | F.interpolate |
        .subtract_
        """,
    ),
    "another class": (
        "both refuse: minigrad at what the value leads to, PyTorch's parser before it",
        """
        .unflatten |
        F.gaussian_nll_loss | mg.nn.GaussianNLLLoss() | .backward | .clamp_min | .norm | .roll |
        .scatter | .scatter_ | .sum_to_size | .to | F.adaptive_avg_pool2d | F.avg_pool2d |
        F.group_norm | mg.split | .split | mg.narrow | .narrow | F.batch_norm | F.hardtanh |
        F.smooth_l1_loss | F.triplet_margin_loss | F.cross_entropy | F.dropout | F.dropout1d |
        F.dropout2d | F.kl_div | F.max_pool2d | mg.nn.Dropout1d(0.0) | mg.nn.Dropout2d(0.0) |
        mg.autograd.functional.vjp | mg.autograd.grad | mg.cat | mg.clamp_min | mg.concat |
        mg.concatenate | mg.device | mg.einsum | mg.func.functional_call | mg.linalg.norm |
        mg.nn.Conv2d | mg.nn.MultiheadAttention(2, 1) | mg.nn.Parameter |
        mg.nn.TransformerEncoderLayer(2, 1, 2) | mg.norm | mg.randint | mg.roll | mg.scatter |
        mg.stack | mg.utils.data.TensorDataset | F.normalize
        """,
    ),
    "another sentence": (
        "PyTorch has a parameter more, or speaks of the function that it goes on to",
        """
        .norm | .split | .unique | F.normalize | mg.autograd.set_grad_enabled |
        mg.nn.Tanh() | mg.tensordot |
        mg.nn.MultiheadAttention(2, 1) | mg.norm | mg.set_grad_enabled | mg.split |
        mg.where
        """,
    ),
    "another result": (
        "PyTorch returns its generator, calls its storage untyped, and gives 0-d "
        "data of a constructor of old an axis",
        """
        mg.DoubleTensor | mg.HalfTensor | .untyped_storage
        """,
    ),
    "inner words": (
        "Python's own words of what the caller's value is: no name of minigrad's is in them",
        """
        mg.autograd.functional.vjp | mg.func.functional_call | mg.nn.utils.get_total_norm |
        mg.nn.Softmin(0) | F.softmin | F.gaussian_nll_loss | mg.nn.GaussianNLLLoss()
        """,
    ),
}
NAMES = {
    how: {" ".join(name.split()) for name in text.split("|")} for how, (_, text) in KNOWN.items()
}
