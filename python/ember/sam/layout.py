"""Where the blocks of a graph stand on a page, and how wires run between them.

Blocks stand in columns, each behind all that it takes tokens of; wires that pass a column keep a
place there, so that they do not cross a block.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# Pixels.
WIDTH = 150
HEAD = 24
PORT = 17
COLUMN_GAP = 110
ROW_GAP = 26
MARGIN = 20
# A wire that passes a column is as high as this.
LANE = 14
# How often columns are sorted by their neighbours.
SWEEPS = 12

#: The port that tells a scanner what to leave out: its wires lead back.
BACK = "skip"


@dataclass
class Box:
    """A block, by its upper left corner; ports by their heights."""

    name: str
    x: float = 0
    y: float = 0
    inputs: dict[str, float] = field(default_factory=dict)
    outputs: dict[str, float] = field(default_factory=dict)

    @property
    def height(self) -> float:
        """As its ports need."""
        return HEAD + PORT * max(len(self.inputs), len(self.outputs), 1)


@dataclass(frozen=True)
class Wire:
    """From an output, as "scan_B0.crd", to a port of a block, through these points."""

    source: str
    block: str
    port: str
    points: tuple[tuple[float, float], ...]

    def path(self) -> str:
        """As SVG has it: smooth, and level at each point."""
        x, y = self.points[0]
        words = [f"M{x:.0f} {y:.0f}"]
        for next_x, next_y in self.points[1:]:
            bend = max(abs(next_x - x) / 2, 24)
            turns = ((x + bend, y), (next_x - bend, next_y), (next_x, next_y))
            words.append("C" + " ".join(f"{one:.0f} {two:.0f}" for one, two in turns))
            x, y = next_x, next_y
        return "".join(words)


@dataclass(frozen=True)
class Layout:
    """All boxes and wires, and how large the picture is."""

    boxes: dict[str, Box]
    wires: tuple[Wire, ...]
    width: float
    height: float


@dataclass
class _Node:
    """A block, or a wire's place in a column that it passes."""

    key: object
    height: float
    before: list["_Node"] = field(default_factory=list)
    behind: list["_Node"] = field(default_factory=list)
    y: float = 0

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


def lay_out(
    inputs: Mapping[str, Mapping[str, str]], outputs: Mapping[str, Sequence[str]]
) -> Layout:
    """The layout of blocks. inputs: by block and port the output that the tokens come from, ""
    where it is none; outputs: ports by block."""
    boxes = {name: Box(name) for name in inputs}
    for name, box in boxes.items():
        box.inputs = {port: HEAD + PORT * (k + 0.5) for k, port in enumerate(inputs[name])}
        box.outputs = {port: HEAD + PORT * (k + 0.5) for k, port in enumerate(outputs[name])}
    columns = _columns(inputs)
    nodes: list[list[_Node]] = [[] for _ in range(max(columns.values(), default=0) + 1)]
    of_block = {name: _Node(name, box.height) for name, box in boxes.items()}
    for name, column in columns.items():
        nodes[column].append(of_block[name])
    lanes: dict[tuple[str, str], list[_Node]] = {}
    for name, ports in inputs.items():
        for port, source in ports.items():
            if source and port != BACK:
                lanes[name, port] = _thread(
                    of_block[source.rpartition(".")[0]], of_block[name], columns, nodes
                )
    _sort(nodes)
    _place(nodes)
    for column, standing in enumerate(nodes):
        for node in standing:
            if isinstance(node.key, str):
                box = boxes[node.key]
                box.x, box.y = MARGIN + column * (WIDTH + COLUMN_GAP), node.y
    wires = []
    for name, ports in inputs.items():
        for port, source in ports.items():
            if source:
                wires.append(_wire(boxes, source, name, port, lanes.get((name, port), ()), nodes))
    bottom = max((node.y + node.height for standing in nodes for node in standing), default=0)
    return Layout(
        boxes, tuple(wires), 2 * MARGIN + len(nodes) * (WIDTH + COLUMN_GAP), bottom + MARGIN
    )


def _columns(inputs: Mapping[str, Mapping[str, str]]) -> dict[str, int]:
    """The column of each block: one behind the last of those that it takes tokens of."""
    found: dict[str, int] = {}

    def column(name: str) -> int:
        if name not in found:
            before = [
                source.rpartition(".")[0]
                for port, source in inputs[name].items()
                if source and port != BACK
            ]
            found[name] = max((column(one) + 1 for one in before), default=0)
        return found[name]

    for name in inputs:
        column(name)
    return found


def _thread(
    source: _Node, target: _Node, columns: Mapping[str, int], nodes: list[list[_Node]]
) -> list[_Node]:
    """Lanes for a wire in the columns that it passes."""
    lanes = []
    before = source
    for column in range(columns[str(source.key)] + 1, columns[str(target.key)]):
        lane = _Node(None, LANE)
        nodes[column].append(lane)
        lanes.append(lane)
        before.behind.append(lane)
        lane.before.append(before)
        before = lane
    before.behind.append(target)
    target.before.append(before)
    return lanes


def _sort(nodes: list[list[_Node]]) -> None:
    """Sorts columns so that neighbours of a block are near it."""
    _place(nodes)
    for sweep in range(SWEEPS):
        is_forward = sweep % 2 == 0
        for standing in nodes if is_forward else reversed(nodes):
            middles = {}
            for node in standing:
                near = node.before if is_forward else node.behind
                middles[id(node)] = (
                    sum(one.middle for one in near) / len(near) if near else node.middle
                )
            standing.sort(key=lambda node: middles[id(node)])
            _stack(standing)


def _stack(standing: list[_Node]) -> None:
    """Puts what stands in a column below each other, in its order."""
    y = float(MARGIN)
    for node in standing:
        node.y = y
        y += node.height + ROW_GAP


def _place(nodes: list[list[_Node]]) -> None:
    """Heights of all: each column about its neighbours, none above the margin."""
    for standing in nodes:
        _stack(standing)
    for standing in nodes[1:]:
        for number, node in enumerate(standing):
            wanted = (
                sum(one.middle for one in node.before) / len(node.before) - node.height / 2
                if node.before
                else node.y
            )
            above = standing[number - 1] if number else None
            least = above.y + above.height + ROW_GAP if above else float(MARGIN)
            node.y = max(wanted, least)


def _wire(
    boxes: Mapping[str, Box],
    source: str,
    name: str,
    port: str,
    lanes: Sequence[_Node],
    nodes: list[list[_Node]],
) -> Wire:
    """A wire through its lanes."""
    block, _, output = source.rpartition(".")
    start, end = boxes[block], boxes[name]
    points = [(start.x + WIDTH, start.y + start.outputs[output])]
    for lane in lanes:
        column = next(k for k, standing in enumerate(nodes) if any(one is lane for one in standing))
        left = MARGIN + column * (WIDTH + COLUMN_GAP)
        points += [(left, lane.middle), (left + WIDTH, lane.middle)]
    points.append((end.x, end.y + end.inputs[port]))
    return Wire(source, name, port, tuple(points))
