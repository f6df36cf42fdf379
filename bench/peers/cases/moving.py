"""Cases that move elements: scans, choosing, sorting, scattering, gathering, transforms."""
import ctypes

import numpy

from cases.inputs import empty, floats, given, integers
from hasten_library import of
from registry import Case

LONG, SORTED, SPREAD, BINS, PLACES = 1 << 24, 1 << 22, 1 << 23, 256, 1 << 20
TRANSFORM = 1 << 18
SPARSE_ROWS, IN_A_ROW = 1 << 19, 16


def segments():
    lengths = 1 + integers(41, LONG // 50, 100)
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int32)
    return given(x=floats(42, int(offsets[-1])), lengths=lengths, offsets=offsets,
                 out=empty(len(lengths)))


def permutation():
    target = numpy.random.default_rng(43).permutation(SORTED).astype(numpy.int32)
    return given(x=floats(44, SORTED), target=target, out=empty(SORTED))


def permuted(n):
    result = numpy.empty_like(n.x)
    result[n.target] = n.x
    return result


def spread():
    return given(x=floats(45, SPREAD), at=integers(46, SPREAD, SPREAD), out=empty(SPREAD))


def scattered(keys_below, n):
    return lambda: given(x=floats(47, n), keys=integers(48, n, keys_below), out=empty(keys_below),
                         counts=empty(keys_below, dtype=numpy.int64))


def rows(lengths):
    """A sparse matrix whose rows have these lengths and whose columns are random."""
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int32)
    count = int(offsets[-1])
    of_entry = numpy.repeat(numpy.arange(len(lengths), dtype=numpy.int32), lengths)
    return given(offsets=offsets, columns=integers(49, count, SPARSE_ROWS), rows=of_entry,
                 values=floats(50, count, low=-1), x=floats(51, SPARSE_ROWS, low=-1),
                 out=empty(SPARSE_ROWS))


def power_law():
    """Most rows are short, and a few are long; in total as many entries as in the regular rows."""
    weights = 1.0 / numpy.arange(1, SPARSE_ROWS + 1)
    numpy.random.default_rng(52).shuffle(weights)
    share = weights / weights.sum() * (SPARSE_ROWS * IN_A_ROW)
    return rows(numpy.floor(share + 0.5).astype(numpy.int32))


def sparse_product(n):
    products = n.values.astype(numpy.float64) * n.x[n.columns]
    return numpy.bincount(n.rows, weights=products, minlength=SPARSE_ROWS)


def ours_sparse_product(library, n):
    return library.call("sparse_product", of(n.offsets), of(n.columns), of(n.values), of(n.x),
                        out=(n.out,))


def waves():
    parts = floats(53, 2 * TRANSFORM, low=-1)
    return given(x=parts.view(numpy.complex64), out=empty(TRANSFORM, dtype=numpy.complex64))


def sums_by_key(n):
    return numpy.bincount(n.keys, weights=n.x, minlength=len(n.out))


def ours_scatter_add(library, n):
    return library.call("scatter_add", ctypes.c_int64(len(n.out)), of(n.keys), of(n.x),
                        out=(n.out,))


CASES = [
    Case("scan", "16777216 f32", lambda: given(x=floats(40, LONG, low=-1), out=empty(LONG)),
         lambda n: numpy.cumsum(n.x, dtype=numpy.float64),
         lambda library, n: library.call("scan", of(n.x), out=(n.out,)), tolerance=1e-2),
    Case("filter", "16777216 i32",
         lambda: given(x=integers(54, LONG, 1 << 31) - (1 << 30), out=empty(LONG,
                                                                           dtype=numpy.int32)),
         lambda n: n.x[n.x > 0],
         lambda library, n: library.call_unsized("filter", of(n.x), dtype=numpy.int32),
         tolerance=0),
    Case("segmented-sum", f"{LONG // 50} segments of about 50 f32", segments,
         lambda n: numpy.add.reduceat(n.x.astype(numpy.float64), n.offsets[:-1]),
         lambda library, n: library.call("segmented_sum", of(n.x), of(n.lengths), out=(n.out,))),
    Case("histogram", "16777216 i32, 256 bins", scattered(BINS, LONG),
         lambda n: numpy.bincount(n.keys, minlength=BINS),
         lambda library, n: library.call("histogram", ctypes.c_int64(BINS), of(n.keys),
                                         out=(n.counts,)), tolerance=0),
    Case("group-by", "16777216 f32, sums and counts of 4 groups", scattered(4, LONG),
         lambda n: (sums_by_key(n), numpy.bincount(n.keys, minlength=4)),
         lambda library, n: library.call("four_groups", of(n.keys), of(n.x),
                                         out=(n.out, n.counts))),
    Case("sort", "4194304 u32", lambda: given(x=integers(55, SORTED, 1 << 32, numpy.uint32),
                                              out=empty(SORTED, dtype=numpy.uint32)),
         lambda n: numpy.sort(n.x), lambda library, n: library.call("sort", of(n.x), out=(n.out,)),
         tolerance=0),
    Case("permute", "4194304 f32", permutation, permuted,
         lambda library, n: library.call("permute", of(n.x), of(n.target), out=(n.out,))),
    Case("gather", "8388608 f32 at random", spread, lambda n: n.x[n.at],
         lambda library, n: library.call("gather", of(n.x), of(n.at), out=(n.out,))),
    Case("scatter-add", "8388608 f32 to 1048576 places", scattered(PLACES, SPREAD), sums_by_key,
         ours_scatter_add),
    Case("sparse-regular", f"{SPARSE_ROWS} rows of {IN_A_ROW} f32",
         lambda: rows(numpy.full(SPARSE_ROWS, IN_A_ROW)), sparse_product, ours_sparse_product),
    Case("sparse-power-law", f"{SPARSE_ROWS} rows, the longest 7 % of all, f32", power_law,
         sparse_product, ours_sparse_product, tolerance=1e-3, may_differ=1e-4),
    Case("fft", "262144 c64", waves, lambda n: numpy.fft.fft(n.x.astype(numpy.complex128)),
         lambda library, n: library.call("transform", of(n.x), out=(n.out,)), tolerance=1e-4),
]
