"""Taichi's forms of the cases on elements."""
import taichi as ti

from cases import elements
from registry import form

RATE, VOLATILITY, SOFTENING = elements.RATE, elements.VOLATILITY, elements.SOFTENING
LIMIT = elements.LIMIT
V = ti.types.ndarray(dtype=ti.f32, ndim=1)
M = ti.types.ndarray(dtype=ti.i32, ndim=2)


@ti.kernel
def _dot(x: V, y: V) -> ti.f32:
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@ti.kernel
def _sum(x: V) -> ti.f32:
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    return total


@ti.kernel
def _squares(x: V, mean: ti.f32) -> ti.f32:
    total = 0.0
    for i in range(x.shape[0]):
        total += (x[i] - mean) * (x[i] - mean)
    return total


@ti.kernel
def _saxpy(a: ti.f32, x: V, y: V, out: V):
    for i in range(x.shape[0]):
        out[i] = a * x[i] + y[i]


@ti.func
def _normal(d):
    k = 1.0 / (1.0 + 0.2316419 * ti.abs(d))
    p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * ti.exp(-0.5 * d * d) * p
    return ti.select(d > 0, 1.0 - tail, tail)


@ti.kernel
def _black_scholes(price: V, strike: V, years: V, call: V, put: V):
    for i in range(price.shape[0]):
        s, x, t = price[i], strike[i], years[i]
        deviation = VOLATILITY * ti.sqrt(t)
        d1 = (ti.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / deviation
        n1, n2 = _normal(d1), _normal(d1 - deviation)
        discounted = x * ti.exp(-RATE * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)


@ti.kernel
def _nbody(x: V, y: V, z: V, mass: V, ax: V, ay: V, az: V):
    for i in range(x.shape[0]):
        sx, sy, sz = 0.0, 0.0, 0.0
        for j in range(x.shape[0]):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            inverse = ti.rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
            pull = mass[j] * inverse * inverse * inverse
            sx += pull * dx
            sy += pull * dy
            sz += pull * dz
        ax[i], ay[i], az[i] = sx, sy, sz


@ti.kernel
def _mandelbrot(real: V, imaginary: V, out: M):
    for i, j in ti.ndrange(out.shape[0], out.shape[1]):
        zr, zi, step = real[j], imaginary[i], 0
        while zr * zr + zi * zi < 4.0 and step < LIMIT:
            zr, zi = zr * zr - zi * zi + real[j], 2.0 * zr * zi + imaginary[i]
            step += 1
        out[i, j] = step


@form("taichi", "dot", "small-dot")
def dot(n):
    return lambda: _dot(n.x, n.y)


@form("taichi", "sum")
def total(n):
    return lambda: _sum(n.x)


@form("taichi", "mean-variance")
def mean_variance(n):
    def run():
        mean = _sum(n.x) / len(n.x)
        return mean, _squares(n.x, mean) / len(n.x)
    return run


@form("taichi", "saxpy")
def saxpy(n):
    def run():
        _saxpy(2.5, n.x, n.y, n.out)
        return n.out
    return run


@form("taichi", "black-scholes")
def black_scholes(n):
    def run():
        _black_scholes(n.price, n.strike, n.years, n.call, n.put)
        return n.call, n.put
    return run


@form("taichi", "nbody")
def nbody(n):
    def run():
        _nbody(n.x, n.y, n.z, n.mass, n.ax, n.ay, n.az)
        return n.ax, n.ay, n.az
    return run


@form("taichi", "mandelbrot")
def mandelbrot(n):
    def run():
        _mandelbrot(n.real, n.imaginary, n.out)
        return n.out
    return run
