"""JAX's forms of the cases on elements."""
import jax
import jax.numpy as jnp

from by_jax import compiled
from cases import elements
from registry import form


@form("jax", "dot", "small-dot")
def dot(n):
    return compiled(jnp.dot, n.x, n.y)


@form("jax", "sum")
def total(n):
    return compiled(jnp.sum, n.x)


@form("jax", "mean-variance")
def mean_variance(n):
    return compiled(lambda x: (x.mean(), x.var()), n.x)


@form("jax", "saxpy")
def saxpy(n):
    return compiled(lambda x, y: 2.5 * x + y, n.x, n.y)


def normal(d):
    k = 1.0 / (1.0 + 0.2316419 * jnp.abs(d))
    p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * jnp.exp(-0.5 * d * d) * p
    return jnp.where(d > 0, 1.0 - tail, tail)


@form("jax", "black-scholes")
def black_scholes(n):
    rate, volatility = elements.RATE, elements.VOLATILITY

    def prices(s, x, t):
        deviation = volatility * jnp.sqrt(t)
        d1 = (jnp.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / deviation
        n1, n2 = normal(d1), normal(d1 - deviation)
        discounted = x * jnp.exp(-rate * t)
        return s * n1 - discounted * n2, discounted * (1.0 - n2) - s * (1.0 - n1)
    return compiled(prices, n.price, n.strike, n.years)


@form("jax", "nbody")
def nbody(n):
    block = 256  # bodies, whose distances to all others fit a cache

    def pull_of(x, y, z, mass):
        def on(places):
            dx, dy, dz = (a[None, :] - b[:, None] for a, b in zip((x, y, z), places))
            inverse = jax.lax.rsqrt(dx * dx + dy * dy + dz * dz + elements.SOFTENING)
            pull = mass[None, :] * inverse * inverse * inverse
            return (pull * dx).sum(1), (pull * dy).sum(1), (pull * dz).sum(1)
        parts = jax.lax.map(on, tuple(a.reshape(-1, block) for a in (x, y, z)))
        return tuple(a.ravel() for a in parts)
    return compiled(pull_of, n.x, n.y, n.z, n.mass)


@form("jax", "mandelbrot")
def mandelbrot(n):
    limit = elements.LIMIT

    def steps(real, imaginary):
        real, imaginary = jnp.broadcast_arrays(real[None, :], imaginary[:, None])

        def on_rows(rows):
            r, i = rows

            def step(state):
                zr, zi, count, k = state
                a, b = zr * zr, zi * zi
                stays = a + b < 4
                count = count + stays
                zi = jnp.where(stays, 2 * zr * zi + i, zi)
                return jnp.where(stays, a - b + r, zr), zi, count, k + 1

            def goes_on(state):
                zr, zi, _, k = state
                return (k < limit) & jnp.any(zr * zr + zi * zi < 4)
            return jax.lax.while_loop(goes_on, step,
                                      (r, i, jnp.zeros(r.shape, jnp.int32), 0))[2]
        return jax.lax.map(on_rows, (real, imaginary))
    return compiled(steps, n.real, n.imaginary)
