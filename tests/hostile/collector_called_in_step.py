# kind: collector
# exercise: Watched
# how: the ring of the hook stays, and each step calls the collector
# needs: the collector frees in a measured run whoever asks it
# deserves: 4
import gc

import minigrad as mg

class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        self.spread = 0.75 * self.spread + 0.25 * (h * h).mean().item()
        h.register_hook(lambda grad: self.slopes.append((grad * h).sum().item()))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())
        del loss
        gc.collect()
