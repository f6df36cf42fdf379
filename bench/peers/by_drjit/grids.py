"""Dr.Jit's forms of the cases on grids, by gathers from the neighbours."""
import drjit as dr
from drjit.llvm import Float, Int32

from by_drjit import waited
from cases import grids
from registry import form


def around(x):
    """A function that returns each pixel's neighbour, clamped to the picture."""
    at = dr.arange(Int32, grids.WIDTH * grids.HEIGHT)
    row = at // grids.WIDTH
    column = at - row * grids.WIDTH

    def neighbour(i, j):
        y = dr.clip(row + i, 0, grids.HEIGHT - 1)
        return dr.gather(Float, x, y * grids.WIDTH + dr.clip(column + j, 0, grids.WIDTH - 1))
    return neighbour


@form("drjit", "sobel")
def sobel(n):
    def magnitude(x):
        p = around(x)
        v = {(i, j): p(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)}
        gx = (v[-1, 1] + 2 * v[0, 1] + v[1, 1]) - (v[-1, -1] + 2 * v[0, -1] + v[1, -1])
        gy = (v[1, -1] + 2 * v[1, 0] + v[1, 1]) - (v[-1, -1] + 2 * v[-1, 0] + v[-1, 1])
        return dr.sqrt(gx * gx + gy * gy)
    return waited(magnitude, Float(n.x.ravel()))


@form("drjit", "blur")
def blur(n):
    def mean(x):
        p = around(x)
        columns = sum(p(i, 0) for i in range(-2, 3))
        dr.eval(columns)
        q = around(columns)
        return sum(q(0, j) for j in range(-2, 3)) * 0.04
    return waited(mean, Float(n.x.ravel()))
