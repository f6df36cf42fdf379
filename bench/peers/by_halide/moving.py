"""Halide's forms of the cases that move elements: those that are functions of coordinates, and sums
into private places. It has no sort, filter or parallel scan."""
import halide as hl

from by_halide import F, compiled, numbers, total_of, wide
from cases import moving
from cases.inputs import empty
from registry import form

i = hl.Var("i")


@form("halide", "gather")
def gather(n):
    x, at = numbers(n.x, n.at)
    out = hl.Func("out")
    out[i] = x[hl.unsafe_promise_clamped(at[i], 0, moving.SPREAD - 1)]
    wide(out, i)
    return compiled(out, n.out)


@form("halide", "histogram")
def histogram(n):
    keys, = numbers(n.keys)
    block, b = 1 << 17, hl.Var("b")
    r = hl.RDom([(0, block)], "r")
    blocks = hl.RDom([(0, moving.LONG // block)], "blocks")
    part, out = hl.Func("part"), hl.Func("out")
    part[i, b] = hl.i32(0)
    part[hl.unsafe_promise_clamped(keys[b * block + r.x], 0, moving.BINS - 1), b] += 1
    out[i] = hl.i32(0)
    out[i] += part[i, blocks.x]
    part.compute_root().parallel(b).vectorize(i, 8)
    part.update(0).parallel(b)
    out.vectorize(i, 8).update(0).reorder(i, blocks.x).vectorize(i, 8)
    return compiled(out, empty(moving.BINS, dtype="int32"))


@form("halide", "group-by")
def group_by(n):
    keys, x = numbers(n.keys, n.x)
    g = hl.Var("g")
    sums, out = [], hl.Func("out")
    for k in range(4):
        mine = total_of(lambda at, k=k: hl.select(keys[at] == k, x[at], F(0)), moving.LONG)
        count = total_of(lambda at, k=k: hl.select(keys[at] == k, hl.i32(1), hl.i32(0)),
                         moving.LONG, zero=hl.i32(0))
        sums.append((mine.compute_root(), count.compute_root()))

    def chosen(which):
        last = hl.Expr(sums[3][which][()])
        for k in (2, 1, 0):
            last = hl.select(g == k, hl.Expr(sums[k][which][()]), last)
        return last
    out[g] = (chosen(0), chosen(1))
    return compiled(out, empty(4), empty(4, dtype="int32"))
