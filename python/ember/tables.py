"""The compiler's tables, which the package follows: what `emberc --print-tables` says.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("tables.json")
TABLES: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text())
