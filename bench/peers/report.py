"""Writes the page of measurements beside the peers, and its plots, from records."""
import json
import pathlib
import textwrap

import figures
import plot

HERE = pathlib.Path(__file__).parent
BEHIND = 1.05


def read(files):
    """The records by threads. A case that was measured again has its newest record, in the place of
    the first."""
    found = {}
    for name in files:
        for line in pathlib.Path(name).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            found.setdefault(record["threads"], {})[record["name"]] = record
    return {threads: list(by_name.values()) for threads, by_name in sorted(found.items())}


def table(records):
    """The milliseconds of all, with a column for each peer: the fastest of its forms."""
    peers = [p for p in plot.COLOURS
             if any(figures.peer_of(n) == p for r in records for n in r["medians_ms"])]
    lines = ["| case | size | Hasten ms | " + " | ".join(peers) + " | best | ratio |",
             "| --- | --- | --- | " + "--- | " * len(peers) + "--- | --- |"]
    for r in records:
        wrong = {p["name"] for p in r["problems"] if p["kind"] == "wrong"}
        cells = []
        for peer in peers:
            times = [ms for name, ms in r["medians_ms"].items()
                     if figures.peer_of(name) == peer and name not in wrong]
            cells.append(figures.milliseconds(min(times)) if times else "")
        ratio = "" if r["ratio"] is None else f"{r['ratio']:.2f}"
        if r["ratio"] is not None and r["ratio"] > BEHIND:
            ratio = f"**{ratio}**"
        lines.append(f"| `{r['name']}` | {r['size']} | {figures.milliseconds(r['ours_ms'])} | " +
                     " | ".join(cells) + f" | {r['best_name'] or ''} | {ratio} |")
    return lines


def losses(by_threads, reasons):
    """The cases in which Hasten is behind, by how much, and why."""
    ratios, names = {}, []
    for threads, records in by_threads.items():
        for r in records:
            if r["ratio"] is not None and r["ratio"] > BEHIND:
                library = f" ({r['library']})" if r["library"] else ""
                ratios.setdefault(r["name"], {})[threads] = (r["ratio"], r["best_name"] + library)
                names.append(r["name"])
    lines = ["| case | " + " | ".join(f"{t} thread{'s' * (t > 1)}" for t in by_threads) +
             " | why |", "| --- | " + "--- | " * len(by_threads) + "--- |"]
    for name in dict.fromkeys(names):
        cells = [f"{ratios[name][t][0]:.2f} of {ratios[name][t][1]}" if t in ratios[name] else ""
                 for t in by_threads]
        lines.append(f"| `{name}` | " + " | ".join(cells) +
                     f" | {reasons.get(name, 'not looked into')} |")
    return lines


def first_calls(records):
    """The time of the first call, which compiles: the median over the cases."""
    times = {}
    for r in records:
        for name, ms in r["first_ms"].items():
            times.setdefault(figures.peer_of(name), []).append(ms)
    rows = [(name, figures.median(list_), max(list_)) for name, list_ in times.items()]
    return ["| | median of the cases, ms | longest, ms |", "| --- | --- | --- |",
            *(f"| {name} | {figures.milliseconds(middle)} | {figures.milliseconds(most)} |"
              for name, middle, most in rows)]


def not_compared(by_threads):
    """The peers that were absent, wrong, or failed."""
    lines = set()
    for records in by_threads.values():
        for r in records:
            lines |= {f"- {name} is absent: {why}" for name, why in r["absent"].items()}
            lines |= {f"- `{r['name']}`: {p['name']} {p['kind']}: {p['text'].splitlines()[0]}"
                      for p in r["problems"]}
    return sorted(lines)


def filled(text, later=""):
    """A paragraph or an item of a list, in lines of at most 100 columns."""
    return textwrap.wrap(text, 100, subsequent_indent=later, break_long_words=False,
                         break_on_hyphens=False)


def page(by_threads, reasons, introduction, plots):
    every = [r for records in by_threads.values() for r in records]
    machines = ", ".join(sorted({r["machine"] for r in every}))
    versions = ", ".join(dict.fromkeys(v for r in every for v in r["versions"].values()))
    lines = [introduction.rstrip(), "",
             *filled(f"Measured on: {machines}. Beside: {versions}."), ""]
    for threads, counts in figures.summary(every).items():
        total = sum(counts.values())
        lines += filled(f"- {threads} thread{'s' * (threads > 1)}: of {total} cases Hasten is the "
                        f"fastest in {counts['fastest']}, within 5 % of the fastest in "
                        f"{counts['within']}, behind in {counts['behind']}.", "  ")
    lines += ["", "## Where Hasten loses", "", *losses(by_threads, reasons), ""]
    for threads, records in by_threads.items():
        lines += [f"## {threads} thread{'s' * (threads > 1)}", "",
                  f"![ratios]({plots[threads]})", "", *table(records), ""]
    lines += ["## First calls", "",
              *filled("The time of a case's first call, with what is compiled then. Hasten's "
                      "library was compiled when it was made. Numba compiles for the types of the "
                      "first call. JAX and Dr.Jit trace and compile. Taichi and Halide compile "
                      "their kernels, Halide before the call."), "", *first_calls(every), ""]
    apart = not_compared(by_threads)
    if apart:
        lines += ["## Not compared", "", *apart, ""]
    return "\n".join(lines)


def write(files, folder):
    """Writes performance-peers.md and pictures/peers-N.svg into the folder."""
    by_threads = read(files)
    plots = {}
    for threads, records in by_threads.items():
        plots[threads] = f"pictures/peers-{threads}.svg"
        title = f"Time over Hasten's, {threads} thread{'s' * (threads > 1)} (right: slower)"
        (folder / plots[threads]).write_text(plot.drawn(records, title), encoding="utf-8")
    reasons = json.loads((HERE / "reasons.json").read_text(encoding="utf-8"))
    introduction = (HERE / "introduction.txt").read_text(encoding="utf-8")
    to = folder / "performance-peers.md"
    to.write_text(page(by_threads, reasons, introduction, plots), encoding="utf-8")
    print(to)
    return 0
