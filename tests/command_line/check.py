#!/usr/bin/env python3
"""The command line of `hasten`: exit codes, and messages that say what is wrong.

A case is what it is given, the code it ends with, and a part of what it says there.
"""
import argparse
import os
import pathlib
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
        (["nothing"], {}, usage, "subcommand"),
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
         'hasten: HASTEN_SKIP_PASS: there is no pass "inline"; there are simplify, '),
    ]


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
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
