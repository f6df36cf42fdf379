#!/usr/bin/env python3
"""Writes the reference: a page for each public header, from its docstrings and the examples.

Of a class, the public members that have a docstring of their own are a list below it.

An operation is a function, type or constant of namespace hasten that has a docstring. Its examples
are in examples/<header>.cpp: each `EXAMPLE(name)` there, whose body is shown on the page. What is
shown after `//` on a line with show(...) is what the tests compare with what the program prints.

  generate.py            writes the pages
  generate.py --check PROGRAM   fails if a page is not what would be written, if an operation
                                neither has an example nor stands in one, or if the examples'
                                program prints something else than they say
"""
import argparse
import pathlib
import re
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
HEADERS = ROOT / "include" / "hasten"

# The pages, in the order of the index: headers of a page, and its title.
PAGES = {
    "bring_in": (["bring_in", "random"], "Making arrays"),
    "elementwise": (["elementwise"], "Elementwise operations"),
    "shape": (["shape_ops", "broadcast", "indices", "ix", "concat"], "Shapes, indices, joining"),
    "folds": (["folds"], "Folds"),
    "scans": (["scans"], "Scans"),
    "segments": (["segments"], "Segments"),
    "linear_algebra": (["linear_algebra"], "Products and norms"),
    "statistics": (["statistics"], "Means and soft-max"),
    "grouping": (["grouping"], "Groups by key"),
    "permute": (["permute"], "Scatters and gathers"),
    "choose": (["choose"], "Choosing elements"),
    "sort": (["sort"], "Sorting"),
    "stencil": (["stencil"], "Stencils"),
    "pull_push": (["pull", "push", "pull_operations", "push_operations", "pull_folds"],
                  "Pull and push arrays"),
    "control": (["control", "control_flow"], "Branches and loops"),
    "exp": (["exp", "element_arrays", "acc"], "Scalars and array handles"),
    "math": (["math", "bits"], "Scalar functions"),
    "complex": (["complex"], "Complex numbers"),
    "sum_types": (["sum_types"], "Optionals and variants"),
    "element": (["struct", "element", "half"], "Element types"),
    "foreign": (["foreign", "device_array", "blas", "fft"], "Foreign functions and libraries"),
    "array": (["array", "dlpack"], "Host arrays"),
    "run": (["run", "out", "stream", "memory", "named", "options", "report", "library", "error"],
            "Running programs"),
}

NAMESPACE = re.compile(r"^(?:inline )?namespace ([\w:]*) ?{|^}  // namespace", re.MULTILINE)
DECLARED = re.compile(
    r"(?:struct|class|enum class|concept|using|namespace)\s+(?:\[\[\w+\]\]\s+)?(\w+)|"
    r"\b(operator\s*\S+?|\w+)\s*(?:\(|=|;|\{)")
EXAMPLE = re.compile(r"^EXAMPLE\((\w+)\) {\n(.*?)^}\n", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"\);\s+// (.*)$")
WRITTEN = "<!-- Written by docs/reference/generate.py from the headers and the examples. -->\n"
# Parts of other operations, or explained elsewhere: the messages of errors in docs/errors.md.
NEEDS_NO_EXAMPLE = {"Keep", "Stream", "Explanation", "BuildError", "IndexError",
                    "ArithmeticError", "TargetError", "MemoryError", "InternalError"}


class Entry:
    """A declaration with its docstring; of a class also the members, as (declaration, text)."""

    def __init__(self, name, text, declaration, members=()):
        self.name, self.text, self.declaration = name, text, declaration
        self.members = list(members)


def public_lines(source):
    """Lines at the level of namespace hasten."""
    inside = []
    for line in source.splitlines():
        if re.match(r"^(inline )?namespace [\w:]+ {$", line):
            inside.append(line.split()[-2])
        elif re.match(r"^}  // namespace", line):
            inside.pop()
        elif inside and inside[-1] in ("hasten", "boundary", "hasten::boundary", "hasten::blas"):
            yield line


