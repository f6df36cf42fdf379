"""NumPy's and SciPy's forms of the cases on grids."""
import numpy
import scipy.ndimage
import scipy.sparse

from cases import grids
from registry import form


@form("numpy", "sobel")
def sobel(n):
    gx, gy = numpy.empty_like(n.x), numpy.empty_like(n.x)

    def run():
        scipy.ndimage.sobel(n.x, axis=1, output=gx, mode="nearest")
        scipy.ndimage.sobel(n.x, axis=0, output=gy, mode="nearest")
        return numpy.hypot(gx, gy, out=n.out)
    return run


@form("numpy", "blur")
def blur(n):
    return lambda: scipy.ndimage.uniform_filter(n.x, 5, output=n.out, mode="nearest")


@form("numpy", "heat-3d")
def heat(n):
    rate = numpy.float32(grids.HEAT_RATE)
    padded = numpy.empty([e + 2 for e in n.x.shape], numpy.float32)
    around = numpy.empty_like(n.x)
    inside = padded[1:-1, 1:-1, 1:-1]

    def walls():
        for p in (padded, padded.transpose(1, 0, 2), padded.transpose(2, 1, 0)):
            p[0], p[-1] = p[1], p[-2]

    def run():
        inside[:] = n.x
        for _ in range(grids.HEAT_STEPS):
            walls()
            numpy.add(padded[:-2, 1:-1, 1:-1], padded[2:, 1:-1, 1:-1], out=around)
            for a in (padded[1:-1, :-2, 1:-1], padded[1:-1, 2:, 1:-1], padded[1:-1, 1:-1, :-2],
                      padded[1:-1, 1:-1, 2:]):
                numpy.add(around, a, out=around)
            numpy.multiply(around, rate, out=around)
            numpy.multiply(inside, 1 - 6 * rate, out=inside)
            numpy.add(inside, around, out=inside)
        return inside
    return run


@form("numpy", "life")
def life(n):
    padded = numpy.empty((grids.LIFE + 2,) * 2, numpy.uint8)
    inside, thrice = padded[1:-1, 1:-1], numpy.empty((grids.LIFE + 2, grids.LIFE), numpy.uint8)

    def run():
        inside[:] = n.x
        for _ in range(grids.GENERATIONS):
            padded[0], padded[-1] = padded[-2], padded[1]
            padded[:, 0], padded[:, -1] = padded[:, -2], padded[:, 1]
            numpy.add(padded[:, :-2], padded[:, 1:-1], out=thrice)
            numpy.add(thrice, padded[:, 2:], out=thrice)
            nine = thrice[:-2] + thrice[1:-1] + thrice[2:]  # the cell itself, too
            numpy.copyto(inside, (nine == 3) | ((nine == 4) & inside.view(bool)))
        return inside
    return run


@form("numpy", "conjugate-gradients")
def conjugate_gradients(n):
    size = grids.GRID
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(size, size))
    one = scipy.sparse.eye_array(size)
    matrix = (scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line)).tocsr()
    matrix = matrix.astype(numpy.float32)
    b = n.b.ravel()

    def run():
        x, residual, direction, rest = numpy.zeros_like(b), b.copy(), b.copy(), b @ b
        for _ in range(grids.CG_STEPS):
            image = matrix @ direction
            length = rest / (direction @ image)
            x += length * direction
            residual -= length * image
            rest, before = residual @ residual, rest
            direction *= rest / before
            direction += residual
        return x.reshape(size, size)
    return run
