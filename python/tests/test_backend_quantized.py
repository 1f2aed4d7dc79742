"""backend="ember": PyTorch's own operators on quantised tables.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
from ember.torch.capture.backend import ember_backend, listening
from ember.torch.quantize.row_encoding import FORMATS
from ember.torch.report.report import Report
from torch import Tensor, nn

ROWS, LENGTH = 30, 12
OFFSETS = torch.tensor([0, 3, 3, 10])


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


@pytest.fixture(params=["byte", "4bit"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which of PyTorch's operators a test is about."""
    return str(request.param)


def numbers() -> Tensor:
    return torch.randn(ROWS, LENGTH, generator=torch.Generator().manual_seed(0))


def table(kind: str) -> Tensor:
    packed: Tensor = getattr(torch.ops.quantized, f"embedding_bag_{kind}_prepack")(numbers())
    return packed


def indices(count: int = 10) -> Tensor:
    return torch.randint(ROWS, (count,), generator=torch.Generator().manual_seed(1))


def bags(kind: str, **options: Any) -> Callable[..., Tensor]:
    operator = getattr(torch.ops.quantized, f"embedding_bag_{kind}_rowwise_offsets")
    return lambda *arguments, **keywords: operator(*arguments, **keywords, **options)


def check(function: Callable[..., Tensor], *arguments: Any, **keywords: Any) -> Report:
    """The report on the function, whose compiled values are PyTorch's."""
    run = torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})
    with listening() as heard:
        result = run(*arguments, **keywords)
    torch.testing.assert_close(result, function(*arguments, **keywords), equal_nan=True)
    (report,) = heard.reports
    return report


def is_compiled(report: Report) -> bool:
    (part,) = report.compiled
    return part.kind == "quantized_bag" and bool(part.call.kernels())


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
@pytest.mark.parametrize("has_last", [False, True])
def test_bags(has_last: bool, dtype: torch.dtype, kind: str) -> None:
    function = bags(kind, include_last_offset=has_last)
    assert is_compiled(check(function, table(kind), indices().to(dtype), OFFSETS.to(dtype)))


def test_sample_weights(kind: str) -> None:
    weights = torch.rand(10, generator=torch.Generator().manual_seed(2))
    function = bags(kind)
    arguments = table(kind), indices(), OFFSETS[:-1]
    assert is_compiled(check(function, *arguments, per_sample_weights=weights))


def test_the_mode_that_pytorch_ignores(kind: str) -> None:
    assert is_compiled(check(bags(kind, mode=1), table(kind), indices(), OFFSETS[:-1]))


def test_pruned_rows_are_left(kind: str) -> None:
    mapping = torch.arange(ROWS, dtype=torch.int32)
    function = bags(kind, pruned_weights=True)
    report = check(
        function, table(kind), indices(), OFFSETS[:-1], compressed_indices_mapping=mapping
    )
    assert [one.reason for one in report.left] == ["rows that are pruned away have no kernel"]


def test_wrong_index(kind: str) -> None:
    wrong = indices()
    wrong[3] = ROWS
    run = torch.compile(bags(kind), backend=ember_backend)
    with pytest.raises(RuntimeError):
        run(table(kind), wrong, OFFSETS[:-1])


@pytest.mark.parametrize("encoding", ["int8", "int4", "e4m3", "bf16"])
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_reduced_lookups(reduction: str, encoding: str) -> None:
    """nn.Embedding and a reduction, in a model of which the tables were quantised."""
    lookup = nn.Embedding(ROWS, LENGTH, _weight=numbers())
    model = ember.quantize_tables(nn.ModuleDict({"table": lookup}), encoding, lookups=True)

    def function(input: Tensor) -> Tensor:
        reduced: Tensor = getattr(model["table"](input), reduction)(1)
        return reduced

    for places in (indices(12).view(4, 3), indices(12).view(3, 4).int().t()):
        torch._dynamo.reset()
        report = check(function, places)
        (part,) = report.compiled
        assert part.title.startswith(f"{reduction} of {encoding} rows")
        assert part.call.kernels()
    assert not check(function, torch.zeros(2, 0, dtype=torch.int64)).compiled[0].call.kernels()


