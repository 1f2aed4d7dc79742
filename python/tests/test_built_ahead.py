"""Kernels of a graph that are built side by side, before its first call asks for them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import threading
from typing import Any

import ember
import pytest
import torch
from ember import compiler, log
from ember.errors import CompileError
from ember.torch.capture import backend
from ember.torch.capture.backend import listening
from torch import Tensor


def sums_and_scores(
    rows: Tensor, weights: Tensor, source: Tensor, target: Tensor
) -> tuple[Tensor, Tensor]:
    """Two parts of a graph, each a kernel, which have one more each for their gradients."""
    sums = torch.zeros_like(rows).index_add(0, target, rows[source] * weights)
    other = torch.relu(sums) @ rows.T @ rows
    return sums, (other[source] * rows[target]).sum(1)


@pytest.fixture
def arguments() -> tuple[Tensor, ...]:
    # A width of its own, so that no kernel is known yet.
    rows = torch.rand(300, 37, requires_grad=True)
    ends = torch.randint(300, (2, 20_000))
    return rows, torch.rand(20_000, 1), ends[0], ends[1]


def first_call(arguments: tuple[Tensor, ...]) -> list[Any]:
    """The sources of kernels that calls load, with those of gradients; results equal eager's."""
    torch.compiler.reset()
    with listening() as heard:
        found = torch.compile(sums_and_scores, backend="ember")(*arguments)
    expected = sums_and_scores(*arguments)
    rows = arguments[0]
    gradients = [
        torch.autograd.grad(sum(one.sum() for one in pair), rows) for pair in (found, expected)
    ]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4)
    calls = [part.call for report in heard.reports for part in report.compiled]
    return [library.source for call in calls for library in call.kernels()]


def test_what_the_first_call_needs_is_built_ahead(
    arguments: tuple[Tensor, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it, and nothing else."""
    built: list[Any] = []
    build = backend._build

    def noted(program: Any) -> None:
        built.append(program[0])
        build(program)

    monkeypatch.setattr(backend, "_build", noted)
    needed = first_call(arguments)
    assert len(needed) >= 3
    assert set(built) == set(needed)


def test_kernels_are_built_at_the_same_time(
    arguments: tuple[Tensor, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting = threading.Barrier(2, timeout=60)
    met: list[bool] = []
    build = compiler._load_or_build

    def together(*given: Any) -> Any:
        if not met:
            meeting.wait()
            met.append(True)
        return build(*given)

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(compiler, "_load_or_build", together)
    monkeypatch.setattr(compiler, "_loaded", {})
    first_call(arguments)
    assert met


def test_what_cannot_be_built_is_said_by_the_call(
    arguments: tuple[Tensor, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise CompileError("no room for it")

    monkeypatch.setattr(compiler, "_load_or_build", refuse)
    monkeypatch.setattr(compiler, "_loaded", {})
    monkeypatch.setattr(compiler, "_failures", {})
    monkeypatch.setattr(log, "_warned", set())
    with pytest.warns(RuntimeWarning, match="no room for it"):
        assert not first_call(arguments)


def test_nothing_is_built_where_kernels_are_off(
    arguments: tuple[Tensor, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "_build", pytest.fail)
    with ember.disabled():
        assert not first_call(arguments)
