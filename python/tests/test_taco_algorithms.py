"""A draw of the algorithms that users compiled on TACO's website, as graphs of blocks.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os

import numpy as np
import pytest
from taco_algorithms import ALGORITHMS, Expression, judge_all

SEED = int(os.environ.get("EMBER_TEST_SEED", "0"))
DRAWN = 40


def test_numpy_evaluates_expressions() -> None:
    """Terms are summed each by itself, and a variable may stand twice in a tensor."""
    expression = Expression("y(i)=-A(i,j)*x(j)+2*A(i,i)-s")
    arrays = {"A": np.array([[1.0, 2], [3, 4]]), "x": np.array([5.0, 6]), "s": np.asarray(2.0)}
    result = expression.evaluate({"i": 2, "j": 2}, arrays)
    assert result.tolist() == [-17 + 2 - 2, -39 + 8 - 2]


def test_algorithms_equal_numpy() -> None:
    """Each is right, or refused with a reason."""
    if not ALGORITHMS.exists():
        pytest.skip(f"{ALGORITHMS} is not there")
    lines = [line for line in ALGORITHMS.read_text().splitlines() if line.strip()]
    drawn = np.random.default_rng(SEED).choice(len(lines), DRAWN, replace=False)
    chosen = [lines[number] for number in drawn]
    verdicts = judge_all(chosen, SEED, jobs=2)
    judged = dict(zip(chosen, verdicts, strict=True))
    assert not {line: v.reason for line, v in judged.items() if v.outcome == "wrong"}
    assert all(v.reason for v in verdicts if v.outcome == "refused")
    assert sum(v.outcome == "right" for v in verdicts) > DRAWN / 2
