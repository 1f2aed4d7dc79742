"""backend="ember": products of the pairs of each sample's rows that a model asks for.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
from compiled_models import Heard, check_function, compiled
from ember.torch.capture.backend import listening
from torch import Tensor, nn

COUNT, LENGTH, DENSE = 6, 11, 4

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


class Interaction(nn.Module):
    """What the spellings share: places of pairs, in every form that a model may keep them."""

    def __init__(self, count: int = COUNT, index: torch.dtype = torch.int64) -> None:
        super().__init__()
        pairs = torch.tril_indices(count, count, -1)
        self.pairs: Tensor
        self.flat: Tensor
        self.mask: Tensor
        self.register_buffer("pairs", pairs.to(index))
        self.register_buffer("flat", (pairs[0] * count + pairs[1]).to(index))
        self.register_buffer("mask", torch.ones(count, count).tril(-1).bool())


class Rows(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.bmm(rows, rows.transpose(1, 2))
        return torch.cat([dense, products[:, self.pairs[0], self.pairs[1]]], 1)


class Alone(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = rows @ rows.mT
        one, other = self.pairs
        return products[:, one, other] * 2


class Lists(Interaction):
    """As in Meta's DLRM."""

    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.bmm(rows, torch.transpose(rows, 1, 2))
        _, count, _ = products.shape
        one = torch.tensor([i for i in range(count) for j in range(i)])
        other = torch.tensor([j for i in range(count) for j in range(i)])
        return torch.cat([dense, products[:, one, other]], dim=1)


