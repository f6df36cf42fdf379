#!/usr/bin/env python3
"""Calls the library nbody from Python on NumPy arrays, without copying them.

    nbody.py libnbody.so
"""
import ctypes
import sys

try:
    import numpy
except ImportError:
    print("nbody.py: SKIPPED: this Python has no NumPy")
    sys.exit(77)

RANKS, COMPONENTS, F32 = 4, 8, 11  # NBODY_RANK_MAX, NBODY_COMPONENTS_MAX, NBODY_F32


class Array(ctypes.Structure):
    """nbody_array; each component is one NumPy array."""
    _fields_ = [("rank", ctypes.c_int32), ("components", ctypes.c_int32),
                ("owner", ctypes.c_uint64), ("extents", ctypes.c_int64 * RANKS),
                ("types", ctypes.c_int32 * COMPONENTS), ("data", ctypes.c_void_p * COMPONENTS)]

    @classmethod
    def of(cls, *arrays):
        made = cls(rank=arrays[0].ndim, components=len(arrays))
        made.extents[:made.rank] = arrays[0].shape
        for i, array in enumerate(arrays):
            assert array.dtype == numpy.float32 and array.flags.c_contiguous
            made.types[i], made.data[i] = F32, array.ctypes.data
        return made

    def view(self, component):
        """The library's memory as a NumPy array, until it is freed."""
        pointer = ctypes.cast(self.data[component], ctypes.POINTER(ctypes.c_float))
        return numpy.ctypeslib.as_array(pointer, tuple(self.extents[:self.rank]))


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.nbody_last_error.restype = ctypes.c_char_p

    def call(function, *arguments):
        if function(*arguments):
            raise RuntimeError(library.nbody_last_error().decode())

    context = ctypes.c_void_p()
    call(library.nbody_create_context, ctypes.byref(context), None)
    random = numpy.random.default_rng(1)
    places = [random.standard_normal(1000, dtype=numpy.float32) for _ in range(3)]
    masses = numpy.full(1000, 1e-3, numpy.float32)
    velocities = [numpy.zeros(1000, numpy.float32) for _ in range(3)]
    before = places[0].copy()
    bodies, speeds = Array.of(*places, masses), Array.of(*velocities)
    for _ in range(100):  # results replace the arguments in place
        call(library.nbody_step, context, ctypes.byref(bodies), ctypes.byref(speeds),
             ctypes.c_float(0.01), ctypes.byref(bodies), ctypes.byref(speeds))
    moved, faster = Array(), Array()  # now in memory of the library
    call(library.nbody_step, context, ctypes.byref(bodies), ctypes.byref(speeds),
         ctypes.c_float(0.01), ctypes.byref(moved), ctypes.byref(faster))
    assert numpy.abs(moved.view(0) - places[0]).max() > 0
    assert abs(sum(float((masses * v).sum()) for v in velocities)) < 1e-3  # momentum
    print(f"1000 bodies moved by up to {numpy.abs(places[0] - before).max():.3f}")
    for array in (moved, faster):
        call(library.nbody_free_array, ctypes.byref(array))
    call(library.nbody_free_context, context)


if __name__ == "__main__":
    main()
