"""backend="ember": products of one row with several looked-up ones, for each sample.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_models import Heard, compiled
from ember.torch.capture.backend import listening
from torch import Tensor, nn

ROWS, OTHERS, LENGTH = 30, 40, 13

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


class Tables(nn.Module):
    """Two tables; `one` is looked up by (samples,), `others` by (samples, each)."""

    def __init__(
        self, dtype: torch.dtype = torch.float32, length: int = LENGTH, **options: Any
    ) -> None:
        super().__init__()
        self.one = nn.Embedding(ROWS, length, dtype=dtype, **options)
        self.others = nn.Embedding(OTHERS, length, dtype=dtype, **options)

    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        """Word2vec with negative samples."""
        return torch.bmm(self.others(others), self.one(one).unsqueeze(2)).squeeze(2)


class Kept(Tables):
    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        return torch.sigmoid(torch.matmul(self.others(others), self.one(one)[:, :, None]))


class Row(Tables):
    """A row of each sample in front, of indices (samples, 1)."""

    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        return torch.bmm(self.one(one.unsqueeze(1)), self.others(others).permute(0, 2, 1))


class RowSqueezed(Tables):
    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        own = self.one(one)[:, None]
        return (own @ self.others(others).transpose(1, 2))[:, 0]


class Column(Tables):
    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        own = self.one(one.view(-1, 1))
        products = self.others(others) @ own.transpose(-1, -2)
        return products.view(others.shape)


class Letters(Tables):
    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        return torch.einsum("bd, bkd -> bk", self.one(one), self.others(others))


class LettersTurned(Tables):
    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        return torch.einsum("ijl,il->ij", self.others.weight[others], self.one.weight[one])


class Summed(Tables):
    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        return (self.one(one).unsqueeze(1) * self.others(others)).sum(-1)


class Computed(Tables):
    """Rows that are no lookup: a two-tower model's queries."""

    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        query = functional.normalize(self.one(one), dim=1)
        return (self.others(others) * query.unsqueeze(1)).sum(dim=2) + query.sum()


SPELLINGS = [Tables, Kept, Row, RowSqueezed, Column, Letters, LettersTurned, Summed, Computed]


def arguments(
    samples: int = 6, each: int = 5, index: torch.dtype = torch.int64
) -> tuple[Tensor, Tensor]:
    draw = torch.Generator().manual_seed(samples)
    one = torch.randint(ROWS, (samples,), generator=draw)
    others = torch.randint(OTHERS, (samples, each), generator=draw)
    return one.to(index), others.to(index)


def check_products(heard: listening) -> None:
    """One graph, with the products in one kernel; small lookups besides are PyTorch's."""
    (report,) = heard.reports
    assert {part.kind for part in report.compiled} == {"statements"}
    assert sum("self.others.weight" in part.title for part in report.compiled) == 1
    assert all("as fast" in left.reason for left in report.left)


def both_gradients(
    run: Callable[..., Tensor], eager: Tables, given: tuple[Tensor, ...]
) -> list[list[Tensor]]:
    """The gradients of both tables, by both; weighted, so that no two are the same."""
    found = []
    for one in (run, eager):
        eager.zero_grad()
        result = one(*given)
        (
            result * torch.arange(result.numel()).view(result.shape).to(result.dtype).cos()
        ).sum().backward()
        gradients = [eager.one.weight.grad, eager.others.weight.grad]
        found.append([gradient for gradient in gradients if gradient is not None])
        assert len(found[-1]) == 2
    return found


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("model", SPELLINGS)
def test_values_and_gradients(model: type[Tables], dtype: torch.dtype) -> None:
    torch.manual_seed(1)
    eager = model(dtype)
    with listening() as heard:
        run = compiled(eager)
        for samples, each in ((6, 5), (64, 3), (2, 20), (33, 7)):
            given = arguments(samples, each)
            torch.testing.assert_close(run(*given), eager(*given))
            ours, expected = both_gradients(run, eager, given)
            torch.testing.assert_close(ours, expected)
    check_products(heard)
    part = heard.reports[0].compiled[-1]
    assert len(part.call.kernels()) == 2


