#!/usr/bin/env python3
"""./dev gpu: the conformance suite, compute-sanitizer and the benchmarks on the first CUDA device.

A run is a list of phases. Each phase prints and writes its files to a folder as it goes, and has
its own time limit: a phase that hangs is ended, and the next one begins. The results of a phase so
far count. report.py makes docs/performance-gpu.md from such folders.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent

# The tests that cover every skeleton of kernels, over small arrays.
SKELETONS = "*Folds*:*Scans*:*Segments*:*Permutations*:*Stencils*:*Choosing*"


@dataclasses.dataclass
class Run:
    """Where things are, and how much time is left."""
    programs: pathlib.Path  # conformance_cuda, hasten-gpu-bench, hasten
    out: pathlib.Path
    deadline: float
    limits: dict
    tiny: bool = False
    jobs: int = 1
    filter: str = "*"
    benchmarks: str = ".*"

    def limit_of(self, phase):
        """The seconds that a phase may take."""
        return max(1.0, min(self.limits[phase], self.deadline - time.monotonic()))

    def environment(self, name, **more):
        """A separate kernel cache, so that no kernel of another run is used."""
        cache = self.out / "cache" / name
        return dict(os.environ, HASTEN_CACHE_DIR=str(cache), **more)


def say(text=""):
    print(text, flush=True)


def end(process):
    """Ends a process and its children."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signal_number)
        except ProcessLookupError:
            return
        try:
            process.wait(3)
            return
        except subprocess.TimeoutExpired:
            pass


