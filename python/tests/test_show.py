"""Kernels as text at every level, and the page that shows all levels side by side.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import ember
import pytest
import torch
from ember.__main__ import main
from ember.bag_programs import BagShape, bag_program
from ember.inspection.levels import LEVELS, Source
from ember.inspection.listing import read_listing, split_location
from ember.inspection.page import page_of

PROGRAM = bag_program(BagShape(48))
ROOT = Path(__file__).resolve().parents[2]
# What is in a level and in none of those before it.
MARKS = {
    "col": "embed.bag sum",
    "program": "embed.bag sum",
    "embed": "embed.bag sum",
    "cin": "embed.bag sum",
    # What is no statement stays as it is.
    "sam": "embed.bag sum",
    "scf": "scf.for",
    "loops": "scf.for",
    "slc": "slc.mem_str",
    "slcv": "slcv.vec_mem_str",
    "dlc": "dlc.program",
    "ring": "ring.acquire",
    "tmu": "tmu.set_mem_str",
    "tmu-config": '"programs": [',
    "recoupled": "vector.load",
    "llvm": "define ",
    "native": "define ",
    "assembly": ".globl",
    "asm": ".globl",
}


def compiled_bag(*lengths: int) -> ember.Kernel:
    """A kernel that has built one for each embedding length."""
    bags = torch.nn.ModuleList(torch.nn.EmbeddingBag(9, length, mode="sum") for length in lengths)

    def model(indices: torch.Tensor, offsets: torch.Tensor) -> list[torch.Tensor]:
        return [bag(indices, offsets) for bag in bags]

    with torch.no_grad():
        return ember.compile(model, (torch.tensor([1, 2]), torch.tensor([0, 1])))


@pytest.mark.parametrize("level", MARKS)
def test_a_kernel_shows_itself_at_every_level(level: str) -> None:
    text = ember.show(ember.load_program(PROGRAM, ember.Options()), level)
    assert MARKS[level] in text
    assert " loc(" not in text
    assert ember.show(PROGRAM, level) == text


def test_every_level_is_tried() -> None:
    assert set(MARKS) == {name for level in LEVELS for name in (level.name, *level.aliases)}


def test_what_is_shown_is_what_runs() -> None:
    options = ember.Options(target="dae-threads", opt_level=4, vector_length=8)
    library = ember.load_program(PROGRAM, options)
    assert (library.program, library.options) == (PROGRAM, options)
    assert "vector<8>" in ember.show(library, "slcv")
    assert "ember_dae_run" in ember.show(library, "llvm")
    assert "vector<16>" not in ember.show(PROGRAM, "slcv", options=options)


def test_ember_compile_and_its_parts() -> None:
    kernel = compiled_bag(8)
    assert "memref<?x8xf32>" in ember.show(kernel)
    assert ember.show(kernel.kernels()[0]) == ember.show(kernel) == ember.show(kernel, "slc")


def test_several_kernels_are_chosen_from() -> None:
    kernel = compiled_bag(8, 16)
    with pytest.raises(ember.ArgumentError, match=r"0: .*x8xf32.*; 1: .*x16xf32"):
        ember.show(kernel)
    assert "memref<?x16xf32>" in ember.show(kernel, which=1)
    assert ember.show(kernel, which="x16xf32") == ember.show(kernel, which=1)
    for which, message in (
        (2, "no kernel 2"),
        (-1, "no kernel -1"),
        (True, "number or words"),
        ("length=9", "no kernel is called"),
        ("f32", "several kernels are called"),
    ):
        with pytest.raises(ember.ArgumentError, match=message):
            ember.show(kernel, which=which)


def test_kernels_of_torch_compile_are_among_the_libraries() -> None:
    torch._dynamo.reset()
    # Nobody else has rows of this length.
    module = torch.nn.EmbeddingBag(9, 1237, mode="sum")
    compiled = torch.compile(module, backend="ember", options={"raises": True})
    with torch.no_grad():
        compiled(torch.tensor([1, 2]), torch.tensor([0, 1]))
    torch._dynamo.reset()
    assert "memref<?x1237xf32>" in ember.show(ember.libraries(), which="?x1237xf32")
    with pytest.raises(ember.ArgumentError, match=r"\?x1237xf32"):
        ember.show(ember.libraries(), which="no kernel has this")
    with pytest.raises(ember.ArgumentError, match="cannot show a list"):
        ember.show([*ember.libraries(), "text"])


def test_kernels_with_many_parameters_are_described_in_a_few_words() -> None:
    module = torch.nn.ModuleList(torch.nn.EmbeddingBag(9, 21, mode="sum") for _ in range(9))
    arguments = (torch.tensor([1, 2]), torch.tensor([0, 1]))
    with torch.no_grad():
        kernel = ember.compile(
            lambda *bags: torch.cat([bag(*bags) for bag in module], 1), arguments
        )
    with pytest.raises(ember.ArgumentError) as error:
        ember.show(kernel, which="nothing")
    label = re.search(r"0: \w+\((.*?)\)", str(error.value))
    assert label
    named = label[1].split(", ")
    assert len(named) == 8
    parameters = len(kernel.kernels()[0].entry("kernel").parameters)
    assert named[-2:] == [f"{parameters - 7} more", "y ?x?xf32"]


def test_an_unknown_level_lists_those_there_are() -> None:
    with pytest.raises(ember.ArgumentError) as error:
        ember.show(PROGRAM, "gpu")
    assert all(name in str(error.value) for name in MARKS)


def test_what_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ember.ArgumentError, match="cannot show a int"):
        ember.show(3)
    with pytest.raises(ember.ArgumentError, match="which has nothing to choose"):
        ember.show(PROGRAM, which=0)
    library = ember.load_program(PROGRAM, ember.Options())
    with pytest.raises(ember.ArgumentError, match="options has nothing to choose"):
        ember.show(library, options=ember.Options())
    with pytest.raises(ember.ArgumentError, match="was loaded from its file"):
        ember.show(ember.Library(library.path))
    with pytest.raises(ember.CompileError, match="expected"):
        ember.show("func.func @f() {", "scf")
    assert ember.show("func.func @f() {", "program") == "func.func @f() {"
    with pytest.raises(ember.ArgumentError, match="cannot write the page"):
        ember.show_page(library, tmp_path / "none" / "page.html")


class Page(HTMLParser):
    """The columns of a page: lines with their side, and values with their streams."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.column = ""
        self.lines: dict[str, list[str]] = {}
        self.sides: dict[str, list[str]] = {}
        # Of each line, the streams of its values, in order.
        self.streams: dict[str, list[list[str | None]]] = {}
        # Of each column, what stands behind lines, by their number, and the names of parameters.
        self.remarks: dict[str, dict[int, str]] = {}
        self.names: dict[str, dict[str, str]] = {}
        # What identifies a value to how often it stands there.
        self.values: dict[str, int] = {}
        self.references: list[str] = []
        self._open: list[str] = []
        self._title: str | None = None
        self.feed(text)
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag not in ("meta", "input"):
            self._open.append(tag)
        self.references += [f"{tag} {name}" for name in attributes if name in ("src", "href")]
        if tag == "section":
            self.column = attributes["id"] or ""
            self.lines[self.column], self.sides[self.column] = [], []
            self.streams[self.column] = []
            self.remarks[self.column], self.names[self.column] = {}, {}
        elif tag == "li":
            self.lines[self.column].append("")
            self.streams[self.column].append([])
            self.sides[self.column].append(attributes.get("class") or "around")
            if remark := attributes.get("data-remark"):
                self.remarks[self.column][len(self.lines[self.column])] = remark
        elif tag == "b":
            self.streams[self.column][-1].append(attributes.get("data-stream"))
            identity = attributes["data-value"] or ""
            assert identity.startswith(self.column + "-")
            self._title = attributes.get("title")
            self.values[identity] = self.values.get(identity, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] in (["code"], ["b"], ["i"]) and "li" in self._open:
            self.lines[self.column][-1] += data
        if self._open[-1:] == ["b"] and self._title:
            self.names[self.column][data] = self._title

    def stream_of(self, column: str, definition: str) -> str:
        """The stream of the value whose definition matches a pattern."""
        pattern = re.compile(r"\s*%[\w.]+ = " + definition)
        pairs = zip(self.lines[column], self.streams[column], strict=True)
        found = [streams[0] for line, streams in pairs if pattern.match(line)]
        assert len(found) == 1, (column, definition)
        assert found[0] is not None, (column, definition)
        return found[0]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    library = ember.load_program(PROGRAM, ember.Options(target="dae-threads"))
    path = ember.show_page(library, tmp_path_factory.mktemp("page") / "bag.html")
    return Page(path.read_text())


