#!/usr/bin/env python3
"""Runs clang-tidy over src/, by units of several sources where the build has these, only on files whose text, headers, flags or settings changed since they
were last found clean, in this checkout or in another of this user's: as with compilers' caches, what
was found clean is remembered by content, in XDG_CACHE_HOME/hasten-lint (by default ~/.cache).
Usage: clang_tidy.py ROOT BUILD JOBS [CLANG_TIDY]
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

KEPT_DAYS = 30
USING = re.compile(r"^using (?:\w+::)+(\w+);$", re.MULTILINE)
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


class Keys:
    """A key per source file: a hash of all that decides what clang-tidy says about it, but for the
    place of the checkout."""

    def __init__(self, root, salt):
        self.root, self.salt = root, salt
        self.folders = [root / "src", root / "include", root]

    @functools.cache
    def read(self, path):
        text = path.read_text(encoding="utf-8")
        found = (folder / name for name in INCLUDE.findall(text)
                 for folder in (path.parent, *self.folders))
        return text, [p for p in found if p.is_file()]

    def key(self, path, command):
        seen, todo = set(), [path]
        while todo:
            current = todo.pop()
            if current not in seen:
                seen.add(current)
                todo += self.read(current)[1]
        digest = hashlib.sha256(self.salt)
        digest.update(command.replace(str(self.root), ".").encode())
        for item in sorted(seen):
            digest.update(f"{item.relative_to(self.root)}\n{self.read(item)[0]}".encode())
        return digest.hexdigest()


def open_stamps():
    """The folder of what was found clean, without what nobody has asked for lately."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    stamps = cache / "hasten-lint"
    stamps.mkdir(parents=True, exist_ok=True)
    oldest = time.time() - KEPT_DAYS * 86400
    for stamp in stamps.iterdir():
        if stamp.stat().st_mtime < oldest:
            stamp.unlink(missing_ok=True)
    return stamps


def unused_names(folder):
    """What misc-unused-using-decls says of a source by itself, but not of one in a unit."""
    for path in sorted(folder.rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        for name in USING.findall(text):
            if len(re.findall(rf"\b{name}\b", text)) == 1:
                yield f"{path}: using {name}: nothing uses it"


def sources_of(root, build, commands):
    """Units, and sources of src/ that are in none: libraries of a part of them compile these again."""
    units = (build / "units").resolve()
    own = sorted(s for s in commands if s.exists() and s.parent == units and s.name.startswith("hasten_"))
    in_units = {root / "src" / name for unit in own for name in INCLUDED.findall(unit.read_text())}
    return own + sorted(
        s for s in commands if s.exists() and s.is_relative_to(root / "src") and s not in in_units)


def main():
    root, build, jobs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
    tool = sys.argv[4] if len(sys.argv) > 4 else "clang-tidy-19"
    commands = {pathlib.Path(c["file"]): c["command"]
                for c in json.loads((build / "compile_commands.json").read_text())}
    sources = sources_of(root, build, commands)
    version = subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
    stamps, keys = open_stamps(), Keys(root, (root / ".clang-tidy").read_bytes() + version)
    todo = [(s, stamps / keys.key(s, commands[s])) for s in sources]
    for _, stamp in todo:
        if stamp.exists():
            stamp.touch()
    todo = [(s, stamp) for s, stamp in todo if not stamp.exists()]

    def check(item):
        source, stamp = item
        done = subprocess.run(
            [tool, "--quiet", "-p", str(build), "--extra-arg=-Wno-unknown-warning-option",
             "--extra-arg=-Wno-error", str(source)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            stamp.touch()
            return None
        return done.stdout or done.stderr

    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        complaints = [c for c in pool.map(check, todo) if c]
    complaints += unused_names(root / "src")
    print("\n".join(complaints))
    print(f"clang-tidy: {len(sources)} files, {len(todo)} checked, {len(complaints)} with complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
