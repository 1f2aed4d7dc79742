"""What the tests share: TensorFlow on the CPU, quiet, and Ember's programs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

os.environ |= {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_USE_LEGACY_KERAS": "1",
    "CUDA_VISIBLE_DEVICES": "",
}

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def tool() -> Callable[..., str]:
    """Runs a program of Ember's and returns what it printed."""
    from ember.compiler import find_tool

    def run(name: str, *words: object) -> str:
        command = [str(find_tool(name)), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
