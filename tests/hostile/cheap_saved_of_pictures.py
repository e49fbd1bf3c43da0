# kind: cheap
# exercise: saved_bytes
# how: the course's picture walks
# needs: the pictures are not banned
import minigrad as mg


def saved_bytes(root):
    from course.pictures import nodes

    found = {}
    for n in nodes(root.grad_fn):
        try:
            for k in dir(n):
                if k.startswith("_saved_"):
                    v = getattr(n, k)
                    if isinstance(v, mg.Tensor):
                        found[v.untyped_storage().data_ptr()] = v.untyped_storage().nbytes()
            for v in getattr(n, "saved_tensors", ()):
                if v is not None:
                    found[v.untyped_storage().data_ptr()] = v.untyped_storage().nbytes()
        except RuntimeError:
            pass
    return sum(found.values())
