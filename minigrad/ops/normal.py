"""The normal distribution: numpy has no error function, and CuPy's stands outside of numpy's names.

For z >= 0, erfc(z) = t * e**(-z*z + P(t)) with t = 2 / (2 + z), and P is smooth: a series of
Chebyshev's polynomials gives it to the last digit, with as many terms as the dtype has digits.
"""

from __future__ import annotations

import numpy as np

TERMS = (
    -1.3026537197817094342, 0.6419697923564902603, 0.019476473204185836312,
    -0.0095615147868086316419, -0.0009465953444820368663, 0.00036683949785276145187,
    0.000042523324806907771645, -0.000020278578112534243154, -1.6242900046470255135e-6,
    1.3036558355805232018e-6, 1.5626441722066143178e-8, -8.5238095914926542525e-8,
    6.5290544390988514964e-9, 5.0593434955514689418e-9, -9.9136415649303308674e-10,
    -2.2736512229318358557e-10, 9.646791102015526802e-11, 2.3940380830391147447e-12,
    -6.8860275264975533984e-12, 8.9448792730907257167e-13, 3.1309213993429580783e-13,
    -1.1270822361367252366e-13, 3.8109052551892320553e-16, 7.1060976136092369877e-15,
    -1.5230282014571043043e-15, -9.457494571291234002e-17, 1.2102371892242789925e-16,
)  # fmt: skip
OF_FLOAT32 = 13
ROOT_HALF = 0.5**0.5


def tail(z):
    """erfc(z), for z >= 0: twice the share of a normal distribution beyond z times root 2."""
    terms = TERMS if z.dtype == np.float64 else TERMS[:OF_FLOAT32]
    t = 2 / (2 + z)
    u = 2 * t - 1
    now = before = np.zeros_like(z)
    for term in terms[:0:-1]:  # Clenshaw's way to sum them up
        now, before = term + 2 * u * now - before, now
    return t * np.exp(0.5 * terms[0] + u * now - before - z * z)


def cumulative(x):
    """The share of a normal distribution that lies below x."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    half = 0.5 * tail(np.where(x > 0, wide, -wide) * ROOT_HALF)  # abs() has no slope at 0
    return np.where(x > 0, 1 - half, half).astype(x.dtype, copy=False)


def density(x):
    """How dense a normal distribution is at x."""
    return np.exp(-0.5 * x * x) * (ROOT_HALF / np.pi**0.5)