@pytest.mark.parametrize("length", [1, 2, 16, 33, 128])
def test_lengths_and_narrow_indices(length: int) -> None:
    eager = Tables(length=length)
    with listening() as heard:
        run = compiled(eager)
        given = arguments(index=torch.int32)
        torch.testing.assert_close(run(*given), eager(*given))
        ours, expected = both_gradients(run, eager, given)
        torch.testing.assert_close(ours, expected)
    check_products(heard)


@pytest.mark.parametrize(("samples", "each"), [(0, 5), (1, 5), (6, 0), (6, 1), (1, 1)])
@pytest.mark.parametrize("model", [Tables, Summed, Letters, Row])
def test_few(model: type[Tables], samples: int, each: int) -> None:
    eager = model()
    run = compiled(eager)
    given = arguments(samples, each)
    torch.testing.assert_close(run(*given), eager(*given))
    ours, expected = both_gradients(run, eager, given)
    torch.testing.assert_close(ours, expected)


def test_sizes_of_any_call() -> None:
    """One graph, but for sizes of 1, which torch.compile captures by themselves."""
    eager = Tables()
    run = ember.compile(eager, arguments())
    for samples, each in ((40, 9), (3, 2), (1, 5), (6, 1), (1, 1)):
        given = arguments(samples, each)
        torch.testing.assert_close(run(*given), eager(*given))
        assert samples == 1 or each == 1 or len(run.reports()) == 1
    assert {part.kind for report in run.reports() for part in report.compiled} == {"statements"}


@pytest.mark.parametrize(
    "options", [{"sparse": True}, {"padding_idx": 3}, {"scale_grad_by_freq": True}]
)
@pytest.mark.parametrize("model", [Tables, Summed, Computed])
def test_options_of_tables(model: type[Tables], options: dict[str, Any]) -> None:
    eager = model(**options)
    with listening() as heard:
        run = compiled(eager)
        given = arguments(20)
        given[0][2] = given[1][4, 1] = 3
        torch.testing.assert_close(run(*given), eager(*given))
        ours, expected = both_gradients(run, eager, given)
    for one, other in zip(ours, expected, strict=True):
        assert one.is_sparse == other.is_sparse == ("sparse" in options)
        torch.testing.assert_close(one.to_dense(), other.to_dense())
    assert "statements" in Heard(heard.reports).kinds()


class Given(nn.Module):
    """Tables and indices of the caller."""

    def forward(self, one: Tensor, table: Tensor, indices: Tensor) -> Tensor:
        return torch.einsum("bkd,bd->bk", table[indices], one)


def test_gradients_by_differences() -> None:
    draw = torch.Generator().manual_seed(3)
    one = torch.randn(4, 5, generator=draw, dtype=torch.float64, requires_grad=True)
    table = torch.randn(7, 5, generator=draw, dtype=torch.float64, requires_grad=True)
    # Some count from the end, some rows are looked up twice.
    indices = torch.tensor([[0, -1, 3], [6, 3, 3], [-7, 2, 1], [5, 5, 5]])
    run = compiled(Given())
    assert torch.autograd.gradcheck(lambda *some: run(*some, indices), (one, table), fast_mode=True)
    assert torch.autograd.gradgradcheck(
        lambda *some: run(*some, indices), (one, table), fast_mode=True
    )
    indices = indices.remainder(7)
    assert torch.autograd.gradcheck(lambda *some: run(*some, indices), (one, table), fast_mode=True)


def test_anywhere_in_memory() -> None:
    run, eager = compiled(Given()), Given()
    table, indices = torch.randn(OTHERS, 2 * LENGTH), torch.randint(OTHERS, (9, 8))
    one = torch.randn(LENGTH, 9)
    for some in (
        (one.t(), table[:, :LENGTH], indices[:, 1:4]),
        (one.t().contiguous(), table[:, ::2], indices[:, ::3]),
        (one.t(), table[:, :LENGTH].t().contiguous().t(), indices[:8].t()[:, :1].expand(8, 3)),
    ):
        own = some[0][: len(some[2])]
        torch.testing.assert_close(run(own, *some[1:]), eager(own, *some[1:]))


