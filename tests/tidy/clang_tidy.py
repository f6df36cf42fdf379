#!/usr/bin/env python3
"""Runs clang-tidy over src/, only on files whose text, headers or settings changed since they were
last found clean. Usage: clang_tidy.py ROOT BUILD JOBS [CLANG_TIDY]
"""
import concurrent.futures
import functools
import hashlib
import json
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


class Keys:
    """A key per source file: a hash of all that decides what clang-tidy says about it."""

    def __init__(self, root, salt):
        self.root, self.salt = root, salt
        self.folders = [root / "src", root / "include", root]

    @functools.cache
    def read(self, path):
        text = path.read_text(encoding="utf-8")
        found = (folder / name for name in INCLUDE.findall(text)
                 for folder in (path.parent, *self.folders))
        return text, [p for p in found if p.is_file()]

    def key(self, path):
        seen, todo = set(), [path]
        while todo:
            current = todo.pop()
            if current not in seen:
                seen.add(current)
                todo += self.read(current)[1]
        digest = hashlib.sha256(self.salt)
        for item in sorted(seen):
            digest.update(self.read(item)[0].encode())
        return digest.hexdigest()


def main():
    root, build, jobs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
    tool = sys.argv[4] if len(sys.argv) > 4 else "clang-tidy-19"
    commands = json.loads((build / "compile_commands.json").read_text())
    sources = sorted({pathlib.Path(c["file"]) for c in commands
                      if pathlib.Path(c["file"]).is_relative_to(root / "src")
                      and pathlib.Path(c["file"]).exists()})
    stamps = root / "build" / "lint"
    stamps.mkdir(parents=True, exist_ok=True)
    keys = Keys(root, (root / ".clang-tidy").read_bytes())
    todo = [(s, stamps / keys.key(s)) for s in sources]
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
    print("\n".join(complaints))
    print(f"clang-tidy: {len(sources)} files, {len(todo)} checked, {len(complaints)} with complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
