"""JAX: whole programs under jit, which XLA compiles for the processor."""
import jax


def version():
    return f"JAX {jax.__version__}"


def compiled(function, *inputs):
    """A form: the function under jit, on inputs that XLA has placed, and waited for."""
    arrays = [jax.device_put(a) for a in inputs]
    fast = jax.jit(function)
    return lambda: jax.block_until_ready(fast(*arrays))
