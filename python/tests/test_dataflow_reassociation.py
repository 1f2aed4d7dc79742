"""Products in other orders: the same values, and fewer words.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import random
from typing import Any

import numpy as np
import pytest
from ember import dataflow
from ember.dataflow import reassociation

SEED = int(os.environ.get("EMBER_TEST_SEED", "1"))


def evaluate(program: dict[str, Any], values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What the products of a program are, by NumPy."""
    values = dict(values)
    for operation in program["operations"]:
        product = reassociation._product(operation)
        assert product
        written, read = product
        ranks = sorted({rank for operand in (written, *read) for rank in operand.ranks})
        numbers = {rank: number for number, rank in enumerate(ranks)}
        operands: list[Any] = []
        for operand in read:
            operands += [values[operand.tensor], [numbers[rank] for rank in operand.ranks]]
        values[written.tensor] = np.einsum(*operands, [numbers[rank] for rank in written.ranks])
    return values


def random_chain(draw: random.Random) -> dict[str, Any]:
    """A product of matrices, in a drawn order, some of them transposed."""
    sizes = [draw.choice([2, 3, 60, 70]) for _ in range(draw.randrange(4, 6))]
    matrices = [(f"M{number}", number, number + 1) for number in range(len(sizes) - 1)]
    tensors: dict[str, Any] = {}
    stored = {}
    for name, row, column in matrices:
        stored[name] = (row, column) if draw.random() < 0.6 else (column, row)
        tensors[name] = {"shape": [sizes[rank] for rank in stored[name]], "input": True}
    operations = []
    while len(matrices) > 1:
        place = draw.randrange(len(matrices) - 1)
        (a, begin, _middle), (b, _, end) = matrices[place : place + 2]
        name = f"T{len(operations)}"
        stored[name] = (begin, end)
        tensors[name] = {"shape": [sizes[begin], sizes[end]]}
        texts = [f"{t}[{','.join(f'd{rank}' for rank in stored[t])}]" for t in (a, b)]
        operations.append({"einsum": f"{name}[d{begin},d{end}] = {texts[0]} {texts[1]}"})
        matrices[place : place + 2] = [(name, begin, end)]
    tensors[matrices[0][0]]["output"] = True
    return {"tensors": tensors, "operations": operations}


@pytest.mark.parametrize("case", range(20))
def test_all_variants_compute_the_same(case: int) -> None:
    draw = random.Random(f"{SEED} {case}")
    program = random_chain(draw)
    random_values = np.random.default_rng(case)
    values = {
        name: random_values.integers(-3, 4, tensor["shape"])
        for name, tensor in program["tensors"].items()
        if tensor.get("input")
    }
    result = next(name for name, tensor in program["tensors"].items() if tensor.get("output"))
    expected = evaluate(program, values)[result]
    variants = list(reassociation._variants(program))
    assert variants
    for variant in variants:
        np.testing.assert_array_equal(evaluate(variant, values)[result], expected)
        for further in reassociation._variants(variant):
            np.testing.assert_array_equal(evaluate(further, values)[result], expected)


def test_a_narrow_factor_comes_first() -> None:
    # A (X W): the features of a layer are 1433 wide, and its classes are 7.
    program = dataflow.graph_convolution(2708, 9464, 1433, 7)
    found = dataflow.reassociate(program)
    assert [operation["einsum"] for operation in found.program["operations"]] == [
        "Z[r0,o] = X0[r0,j] W[j,o]",
        "X1[m,o] = A[m,r0] Z[r0,o]",
    ]
    before = dataflow.analyze(program)
    assert found.analysis.words("GOGETA-map") <= before.words("GOGETA-map")
    assert reassociation.multiplications(found.analysis) < reassociation.multiplications(before)


def test_a_vector_makes_products_of_vectors() -> None:
    # (A B) x moves a square matrix, A (B x) two vectors.
    square = {"shape": [2000, 2000], "input": True}
    program = {
        "tensors": {
            "A": square,
            "B": square,
            "x": {"shape": [2000], "input": True},
            "C": {"shape": [2000, 2000]},
            "y": {"shape": [2000], "output": True},
        },
        "operations": [{"einsum": "C[i,j] = A[i,k] B[k,j]"}, {"einsum": "y[i] = C[i,j] x[j]"}],
    }
    found = dataflow.reassociate(program)
    assert found.analysis.words("GOGETA-map") == pytest.approx(2 * 2000**2 + 2 * 2000)
    assert found.tried > 1


def test_what_somebody_else_reads_stays() -> None:
    program = dataflow.graph_convolution(100, 400, 80, 3)
    program["tensors"]["Z"]["output"] = True
    assert list(reassociation._variants(program)) == []
    # Nor are sums products.
    solver = dataflow.conjugate_gradient(2000, 8000, 2)
    assert dataflow.reassociate(solver).program == solver
