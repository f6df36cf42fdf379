"""JAX's forms of the cases that move elements."""
import jax
import jax.numpy as jnp
import numpy

from by_jax import compiled
from cases import moving
from registry import form


@form("jax", "scan")
def scan(n):
    return compiled(jnp.cumsum, n.x)


@form("jax", "filter")
def keep(n):
    x = jax.device_put(n.x)  # the size of the result is unknown to jit
    return lambda: jax.block_until_ready(x[x > 0])


@form("jax", "segmented-sum")
def segmented_sum(n):
    count = len(n.lengths)
    ids = numpy.repeat(numpy.arange(count, dtype=numpy.int32), n.lengths)
    return compiled(lambda x, i: jax.ops.segment_sum(x, i, count, indices_are_sorted=True),
                    n.x, ids)


@form("jax", "histogram")
def histogram(n):
    return compiled(lambda keys: jnp.bincount(keys, length=moving.BINS), n.keys)


@form("jax", "group-by")
def group_by(n):
    def sums(keys, x):
        groups = [keys == k for k in range(4)]
        return (jnp.stack([jnp.where(g, x, 0).sum() for g in groups]),
                jnp.stack([g.sum() for g in groups]))
    return compiled(sums, n.keys, n.x)


@form("jax", "scatter-add")
def scatter_add(n):
    return compiled(lambda keys, x: jnp.zeros(moving.PLACES).at[keys].add(x), n.keys, n.x)


@form("jax", "sort")
def sort(n):
    return compiled(jnp.sort, n.x)


@form("jax", "permute")
def permute(n):
    return compiled(lambda target, x: jnp.zeros_like(x).at[target].set(x, unique_indices=True),
                    n.target, n.x)


@form("jax", "gather")
def gather(n):
    return compiled(lambda x, at: x.at[at].get(mode="promise_in_bounds"), n.x, n.at)


@form("jax", "sparse-regular", "sparse-power-law")
def sparse_product(n):
    def product(values, columns, rows, x):
        products = values * x.at[columns].get(mode="promise_in_bounds")
        return jax.ops.segment_sum(products, rows, moving.SPARSE_ROWS, indices_are_sorted=True)
    return compiled(product, n.values, n.columns, n.rows, n.x)


@form("jax", "fft")
def transform(n):
    return compiled(jnp.fft.fft, n.x)
