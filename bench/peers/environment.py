#!/usr/bin/env python3
"""Makes the Python environment of ./dev bench --peers with the versions that requirements.txt pins.

    environment.py FOLDER

Each peer is installed separately: one that does not install is named, and the others are measured.
"""
import pathlib
import subprocess
import sys

PINNED = pathlib.Path(__file__).with_name("requirements.txt")


def pinned():
    """Names and versions, in the order of the file."""
    for line in PINNED.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line:
            yield line.split("==")


def is_there(folder, name, version):
    made = name.replace("-", "_")
    return any(folder.glob(f"lib/python*/site-packages/{made}-{version}.dist-info"))


def install(folder, name, version):
    """Installs a version; returns whether it is present in the end."""
    if is_there(folder, name, version):
        return True
    print(f"installing {name} {version}", flush=True)
    done = subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet",
                           "--disable-pip-version-check", "--constraint", PINNED,
                           f"{name}=={version}"], check=False, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        print(f"{name} does not install: {(said or done.stderr.splitlines() or ['?'])[-1]}")
    return done.returncode == 0


def main(arguments):
    folder = pathlib.Path(arguments[0])
    if not (folder / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    absent = [name for name, version in pinned() if not install(folder, name, version)]
    if "numpy" in absent:
        print("environment.py: without NumPy there are no inputs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
