"""Taichi's forms of the cases on rows. It has no product of large matrices."""
import taichi as ti

from cases import rows
from registry import form

LEAST = rows.LEAST
V = ti.types.ndarray(dtype=ti.f32, ndim=1)
M = ti.types.ndarray(dtype=ti.f32, ndim=2)
I = ti.types.ndarray(dtype=ti.i32, ndim=1)


@ti.kernel
def _softmax(x: M, out: M):
    for i in range(x.shape[0]):
        most = x[i, 0]
        for j in range(x.shape[1]):
            most = ti.max(most, x[i, j])
        total = 0.0
        for j in range(x.shape[1]):
            e = ti.exp(x[i, j] - most)
            out[i, j] = e
            total += e
        share = 1.0 / total
        for j in range(x.shape[1]):
            out[i, j] *= share


@ti.kernel
def _layer_norm(x: M, scale: V, shift: V, out: M):
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        mean = total / x.shape[1]
        squares = 0.0
        for j in range(x.shape[1]):
            squares += (x[i, j] - mean) * (x[i, j] - mean)
        inverse = ti.rsqrt(squares / x.shape[1] + LEAST)
        for j in range(x.shape[1]):
            out[i, j] = (x[i, j] - mean) * inverse * scale[j] + shift[j]


@ti.kernel
def _nearest(points: M, centres: M, out: I):
    for i in range(points.shape[0]):
        least, best = 1e30, 0
        for c in range(centres.shape[0]):
            distance = 0.0
            for k in range(points.shape[1]):
                d = points[i, k] - centres[c, k]
                distance += d * d
            if distance < least:
                least, best = distance, c
        out[i] = best


@form("taichi", "softmax")
def softmax(n):
    def run():
        _softmax(n.x, n.out)
        return n.out
    return run


@form("taichi", "layer-norm")
def layer_norm(n):
    def run():
        _layer_norm(n.x, n.scale, n.shift, n.out)
        return n.out
    return run


@form("taichi", "k-means")
def nearest(n):
    def run():
        _nearest(n.points, n.centres, n.out32)
        return n.out32
    return run
