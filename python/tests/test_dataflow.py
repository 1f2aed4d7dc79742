"""Analyses of graphs of operations, and the linear program below their traffic.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import random
from itertools import pairwise

import pytest
from ember import dataflow
from ember.errors import ArgumentError

SEED = int(os.environ.get("EMBER_TEST_SEED", "1"))


def random_program(draw: random.Random) -> dict:
    """Blocks of few columns, sums over their rows, products with a matrix, in any order."""
    rows, columns = draw.choice([2000, 30000]), draw.choice([1, 8])
    tensors = {"A": {"shape": [rows, rows], "nonzeros": 5 * rows, "input": True}}
    for name in ("B0", "B1"):
        tensors[name] = {"shape": [rows, columns], "input": True}
    tensors["C0"] = {"shape": [columns, columns], "input": True}
    operations = []
    blocks, smalls = ["B0", "B1"], ["C0"]
    for number in range(draw.randrange(3, 12)):
        kind = draw.choice(["sum", "product", "update", "matrix"])
        if kind == "sum":
            text = f"[p,n] = {draw.choice(blocks)}[k,p] {draw.choice(blocks)}[k,n]"
        elif kind == "product":
            text = f"[m,n] = {draw.choice(blocks)}[m,j] {draw.choice(smalls)}[j,n]"
        elif kind == "update":
            text = f"[m,n] = {draw.choice(blocks)}[m,n] - {draw.choice(blocks)}[m,n]"
        else:
            text = f"[m,n] = A[m,k] {draw.choice(blocks)}[k,n]"
        name = f"T{number}"
        shape = [columns, columns] if kind == "sum" else [rows, columns]
        tensors[name] = {"shape": shape, "output": draw.random() < 0.2}
        (smalls if kind == "sum" else blocks).append(name)
        operations.append({"einsum": name + text})
    return {"tensors": tensors, "operations": operations}


@pytest.mark.parametrize("case", range(12))
def test_schemes_and_the_linear_program_are_in_order(case: int) -> None:
    program = random_program(random.Random(f"{SEED} {case}"))
    before = None
    for sram in (1 << 12, 1 << 16, 1 << 19, 1 << 22):
        analysis = dataflow.analyze(program, machine={"sram": sram})
        least = dataflow.least_traffic(analysis)
        bound = 1e-6 * analysis.words("SEQ-Flex")
        assert analysis.words("Ideal") <= least.words + bound
        assert least.words <= least.heuristic + bound
        assert least.heuristic <= analysis.words("SEQ-Flex") + bound
        assert before is None or least.words <= before + bound
        before = least.words


def test_what_stays_fits() -> None:
    program = dataflow.conjugate_gradient(8184, 127762, 16)
    analysis = dataflow.analyze(program, machine={"sram": 1 << 20})
    least = dataflow.least_traffic(analysis)
    steps = len(analysis.traffic("GOGETA-map")["steps"])
    for step in range(steps):
        held = sum(words for _, begin, end, words in least.residency if begin <= step < end)
        assert held <= (1 << 18) * (1 + 1e-6)
    # Something does.
    assert least.residency


def test_a_small_case_by_hand() -> None:
    # 100 words fit. X (100) is read in steps 1 and 3, Y (100) in 2 and 3: either stays at last.
    program = {
        "tensors": {
            **{name: {"shape": [100], "input": True} for name in ("X", "Y")},
            **{name: {"shape": [60], "output": True} for name in ("P", "Q", "R")},
        },
        "operations": [
            {"whole": "P[i] = X[j]"},
            {"whole": "Q[i] = Y[j]"},
            {"whole": "R[i] = X[j] Y[k]"},
        ],
    }
    analysis = dataflow.analyze(program, machine={"sram": 400})
    # X and Y are read once, one of them once more, and three results are written.
    assert dataflow.least_traffic(analysis).words == pytest.approx(300 + 180)


def test_intensity_of_more_iterations() -> None:
    program = dataflow.conjugate_gradient(15606, 61484, 8)
    ideals = [dataflow.analyze(program, iterations=n).words("Ideal") for n in (1, 2, 10)]
    assert all(a == pytest.approx(b) for a, b in pairwise(ideals))


def test_patterns() -> None:
    analysis = dataflow.analyze(dataflow.conjugate_gradient(15606, 61484, 8), iterations=2)
    assert analysis.pattern("4", "5") == "pipelineable"
    assert analysis.pattern("7", "2'") == "pipeline_with_writeback"
    with pytest.raises(ArgumentError, match="no edge from '5' to '1'"):
        analysis.pattern("5", "1")


def test_errors() -> None:
    program = dataflow.conjugate_gradient(15606, 61484, 8)
    with pytest.raises(ArgumentError, match="a machine has no field 'cores'"):
        dataflow.analyze(program, machine={"cores": 8})
    with pytest.raises(ArgumentError, match="size 0, which has to be positive"):
        dataflow.analyze(dataflow.conjugate_gradient(0, 0, 8))
    analysis = dataflow.analyze(program, options=["--scheme=Ideal"])
    with pytest.raises(ArgumentError, match="no scheme 'GOGETA-map': there are Ideal"):
        dataflow.least_traffic(analysis)
    with pytest.raises(ArgumentError, match="that of a GOGETA scheme, not of SEQ-Flex"):
        dataflow.least_traffic(analysis, "SEQ-Flex")
