"""Compiles the programs of folders again and again, and compares what becomes of them.

    compile_repeatedly.py TIMES FOLDER...

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
import sys
from pathlib import Path


def compile_once(program: Path) -> str | None:
    """The program in the llvm dialect; nothing if it is none that compiles alone."""
    command = ["ember-opt", str(program), "--convert-slc-to-scf", "--lower-to-native"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def main() -> int:
    times, folders = int(sys.argv[1]), [Path(folder) for folder in sys.argv[2:]]
    programs = [path for folder in folders for path in sorted(folder.glob("*.mlir"))]
    compiled, differing = 0, []
    for program in programs:
        first = compile_once(program)
        if first is None:
            continue
        compiled += 1
        if any(compile_once(program) != first for _ in range(times - 1)):
            differing.append(program.name)
    if differing:
        print("other code from run to run: " + ", ".join(differing))
        return 1
    print(f"{compiled} programs, the same code each time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
