"""options={"rest": "inductor"}: Inductor keeps code on disk that names calls of kernels.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ember
import pytest
import torch
import torch._inductor.compile_fx
from ember.torch.capture import inductor_rest
from torch import Tensor, nn
from torch.nn import functional

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

# Two programs with one kernel each, of the same arguments: what each has must be its own, though
# Inductor keeps the other's code. There is nothing but the kernels, so it has no C++ to compile.
PROGRAM = """
import sys
import torch
from torch.nn import functional

arguments = torch.arange(16), torch.randn(20, 8), torch.randn(20, 8)
options = {"rest": "inductor", "raises": True}
for join in (getattr(torch, name) for name in sys.argv[1:]):

    def function(index, first, second):
        rows = [functional.embedding(index, table) for table in (first, second)]
        return join(rows, 1)

    run = torch.compile(function, backend="ember", options=options, dynamic=False)
    torch.testing.assert_close(run(*arguments), function(*arguments))
    print(torch._dynamo.utils.counters["inductor"]["fxgraph_cache_hit"])
    torch._dynamo.reset()
"""


@pytest.fixture
def no_code(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What Inductor is asked to compile; it runs as it is, which takes no compiler.

    Of earlier tests' graphs none is left, whose calls would be known.
    """
    torch._dynamo.reset()
    gc.collect()
    modules = []

    def compile_fx(module: torch.fx.GraphModule, inputs: object) -> Callable[..., Any]:
        modules.append(module)
        return module.forward

    monkeypatch.setattr(torch._inductor.compile_fx, "compile_fx", compile_fx)
    return modules


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    options = {"rest": "inductor", "raises": True, **options}
    torch._dynamo.reset()
    return torch.compile(function, backend="ember", options=options, dynamic=False)


def bags(mode: str, scale: float = 1.0) -> Callable[..., Tensor]:
    def function(table: Tensor, indices: Tensor) -> Tensor:
        return functional.embedding_bag(indices, table, mode=mode) * scale

    return function


def keys(modules: list[Any]) -> list[str]:
    """The names of the calls in graphs that Inductor was given."""
    target = torch.ops.ember.region.default
    return [
        node.args[3]
        for one in modules
        for node in one.graph.find_nodes(op="call_function", target=target)
    ]


@pytest.mark.slow
def test_code_on_disk_is_of_its_own_program(tmp_path: Path) -> None:
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    for programs, hits in [(["cat"], ["0"]), (["stack", "cat"], ["0", "1"])]:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, *programs],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.split() == hits


def test_names_are_contents(no_code: list[Any]) -> None:
    table, indices = torch.randn(20, 4), torch.randint(20, (3, 5))
    fast = ember.Options(opt_level=2)

    def two(table: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
        return bags("sum")(table, indices), bags("sum")(table, indices.flip(0))

    def other_names(weights: Tensor, indices: Tensor) -> Tensor:
        return functional.embedding_bag(indices, weights, mode="sum")

    for function, options, arguments in [
        (bags("sum"), {}, (table, indices)),
        # What is around the kernel is Inductor's to tell apart.
        (bags("sum", 2.0), {}, (table, indices)),
        (bags("mean"), {}, (table, indices)),
        (bags("sum"), {"raises": False}, (table, indices)),
        (bags("sum"), {"kernel_options": fast}, (table, indices)),
        (bags("sum"), {}, (table.double(), indices)),
        (bags("sum"), {}, (table, indices.int())),
        (bags("sum"), {}, (table, indices[:2])),
        (other_names, {}, (table, indices)),
        (two, {}, (table, indices)),
    ]:
        run = compiled(function, **options)
        torch.testing.assert_close(run(*arguments), function(*arguments))
    first, scaled, *others = keys(no_code)
    assert first == scaled
    # The first of the two calls of the last function is like the first of all.
    assert len({first, *others}) == 1 + len(others) - (first in others)
    assert len(others) == 9


def test_equal_calls_are_shared_and_freed(no_code: list[Any]) -> None:
    """The report of the second graph has the kernels of the call that it shares."""
    table, indices = torch.randn(20, 4, requires_grad=True), torch.randint(20, (3, 5))
    kernels = [ember.compile(bags("sum"), rest="inductor", raises=True) for _ in range(2)]
    results = [kernel(table, indices) for kernel in kernels]
    gc.collect()
    (key,) = set(keys(no_code))
    assert list(inductor_rest._calls) == [key]
    assert [kernel.kernels() for kernel in kernels] == [kernels[0].kernels()] * 2
    assert len(kernels[0].kernels()) == 1

    no_code.clear()
    del kernels[0]
    torch._dynamo.reset()
    gc.collect()
    expected = bags("sum")(table, indices)
    gradient = torch.randn_like(expected)
    (right,) = torch.autograd.grad(expected, table, gradient)
    # A gradient may be asked for when nothing else is left.
    del kernels
    gc.collect()
    (found,) = torch.autograd.grad(results.pop(), table, gradient)
    torch.testing.assert_close(found, right)
    results.clear()
    gc.collect()
    assert not list(inductor_rest._calls)
    with pytest.raises(ember.KernelError, match="after its graph was dropped"):
        inductor_rest.registered(key)


def test_compiling_again_tries_again(no_code: list[Any]) -> None:
    table, indices = torch.randn(20, 4), torch.randint(20, (3, 5))
    first = compiled(bags("sum"), raises=False)
    first(table, indices)
    (call,) = inductor_rest._calls.values()
    call.failed = "no compiler"
    # Holds the first graph, whose code Dynamo would drop.
    kept = no_code[:]
    again = compiled(bags("sum"), raises=False)
    torch.testing.assert_close(again(table, indices), bags("sum")(table, indices))
    assert list(inductor_rest._calls.values()) == [call]
    assert not call.failed
    assert len(kept) == 1


def test_sparse_gradients_are_those_of_inductor() -> None:
    """Here they are asked for when the compiled model is gone."""
    indices = torch.randint(20, (3, 5))
    weights = nn.Parameter(torch.randn(20, 4))

    def function(table: Tensor) -> Tensor:
        return functional.embedding_bag(indices, table, mode="sum", sparse=True)

    result = compiled(function)(weights)
    expected = function(weights)
    torch._dynamo.reset()
    gc.collect()
    gradient = torch.randn_like(expected)
    (right,) = torch.autograd.grad(expected, weights, gradient)
    (found,) = torch.autograd.grad(result, weights, gradient)
    assert found.layout is right.layout is torch.sparse_coo
    torch.testing.assert_close(found.coalesce(), right.coalesce())
    del result, found
    gc.collect()
    assert not list(inductor_rest._calls)
