"""Prints a program that copies row n of a matrix in a vector of n lanes, for n from 1 to 33.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys


def main() -> None:
    element = sys.argv[1]
    matrix = f"memref<34x33x{element}>"
    print(f"func.func @copy(%a: {matrix}, %b: {matrix}) {{")
    print("  %zero = arith.constant 0 : index")
    for lanes in range(1, 34):
        vector = f"vector<{lanes}x{element}>"
        print(f"  %row{lanes} = arith.constant {lanes} : index")
        print(f"  %v{lanes} = vector.load %a[%row{lanes}, %zero] : {matrix}, {vector}")
        print(f"  vector.store %v{lanes}, %b[%row{lanes}, %zero] : {matrix}, {vector}")
    print("  return\n}")


main()
