"""Functions of arrays whose operations are recorded, analysed and run in sweeps.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import random
from collections.abc import Callable
from typing import Any

import ember
import numpy as np
import pytest
import torch
from ember import dataflow
from ember.errors import ArgumentError
from scipy import sparse

SEED = int(os.environ.get("EMBER_TEST_SEED", "1"))
RNG = np.random.default_rng(SEED)
ROWS = 40_000


def stencil(rows: int, dtype: Any = np.float64) -> Any:
    """A tridiagonal matrix, symmetric and positive definite."""
    beside = np.full(rows - 1, -1.0)
    matrix = sparse.diags_array([beside, np.full(rows, 2.1), beside], offsets=[-1, 0, 1])
    return sparse.csr_array(matrix, dtype=dtype)


def block_cg(A: Any, B: Any, X: Any, steps: int = 6) -> Any:
    R = B - A @ X
    P = R.copy()
    before = R.T @ R
    for _ in range(steps):
        S = A @ P
        step = np.linalg.solve(P.T @ S, before)
        X += P @ step
        R -= S @ step
        weight = R.T @ R
        P = R + P @ np.linalg.solve(before, weight)
        before = weight
    return X


def cg(A: Any, b: Any, x: Any) -> Any:
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for _ in range(50):
        q = A @ p
        alpha = rs / (p @ q)
        x += alpha * p
        r -= alpha * q
        after = r @ r
        if np.sqrt(after) < 1e-6:
            break
        p = r + (after / rs) * p
        rs = after
    return x


def bicgstab(A: Any, b: Any, x: Any) -> Any:
    r = b - A @ x
    shadow = r.copy()
    p = r.copy()
    rho = shadow @ r
    for _ in range(8):
        v = A @ p
        alpha = rho / (shadow @ v)
        s = r - alpha * v
        t = A @ s
        omega = (t @ s) / (t @ t)
        x = x + alpha * p + omega * s
        r = s - omega * t
        after = shadow @ r
        p = r + (after / rho) * (alpha / omega) * (p - omega * v)
        rho = after
    return x


def graph_layer(A: Any, X: Any, W: Any, bias: Any) -> Any:
    return np.maximum(A @ (X @ W) + bias, 0)


def chain(X: Any, W: Any, V: Any, bias: Any) -> Any:
    hidden = np.tanh(X @ W + bias)
    return hidden @ V, hidden.sum(axis=0), (hidden * hidden).sum()


def least_squares(X: Any, y: Any) -> Any:
    return np.linalg.solve(X.T @ X, X.T @ y)


def arguments_of(name: str) -> tuple[Any, ...]:
    """Arguments of a function above, new ones each time."""
    rng = np.random.default_rng(SEED)
    matrix = stencil(ROWS)
    if name == "block_cg":
        return matrix, rng.standard_normal((ROWS, 4)), rng.standard_normal((ROWS, 4))
    if name in ("cg", "bicgstab"):
        return matrix, rng.standard_normal(ROWS), np.zeros(ROWS)
    if name == "graph_layer":
        sizes = (ROWS, 12), (12, 5), (5,)
        return matrix, *(rng.standard_normal(size) for size in sizes)
    if name == "chain":
        sizes = (ROWS, 6), (6, 8), (8, 3), (8,)
        return tuple(rng.standard_normal(size) for size in sizes)
    return rng.standard_normal((ROWS, 5)), rng.standard_normal(ROWS)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    one.__name__: one for one in (block_cg, cg, bicgstab, graph_layer, chain, least_squares)
}


@pytest.mark.parametrize("way", ["auto", "off"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_numpy(name: str, way: str) -> None:
    compiled = ember.compile(FUNCTIONS[name], dataflow=way)
    found, expected = compiled(*arguments_of(name)), FUNCTIONS[name](*arguments_of(name))
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-9)
    assert compiled.texts


def test_bits_do_not_depend_on_threads() -> None:
    threads = ember.get_num_threads()
    results = []
    try:
        for number in (1, 2, 5):
            ember.set_num_threads(number)
            results.append(dataflow.compile(block_cg)(*arguments_of("block_cg")).tobytes())
    finally:
        ember.set_num_threads(threads)
    assert results[0] == results[1] == results[2]


def test_an_iteration_is_two_kernels() -> None:
    compiled = dataflow.compile(block_cg)
    compiled(*arguments_of("block_cg"))
    often = {text for text, times in compiled.texts.items() if times > 2}
    assert len(often) == 2
    # The update that nobody waits for is with what reads the direction once more.
    assert sorted(text.count("=") for text in often) == [2, 4]


def test_arrays_change_in_place() -> None:
    A, B, X = arguments_of("block_cg")
    expected = block_cg(A, B, X.copy(), 3)
    result = dataflow.compile(block_cg)(A, B, X, 3)
    np.testing.assert_allclose(X, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(X, result)

    def alias(x: Any) -> Any:
        y = x
        before = x.copy()
        x += 1.0
        return y, before

    x = RNG.standard_normal(ROWS)
    mine, before = dataflow.compile(alias)(x.copy())
    np.testing.assert_array_equal(mine, x + 1.0)
    np.testing.assert_array_equal(before, x)


def test_tensors_of_pytorch() -> None:
    def layer(X: Any, W: Any) -> Any:
        return torch.relu(X @ W) @ torch.linalg.solve(W.t() @ W, W.t())

    X, W = torch.randn(ROWS, 4), torch.randn(4, 4)
    found = dataflow.compile(layer)(X, W)
    assert isinstance(found, torch.Tensor)
    torch.testing.assert_close(found, layer(X, W), rtol=1e-3, atol=1e-3)


def random_function(seed: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Products, sums and functions of elements of tall arrays, in any order, and arguments."""
    draw = random.Random(seed)
    rows, columns = draw.choice([5000, 30_000]), draw.choice([1, 3, 8])
    rng = np.random.default_rng(draw.randrange(1 << 30))
    plan = [
        (draw.choice("psmaeu"), draw.randrange(1 << 16), draw.randrange(1 << 16))
        for _ in range(draw.randrange(4, 14))
    ]

    def function(A: Any, B: Any, C: Any, D: Any) -> Any:
        tall, small = [B, C], [D]
        for kind, first, second in plan:
            x, y = tall[first % len(tall)], tall[second % len(tall)]
            s = small[second % len(small)]
            if kind == "p":
                tall.append(x @ s)
            elif kind == "s":
                small.append((x.T @ y) / rows)
            elif kind == "m":
                tall.append(A @ x)
            elif kind == "a":
                tall.append(x - y * 0.5)
            elif kind == "e":
                tall.append(np.tanh(x + y))
            else:
                x += y @ s
        return tall[-1], small[-1], tall[0]

    arguments = (
        stencil(rows),
        rng.standard_normal((rows, columns)),
        rng.standard_normal((rows, columns)),
        rng.standard_normal((columns, columns)) / columns,
    )
    return function, arguments


