#!/usr/bin/env python3
"""Fails if the loaded code and tables of an exported library's runtime exceed a number of bytes;
the library's own programs do not count."""
import argparse
import pathlib
import struct
import sys


def sections(data):
    """(kind, flags, size) of each section of an ELF file's bytes."""
    if data[:5] != b"\x7fELF\x02":
        sys.exit("size: this is no ELF file of 64 bits")
    (begin,) = struct.unpack_from("<Q", data, 40)
    each, count = struct.unpack_from("<HH", data, 58)
    for k in range(count):
        kind, flags, _, _, size = struct.unpack_from("<IQQQQ", data, begin + k * each + 4)
        yield kind, flags, size


def loaded_bytes(data):
    """The size of the sections that are both in memory and in the file."""
    return sum(size for kind, flags, size in sections(data)
               if flags & 2 and kind != 8)  # SHF_ALLOC, and not SHT_NOBITS


def members(archive):
    """The contents of each object file in an archive made by ar."""
    at = 8
    while at + 60 <= len(archive):
        size = int(archive[at + 48:at + 58])
        member = archive[at + 60:at + 60 + size]
        if member[:4] == b"\x7fELF":
            yield member
        at += 60 + size + size % 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", required=True, type=int, help="bytes")
    parser.add_argument("libraries", nargs="+", metavar="LIBRARY:KERNELS")
    arguments = parser.parse_args()
    too_large = False
    for pair in arguments.libraries:
        library, kernels = (pathlib.Path(path) for path in pair.split(":"))
        all_bytes = loaded_bytes(library.read_bytes())
        own = sum(loaded_bytes(member) for member in members(kernels.read_bytes()))
        print(f"size: {library.name} has {all_bytes:,} bytes, its programs {own:,}, the runtime "
              f"{all_bytes - own:,} of {arguments.most:,}")
        too_large |= all_bytes - own > arguments.most
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
