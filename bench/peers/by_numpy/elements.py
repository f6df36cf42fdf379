"""NumPy's forms of the cases on elements: ufuncs into preallocated memory, block by block where
that saves memory traffic."""
import numpy
from numpy import add, divide, exp, less, log, multiply, sqrt, subtract
from scipy.special import ndtr

from cases import elements
from registry import form

BLOCK = 1 << 15  # elements, so that intermediate results of ufuncs stay in a cache


@form("numpy", "dot", "small-dot")
def dot(n):
    return lambda: numpy.dot(n.x, n.y)


@form("numpy", "sum")
def total(n):
    return lambda: n.x.sum()


@form("numpy", "mean-variance")
def mean_variance(n):
    return lambda: (n.x.mean(), n.x.var())


@form("numpy", "saxpy")
def saxpy(n):
    def run():
        multiply(n.x, numpy.float32(2.5), out=n.out)
        return add(n.out, n.y, out=n.out)
    return run


@form("numpy", "black-scholes")
def black_scholes(n):
    rate, volatility = numpy.float32(elements.RATE), numpy.float32(elements.VOLATILITY)
    drift = numpy.float32(elements.RATE + 0.5 * elements.VOLATILITY ** 2)

    def block(part):
        s, x, t = n.price[part], n.strike[part], n.years[part]
        deviation = volatility * sqrt(t)
        d1 = (log(divide(s, x)) + drift * t) / deviation
        n1, n2 = ndtr(d1), ndtr(d1 - deviation)
        discounted = x * exp(-rate * t)
        subtract(s * n1, discounted * n2, out=n.call[part])
        subtract(discounted * (1 - n2), s * (1 - n1), out=n.put[part])

    def run():
        for begin in range(0, len(n.price), BLOCK):
            block(slice(begin, begin + BLOCK))
        return n.call, n.put
    return run


@form("numpy", "nbody")
def nbody(n):
    def run():
        for i in range(0, elements.BODIES, 64):
            part = slice(i, i + 64)
            ways = [a[None, :] - a[part, None] for a in (n.x, n.y, n.z)]
            inverse = 1 / sqrt(sum(w * w for w in ways) + numpy.float32(elements.SOFTENING))
            pull = n.mass * inverse * inverse * inverse
            for out, way in zip((n.ax, n.ay, n.az), ways):
                numpy.einsum("ij,ij->i", pull, way, out=out[part])
        return n.ax, n.ay, n.az
    return run


@form("numpy", "mandelbrot")
def mandelbrot(n):
    def run():
        for row, c in enumerate(n.imaginary):
            zr, zi = n.real.copy(), numpy.full_like(n.real, c)
            real, imaginary, at = n.real, zi.copy(), numpy.arange(elements.WIDTH)
            out = n.out[row]
            out[:] = elements.LIMIT
            for step in range(elements.LIMIT):
                a, b = zr * zr, zi * zi
                stays = less(a + b, 4)
                if not stays.all():
                    out[at[~stays]] = step
                    at, zr, zi, real, imaginary, a, b = (
                        v[stays] for v in (at, zr, zi, real, imaginary, a, b))
                    if not len(at):
                        break
                zr, zi = a - b + real, 2 * zr * zi + imaginary
        return n.out
    return run