class Tables(nn.Module):
    """Two quantised tables, and a function of their lookups."""

    def __init__(self, encoding: str, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.items = nn.Embedding(ROWS, LENGTH, _weight=numbers())
        self.users = nn.Embedding(ROWS, LENGTH, _weight=numbers().flip(0))
        self.function = function
        ember.quantize_tables(self, encoding, lookups=True)

    def forward(self, input: Tensor, weights: Tensor) -> Tensor:
        result: Tensor = self.function(self, input, weights)
        return result


def factorisation(tables: Tables, input: Tensor, weights: Tensor) -> Tensor:
    """The terms of second order of a factorisation machine."""
    rows = tables.items(input)
    return 0.5 * (rows.sum(1).square() - rows.square().sum(1)).sum(1)


FUNCTIONS: dict[str, Callable[[Tables, Tensor, Tensor], Tensor]] = {
    "largest": lambda t, input, weights: t.items(input).amax(1),
    "sum over bags": lambda t, input, weights: t.items(input).sum(0),
    "sums that keep the dimension": lambda t, input, weights: t.items(input).sum(1, keepdim=True),
    "weighted sum": lambda t, input, weights: (t.items(input) * weights.unsqueeze(-1)).sum(1),
    "scores": lambda t, input, weights: (t.items(input) * t.users(input.flip(0))).sum(-1),
    "distances": lambda t, input, weights: (t.items(input) - t.users(input)).norm(dim=-1),
    "factorisation": factorisation,
    "sums of two tables": lambda t, input, weights: t.items(input) + t.users(input),
    "two uses": lambda t, input, weights: t.items(input).sum(1) + t.items(input)[:, 0],
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("encoding", FORMATS)
def test_what_statements_compute_of_rows(encoding: str, function: str) -> None:
    """Of all formats, as of the table that the rows stand for."""
    model = Tables(encoding, FUNCTIONS[function])
    places, weights = indices().view(2, 5), torch.rand(2, 5)
    report = check(model, places, weights)
    (part,) = report.compiled
    assert part.kind == "quantized_bag"
    assert part.call.kernels()
    decoded = copy.deepcopy(model)
    for name in ("items", "users"):
        table = nn.Embedding(ROWS, LENGTH, _weight=getattr(model, name).dequantized())
        setattr(decoded, name, table)
    with torch.no_grad():
        expected = decoded(places, weights)
        run = torch.compile(model, backend="ember", dynamic=True)
        torch.testing.assert_close(run(places, weights), expected, atol=1e-4, rtol=1e-4)


def test_gradients_of_weights() -> None:
    """The table has none; what its rows are multiplied by has."""
    model = Tables("int8", FUNCTIONS["weighted sum"])
    weights = torch.rand(2, 5, requires_grad=True)
    run = torch.compile(model, backend=ember_backend, options={"raises": True})
    found, expected = (
        torch.autograd.grad(one(indices().view(2, 5), weights).square().sum(), weights)
        for one in (run, model)
    )
    torch.testing.assert_close(found, expected)


def test_wrong_index_of_a_lookup() -> None:
    model = Tables("int4", FUNCTIONS["largest"])
    wrong = indices().view(2, 5)
    wrong[1, 3] = ROWS
    run = torch.compile(model, backend=ember_backend)
    with pytest.raises(IndexError, match=str(ROWS)):
        run(wrong, torch.rand(2, 5))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("encoding", ["int8", "int4", "mxfp8", "bf16"])
def test_bags_of_modules(encoding: str, mode: str) -> None:
    for options in ({}, {"include_last_offset": True}, {"padding_idx": 3}):
        plain = nn.EmbeddingBag(ROWS, LENGTH, mode=mode, _weight=numbers(), **options)
        model = ember.quantize_tables(copy.deepcopy(plain), encoding)
        plain.weight.data = model.dequantized()
        places = indices()
        places[4] = 3
        for arguments in ((places, OFFSETS), (places.int().view(2, 5),)):
            offsets = [one.to(arguments[0].dtype) for one in arguments[1:]]
            torch._dynamo.reset()
            report = check(model, arguments[0], *offsets)
            assert is_compiled(report)
            assert report.compiled[0].title.startswith(f"{mode} of bags of ")
            with torch.no_grad():
                torch.testing.assert_close(model(arguments[0], *offsets), plain(*arguments))


def test_weighted_bags_of_modules() -> None:
    model = ember.quantize_tables(nn.EmbeddingBag(ROWS, LENGTH, mode="sum", _weight=numbers()))
    assert is_compiled(check(model, indices(), OFFSETS, torch.rand(10)))
    torch._dynamo.reset()
    assert is_compiled(check(model, indices().view(2, 5), None, torch.rand(2, 5)))


def test_scores_of_bags() -> None:
    """What is computed of bags is computed with them."""
    model = ember.quantize_tables(nn.EmbeddingBag(ROWS, LENGTH, _weight=numbers()), "int4")

    def score(users: Tensor, items: Tensor, offsets: Tensor) -> Tensor:
        scores: Tensor = (model(users, offsets) * model(items, offsets)).sum(-1)
        return scores

    assert is_compiled(check(score, indices(), indices().flip(0), OFFSETS))


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_wrong_offsets(compiled: bool) -> None:
    model = ember.quantize_tables(nn.EmbeddingBag(ROWS, LENGTH, mode="sum", _weight=numbers()))
    run = torch.compile(model, backend=ember_backend) if compiled else model
    with pytest.raises(ember.OffsetsError, match="0, but is 1"):
        run(indices(), torch.tensor([1, 3]))
    wrong = indices()
    wrong[3] = ROWS
    with pytest.raises(IndexError, match=f"{ROWS}"):
        run(wrong, torch.tensor([0, 3]))
