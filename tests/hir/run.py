#!/usr/bin/env python3
"""File tests of passes and lowering.

Each .hir file is a program in the text form, with comments
  // RUN: <arguments of `hasten hir`>
  // EXPECT:
  // <the lines printed>
RUN and EXPECT may occur several times. `run.py --update TOOL` writes the tool's present output into
the files: check the difference before committing.
"""
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent


def split(text):
    """The program's lines, and the list of (arguments, expected lines)."""
    program, cases, expecting = [], [], False
    for line in text.splitlines():
        if line.startswith("// RUN:"):
            cases.append((line[len("// RUN:"):].split(), []))
            expecting = False
        elif line.startswith("// EXPECT:"):
            expecting = True
        elif expecting and line.startswith("//"):
            cases[-1][1].append(line[3:])
        else:
            expecting = False
            program.append(line)
    return program, cases


def run(tool, path, arguments):
    done = subprocess.run([tool, "hir", str(path), *arguments], capture_output=True, text=True,
                          timeout=60)
    lines = (done.stdout + done.stderr).splitlines()
    # Texts that are read have no places; a printed place carries no information.
    return [line.replace("  // :0 ", "  // ").removesuffix("  // :0") for line in lines]


def updated(program, cases):
    text = "\n".join(program).strip("\n") + "\n"
    for arguments, lines in cases:
        text += "\n// RUN: " + " ".join(arguments) + "\n// EXPECT:\n"
        text += "".join(("// " + line).rstrip() + "\n" for line in lines)
    return text


def main():
    update = "--update" in sys.argv
    tool = sys.argv[-1]
    failed = total = 0
    for path in sorted(FOLDER.rglob("*.hir")):
        program, cases = split(path.read_text())
        got = [(arguments, run(tool, path, arguments)) for arguments, _ in cases]
        total += len(cases)
        if update:
            path.write_text(updated(program, got))
            continue
        for (arguments, expected), (_, lines) in zip(cases, got):
            if [line.rstrip() for line in lines] == [line.rstrip() for line in expected]:
                continue
            failed += 1
            print(f"{path.name}: hasten hir {' '.join(arguments)}\n--- expected")
            print("\n".join(expected) + "\n--- printed\n" + "\n".join(lines))
    print(f"hir: {total} cases, {failed} failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
