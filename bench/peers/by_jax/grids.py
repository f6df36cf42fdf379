"""JAX's forms of the cases on grids."""
import jax
import jax.numpy as jnp

from by_jax import compiled
from cases import grids
from registry import form


def at(padded, reach, shape, *offsets):
    """The array shifted by these offsets."""
    return padded[tuple(slice(reach + o, reach + o + n) for o, n in zip(offsets, shape))]


@form("jax", "sobel")
def sobel(n):
    def magnitude(x):
        p = jnp.pad(x, 1, mode="edge")
        v = {(i, j): at(p, 1, x.shape, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        gx = (v[-1, 1] + 2 * v[0, 1] + v[1, 1]) - (v[-1, -1] + 2 * v[0, -1] + v[1, -1])
        gy = (v[1, -1] + 2 * v[1, 0] + v[1, 1]) - (v[-1, -1] + 2 * v[-1, 0] + v[-1, 1])
        return jnp.sqrt(gx * gx + gy * gy)
    return compiled(magnitude, n.x)


@form("jax", "blur")
def blur(n):
    def mean(x):
        p = jnp.pad(x, 2, mode="edge")
        columns = sum(p[i:i + x.shape[0]] for i in range(5))
        return sum(columns[:, j:j + x.shape[1]] for j in range(5)) * (1 / 25)
    return compiled(mean, n.x)


@form("jax", "heat-3d")
def heat(n):
    def step(_, x):
        p = jnp.pad(x, 1, mode="edge")
        ways = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]
        around = sum(at(p, 1, x.shape, *way) for way in ways)
        return x + grids.HEAT_RATE * (around - 6 * x)
    return compiled(lambda x: jax.lax.fori_loop(0, grids.HEAT_STEPS, step, x), n.x)


@form("jax", "life")
def life(n):
    def step(_, x):
        p = jnp.pad(x, 1, mode="wrap")
        ways = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        around = sum(at(p, 1, x.shape, *way) for way in ways)
        return ((around == 3) | ((around == 2) & (x == 1))).astype(jnp.uint8)
    return compiled(lambda x: jax.lax.fori_loop(0, grids.GENERATIONS, step, x), n.x)


@form("jax", "conjugate-gradients")
def conjugate_gradients(n):
    def image_of(p):
        q = jnp.pad(p, 1)
        return 4 * p - q[:-2, 1:-1] - q[2:, 1:-1] - q[1:-1, :-2] - q[1:-1, 2:]

    def step(_, state):
        x, residual, direction, rest = state
        image = image_of(direction)
        length = rest / (direction * image).sum()
        residual = residual - length * image
        following = (residual * residual).sum()
        return (x + length * direction, residual, residual + following / rest * direction,
                following)

    def solved(b):
        start = (jnp.zeros_like(b), b, b, (b * b).sum())
        return jax.lax.fori_loop(0, grids.CG_STEPS, step, start)[0]
    return compiled(solved, n.b)
