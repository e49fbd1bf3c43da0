"""Names that programs of strangers wanted: formats, a module's mappings, hooks of optimizers."""

from tests.twin.registry import case


@case("memory_format: a copy lies as it did, or in order")
def case_formats(mg, out):
    x = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).t().requires_grad_()
    for format in (mg.preserve_format, mg.contiguous_format, None):
        copies = [
            x.clone(memory_format=format),
            mg.clone(x, memory_format=format),
            x.to(memory_format=format),
            x.to(mg.float64, memory_format=format),
            x.to(mg.float32, copy=True, memory_format=format),
        ]
        copies += [like(x, memory_format=format) for like in (mg.zeros_like, mg.ones_like)]
        copies += [mg.full_like(x, 2.0, memory_format=format)]
        out(f"{format}".replace("minigrad", "torch"), [[y, y.stride(), y is x] for y in copies])
        drawn = [like(x, memory_format=format) for like in (mg.rand_like, mg.randn_like)]
        out("drawn", [y.stride() for y in [*drawn, mg.empty_like(x, memory_format=format)]])
    y = x.contiguous(memory_format=mg.contiguous_format)
    out("contiguous", [y.stride(), y.contiguous(memory_format=mg.preserve_format) is y])
    y.sum().backward()
    out("gradient", x.grad)
    out.error("contiguous, as it lies", lambda: x.contiguous(memory_format=mg.preserve_format))
    out.error("contiguous, None", lambda: x.contiguous(memory_format=None))
    out.error("no format", lambda: x.clone(memory_format=1))
    out.error("no format of zeros", lambda: mg.zeros_like(x, memory_format="C"))
