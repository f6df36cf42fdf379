"""Measures a case: each contender's first call, whether it is right, and then all in turns."""
import gc
import random
import time

import numpy

import figures
import registry

LONG_MS = 300.0  # of a call that is not repeated needlessly


def arrays_of(result):
    """A contender's result as a list of NumPy's arrays."""
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return [part.to_numpy() if hasattr(part, "to_numpy") else
            part.numpy() if hasattr(part, "numpy") else numpy.asarray(part) for part in parts]


def share_that_differs(expected, got, tolerance):
    """The largest share that differs in any array; 1 where shapes differ. A NaN differs."""
    expected, got = arrays_of(expected), arrays_of(got)
    if len(expected) != len(got):
        return 1.0
    worst = 0.0
    for a, b in zip(expected, got):
        a, b = a.ravel(), b.ravel()
        if a.shape != b.shape:
            return 1.0
        wide = numpy.complex128 if numpy.iscomplexobj(a) else numpy.float64
        a, b = a.astype(wide), b.astype(wide)
        size = numpy.abs(a)
        usual = size.mean() if len(a) else 0.0
        near = numpy.abs(a - b) <= tolerance * numpy.maximum(size, usual)
        worst = max(worst, 1.0 - float(near.mean()) if len(a) else 0.0)
    return worst


def milliseconds(call, times=1):
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) * 1e3 / times


def contenders(case, inputs, library, peers):
    """The names of all contenders, and the functions that prepare them."""
    yield figures.OURS, lambda: case.ours(library, inputs)
    for name, prepare in registry.forms(case.name).items():
        if figures.peer_of(name) in peers:
            yield name, lambda prepare=prepare: prepare(inputs)


def prepared(case, inputs, library, peers):
    """The working contenders with the milliseconds of a warm call; those of the first calls; the
    problems."""
    expected = case.reference(inputs)
    working, first_ms, problems = [], {}, []
    for name, prepare in contenders(case, inputs, library, peers):
        try:
            result = []
            call = prepare()
            first_ms[name] = milliseconds(lambda call=call: result.append(call()))
            share = share_that_differs(expected, result[0], case.tolerance)
            if share > case.may_differ:
                problems.append({"name": name, "kind": "wrong", "text": f"{share:.2%} differ"})
            warm = milliseconds(call)
            working.append((name, call, warm if warm > LONG_MS else milliseconds(call)))
        except Exception as error:  # pylint: disable=broad-except
            # A peer may fail in any way; the failure is recorded, and the others still run.
            text = f"{type(error).__name__}: {error}".strip()[:300]
            problems.append({"name": name, "kind": "failed", "text": text})
    return working, first_ms, problems


def measure(case, library, peers, options):
    """The record of a case."""
    inputs = case.make()
    working, first_ms, problems = prepared(case, inputs, library, peers)
    fastest = min((ms for _, _, ms in working), default=0)
    samples = {name: [] for name, _, _ in working}
    gc.collect()
    gc.disable()
    order = random.Random(1)
    for turn in range(options.repeat):
        # No contender always follows the same other one, whose threads may still spin.
        for name, call, once in order.sample(working, len(working)):
            # A contender that is far behind needs fewer turns.
            far = once > 8 * fastest and once > 5
            if far and turn >= (1 if once > LONG_MS else 3):
                continue
            time.sleep(options.pause_ms / 1e3)  # threads of the previous contender stop spinning
            if once < 20:
                call()
            samples[name].append(milliseconds(call, figures.calls_a_turn(once)))
    gc.enable()
    return figures.record(case.name, case.size, options.threads, samples, first_ms, problems)