def declaration_of(lines, start):
    """The declaration that begins at lines[start], without its body and its place argument."""
    text, depth = "", 0
    for line in lines[start:]:
        stripped = line.strip()
        if stripped.startswith("///") or not stripped:
            break
        text += ("\n" if text else "") + line
        depth += line.count("(") - line.count(")")
        if depth <= 0 and re.search(r"[{;]\s*$|[{;]", stripped):
            break
    head = re.split(r"\s*(?:(?<!= ){|;\s*$)", text, maxsplit=1)[0]  # `= {}` is a default argument
    head = re.sub(r",?\s*(?:detail::)?Where where = (?:detail::)?Where::current\(\)", "", head)
    head = re.sub(r",?\s*std::source_location where = std::source_location::current\(\)", "", head)
    head, more = re.subn(r",\s*const \w& \w = {}", "", head)
    head = re.sub(r",\s*class \w = detail::NotGiven", "", head)
    head = head.replace("const A& a, const B& b)", "const A& a, const B& b, ...)")
    head = head.replace("F fallback)", "F fallback, args...)")
    if more and "..." not in head.rsplit("(", 1)[-1]:
        head = head[:head.rindex(")")] + ", ...)"
    return head.replace("detail::", "").strip()


def name_of(declaration):
    plain = re.sub(r"^\s*(template <.*>|requires[ (].*)$", "", declaration, flags=re.MULTILINE)
    found = re.search(r"(?:struct|class|concept|using)\s+(\w+)", plain)
    if found:
        return found.group(1)
    if "operator" not in plain:  # Stream<R(Hs...)> stream(...) is no R
        while (bare := re.sub(r"<[^<>]*>", "", plain)) != plain:
            plain = bare
    found = re.search(r"(operator\s*[^\s(]+|\w+)\s*\(", plain)
    if found:
        return found.group(1)
    found = re.search(r"(\w+)\s*(=|$)", plain)
    return found.group(1) if found else plain


def body_of(lines, start):
    """The lines of the class or enum that begins at lines[start]; none if it is no definition."""
    body, opened = [], False
    for line in lines[start:]:
        if opened and line.startswith("}"):
            return body
        if opened:
            body.append(line)
        elif line.rstrip().endswith("{"):
            opened = True
        elif line.rstrip().endswith((";", "}")):
            return []
    return body


def member_of(lines, start):
    """The declaration of a member on one line, without what a reader need not see."""
    text = re.sub(r"^\s*template <.*>\n(\s*requires.*\n)?", "", declaration_of(lines, start))
    text = re.split(r"\s*//|\n\s*: |\n\s*requires", text)[0]
    text = re.sub(r"\[\[nodiscard\]\] |explicit(\(false\))? |friend ", "", text)
    return re.sub(r"\s+", " ", text).strip(" ,;")


def members(lines, start):
    """The public members with words of their own, of the class or enum at lines[start]."""
    result, comment, is_public = [], [], not lines[start].startswith("class")
    body = body_of(lines, start)
    for i, line in enumerate(body):
        access = re.match(r"^ (public|private|protected):", line)
        trailing = re.match(r"^  (\S.*?),?;?\s*///< (.*)$", line)
        if access:
            is_public, comment = access.group(1) == "public", []
        elif re.match(r"^  ///(?!<)", line):
            comment.append(line.strip()[3:].strip())
        elif trailing and is_public:
            text = [trailing.group(2)]
            for more in body[i + 1:]:
                if not re.match(r"^ {3,}///<? ", more):
                    break
                text.append(more.strip().lstrip("/<").strip())
            result.append((trailing.group(1).rstrip(",;"), " ".join(text)))
        elif comment and re.match(r"^  \S", line):
            if is_public:
                result.append((member_of(body, i), " ".join(comment)))
            comment = []
    return result


def is_type(declaration):
    plain = re.sub(r"^\s*template <.*>\n", "", declaration)
    return re.match(r"(enum class|class|struct)\b", plain) is not None


