"""Taichi's forms of the cases on grids. Threads receive rows, and the coordinates that a row reads
are clamped once per row."""
import numpy
import taichi as ti

from cases import grids
from registry import form

RATE = grids.HEAT_RATE
M = ti.types.ndarray(dtype=ti.f32, ndim=2)
R = ti.types.ndarray(dtype=ti.f32, ndim=3)
C = ti.types.ndarray(dtype=ti.u8, ndim=2)


@ti.func
def _magnitude(x: ti.template(), above, i, below, left, j, right):
    gx = ((x[above, right] + 2.0 * x[i, right] + x[below, right]) -
          (x[above, left] + 2.0 * x[i, left] + x[below, left]))
    gy = ((x[below, left] + 2.0 * x[below, j] + x[below, right]) -
          (x[above, left] + 2.0 * x[above, j] + x[above, right]))
    return ti.sqrt(gx * gx + gy * gy)


@ti.kernel
def _sobel(x: M, out: M):
    for i in range(x.shape[0]):
        last = x.shape[1] - 1
        above, below = ti.max(i - 1, 0), ti.min(i + 1, x.shape[0] - 1)
        out[i, 0] = _magnitude(x, above, i, below, 0, 0, 1)
        for j in range(1, last):
            out[i, j] = _magnitude(x, above, i, below, j - 1, j, j + 1)
        out[i, last] = _magnitude(x, above, i, below, last - 1, last, last)


@ti.kernel
def _blur(x: M, columns: M, out: M):
    for i in range(x.shape[0]):
        width, last = x.shape[1], x.shape[0] - 1
        a, b = ti.max(i - 2, 0), ti.max(i - 1, 0)
        c, d = ti.min(i + 1, last), ti.min(i + 2, last)
        for j in range(width):
            columns[i, j + 2] = x[a, j] + x[b, j] + x[i, j] + x[c, j] + x[d, j]
        for j in range(2):
            columns[i, j] = columns[i, 2]
            columns[i, width + 2 + j] = columns[i, width + 1]
        for j in range(width):
            out[i, j] = 0.04 * (columns[i, j] + columns[i, j + 1] + columns[i, j + 2] +
                                columns[i, j + 3] + columns[i, j + 4])


@ti.kernel
def _heat_step(x: R, out: R):
    for i, j in ti.ndrange(x.shape[0], x.shape[1]):
        last = x.shape[2] - 1
        a, b = ti.max(i - 1, 0), ti.min(i + 1, x.shape[0] - 1)
        c, d = ti.max(j - 1, 0), ti.min(j + 1, x.shape[1] - 1)
        for k in range(1, last):
            around = (x[a, j, k] + x[b, j, k] + x[i, c, k] + x[i, d, k] + x[i, j, k - 1] +
                      x[i, j, k + 1])
            out[i, j, k] = x[i, j, k] + RATE * (around - 6.0 * x[i, j, k])
        for side in range(2):
            k = side * last
            around = (x[a, j, k] + x[b, j, k] + x[i, c, k] + x[i, d, k] +
                      x[i, j, ti.max(k - 1, 0)] + x[i, j, ti.min(k + 1, last)])
            out[i, j, k] = x[i, j, k] + RATE * (around - 6.0 * x[i, j, k])


@ti.func
def _next(x: ti.template(), a, i, b, left, j, right):
    around = (x[a, left] + x[a, j] + x[a, right] + x[i, left] + x[i, right] + x[b, left] +
              x[b, j] + x[b, right])
    return ti.cast((around == 3) | ((around == 2) & (x[i, j] == 1)), ti.u8)


@ti.kernel
def _life_step(x: C, out: C):
    for i in range(x.shape[0]):
        height, width = x.shape[0], x.shape[1]
        a, b = (i + height - 1) % height, (i + 1) % height
        out[i, 0] = _next(x, a, i, b, width - 1, 0, 1)
        for j in range(1, width - 1):
            out[i, j] = _next(x, a, i, b, j - 1, j, j + 1)
        out[i, width - 1] = _next(x, a, i, b, width - 2, width - 1, 0)


@ti.kernel
def _image_and_inner(p: M, image: M) -> ti.f32:
    total = 0.0
    for i in range(p.shape[0]):
        height, width, part = p.shape[0], p.shape[1], 0.0
        above, below = ti.max(i - 1, 0), ti.min(i + 1, height - 1)
        up, down = ti.select(i > 0, 1.0, 0.0), ti.select(i < height - 1, 1.0, 0.0)
        for j in range(width):
            left = ti.select(j > 0, p[i, ti.max(j - 1, 0)], 0.0)
            right = ti.select(j < width - 1, p[i, ti.min(j + 1, width - 1)], 0.0)
            q = 4.0 * p[i, j] - up * p[above, j] - down * p[below, j] - left - right
            image[i, j] = q
            part += q * p[i, j]
        total += part
    return total


@ti.kernel
def _advance(length: ti.f32, direction: M, image: M, x: M, residual: M) -> ti.f32:
    total = 0.0
    for i, j in ti.ndrange(x.shape[0], x.shape[1]):
        x[i, j] += length * direction[i, j]
        r = residual[i, j] - length * image[i, j]
        residual[i, j] = r
        total += r * r
    return total


@ti.kernel
def _turn(share: ti.f32, residual: M, direction: M):
    for i, j in ti.ndrange(residual.shape[0], residual.shape[1]):
        direction[i, j] = residual[i, j] + share * direction[i, j]


@form("taichi", "sobel")
def sobel(n):
    def run():
        _sobel(n.x, n.out)
        return n.out
    return run


@form("taichi", "blur")
def blur(n):
    columns = numpy.empty((grids.HEIGHT, grids.WIDTH + 4), numpy.float32)

    def run():
        _blur(n.x, columns, n.out)
        return n.out
    return run


def stepped(step, steps):
    """Alternates between two arrays."""
    def prepare(n):
        def run():
            now, to, other = n.x, n.out, n.other
            for _ in range(steps):
                step(now, to)
                now, to, other = to, other, to
            return now
        return run
    return prepare


form("taichi", "heat-3d")(stepped(_heat_step, grids.HEAT_STEPS))
form("taichi", "life")(stepped(_life_step, grids.GENERATIONS))


@form("taichi", "conjugate-gradients")
def conjugate_gradients(n):
    residual, direction, image = n.b.copy(), n.b.copy(), n.b.copy()

    def run():
        n.out[:], residual[:], direction[:] = 0, n.b, n.b
        rest = float((n.b * n.b).sum())
        for _ in range(grids.CG_STEPS):
            length = rest / _image_and_inner(direction, image)
            following = _advance(length, direction, image, n.out, residual)
            _turn(following / rest, residual, direction)
            rest = following
        return n.out
    return run
