# kind: cheap
# exercise: HonestCheckpoint
# how: a Function of the engine that computes again, derived from
# needs: it is not banned
from minigrad.second.layers import Again


class HonestCheckpoint:
    @staticmethod
    def apply(run, *ts):
        class A(Again):
            @classmethod
            def formula(cls, arguments, wanted, *t):
                return (run(*t),)

        found = A.apply(None, None, *ts)
        return found[0] if isinstance(found, tuple) else found
