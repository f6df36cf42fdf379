"""The inputs, which are the same in every run."""
import types

import numpy

LINE = 64


def floats(seed, *shape, low=0.0, high=1.0):
    """Uniformly distributed float32."""
    numbers = numpy.random.default_rng(seed).random(shape, dtype=numpy.float32)
    return numpy.float32(low) + numpy.float32(high - low) * numbers


def integers(seed, size, below, dtype=numpy.int32):
    return numpy.random.default_rng(seed).integers(0, below, size, dtype=dtype)


def image(height, width):
    """Two waves, as in bench/contenders."""
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
    waves = 0.25 * numpy.sin(0.03 * x) + 0.25 * numpy.sin(0.05 * y + 0.01 * x)
    return numpy.ascontiguousarray((0.5 + waves).astype(numpy.float32))


def given(**names):
    """The inputs as arrays that are aligned to cache lines."""
    held = {name: aligned(a) if a.ctypes.data % LINE else a for name, a in names.items()}
    return types.SimpleNamespace(**held)


def empty(*shape, dtype=numpy.float32):
    """Memory for a result, aligned to a cache line as array libraries allocate it, with its pages
    already mapped; NumPy itself aligns to 16 bytes."""
    size = int(numpy.prod(shape, dtype=numpy.int64)) * numpy.dtype(dtype).itemsize
    raw = numpy.full(size + LINE, 1, numpy.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first:first + size].view(dtype).reshape(shape)


def aligned(array):
    """A copy that is aligned to a cache line."""
    copy = empty(*array.shape, dtype=array.dtype)
    copy[...] = array
    return copy
