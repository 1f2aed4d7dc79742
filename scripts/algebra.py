"""Draws the pictures of docs/algebra.md, which es.explain makes of statements.

    algebra.py [--check]

Each is a loop of a statement as the compiler derives it: a picture that the compiler no longer
agrees with is written anew, or, with --check, an error.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys
from pathlib import Path

from ember.compiler import Notation
from ember.sparse.explain import explanation_of
from ember.sparse.venn import venn_svg

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("docs") / "images"
#: Statements by the names of pictures, with what emberc has to know of their arrays.
STATEMENTS: dict[str, tuple[str, dict[str, str], dict[str, float]]] = {
    "product": ("y[i] = A[i] * B[i]", {"A": "csf", "B": "csf"}, {}),
    "sum": ("y[i] = A[i] + B[i]", {"A": "csf", "B": "csf", "y": "csf"}, {}),
    "tropical": (
        "y[i] = min(A[i], B[i]) + D[i]",
        {"A": "csf", "B": "csf", "D": "csf", "y": "csf"},
        {"A": float("inf"), "B": float("inf"), "D": float("inf"), "y": float("inf")},
    ),
    "power": ("y[i] = A[i] ** B[i]", {"A": "csf", "B": "csf"}, {}),
    "xor": ("y[i] = (A[i] ^ B[i]) & D[i]", {"A": "csf", "B": "csf", "D": "csf", "y": "csf"}, {}),
    "choice": ("y[i] = A[i] + B[i] * D[i]", {"A": "csf", "B": "csf", "D": "csf", "y": "csf"}, {}),
}


def picture_of(name: str) -> str:
    """The picture of a statement's outermost loop that walks arrays."""
    text, formats, fills = STATEMENTS[name]
    words = [f"--format={array}:{format}" for array, format in formats.items()]
    words += [f"--fill={array}:{fill}" for array, fill in fills.items()]
    if name == "xor":
        words += [f"--type={array}:i1" for array in formats]
    return venn_svg(explanation_of(Notation(text, tuple(words))).loops[0]) + "\n"


def main() -> int:
    """Writes the pictures; 1 if one was out of date and is not to be written."""
    parser = argparse.ArgumentParser(prog="./run docs", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    options = parser.parse_args()
    status = 0
    for name in STATEMENTS:
        path = FOLDER / f"algebra-{name}.svg"
        drawn = picture_of(name)
        if (ROOT / path).exists() and (ROOT / path).read_text() == drawn:
            continue
        if options.check:
            print(f"error: {path} does not show what the compiler derives: scripts/algebra.py")
            status = 1
            continue
        (ROOT / path).write_text(drawn)
        print(f"{path}: written")
    return status


if __name__ == "__main__":
    sys.exit(main())
