"""Cases on elements: each result, or a sum of all elements, is computed from a few numbers."""
import ctypes

import numpy

from cases.inputs import empty, floats, given
from hasten_library import of
from registry import Case

LONG, SMALL, OPTIONS, BODIES = 1 << 24, 1000, 5_000_000, 8192
RATE, VOLATILITY, SOFTENING = 0.02, 0.30, 0.01
HEIGHT, WIDTH, LIMIT = 1080, 1920, 255
LEFT, TOP, WIDE, HIGH = -2.5, -1.25, 3.5, 2.5


def two_vectors(n):
    return lambda: given(x=floats(1, n, low=-1), y=floats(2, n, low=-1), out=empty(n))


def ours_dot(library, n):
    return library.call("dot", of(n.x), of(n.y), out=(empty(),))


def ours_saxpy(library, n):
    return library.call("saxpy", ctypes.c_float(2.5), of(n.x), of(n.y), out=(n.out,))


def options():
    return given(price=floats(3, OPTIONS, low=5, high=30), strike=floats(4, OPTIONS, low=1, high=100),
                 years=floats(5, OPTIONS, low=0.25, high=10), call=empty(OPTIONS),
                 put=empty(OPTIONS))


def black_scholes(n):
    from scipy.special import ndtr
    s, x, t = (a.astype(numpy.float64) for a in (n.price, n.strike, n.years))
    deviation = VOLATILITY * numpy.sqrt(t)
    d1 = (numpy.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / deviation
    d2 = d1 - deviation
    discounted = x * numpy.exp(-RATE * t)
    return (s * ndtr(d1) - discounted * ndtr(d2), discounted * ndtr(-d2) - s * ndtr(-d1))


def bodies():
    return given(x=floats(6, BODIES, low=-10, high=10), y=floats(7, BODIES, low=-10, high=10),
                 z=floats(8, BODIES, low=-10, high=10), mass=floats(9, BODIES, low=0.1),
                 ax=empty(BODIES), ay=empty(BODIES), az=empty(BODIES))


def accelerations(n):
    x, y, z, mass = (a.astype(numpy.float64) for a in (n.x, n.y, n.z, n.mass))
    out = numpy.empty((3, BODIES))
    for i in range(0, BODIES, 256):
        ways = [a[None, :] - a[i:i + 256, None] for a in (x, y, z)]
        squares = sum(way * way for way in ways) + SOFTENING
        pull = mass / (squares * numpy.sqrt(squares))
        for axis, way in enumerate(ways):
            out[axis, i:i + 256] = (pull * way).sum(1)
    return tuple(out)


def view():
    real = (LEFT + numpy.arange(WIDTH, dtype=numpy.float32) * numpy.float32(WIDE / WIDTH))
    imaginary = (TOP + numpy.arange(HEIGHT, dtype=numpy.float32) * numpy.float32(HIGH / HEIGHT))
    return given(real=real.astype(numpy.float32), imaginary=imaginary.astype(numpy.float32),
                 out=empty(HEIGHT, WIDTH, dtype=numpy.int32))


def steps(n):
    """Computes in float32, since on the border of the set the last bit decides."""
    c = [a.ravel() for a in numpy.broadcast_arrays(n.real[None, :], n.imaginary[:, None])]
    out, at = numpy.full(HEIGHT * WIDTH, LIMIT, numpy.int32), numpy.arange(HEIGHT * WIDTH)
    real, imaginary = c
    zr, zi = real.copy(), imaginary.copy()
    for step in range(LIMIT):
        stays = zr * zr + zi * zi < 4
        if not stays.all():
            out[at[~stays]] = step
            at, zr, zi, real, imaginary = (a[stays] for a in (at, zr, zi, real, imaginary))
        zr, zi = zr * zr - zi * zi + real, 2 * zr * zi + imaginary
    return out.reshape(HEIGHT, WIDTH)


def ours_mandelbrot(library, n):
    numbers = [ctypes.c_int64(HEIGHT), ctypes.c_int64(WIDTH)]
    numbers += [ctypes.c_float(v) for v in (LEFT, TOP, WIDE, HIGH)]
    return library.call("mandelbrot", *numbers, ctypes.c_int32(LIMIT), out=(n.out,))


CASES = [
    Case("dot", "16777216 f32", two_vectors(LONG),
         lambda n: numpy.dot(n.x.astype(numpy.float64), n.y), ours_dot, tolerance=2e-2),
    Case("small-dot", "1000 f32, a call's cost", two_vectors(SMALL),
         lambda n: numpy.dot(n.x.astype(numpy.float64), n.y), ours_dot, tolerance=1e-3),
    Case("sum", "16777216 f32", lambda: given(x=floats(1, LONG)),
         lambda n: n.x.sum(dtype=numpy.float64),
         lambda library, n: library.call("sum", of(n.x), out=(empty(),))),
    Case("mean-variance", "16777216 f32", lambda: given(x=floats(1, LONG)),
         lambda n: (n.x.mean(dtype=numpy.float64), n.x.var(dtype=numpy.float64)),
         lambda library, n: library.call("mean_and_variance", of(n.x), out=(empty(), empty())),
         tolerance=2e-2),  # a single sum of so many floats loses two digits
    Case("saxpy", "16777216 f32", two_vectors(LONG),
         lambda n: 2.5 * n.x.astype(numpy.float64) + n.y, ours_saxpy),
    Case("black-scholes", "5000000 call+put f32", options, black_scholes,
         lambda library, n: library.call("black_scholes", of(n.price, n.strike, n.years),
                                         out=((n.call, n.put),)), tolerance=1e-3),
    Case("nbody", "8192 bodies f32", bodies, accelerations,
         lambda library, n: library.call("nbody", of(n.x, n.y, n.z, n.mass),
                                         out=((n.ax, n.ay, n.az),)), tolerance=1e-3,
         may_differ=1e-3),  # roots may be approximate
    Case("mandelbrot", "1920x1080 limit 255", view, steps, ours_mandelbrot, tolerance=1e-6,
         may_differ=0.02),
]