def test_the_page_shows_the_text_of_every_level(page: Page) -> None:
    options = ember.Options(target="dae-threads")
    for level in LEVELS:
        shown = "\n".join(line.rstrip() for line in page.lines[level.name]).strip()
        text = ember.show(PROGRAM, level.name, options=options)
        assert shown == "\n".join(line.rstrip() for line in text.splitlines()).strip()


def test_the_page_loads_nothing(page: Page, tmp_path: Path) -> None:
    assert page.references == []
    text = ember.show_page(PROGRAM, tmp_path / "page.html").read_text()
    assert not re.search(r"https?:|@import|url\(|\bfetch\(|XMLHttpRequest|\{\{", text)


def test_levels_before_an_error_are_shown(tmp_path: Path) -> None:
    # Only code for a processor cannot be made with memory of another device.
    elsewhere = PROGRAM.replace("%table0:", "%elsewhere: memref<?xf32, 1>, %table0:", 1)
    path = ember.show_page(elsewhere, tmp_path / "page.html")
    shown = Page(path.read_text())
    assert any("dlc.program" in line for line in shown.lines["dlc"])
    assert any("cannot be passed to a kernel" in line for line in shown.lines["assembly"])
    assert all(line.startswith("//") for line in shown.lines["assembly"])
    with pytest.raises(ember.CompileError, match="cannot be passed to a kernel"):
        ember.show(elsewhere, "assembly")
    for program, options in (
        ("func.func @f() {", ember.Options()),
        (PROGRAM, ember.Options(cpu="no-such-processor")),
    ):
        with pytest.raises(ember.CompileError):
            ember.show_page(program, tmp_path / "none.html", options=options)
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_a_stream_has_one_colour_at_every_level(page: Page) -> None:
    rows = {
        page.stream_of("scf", r"memref.load %arg0\["),
        page.stream_of("slc", r"slc.mem_str %arg0\["),
        page.stream_of("slcv", r"slcv.vec_mem_str %arg0\["),
        page.stream_of("slcv", r"slcv.buf_str"),
        page.stream_of("dlc", r"dlc.mem_str %\w+, %arg0\["),
        page.stream_of("dlc", r"dlc.pop_operand"),
    }
    indices = {
        page.stream_of("scf", r"memref.load %arg1\["),
        page.stream_of("slc", r"slc.mem_str %arg1\["),
        page.stream_of("slcv", r"slc.mem_str %arg1\["),
        page.stream_of("dlc", r"dlc.mem_str %\w+, %arg1\["),
    }
    assert len(rows) == len(indices) == 1
    assert rows != indices


