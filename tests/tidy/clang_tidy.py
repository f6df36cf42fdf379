#!/usr/bin/env python3
"""Runs clang-tidy over src/, by folders where the build has units of several sources: most of the
time goes into headers. Only what changed in text, headers, flags or settings since it was last found
clean is checked, in this checkout or in another of this user's: as with compilers' caches, what was
found clean is remembered by content, in XDG_CACHE_HOME/hasten-lint (by default ~/.cache).
Usage: clang_tidy.py ROOT BUILD JOBS [CLANG_TIDY]
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
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


def checked(root, build, commands):
    """Pairs of a file to check and the command of a file that is compiled like it: the sources of
    src/, or, of a build of units, a file for each folder and its options. Libraries of a part of the
    sources compile them again; each is checked once."""
    folder = (build / "units").resolve()
    units = [s for s in commands if s.exists() and s.parent == folder and s.name.startswith("hasten_")]
    units.sort(key=lambda unit: (unit.name.startswith("hasten_linked_"), unit.name))
    seen, folders = set(), {}
    for unit in units:
        members = {root / "src" / name for name in INCLUDED.findall(unit.read_text())}
        if not members <= seen:
            folders.setdefault(re.sub(r"_\d+$", "", unit.stem), []).append(unit)
            seen |= members
    (folder / "lint").mkdir(parents=True, exist_ok=True)
    for name, parts in folders.items():
        whole = folder / "lint" / f"{name}.cpp"
        whole.write_text("".join(part.read_text() for part in parts))
        yield whole, commands[parts[0]]
    for source in sorted(commands):
        if source.exists() and source.is_relative_to(root / "src") and source not in seen:
            yield source, commands[source]


def flags(command):
    """The compiler's flags in a command of the build: without the compiler, its launcher, and the
    names of files."""
    words = shlex.split(command)
    first = next(i for i, word in enumerate(words) if re.match(r"-[DIWOfs]", word))
    output = words.index("-o")
    return words[first:output] + [w for w in words[output + 2:] if w != "-c"][:-1]


def main():
    root, build, jobs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
    tool = sys.argv[4] if len(sys.argv) > 4 else "clang-tidy-19"
    commands = {pathlib.Path(c["file"]): c["command"]
                for c in json.loads((build / "compile_commands.json").read_text())}
    sources = list(checked(root, build, commands))
    version = subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
    stamps, keys = open_stamps(), Keys(root, (root / ".clang-tidy").read_bytes() + version)
    todo = [(s, command, stamps / keys.key(s, command)) for s, command in sources]
    for _, _, stamp in todo:
        if stamp.exists():
            stamp.touch()
    todo = [item for item in todo if not item[2].exists()]

    def check(item):
        source, command, stamp = item
        done = subprocess.run(
            [tool, "--quiet", str(source), "--", *flags(command), "-Wno-unknown-warning-option",
             "-Wno-error"], capture_output=True, text=True, check=False, cwd=build)
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
