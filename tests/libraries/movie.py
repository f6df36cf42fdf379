#!/usr/bin/env python3
"""Runs the example that writes an animated PNG, and reads the file back."""
import pathlib
import subprocess
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        name, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
        if zlib.crc32(name + body) != int.from_bytes(data[at + 8 + size:at + 12 + size], "big"):
            sys.exit(f"movie: wrong checksum of {name}")
        yield name, body
        at += 12 + size


def main():
    program, file = sys.argv[1], pathlib.Path(sys.argv[2])
    subprocess.run([program, str(file), "300", "4"], check=True)
    found = list(chunks(file.read_bytes()))
    pictures = [zlib.decompress(body if name == b"IDAT" else body[4:])
                for name, body in found if name in (b"IDAT", b"fdAT")]
    order = [int.from_bytes(body[:4], "big") for name, body in found if name in (b"fcTL", b"fdAT")]
    if len(pictures) != 4 or len(set(pictures)) != 4 or order != list(range(7)):
        sys.exit("movie: there are not four pictures, each another one, in order")
    if any(len(picture) != 320 * 321 or not any(picture) for picture in pictures):
        sys.exit("movie: a picture has another size, or shows nothing")


if __name__ == "__main__":
    main()
