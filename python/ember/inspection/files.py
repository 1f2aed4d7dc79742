"""Writes pages.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import tempfile
from pathlib import Path

from ember.errors import ArgumentError


def write_whole(path: Path, text: str) -> None:
    """Writes a file whole or not at all; raises ArgumentError."""
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise ArgumentError(f"cannot write the page {path}: {error}") from error
