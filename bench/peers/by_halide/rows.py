"""Halide's forms of the cases on rows."""
import halide as hl

from by_halide import F, compiled, numbers
from cases import rows
from registry import form

i, j, u = hl.Var("i"), hl.Var("j"), hl.Var("u")
LANES = 32


@form("halide", "matmul/512", "matmul/1024")
def product(n):
    """Uses the schedule of Halide's own performance test."""
    a, b = numbers(n.a, n.b)
    k = hl.RDom([(0, len(n.a))], "k")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[j, i] = F(0)
    sums[j, i] += a[k.x, i] * b[j, k.x]
    out[j, i] = sums[j, i]
    ji, ii, iii, tile = hl.Var("ji"), hl.Var("ii"), hl.Var("iii"), hl.Var("tile")
    out.tile(j, i, ji, ii, 24, 32).fuse(j, i, tile).parallel(tile).split(ii, ii, iii, 4)
    out.vectorize(ji, 8).unroll(ji).unroll(iii)
    sums.compute_at(out, ii).vectorize(j, 8).unroll(i)
    sums.update(0).reorder(j, i, k.x).vectorize(j, 8).unroll(j).unroll(i).unroll(k.x, 2)
    return compiled(out, n.out)


def of_rows(name, first, combine, term):
    """Folds each row in lanes, then folds these; returns both functions, to be scheduled."""
    r = hl.RDom([(0, rows.COLUMNS // LANES)], "r")
    lane = hl.RDom([(0, LANES)], "lane")
    part, whole = hl.Func(name + "_part"), hl.Func(name)
    part[u, i] = first
    part[u, i] = combine(part[u, i], term(r.x * LANES + u, i))
    whole[i] = first
    whole[i] = combine(whole[i], part[lane.x, i])
    return part, whole


def finish(out, *parts, stored=()):
    """Distributes rows over threads; what belongs to a row is computed for that row."""
    out.parallel(i, 16).vectorize(j, 8)
    for part, whole in parts:
        part.compute_at(out, i).vectorize(u, 8).unroll(u)
        part.update(0).reorder(u, part.rvars(0)[0], i).vectorize(u, 8).unroll(u)
        whole.compute_at(out, i)
    for function in stored:
        function.compute_at(out, i).vectorize(j, 8)


def added(a, b):
    return a + b


@form("halide", "softmax")
def softmax(n):
    x, = numbers(n.x)
    most = of_rows("most", F(-1e30), hl.max, lambda at, row: x[at, row])
    e, share, out = hl.Func("e"), hl.Func("share"), hl.Func("out")
    e[j, i] = hl.fast_exp(x[j, i] - most[1][i])
    total = of_rows("total", F(0), added, lambda at, row: e[at, row])
    share[i] = F(1) / total[1][i]
    out[j, i] = e[j, i] * share[i]
    share.compute_at(out, i)
    finish(out, most, total, stored=[e])
    return compiled(out, n.out)


@form("halide", "layer-norm")
def layer_norm(n):
    x, scale, shift = numbers(n.x, n.scale, n.shift)
    part = F(1.0 / rows.COLUMNS)
    total = of_rows("total", F(0), added, lambda at, row: x[at, row])
    mean, inverse, out = hl.Func("mean"), hl.Func("inverse"), hl.Func("out")
    mean[i] = total[1][i] * part
    squares = of_rows("squares", F(0), added,
                      lambda at, row: (x[at, row] - mean[row]) * (x[at, row] - mean[row]))
    inverse[i] = F(1) / hl.sqrt(squares[1][i] * part + F(rows.LEAST))
    out[j, i] = (x[j, i] - mean[i]) * inverse[i] * scale[j] + shift[j]
    mean.compute_at(out, i)
    inverse.compute_at(out, i)
    finish(out, total, squares)
    return compiled(out, n.out)


@form("halide", "k-means")
def nearest(n):
    points, centres = numbers(n.points, n.centres)
    p, c, k = hl.Var("p"), hl.Var("c"), hl.Var("k")
    axis = hl.RDom([(0, rows.AXES)], "axis")
    centre = hl.RDom([(0, rows.CENTRES)], "centre")
    across, distance = hl.Func("across"), hl.Func("distance")
    best, out = hl.Func("best"), hl.Func("out")
    across[p, k] = points[k, p]
    distance[p, c] = F(0)
    way = across[p, axis.x] - centres[axis.x, c]
    distance[p, c] += way * way
    best[p] = (F(1e30), hl.i32(0))
    nearer = distance[p, centre.x] < best[p][0]
    best[p] = (hl.select(nearer, distance[p, centre.x], best[p][0]),
               hl.select(nearer, centre.x, best[p][1]))
    out[p] = best[p][1]
    outer, inner = hl.Var("outer"), hl.Var("inner")
    out.split(p, outer, inner, 32).parallel(outer, 16).vectorize(inner, 8).unroll(inner)
    across.compute_at(out, outer)
    best.compute_at(out, outer).vectorize(p, 8).unroll(p)
    best.update(0).reorder(p, centre.x).vectorize(p, 8).unroll(p)
    distance.compute_at(best, centre.x).vectorize(p, 8).unroll(p)
    distance.update(0).reorder(p, axis.x, c).vectorize(p, 8).unroll(p).unroll(axis.x)
    return compiled(out, n.out32)
