"""Dr.Jit's forms of the cases that move elements; sums into shared places use its scatters. It has
no sort or transform."""
import drjit as dr
from drjit.llvm import Float, Int32, UInt32

from by_drjit import waited
from cases import moving
from registry import form


@form("drjit", "scan")
def scan(n):
    return waited(lambda x: dr.cumsum(x), Float(n.x))


@form("drjit", "filter")
def keep(n):
    x = Int32(n.x)  # the size of the result is unknown when a program is frozen

    def run():
        result = dr.gather(Int32, x, dr.compress(x > 0))
        dr.eval(result)
        dr.sync_thread()
        return result
    return run


@dr.syntax
def _sums(values, offsets):
    s = dr.arange(UInt32, dr.width(offsets) - 1)
    i, last = dr.gather(Int32, offsets, s), dr.gather(Int32, offsets, s + 1)
    total = dr.zeros(Float, dr.width(s))
    while i < last:
        total += dr.gather(Float, values, i)
        i += 1
    return total


@form("drjit", "segmented-sum")
def segmented_sum(n):
    return waited(_sums, Float(n.x), Int32(n.offsets))


@form("drjit", "histogram")
def histogram(n):
    def counts(keys):
        out = dr.zeros(UInt32, moving.BINS)
        dr.scatter_add(out, UInt32(1), keys)
        return out
    return waited(counts, UInt32(n.keys.astype("uint32")))


@form("drjit", "group-by")
def group_by(n):
    def sums(keys, x):
        out, counts = dr.zeros(Float, 4), dr.zeros(UInt32, 4)
        dr.scatter_add(out, x, keys)
        dr.scatter_add(counts, UInt32(1), keys)
        return out, counts
    return waited(sums, UInt32(n.keys.astype("uint32")), Float(n.x))


@form("drjit", "scatter-add")
def scatter_add(n):
    def sums(keys, x):
        out = dr.zeros(Float, moving.PLACES)
        dr.scatter_add(out, x, keys)
        return out
    return waited(sums, UInt32(n.keys.astype("uint32")), Float(n.x))


@form("drjit", "permute")
def permute(n):
    def moved(x, target):
        out = dr.empty(Float, moving.SORTED)
        dr.scatter(out, x, target)
        return out
    return waited(moved, Float(n.x), UInt32(n.target.astype("uint32")))


@form("drjit", "gather")
def gather(n):
    return waited(lambda x, at: dr.gather(Float, x, at), Float(n.x), UInt32(n.at.astype("uint32")))


@dr.syntax
def _products(offsets, columns, values, x):
    r = dr.arange(UInt32, moving.SPARSE_ROWS)
    i, last = dr.gather(Int32, offsets, r), dr.gather(Int32, offsets, r + 1)
    total = dr.zeros(Float, moving.SPARSE_ROWS)
    while i < last:
        total += dr.gather(Float, values, i) * dr.gather(Float, x, dr.gather(UInt32, columns, i))
        i += 1
    return total


@form("drjit", "sparse-regular", "sparse-power-law")
def sparse_product(n):
    return waited(_products, Int32(n.offsets), UInt32(n.columns.astype("uint32")),
                  Float(n.values), Float(n.x))
