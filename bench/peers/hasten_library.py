"""Calls the library hasten_peers through ctypes: NumPy's arrays are passed in and out without
copies."""
import ctypes

import numpy

RANKS, COMPONENTS = 4, 8


class Array(ctypes.Structure):
    """hasten_peers_array; each component is one NumPy array."""
    _fields_ = [("rank", ctypes.c_int32), ("components", ctypes.c_int32),
                ("owner", ctypes.c_uint64), ("extents", ctypes.c_int64 * RANKS),
                ("types", ctypes.c_int32 * COMPONENTS), ("data", ctypes.c_void_p * COMPONENTS)]


class Options(ctypes.Structure):
    """hasten_peers_options; zeros leave the choice to the library."""
    _fields_ = [("threads", ctypes.c_int32), ("level", ctypes.c_int32),
                ("memory_limit", ctypes.c_int64), ("target", ctypes.c_int32),
                ("device", ctypes.c_int32)]


TYPES = {"bool": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "uint8": 5, "uint16": 6,
         "uint32": 7, "uint64": 8, "float32": 11, "float64": 12, "complex64": 13, "complex128": 14}


def of(*arrays):
    """An array of the library's from NumPy's arrays, one for each member of a struct."""
    made = Array(rank=arrays[0].ndim, components=len(arrays))
    made.extents[:made.rank] = arrays[0].shape
    for i, array in enumerate(arrays):
        assert array.flags.c_contiguous, "Hasten's arrays lie without gaps"
        made.types[i], made.data[i] = TYPES[array.dtype.name], array.ctypes.data
    made.kept = arrays  # borrowed memory must outlive the struct
    return made


class Library:
    """The library, and a context with this many threads."""

    def __init__(self, path, threads):
        self._library = ctypes.CDLL(path)
        self._library.hasten_peers_last_error.restype = ctypes.c_char_p
        self._context = ctypes.c_void_p()
        options = Options(threads=threads)
        self._check(self._library.hasten_peers_create_context(ctypes.byref(self._context),
                                                              ctypes.byref(options)))

    def _check(self, code):
        if code:
            raise RuntimeError(self._library.hasten_peers_last_error().decode())

    def call(self, entry, *arguments, out=()):
        """A function without arguments that calls the entry on arrays and on numbers of ctypes.
        `out` has NumPy's arrays for the results, or tuples of them; the function returns all of
        these."""
        function = getattr(self._library, f"hasten_peers_{entry}")
        results = [of(*(o if isinstance(o, tuple) else (o,))) for o in out]
        lent = [ctypes.byref(a) if isinstance(a, Array) else a for a in arguments]
        every = [self._context, *lent, *(ctypes.byref(r) for r in results)]
        kept = (arguments, results)
        arrays = [a for o in out for a in (o if isinstance(o, tuple) else (o,))]

        def run():
            if function(*every):
                raise RuntimeError(self._library.hasten_peers_last_error().decode())
            return arrays
        run.kept = kept
        return run

    def call_unsized(self, entry, *arguments, dtype):
        """The same for a vector whose size is known only after the call: it is in the library's
        memory, which the next call frees."""
        function = getattr(self._library, f"hasten_peers_{entry}")
        result = Array()
        every = [self._context, *(ctypes.byref(a) if isinstance(a, Array) else a
                                  for a in arguments), ctypes.byref(result)]
        item = numpy.ctypeslib.as_ctypes_type(dtype)

        def run():
            if result.components:
                self._library.hasten_peers_free_array(ctypes.byref(result))
            self._check(function(*every))
            pointer = ctypes.cast(result.data[0], ctypes.POINTER(item))
            return numpy.ctypeslib.as_array(pointer, (result.extents[0],))
        run.kept = arguments
        return run
