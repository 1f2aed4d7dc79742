"""ember.explain: what it says of kernels, of what is left, and of graph breaks.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import ember
import pytest
import torch
from ember.torch.report.explanation import Break, Explanation, Graph, LeftPart
from torch import Tensor, nn

ROWS, LENGTH, NODES, EDGES = 30, 8, 9, 25


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


class Model(nn.Module):
    """A bag, an aggregation with a kernel and one without, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(ROWS, LENGTH, mode="sum")
        self.linear = nn.Linear(LENGTH, LENGTH)

    def forward(self, indices: Tensor, x: Tensor, edges: Tensor) -> Tensor:
        sums = torch.zeros(NODES, LENGTH).index_add(0, edges[1], x[edges[0]])
        column = torch.zeros(NODES, LENGTH).scatter_add(0, edges[0, :NODES].view(-1, 1), x)
        return self.linear(self.bag(indices)).sum() + sums.sum() + column.sum()


def arguments() -> tuple[Tensor, Tensor, Tensor]:
    return (
        torch.randint(0, ROWS, (4, 3)),
        torch.randn(NODES, LENGTH),
        torch.randint(0, NODES, (2, EDGES)),
    )


def test_what_is_compiled_and_left() -> None:
    found = ember.explain(Model(), *arguments())
    (graph,) = found.graphs
    assert sorted(part.kind for part in found.compiled) == ["bag", "statements"]
    for part in found.compiled:
        assert part.libraries
        assert all(library.is_file() for library in part.libraries)
        assert part.operations
        assert not part.problem
    sums = next(part for part in found.compiled if part.kind == "statements")
    assert Path(__file__).name in sums.place
    assert sums.place.endswith(
        "sums = torch.zeros(NODES, LENGTH).index_add(0, edges[1], x[edges[0]])"
    )
    (left,) = found.left
    assert "not as wide as its rows" in left.reason
    assert "column = " in left.place
    assert graph.others["linear"] == 1
    assert "scatter_add" not in graph.others
    covered = sum(len(part.operations) for part in graph.compiled)
    assert graph.operations >= covered + len(graph.left) + sum(graph.others.values())
    assert not found.breaks


def test_text() -> None:
    found = ember.explain(Model(), arguments())
    text = str(found)
    first = text.splitlines()[0]
    assert first.startswith(f"{found.operations} operations in 1 graph; ")
    assert first.endswith("in 2 kernels; 1 embedding operation left to PyTorch; 0 graph breaks")
    for part in found.compiled:
        assert f"  {part.kind}: {part.title} (" in text
        assert str(part.libraries[0]) in text
    assert f"left to PyTorch: {found.left[0].operation}: {found.left[0].reason}" in text
    assert "by PyTorch: " in text


def test_graph_break() -> None:
    bag = nn.EmbeddingBag(ROWS, LENGTH)

    def function(indices: Tensor) -> Tensor:
        rows = bag(indices)
        if float(rows.detach().sum()) > 0:
            return bag(indices[:2])
        return bag(indices[1:])

    found = ember.explain(function, torch.randint(0, ROWS, (4, 3)))
    assert len(found.graphs) == 2
    assert [part.kind for part in found.compiled] == ["bag", "bag"]
    assert found.breaks
    assert "if float(rows.detach().sum()) > 0" in found.breaks[0].place
    assert found.breaks[0].reason
    assert f"graph break at {found.breaks[0].place}" in str(found)
    assert str(found).splitlines()[0].endswith(f"{len(found.breaks)} graph break")


def test_model_without_embeddings() -> None:
    found = ember.explain(nn.Linear(3, 3), torch.rand(2, 3))
    assert not found.compiled
    assert not found.left
    assert "1 linear" in str(found)


def test_runs_under_the_callers_gradient_mode() -> None:
    seen = []
    bag = nn.EmbeddingBag(ROWS, LENGTH)

    def function(indices: Tensor) -> Tensor:
        seen.append(torch.is_grad_enabled())
        result: Tensor = bag(indices)
        return result

    indices = torch.zeros(2, 3, dtype=torch.int64)
    ember.explain(function, indices)
    with torch.no_grad():
        ember.explain(function, indices)
    assert seen == [True, False]


