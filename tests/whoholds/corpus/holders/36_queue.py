"""A tensor held by a queue."""
import queue

import torch

torch.manual_seed(0)
q = queue.Queue()
q.put(torch.randn(8, 8))
TARGET = lambda: q.queue[0]
EXPECT = ['q.queue[0]', ['q', 'queue']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