def copies(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays of their own."""
    return tuple(one.copy() for one in arguments)


@pytest.mark.parametrize("case", range(8))
def test_random_programs(case: int) -> None:
    function, arguments = random_function(f"{SEED} {case}")
    expected = function(*copies(arguments))
    for way in ("auto", "off"):
        found = dataflow.compile(function, dataflow=way)(*copies(arguments))
        for mine, theirs in zip(found, expected, strict=True):
            scale = max(1.0, float(np.abs(theirs).max()))
            np.testing.assert_allclose(mine / scale, theirs / scale, rtol=1e-8, atol=1e-9)


def test_the_analysis_of_a_function_is_that_of_its_program() -> None:
    A, B, X = arguments_of("block_cg")
    mine = dataflow.analyze(block_cg, (A, B, X, 4), machine={"sram": 1 << 20})
    program = dataflow.conjugate_gradient(rows=ROWS, nonzeros=A.nnz, columns=4)
    theirs = dataflow.analyze(program, machine={"sram": 1 << 20})
    for scheme in ("SEQ-Flex", "GOGETA-map", "Ideal"):
        assert mine.words(scheme) == pytest.approx(theirs.words(scheme), rel=1e-4)
    patterns = [sorted(edge["pattern"] for edge in one.report["edges"]) for one in (mine, theirs)]
    assert patterns[0] == patterns[1]


def test_a_program_without_a_loop() -> None:
    analysis = dataflow.analyze(graph_layer, arguments_of("graph_layer"))
    assert analysis.program is not None
    assert "loop" not in analysis.program
    assert [one["name"] for one in analysis.report["nodes"]] == ["T1", "T2"]


def test_tables_and_pictures() -> None:
    analysis = dataflow.analyze(dataflow.conjugate_gradient(20_000, 60_000, 8), iterations=2)
    frame = analysis.to_dataframe()
    assert list(frame["scheme"]) == [entry["scheme"] for entry in analysis.report["traffic"]]
    assert frame["words read"][0] + frame["words written"][0] == analysis.words("SEQ-Flex")
    assert str(analysis.table).splitlines()[1].startswith("SEQ-Flex")
    for picture in ("graph", "orders", "traffic"):
        (axes,) = analysis.plot(picture).axes
        assert axes.texts or axes.patches
    with pytest.raises(ArgumentError, match="a picture is one of"):
        analysis.plot("pie")


MISTAKES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "an element": (lambda x: x.__setitem__(3, 1.0), (np.ones(5000),), "one at a time"),
    "sizes": (lambda x, y: x @ y, (np.ones((5000, 2)), np.ones((3, 2))), "shapes"),
    "complex": (lambda x: x + x, (np.ones(5000) * 1j,), "have to be real"),
    "gradient": (lambda x: x + x, (torch.ones(5000, requires_grad=True),), "detach"),
    "sparse sum": (lambda A: A + A, (stencil(5000),), "sparse"),
    "in place": (lambda x: x.T.__iadd__(1.0), (np.ones((50, 100)),), "transpose"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    function, arguments, message = MISTAKES[mistake]
    with pytest.raises(ArgumentError, match=message):
        dataflow.compile(function)(*arguments)


def test_wrong_choices() -> None:
    with pytest.raises(ArgumentError, match="'auto', 'off' or a file"):
        dataflow.compile(cg, dataflow="fast")
    with pytest.raises(ArgumentError, match="takes a function"):
        dataflow.compile(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="are for a function"):
        dataflow.analyze(dataflow.conjugate_gradient(2000, 6000, 2), (1,))
    with pytest.raises(ArgumentError, match="computes nothing"):
        dataflow.analyze(lambda x: x, (np.ones(3),))
