"""NumPy with OpenBLAS, and SciPy. Functions without threads of their own run on one thread."""
import numpy
import scipy


def version():
    return f"NumPy {numpy.__version__}, SciPy {scipy.__version__}"
