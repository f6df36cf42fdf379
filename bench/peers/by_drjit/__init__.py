"""Dr.Jit: traced array programs, compiled by the system's LLVM, which may be absent."""
import os

import drjit


def version():
    drjit.set_thread_count(len(os.sched_getaffinity(0)))
    from drjit.llvm import Float
    drjit.eval(Float(1) + Float(2))  # raises here if LLVM is absent
    return f"Dr.Jit {drjit.__version__}"


def waited(program, *inputs):
    """A form: the program on Dr.Jit's arrays, traced once and then called again, and waited for."""
    fast = drjit.freeze(program)

    def run():
        result = fast(*inputs)
        drjit.eval(result)
        drjit.sync_thread()
        return result
    return run
