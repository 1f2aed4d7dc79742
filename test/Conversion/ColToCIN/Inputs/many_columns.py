"""Writes a program of some columns of one kind to standard output.

    many_columns.py COUNT

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys


def write(count: int) -> str:
    """The program: a list of boundaries and a table for each column, each of another length."""
    arguments, lines = [], []
    for i in range(count):
        rows = i % 7 + 2
        arguments += [f"%x{i}: tensor<?xf32>", f"%table{i}: tensor<{rows + 1}x8xf32>"]
        boundaries = ", ".join(f"{i + k}.0" for k in range(rows))
        lines += [
            f"%list{i} = arith.constant dense<[{boundaries}]> : tensor<{rows}xf32>",
            f"%values{i} = col.from_dense %x{i} : tensor<?xf32> -> !col.jagged<f32>",
            f"%ids{i} = col.bucketize %values{i} by %list{i}"
            f" : !col.jagged<f32>, tensor<{rows}xf32> -> !col.jagged<i64>",
            f"%rows{i} = col.lookup mean %ids{i} in %table{i}"
            f" : !col.jagged<i64>, tensor<{rows + 1}x8xf32> -> tensor<?x8xf32>",
        ]
    whole = f"tensor<?x{8 * count}xf32>"
    parts = ", ".join(f"%rows{i}" for i in range(count))
    types = ", ".join(["tensor<?x8xf32>"] * count)
    lines += [f"%all = tensor.concat dim(1) {parts} : ({types}) -> {whole}", f"return %all : {whole}"]
    body = "\n  ".join(lines)
    return f"func.func @columns({', '.join(arguments)}) -> {whole} {{\n  {body}\n}}"


if __name__ == "__main__":
    print(write(int(sys.argv[1])))
