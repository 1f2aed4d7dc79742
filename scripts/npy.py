"""Makes, prints and compares .npy files for the lit tests.

    npy.py make FILE DTYPE LITERAL     npy.py make w.npy f32 "[[1, 2], [3, 4]]"
    npy.py make FILE DTYPE EXPRESSION  with np and rng (seeded) in scope: "rng.random((4, 3))"
    npy.py print FILE                  dtype, shape and values on one line
    npy.py compare A B [--rtol R] [--atol A]
                                       exit status 1 and the first difference when they differ;
                                       bit for bit unless a tolerance is given

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

TABLES = Path(__file__).resolve().parents[1] / "python" / "ember" / "tables.json"
SCALARS = {row["name"]: row for row in json.loads(TABLES.read_text())["scalars"]}
# Floats that NumPy does not have are written as their bits.
PATTERNS = {
    name: row["array_type"]
    for name, row in SCALARS.items()
    if row["is_float"] and not row["is_interchange_float"]
}
DTYPES = {
    name: np.dtype(f"uint{row['bits']}" if name in PATTERNS else row["array_type"])
    for name, row in SCALARS.items()
}


def make(path: str, dtype: str, expression: str) -> None:
    """Writes the value of a NumPy expression as an array of the given type."""
    scope = {"np": np, "rng": np.random.default_rng(0)}
    values = np.asarray(eval(expression, scope))
    if dtype in PATTERNS:
        import ml_dtypes

        # By way of f32, as a kernel's arithmetic has it.
        values = values.astype(np.float32).astype(getattr(ml_dtypes, PATTERNS[dtype]))
        values = values.view(DTYPES[dtype])
    np.save(path, values.astype(DTYPES[dtype]))


def compare(left: str, right: str, rtol: float, atol: float) -> int:
    """Reports the first element in which two arrays differ."""
    a, b = np.load(left), np.load(right)
    if a.dtype != b.dtype or a.shape != b.shape:
        print(f"{left} is {a.dtype}{list(a.shape)}, {right} is {b.dtype}{list(b.shape)}")
        return 1
    if rtol == 0 and atol == 0:
        same = np.frombuffer(a.tobytes(), np.uint8) == np.frombuffer(b.tobytes(), np.uint8)
        equal = same.reshape((*a.shape, a.itemsize)).all(axis=-1)
    else:
        equal = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    if equal.all():
        return 0
    where = tuple(int(i) for i in np.argwhere(~equal)[0])
    print(f"{(~equal).sum()} of {equal.size} differ, first at {list(where)}: {a[where]} {b[where]}")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description="make, print and compare .npy files")
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("file")
    maker.add_argument("dtype", choices=sorted(DTYPES))
    maker.add_argument("expression")
    commands.add_parser("print").add_argument("file")
    comparer = commands.add_parser("compare")
    comparer.add_argument("left")
    comparer.add_argument("right")
    comparer.add_argument("--rtol", type=float, default=0.0)
    comparer.add_argument("--atol", type=float, default=0.0)
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.file, arguments.dtype, arguments.expression)
        return 0
    if arguments.command == "compare":
        return compare(arguments.left, arguments.right, arguments.rtol, arguments.atol)
    array = np.load(arguments.file)
    print(f"{array.dtype} {list(array.shape)} {array.tolist()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