def test_compiled_models_and_again() -> None:
    """Neither what torch.compile keeps nor how often a model was explained changes the answer."""
    model = Model()
    compiled = torch.compile(model, backend="ember")
    compiled(*arguments())
    texts = {str(ember.explain(compiled, *arguments())) for _ in range(3)}
    texts |= {str(ember.explain(model, *arguments())) for _ in range(9)}
    assert len(texts) == 1
    torch.testing.assert_close(compiled(*(given := arguments())), model(*given))

    @torch.compile(backend="ember")
    def function(indices: Tensor) -> Tensor:
        result: Tensor = model.bag(indices)
        return result

    assert len(ember.explain(function, arguments()[0]).compiled) == 1


def test_tables_side_by_side() -> None:
    bags = [nn.EmbeddingBag(ROWS, LENGTH, mode="sum") for _ in range(3)]

    def function(indices: Tensor) -> Tensor:
        return torch.cat([bag(indices) for bag in bags], 1)

    (part,) = ember.explain(function, torch.randint(0, ROWS, (4, 3))).compiled
    assert len(part.operations) == 4
    # One for all tables, and one for all their gradients.
    assert len(part.libraries) == 2


def test_options() -> None:
    found = ember.explain(Model(), *arguments(), options={"excluded": ["bag"]})
    assert [part.kind for part in found.compiled] == ["statements"]
    assert "bag is excluded by the options" in [left.reason for left in found.left]
    with pytest.raises(ember.ArgumentError, match="no option 'exclude'"):
        ember.explain(Model(), *arguments(), options={"exclude": ["bag"]})


def test_keywords() -> None:
    model = Model()
    indices, x, edges = arguments()
    assert len(ember.explain(model, indices, edges=edges, x=x).compiled) == 2