def entries(header):
    """The entries of a header; those without words of their own belong to the one before."""
    lines = list(public_lines(header.read_text()))
    result, comment, i = [], [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("///"):
            comment.append(line[3:].strip())
        elif comment and line.strip():
            declaration = declaration_of(lines, i)
            start = i + lines[i].startswith("template")
            inside = members(lines, start) if is_type(declaration) else []
            result.append(Entry(name_of(declaration), " ".join(comment), declaration, inside))
            comment = []
        i += 1
    return result


def examples(page):
    path = HERE / "examples" / f"{page}.cpp"
    if not path.exists():
        return "", {}
    source = path.read_text()
    data = re.search(r"^// Used in the examples:\n(.*?)\n\n", source, re.MULTILINE | re.DOTALL)
    bodies = {name: textwrap.dedent(body) for name, body in EXAMPLE.findall(source)}
    return (data.group(1) if data else ""), bodies


def header_path(name):
    """Where a public header is: in one of the folders of include/hasten, each name once."""
    (path,) = HEADERS.glob(f"[!d]*/{name}.hpp")
    return path


def page_text(page):
    headers, title = PAGES[page]
    data, bodies = examples(page)
    text = f"{WRITTEN}# {title}\n\n"
    for header in headers:
        path = header_path(header)
        top = re.match(r"((?://[^\n]*\n)+)", path.read_text()).group(1)
        words = " ".join(line[2:].strip() for line in top.splitlines())
        text += f"`<{path.relative_to(HEADERS.parent)}>`: {words}\n\n"
    if bodies:
        text += "`show` runs what it is given, and prints it. "
        text += f"In the examples:\n\n```cpp\n{data}\n```\n\n" if data else "\n\n"
    shown = set()
    for entry in page_entries(page):
        if entry.name not in shown:
            text += f"## {entry.name}\n\n"
        text += f"```cpp\n{entry.declaration}\n```\n\n{entry.text}\n\n"
        text += "".join(f"- `{member}`: {words}\n" for member, words in entry.members)
        text += "\n" if entry.members else ""
        if entry.name in bodies and entry.name not in shown:
            text += f"Example:\n\n```cpp\n{bodies[entry.name]}```\n\n"
        shown.add(entry.name)
    for name in bodies:
        if name not in shown:
            text += f"## Example: {name.replace('_', ' ')}\n\n```cpp\n{bodies[name]}```\n\n"
    return text.rstrip() + "\n"


def page_entries(page):
    """The entries of a page, those of one name together, in the order of the first."""
    by_name = {}
    for header in PAGES[page][0]:
        for entry in entries(header_path(header)):
            by_name.setdefault(entry.name, []).append(entry)
    return [entry for group in by_name.values() for entry in group]


def index_text():
    text = f"{WRITTEN}# Reference\n\nA page for each group of operations.\n\n"
    for page, (_, title) in PAGES.items():
        names = list(dict.fromkeys(entry.name for entry in page_entries(page)))
        if names:
            text += f"- [{title}]({page}.md): " + ", ".join(f"`{name}`" for name in names) + "\n"
    return text


def unexplained():
    """Operations without an example, as "page: name"."""
    missing = []
    for page in PAGES:
        _, bodies = examples(page)
        code = "\n".join(bodies.values())
        for name in dict.fromkeys(entry.name for entry in page_entries(page)):
            stands = name in bodies or re.search(rf"\b{re.escape(name)}\b", code)
            if not stands and not name.startswith("operator") and name not in NEEDS_NO_EXAMPLE:
                missing.append(f"{page}: {name}")
    return missing


def wrong_results(program):
    """Differences between what the examples say and what the program prints, as texts."""
    printed = {}
    for line in subprocess.run([program], check=True, capture_output=True, text=True,
                               timeout=300).stdout.splitlines():
        page, name, text = line.split("\t", 2)
        printed.setdefault((page, name), []).append(text)
    differences = []
    for page in PAGES:
        for name, body in examples(page)[1].items():
            wanted = [found.group(1) for found in map(SHOWN.search, body.splitlines()) if found]
            got = printed.get((page, name), [])
            if wanted != got:
                differences.append(f"{page}, {name}: expected {wanted}, printed {got}")
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="PROGRAM")
    arguments = parser.parse_args()
    pages = {f"{page}.md": page_text(page) for page in PAGES if page_entries(page)}
    pages["README.md"] = index_text()
    if not arguments.check:
        for name, text in pages.items():
            (HERE / name).write_text(text)
        return 0
    failed = 0
    for name, text in pages.items():
        path = HERE / name
        if not path.exists() or path.read_text() != text:
            failed += 1
            print(f"{name} is out of date: run docs/reference/generate.py")
    for missing in unexplained():
        failed += 1
        print(f"no example of {missing}")
    for difference in wrong_results(arguments.check):
        failed += 1
        print(difference)
    print(f"reference: {len(pages)} pages, {failed} complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
