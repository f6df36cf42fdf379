"""NumPy with OpenBLAS, and SciPy. What has no threads of its own runs on one."""
import numpy
import scipy


def version():
    return f"NumPy {numpy.__version__}, SciPy {scipy.__version__}"