def test_kernel_that_cannot_be_built(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = tmp_path / "emberc"
    compiler.write_text("#!/bin/sh\necho no disk >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("EMBER_BIN_DIR", str(tmp_path))
    found = ember.explain(nn.EmbeddingBag(ROWS, LENGTH), torch.zeros(2, 3, dtype=torch.int64))
    (part,) = found.graphs[0].compiled
    assert part.problem == "no disk"
    assert not part.libraries
    assert not found.compiled
    assert "left to PyTorch: no disk" in str(found)
    assert "1 embedding operation left" in str(found)


def test_tensors_without_a_kernel() -> None:
    def function(x: Tensor, source: Tensor) -> Tensor:
        return torch.zeros_like(x).index_add(0, source, x[source])

    found = ember.explain(function, torch.randn(0, LENGTH), torch.zeros(0, dtype=torch.int64))
    (part,) = found.graphs[0].compiled
    assert part.problem == "there is no kernel for tensors as the arguments were"


def test_errors_of_the_model() -> None:
    with pytest.raises(RuntimeError, match=f"index {ROWS} "):
        ember.explain(nn.EmbeddingBag(ROWS, LENGTH), torch.full((2, 3), ROWS))


def test_calls_can_be_shown() -> None:
    with torch.no_grad():
        found = ember.explain(nn.EmbeddingBag(ROWS, LENGTH), torch.zeros(2, 3, dtype=torch.int64))
    assert isinstance(found, Explanation)
    assert "slc." in ember.show(found.compiled[0].call)


def without_loops(x: Tensor, edges: Tensor) -> Tensor:
    """Sums over edges but loops: how many there are depends on elements."""
    kept = edges[:, edges[0] != edges[1]]
    return torch.zeros(NODES, LENGTH).index_add(0, kept[1], x[kept[0]])


def test_what_ember_compile_captures_and_torch_compile_does_not() -> None:
    _, *given = arguments()
    compiled = ember.compile(without_loops)
    compiled(*given)
    for model in (without_loops, compiled):
        found = ember.explain(model, *given)
        assert (len(found.graphs), len(found.breaks)) == (len(compiled.reports()), 0) == (1, 0)
        assert {part.kind for part in found.compiled} == {"selection", "statements"}
        assert found.way == "ember.compile"
        assert found.other is not None
        assert found.other.breaks > 0
        said = f"{found.other.graphs} graphs and {found.other.breaks} graph break"
        assert f"this is by ember.compile; by {found.other.name}: {said}" in str(found)
        assert found.other.name.startswith("torch.compile(")
    alone = ember.explain(torch.compile(without_loops, backend="ember"), *given)
    assert (len(alone.graphs), len(alone.breaks)) == (found.other.graphs, found.other.breaks)
    assert alone.way == found.other.name
    assert alone.other is not None
    assert (alone.other.name, alone.other.graphs, alone.other.breaks) == ("ember.compile", 1, 0)
    assert ember.explain(Model(), *arguments()).other is None


def test_options_of_what_ember_compiled() -> None:
    compiled = ember.compile(Model(), excluded=("bag",))
    found = ember.explain(compiled, *arguments())
    assert [part.kind for part in found.compiled] == ["statements"]
    assert len(ember.explain(compiled, *arguments(), options={}).compiled) == 2


def test_lookups_that_are_left_are_counted() -> None:
    table = nn.Embedding(ROWS, LENGTH)

    def function(indices: Tensor) -> Tensor:
        rows = table(indices)
        return rows.sum(1) + rows.square().cumsum(1).sum(1)

    found = ember.explain(function, torch.randint(0, ROWS, (4, 3)))
    reasons = {left.operation: (left.as_fast, left.reason) for left in found.left}
    assert len(reasons) == 2
    assert sorted(as_fast for as_fast, _ in reasons.values()) == [False, True]
    assert "2 embedding operations left to PyTorch, 1 of them as fast there" in str(found)
    assert "embedding" not in found.graphs[0].others


@pytest.mark.parametrize(
    "make",
    [
        lambda table: nn.EmbeddingBag.from_pretrained(table, freeze=False, mode="max"),
        lambda table: nn.Sequential(
            nn.EmbeddingBag.from_pretrained(table, freeze=False, mode="max")
        ),
        lambda table: lambda indices: nn.functional.embedding(indices, table).amax(1),
    ],
    ids=["module", "within a model", "reduced lookups"],
)
def test_maxima_that_need_gradients(make: Any) -> None:
    table = torch.randn(ROWS, LENGTH, requires_grad=True)
    model, indices = make(table), torch.randint(0, ROWS, (400, 10))
    (part,) = ember.explain(model, indices).graphs[0].compiled
    assert not part.libraries
    assert "a maximum whose gradient is wanted" in part.problem
    with pytest.warns(RuntimeWarning, match=r"left to PyTorch: .* maximum whose"):
        ember.compile(model, (indices,))
    compiled = ember.compile(model)
    compiled(indices).sum().backward()
    assert "a maximum whose gradient is wanted" in str(compiled.reports())
    with torch.no_grad():
        (part,) = ember.explain(model, indices).compiled
        assert part.libraries
        compiled(indices)
    assert str(compiled.kernels()[0].path) in str(compiled.reports())
    assert "maximum whose" not in str(compiled.reports()[-1])


def test_kernels_without_a_gradient() -> None:
    """The first call builds a kernel that no later call with a gradient is computed by."""
    _, x, edges = arguments()
    x.requires_grad_()

    compiled = ember.compile(lambda x, edges: (x[edges[0]] * x[edges[1]]).sum(-1))
    compiled(x, edges)
    (part,) = compiled.reports()[0].graph().compiled
    assert part.libraries
    assert not part.problem
    differentiates = compiled.reports()[0].compiled[0].call.differentiates([True] * 2)
    assert bool(part.note) != differentiates
    assert part.note in str(compiled.reports())


class Rows(HTMLParser):
    """The texts of a table's rows, and whether all that was begun was ended."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "tr" in self.open:
            self.rows[-1][-1] += data


def test_one_report_everywhere() -> None:
    """What explain returns, and compiled models' reports print the same, as text and as HTML."""
    model = Model()
    compiled = ember.compile(model)
    assert str(compiled.reports()) == "nothing was compiled yet"
    assert "nothing was compiled yet" in compiled.reports()._repr_html_()
    compiled(*arguments())
    found = ember.explain(model, *arguments())
    reports = compiled.reports()
    assert str(found) == repr(found) == str(reports) == repr(reports) == repr(reports[0])
    assert found._repr_html_() == reports._repr_html_() == reports[0]._repr_html_()
    page = Rows(found._repr_html_())
    assert not page.open
    assert [row[0] for row in page.rows] == [
        *(part.kind for part in found.graphs[0].compiled),
        "left to PyTorch",
        "by PyTorch",
    ]
    for part, row in zip(found.graphs[0].compiled, page.rows, strict=False):
        for said in (part.title, part.place, str(part.libraries[0])):
            assert said in row[1]
    assert str(found).splitlines()[0] in page.text


def test_html_is_escaped() -> None:
    graph = Graph(1, (), (LeftPart("less", "a < b & <b>c</b>", "f.py:1, in <lambda>: a < b"),), {})
    shown = Explanation((graph,), (Break("<i>why</i>", "<module>"),))._repr_html_()
    page = Rows(shown)
    assert page.rows[0] == ["left to PyTorch", "less: a < b & <b>c</b>f.py:1, in <lambda>: a < b"]
    assert page.rows[1][1] == "<i>why</i>"
    assert "graph break at <module>" in page.text
    assert not page.open
    assert "b" not in re.findall(r"<(\w+)", shown)


def test_reports_of_a_bag() -> None:
    bag = nn.EmbeddingBag(ROWS, LENGTH, mode="sum")
    compiled = ember.compile(bag)
    assert not compiled.reports()
    compiled(torch.randint(0, ROWS, (4, 3)))
    (report,) = compiled.reports()
    (part,) = report.graph().compiled
    assert part.libraries == tuple(library.path for library in compiled.kernels())
    assert "1 operation in 1 graph; 1 of them in 1 kernel" in str(report)


def attention(x: Tensor, scores: Tensor, source: Tensor, target: Tensor) -> Tensor:
    most = scores.new_full((len(x),), -torch.inf).scatter_reduce(0, target, scores, "amax")
    powers = (scores - most[target]).exp()
    sums = scores.new_zeros(len(x)).index_add(0, target, powers)
    weights = powers / sums[target]
    return torch.zeros_like(x).index_add(0, target, weights.view(-1, 1) * x[source])


def test_rules_and_costs() -> None:
    source, target = torch.randint(0, NODES, (2, EDGES))
    found = ember.explain(attention, torch.randn(NODES, LENGTH), torch.randn(EDGES), source, target)
    (part,) = found.compiled
    rules = [one for one in part.decisions if one.startswith("cin-")]
    costs = [one for one in part.decisions if one.startswith("cost: ")]
    assert len(rules) + len(costs) == len(part.decisions)
    # What is read several times is stored, what is read once is not.
    assert any(re.fullmatch(r"cin-fuse: \w+ stays in memory: .*", one) for one in rules)
    assert any(re.fullmatch(r"cin-fuse: \w+ is computed where it is read", one) for one in rules)
    assert any(re.fullmatch(r"cin-schedule: y has loops over i\d, i\d", one) for one in rules)
    assert any("elements of messages are combined as edges come" in one for one in costs)
    assert {f"    {one}" for one in part.decisions} <= set(str(found).splitlines())


@pytest.mark.parametrize(
    ("lookups", "expected"),
    [
        (1, ["16384 rows are looked up", "4194304 bytes of a table are looked up in"]),
        (2, ["32768 elements of 2 lookups are added"]),
        (3, ["16384 elements of 3 lookups are added"]),
    ],
)
def test_costs_of_rows(lookups: int, expected: list[str]) -> None:
    table = torch.randn(20_000, 64)
    places = torch.randint(0, len(table), (lookups, 20_000))
    found = ember.explain(lambda: sum(table[one] for one in places.unbind()))
    (part,) = found.compiled
    assert part.kind == "rows"
    for one in expected:
        assert f"cost: fewer than {one} by PyTorch as fast" in part.decisions


def test_rules_of_what_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ember.torch.calls.statement_call.is_worth_grouping", lambda *_: True)
    source, target = torch.randint(0, NODES, (2, EDGES))
    arguments = torch.randn(NODES, LENGTH), torch.randn(EDGES), source, target
    compiled = ember.compile(attention, arguments)
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(compiled(*arguments), attention(*arguments))
    parts = [part for report in compiled.reports() for part in report.graph().compiled]
    assert any(
        re.fullmatch(r"cin-group-scatters: y is reduced in groups of x\d", one)
        for part in parts
        for one in part.decisions
    )


def test_levels_ahead_of_the_program() -> None:
    source, target = torch.randint(0, NODES, (2, EDGES))
    found = ember.explain(attention, torch.randn(NODES, LENGTH), torch.randn(EDGES), source, target)
    (part,) = found.compiled
    operators = ember.show(part.call, "aten")
    for name in ("index", "exp", "div", "index_add", "scatter_reduce"):
        assert f"torch.ops.aten.{name}." in operators
    assert "= None" not in operators
    statements = ember.show(part.call, "statements").splitlines()
    assert statements[-1].startswith("y[")
    assert any("max=" in line for line in statements)
    assert all("; " not in line for line in statements)
    with pytest.raises(ember.ArgumentError, match="no level 'aten'"):
        ember.show(part.call.kernels(), "aten")  # type: ignore[attr-defined]
