"""Message passing by functions of one's own: each of FusedMM's steps, against NumPy.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import ember
import ember.sparse as es
import numpy as np
import pytest
from ember.embed_programs import SDDMM, Message, array, program, programs
from ember.errors import ArgumentError, CompileError
from numpy.typing import NDArray

TARGETS = ("cpu", "dae-threads")
NODES, LENGTH = 7, 5
# Row 2 has no edges, and edges of the others are in no order.
ROWS = np.array([3, 0, 6, 0, 3, 3, 5, 1, 4, 3, 0], np.int32)
COLUMNS = np.array([0, 6, 2, 2, 3, 1, 5, 5, 4, 4, 0], np.int32)
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


@es.function(commutative=True)
def gap(x, y):
    return abs(x - y)


@es.function
def softened(x):
    return x / (1 + abs(x))


@es.function
def kernel_of(x):
    return math.exp(-x) if x < 2 else 0.0


# That one of two independent events comes to pass.
@es.function(commutative=True, associative=True, identity=0)
def either(x, y):
    return x + y - x * y


# Neither associative nor commutative: what came later counts more.
@es.function
def decayed(old, new):
    return 0.5 * old + new


@es.function
def three(x, y, z):
    return x + y + z


BUILTINS: dict[str, Callable[..., Any]] = {
    "mul": lambda x, y: x * y,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "min": min,
    "max": max,
    "larger": lambda x, y: y if y > x else x,
    "tanh": math.tanh,
    "abs": abs,
}


def meant(step: Any) -> Callable[..., Any]:
    """The function as Python computes it."""
    return BUILTINS[step] if isinstance(step, str) else step


def fold(step: Any, terms: list[float]) -> float:
    """In order; 0 of none."""
    return reduce(meant(step), terms) if terms else 0.0


def value_of(operation: SDDMM, left: NDArray, right: NDArray) -> float:
    """Of an edge, from the rows at its ends."""
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    elements = [meant(operation.edge)(x, y) for x, y in pairs]
    total = fold(operation.total or "add", elements)
    return meant(operation.activation)(total) if operation.activation else total


def run(operation: SDDMM, target: str, *arguments: NDArray) -> NDArray:
    """The operation's output, which is the last argument."""
    kernel = ember.load_program(program(operation), ember.Options(target=target)).entry("kernel")
    kernel(*arguments)
    return arguments[-1]


def graph_of(form: str) -> tuple[NDArray, NDArray]:
    """The edges as an operation is given them."""
    if form == "coo":
        return ROWS, COLUMNS
    order = np.argsort(ROWS, kind="stable")
    return np.searchsorted(ROWS[order], np.arange(NODES + 1)).astype(np.int32), COLUMNS[order]


def features(element: str, seed: int) -> NDArray:
    """Rows of numbers between 0 and 1."""
    return np.random.default_rng(seed).random((NODES, LENGTH)).astype(TYPES[element])


STEPS: tuple[dict[str, Any], ...] = (
    {"edge": gap},
    {"edge": gap, "total": "max"},
    {"edge": "min", "total": decayed, "activation": "tanh"},
    {"edge": decayed, "total": either, "activation": softened},
    {"edge": gap, "activation": kernel_of},
)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", ["csr", "coo"])
@pytest.mark.parametrize("steps", STEPS, ids=range(len(STEPS)))
def test_values_of_edges(steps: dict[str, Any], form: str, target: str, element: str) -> None:
    ids, rows = array("i32", None), array(element, None, LENGTH)
    out = array("f64" if element == "f64" else "f32", None)
    operation = SDDMM(rows=ids, columns=ids, left=rows, right=rows, out=out, graph=form, **steps)
    left, right = features(element, 1), features(element, 2)
    given = np.full(len(ROWS), np.nan, TYPES[out.element])
    actual = run(operation, target, *graph_of(form), left, right, given)
    order = np.argsort(ROWS, kind="stable") if form == "csr" else np.arange(len(ROWS))
    expected = [value_of(operation, left[ROWS[p]], right[COLUMNS[p]]) for p in order]
    np.testing.assert_allclose(actual, expected, rtol=2e-6, atol=1e-6)