@pytest.mark.parametrize("model", [Tables, Summed, Letters, LettersTurned])
@pytest.mark.parametrize("which", [0, 1])
def test_index_outside(model: type[Tables], which: int) -> None:
    eager = model()
    run = compiled(eager)
    given = arguments()
    run(*given)
    given[which].view(-1)[4] = 77
    with pytest.raises((IndexError, RuntimeError)) as expected:
        eager(*given)
    with pytest.raises(expected.type, match="index 77 at position"):
        run(*given)


def test_fewer_of_one() -> None:
    """Sizes that PyTorch broadcasts or refuses, it broadcasts or refuses."""
    eager = Summed()
    run = compiled(eager)
    one, others = arguments()
    run(one, others)
    torch.testing.assert_close(run(one[:1], others), eager(one[:1], others))
    torch.testing.assert_close(run(one, others[:1]), eager(one, others[:1]))
    with pytest.raises(RuntimeError):
        eager(one[:2], others)
    with pytest.raises(RuntimeError):
        run(one[:2], others)


class Regularised(Tables):
    def forward(self, one: Tensor, others: Tensor) -> Tensor:
        rows = self.others(others)
        return torch.einsum("bd,bkd->bk", self.one(one), rows) + rows.square().sum()


def test_rows_that_are_needed() -> None:
    eager, given = Regularised(), arguments()
    with listening() as heard:
        torch.testing.assert_close(compiled(eager)(*given), eager(*given))
    (report,) = heard.reports
    assert [part.kind for part in report.compiled] == ["statements"]
    assert not report.left


class OwnNeeded(Tables):
    """Only the samples' own rows are needed again."""

    def forward(self, one: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
        own = self.one(one)
        return torch.einsum("bd,bkd->bk", own, self.others(others)), own * 2


def test_own_rows_that_are_needed() -> None:
    eager, given = OwnNeeded(), arguments()
    with listening() as heard:
        torch.testing.assert_close(compiled(eager)(*given), eager(*given))
    check_products(heard)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_types(dtype: torch.dtype) -> None:
    eager, given = Tables(dtype), arguments()
    with listening() as heard:
        torch.testing.assert_close(compiled(eager)(*given), eager(*given))
    check_products(heard)


class NotThese(Tables):
    """What looks like products and is something else."""

    def forward(self, one: Tensor, others: Tensor) -> tuple[Tensor, ...]:
        own, rows = self.one(one), self.others(others)
        return (
            torch.einsum("bd,bkd->bd", own, self.others(others)),
            torch.einsum("bd,bkd->kb", own, self.others(others)),
            torch.bmm(rows, rows.transpose(1, 2)),
            (own.unsqueeze(1) * self.others(others)).sum(1),
            (own.unsqueeze(1) * self.others(others)).sum(-1, keepdim=True),
            (own.unsqueeze(1) + self.others(others)).sum(-1),
            torch.bmm(self.others(others), own.unsqueeze(2).expand(-1, -1, 4)),
        )


def test_other_operations() -> None:
    eager, given = NotThese(), arguments()
    with listening() as heard:
        torch.testing.assert_close(compiled(eager)(*given), eager(*given))
    assert Heard(heard.reports).kinds() == {"statements"}


def test_explanation() -> None:
    text = str(ember.explain(Tables(), *arguments()))
    assert "statements: numbers from rows of self.one.weight, self.others.weight" in text


@pytest.mark.parametrize("model", [Tables, Letters, Summed, LettersTurned])
def test_export(model: type[Tables]) -> None:
    eager = model()
    sizes = {"samples": torch.export.Dim("samples", min=2), "each": torch.export.Dim("each", min=2)}
    shapes = ({0: sizes["samples"]}, {0: sizes["samples"], 1: sizes["each"]})
    program = torch.export.export(eager, arguments(), dynamic_shapes=shapes).module()
    with listening() as heard, torch.no_grad():
        run = compiled(program)
        for samples, each in ((6, 5), (9, 4)):
            given = arguments(samples, each)
            torch.testing.assert_close(run(*given), eager(*given))
    assert Heard(heard.reports).kinds() == {"statements"}
