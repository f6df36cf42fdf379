"""Taichi's forms of the cases that move elements; sums into shared places are atomic. It has no
sort, scan, filter or transform of such arrays."""
import taichi as ti

from registry import form

V = ti.types.ndarray(dtype=ti.f32, ndim=1)
I = ti.types.ndarray(dtype=ti.i32, ndim=1)
L = ti.types.ndarray(dtype=ti.i64, ndim=1)


@ti.kernel
def _segmented_sum(x: V, offsets: I, out: V):
    for s in range(out.shape[0]):
        total = 0.0
        for i in range(offsets[s], offsets[s + 1]):
            total += x[i]
        out[s] = total


@ti.kernel
def _histogram(keys: I, out: L):
    for i in range(out.shape[0]):
        out[i] = 0
    for i in range(keys.shape[0]):
        out[keys[i]] += 1


@ti.kernel
def _group_by(keys: I, x: V, sums: V, counts: L):
    for g in ti.static(range(4)):
        total, number = 0.0, 0
        for i in range(keys.shape[0]):
            total += ti.select(keys[i] == g, x[i], 0.0)
            number += ti.select(keys[i] == g, 1, 0)
        sums[g] = total
        counts[g] = number


@ti.kernel
def _scatter_add(keys: I, x: V, out: V):
    for i in range(out.shape[0]):
        out[i] = 0.0
    for i in range(keys.shape[0]):
        out[keys[i]] += x[i]


@ti.kernel
def _permute(x: V, target: I, out: V):
    for i in range(x.shape[0]):
        out[target[i]] = x[i]


@ti.kernel
def _gather(x: V, at: I, out: V):
    for i in range(at.shape[0]):
        out[i] = x[at[i]]


@ti.kernel
def _sparse_product(offsets: I, columns: I, values: V, x: V, out: V):
    for r in range(out.shape[0]):
        total = 0.0
        for i in range(offsets[r], offsets[r + 1]):
            total += values[i] * x[columns[i]]
        out[r] = total


@form("taichi", "segmented-sum")
def segmented_sum(n):
    def run():
        _segmented_sum(n.x, n.offsets, n.out)
        return n.out
    return run


@form("taichi", "histogram")
def histogram(n):
    def run():
        _histogram(n.keys, n.counts)
        return n.counts
    return run


@form("taichi", "group-by")
def group_by(n):
    def run():
        _group_by(n.keys, n.x, n.out, n.counts)
        return n.out, n.counts
    return run


@form("taichi", "scatter-add")
def scatter_add(n):
    def run():
        _scatter_add(n.keys, n.x, n.out)
        return n.out
    return run


@form("taichi", "permute")
def permute(n):
    def run():
        _permute(n.x, n.target, n.out)
        return n.out
    return run


@form("taichi", "gather")
def gather(n):
    def run():
        _gather(n.x, n.at, n.out)
        return n.out
    return run


@form("taichi", "sparse-regular", "sparse-power-law")
def sparse_product(n):
    def run():
        _sparse_product(n.offsets, n.columns, n.values, n.x, n.out)
        return n.out
    return run
