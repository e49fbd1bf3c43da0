# kind: cheap
# exercise: saved_bytes
# how: the first edge of each node, no other
# needs: only some cases have branches
# deserves: 3
import minigrad as mg


def saved_bytes(root):
    n, f = root.grad_fn, {}
    while n is not None:
        try:
            for v in [getattr(n, k) for k in dir(n) if k.startswith("_saved_")] + list(
                getattr(n, "saved_tensors", ())
            ):
                if isinstance(v, mg.Tensor):
                    f[v.untyped_storage().data_ptr()] = v.untyped_storage().nbytes()
        except RuntimeError:
            pass
        n = n.next_functions[0][0] if n.next_functions else None
    return sum(f.values())
