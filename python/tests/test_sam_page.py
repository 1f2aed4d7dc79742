"""The page that steps through a simulation: its parts, its script in Node where there is one, and
where blocks stand.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import ember.sam
import numpy as np
import pytest
from ember.errors import ArgumentError
from ember.sam import layout, page
from ember.sam.layout import HEAD, WIDTH, lay_out

B = np.array([[0, 2.0, 0], [0, 0, 0], [1, 0, 3]])
C = np.array([[0, 5.0], [7, 0], [0, 1]])


class Parts(HTMLParser):
    """The elements of a page, and whether they are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    graph = ember.sam.compile(
        "X[i,j] = B[i,k]*C[k,j]", formats=dict.fromkeys("XBC", "dcsr"), order="ikj"
    )
    file = tmp_path_factory.mktemp("page") / "graph.html"
    assert graph.show(file, B=B, C=C, depth=4) == file
    return file.read_text()


def data_of(text: str) -> dict:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_parts_of_the_page(written: str) -> None:
    parts = Parts()
    parts.feed(written)
    assert parts.open == []
    assert "{{" not in written
    # It loads nothing.
    assert not re.search(r'(src|href)="|url\(|@import|https?://(?!www\.w3\.org)', written)
    data = data_of(written)
    blocks = [made["data-block"] for _, made in parts.found if "data-block" in made]
    assert blocks == list(data["blocks"])
    wires = [made["data-wire"] for _, made in parts.found if "data-wire" in made]
    labels = [made["data-token"] for _, made in parts.found if "data-token" in made]
    assert len(labels) == len(set(labels))
    # Each wire begins where a token may stand, and each stream has such a place.
    assert set(wires) <= set(labels)
    assert set(data["tokens"]) <= set(labels)


def test_tokens_of_the_page(written: str) -> None:
    data = data_of(written)
    assert [token for _, token in data["tokens"]["scan_B0.crd"]] == ["0", "2", "S0", "D"]
    assert [token for _, token in data["tokens"]["scan_B1.crd"]] == [
        *("1", "S0", "0", "2", "S1", "D")
    ]
    for shown in data["tokens"].values():
        cycles = [cycle for cycle, _ in shown]
        assert cycles == sorted(set(cycles))
        assert cycles[-1] < data["cycles"]
        assert shown[-1][1] == "D"
    graph = ember.sam.compile(
        "X[i,j] = B[i,k]*C[k,j]", formats=dict.fromkeys("XBC", "dcsr"), order="ikj"
    )
    assert data["cycles"] == graph.simulate(B=B, C=C, depth=4)[1].cycles


