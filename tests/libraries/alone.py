#!/usr/bin/env python3
"""Runs a program in a root folder that contains only the program, its library and the libraries
that the two are linked to, after checking these: no LLVM, no Hasten, no oneTBB, no C++ library."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

ALLOWED = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libsleef.so.3", "ld-linux-x86-64.so.2",
           "ld-linux-aarch64.so.1"}


def needed(file):
    """(name, path) of each library that is loaded with a file."""
    text = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        words = line.split()
        path = words[2] if "=>" in words else words[0]
        yield os.path.basename(words[0]), path if path.startswith("/") else None


def fill_root(root, program, library):
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    shutil.copy(program, root / "program")
    own = os.path.basename(library)
    files = {path for file in (program, library) for name, path in needed(file)
             if path and name != own}
    for path in files:
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(path), place)
    shutil.copy(library, root / own)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--library", "--scratch"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    linked = {name for name, _ in needed(arguments.library)}
    if linked - ALLOWED:
        sys.exit(f"alone: the library is linked to {sorted(linked - ALLOWED)}")
    fill_root(arguments.scratch, arguments.program, arguments.library)
    enter = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
    command = [*enter, "chroot", str(arguments.scratch), "/program"]
    if subprocess.run([*enter, "chroot", "/", "true"], check=False).returncode != 0:
        print("alone: SKIPPED: this process may not change its root folder")
        return 77
    return subprocess.run(command, env={**os.environ, "LD_LIBRARY_PATH": "/"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
