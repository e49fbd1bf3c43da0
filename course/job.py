"""Lesson 17: a small training job whose memory grows, and by how much; the lesson finds out why."""

import minigrad as mg
from course.data import digits

nn, cross_entropy = mg.nn, mg.nn.functional.cross_entropy  # whichever engine goes by the name
ROWS = 64  # images of a batch, and of the held-out ones


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(64, 32), nn.Linear(32, 10)
        self.features = []  # for a plot that somebody once wanted

    def forward(self, images):
        h = self.body(images).tanh()
        self.features.append(h)
        return self.head(h)


class Job:
    def __init__(self, net):
        self.data, self.net, self.turn = digits(), net, 0
        self.optimizer = mg.optim.Adam(net.parameters(), lr=0.01)
        self.held_out = mg.tensor(self.data.test_images[:ROWS])
        self.answers = mg.tensor(self.data.test_labels[:ROWS])
        self.scores, self.average = [], 0.0

    parts = "load", "forward", "backward", "update", "validate", "log"

    def step(self):
        for part in self.parts:
            getattr(self, part)()

    def load(self):
        first = self.turn % 20 * ROWS
        rows = slice(first, first + ROWS)
        self.images = mg.tensor(self.data.train_images[rows])
        self.labels = mg.tensor(self.data.train_labels[rows])
        self.turn += 1

    def loss_of(self, images, labels):
        return cross_entropy(self.net(images), labels)

    def forward(self):
        self.loss = self.loss_of(self.images, self.labels)

    def backward(self):
        self.loss.backward()

    def update(self):
        self.optimizer.step()
        self.optimizer.zero_grad()

    def validate(self):
        self.scores.append(self.loss_of(self.held_out, self.answers))

    def log(self):
        self.average = 0.9 * self.average + 0.1 * self.loss


def grown(job, parts=Job.parts, turns=5):
    """Bytes that a turn of these parts adds, after as many others."""

    def alive_after():
        for _ in range(turns):
            for part in parts:
                getattr(job, part)()
        return mg.memory_allocated()

    warm = alive_after()
    return (alive_after() - warm) // turns


def after_each(job, turns):
    """Bytes alive after each turn, beyond those that were there before."""
    start, found = mg.memory_allocated(), []
    for _ in range(turns):
        job.step()
        found.append(mg.memory_allocated() - start)
    return found


def new_job(net=Net, kind=Job):
    """A job of this kind, on a net of this kind: the same each time."""
    mg.manual_seed(0)
    return kind(net())