class Literal(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.matmul(rows, rows.permute(0, 2, 1))
        one = [i for i in range(COUNT) for j in range(i)]
        other = [j for i in range(COUNT) for j in range(i)]
        return torch.cat([products[:, one, other], dense, dense * 2], dim=-1)


class Made(Interaction):
    """Places that the forward makes, negative ones among them."""

    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.einsum("bnd, bmd -> bnm", rows, rows)
        one, other = torch.triu_indices(COUNT, COUNT, 1)
        return torch.cat([dense, products[..., one - COUNT, other], dense], 1)


class Flat(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.bmm(rows, rows.transpose(-1, -2)).flatten(1)
        return torch.cat([products.index_select(1, self.flat), dense], 1)


class FlatKey(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.bmm(rows, rows.transpose(2, 1)).view(len(rows), -1)
        return torch.cat([dense, products[:, self.flat]], 1)


class FlatMade(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.bmm(rows, rows.transpose(2, 1)).reshape(len(rows), -1)
        return torch.cat([dense, products[:, torch.tensor([3, -2, 7, 7])]], 1)


class Apart(Interaction):
    """Places that are no rows of one matrix; some products twice, some of a row with itself."""

    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.bmm(rows, rows.mT)
        return torch.cat([dense, products[:, self.flat % COUNT, self.flat // COUNT % 2]], 1)


SPELLINGS = [Rows, Alone, Lists, Literal, Made, Flat, FlatKey, FlatMade, Apart]


class Masked(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        return torch.bmm(rows, rows.mT)[:, self.mask] + 1


class MaskMade(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        mask = torch.ones(COUNT, COUNT, dtype=torch.bool).triu(1)
        return torch.cat([torch.bmm(rows, rows.mT)[:, mask], dense], 1)


def arguments(
    samples: int, length: int = LENGTH, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor]:
    draw = torch.Generator().manual_seed(samples)
    rows = torch.randn(samples, COUNT, length, generator=draw, dtype=torch.float64)
    return rows.to(dtype), torch.randn(samples, DENSE, generator=draw).to(dtype)


def check_pairs(heard: list[Any]) -> None:
    """One graph, with the products in one kernel, and nothing else that was looked at."""
    (report,) = heard
    assert [part.kind for part in report.compiled] == ["statements"]
    assert not report.left


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("model", SPELLINGS)
def test_values(model: type[Interaction], dtype: torch.dtype) -> None:
    run, eager = compiled(model()), model()
    with listening() as heard:
        for samples in (5, 64, 2, 33):
            given = arguments(samples, dtype=dtype)
            torch.testing.assert_close(run(*given), eager(*given))
    check_pairs(heard.reports)
    (part,) = heard.reports[0].compiled
    assert len(part.call.kernels()) == 1


@pytest.mark.parametrize("model", [Masked, MaskMade])
def test_masks(model: type[Interaction]) -> None:
    eager = model()
    run = ember.compile(eager, arguments(5))
    for samples in (64, 2, 33):
        given = arguments(samples)
        torch.testing.assert_close(run(*given), eager(*given))
    check_pairs(run.reports())
    with torch.no_grad():
        eager.mask[0] = ~eager.mask[0]
    torch.testing.assert_close(run(*given), eager(*given))


@pytest.mark.parametrize("model", [Rows, Flat, Apart])
def test_places_of_32_bits(model: type[Interaction]) -> None:
    eager = model(index=torch.int32)
    with listening() as heard:
        run = compiled(eager)
        given = arguments(7)
        torch.testing.assert_close(run(*given), eager(*given))
    check_pairs(heard.reports)


@pytest.mark.parametrize(("count", "length"), [(2, 2), (3, 3), (5, 16), (27, 33), (9, 100)])
def test_sizes(count: int, length: int) -> None:
    eager = Rows(count)
    with listening() as heard:
        run = compiled(eager)
        for samples in (7, 12):
            rows, dense = torch.randn(samples, count, length), torch.randn(samples, length)
            torch.testing.assert_close(run(rows, dense), eager(rows, dense), rtol=1e-4, atol=1e-5)
    check_pairs(heard.reports)


@pytest.mark.parametrize("samples", [0, 1])
def test_few_samples(samples: int) -> None:
    eager = Rows()
    run = compiled(eager)
    rows, dense = arguments(samples)
    rows.requires_grad_()
    result = run(rows, dense)
    torch.testing.assert_close(result, eager(rows, dense))
    (gradient,) = torch.autograd.grad(result.sum(), rows)
    (expected,) = torch.autograd.grad(eager(rows, dense).sum(), rows)
    torch.testing.assert_close(gradient, expected)


def test_rows_anywhere_in_memory() -> None:
    eager = Rows()
    run = compiled(eager)
    rows, dense = torch.randn(2 * LENGTH, COUNT + 3, 9), torch.randn(DENSE, 9).t()
    for given in (rows.permute(2, 1, 0)[:, 1:-2, ::2], rows.permute(2, 1, 0)[:, ::2, :LENGTH]):
        given = given[:, :COUNT]
        if given.shape[1] < COUNT:
            given = given.repeat(1, 2, 1)[:, :COUNT]
        torch.testing.assert_close(run(given, dense), eager(given, dense))
    strided = torch.randn(9, COUNT, 2 * LENGTH)[:, :, :LENGTH]
    torch.testing.assert_close(run(strided, dense), eager(strided, dense))


@pytest.mark.parametrize("model", SPELLINGS)
def test_gradients(model: type[Interaction]) -> None:
    eager = model()
    with listening() as heard:
        run = compiled(eager)
        given = [one.requires_grad_() for one in arguments(3, dtype=torch.float64)]
        assert torch.autograd.gradcheck(run, given, fast_mode=True)
        assert torch.autograd.gradgradcheck(run, given, fast_mode=True)
    check_pairs(heard.reports)
    (part,) = heard.reports[0].compiled
    assert len(part.call.kernels()) == 2


@pytest.mark.parametrize("needs", [0, 1])
def test_gradients_of_some(needs: int) -> None:
    """Of one input alone, and a gradient that is not contiguous."""
    eager = Literal()
    run = compiled(eager)
    given = list(arguments(5))
    given[needs].requires_grad_()
    factor = torch.randn(eager(*given).shape[::-1]).t()
    found, expected = (
        torch.autograd.grad((one(*given) * factor).sum(), given[needs]) for one in (run, eager)
    )
    torch.testing.assert_close(found, expected)


def test_changed_places() -> None:
    """Places are read at each call."""
    eager = Rows()
    run = compiled(eager)
    given = arguments(4)
    run(*given)
    eager.pairs.copy_(eager.pairs.flip(1) - 1)
    assert (eager.pairs < 0).any()
    torch.testing.assert_close(run(*given), eager(*given))
    rows = given[0].requires_grad_()
    found, expected = (torch.autograd.grad(one(*given).sum(), rows) for one in (run, eager))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("model", [Rows, Apart, Flat, FlatKey])
@pytest.mark.parametrize("place", [COUNT * COUNT, -COUNT * COUNT - 1, 1 << 40])
def test_places_outside(model: type[Interaction], place: int) -> None:
    eager = model()
    if model is Apart:
        # Its places come from numbers that are cut off.
        eager = Rows()
    run = compiled(eager)
    given = arguments(4)
    run(*given)
    eager.pairs[1, 3] = eager.flat[3] = place
    with pytest.raises((IndexError, RuntimeError)) as expected:
        eager(*given)
    with pytest.raises(expected.type):
        run(*given)


class Kept(Interaction):
    def forward(self, rows: Tensor, dense: Tensor) -> tuple[Tensor, Tensor]:
        products = torch.bmm(rows, rows.mT)
        return products[:, self.pairs[0], self.pairs[1]], products


def test_products_that_are_needed() -> None:
    eager, given = Kept(), arguments(4)
    with listening() as heard:
        torch.testing.assert_close(compiled(eager)(*given), eager(*given))
    (report,) = heard.reports
    assert not report.compiled


class Gathered(Interaction):
    """Places of each sample, of products of rows with others."""

    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = torch.einsum("bid,bjd->bij", rows, rows.flip(1) + 1).flatten(-2)
        places = self.flat.unsqueeze(0).expand(len(rows), -1)
        return torch.gather(products, -1, places).sigmoid()


class Turned(Interaction):
    """Views of the products, and pairs of pairs."""

    def forward(self, rows: Tensor, dense: Tensor) -> Tensor:
        products = (rows @ rows.transpose(-1, -2)).transpose(1, 2).unsqueeze(1)
        both = self.pairs.view(2, 3, -1)
        return torch.cat([dense, products[:, 0, both[0], both[1]].flatten(1)], -1)


@pytest.mark.parametrize("model", [Gathered, Turned])
@pytest.mark.parametrize("dynamic", [False, True])
def test_other_spellings(model: type[Interaction], dynamic: bool) -> None:
    run, eager = compiled(model(), dynamic=dynamic), model()
    outcomes = []
    with listening() as heard:
        for each in (run, eager):
            given = [one.requires_grad_() for one in arguments(300)]
            result = each(*given)
            result.square().sum().backward()
            outcomes.append((result, given[0].grad, given[1].grad))
    torch.testing.assert_close(*outcomes, rtol=1e-4, atol=1e-4)
    (part,) = heard.reports[0].compiled
    assert len(part.call.kernels()) == 2


def test_few_rows_for_each_gathered_matrix() -> None:
    """Products with matrices that are looked up, none of which is written to memory."""

    def function(tables: Tensor, index: Tensor, rows: Tensor) -> Tensor:
        return torch.relu(rows @ tables[index])

    draw = torch.Generator().manual_seed(0)
    tables = torch.randn(7, 12, 16, generator=draw)
    index = torch.randint(7, (40,), generator=draw)
    for queries in (1, 3, 24, 30):
        torch._dynamo.reset()
        rows = torch.randn(40, queries, 12, generator=draw)
        run = compiled(function, dynamic=False)
        outcomes = []
        with listening() as heard:
            for each in (run, function):
                given = [one.clone().requires_grad_() for one in (tables, rows)]
                result = each(given[0], index, given[1])
                result.square().sum().backward()
                outcomes.append((result, given[0].grad, given[1].grad))
        torch.testing.assert_close(*outcomes, rtol=1e-4, atol=1e-4)
        is_fused = "statements" in Heard(heard.reports).kinds()
        assert is_fused == (queries <= 24)


class Others(Interaction):
    """What looks like pairs and is something else."""

    def forward(self, rows: Tensor, dense: Tensor) -> tuple[Tensor, ...]:
        one, other = self.pairs
        columns = torch.bmm(rows.mT, rows)
        shifted = torch.bmm(rows, (rows + 1).mT)
        return (
            columns[:, one, other],
            shifted[:, one, other],
            torch.bmm(rows, rows.mT)[one, other],
            torch.bmm(rows, rows.mT)[:, one],
            torch.einsum("bnd,cmd->bnm", rows, rows)[:, one, other],
            torch.einsum("bnd,bne->bde", rows, rows)[:, one, other],
            torch.bmm(rows, rows.mT)[:, one.view(3, -1), other.view(3, -1)],
            torch.bmm(rows, rows.mT)[:, one[:1], other],
        )


def test_other_operations() -> None:
    eager, given = Others(), arguments(8)
    torch.testing.assert_close(compiled(eager)(*given), eager(*given))


def test_half_types() -> None:
    eager, given = Rows(), arguments(4, dtype=torch.bfloat16)
    with listening() as heard:
        torch.testing.assert_close(compiled(eager)(*given), eager(*given))
    (report,) = heard.reports
    assert not report.compiled


def test_autocast() -> None:
    eager, given = Rows(), arguments(4)
    run = compiled(eager)
    for _ in range(2):
        with torch.autocast("cpu", torch.bfloat16):
            torch.testing.assert_close(run(*given), eager(*given))
        torch.testing.assert_close(run(*given), eager(*given))


def test_all_pairs_of_long_rows() -> None:
    class All(nn.Module):
        def forward(self, rows: Tensor) -> Tensor:
            one = torch.arange(COUNT).repeat_interleave(COUNT)
            return torch.bmm(rows, rows.mT)[:, one, one.flip(0)]

    given = torch.randn(3, COUNT, 200)
    with listening() as heard:
        torch.testing.assert_close(compiled(All())(given), All()(given))
    (report,) = heard.reports
    assert not report.compiled


def test_pairs_that_are_written_out() -> None:
    """Each is a reduction of its own in one statement, whose loops have very many orders."""

    def function(table: Tensor, places: Tensor) -> Tensor:
        rows = table[places].unbind(1)
        pairs = [(one, other) for one in range(8) for other in range(one)]
        return sum((rows[one] * rows[other]).sum(-1) for one, other in pairs)  # type: ignore[return-value]

    draw = torch.Generator().manual_seed(4)
    table = torch.randn(50, LENGTH, generator=draw)
    heard = check_function(
        function, table, torch.randint(50, (9, 8), generator=draw), rtol=1e-4, atol=1e-4
    )
    assert heard.covered("statements") > 28 * 3


@pytest.mark.parametrize("options", [{"rest": "inductor"}, {"excluded": ("statements",)}])
def test_options(options: dict[str, Any]) -> None:
    eager, given = Rows(), arguments(4)
    with listening() as heard:
        run: Callable[..., Tensor] = compiled(eager, **options)
        torch.testing.assert_close(run(*given), eager(*given))
    kinds = Heard(heard.reports).kinds()
    assert kinds == (set() if "excluded" in options else {"statements"})


def test_explanation() -> None:
    text = str(ember.explain(Rows(), *arguments(4)))
    assert "statements: " in text


@pytest.mark.parametrize("model", [Rows, Lists, Flat, Made])
def test_export(model: type[Interaction]) -> None:
    eager = model()
    batch = torch.export.Dim("batch", min=2)
    program = torch.export.export(
        eager, arguments(4), dynamic_shapes=({0: batch}, {0: batch})
    ).module()
    with listening() as heard:
        run = compiled(program)
        for samples in (4, 9):
            given = arguments(samples)
            torch.testing.assert_close(run(*given), eager(*given))
    assert Heard(heard.reports).kinds() == {"statements"}
