#!/usr/bin/env python3
"""Checks a page that shows one program in every stage: what stands in the block ```core is given to
`hasten hir`, which must print what stands in the blocks ```fused, ```kernels and ```plan.
"""
import argparse
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(core|fused|kernels|plan)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STAGES = {"fused": ["--passes", "all"], "kernels": ["--emit", "kernels"], "plan": ["--emit", "plan"]}
COMMENT = re.compile(r" *//.*$", re.MULTILINE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    arguments = parser.parse_args()
    blocks = dict(BLOCK.findall(arguments.page.read_text()))
    if set(blocks) != {"core", *STAGES}:
        print(f"{arguments.page.name}: a stage is missing: {sorted(blocks)}")
        return 1
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    program = arguments.scratch / "program.hir"
    program.write_text(blocks["core"])
    failed = 0
    for stage, options in STAGES.items():
        printed = subprocess.run([arguments.tool, "hir", str(program), *options], check=True,
                                 capture_output=True, text=True, timeout=60).stdout
        printed = COMMENT.sub("", printed)
        if printed.strip() != blocks[stage].strip():
            failed += 1
            print(f"{arguments.page.name}: {stage} is now\n{printed}")
    print(f"{arguments.page.name}: {len(STAGES)} stages, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
