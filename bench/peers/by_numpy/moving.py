"""NumPy's and SciPy's forms of the cases that move elements."""
import os

import numpy
import scipy.fft
import scipy.sparse

from cases import moving
from registry import form


@form("numpy", "scan")
def scan(n):
    return lambda: numpy.cumsum(n.x, out=n.out)


@form("numpy", "filter")
def keep(n):
    return lambda: n.x[n.x > 0]


@form("numpy", "segmented-sum")
def segmented_sum(n):
    return lambda: numpy.add.reduceat(n.x, n.offsets[:-1], out=n.out)


@form("numpy", "histogram")
def histogram(n):
    return lambda: numpy.bincount(n.keys, minlength=moving.BINS)


@form("numpy", "group-by")
def group_by(n):
    return lambda: (numpy.bincount(n.keys, n.x, minlength=4), numpy.bincount(n.keys, minlength=4))


@form("numpy", "scatter-add")
def scatter_add(n):
    return lambda: numpy.bincount(n.keys, n.x, minlength=moving.PLACES)


@form("numpy", "sort")
def sort(n):
    def run():
        numpy.copyto(n.out, n.x)
        n.out.sort()
        return n.out
    return run


@form("numpy", "permute")
def permute(n):
    def run():
        n.out[n.target] = n.x
        return n.out
    return run


@form("numpy", "gather")
def gather(n):
    return lambda: numpy.take(n.x, n.at, out=n.out, mode="clip")


@form("numpy", "sparse-regular", "sparse-power-law")
def sparse_product(n):
    shape = (moving.SPARSE_ROWS, moving.SPARSE_ROWS)
    matrix = scipy.sparse.csr_array((n.values, n.columns, n.offsets), shape=shape)
    return lambda: matrix @ n.x


@form("numpy", "fft")
def transform(n):
    threads = len(os.sched_getaffinity(0))
    return lambda: scipy.fft.fft(n.x, workers=threads)
