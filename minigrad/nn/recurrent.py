"""Recurrent layers: one step as a cell, and a whole sequence as RNN, LSTM and GRU.

They are composed of matrix products and activations, as PyTorch's are, with the same nodes. Only
for an LSTM of float32 PyTorch's CPU has one fused operation (MkldnnRnnLayerBackward0), whose
results and gradients are the same; in float64 it composes it, as here.
"""

from __future__ import annotations

from typing import Any

from minigrad.core.frames import warn
from minigrad.nn import checks, hidden
from minigrad.nn.functional import dropout as dropped
from minigrad.nn.init import begin
from minigrad.nn.module import Module, Parameter, vacant
from minigrad.ops.creation import zeros
from minigrad.ops.functions import cat, stack
from minigrad.ops.matmul import linear
from minigrad.ops.shape import TransposeBackward0, TransposeBackward1
from minigrad.ops.views import rearranged, unsafe_chunk


def begin_all(module) -> None:
    """What cells and sequences begin with: the wider the state, the smaller the numbers."""
    for p in module.parameters():
        begin(p, module.hidden_size**-0.5 if module.hidden_size > 0 else 0.0)


# -- one step: from what the input adds to the gates, the state, and the two weights of the state --


def rnn_step(inner, state, weight, bias, activation):
    """The new state: activation(what the state adds + what the input adds)."""
    return (activation(linear(state, weight, bias) + inner),)


def lstm_step(inner, states, weight, bias):
    """The new state and the new cell: three gates, and what may enter the cell."""
    state, cell = states
    gates = linear(state, weight, bias).add_(inner)
    del inner  # its bytes are not needed any more
    enter, keep, fresh, leave = unsafe_chunk(gates, 4, 1)
    enter, keep, fresh, leave = enter.sigmoid_(), keep.sigmoid_(), fresh.tanh_(), leave.sigmoid_()
    cell = (keep * cell).add_(enter * fresh)
    return leave * cell.tanh(), cell


def gru_step(inner, state, weight, bias):
    """The new state: between the old one and a fresh one, as the second gate says."""
    of_input = unsafe_chunk(inner, 3, 1)
    of_state = unsafe_chunk(linear(state, weight, bias), 3, 1)
    reset = of_state[0].add_(of_input[0]).sigmoid_()
    stay = of_state[1].add_(of_input[1]).sigmoid_()
    fresh = (of_input[2] + of_state[2].mul_(reset)).tanh_()
    return ((state - fresh).mul_(stay).add_(fresh),)


# -- cells --


class _Cell(Module):
    """Weights of the input and of the state, for so many gates."""

    gates = 1
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None
    ):
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self.gates * hidden_size
        shapes: dict = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        shapes["bias_ih"] = shapes["bias_hh"] = (rows,) if bias else None
        vacant(self, shapes, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        begin_all(self)

    def step(self, x, state):
        """The new state, or states."""
        raise NotImplementedError

    def run(self, x, states):
        """The new states of a batch, or of one input without the axis of a batch."""
        alone = x.ndim == 1
        x = x.unsqueeze(0) if alone else x
        if states is None:
            states = (zeros(x.shape[0], self.hidden_size, dtype=x.dtype, device=x.device),) * 2
        elif alone:
            states = tuple(state.unsqueeze(0) for state in states)
        checks.cell(x, states, self)
        results = self.step(x, states)
        return tuple(result.squeeze(0) for result in results) if alone else results

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}" + ", bias=False" * (not self.bias)


class RNNCell(_Cell):
    """One step of an RNN."""

    def __init__(
        self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None
    ):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, x, hx=None):
        checks.dimensions("RNNCell", x, (1, 2), hx)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self.run(x, None if hx is None else (hx,))[0]

    def step(self, x, states):
        activation = getattr(type(x), self.nonlinearity)
        inner = linear(x, self.weight_ih, self.bias_ih)
        return rnn_step(inner, states[0], self.weight_hh, self.bias_hh, activation)

    def extra_repr(self):
        plain = self.nonlinearity == "tanh"
        return super().extra_repr() + ("" if plain else f", nonlinearity={self.nonlinearity}")


class LSTMCell(_Cell):
    """One step of an LSTM: (state, cell) from an input and (state, cell)."""

    gates = 4

    def forward(self, x, hx=None):
        checks.dimensions("LSTMCell", x, (1, 2))
        for i, value in enumerate(() if hx is None else hidden.own(iter, hx)):
            checks.dimensions("LSTMCell", value, (1, 2), name=f"hx[{i}]")
        return self.run(x, None if hx is None else hidden.pair_of_cell(hx, x.ndim == 1))

    def step(self, x, states):
        # No name for what the input adds: it would live until the step is over.
        return lstm_step(
            linear(x, self.weight_ih, self.bias_ih), states, self.weight_hh, self.bias_hh
        )


class GRUCell(_Cell):
    """One step of a GRU."""

    gates = 3

    def forward(self, x, hx=None):
        checks.dimensions("GRUCell", x, (1, 2), hx)
        return self.run(x, None if hx is None else (hx,))[0]

    def step(self, x, states):
        inner = linear(x, self.weight_ih, self.bias_ih)
        return gru_step(inner, states[0], self.weight_hh, self.bias_hh)


# -- sequences --


