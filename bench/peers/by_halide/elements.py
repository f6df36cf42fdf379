"""Halide's forms of the cases on elements."""
import halide as hl

from by_halide import F, compiled, numbers, total_of, wide
from cases import elements
from cases.inputs import empty
from registry import form

i = hl.Var("i")


@form("halide", "dot")
def dot(n):
    x, y = numbers(n.x, n.y)
    return compiled(total_of(lambda at: x[at] * y[at], elements.LONG), empty())


@form("halide", "sum")
def total(n):
    x, = numbers(n.x)
    return compiled(total_of(lambda at: x[at], elements.LONG), empty())


@form("halide", "mean-variance")
def mean_variance(n):
    x, = numbers(n.x)
    share = F(1.0 / elements.LONG)
    mean, both = hl.Func("mean"), hl.Func("both")
    mean[()] = total_of(lambda at: x[at], elements.LONG)[()] * share
    mean.compute_root()
    squares = total_of(lambda at: (x[at] - mean[()]) * (x[at] - mean[()]), elements.LONG)
    squares.compute_root()
    both[()] = (mean[()], squares[()] * share)
    return compiled(both, empty(), empty())


@form("halide", "saxpy")
def saxpy(n):
    x, y = numbers(n.x, n.y)
    out = hl.Func("out")
    out[i] = F(2.5) * x[i] + y[i]
    wide(out, i)
    return compiled(out, n.out)


def normal(d):
    k = F(1) / (F(1) + F(0.2316419) * hl.abs(d))
    p = k * (F(0.31938153) + k * (F(-0.356563782) + k * (F(1.781477937) + k * (
        F(-1.821255978) + k * F(1.330274429)))))
    tail = F(0.39894228040143267794) * hl.exp(F(-0.5) * d * d) * p
    return hl.select(d > F(0), F(1) - tail, tail)


@form("halide", "black-scholes")
def black_scholes(n):
    price, strike, years = numbers(n.price, n.strike, n.years)
    s, x, t = price[i], strike[i], years[i]
    deviation = F(elements.VOLATILITY) * hl.sqrt(t)
    drift = F(elements.RATE + 0.5 * elements.VOLATILITY ** 2)
    d1 = (hl.log(s / x) + drift * t) / deviation
    n1, n2 = normal(d1), normal(d1 - deviation)
    discounted = x * hl.exp(F(-elements.RATE) * t)
    out = hl.Func("out")
    out[i] = (s * n1 - discounted * n2, discounted * (F(1) - n2) - s * (F(1) - n1))
    wide(out, i)
    return compiled(out, n.call, n.put)


@form("halide", "nbody")
def nbody(n):
    x, y, z, mass = numbers(n.x, n.y, n.z, n.mass)
    r = hl.RDom([(0, elements.BODIES)], "r")
    sums, out = hl.Func("sums"), hl.Func("out")
    dx, dy, dz = x[r.x] - x[i], y[r.x] - y[i], z[r.x] - z[i]
    inverse = hl.fast_inverse_sqrt(dx * dx + dy * dy + dz * dz + F(elements.SOFTENING))
    pull = mass[r.x] * inverse * inverse * inverse
    sums[i] = (F(0), F(0), F(0))
    sums[i] = (sums[i][0] + pull * dx, sums[i][1] + pull * dy, sums[i][2] + pull * dz)
    out[i] = (sums[i][0], sums[i][1], sums[i][2])
    outer, inner = hl.Var("outer"), hl.Var("inner")
    out.split(i, outer, inner, 16).parallel(outer, 8).vectorize(inner, 8).unroll(inner)
    sums.compute_at(out, outer).vectorize(i, 8).unroll(i)
    sums.update(0).reorder(i, r.x).vectorize(i, 8).unroll(i)
    return compiled(out, n.ax, n.ay, n.az)
