"""Numba's forms of the cases on rows."""
import math

import numpy
from numba import njit, prange

from cases import rows
from registry import form

F = numpy.float32
LEAST = F(rows.LEAST)


@njit(fastmath=True)
def _product(a, b, out):
    numpy.dot(a, b, out)


@njit(parallel=True, fastmath=True)
def _softmax(x, out):
    for i in prange(x.shape[0]):
        most = x[i, 0]
        for j in range(x.shape[1]):
            most = max(most, x[i, j])
        total = F(0)
        for j in range(x.shape[1]):
            out[i, j] = math.exp(x[i, j] - most)
            total += out[i, j]
        share = F(1) / total
        for j in range(x.shape[1]):
            out[i, j] *= share


@njit(parallel=True, fastmath=True)
def _layer_norm(x, scale, shift, out):
    columns = F(x.shape[1])
    for i in prange(x.shape[0]):
        total = F(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        mean = total / columns
        squares = F(0)
        for j in range(x.shape[1]):
            squares += (x[i, j] - mean) * (x[i, j] - mean)
        inverse = F(1) / math.sqrt(squares / columns + LEAST)
        for j in range(x.shape[1]):
            out[i, j] = (x[i, j] - mean) * inverse * scale[j] + shift[j]


@njit(parallel=True, fastmath=True)
def _nearest(points, centres, out):
    for i in prange(points.shape[0]):
        least, best = F(math.inf), 0
        for c in range(centres.shape[0]):
            distance = F(0)
            for k in range(points.shape[1]):
                d = points[i, k] - centres[c, k]
                distance += d * d
            if distance < least:
                least, best = distance, c
        out[i] = best


LANES = 64


@njit(parallel=True, fastmath=True)
def _nearest_in_lanes(points, centres, out):
    axes = points.shape[1]
    for block in prange(points.shape[0] // LANES):
        across = numpy.empty((axes, LANES), F)
        least, best = numpy.empty(LANES, F), numpy.empty(LANES, numpy.int32)
        distance = numpy.empty(LANES, F)
        for p in range(LANES):
            for k in range(axes):
                across[k, p] = points[block * LANES + p, k]
        least[:] = F(math.inf)
        best[:] = 0
        for c in range(centres.shape[0]):
            distance[:] = F(0)
            for k in range(axes):
                at = centres[c, k]
                for p in range(LANES):
                    d = across[k, p] - at
                    distance[p] += d * d
            for p in range(LANES):
                nearer = distance[p] < least[p]
                least[p] = distance[p] if nearer else least[p]
                best[p] = c if nearer else best[p]
        for p in range(LANES):
            out[block * LANES + p] = best[p]


@njit(parallel=True, fastmath=True)
def _activate(active, b, gradient, back):
    for i in prange(active.shape[0]):
        for j in range(active.shape[1]):
            active[i, j] = max(active[i, j] + b[j], F(0))
            back[i, j] = gradient[i, j] if active[i, j] > F(0) else F(0)


@njit(fastmath=True)
def _dense(x, w, b, gradient, active, back, dw, db, dx):
    numpy.dot(x, w, active)
    _activate(active, b, gradient, back)
    numpy.dot(x.T, back, dw)
    db[:] = F(0)
    for i in range(back.shape[0]):
        for j in range(back.shape[1]):
            db[j] += back[i, j]
    numpy.dot(back, w.T, dx)


@form("numba", "matmul/512", "matmul/1024")
def product(n):
    def run():
        _product(n.a, n.b, n.out)
        return n.out
    return run


@form("numba", "softmax")
def softmax(n):
    def run():
        _softmax(n.x, n.out)
        return n.out
    return run


@form("numba", "layer-norm")
def layer_norm(n):
    def run():
        _layer_norm(n.x, n.scale, n.shift, n.out)
        return n.out
    return run


@form("numba", "k-means")
def nearest(n):
    def run():
        _nearest(n.points, n.centres, n.out)
        return n.out
    return run


@form("numba/lanes by hand", "k-means")
def nearest_in_lanes(n):
    def run():
        _nearest_in_lanes(n.points, n.centres, n.out)
        return n.out
    return run


@form("numba", "dense")
def dense(n):
    back = numpy.empty_like(n.gradient)

    def run():
        _dense(n.x, n.w, n.b, n.gradient, n.active, back, n.dw, n.db, n.dx)
        return n.active, n.dw, n.db, n.dx
    return run