def watch(command, log, limit, environment, on_line=lambda line: None):
    """Runs a command until it ends or its time is over; its lines go to a file and to on_line.
    Returns its exit status, or None if it was ended."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w", encoding="utf-8", errors="replace") as file:
        try:
            process = subprocess.Popen(
                [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=environment, text=True, errors="replace", start_new_session=True)
        except OSError as error:
            file.write(f"{error}\n")
            return 127

        def copy():
            for line in process.stdout:
                file.write(line)
                file.flush()
                on_line(line.rstrip("\n"))

        reader = threading.Thread(target=copy, daemon=True)
        reader.start()
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            end(process)
            status = None
        reader.join(5)
        return status


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def program(run, name):
    found = run.programs / name
    return found if found.exists() else None


# -- phases ------------------------------------------------------------------------------------------

def version_of(command):
    """The first line that a program prints, or an empty text."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def phase_info(run, limit):
    """What the machine has."""
    facts = {"date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count()}
    facts["gpu"] = version_of(["nvidia-smi", "--query-gpu=name,driver_version,memory.total",
                               "--format=csv,noheader"])
    facts["sanitizer"] = sanitizer_version()
    commit = version_of(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"])
    written = run.programs / "commit.txt"
    facts["commit"] = commit or (written.read_text().strip() if written.exists() else None)
    for key, value in facts.items():
        say(f"  {key}: {value}")
    status = 0
    if program(run, "hasten"):
        status = watch([program(run, "hasten"), "info"], run.out / "info.txt", limit,
                       run.environment("info"), lambda line: say(f"  {line}"))
    write_json(run.out / "info.json", facts)
    return status == 0


def bench_command(run, records, rounds, sizes):
    command = [program(run, "hasten-gpu-bench"), "--json", records, "--repeat", str(rounds),
               "--filter", run.benchmarks, *sizes]
    cub = run.out / "libbench_cub.so"
    return command + (["--cub", cub] if cub.exists() else [])


def all_right(path):
    """Whether every record of a benchmark is present and right."""
    records = read_records(path)
    return bool(records) and not any(r.get("wrong") or r.get("error") for r in records)


def read_records(path):
    """The records of a file, up to the point where its writer was ended."""
    records = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except ValueError:
                break
    return [r for r in records if "name" in r]


def phase_smoke(run, limit):
    """Every benchmark once, small: is what it computes right?"""
    records = run.out / "smoke.jsonl"
    sizes = ["--elements", "8192" if run.tiny else "1000000", "--bodies",
             "512" if run.tiny else "4096", "--loop", "1000"]
    status = watch(bench_command(run, records, 1, sizes), run.out / "smoke.txt", limit,
                   run.environment("bench"), lambda line: say(f"  {line}"))
    return status == 0 and all_right(records)


def phase_bench(run, limit):
    """The benchmarks of the bars."""
    records = run.out / "bench.jsonl"
    sizes = ["--elements", "8192", "--bodies", "512", "--loop", "1000"] if run.tiny else []
    status = watch(bench_command(run, records, 1 if run.tiny else 15, sizes),
                   run.out / "bench.txt", limit, run.environment("bench"),
                   lambda line: say(f"  {line}"))
    return status == 0 and all_right(records)


def phase_cub(run, limit):
    """CUB's library: the packed one, else nvcc makes it for this device."""
    wanted = run.out / "libbench_cub.so"
    packed = run.programs / "libbench_cub.so"
    if packed.exists():
        shutil.copy(packed, wanted)
        return True
    compiler = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not compiler:
        say("  there is no nvcc: no CUB to compare with")
        return None
    return compile_cub(compiler, wanted, "native", limit, run.out / "cub.txt", os.environ) == 0


def compile_cub(compiler, to, arch, limit, log, environment):
    command = [compiler, "-O3", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", f"-arch={arch}",
               "-cudart", "static", HERE / "cub.cu", "-o", to]
    return watch(command, log, limit, environment, lambda line: say(f"  {line}"))


RESULT = re.compile(r"^\[\s*(OK|FAILED|SKIPPED)\s*\] (\S+?\.\S+?)(,.*)? \(\d+ ms\)$")
START = re.compile(r"^\[ RUN\s*\] (\S+)")


class Tests:
    """GoogleTest's results so far, from several processes at once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.passed, self.skipped, self.failed, self.running = [], [], [], {}
        self.began = time.monotonic()

    def line(self, shard, text):
        start, result = START.match(text), RESULT.match(text)
        with self.lock:
            if start:
                self.running[shard] = start.group(1)
            if not result:
                return
            self.running.pop(shard, None)
            kind = {"OK": self.passed, "FAILED": self.failed, "SKIPPED": self.skipped}
            kind[result.group(1)].append(result.group(2))
            done = len(self.passed) + len(self.failed) + len(self.skipped)
            if result.group(1) == "FAILED":
                say(f"  FAILED {result.group(2)}")
            elif done % 50 == 0:
                say(f"  {done} tests, {len(self.failed)} failed, "
                    f"{time.monotonic() - self.began:.0f} s")


def run_tests(run, phase, limit, shards, prefix, test_filter, environment):
    """Runs the suite in several processes at once. True if all tests ran and none failed."""
    tests, statuses = Tests(), {}
    folder = run.out / phase

    def shard(index):
        own = run.environment(f"{phase}-{index}", GTEST_TOTAL_SHARDS=str(shards),
                              GTEST_SHARD_INDEX=str(index), HASTEN_TEST_PROMISES="cuda",
                              **environment)
        command = [*prefix, program(run, "conformance_cuda"), f"--gtest_filter={test_filter}"]
        statuses[index] = watch(command, folder / f"{index}.txt", limit, own,
                                lambda line: tests.line(index, line))

    threads = [threading.Thread(target=shard, args=(index,)) for index in range(shards)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    summary = {"passed": len(tests.passed), "failed": sorted(tests.failed),
               "skipped": len(tests.skipped), "filter": test_filter,
               "ended": sorted(tests.running.values()),
               "unfinished": sum(status is None for status in statuses.values()),
               "crashed": sum(status not in (0, 1, None) for status in statuses.values()),
               "seconds": round(time.monotonic() - tests.began)}
    write_json(run.out / f"{phase}.json", summary)
    say(f"  {summary['passed']} passed, {len(tests.failed)} failed, {summary['skipped']} skipped; "
        f"{summary['unfinished']} of {shards} processes were ended, {summary['crashed']} crashed")
    for name in summary["ended"]:
        say(f"  did not end: {name}")
    return all(status == 0 for status in statuses.values()) and bool(tests.passed)


def phase_conformance(run, limit):
    """Every operation against the interpreter."""
    return run_tests(run, "conformance", limit, run.jobs, [], run.filter, {})


def find_sanitizer():
    found = shutil.which("compute-sanitizer")
    if found:
        return found
    for home in sorted(pathlib.Path("/usr/local").glob("cuda*")):
        for path in (home / "bin/compute-sanitizer", home / "compute-sanitizer/compute-sanitizer"):
            if path.exists():
                return str(path)
    return None


def sanitizer_version():
    found = find_sanitizer()
    return version_of([found, "--version"]) if found else None


def sanitize(run, phase, tool, limit):
    """Runs the skeletons under compute-sanitizer; any report is a failure."""
    sanitizer = find_sanitizer()
    if not sanitizer:
        say("  there is no compute-sanitizer")
        return None
    prefix = [sanitizer, "--tool", tool, "--error-exitcode", "9", "--launch-timeout", "60"]
    shards = min(run.jobs, 4)
    good = run_tests(run, phase, limit, shards, prefix,
                     SKELETONS if run.filter == "*" else run.filter, {"HASTEN_DEVICE_EXACT": "1"})
    reports = 0
    for log in (run.out / phase).glob("*.txt"):
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            found = re.search(r"ERROR SUMMARY: (\d+) error", line) or re.search(
                r"RACECHECK SUMMARY: (\d+) hazard", line)
            reports += int(found.group(1)) if found else 0
            if line.startswith("========= ") and ("Invalid" in line or "Race" in line
                                                  or "Error" in line):
                say(f"  {log.name}: {line[10:]}")
    summary = json.loads((run.out / f"{phase}.json").read_text())
    write_json(run.out / f"{phase}.json", dict(summary, reports=reports))
    say(f"  {reports} reports")
    return good and reports == 0


def phase_memcheck(run, limit):
    """Reads and writes outside of arrays."""
    return sanitize(run, "memcheck", "memcheck", limit)


def phase_racecheck(run, limit):
    """Races in shared memory."""
    return sanitize(run, "racecheck", "racecheck", limit)


def phase_peers(run, limit):
    """JAX, CuPy and torch.compile on the same work, where they can be imported."""
    records = run.out / "peers.jsonl"
    sizes = ["--elements", "8192", "--bodies", "256", "--repeat", "2"] if run.tiny else []
    libraries = ["--libraries", "python"] if run.tiny else []
    status = watch([sys.executable, HERE / "peers.py", "--json", records, *sizes, *libraries],
                   run.out / "peers.txt", limit, dict(os.environ), lambda line: say(f"  {line}"))
    return status == 0


# In the order in which they run, with their time limits in seconds.
PHASES = {
    "info": (phase_info, 30),
    "cub": (phase_cub, 120),
    "smoke": (phase_smoke, 60),
    "bench": (phase_bench, 200),
    "conformance": (phase_conformance, 300),
    "peers": (phase_peers, 100),
    "memcheck": (phase_memcheck, 90),
    "racecheck": (phase_racecheck, 90),
}


# -- the pack ----------------------------------------------------------------------------------------

# Every machine with a compiler, or with a Python package in C++, has these in a version at least as
# new.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)[-.]")


def pack(build, to):
    """Copies the programs, and their libraries beside them, to a folder that can be moved."""
    shutil.rmtree(to, ignore_errors=True)
    (to / "bin").mkdir(parents=True)
    (to / "lib").mkdir()
    for name in ("conformance_cuda", "hasten-gpu-bench", "hasten"):
        source = build / "bin" / name
        if not source.exists():
            say(f"not built, left out: {name}")
            continue
        subprocess.run(["strip", "-o", to / "bin" / name, source], check=True)
        listing = subprocess.run(["ldd", source], capture_output=True, text=True, check=True).stdout
        for library, path in re.findall(r"(\S+) => (/\S+)", listing):
            if not SYSTEM.match(library):
                shutil.copy(path, to / "lib" / library)
    commit = version_of(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"])
    (to / "bin" / "commit.txt").write_text(f"{commit}\n")
    compiler = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if compiler:
        say("compiling CUB's collectives with nvcc")
        library = to / "bin" / "libbench_cub.so"
        if compile_cub(compiler, library, "sm_90", 600, to / "cub.txt", os.environ) != 0:
            say(f"nvcc does not make CUB's library; see {to / 'cub.txt'}")
            library.unlink(missing_ok=True)
    size = sum(f.stat().st_size for f in to.rglob("*") if f.is_file()) / 2**20
    say(f"{to}: {size:.1f} MiB")


# -- the command -------------------------------------------------------------------------------------

def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev gpu", description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/gpu-results"),
                        help="folder for results (build/gpu-results)")
    parser.add_argument("--phases", default=",".join(PHASES), help=f"some of {','.join(PHASES)}")
    parser.add_argument("--minutes", type=float, default=9.5, help="for all phases together (9.5)")
    parser.add_argument("--limit", action="append", default=[], metavar="PHASE=SECONDS",
                        help="for one phase")
    parser.add_argument("--filter", default="*", help="tests, as GoogleTest has it")
    parser.add_argument("--benchmarks", default=".*", help="names of benchmarks, an expression")
    parser.add_argument("--jobs", type=int, default=min(16, os.cpu_count() or 1),
                        help="processes of the conformance suite")
    parser.add_argument("--tiny", action="store_true",
                        help="smallest sizes, one round: does it all work? nothing is measured")
    parser.add_argument("--pack", type=pathlib.Path, metavar="FOLDER",
                        help="copy what a run needs to a folder, and run nothing")
    parser.add_argument("--build", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.phases = [name for name in options.phases.split(",") if name]
    for name in options.phases:
        if name not in PHASES:
            parser.error(f"there is no phase {name}; there are {', '.join(PHASES)}")
    options.limits = {name: float(limit) for name, (_, limit) in PHASES.items()}
    for item in options.limit:
        name, _, seconds = item.partition("=")
        if name not in PHASES or not re.fullmatch(r"\d+(\.\d+)?", seconds):
            parser.error(f"not PHASE=SECONDS: {item}")
        options.limits[name] = float(seconds)
    return options


def run_phases(run, phases):
    """Runs each phase; returns True, False or None (nothing to do) for each."""
    outcomes = {}
    for name in phases:
        function = PHASES[name][0]
        if run.deadline - time.monotonic() < 1:
            say(f"\n== {name}: no time left")
            outcomes[name] = False
            continue
        limit = run.limit_of(name)
        say(f"\n== {name}: {function.__doc__.strip()} (at most {limit:.0f} s)")
        began = time.monotonic()
        try:
            outcomes[name] = function(run, limit)
        except Exception as error:  # the other phases still count
            say(f"  {type(error).__name__}: {error}")
            outcomes[name] = False
        word = {True: "good", False: "NOT GOOD", None: "left out"}[outcomes[name]]
        say(f"== {name}: {word}, {time.monotonic() - began:.1f} s")
        write_json(run.out / "phases.json", outcomes)
    return outcomes


def main(arguments):
    options = parse(arguments)
    if options.pack:
        pack(options.build, options.pack)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    run = Run(options.programs.resolve(), options.out.resolve(),
              time.monotonic() + 60 * options.minutes, options.limits, options.tiny,
              max(1, options.jobs), options.filter, options.benchmarks)
    outcomes = run_phases(run, options.phases)
    subprocess.run([sys.executable, HERE / "report.py", run.out, "--to",
                    run.out / "performance-gpu.md"], check=False)
    say("\n" + ", ".join(f"{name} {'good' if good else 'left out' if good is None else 'NOT GOOD'}"
                         for name, good in outcomes.items()))
    say(f"results: {run.out}; docs/performance-gpu.md is made of them by "
        f"./dev gpu --report {options.out}")
    return 0 if all(good is not False for good in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
