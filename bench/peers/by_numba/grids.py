"""Numba's forms of the cases on grids: borders are separate, so that the inside is a plain loop."""
import math

import numpy
from numba import njit, prange

from cases import grids
from registry import form

F = numpy.float32
RATE = F(grids.HEAT_RATE)


@njit(fastmath=True, inline="always")
def _magnitude(x, above, i, below, left, j, right):
    gx = ((x[above, right] + F(2) * x[i, right] + x[below, right]) -
          (x[above, left] + F(2) * x[i, left] + x[below, left]))
    gy = ((x[below, left] + F(2) * x[below, j] + x[below, right]) -
          (x[above, left] + F(2) * x[above, j] + x[above, right]))
    return math.sqrt(gx * gx + gy * gy)


@njit(parallel=True, fastmath=True)
def _sobel(x, out):
    height, width = x.shape
    for i in prange(height):
        above, below = max(i - 1, 0), min(i + 1, height - 1)
        out[i, 0] = _magnitude(x, above, i, below, 0, 0, 1)
        for j in range(1, width - 1):
            out[i, j] = _magnitude(x, above, i, below, j - 1, j, j + 1)
        out[i, width - 1] = _magnitude(x, above, i, below, width - 2, width - 1, width - 1)


@njit(parallel=True, fastmath=True)
def _blur(x, out):
    height, width = x.shape
    for i in prange(height):
        columns = numpy.empty(width + 4, F)
        a, b = x[max(i - 2, 0)], x[max(i - 1, 0)]
        c, d, e = x[i], x[min(i + 1, height - 1)], x[min(i + 2, height - 1)]
        for j in range(width):
            columns[j + 2] = a[j] + b[j] + c[j] + d[j] + e[j]
        columns[0] = columns[1] = columns[2]
        columns[width + 2] = columns[width + 3] = columns[width + 1]
        for j in range(width):
            out[i, j] = F(0.04) * (columns[j] + columns[j + 1] + columns[j + 2] + columns[j + 3] +
                                   columns[j + 4])


@njit(parallel=True, fastmath=True)
def _heat_step(x, out):
    depth, height, width = x.shape
    last = width - 1
    for i in prange(depth):
        for j in range(height):
            middle = x[i, j]
            before, after = x[max(i - 1, 0), j], x[min(i + 1, depth - 1), j]
            above, below = x[i, max(j - 1, 0)], x[i, min(j + 1, height - 1)]
            for k in range(1, last):
                around = (before[k] + after[k] + above[k] + below[k] + middle[k - 1] +
                          middle[k + 1])
                out[i, j, k] = middle[k] + RATE * (around - F(6) * middle[k])
            for k in (0, last):
                around = (before[k] + after[k] + above[k] + below[k] + middle[max(k - 1, 0)] +
                          middle[min(k + 1, last)])
                out[i, j, k] = middle[k] + RATE * (around - F(6) * middle[k])


@njit(parallel=True)
def _life_step(x, out):
    height, width = x.shape
    one, two, three = numpy.uint8(1), numpy.uint8(2), numpy.uint8(3)
    for i in prange(height):
        a, b, c = x[(i - 1) % height], x[i], x[(i + 1) % height]
        for j in range(1, width - 1):
            around = numpy.uint8(a[j - 1] + a[j] + a[j + 1] + b[j - 1] + b[j + 1] + c[j - 1] +
                                 c[j] + c[j + 1])
            out[i, j] = numpy.uint8(around == three) | (numpy.uint8(around == two) & b[j])
        for j in (0, width - 1):
            left, right = (j - 1) % width, (j + 1) % width
            around = numpy.uint8(a[left] + a[j] + a[right] + b[left] + b[right] + c[left] + c[j] +
                                 c[right])
            out[i, j] = one if around == three or (around == two and b[j] == one) else 0


@njit(parallel=True, fastmath=True)
def _image_and_inner(p, image):
    height, width = p.shape
    total = F(0)
    for i in prange(height):
        part = F(0)
        above, below = p[max(i - 1, 0)], p[min(i + 1, height - 1)]
        up, down = F(i > 0), F(i < height - 1)
        for j in range(width):
            left = p[i, j - 1] if j > 0 else F(0)
            right = p[i, j + 1] if j < width - 1 else F(0)
            q = F(4) * p[i, j] - up * above[j] - down * below[j] - left - right
            image[i, j] = q
            part += q * p[i, j]
        total += part
    return total


@njit(parallel=True, fastmath=True)
def _advance(length, direction, image, x, residual):
    total = F(0)
    for i in prange(x.shape[0]):
        part = F(0)
        for j in range(x.shape[1]):
            x[i, j] += length * direction[i, j]
            r = residual[i, j] - length * image[i, j]
            residual[i, j] = r
            part += r * r
        total += part
    return total


@njit(parallel=True, fastmath=True)
def _turn(share, residual, direction):
    for i in prange(direction.shape[0]):
        for j in range(direction.shape[1]):
            direction[i, j] = residual[i, j] + share * direction[i, j]


@njit(fastmath=True)
def _conjugate_gradients(steps, b, x, residual, direction, image):
    x[:] = F(0)
    residual[:] = b
    direction[:] = b
    rest = F((b * b).sum())
    for _ in range(steps):
        length = rest / _image_and_inner(direction, image)
        following = _advance(length, direction, image, x, residual)
        _turn(following / rest, residual, direction)
        rest = following


@form("numba", "sobel")
def sobel(n):
    def run():
        _sobel(n.x, n.out)
        return n.out
    return run


@form("numba", "blur")
def blur(n):
    def run():
        _blur(n.x, n.out)
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


form("numba", "heat-3d")(stepped(_heat_step, grids.HEAT_STEPS))
form("numba", "life")(stepped(_life_step, grids.GENERATIONS))


@form("numba", "conjugate-gradients")
def conjugate_gradients(n):
    parts = [numpy.empty_like(n.b) for _ in range(3)]

    def run():
        _conjugate_gradients(grids.CG_STEPS, n.b, n.out, *parts)
        return n.out
    return run
