"""Fails if one assembly has more instructions than another one by some for each of a number of columns.

    compare_code.py SMALLER LARGER COLUMNS MOST

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import sys
from pathlib import Path


def count(path: str) -> int:
    """The instructions of an assembly, without directives and labels."""
    return len(re.findall(r"^\t[a-z]", Path(path).read_text(), re.MULTILINE))


def main() -> int:
    smaller, larger = count(sys.argv[1]), count(sys.argv[2])
    columns, most = int(sys.argv[3]), int(sys.argv[4])
    print(f"{smaller} and {larger} instructions: {(larger - smaller) / columns:.1f} a column")
    return 0 if smaller > 0 and larger - smaller <= most * columns else 1


if __name__ == "__main__":
    sys.exit(main())