def test_different_streams_have_different_colours(page: Page) -> None:
    for column in ("slc", "slcv", "dlc"):
        begins, ends = (
            page.stream_of(column, rf"\w+.mem_str .*%arg2\[{index}\]")
            for index in (
                first_offset(page, column),
                rf"(?!{first_offset(page, column)})%\w+",
            )
        )
        assert begins != ends


def first_offset(page: Page, column: str) -> str:
    """The counter of the bags, by which the first of the two offsets is looked up."""
    pattern = r"slc.for (%\w+) = " if column != "dlc" else r"(%\w+) = dlc.get_ind_var %tu "
    return next(match[1] for line in page.lines[column] if (match := re.search(pattern, line)))


def test_sides_are_told_apart(page: Page) -> None:
    def side_of(column: str, pattern: str) -> set[str]:
        pairs = zip(page.lines[column], page.sides[column], strict=True)
        return {side for line, side in pairs if re.search(pattern, line)}

    for column, lookup in (("slc", "mem_str"), ("slcv", "mem_str"), ("dlc", "mem_str")):
        assert side_of(column, lookup) == {"access"}
        assert side_of(column, "arith.addf") == {"compute"}
        assert side_of(column, r"cf.assert|func.func") == {"around"}
    assert side_of("scf", r"memref.load %arg0\[") == {"access"}
    assert side_of("scf", r"arith.addf|memref.store") == {"compute"}
    assert side_of("program", ".") == {"around"}


def test_parameters_keep_their_names(page: Page) -> None:
    named = {"%arg0": "weight", "%arg1": "indices", "%arg2": "offsets", "%arg3": "out"}
    assert all(page.names[column] == named for column in ("scf", "slc", "slcv", "dlc"))
    assert page.names["program"]["%table0"] == "weight"


def test_what_passes_leave_stands_behind_the_line(page: Page) -> None:
    said = page.remarks["scf"].items()
    (number,) = (line for line, remark in said if remark.startswith("loop is not offloaded"))
    # The loop that clears the result.
    assert "scf.for" in page.lines["scf"][number - 1]
    assert "memref.store %cst" in page.lines["scf"][number]
    assert all(page.remarks[column] == {} for column in page.remarks if column != "scf")


