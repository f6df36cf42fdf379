"""Cases, and the forms of them that each peer has."""
import dataclasses
import importlib
import pkgutil
import typing

PEERS = ("numpy", "numba", "jax", "taichi", "halide", "drjit")


@dataclasses.dataclass
class Case:
    """Work that all contenders do on the same inputs.

    `make()` returns the inputs as a namespace. `reference(n)` returns the result in float64, or the
    terms whose sum it is, as an array or a tuple of arrays. `ours(library, n)` returns a function
    without arguments that computes Hasten's result. Results may differ by `tolerance` of the usual
    magnitude, except for a share `may_differ` of the elements.
    """
    name: str
    size: str
    make: typing.Callable
    reference: typing.Callable
    ours: typing.Callable
    tolerance: float = 1e-4
    may_differ: float = 0.0


_forms: dict[str, dict[str, typing.Callable]] = {}


def form(peer, *cases):
    """Decorates a function that takes the inputs of a case and returns a function without
    arguments, which runs the case in that peer, waits for the result and returns it. A word
    distinguishes several forms of one peer: form("numba/by hand", "sort")."""
    def register(function):
        for case in cases:
            _forms.setdefault(case, {})[peer] = function
        return function
    return register


def forms(case):
    return _forms.get(case, {})


def load_cases():
    """All cases, in the order of the pages."""
    listed = []
    for theme in ("elements", "rows", "grids", "moving"):
        listed += importlib.import_module(f"cases.{theme}").CASES
    return listed


def load_peer(peer):
    """Imports a peer and its forms; an exception means that the peer is not available."""
    package = importlib.import_module(f"by_{peer}")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"by_{peer}.{module.name}")
    return package.version()
