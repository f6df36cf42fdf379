"""Dr.Jit's forms of the cases on elements."""
import drjit as dr
from drjit.llvm import Float, Int32, UInt32

from by_drjit import waited
from cases import elements
from registry import form


@form("drjit", "dot", "small-dot")
def dot(n):
    return waited(lambda x, y: dr.dot(x, y), Float(n.x), Float(n.y))


@form("drjit", "sum")
def total(n):
    return waited(lambda x: dr.sum(x), Float(n.x))


@form("drjit", "mean-variance")
def mean_variance(n):
    def both(x):
        mean = dr.mean(x)
        return mean, dr.mean(dr.square(x - mean))
    return waited(both, Float(n.x))


@form("drjit", "saxpy")
def saxpy(n):
    return waited(lambda x, y: dr.fma(x, 2.5, y), Float(n.x), Float(n.y))


def normal(d):
    k = dr.rcp(1 + 0.2316419 * dr.abs(d))
    p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * dr.exp(-0.5 * d * d) * p
    return dr.select(d > 0, 1 - tail, tail)


@form("drjit", "black-scholes")
def black_scholes(n):
    rate, volatility = elements.RATE, elements.VOLATILITY

    def prices(s, x, t):
        deviation = volatility * dr.sqrt(t)
        d1 = (dr.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / deviation
        n1, n2 = normal(d1), normal(d1 - deviation)
        discounted = x * dr.exp(-rate * t)
        return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)
    return waited(prices, Float(n.price), Float(n.strike), Float(n.years))


@dr.syntax
def _pulls(x, y, z, mass):
    count = dr.width(x)
    ax, ay, az = dr.zeros(Float, count), dr.zeros(Float, count), dr.zeros(Float, count)
    j = UInt32(0)
    while j < count:
        dx = dr.gather(Float, x, j) - x
        dy = dr.gather(Float, y, j) - y
        dz = dr.gather(Float, z, j) - z
        inverse = dr.rsqrt(dx * dx + dy * dy + dz * dz + elements.SOFTENING)
        pull = dr.gather(Float, mass, j) * inverse * inverse * inverse
        ax += pull * dx
        ay += pull * dy
        az += pull * dz
        j += 1
    return ax, ay, az


@form("drjit", "nbody")
def nbody(n):
    return waited(_pulls, Float(n.x), Float(n.y), Float(n.z), Float(n.mass))


@dr.syntax
def _steps(real, imaginary):
    zr, zi, count = Float(real), Float(imaginary), dr.zeros(Int32, dr.width(real))
    while (zr * zr + zi * zi < 4) & (count < elements.LIMIT):
        next_zr = zr * zr - zi * zi + real
        zi = 2 * zr * zi + imaginary
        zr = next_zr
        count += 1
    return count


@form("drjit", "mandelbrot")
def mandelbrot(n):
    def picture(real, imaginary):
        at = dr.arange(UInt32, elements.WIDTH * elements.HEIGHT)
        row = at // elements.WIDTH
        return _steps(dr.gather(Float, real, at - row * elements.WIDTH),
                      dr.gather(Float, imaginary, row))
    return waited(picture, Float(n.real), Float(n.imaginary))
