"""Numba's forms of the cases that move elements; divided by hand into parts where results depend on
each other."""
import numpy
from numba import get_num_threads, njit, prange

from cases import moving
from registry import form

F = numpy.float32


@njit(parallel=True, fastmath=True)
def _scan(x, out, parts):
    """Passes over the elements twice: for the sums of parts, then for each part from its start
    value."""
    step = (len(x) + parts - 1) // parts
    totals = numpy.zeros(parts + 1, F)
    for p in prange(parts):
        total = F(0)
        for i in range(p * step, min((p + 1) * step, len(x))):
            total += x[i]
        totals[p + 1] = total
    for p in range(parts):
        totals[p + 1] += totals[p]
    for p in prange(parts):
        total = totals[p]
        for i in range(p * step, min((p + 1) * step, len(x))):
            total += x[i]
            out[i] = total


@njit(parallel=True)
def _filter(x, out, parts):
    step = (len(x) + parts - 1) // parts
    counts = numpy.zeros(parts + 1, numpy.int64)
    for p in prange(parts):
        count = 0
        for i in range(p * step, min((p + 1) * step, len(x))):
            count += x[i] > 0
        counts[p + 1] = count
    for p in range(parts):
        counts[p + 1] += counts[p]
    for p in prange(parts):
        at = counts[p]
        last = counts[p + 1]
        for i in range(p * step, min((p + 1) * step, len(x))):
            if at < last:  # so that the unconditional, branch-free store stays in its part
                out[at] = x[i]
            at += x[i] > 0
    return counts[parts]


@njit(parallel=True, fastmath=True)
def _segmented_sum(x, offsets, out):
    for s in prange(len(out)):
        total = F(0)
        for i in range(offsets[s], offsets[s + 1]):
            total += x[i]
        out[s] = total


@njit(parallel=True)
def _histogram(keys, out, parts):
    step = (len(keys) + parts - 1) // parts
    private = numpy.zeros((parts, 4, len(out)), numpy.int32)
    for p in prange(parts):
        mine = private[p]
        first, last = p * step, min((p + 1) * step, len(keys))
        for i in range(first, last - 3, 4):
            for k in range(4):
                mine[k, keys[i + k]] += 1
        for i in range(first + (last - first) // 4 * 4, last):
            mine[0, keys[i]] += 1
    for bin_ in range(len(out)):
        total = 0
        for p in range(parts):
            for k in range(4):
                total += private[p, k, bin_]
        out[bin_] = total


@njit(parallel=True, fastmath=True)
def _group_by(keys, x, sums, counts, parts):
    step = (len(keys) + parts - 1) // parts
    totals = numpy.zeros((parts, 8), F)
    numbers = numpy.zeros((parts, 8), numpy.int64)
    for p in prange(parts):
        first, last = p * step, min((p + 1) * step, len(keys))
        for begin in range(first, last, 4096):
            end = min(begin + 4096, last)
            for group in range(4):
                total, number = F(0), numpy.int32(0)
                for i in range(begin, end):
                    total += x[i] if keys[i] == group else F(0)
                    number += numpy.int32(1) if keys[i] == group else numpy.int32(0)
                totals[p, group] += total
                numbers[p, group] += number
    for group in range(4):
        sums[group] = totals[:, group].sum()
        counts[group] = numbers[:, group].sum()


@njit(parallel=True, fastmath=True)
def _scatter_add(keys, x, out, private, parts):
    step = (len(keys) + parts - 1) // parts
    for p in prange(parts):
        mine = private[p]
        mine[:] = F(0)
        for i in range(p * step, min((p + 1) * step, len(keys))):
            mine[keys[i]] += x[i]
    for i in prange(len(out)):
        total = F(0)
        for p in range(parts):
            total += private[p, i]
        out[i] = total


@njit(parallel=True)
def _sort(x, scratch, out, parts):
    """Sorts by 11 bits a pass, the lowest first; each part counts, and then places its own
    elements."""
    step = (len(x) + parts - 1) // parts
    digits = 2048
    for turn in range(3):
        source = x if turn == 0 else (scratch if turn == 2 else out)
        target = scratch if turn == 1 else out
        shift = numpy.uint32(11 * turn)
        counts = numpy.zeros((parts, digits), numpy.int64)
        for p in prange(parts):
            for i in range(p * step, min((p + 1) * step, len(x))):
                counts[p, (source[i] >> shift) & numpy.uint32(digits - 1)] += 1
        at = 0
        for d in range(digits):
            for p in range(parts):
                number = counts[p, d]
                counts[p, d] = at
                at += number
        for p in prange(parts):
            for i in range(p * step, min((p + 1) * step, len(x))):
                d = (source[i] >> shift) & numpy.uint32(digits - 1)
                target[counts[p, d]] = source[i]
                counts[p, d] += 1


@njit(parallel=True)
def _permute(x, target, out):
    for i in prange(len(x)):
        out[target[i]] = x[i]


@njit(parallel=True)
def _gather(x, at, out):
    for i in prange(len(at)):
        out[i] = x[at[i]]


@njit(parallel=True, fastmath=True)
def _sparse_product(offsets, columns, values, x, out):
    for r in prange(len(out)):
        total = F(0)
        for i in range(offsets[r], offsets[r + 1]):
            total += values[i] * x[columns[i]]
        out[r] = total


@form("numba/by hand", "scan")
def scan(n):
    def run():
        _scan(n.x, n.out, 16 * get_num_threads())
        return n.out
    return run


@form("numba/by hand", "filter")
def keep(n):
    def run():
        return n.out[:_filter(n.x, n.out, 16 * get_num_threads())]
    return run


@form("numba", "segmented-sum")
def segmented_sum(n):
    def run():
        _segmented_sum(n.x, n.offsets, n.out)
        return n.out
    return run


@form("numba/by hand", "histogram")
def histogram(n):
    def run():
        _histogram(n.keys, n.counts, get_num_threads())
        return n.counts
    return run


@form("numba/by hand", "group-by")
def group_by(n):
    def run():
        _group_by(n.keys, n.x, n.out, n.counts, get_num_threads())
        return n.out, n.counts
    return run


@form("numba/by hand", "scatter-add")
def scatter_add(n):
    private = numpy.empty((get_num_threads(), moving.PLACES), F)

    def run():
        _scatter_add(n.keys, n.x, n.out, private, get_num_threads())
        return n.out
    return run


@form("numba/by hand", "sort")
def sort(n):
    scratch = numpy.empty_like(n.x)

    def run():
        _sort(n.x, scratch, n.out, get_num_threads())
        return n.out
    return run


@form("numba", "permute")
def permute(n):
    def run():
        _permute(n.x, n.target, n.out)
        return n.out
    return run


@form("numba", "gather")
def gather(n):
    def run():
        _gather(n.x, n.at, n.out)
        return n.out
    return run


@form("numba", "sparse-regular", "sparse-power-law")
def sparse_product(n):
    def run():
        _sparse_product(n.offsets, n.columns, n.values, n.x, n.out)
        return n.out
    return run
