"""Halide's forms of the cases on grids."""
import halide as hl

from by_halide import F, compiled, numbers
from cases import grids
from registry import form

x, y, z = hl.Var("x"), hl.Var("y"), hl.Var("z")


def strips(out, lanes=8, height=32):
    """Distributes strips of rows over threads and vectorises within rows."""
    outer, inner = hl.Var("outer"), hl.Var("inner")
    out.split(y, outer, inner, height).parallel(outer).vectorize(x, lanes)
    return outer, inner


@form("halide", "sobel")
def sobel(n):
    p = hl.BoundaryConditions.repeat_edge(numbers(n.x)[0])
    gx = ((p[x + 1, y - 1] + F(2) * p[x + 1, y] + p[x + 1, y + 1]) -
          (p[x - 1, y - 1] + F(2) * p[x - 1, y] + p[x - 1, y + 1]))
    gy = ((p[x - 1, y + 1] + F(2) * p[x, y + 1] + p[x + 1, y + 1]) -
          (p[x - 1, y - 1] + F(2) * p[x, y - 1] + p[x + 1, y - 1]))
    out = hl.Func("out")
    out[x, y] = hl.sqrt(gx * gx + gy * gy)
    strips(out)
    return compiled(out, n.out)


@form("halide", "blur")
def blur(n):
    p = hl.BoundaryConditions.repeat_edge(numbers(n.x)[0])
    columns, out = hl.Func("columns"), hl.Func("out")
    columns[x, y] = p[x, y - 2] + p[x, y - 1] + p[x, y] + p[x, y + 1] + p[x, y + 2]
    out[x, y] = F(0.04) * (columns[x - 2, y] + columns[x - 1, y] + columns[x, y] +
                           columns[x + 1, y] + columns[x + 2, y])
    _, inner = strips(out)
    columns.compute_at(out, inner).vectorize(x, 8)
    return compiled(out, n.out)


def stepped(type_, rank, step, schedule, steps):
    """Alternates between two arrays with a function of one step that is compiled once."""
    def prepare(n):
        now = hl.ImageParam(type_, rank)
        out = hl.Func("out")
        step(now, out)
        schedule(out)
        out.compile_jit(hl.get_jit_target_from_environment())
        start, first, second = numbers(n.x, n.out, n.other)

        def run():
            source, to, other = start, first, second
            for _ in range(steps):
                now.set(source)
                out.realize(to)
                source, to, other = to, other, to
            return n.out if source is first else n.other
        return run
    return prepare


def heat_step(now, out):
    p = hl.BoundaryConditions.repeat_edge(now)
    around = (p[x - 1, y, z] + p[x + 1, y, z] + p[x, y - 1, z] + p[x, y + 1, z] + p[x, y, z - 1] +
              p[x, y, z + 1])
    out[x, y, z] = p[x, y, z] + F(grids.HEAT_RATE) * (around - F(6) * p[x, y, z])


def life_step(now, out):
    size = grids.LIFE
    p = hl.BoundaryConditions.repeat_image(now, [(0, size), (0, size)])
    around = (p[x - 1, y - 1] + p[x, y - 1] + p[x + 1, y - 1] + p[x - 1, y] + p[x + 1, y] +
              p[x - 1, y + 1] + p[x, y + 1] + p[x + 1, y + 1])
    lives = (around == hl.u8(3)) | ((around == hl.u8(2)) & (p[x, y] == hl.u8(1)))
    out[x, y] = hl.select(lives, hl.u8(1), hl.u8(0))


form("halide", "heat-3d")(stepped(hl.Float(32), 3, heat_step,
                                  lambda out: out.parallel(z, 8).vectorize(x, 8),
                                  grids.HEAT_STEPS))
form("halide", "life")(stepped(hl.UInt(8), 2, life_step,
                               lambda out: strips(out, lanes=32, height=64), grids.GENERATIONS))
