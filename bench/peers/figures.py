"""Figures from measured times: medians, ratios, differences of results. Needs no library."""
from statistics import median

OURS = "hasten"
# Cases in which a peer only calls a library; these have a separate bar.
LIBRARIES = {("numpy", "matmul/512"): "OpenBLAS", ("numpy", "matmul/1024"): "OpenBLAS",
             ("numba", "matmul/512"): "OpenBLAS", ("numba", "matmul/1024"): "OpenBLAS",
             ("jax", "matmul/512"): "XLA's library", ("jax", "matmul/1024"): "XLA's library",
             ("numpy", "dense"): "OpenBLAS", ("numba", "dense"): "OpenBLAS",
             ("jax", "dense"): "XLA's library", ("jax", "fft"): "DUCC", ("numpy", "fft"): "DUCC",
             ("numpy", "dot"): "OpenBLAS", ("numpy", "small-dot"): "OpenBLAS"}


def peer_of(contender):
    """The peer of a contender: "numba/by hand" is Numba's."""
    return contender.split("/")[0]


def record(case, size, threads, samples, first_ms, problems):
    """The record of a case: `samples` has the milliseconds of each contender's turns."""
    medians = {name: median(times) for name, times in samples.items()}
    wrong = {p["name"] for p in problems if p["kind"] == "wrong"}
    others = {name: ms for name, ms in medians.items() if name != OURS and name not in wrong}
    best = min(others, key=others.get) if others else None
    ours = medians.get(OURS)
    return {"name": case, "size": size, "threads": threads, "ours_ms": ours,
            "best_name": best, "best_ms": others.get(best),
            "ratio": ours / others[best] if best and ours is not None else None,
            "library": LIBRARIES.get((peer_of(best), case)) if best else None,
            "medians_ms": medians, "first_ms": first_ms, "problems": problems}


def calls_a_turn(once_ms, long_enough_ms=10.0, most=2000):
    """The number of calls that are timed together, so that the clock and wake-ups do not matter."""
    return max(1, min(most, round(long_enough_ms / max(once_ms, 1e-4))))


def summary(records):
    """The numbers of cases that are won, nearly won and lost, by threads."""
    found = {}
    for r in records:
        if r["ratio"] is None:
            continue
        counts = found.setdefault(r["threads"], {"fastest": 0, "within": 0, "behind": 0})
        kind = "fastest" if r["ratio"] <= 1.0 else "within" if r["ratio"] <= 1.05 else "behind"
        counts[kind] += 1
    return found


def milliseconds(ms):
    """A time with three digits."""
    if ms is None:
        return ""
    return f"{ms:.4f}" if ms < 0.1 else f"{ms:.3f}" if ms < 10 else f"{ms:.1f}" if ms < 1000 \
        else f"{ms:.0f}"
