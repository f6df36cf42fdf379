"""Cases on grids: stencils, applied once or in a loop."""
import ctypes

import numpy

from cases.inputs import empty, floats, given, image, integers
from hasten_library import of
from registry import Case

HEIGHT, WIDTH = 2400, 3000
ROOM, HEAT_STEPS, HEAT_RATE = 128, 20, 0.1
LIFE, GENERATIONS = 2048, 10
GRID, CG_STEPS = 512, 50


def picture():
    return given(x=image(HEIGHT, WIDTH), out=empty(HEIGHT, WIDTH))


def clamped(x, reach):
    return numpy.pad(x.astype(numpy.float64), reach, mode="edge")


def sobel(n):
    p = clamped(n.x, 1)

    def at(i, j):
        return p[1 + i:HEIGHT + 1 + i, 1 + j:WIDTH + 1 + j]
    gx = (at(-1, 1) + 2 * at(0, 1) + at(1, 1)) - (at(-1, -1) + 2 * at(0, -1) + at(1, -1))
    gy = (at(1, -1) + 2 * at(1, 0) + at(1, 1)) - (at(-1, -1) + 2 * at(-1, 0) + at(-1, 1))
    return numpy.sqrt(gx * gx + gy * gy)


def blur(n):
    p = clamped(n.x, 2)
    columns = sum(p[i:HEIGHT + i] for i in range(5))
    return sum(columns[:, j:WIDTH + j] for j in range(5)) / 25


def room():
    return given(x=floats(31, ROOM, ROOM, ROOM), out=empty(ROOM, ROOM, ROOM),
                 other=empty(ROOM, ROOM, ROOM))


def heat(n):
    x = n.x.astype(numpy.float64)
    for _ in range(HEAT_STEPS):
        p = numpy.pad(x, 1, mode="edge")
        around = (p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] +
                  p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:])
        x = x + HEAT_RATE * (around - 6 * x)
    return x


def ours_heat(library, n):
    return library.call("heat", ctypes.c_int64(HEAT_STEPS), ctypes.c_float(HEAT_RATE), of(n.x),
                        out=(n.out,))


def cells():
    return given(x=integers(32, (LIFE, LIFE), 2, numpy.uint8),
                 out=empty(LIFE, LIFE, dtype=numpy.uint8),
                 other=empty(LIFE, LIFE, dtype=numpy.uint8))


def life(n):
    x = n.x
    for _ in range(GENERATIONS):
        p = numpy.pad(x, 1, mode="wrap")
        around = sum(p[i:LIFE + i, j:LIFE + j] for i in range(3) for j in range(3)) - x
        x = ((around == 3) | ((around == 2) & (x == 1))).astype(numpy.uint8)
    return x


def grid():
    return given(b=floats(33, GRID, GRID, low=-1), out=empty(GRID, GRID))


def image_of(p):
    q = numpy.pad(p, 1)
    return 4 * p - q[:-2, 1:-1] - q[2:, 1:-1] - q[1:-1, :-2] - q[1:-1, 2:]


def conjugate_gradients(n):
    b = n.b.astype(numpy.float64)
    x, residual, direction, rest = numpy.zeros_like(b), b, b, (b * b).sum()
    for _ in range(CG_STEPS):
        q = image_of(direction)
        length = rest / (direction * q).sum()
        x, residual = x + length * direction, residual - length * q
        rest, before = (residual * residual).sum(), rest
        direction = residual + rest / before * direction
    return x


CASES = [
    Case("sobel", f"{WIDTH}x{HEIGHT} f32", picture, sobel,
         lambda library, n: library.call("sobel", of(n.x), out=(n.out,)), tolerance=1e-3),
    Case("blur", f"{WIDTH}x{HEIGHT} f32, 5x5", picture, blur,
         lambda library, n: library.call("blur", of(n.x), out=(n.out,))),
    Case("heat-3d", f"{ROOM}^3 f32, {HEAT_STEPS} steps", room, heat, ours_heat),
    Case("life", f"{LIFE}x{LIFE} u8, {GENERATIONS} generations", cells, life,
         lambda library, n: library.call("life", ctypes.c_int64(GENERATIONS), of(n.x),
                                         out=(n.out,)), tolerance=0),
    Case("conjugate-gradients", f"{GRID}x{GRID} f32, {CG_STEPS} steps", grid, conjugate_gradients,
         lambda library, n: library.call("conjugate_gradients", ctypes.c_int64(CG_STEPS), of(n.b),
                                         out=(n.out,)), tolerance=5e-3),
]
