#!/usr/bin/env python3
"""Builds and runs a program outside the tree against Hasten, in three ways:

1. the built library, installed, through find_package(hasten CONFIG);
2. the sources, through add_subdirectory, as a static library;
3. that static library, installed, through find_package: its dependencies must be found too.

The flags after `--` repeat those of the main build, and 2 is built beside it: the compiler cache, which
takes paths relative to the folder of a build, answers for it.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)


def consume(options, folder, *settings):
    """Configures, builds and runs the consumer in a folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    run(options.cmake, "-G", "Ninja", "-S", HERE, "-B", folder, *settings)
    run(options.cmake, "--build", folder, "-j", str(os.cpu_count()))
    run(folder / "consumer")
    if (folder / "ranks").exists():
        run("mpirun", "--oversubscribe", "-n", "2", folder / "ranks")
    for caller in sorted(folder.glob("tiny*")):
        if caller.is_file() and os.access(caller, os.X_OK):
            run(caller, *(["--out", folder] if "export" in caller.name else []))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("same_build", nargs="*")
    options = parser.parse_args()
    shutil.rmtree(options.scratch, ignore_errors=True)
    os.environ["HASTEN_CACHE_DIR"] = str(options.scratch / "kernel-cache")
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def install(build, prefix):
        run(options.cmake, "--install", build, "--prefix", prefix, "--component", "hasten")
        return f"-DCMAKE_PREFIX_PATH={prefix}"

    # An installed library needs nothing of the tree it came from, flags included.
    compiler = [s for s in options.same_build if s.startswith("-DCMAKE_CXX_COMPILER=")]
    shared = install(options.build, options.scratch / "prefix-shared")
    consume(options, options.scratch / "find_package", shared, *compiler)
    tree = options.build.with_name(options.build.name + "-package")
    consume(options, tree, f"-DHASTEN_SOURCE={options.source}", "-DBUILD_SHARED_LIBS=OFF",
            "-DHASTEN_INSTALL=ON", *options.same_build)
    static = install(tree, options.scratch / "prefix-static")
    consume(options, options.scratch / "find_package_static", static, *compiler)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"package check failed: {error}")
