"""Halide: functions of coordinates, and schedules written by hand."""
import importlib.metadata

import halide as hl

F = hl.f32


def version():
    return "Halide " + importlib.metadata.version("halide")


def numbers(*arrays):
    """NumPy's arrays as Halide's, without a copy; Halide's first axis is the innermost."""
    return [hl.Buffer(a) for a in arrays]


def compiled(function, *outs):
    """A form: the compiled function, writing into NumPy's arrays."""
    function.compile_jit(hl.get_jit_target_from_environment())
    buffers = numbers(*outs)

    def run():
        function.realize(buffers if len(buffers) > 1 else buffers[0])
        return outs
    return run


def wide(function, i, block=1 << 14, lanes=8):
    """Distributes blocks of a vector over threads and vectorises within."""
    outer, inner = hl.Var("outer"), hl.Var("inner")
    function.split(i, outer, inner, block).parallel(outer).vectorize(inner, lanes)


def total_of(term, size, zero=F(0.0), block=1 << 14, lanes=32):
    """The sum of term(i) for i below size: sums of blocks, each in lanes, then the sum of these."""
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