def test_programs_are_shown_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bag.mlir"
    file.write_text(PROGRAM)
    assert main(["show", str(file)]) == 0
    assert capsys.readouterr().out == ember.show(PROGRAM).rstrip("\n") + "\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(PROGRAM))
    assert main(["show", "-", "--level=llvm", "--target=dae-threads", "-O4"]) == 0
    assert "ember_dae_run" in capsys.readouterr().out
    assert main(["page", str(file), "-o", str(tmp_path / "bag.html")]) == 0
    assert "dlc" in Page((tmp_path / "bag.html").read_text()).lines
    capsys.readouterr()
    for words, message in (
        (["show", str(file), "--level=gpu"], "error: no level 'gpu'"),
        (["show", str(tmp_path / "none.mlir")], "No such file"),
        (["show", str(file), "-O9"], "opt_level must be"),
        (["page", str(file), "-o", str(tmp_path / "none" / "page.html")], "cannot write the page"),
    ):
        assert main(words) == 1
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""


def test_uses_belong_to_their_definition() -> None:
    """Equal names in different regions are different values."""
    listing = read_listing(
        "func.func @f(%a: index,\n"
        "             %b: index) {\n"
        "  scf.for %i = %a to %b step %b {\n"
        "    %0:2 = test.op %i\n"
        "    test.use %0#1\n"
        "  }\n"
        "  scf.for %i = %a to %b step %b {\n"
        "    %0 = test.op %i\n"
        "  }\n"
        '  test.text "%a // no value"  // %a\n'
        "}\n"
        "func.func @g(%a: index) {\n"
        "}\n"
    )
    header, second, loop, pair, use, _, other, again, _, words, _, next_function, _ = listing.lines
    assert loop.values(defines=False) == [*header.values(), *second.values(), *second.values()]
    assert pair.values(defines=True) == use.values()
    assert pair.values(defines=False) == loop.values(defines=True)
    assert loop.values(defines=True) != other.values(defines=True)
    assert again.values(defines=True) != use.values()
    assert words.values() == []
    assert next_function.values(defines=True) == next_function.values() != header.values()


def test_values_of_llvm_may_be_used_before_their_definition() -> None:
    listing = read_listing(
        "define void @f(i64 %0) {\n"
        "  br label %loop\n"
        "loop:                        ; preds = %loop, %1\n"
        "  %sum = phi i64 [ %0, %1 ], [ %next, %loop ]\n"
        "  %next = add i64 %sum, 1\n"
        "  br label %loop\n"
        "}\n"
        "define void @g(i64 %0) {\n"
        "  %next = add i64 %0, 1\n"
        "}\n"
    )
    header, branch, label, phi, add, back, _, other, result, _ = listing.lines
    (parameter,), (loop,) = header.values(defines=True), branch.values(defines=False)
    assert (label.values(), back.values()) == ([], [loop])
    total, following = phi.values(defines=True)[0], add.values(defines=True)[0]
    assert phi.values(defines=False)[::2] == [parameter, following]
    assert phi.values(defines=False)[3] == loop
    assert add.values(defines=False) == [total]
    assert result.values(defines=False) == other.values() != header.values()
    assert result.values(defines=True) != [following]


def test_locations_are_read_and_removed() -> None:
    for text, kept, origin in (
        ('  test.op loc("a(b).mlir":12:3)', "  test.op", 12),
        ('} loc(fused["-":4:1, "-":5:2])', "}", 4),
        ('} loc(callsite("f"("-":7:1) at "-":9:2))', "}", 7),
        ('  cf.assert %0, "a loc(b" loc("-":3:4)', '  cf.assert %0, "a loc(b"', 3),
        ('^bb0(%a: index loc("-":3:4), %b: f32 loc(unknown)):', "^bb0(%a: index, %b: f32):", None),
        ("  test.op loc(unknown)", "  test.op", None),
        ("  test.op", "  test.op", None),
    ):
        assert split_location(text) == (kept, origin)


@pytest.mark.parametrize("opt_level", range(5))
def test_every_operation_of_the_examples_has_its_streams(opt_level: int) -> None:
    """The levels of a program have the same streams, and all operands that are popped have one."""
    text = (ROOT / "examples" / "embedding_bag.mlir").read_text()
    options = ember.Options(target="dae-threads", opt_level=opt_level)
    shown = Page(page_of(Source(text, options, "bag")))
    streams = {
        column: {stream for found in shown.streams[column] for stream in found} - {None}
        for column in ("scf", "slc", "slcv", "dlc")
    }
    assert len(streams["slc"]) == 8
    assert all(found == streams["slc"] for found in streams.values())
    popped = [
        found[0]
        for line, found in zip(shown.lines["dlc"], shown.streams["dlc"], strict=True)
        if "dlc.pop_operand" in line
    ]
    assert popped
    assert None not in popped
