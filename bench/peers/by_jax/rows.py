"""JAX's forms of the cases on rows."""
import jax
import jax.numpy as jnp

from by_jax import compiled
from cases import rows
from registry import form


@form("jax", "matmul/512", "matmul/1024")
def product(n):
    return compiled(jnp.matmul, n.a, n.b)


@form("jax", "softmax")
def softmax(n):
    return compiled(lambda x: jax.nn.softmax(x, axis=1), n.x)


@form("jax", "layer-norm")
def layer_norm(n):
    def normed(x, scale, shift):
        mean = x.mean(1, keepdims=True)
        inverse = jax.lax.rsqrt(((x - mean) ** 2).mean(1, keepdims=True) + rows.LEAST)
        return (x - mean) * inverse * scale + shift
    return compiled(normed, n.x, n.scale, n.shift)


@form("jax", "k-means")
def nearest(n):
    return compiled(lambda points, centres:
                    (0.5 * (centres ** 2).sum(1) - points @ centres.T).argmin(1),
                    n.points, n.centres)


@form("jax", "dense")
def dense(n):
    def layer(x, w, b):
        return jnp.maximum(x @ w + b, 0)

    def both(x, w, b, gradient):
        active, back = jax.vjp(layer, x, w, b)
        dx, dw, db = back(gradient)
        return active, dw, db, dx
    return compiled(both, n.x, n.w, n.b, n.gradient)