#: A document as the script of the page asks for it, without a browser.
DOCUMENT = """
const fs = require("fs");
const page = fs.readFileSync(process.argv[2], "utf8");
const data = page.match(/<script id="data"[^>]*>([^]*?)<\\/script>/)[1];
const script = page.match(/<script>([^]*?)<\\/script>/)[1];
const make = (dataset) => {
  const own = { dataset, hidden: true, handlers: {}, parts: {}, marks: new Set(), children: [] };
  own.addEventListener = (name, handler) => (own.handlers[name] = handler);
  own.querySelector = (name) => (own.parts[name] ??= make({}));
  own.setAttribute = (name, value) => (own[name] = value);
  own.hasAttribute = () => own.hidden;
  own.toggleAttribute = (name, value) => (own.hidden = value);
  own.append = (...more) => own.children.push(...more);
  own.replaceChildren = (...more) => (own.children = more);
  own.closest = (selector) =>
    selector === ".block" ? (own.block ??= make({})) :
    selector.includes("data-wire") && (dataset.wire || dataset.token) ? own :
    selector.includes("data-block") && dataset.block ? own : null;
  own.matches = () => false;
  own.classList = {
    toggle: (name, value) => (value ? own.marks.add(name) : own.marks.delete(name)),
    add: (name) => own.marks.add(name), remove: (name) => own.marks.delete(name),
  };
  return own;
};
const named = {};
const tokens = Object.keys(JSON.parse(data).tokens).map((token) => make({ token }));
const wires = [...page.matchAll(/data-wire="([^"]*)"/g)].map((found) => make({ wire: found[1] }));
const keys = make({});
global.document = {
  getElementById: (id) => (named[id] ??= make({})),
  querySelectorAll: (selector) =>
    selector === "[data-token]" ? tokens : selector === "[data-wire]" ? wires : [],
  createElement: () => make({}),
  addEventListener: keys.addEventListener,
};
named.data = { textContent: data };
new Function(script)();
const shown = () => Object.fromEntries(tokens.filter((one) => !one.hidden)
  .map((one) => [one.dataset.token, one.parts.text.textContent]));
const seen = [];
const press = (key) =>
  keys.handlers.keydown({ key, target: make({}), preventDefault: () => {} });
for (let cycle = 0; cycle < JSON.parse(data).cycles; ++cycle) {
  seen.push(shown());
  press("ArrowRight");
}
press("ArrowLeft");
const back = shown();
named.slider = named.cycle;
named.cycle.value = "0";
named.cycle.handlers.input();
named.graph.handlers.click({ target: wires[0] });
const head = named.stream.children[0].children[0].textContent;
console.log(JSON.stringify({ seen, back, first: shown(), head, wire: wires[0].dataset.wire }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="the script is run by Node")
def test_the_script_shows_the_tokens_of_each_cycle(written: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(written)
    (tmp_path / "document.js").write_text(DOCUMENT)
    run = subprocess.run(
        ["node", tmp_path / "document.js", tmp_path / "page.html"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    outcome = json.loads(run.stdout)
    data = data_of(written)
    for cycle, seen in enumerate(outcome["seen"]):
        expected = {
            wire: token
            for wire, shown in data["tokens"].items()
            for at, token in shown
            if at == cycle
        }
        assert seen == expected
    assert outcome["first"] == outcome["seen"][0]
    assert outcome["back"] == outcome["seen"][-2]
    assert outcome["head"] == outcome["wire"]


def test_long_runs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST_TOKENS", 10)
    graph = ember.sam.compile("X[i,j] = B[i,j]", formats=dict.fromkeys("XB", "dcsr"))
    with pytest.raises(ArgumentError, match="a page shows at most 10"):
        graph.show(tmp_path / "page.html", B=B)
    monkeypatch.undo()
    with pytest.raises(ArgumentError, match="cannot write the page"):
        graph.show(tmp_path / "missing" / "page.html", B=B)


def test_text_of_titles_is_escaped() -> None:
    graph = ember.sam.compile("x[i] = select(b[i] < 2, b[i], 0)", formats={})
    assert "<" in graph.statement
    _, statistics = ember.sam.compile("x[i] = b[i]*2").simulate(b=np.ones(2))
    text = page.page_of(graph.statement, statistics, {})
    assert "b[i] &lt; 2" in text
    assert "b[i] < 2" not in text


@pytest.mark.parametrize(
    ("statement", "formats"),
    [
        ("X[i,j] = B[i,k]*C[k,j]", dict.fromkeys("XBC", "dcsr")),
        ("X[i,j] = B[i,k,l]*C[j,k]*D[j,l]", {**dict.fromkeys("XCD", "dcsr"), "B": "csf"}),
        ("x[i] = b[i] + c[i] + d[i]", dict.fromkeys("xbcd", "csf")),
    ],
)
def test_wires_do_not_cross_blocks(statement: str, formats: dict[str, str]) -> None:
    graph = ember.sam.compile(statement, formats=formats)
    ranks = {parameter.name: parameter.rank for parameter in graph.signature.parameters}
    arrays = {name: np.ones((2,) * rank) for name, rank in ranks.items()}
    blocks = graph.simulate(**arrays)[1].blocks
    made = lay_out(
        {name: block.inputs for name, block in blocks.items()},
        {name: page._outputs(block, blocks) for name, block in blocks.items()},
    )
    boxes = list(made.boxes.values())
    for number, box in enumerate(boxes):
        assert box.x + WIDTH <= made.width
        assert box.y + box.height <= made.height
        for other in boxes[:number]:
            apart = box.y + box.height <= other.y or other.y + other.height <= box.y
            assert box.x != other.x or apart
    for wire in made.wires:
        start, end = made.boxes[wire.source.rpartition(".")[0]], made.boxes[wire.block]
        assert wire.points[0][0] == start.x + WIDTH
        assert wire.points[-1] == (end.x, end.y + end.inputs[wire.port])
        assert HEAD < wire.points[0][1] - start.y < start.height
        # Where it passes a column, no block of the column is in the way.
        for x, y in wire.points[1:-1]:
            assert not any(
                box.x <= x <= box.x + WIDTH and box.y <= y <= box.y + box.height for box in boxes
            )


def test_gallop_wires_lead_back() -> None:
    inputs = {
        "scan": {"ref": "", layout.BACK: "join.skip1"},
        "join": {"crd1": "scan.crd"},
    }
    made = lay_out(inputs, {"scan": ["crd"], "join": ["crd", "skip1"]})
    assert made.boxes["scan"].x < made.boxes["join"].x
    back = next(wire for wire in made.wires if wire.port == layout.BACK)
    assert back.points[0][0] > back.points[-1][0]
