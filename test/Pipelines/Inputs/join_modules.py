"""Prints the functions of the modules in a file as one module.

    join_modules.py FILE

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import sys
from pathlib import Path

text = Path(sys.argv[1]).read_text()
aliases = sorted(set(re.findall(r"^#.*$", text, re.MULTILINE)))
lines = [line for line in text.splitlines() if line.startswith("  ")]
print("\n".join([*aliases, "module {", *lines, "}"]))
