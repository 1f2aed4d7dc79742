"""python -m ember: says what is found of what Ember needs, and what is missing.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys

from ember import doctor


def main() -> int:
    """0 where all is well, 1 where something is missing."""
    argparse.ArgumentParser(prog="python -m ember", description=doctor.__doc__).parse_args()
    return 0 if doctor() else 1


if __name__ == "__main__":
    sys.exit(main())
