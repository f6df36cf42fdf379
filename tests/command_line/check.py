#!/usr/bin/env python3
"""The command line of `hasten`: exit codes, and messages that say what is wrong.

A case is what it is given, the code it ends with, and a part of what it says there.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys


def cases(scratch):
    hir = str(pathlib.Path(__file__).parent.parent / "hir" / "dotp.hir")
    refused, plain = scratch / "refused", scratch / "plain"
    refused.mkdir(exist_ok=True)
    refused.chmod(0o777)
    plain.write_text("no folder")
    run = ["hir", hir, "--run", "--array", "3", "--array", "3"]
    usage, wrong = {105, 106, 109, 110}, {1}
    return [
        (["--version"], {}, {0}, "hasten "),
        (["cache"], {}, {0}, "of at most"),
        (["cache"], {"HASTEN_CACHE_DIR": "off"}, {0}, "there is no kernel cache"),
        (["cache"], {"HASTEN_CACHE_DIR": str(refused)}, wrong, "other users"),
        (["cache", "--clear"], {"HASTEN_CACHE_DIR": str(refused)}, wrong, "other users"),
        (["cache"], {"HASTEN_CACHE_DIR": str(plain)}, wrong, "no folder"),
        ([], {}, usage, "subcommand"),
        (["nothing"], {}, usage, 'no subcommand "nothing"; there are info, cache, hir'),
        (["cache", "--all"], {}, usage, "--all"),
        (["hir"], {}, usage, "file"),
        (["hir", str(scratch / "absent")], {}, wrong, "cannot read"),
        (["hir", str(scratch)], {}, wrong, "cannot read"),
        (["hir", hir, "--passes", "bogus"], {}, wrong, "there is no pass bogus"),
        (["hir", hir, "--emit", "bogus"], {}, wrong, "bogus"),
        (["hir", hir, "--run", "--target", "bogus"], {}, wrong, "bogus"),
        (["hir", hir, "--run", "--target", "interpreter", "--array", "3x", "--array", "3"], {},
         wrong, "no extent"),
        (["hir", hir, "--run", "--target", "interpreter", "--array", "-3", "--array", "3"], {},
         wrong | usage, ""),
        (["hir", hir, "--run", "--target", "interpreter", "--array", "99999999999999999999",
          "--array", "3"], {}, wrong, "no extent"),
        (["hir", hir, "--run", "--target", "interpreter"], {}, wrong, "--array"),
        ([*run, "--target", "cpu"], {"HASTEN_DEBUG": "loud"}, {0},
         'hasten: HASTEN_DEBUG: "loud" is no whole number; what is taken: 0'),
        (run, {"HASTEN_SKIP_PASS": "fuse,inline"}, {0},
         'hasten: HASTEN_SKIP_PASS: there is no pass "inline"; there are hoist_from_loops, simplify, '),
    ]


def cached(tool, scratch):
    """What `hasten cache` says of a folder before, while and after it holds kernels; the mistakes."""
    folder = scratch / "kernels"
    shutil.rmtree(folder, ignore_errors=True)
    hir = pathlib.Path(__file__).parent.parent / "hir" / "dotp.hir"
    mistakes = []

    def ask(arguments, *wanted):
        done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "HASTEN_CACHE_DIR": str(folder)})
        for part in wanted:
            if done.returncode != 0 or not re.search(part, done.stdout, re.MULTILINE):
                mistakes.append(f"hasten {' '.join(arguments)}: ended with {done.returncode}, or "
                                f"did not say \"{part}\":\n{done.stdout}{done.stderr}")

    def count():
        return len(list(folder.glob("*.kernel")))

    run = ["hir", str(hir), "--run", "--target", "cpu", "--array", "3", "--array", "3"]
    ask(["cache"], "^" + re.escape(str(folder)) + "$", r"^  0 kernels, 0 bytes of at most \d")
    ask(["cache", "--clear"], "removed 0 kernels")
    ask(run)
    if (kernels := count()) == 0:
        mistakes.append("a program ran, and the cache holds no kernel")
    size = sum(file.stat().st_size for file in folder.glob("*.kernel"))
    number = f"{kernels} kernel{'' if kernels == 1 else 's'}"
    ask(["cache"], rf"^  {number}, .* of at most \d", rf"^  cpu .*: {number}, ")
    said = subprocess.run([tool, "cache"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "HASTEN_CACHE_DIR": str(folder)}).stdout
    shown = re.search(r"kernels?, ([\d.]+) (bytes|KiB|kB|MiB|MB) of", said)
    unit = {"bytes": 1, "KiB": 2**10, "kB": 1e3, "MiB": 2**20, "MB": 1e6}
    if not shown or not 0.9 * size <= float(shown[1]) * unit[shown[2]] <= 1.1 * size:
        mistakes.append(f"{size} bytes are in the cache, which says:\n{said}")
    (folder / "notes.txt").write_text("not the cache's")
    (folder / "other.kernel").write_text("not the cache's")
    ask(["cache", "--clear"], rf"^  removed {number}$")
    left = {file.name for file in folder.iterdir()} - {"swept"}  # when it was last looked through
    if left != {"notes.txt", "other.kernel"}:
        mistakes.append(f"--clear left {left}")
    ask(["cache"], "^  0 kernels")
    ask(run)
    if count() != kernels + 1:  # and the other's
        mistakes.append("what was removed is not kept again")
    return mistakes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    failures = 0
    for arguments, variables, codes, part in cases(options.scratch):
        done = subprocess.run([options.tool, *arguments], capture_output=True, text=True,
                              timeout=60, env={**os.environ, **variables})
        said = done.stdout + done.stderr
        if done.returncode in codes and part in said:
            continue
        failures += 1
        print(f"hasten {' '.join(arguments)} {variables}: ended with {done.returncode}, not "
              f"{sorted(codes)}; or did not say \"{part}\":\n{said}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([options.tool, "cache"], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=60)
    if done.returncode != 1 or "could not be written" not in done.stderr:
        failures += 1
        print(f"hasten cache > /dev/full: ended with {done.returncode}: {done.stderr}")
    for mistake in cached(options.tool, options.scratch):
        failures += 1
        print(mistake)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