REDUCTIONS = ("add", "mean", "larger", "max", "min", "mul", either, decayed, gap)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", ["csr", "coo"])
@pytest.mark.parametrize("weighting", [None, "sub", gap], ids=["products", "sub", "gap"])
@pytest.mark.parametrize("reduction", REDUCTIONS, ids=lambda step: getattr(step, "__name__", step))
def test_messages_reduced_by_functions(
    reduction: Any, weighting: Any, form: str, target: str, narrow: bool
) -> None:
    """Rows without edges are 0, whatever the function is; f16 results are rounded once."""
    ids, rows = array("i32", None), array("f32", None, LENGTH)
    out = array("f16" if narrow else "f32", None, LENGTH)
    operation = Message(
        rows=ids,
        columns=ids,
        left=rows,
        right=rows,
        messages=rows,
        out=out,
        graph=form,
        edge=gap,
        activation=kernel_of,
        reduction=reduction,
        weighting=weighting,
    )
    left, right, messages = (features("f32", seed) for seed in (3, 4, 5))
    given = np.full((NODES, LENGTH), np.nan, TYPES[out.element])
    actual = run(operation, target, *graph_of(form), left, right, messages, given)
    expected = np.zeros((NODES, LENGTH))
    for row in range(NODES):
        edges = np.flatnonzero(row == ROWS)
        values = [value_of(operation, left[row], right[COLUMNS[p]]) for p in edges]
        for d in range(LENGTH):
            pairs = zip(messages[COLUMNS[edges], d].tolist(), values, strict=True)
            terms = [meant(weighting or "mul")(x, y) for x, y in pairs]
            total = fold("add" if reduction == "mean" else reduction, terms)
            expected[row, d] = total / max(len(terms), 1) if reduction == "mean" else total
    tolerance = 1e-3 if narrow else 2e-6
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def test_elements_pass_on_what_they_are() -> None:
    """With vector, the same functions element by element."""
    ids, rows = array("i32", None), array("f32", None, LENGTH)
    operation = Message(
        rows=ids,
        columns=ids,
        left=rows,
        right=rows,
        messages=rows,
        out=rows,
        graph="coo",
        edge=gap,
        activation=softened,
        reduction="larger",
        vector=True,
    )
    left, right, messages = (features("f32", seed) for seed in (6, 7, 8))
    given = np.full((NODES, LENGTH), np.nan, np.float32)
    actual = run(operation, "cpu", *graph_of("coo"), left, right, messages, given)
    distance = np.abs(left[ROWS] - right[COLUMNS])
    terms = distance / (1 + distance) * messages[COLUMNS]
    expected = np.zeros((NODES, LENGTH), np.float32)
    np.maximum.at(expected, ROWS, terms)
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


def test_largest_elements_and_what_is_no_number() -> None:
    """`larger` keeps NaN only where it comes first; of `max`, it is NaN anywhere."""
    ids, rows = array("i32", None), array("f32", None, 1)
    ends = np.ones((2, 1), np.float32)
    messages = np.array([[1], [np.nan]], np.float32)
    found = {}
    for reduction in ("larger", "max"):
        operation = Message(
            rows=ids,
            columns=ids,
            left=rows,
            right=rows,
            messages=rows,
            out=rows,
            reduction=reduction,
        )
        positions, columns = np.array([0, 2, 4], np.int32), np.array([0, 1, 1, 0], np.int32)
        out = np.zeros((2, 1), np.float32)
        found[reduction] = run(operation, "cpu", positions, columns, ends, ends, messages, out)
    np.testing.assert_array_equal(found["larger"][:, 0], [1, np.nan])
    np.testing.assert_array_equal(found["max"][:, 0], [np.nan, np.nan])


@pytest.mark.parametrize(
    ("steps", "error", "words"),
    [
        ({"edge": "times"}, CompileError, "there is no function 'times'"),
        ({"edge": "sqrt"}, CompileError, "gives 'sqrt' 2 operands, and it takes 1"),
        ({"edge": three}, CompileError, "gives 'three' 2 operands, and it takes 3"),
        ({"activation": gap}, CompileError, "gives 'gap' 1 operands, and it takes 2"),
        ({"activation": math.exp}, ArgumentError, "activation: expected the name of a function"),
    ],
)
def test_what_is_no_step(steps: dict[str, Any], error: type[Exception], words: str) -> None:
    ids, rows = array("i32", None), array("f32", None, LENGTH)
    operation = SDDMM(rows=ids, columns=ids, left=rows, right=rows, out=array("f32", None), **steps)
    with pytest.raises(error, match=words):
        ember.load_program(program(operation), ember.Options())


def test_operations_of_one_program() -> None:
    """Functions that several operations call are defined once, others of their names are others."""

    def further(offset: float) -> Any:
        # Numbers of a definition are written out in it.
        if offset == 1:

            @es.function
            def combined(x, y):
                return x * y + 1

        else:

            @es.function
            def combined(x, y):
                return x * y + 2

        return combined

    ids, rows = array("i32", None), array("f32", None, LENGTH)
    first, second = further(1), further(2)
    operations = {
        name: SDDMM(
            rows=ids,
            columns=ids,
            graph="coo",
            left=rows,
            right=rows,
            out=array("f32", None),
            edge=edge,
            activation=activation,
        )
        for name, edge, activation in (
            ("one", first, None),
            ("same", first, softened),
            ("other", second, softened),
        )
    }
    text = programs(operations)
    assert text.count("cin.function") == 3
    library = ember.load_program(text, ember.Options())
    left, right = features("f32", 1), features("f32", 2)
    for name, operation in operations.items():
        out = np.zeros(len(ROWS), np.float32)
        library.entry(name)(ROWS, COLUMNS, left, right, out)
        expected = [
            value_of(operation, left[row], right[column])
            for row, column in zip(ROWS, COLUMNS, strict=True)
        ]
        np.testing.assert_allclose(out, expected, rtol=1e-5)
