"""NumPy's forms of the cases on rows."""
import numpy

from cases import rows
from registry import form

BLOCK = 64  # rows


@form("numpy", "matmul/512", "matmul/1024")
def product(n):
    return lambda: numpy.matmul(n.a, n.b, out=n.out)


def by_blocks(n, block):
    def run():
        for begin in range(0, rows.ROWS, BLOCK):
            part = slice(begin, begin + BLOCK)
            block(n.x[part], n.out[part])
        return n.out
    return run


@form("numpy", "softmax")
def softmax(n):
    def block(x, out):
        numpy.subtract(x, x.max(1, keepdims=True), out=out)
        numpy.exp(out, out=out)
        numpy.divide(out, out.sum(1, keepdims=True), out=out)
    return by_blocks(n, block)


@form("numpy", "layer-norm")
def layer_norm(n):
    def block(x, out):
        numpy.subtract(x, x.mean(1, keepdims=True), out=out)
        variance = numpy.einsum("ij,ij->i", out, out)[:, None] / x.shape[1]
        numpy.multiply(out, 1 / numpy.sqrt(variance + numpy.float32(rows.LEAST)), out=out)
        numpy.multiply(out, n.scale, out=out)
        numpy.add(out, n.shift, out=out)
    return by_blocks(n, block)


@form("numpy", "k-means")
def nearest(n):
    def run():
        half = 0.5 * numpy.einsum("ij,ij->i", n.centres, n.centres)
        for begin in range(0, rows.POINTS, 4096):
            part = slice(begin, begin + 4096)
            numpy.argmin(half - n.points[part] @ n.centres.T, axis=1, out=n.out[part])
        return n.out
    return run


@form("numpy", "dense")
def dense(n):
    def run():
        numpy.matmul(n.x, n.w, out=n.active)
        numpy.add(n.active, n.b, out=n.active)
        numpy.maximum(n.active, 0, out=n.active)
        back = n.gradient * (n.active > 0)
        numpy.matmul(n.x.T, back, out=n.dw)
        back.sum(0, out=n.db)
        numpy.matmul(back, n.w.T, out=n.dx)
        return n.active, n.dw, n.db, n.dx
    return run
