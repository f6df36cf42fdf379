"""Cases on rows of matrices: products, soft-max, layer norm, nearest centres, a dense layer."""
import numpy

from cases.inputs import empty, floats, given
from hasten_library import of
from registry import Case

ROWS, COLUMNS = 8192, 1024
POINTS, CENTRES, AXES = 1 << 17, 64, 16
BATCH, INPUTS, OUTPUTS = 512, 784, 256
LEAST = 1e-5


def squares(n):
    return lambda: given(a=floats(11, n, n, low=-1), b=floats(12, n, n, low=-1), out=empty(n, n))


def product(n):
    """Computes only some rows, since all rows in float64 would take longer than all contenders."""
    return n.a.astype(numpy.float64) @ n.b


def matrix():
    return given(x=floats(13, ROWS, COLUMNS, low=-4, high=4), scale=floats(14, COLUMNS),
                 shift=floats(15, COLUMNS), out=empty(ROWS, COLUMNS))


def softmax(n):
    e = numpy.exp(n.x.astype(numpy.float64) - n.x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layer_norm(n):
    x = n.x.astype(numpy.float64)
    deviation = numpy.sqrt(x.var(1, keepdims=True) + LEAST)
    return (x - x.mean(1, keepdims=True)) / deviation * n.scale + n.shift


def clusters():
    return given(points=floats(16, POINTS, AXES, low=-1), centres=floats(17, CENTRES, AXES, low=-1),
                 out=empty(POINTS, dtype=numpy.int64), out32=empty(POINTS, dtype=numpy.int32))


def nearest(n):
    points, centres = n.points.astype(numpy.float64), n.centres.astype(numpy.float64)
    return ((centres ** 2).sum(1) - 2 * points @ centres.T).argmin(1)


def layer():
    return given(x=floats(18, BATCH, INPUTS, low=-1), w=floats(19, INPUTS, OUTPUTS, low=-0.1,
                                                               high=0.1),
                 b=floats(20, OUTPUTS, low=-1), gradient=floats(21, BATCH, OUTPUTS, low=-1),
                 active=empty(BATCH, OUTPUTS), dw=empty(INPUTS, OUTPUTS), db=empty(OUTPUTS),
                 dx=empty(BATCH, INPUTS))


def dense(n):
    x, w = n.x.astype(numpy.float64), n.w.astype(numpy.float64)
    active = numpy.maximum(x @ w + n.b, 0)
    back = numpy.where(active > 0, n.gradient, 0)
    return active, x.T @ back, back.sum(0), back @ w.T


CASES = [
    *(Case(f"matmul/{n}", f"{n}x{n} f32", squares(n), product,
           lambda library, n: library.call("product", of(n.a), of(n.b), out=(n.out,)))
      for n in (512, 1024)),
    Case("softmax", f"{ROWS}x{COLUMNS} f32", matrix, softmax,
         lambda library, n: library.call("softmax", of(n.x), out=(n.out,))),
    Case("layer-norm", f"{ROWS}x{COLUMNS} f32", matrix, layer_norm,
         lambda library, n: library.call("layer_norm", of(n.x), of(n.scale), of(n.shift),
                                         out=(n.out,))),
    # Where two centres are equally near, the last bit of a sum decides.
    Case("k-means", f"{POINTS} points, {CENTRES} centres, {AXES} axes f32", clusters, nearest,
         lambda library, n: library.call("nearest", of(n.points), of(n.centres), out=(n.out,)),
         may_differ=1e-3),
    # A sum near 0 may be active for one contender and not for another.
    Case("dense", f"{BATCH} rows, {INPUTS} to {OUTPUTS} f32, forward and backward", layer, dense,
         lambda library, n: library.call("dense", of(n.x), of(n.w), of(n.b), of(n.gradient),
                                         out=(n.active, n.dw, n.db, n.dx)), may_differ=2e-3),
]
