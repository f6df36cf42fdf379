"""Halide: functions of places, and schedules by hand."""
import importlib.metadata

import halide as hl

F = hl.f32


def version():
    return "Halide " + importlib.metadata.version("halide")


def numbers(*arrays):
    """NumPy's arrays as Halide's, whose first axis is the innermost; nothing is copied."""
    return [hl.Buffer(a) for a in arrays]


def compiled(function, *outs):
    """A form: the function, compiled, into NumPy's arrays."""
    function.compile_jit(hl.get_jit_target_from_environment())
    buffers = numbers(*outs)

    def run():
        function.realize(buffers if len(buffers) > 1 else buffers[0])
        return outs
    return run


def wide(function, i, block=1 << 14, lanes=8):
    """Blocks of a vector on threads, lanes within."""
    outer, inner = hl.Var("outer"), hl.Var("inner")
    function.split(i, outer, inner, block).parallel(outer).vectorize(inner, lanes)


def total_of(term, size, zero=F(0.0), block=1 << 14, lanes=32):
    """The sum of term(i) for i below size: of blocks, each in lanes; then of all of these."""
    u, b = hl.Var("u"), hl.Var("b")
    part, total = hl.Func("part"), hl.Func("total")
    r = hl.RDom([(0, block // lanes)], "r")
    part[u, b] = zero
    part[u, b] += term(b * block + r.x * lanes + u)
    part.compute_root().bound(u, 0, lanes).parallel(b, 4).vectorize(u, lanes)
    part.update(0).reorder(u, r.x, b).parallel(b, 4).vectorize(u, lanes)
    every = hl.RDom([(0, lanes), (0, size // block)], "every")
    total[()] = zero
    total[()] += part[every.x, every.y]
    return total
