"""A tensor held by a named tuple."""
import collections

import torch

torch.manual_seed(0)
Step = collections.namedtuple("Step", "state action")
st = Step(torch.randn(8, 8), 1)
TARGET = lambda: st.state
EXPECT = ['st.state', 'st[0]']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
