"""Runs recorded programs: statements in groups, one kernel each, and all else by NumPy.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ember.dataflow.nodes import Node, Spelling, ancestors
from ember.dataflow.recording import Recorder
from ember.sparse.evaluate import evaluate_for

# Texts of sums that an update in place adds: `X[i,j] += ...`.
_UPDATES = {"{0} + {1}": "+=", "{0} - {1}": "-="}
# How far behind a part of an expression what it is a part of is recorded, and how many operations
# one statement has.
_NEAR = 3
_MOST_OPERATIONS = 16


def inlined_nodes(order: Sequence[Node], alive: set[Node]) -> set[Node]:
    """Nodes of which each element is computed where one statement of elements reads it: parts of
    one expression, which nobody else knows.

    order: nodes that are not computed, operands first.
    """
    readers: dict[Node, list[Node]] = {}
    place = {node: number for number, node in enumerate(order)}
    for node in order:
        for operand in node.operands:
            readers.setdefault(operand.node, []).append(node)
    chosen: set[Node] = set()
    operations: Counter[Node] = Counter()
    for node in order:
        operations[node] = 1 + sum(
            operations[operand.node] for operand in node.operands if operand.node in chosen
        )
        by = readers.get(node, [])
        if node in alive or not node.is_statement or len(by) != 1:
            continue
        (reader,) = by
        # What an expression begins with is recorded next to what reads it, unlike the array of an
        # iteration before.
        is_near = place[reader] - place[node] <= _NEAR
        is_of_elements = reader.kind == "map" and reader.is_statement
        is_short = operations[node] < _MOST_OPERATIONS
        if is_of_elements and reader.shape == node.shape and is_near and is_short:
            chosen.add(node)
    return chosen


class Execution:
    """Computes nodes of a program.

    words: what emberc is told of each kernel. statements: texts that have been run, and how often.
    """

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._words = tuple(words)
        self._rooms: dict[tuple[tuple[int, ...], Any], list[np.ndarray]] = {}
        self.texts: Counter[str] = Counter()

    def run(self, recorder: Recorder, wanted: list[Node]) -> None:
        """Computes nodes, and what they need."""
        alive = recorder.alive()
        # All that is alive: what waits would keep what it reads.
        needed = set(ancestors([*wanted, *alive]))
        order = [node for node in recorder.history if node in needed]
        if not recorder.keeps:
            recorder.history.clear()
        inlined = inlined_nodes(order, alive | set(wanted))
        self._alive, self._inlined = alive | set(wanted), inlined
        self._readers: Counter[Node] = Counter()
        for node in order:
            for operand in node.operands:
                self._readers[operand.node] += 1
        left = [node for node in order if node not in inlined]
        waited: set[Node] = set()
        while left:
            group = self._next_group(left, waited)
            if not group:
                node = next(
                    node for node in left if not node.is_statement and self._is_ready(node, set())
                )
                node.value, node.is_owned = node.compute(), True
                group = [node]
            else:
                self._run_group(group)
            done = set(group)
            for node in group:
                self._leave(node)
                node.is_done = True
                if not recorder.keeps:
                    node.operands, node.call = (), None
            left = [node for node in left if node not in done]

    def _operands(self, node: Node) -> list[Node]:
        """The nodes that a statement reads, by way of those without arrays, too."""
        read = []
        for operand in node.operands:
            if operand.node in self._inlined:
                read += self._operands(operand.node)
            else:
                read.append(operand.node)
        return read

    def _is_ready(self, node: Node, group: set[Node]) -> bool:
        return all(read.is_done or read in group for read in self._operands(node))

    def _next_group(self, left: list[Node], waited: set[Node]) -> list[Node]:
        """Statements that can run now, but for those that only later ones need: these find what
        they read in a cache, if they wait until something else reads it once more."""
        ready: set[Node] = set()
        group = []
        for node in left:
            if node.is_statement and self._is_ready(node, ready):
                ready.add(node)
                group.append(node)
        if len(ready) == len(left):
            return group
        # What has waited goes on to do so until others come that need a kernel.
        others = [node for node in left if not node.is_statement]
        if ready <= waited and any(self._is_ready(node, set()) for node in others):
            return []
        read_next = {
            read
            for node in left
            for read in self._operands(node)
            if node in ready or self._is_ready(node, ready)
        }
        later = [node for node in group if node not in read_next and node not in waited]
        waited.update(later)
        return [node for node in group if node not in later] or group

    # One kernel.

    def _run_group(self, group: list[Node]) -> None:
        names: dict[Node, str] = {}
        arrays: dict[str, Any] = {}
        reads: Counter[Node] = Counter()
        for node in group:
            reads.update(self._operands(node))

        def name_of(node: Node) -> str:
            if node not in names:
                names[node] = f"{'c' if node.kind == 'constant' else 'T'}{len(names)}"
                value = node.value
                if node.kind == "constant":
                    value = node.dtype.type(value)
                elif isinstance(value, np.ndarray) and node.shape == ():
                    value = value.reshape(1)
                arrays[names[node]] = value
            return names[node]

        texts = []
        for node in group:
            texts.append(self._statement(node, name_of, names, reads))
        text = "; ".join(texts)
        self.texts[text] += 1
        evaluate_for(text, arrays, self._words)

    def _statement(
        self,
        node: Node,
        name_of: Callable[[Node], str],
        names: dict[Node, str],
        reads: Counter[Node],
    ) -> str:
        spelling = Spelling(name_of, self._inlined)
        indices = Spelling.indices(node)
        assigns = "="
        first = node.operands[0]
        if node.template in _UPDATES and self._is_overwritten(node, first.node, reads):
            expression = spelling.term(node.operands[1], node, indices)
            assigns = _UPDATES[node.template]
            target = names[node] = name_of(first.node)
            node.value, first.node.value = first.node.value, None
            first.node.is_owned = False
        else:
            expression = spelling.expression(node, indices)
            node.value = self._room(node)
            target = name_of(node)
        node.is_owned = True
        return f"{target}[{','.join(indices or ('0',))}] {assigns} {expression}"

    def _is_overwritten(self, node: Node, old: Node, reads: Counter[Node]) -> bool:
        """Whether a statement may change an array in place: it is the last one that knows it."""
        return (
            not node.operands[0].is_transposed
            and old.is_owned
            and old.value is not None
            and old.shape == node.shape
            and old.dtype == node.dtype
            and old not in self._alive
            and self._readers[old] == 1
            and reads[old] == 1
        )

    def _room(self, node: Node) -> np.ndarray:
        rooms = self._rooms.get((node.shape, node.dtype))
        return rooms.pop() if rooms else np.empty(node.shape or (1,), node.dtype)

    def _leave(self, node: Node) -> None:
        """What a node has read is free for others if it was the last to do so."""
        for operand in node.operands:
            read = operand.node
            self._readers[read] -= 1
            if read in self._inlined:
                self._leave(read)
            elif read.is_owned and read not in self._alive and not self._readers[read]:
                if isinstance(read.value, np.ndarray):
                    self._rooms.setdefault((read.shape, read.dtype), []).append(read.value)
                read.value, read.is_owned = None, False