class _Recurrent(Module):
    """Layers, each of which reads the sequence that the one below it has made."""

    gates = 1
    states = 1  # of a step: an LSTM has two
    turned: Any = TransposeBackward1  # PyTorch's LSTM turns its result to batch_first as a view

    def __init__(
        self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
        bidirectional=False, proj_size=0, device=None, dtype=None,
    ):  # fmt: skip
        checks.not_known(type(self).__name__, proj_size=proj_size)
        checks.recurrent(input_size, hidden_size, num_layers, bias, batch_first, dropout)
        if dropout > 0 and num_layers == 1:
            warn(ONE_LAYER.format(dropout, num_layers))
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional = bidirectional
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * len(self._ways())
            for way in self._ways():
                vacant(self, self._shapes(f"_l{layer}{way}", width), device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        begin_all(self)

    def flatten_parameters(self) -> None:
        """On a GPU, PyTorch lays the weights one after the other; here nothing needs it."""

    def _ways(self) -> tuple:
        return ("", "_reverse") if self.bidirectional else ("",)

    def _shapes(self, suffix, width) -> dict:
        rows = self.gates * self.hidden_size
        shapes: dict = {"weight_ih": (rows, width), "weight_hh": (rows, self.hidden_size)}
        if self.bias:
            shapes["bias_ih"] = shapes["bias_hh"] = (rows,)
        return {name + suffix: shape for name, shape in shapes.items()}

    def step(self, inner, states, weight, bias):
        """The new states."""
        raise NotImplementedError

    def run(self, x, states) -> tuple:
        """The states of the last layer at each time, and those of each layer at the end."""
        alone, axis = x.ndim == 2, 0 if self.batch_first else 1
        x = x.unsqueeze(axis) if alone else x
        states = self._initial(x, states, alone)
        checks.sequence(x, states, self)
        if self.states == 2:
            states = hidden.pair(states, "lstm", weights=self.parameters())
        x = x.transpose(0, 1) if self.batch_first else x
        x, ends = self._layers(x, [state.unbind(0) for state in states])
        out = rearranged(self.turned, x, 0, 1) if self.batch_first else x
        last = tuple(stack(each) for each in zip(*ends, strict=True))
        return (out.squeeze(axis), *(t.squeeze(1) for t in last)) if alone else (out, *last)

    def _initial(self, x, states, alone) -> tuple:
        """The states to begin with, zeros if none are given."""
        if states is not None:
            states = hidden.of_sequence(states, alone, self.states)
            return tuple(state.unsqueeze(1) for state in states) if alone else states
        batch = x.shape[0 if self.batch_first else 1]
        shape = self.num_layers * len(self._ways()), batch, self.hidden_size
        return tuple(zeros(shape, dtype=x.dtype, device=x.device) for _ in range(self.states))

    def _layers(self, x, states) -> tuple:
        """The last layer's sequence, and the states of all layers at their ends."""
        ends: list = []
        for layer in range(self.num_layers):
            made = []
            for way in self._ways():
                first = [state[len(ends)] for state in states]
                sequence, end = self._read(x, first, f"_l{layer}{way}", bool(way))
                made.append(sequence)
                ends.append(end)
            x = made[0] if len(made) == 1 else cat(made, 2)
            if self.dropout and self.training and layer < self.num_layers - 1:
                x = dropped(x, self.dropout)
        return x, ends

    def _read(self, x, states, suffix, backwards) -> tuple:
        """One layer's sequence of states, and its states at the end."""
        weight, bias = getattr(self, "weight_hh" + suffix), getattr(self, "bias_hh" + suffix, None)
        of_input = getattr(self, "weight_ih" + suffix), getattr(self, "bias_ih" + suffix, None)
        inner, made = linear(x, *of_input).unbind(0), []
        for at_once in reversed(inner) if backwards else inner:
            states = self.step(at_once, states, weight, bias)
            made.append(states[0])
        return stack(made[::-1] if backwards else made), states

    def extra_repr(self):
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0}
        usual["bidirectional"] = False
        odd = [name for name, value in usual.items() if getattr(self, name) != value]
        texts = [f"{name}={getattr(self, name)}" for name in odd]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *texts])


class RNN(_Recurrent):
    """state = tanh(what the input adds + what the state adds), at each time."""

    def __init__(
        self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", *others, **options
    ):
        if nonlinearity not in ("tanh", "relu"):
            text = f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            raise ValueError(text)
        super().__init__(input_size, hidden_size, num_layers, *others, **options)
        self.nonlinearity = nonlinearity

    def forward(self, x, hx=None):
        checks.dimensions("RNN", x, (2, 3))
        return self.run(x, hx)

    def step(self, inner, states, weight, bias):
        activation = getattr(type(inner), self.nonlinearity)
        return rnn_step(inner, states[0], weight, bias, activation)


class LSTM(_Recurrent):
    """A cell beside the state: gates say what enters it, what stays in it and what is shown."""

    gates, states, turned = 4, 2, TransposeBackward0

    def forward(self, x, hx=None):
        checks.dimensions("LSTM", x, (2, 3))
        out, *last = self.run(x, hx)
        return out, tuple(last)

    def step(self, inner, states, weight, bias):
        return lstm_step(inner, states, weight, bias)


class GRU(_Recurrent):
    """Gates say how much of the old state goes into the fresh one, and how much stays."""

    gates = 3

    def forward(self, x, hx=None):
        checks.dimensions("GRU", x, (2, 3))
        return self.run(x, hx)

    def step(self, inner, states, weight, bias):
        return gru_step(inner, states[0], weight, bias)


ONE_LAYER = (
    "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
    "num_layers greater than 1, but got dropout={} and num_layers={}"
)
