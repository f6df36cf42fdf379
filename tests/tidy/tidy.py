#!/usr/bin/env python3
"""Checks the rules of CONTRIBUTING.md that no compiler knows: which folder may include which, how
long files and functions may be, and what must not stand in a file. Prints every breach.

The limits are ratchets: a file or function above one is named below with its allowance, and an
allowance larger than needed is a breach too, so that the lists only shrink.
"""
import collections
import pathlib
import re
import subprocess
import sys

FILE_LIMIT = 600
FUNCTION_LIMIT = 70
FOLDER_LIMIT = 25

# Allowed above the limits: path -> lines, and (path, function) -> lines. Reason beside each.
LONG_FILES: dict[str, int] = {
}
LONG_FUNCTIONS: dict[tuple[str, str], int] = {
}

# Each stage of src/ and the stages whose headers it may include.
LAYERS = {
    "support": {"support"},
    "core": {"core", "support"},
    "surface": {"surface", "core", "support"},
    "interpreter": {"interpreter", "core", "support"},
    "passes": {"passes", "core", "support"},
    "kernels": {"kernels", "passes", "core", "support"},
    "backends": {"backends", "kernels", "core", "support"},
    "runtime": {"runtime", "backends", "kernels", "passes", "interpreter", "surface", "core",
                "support"},
    "libraries": {"libraries", "support"},
    "mpi": {"mpi"},
    "ahead": {"ahead", "runtime", "backends", "kernels", "passes", "core", "support"},
}
# Public headers without templates over user types, which every stage may use.
PLAIN_PUBLIC = {
    "hasten/run/error.hpp", "hasten/scalar/half.hpp", "hasten/run/options.hpp", "hasten/run/report.hpp",
    "hasten/detail/host_array.hpp", "hasten/detail/memory/out_memory.hpp",
    "hasten/detail/memory/strided.hpp",
    "hasten/detail/runtime.hpp", "hasten/detail/scalar_op.hpp",
    "hasten/detail/libraries/blas.hpp", "hasten/detail/libraries/fftw.hpp",
    "hasten/detail/libraries/cublas.hpp", "hasten/detail/libraries/cufft.hpp",
    "hasten/detail/foreign_function.hpp", "hasten/detail/permute_mode.hpp",
    "hasten/detail/scalar_type.hpp", "hasten/detail/term.hpp",
}
# A backend's own folder is closed to the other backends; these are shared by design.
SHARED_BACKENDS = {"c_like"}

