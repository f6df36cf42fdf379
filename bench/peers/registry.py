"""Cases and the forms of them in each peer: who may be measured on what."""
import dataclasses
import importlib
import pkgutil
import typing

PEERS = ("numpy", "numba", "jax", "taichi", "halide", "drjit")


@dataclasses.dataclass
class Case:
    """Work that everyone does on the same inputs.

    `make()` gives the inputs as a namespace, `reference(n)` the result in float64, or what it is a
    sum of, as an array or a tuple of these, `ours(library, n)` a function without arguments that
    gives Hasten's result. Results differ by at most `tolerance` of the usual magnitude, but for a
    share `may_differ` of the elements.
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
    """Decorates a function that is given the inputs of a case, and gives a function without
    arguments which runs the case in that peer, waits for the result and returns it. More than one
    form of a peer are told apart by a word: form("numba/by hand", "sort")."""
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
    """Imports the forms of a peer, and with them the peer; raises what goes wrong."""
    package = importlib.import_module(f"by_{peer}")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"by_{peer}.{module.name}")
    return package.version()
