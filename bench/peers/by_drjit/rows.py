"""Dr.Jit's forms of the cases on rows, which are blocks of a vector."""
import drjit as dr
from drjit.llvm import Float, TensorXf, UInt32

from by_drjit import waited
from cases import rows
from registry import form


@form("drjit", "softmax")
def softmax(n):
    def share(x):
        e = dr.exp(x - dr.max(x, axis=1)[:, None])
        return e / dr.sum(e, axis=1)[:, None]
    return waited(share, TensorXf(n.x))


@form("drjit", "layer-norm")
def layer_norm(n):
    def normed(x, scale, shift):
        centred = x - dr.mean(x, axis=1)[:, None]
        inverse = dr.rsqrt(dr.mean(dr.square(centred), axis=1) + rows.LEAST)
        return centred * inverse[:, None] * scale[None, :] + shift[None, :]
    return waited(normed, TensorXf(n.x), TensorXf(n.scale), TensorXf(n.shift))


@dr.syntax
def _nearest(columns, centres):
    least, best = dr.full(Float, dr.inf, rows.POINTS), dr.zeros(UInt32, rows.POINTS)
    c = UInt32(0)
    while c < rows.CENTRES:
        distance = Float(0)
        for k in range(rows.AXES):
            distance += dr.square(columns[k] - dr.gather(Float, centres, c * rows.AXES + k))
        nearer = distance < least
        least = dr.select(nearer, distance, least)
        best = dr.select(nearer, c, best)
        c += 1
    return best


@form("drjit", "k-means")
def nearest(n):
    columns = [Float(n.points[:, k].copy()) for k in range(rows.AXES)]
    return waited(_nearest, columns, Float(n.centres.ravel()))