# Folders that name every node in a match, so that the compiler lists what a new node needs.
EXHAUSTIVE = re.compile(r"^src/(core/verify|interpreter/|kernels/lowering/lower)")
CATCH_ALL = re.compile(r"\[[^\]]*\]\s*\(\s*const\s+auto\s*&\s*\)")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
UNTRACKED_WORK = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME")) + r")\b(?!\(#\d+\))")
MACHINE_PATH = re.compile(r"(?<![\w.~}-])/(work|root|home)/")
CPP = {".cpp", ".hpp"}
TEXT = CPP | {".md", ".py", ".txt", ".cmake", ".in", ".json", ".sh", ".hir", ""}
MARKDOWN_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def project_files(root):
    """Relative paths of all files git knows or could know."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        names = listing.stdout.splitlines()
    else:  # an exported tree
        names = [str(p.relative_to(root)) for p in root.rglob("*") if "build" not in p.parts]
    return sorted({n for n in names if (root / n).is_file()})


def blank(text):
    """The text with comments and literals replaced by spaces; lines stay where they are."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'", re.DOTALL)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


HEAD_NAME = re.compile(r"([~\w:]+|operator\s*[^\s(]+|operator\s*\(\s*\))\s*\(")
SCOPE_HEAD = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b(?![^{]*\)\s*(const|noexcept|->|$))")


def functions(text):
    """(name, first line, length in lines) of each outermost function body, found by braces."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()),
                  blank(text), flags=re.MULTILINE)
    scopes = 0  # open braces of namespaces and classes
    depth = 0  # open braces inside a function or initializer
    start, name, head_start = 0, None, 0
    for position, character in enumerate(code):
        if character == "{":
            head = code[head_start:position]
            if depth == 0 and (SCOPE_HEAD.search(head) and "(" not in head.split("{")[-1]
                               or SCOPE_HEAD.match(head.strip())):
                scopes += 1
                head_start = position + 1
                continue
            if depth == 0:
                found = HEAD_NAME.search(head)
                name = found.group(1) if found else None
                start = head_start + len(head) - len(head.lstrip())
            depth += 1
        elif character == "}":
            if depth > 0:
                depth -= 1
                if depth == 0 and name:
                    first = code.count("\n", 0, start) + 1
                    yield name, first, code.count("\n", 0, position) + 2 - first
            elif scopes > 0:
                scopes -= 1
            if depth == 0:
                head_start = position + 1
        elif character == ";" and depth == 0:
            head_start = position + 1


def check_includes(path, text):
    parts = pathlib.PurePosixPath(path).parts
    in_src, public = parts[0] == "src", parts[:2] == ("include", "hasten")
    for match in INCLUDE.finditer(text):
        target = match.group(2)
        first = target.split("/")[0]
        if first in ("llvm", "llvm-c") and not path.startswith("src/backends/cpu/"):
            yield f"{target}: LLVM's headers belong to src/backends/cpu"
        if public and first in ("tbb", "oneapi", "fmt", "xxhash.h"):
            yield f"{target}: public headers need the standard library only"
        if public and match.group(1) == '"':
            yield f'{target}: public headers include each other as <hasten/...>'
        if public and first in LAYERS and match.group(1) == "<":
            yield f"{target}: public headers include nothing of src"
        if in_src and len(parts) > 2:
            yield from check_layer(parts, target, first)


def check_layer(parts, target, first):
    """One include of a file of src/."""
    stage = parts[1]
    if stage not in LAYERS:
        yield f"src/{stage} is no stage"
    elif first in LAYERS:
        if first not in LAYERS[stage]:
            yield f"{target}: src/{stage} may not include src/{first}"
        pieces = target.split("/")
        if stage == "backends" and first == "backends" and len(pieces) > 2 and len(parts) > 3:
            if pieces[1] != parts[2] and pieces[1] not in SHARED_BACKENDS:
                yield f"{target}: a backend may not include another"
    elif first == "hasten" and stage not in ("surface", "runtime", "ahead", "mpi") and target not in PLAIN_PUBLIC:
        yield f"{target}: src/{stage} may include only the plain public headers"


def check_sizes(path, text):
    lines = text.count("\n")
    allowed = LONG_FILES.get(path)
    if lines > (allowed or FILE_LIMIT):
        yield f"{lines} lines; at most {allowed or FILE_LIMIT}"
    elif allowed and lines < allowed:
        yield f"has {lines} lines: lower its allowance of {allowed} in tests/tidy/tidy.py"
    for name, line, length in functions(text):
        allowed = LONG_FUNCTIONS.get((path, name))
        if length > (allowed or FUNCTION_LIMIT):
            yield f"{line}: {name} has {length} lines; at most {allowed or FUNCTION_LIMIT}"
        elif allowed and length < allowed:
            yield f"{line}: {name} has {length} lines: lower its allowance of {allowed}"


def check_text(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if UNTRACKED_WORK.search(line):
            yield f"{number}: open work needs an issue: {UNTRACKED_WORK.search(line).group(1)}(#12)"
        if MACHINE_PATH.search(line):
            yield f"{number}: path of somebody's machine"
        if path.endswith(tuple(CPP)) and CATCH_ALL.search(line) and EXHAUSTIVE.match(path):
            yield f"{number}: a catch-all case hides what a new node needs; name the nodes"


def check_links(root, path, text):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    for target in MARKDOWN_LINK.findall(text):
        if "://" not in target and not target.startswith("mailto:"):
            if not (root / path).parent.joinpath(target).exists():
                yield f"link to {target}, which is not there"


def check_file(root, path):
    suffix = pathlib.PurePosixPath(path).suffix
    if suffix not in TEXT or path == "LICENSE":
        return
    try:
        text = (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    yield from check_text(path, text)
    if suffix == ".md":
        yield from check_links(root, path, text)
    if suffix in CPP:
        yield from check_includes(path, text)
        yield from check_sizes(path, text)
        if path.startswith(("src/", "include/")) and not text.startswith("//"):
            yield "the first line must be a comment that says what the file is"
        if suffix == ".hpp" and "#pragma once" not in text:
            yield "no #pragma once"


def check_folders(files):
    """Folders that nobody finds a way in."""
    counts = collections.Counter(str(pathlib.PurePosixPath(path).parent) for path in files)
    for folder, count in sorted(counts.items()):
        if count > FOLDER_LIMIT:
            yield f"{folder}: {count} files; at most {FOLDER_LIMIT}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = project_files(root)
    breaches = [f"{path}: {breach}" for path in files for breach in check_file(root, path)]
    breaches += check_folders(files)
    known = {path for path, _ in LONG_FUNCTIONS} | set(LONG_FILES)
    breaches += [f"{path}: named in tests/tidy/tidy.py and gone" for path in known - set(files)]
    print("\n".join(breaches + [f"tidy: {len(files)} files, {len(breaches)} breaches"]))
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
