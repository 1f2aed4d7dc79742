"""Programs of ember-dag out of recorded operations: loops are found where operations repeat.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from typing import Any

from ember.dataflow.execution import inlined_nodes
from ember.dataflow.nodes import Node, Spelling
from ember.dataflow.recording import Recorder
from ember.errors import ArgumentError


@dataclass(frozen=True)
class _Loop:
    """Operations `start` to `start + period * times` repeat `period` operations."""

    start: int
    period: int
    times: int


class _History:
    """Operations that leave arrays, each with what it reads."""

    def __init__(self, recorder: Recorder) -> None:
        self.results = recorder.results
        needed = _reached(recorder.results)
        order = [node for node in recorder.history if node in needed]
        self.inlined = inlined_nodes(order, self.results)
        self.operations = [node for node in order if node not in self.inlined]
        self.place = {node: number for number, node in enumerate(self.operations)}
        self.spelled = [self._spell(node) for node in self.operations]

    def _spell(self, node: Node) -> tuple[str, list[Node]]:
        """The operation without names of arrays, and those that it names, in order."""
        spelling = Spelling(lambda other: "", self.inlined)
        if node.kind == "whole":
            text = node.hint
            for operand in node.operands:
                spelling.element(operand, Spelling.indices(operand.node))
        else:
            text = spelling.expression(node, Spelling.indices(node))
        accesses = [(other, mine) for other, mine in spelling.accesses if other.kind != "constant"]
        shape = f"{node.kind} {node.shape} {text} {[mine for _, mine in accesses]}"
        return shape, [other for other, _ in accesses]

    def accesses(self, node: Node) -> list[tuple[Node, tuple[str, ...]]]:
        """What an operation reads, by which indices."""
        spelling = Spelling(lambda other: "", self.inlined)
        if node.kind == "whole":
            letters = iter("abcdefgh" * 4)
            for operand in node.operands:
                spelling.element(operand, [next(letters) for _ in operand.shape])
        else:
            spelling.expression(node, Spelling.indices(node))
        return [(other, mine) for other, mine in spelling.accesses if other.kind != "constant"]

    def repeats(self, number: int, period: int, start: int) -> bool:
        """Whether an operation is the one a period before, of a loop that begins at `start`."""
        (text, reads), (before, earlier) = self.spelled[number], self.spelled[number - period]
        if text != before:
            return False
        for mine, theirs in zip(reads, earlier, strict=True):
            here, there = self.place.get(mine, -1), self.place.get(theirs, -1)
            if here < start:
                # The same for all iterations.
                if mine is not theirs:
                    return False
            elif there >= start:
                if here - there != period:
                    return False
            elif number >= start + 2 * period:
                # Only the first iteration finds what was there before.
                return False
        return True

    def find_loop(self) -> _Loop | None:
        """The loop that most of the operations are of; of several, the one of fewer operations."""
        count = len(self.operations)
        best: _Loop | None = None
        for period in range(1, count // 2 + 1):
            for start in range(0, min(count - 2 * period, 64) + 1):
                end = start + period
                while end < count and self.repeats(end, period, start):
                    end += 1
                times = (end - start) // period
                if times < 2 or (best and times * period <= best.times * best.period):
                    continue
                best = _Loop(start, period, times)
        return best


def _reached(nodes: set[Node]) -> set[Node]:
    """Nodes that lead to some, whether they are computed or not."""
    open_, seen = list(nodes), set()
    while open_:
        node = open_.pop()
        if node not in seen:
            seen.add(node)
            open_ += [operand.node for operand in node.operands]
    return seen


def program_of(recorder: Recorder) -> dict[str, Any]:
    """A program as ember-dag reads it. With operations that repeat, it is the loop of these."""
    history = _History(recorder)
    if not history.operations:
        raise ArgumentError("the function computes nothing of its arrays")
    loop = history.find_loop()
    if loop is None:
        body, first, period = history.operations, 0, len(history.operations)
    else:
        # The second iteration reads what the first one left.
        first, period = loop.start + loop.period, loop.period
        body = history.operations[first : first + period]
    return _Writer(history, body, first, period, loop is not None).run()


class _Writer:
    """Writes a body of operations."""

    def __init__(
        self, history: _History, body: list[Node], first: int, period: int, is_loop: bool
    ) -> None:
        self.history, self.body, self.first, self.period = history, body, first, period
        self.is_loop = is_loop
        self.tensors: dict[str, dict[str, Any]] = {}
        self.names: dict[Node, str] = {}
        self.loop: dict[str, str] = {}

    def run(self) -> dict[str, Any]:
        """The program."""
        for number, node in enumerate(self.body, 1):
            self.names[node] = f"T{number}"
        # What the next iteration reads of this one.
        carried: dict[int, list[int]] = {}
        for place, node in enumerate(self.body):
            for other, _ in self.history.accesses(node):
                back = self.history.place.get(other, -1)
                if self.is_loop and self.first - self.period <= back < self.first:
                    carried.setdefault(back - self.first + self.period, []).append(place)
        for written, readers in carried.items():
            node = self.body[written]
            before = self.history.operations[self.first - self.period + written]
            name = self.names[node]
            if max(readers) <= written:
                # Read before it is written again: one array.
                self.names[before] = name
            else:
                self.names[before] = f"{name}_old"
                self.loop[f"{name}_old"] = name
            self._describe(before, is_input=True, is_output=True)
        operations = []
        for node in self.body:
            self._describe(node, is_output=node in self.history.results and not self.is_loop)
            operations.append(self._operation(node))
        program: dict[str, Any] = {"tensors": self.tensors, "operations": operations}
        if self.is_loop:
            program["loop"] = self.loop
        return program

    def _describe(self, node: Node, is_input: bool = False, is_output: bool = False) -> None:
        entry = self.tensors.setdefault(
            self.names[node], {"shape": [max(size, 1) for size in node.shape] or [1]}
        )
        if node.nonzeros is not None:
            entry["nonzeros"] = max(node.nonzeros, 1)
        if is_input:
            entry["input"] = True
        if is_output:
            entry["output"] = True

    def _name(self, node: Node) -> str:
        if node not in self.names:
            name = node.hint if node.kind == "input" and node.hint else f"in{len(self.names)}"
            while name in self.tensors:
                name += "_"
            self.names[node] = name
            self._describe(node, is_input=True)
        return self.names[node]

    def _operation(self, node: Node) -> dict[str, str]:
        terms = []
        for other, mine in self.history.accesses(node):
            # A dimension of one element has a rank of its own.
            ranks = [f"o{place}" if one == "0" else one for place, one in enumerate(mine)]
            terms.append(f"{self._name(other)}[{','.join(ranks or ['o'])}]")
        target = f"{self.names[node]}[{','.join(Spelling.indices(node) or ('o',))}]"
        text = f"{target} = {' '.join(terms)}"
        return {"name": f"{self.names[node]}", self._kind(node): text}

    def _kind(self, node: Node) -> str:
        if node.kind == "whole":
            return "whole"
        open_, is_einsum = [node], node.kind != "map"
        while open_:
            one = open_.pop()
            is_einsum |= one.kind != "map" or any(sign in one.template for sign in "+-*")
            open_ += [
                operand.node for operand in one.operands if operand.node in self.history.inlined
            ]
        return "einsum" if is_einsum else "elementwise"
