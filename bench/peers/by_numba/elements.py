"""Numba's forms of the cases on elements."""
import math

import numpy
from numba import njit, prange

from cases import elements
from registry import form

F = numpy.float32
RATE, VOLATILITY, SOFTENING = F(elements.RATE), F(elements.VOLATILITY), F(elements.SOFTENING)
DRIFT = F(elements.RATE + 0.5 * elements.VOLATILITY ** 2)
LIMIT = elements.LIMIT


@njit(parallel=True, fastmath=True)
def _dot(x, y):
    total = F(0)
    for i in prange(len(x)):
        total += x[i] * y[i]
    return total


@njit(fastmath=True)
def _small_dot(x, y):
    total = F(0)
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@njit(parallel=True, fastmath=True)
def _sum(x):
    total = F(0)
    for i in prange(len(x)):
        total += x[i]
    return total


@njit(parallel=True, fastmath=True)
def _mean_variance(x):
    total = F(0)
    for i in prange(len(x)):
        total += x[i]
    mean = total / F(len(x))
    squares = F(0)
    for i in prange(len(x)):
        squares += (x[i] - mean) * (x[i] - mean)
    return mean, squares / F(len(x))


@njit(parallel=True, fastmath=True)
def _saxpy(a, x, y, out):
    for i in prange(len(x)):
        out[i] = a * x[i] + y[i]


@njit(fastmath=True)
def _normal(d):
    k = F(1) / (F(1) + F(0.2316419) * abs(d))
    p = k * (F(0.31938153) + k * (F(-0.356563782) + k * (F(1.781477937) + k * (
        F(-1.821255978) + k * F(1.330274429)))))
    tail = F(0.39894228040143267794) * math.exp(F(-0.5) * d * d) * p
    return F(1) - tail if d > F(0) else tail


@njit(parallel=True, fastmath=True)
def _black_scholes(price, strike, years, call, put):
    for i in prange(len(price)):
        s, x, t = price[i], strike[i], years[i]
        deviation = VOLATILITY * math.sqrt(t)
        d1 = (math.log(s / x) + DRIFT * t) / deviation
        n1, n2 = _normal(d1), _normal(d1 - deviation)
        discounted = x * math.exp(-RATE * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (F(1) - n2) - s * (F(1) - n1)


@njit(parallel=True, fastmath=True)
def _nbody(x, y, z, mass, ax, ay, az):
    for i in prange(len(x)):
        sx, sy, sz = F(0), F(0), F(0)
        for j in range(len(x)):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            inverse = F(1) / math.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
            pull = mass[j] * inverse * inverse * inverse
            sx += pull * dx
            sy += pull * dy
            sz += pull * dz
        ax[i], ay[i], az[i] = sx, sy, sz


@njit(parallel=True, fastmath=True)
def _mandelbrot(real, imaginary, out):
    for i in prange(len(imaginary)):
        for j in range(len(real)):
            zr, zi, step = real[j], imaginary[i], 0
            while zr * zr + zi * zi < F(4) and step < LIMIT:
                zr, zi = zr * zr - zi * zi + real[j], F(2) * zr * zi + imaginary[i]
                step += 1
            out[i, j] = step


LANES = 16


@njit(parallel=True, fastmath=True)
def _mandelbrot_in_lanes(real, imaginary, out):
    for i in prange(len(imaginary)):
        zr, zi = numpy.empty(LANES, F), numpy.empty(LANES, F)
        steps = numpy.empty(LANES, numpy.int32)
        for j in range(0, len(real), LANES):
            for k in range(LANES):
                zr[k], zi[k], steps[k] = real[j + k], imaginary[i], 0
            for _ in range(LIMIT):
                going = 0
                for k in range(LANES):
                    a, b = zr[k] * zr[k], zi[k] * zi[k]
                    stays = numpy.int32(1) if a + b < F(4) else numpy.int32(0)
                    steps[k] += stays
                    going += stays
                    # A point that has left keeps its value, so that it does not become NaN.
                    zi[k] = F(2) * zr[k] * zi[k] + imaginary[i] if stays else zi[k]
                    zr[k] = a - b + real[j + k] if stays else zr[k]
                if going == 0:
                    break
            for k in range(LANES):
                out[i, j + k] = steps[k]


@form("numba", "dot")
def dot(n):
    return lambda: _dot(n.x, n.y)


@form("numba", "small-dot")
def small_dot(n):
    return lambda: _small_dot(n.x, n.y)


@form("numba", "sum")
def total(n):
    return lambda: _sum(n.x)


@form("numba", "mean-variance")
def mean_variance(n):
    return lambda: _mean_variance(n.x)


@form("numba", "saxpy")
def saxpy(n):
    def run():
        _saxpy(F(2.5), n.x, n.y, n.out)
        return n.out
    return run


@form("numba", "black-scholes")
def black_scholes(n):
    def run():
        _black_scholes(n.price, n.strike, n.years, n.call, n.put)
        return n.call, n.put
    return run


@form("numba", "nbody")
def nbody(n):
    def run():
        _nbody(n.x, n.y, n.z, n.mass, n.ax, n.ay, n.az)
        return n.ax, n.ay, n.az
    return run


def _mandelbrot_by(compiled):
    def prepare(n):
        def run():
            compiled(n.real, n.imaginary, n.out)
            return n.out
        return run
    return prepare


form("numba", "mandelbrot")(_mandelbrot_by(_mandelbrot))
form("numba/lanes by hand", "mandelbrot")(_mandelbrot_by(_mandelbrot_in_lanes))
