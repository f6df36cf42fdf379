#!/usr/bin/env python3
"""Times JAX, CuPy and torch.compile on the work of hasten-gpu-bench, where they can be imported.

All libraries take turns on each case; a record (one JSON object per line, as from hasten-gpu-bench)
has the medians of all. Every call is waited for, as Hasten's calls are. Inputs are made on the
device.
"""
import argparse
import json
import math
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leaves memory to the others

RATE, VOLATILITY, SOFTENING, BINS, COLUMNS, STEPS = 0.02, 0.30, 0.01, 256, 1024, 100


def programs(m):
    """The cases in terms of a library's module: name -> (function, shapes of its inputs). A shape
    is a function of the sizes; `m` has NumPy's names."""
    def normal(d):
        k = 1.0 / (1.0 + 0.2316419 * m.abs(d))
        p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
            -1.821255978 + k * 1.330274429))))
        tail = 0.39894228040143267794 * m.exp(-0.5 * d * d) * p
        return m.where(d > 0, 1.0 - tail, tail)

    def black_scholes(s, x, t):
        s, x, t = 5 + 25 * s, 1 + 99 * x, 0.25 + 9.75 * t
        deviation = VOLATILITY * m.sqrt(t)
        d1 = (m.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / deviation
        n1, n2 = normal(d1), normal(d1 - deviation)
        discounted = x * m.exp(-RATE * t)
        return s * n1 - discounted * n2, discounted * (1.0 - n2) - s * (1.0 - n1)

    def nbody(x, y, z, mass):
        dx, dy, dz = (a[None, :] - a[:, None] for a in (x, y, z))
        inverse = 1.0 / m.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
        pull = mass[None, :] * inverse * inverse * inverse
        return (pull * dx).sum(1), (pull * dy).sum(1), (pull * dz).sum(1)

    def loop(x):
        for _ in range(STEPS):
            x = (x + m.roll(x, -1)) * 0.5
        return x

    def all_of(n):
        return (n,)

    def quarter(n):
        return (n // 4,)

    return {
        "dot": (lambda x, y: (x * y).sum(), [all_of, all_of]),
        "sum": (lambda x: x.sum(), [all_of]),
        "map": (lambda x: x * 2.0 + 1.0, [all_of]),
        "saxpy": (lambda x, y: 2.5 * x + y, [lambda n: (n // 2,)] * 2),
        "scan": (lambda x: m.cumsum(x, 0), [all_of]),
        "rows-sum": (lambda x: x.sum(1), [lambda n: (n // COLUMNS, COLUMNS)]),
        "black_scholes": (black_scholes, [quarter] * 3),
        "nbody": (nbody, ["bodies"] * 4),
        "sort": (m.sort, [quarter]),
        "histogram-256": (lambda x: m.histogram(x, BINS), [all_of]),
        "loop": (loop, [lambda n: (min(n, 65536),)]),
    }


class Library:
    """One way to run the programs: numbers on the device, a compiled function, a wait."""

    def __init__(self, name, module, uniform, compiled, wait):
        self.name, self.uniform, self.compiled, self.wait = name, uniform, compiled, wait
        self.programs = programs(module)


class Renamed:
    """A module with some names replaced."""

    def __init__(self, module, **names):
        self._module = module
        self.__dict__.update(names)

    def __getattr__(self, name):
        return getattr(self._module, name)


def use_torch(any_device):
    import torch
    there = torch.cuda.is_available()
    if not there and not any_device:
        raise ImportError("torch sees no GPU")
    device = "cuda" if there else "cpu"
    module = Renamed(torch, sort=lambda x: torch.sort(x)[0],
                     histogram=lambda x, bins: torch.histc(x, bins, 0, 1))
    return Library("torch.compile", module, lambda shape: torch.rand(shape, device=device),
                   torch.compile, lambda result: torch.cuda.synchronize() if there else None)


def use_cupy(_any_device):
    import cupy
    cupy.cuda.runtime.getDeviceCount()
    module = Renamed(cupy, histogram=lambda x, bins: cupy.histogram(x, bins, (0, 1))[0])
    return Library("cupy", module,
                   lambda shape: cupy.random.random(shape, dtype=cupy.float32),
                   lambda f: f, lambda result: cupy.cuda.get_current_stream().synchronize())


def use_jax(any_device):
    import jax
    import jax.numpy as jnp
    if jax.default_backend() != "gpu" and not any_device:
        raise ImportError("jax sees no GPU")
    module = Renamed(jnp, histogram=lambda x, bins: jnp.histogram(x, bins, (0, 1))[0])
    key = jax.random.PRNGKey(1)
    return Library("jax", module, lambda shape: jax.random.uniform(key, shape), jax.jit,
                   jax.block_until_ready)


class Numbers(list):
    """A minimal array, to test this program where no library is installed."""

    def sum(self, axis=None):
        return math.fsum(self)


def use_python(_any_device):
    class Module:
        def __getattr__(self, name):
            return lambda *_: None
    library = Library("python", Module(), lambda shape: Numbers([0.5] * math.prod(shape)),
                      lambda f: f, lambda result: None)
    library.programs = {"sum": library.programs["sum"]}
    return library


USES = {"torch": use_torch, "cupy": use_cupy, "jax": use_jax, "python": use_python}


def prepared(library, name, elements, bodies):
    """A function without arguments that runs the case and waits for the result."""
    function, shapes = library.programs[name]
    inputs = [library.uniform((bodies,) if shape == "bodies" else shape(elements))
              for shape in shapes]
    compiled = library.compiled(function)

    def call():
        library.wait(compiled(*inputs))
    return call


def milliseconds(call, times):
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) * 1e3 / times


def measure(name, libraries, options):
    """The record of one case."""
    ready, medians, errors = [], {}, []
    for library in libraries:
        if name not in library.programs:
            continue
        try:
            call = prepared(library, name, options.elements, options.bodies)
            call()
            call()
            once = max(milliseconds(call, 1), 1e-3)
            ready.append((library.name, call, max(1, math.ceil(1 / once)), []))
        except Exception as error:  # the others still run
            errors.append(f"{library.name}: {type(error).__name__}: {str(error)[:200]}")
    for _ in range(options.repeat):
        for _, call, times, samples in ready:
            samples.append(milliseconds(call, times))
    for library, _, _, samples in ready:
        medians[library] = statistics.median(samples)
    best = min(medians, key=medians.get) if medians else None
    return {"name": name, "target": "peers", "size": str(options.elements), "threads": 1,
            "ours_ms": None, "best_ms": medians.get(best), "best_name": best, "ratio": None,
            "medians_ms": medians, "wrong": [], "error": "; ".join(errors) or None}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", required=True)
    parser.add_argument("--libraries", default="torch,cupy,jax")
    parser.add_argument("--elements", type=int, default=2**28)
    parser.add_argument("--bodies", type=int, default=2**14,
                        help="fewer than Hasten's: some of the libraries store n by n numbers")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--any-device", action="store_true",
                        help="without a GPU on the processor, to test this program")
    options = parser.parse_args(arguments)
    libraries = []
    for name in options.libraries.split(","):
        try:
            libraries.append(USES[name](options.any_device))
            print(f"{name} is here", flush=True)
        except Exception as error:  # a library may fail in any way during its import
            print(f"{name} is not here: {type(error).__name__}: {error}", flush=True)
    with open(options.json, "w", encoding="utf-8") as file:
        names = dict.fromkeys(name for library in libraries for name in library.programs)
        for name in names:
            record = measure(name, libraries, options)
            file.write(json.dumps(record) + "\n")
            file.flush()
            shown = ", ".join(f"{k} {v:.4g} ms" for k, v in record["medians_ms"].items())
            print(f"{name}: {shown} {record['error'] or ''}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
