"""Gradients of every kind of region where eager has them: what they keep, and derivatives of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from compiled_models import compiled
from ember.torch.capture.backend import ember_backend
from region_cases import CASES, Case, nothing_is_left
from torch import Tensor
from torch.autograd import gradgradcheck
from torch.fx import GraphModule
from torch.utils.checkpoint import checkpoint

Run = Callable[..., Tensor]
# Eager copies what it looks up, and keeps the copy; kernels copy nothing, and the gradient reads
# the rows where they are. Changed rows are an error then.
KEPT_IN_PLACE = {
    ("rows weighted", 0),
    ("aggregation weighted", 0),
    ("aggregation with heads", 0),
    ("onto", 1),
    ("edge softmax", 0),
    ("row score", 0),
    ("row score", 1),
    ("row products", 1),
    ("row products of tables", 0),
    ("row products of tables", 2),
    ("block scores", 0),
    ("block values", 0),
}


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(scope="module")
def run(case: Case) -> Iterator[Run]:
    """The function's graph with kernels in it, which was captured and first run in inference mode.

    torch.compile would capture it once more for each mode.
    """
    example = case.arguments()
    graphs: list[tuple[Callable[..., Any], list[int]]] = []

    def backend(module: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        forward = ember_backend(module, inputs, options={"raises": True})

        def call(*given: Any) -> Any:
            places = [[one is other for other in example].index(True) for one in given]
            graphs.append((forward, places))
            return forward(*given)

        return call

    torch._dynamo.reset()
    options = torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
    with nothing_is_left(), options:
        with torch.inference_mode():
            result = torch.compile(case.function, backend=backend, dynamic=False)(*example)
            torch.testing.assert_close(result, case.function(*example))
        ((forward, places),) = graphs
        yield lambda *given: forward(*(given[place] for place in places))[0]
    torch._dynamo.reset()


def total(result: Tensor) -> Tensor:
    return (result * torch.linspace(1, 2, result.numel(), dtype=result.dtype).view_as(result)).sum()


def of(case: Case, arguments: Sequence[Any]) -> list[Tensor]:
    return [arguments[place] for place in case.differentiable]


def change(tensor: Tensor) -> None:
    """Gives a tensor other values; indices stay right."""
    with torch.no_grad():
        if tensor.is_floating_point():
            tensor.mul_(-0.5).add_(0.25)
        else:
            tensor.copy_(tensor.flip(-1))


def after_a_change(run: Run, case: Case, place: int | None) -> tuple[Tensor, ...] | None:
    """The gradients, with an argument changed ahead of them; None if that is an error."""
    arguments = case.arguments(requires_grad=True)
    loss = total(run(*arguments))
    if place is not None:
        change(arguments[place])
    try:
        return torch.autograd.grad(loss, of(case, arguments))
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return None


def test_changed_arguments(case: Case, run: Run) -> None:
    right = after_a_change(case.function, case, None)
    for place, argument in enumerate(case.arguments()):
        if not isinstance(argument, Tensor):
            continue
        found = after_a_change(run, case, place)
        if after_a_change(case.function, case, place) is not None:
            is_kept = (case.name, place) in KEPT_IN_PLACE
            assert (found is None) == is_kept, f"argument {place}"
        if found is not None:
            torch.testing.assert_close(found, right, msg=f"argument {place}")


def test_second_derivatives(case: Case, run: Run) -> None:
    arguments = case.arguments(requires_grad=True)

    def outcome(function: Run) -> str:
        def of_leaves(*leaves: Tensor) -> Tensor:
            given = list(arguments)
            for place, leaf in zip(case.differentiable, leaves, strict=True):
                given[place] = leaf
            return function(*given)

        try:
            gradgradcheck(of_leaves, of(case, arguments), fast_mode=True)
        except RuntimeError as error:
            return str(error)
        return "right"

    found = outcome(run)
    # PyTorch's operations for gradients of bags and segments have no derivatives.
    assert found == "right" or ("not implemented" in found and outcome(case.function) == found)


def trained(run: Run, case: Case) -> list[Tensor]:
    arguments = case.arguments(requires_grad=True)
    return list(torch.autograd.grad(total(run(*arguments)), of(case, arguments)))


def with_graph(run: Run, case: Case) -> list[Tensor]:
    arguments = case.arguments(requires_grad=True)
    loss = total(run(*arguments))
    found = torch.autograd.grad(loss, of(case, arguments), create_graph=True)
    return [one.detach() for one in found]


def twice(run: Run, case: Case) -> list[Tensor]:
    arguments = case.arguments(requires_grad=True)
    loss = total(run(*arguments))
    first = torch.autograd.grad(loss, of(case, arguments), retain_graph=True)
    return [*first, *torch.autograd.grad(loss, of(case, arguments))]


def checkpointed(run: Run, case: Case) -> list[Tensor]:
    return trained(lambda *given: checkpoint(run, *given, use_reentrant=False), case)


def kept_elsewhere(run: Run, case: Case) -> list[Tensor]:
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: tensor.detach().numpy().copy(), torch.from_numpy
    ):
        return trained(run, case)


def of_views(run: Run, case: Case) -> list[Tensor]:
    """Of tensors whose elements lie apart, and that are no leaves."""

    def apart(given: Any) -> Any:
        return torch.stack([given, given], -1)[..., 0] if isinstance(given, Tensor) else given

    return trained(lambda *given: run(*map(apart, given)), case)


def without(mode: Any) -> Callable[[Run, Case], list[Tensor]]:
    def result(run: Run, case: Case) -> list[Tensor]:
        with mode():
            return [run(*case.arguments())]

    return result


EVALUATED = (without(torch.inference_mode), without(torch.no_grad), without(nullcontext))
WAYS = (trained, with_graph, twice, checkpointed, kept_elsewhere, of_views)


def test_ways(case: Case, run: Run) -> None:
    """Training in all ways, with evaluation between them."""
    for step, way in enumerate(WAYS):
        for one in (way, EVALUATED[step % 3]):
            torch.testing.assert_close(one(run, case), one(case.function, case))


def test_same_tensor_twice() -> None:
    """Of two places of one tensor, the gradient reads the values of one alone."""

    def function(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return x.index_add(0, target, x[source] * x[source, :1])

    torch._dynamo.reset()
    gradients = []
    with nothing_is_left():
        for run in (compiled(function, dynamic=False), function):
            x = torch.arange(12, dtype=torch.float64).view(4, 3).requires_grad_()
            source, target = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 0]])
            loss = total(run(x, source, target))
            (first,) = torch.autograd.grad(loss, x, create_graph=True)
            gradients.append((first, *torch.autograd.grad(total(first), x)))
    torch.testing.assert_close(*gradients)
    torch._dynamo.reset()


# What of two tables' rows is read; the other table's gradient is of zeros, and not none at all,
# where it is not detached.
OF_ONE_TABLE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "columns": lambda one, other: torch.cat([one, other], -1)[:, :6],
    "rows": lambda one, other: torch.cat([2 * one, other])[: len(one)],
    "stack": lambda one, other: torch.stack([one, other])[0],
    "imaginary": lambda one, other: torch.complex(other, one).imag,
    "beside what is detached": lambda one, other: torch.cat([one, other.detach()], -1)[:, :6],
}


@pytest.mark.parametrize("name", OF_ONE_TABLE)
def test_tables_that_are_not_read(name: str) -> None:
    indices = torch.randint(30, (20,))

    def function(one: Tensor, other: Tensor) -> Tensor:
        return OF_ONE_TABLE[name](one[indices], other[indices]).sum(-1)

    found = []
    torch._dynamo.reset()
    with nothing_is_left():
        for each in (function, compiled(function)):
            draw = torch.Generator().manual_seed(3)
            tables = [torch.randn(30, 6, generator=draw, requires_grad=True) for _ in range(2)]
            each(*tables).sum().backward()
            found.append([one.grad for one in tables])
    torch.testing.assert_close(found[1], found[0])


def test_what_asks_for_sizes_alone_has_no_gradient() -> None:
    def function(like: Tensor, y: Tensor, weight: Tensor, ends: Tensor) -> Tensor:
        like, y = like * 1, y * 1
        places = ends[1].view(-1, 1).expand(-1, 8)
        sums = torch.zeros_like(like).scatter_add_(0, places, y[ends[0]])
        return sums @ weight.t()

    ends = torch.randint(12, (2, 40))
    found = []
    for run in (function, compiled(function)):
        draw = torch.Generator().manual_seed(3)
        tensors = [torch.randn(size, 8, generator=draw, requires_grad=True) for size in (12, 12, 4)]
        run(*tensors, ends).sum().backward()
        found.append([one.grad for one in tensors])
    torch.testing.assert_close(found[1], found[0])


@pytest.mark.parametrize("rest", ["eager", "inductor"])
def test_what_is_compared_alone_has_no_gradient(rest: str) -> None:
    """One part's result is compared in another part, which has gradients of other tensors."""

    def function(scores: Tensor, table: Tensor, indices: Tensor) -> Tensor:
        sums = scores[indices].sum(-1, keepdim=True)
        with torch.no_grad():
            rows = table[indices].log_softmax(0) * sums.cumsum(0)
        return torch.cat([rows * (sums > 0.2), table[indices]], -1).sum(-1)

    indices = torch.randint(12, (2000,))
    found = []
    with nothing_is_left():
        for run in (function, compiled(function, rest=rest)):
            draw = torch.Generator().manual_seed(3)
            tables = [torch.randn(12, 8, generator=draw, requires_grad=True) for _ in range(2)]
            run(*tables, indices).sum().backward()
            found.append([one.grad for one in tables])
    assert found[0][0] is None
    torch.testing.assert_close(found[1], found[0])


def test_layers_in_place() -> None:
    """A layer's features are changed behind it, and its weights ahead of the backward pass."""

    def function(x: Tensor, weight: Tensor, source: Tensor, target: Tensor) -> Tensor:
        hidden = x @ weight
        sums = torch.zeros_like(hidden).index_add(0, target, hidden[source])
        return sums + torch.nn.functional.relu(hidden, inplace=True)

    torch._dynamo.reset()
    gradients = []
    for run in (compiled(function), function):
        x, weight = torch.eye(4, 3), torch.arange(9.0).view(3, 3).requires_grad_()
        source, target = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
        loss = total(run(x, weight, source, target))
        gradients.append(torch.autograd.grad(loss, weight))
    torch.testing.assert_close(*gradients)
    torch._dynamo.reset()
