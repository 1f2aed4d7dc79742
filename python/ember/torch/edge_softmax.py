"""Softmax over the edges of every node: what attention in graph networks weights its messages by.

PyTorch computes it in eight steps: the maximum of each target's scores, spread over the edges
again, powers of the differences, their sums, spread again, and a division. Here a kernel takes
differences and another one shares; the powers between them are PyTorch's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from string import Template
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.embed_programs import ENTRY
from ember.kernel import Library
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall

# Minus infinity.
LEAST = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}
# Every kernel goes over the edges twice: what the first pass gathers for the targets, in `nodes`,
# the second one takes to the edges.
PROGRAM = Template("""\
func.func @$entry(
    %target: memref<?x$index> {ember.name = "target"},
    %in: $rows {ember.name = "scores"},
    $parameters
    %nodes: $rows {ember.name = "nodes"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = arith.constant $heads : index
  %begin = arith.constant $begin : $value
  %edges = memref.dim %target, %c0 : memref<?x$index>
  %scores = memref.dim %in, %c0 : $rows
  %enough = arith.cmpi eq, %scores, %edges : index
  cf.assert %enough, "there are not as many scores as edges"
  %count = memref.dim %nodes, %c0 : $rows
  scf.for %n = %c0 to %count step %c1 {
    scf.for %h = %c0 to %heads step %c1 {
      memref.store %begin, %nodes[%n, %h] : $rows
    }
  }
  scf.for %p = %c0 to %edges step %c1 {
    %stored = memref.load %target[%p] : memref<?x$index>
    %n = arith.index_cast %stored : $index to index
    scf.for %h = %c0 to %heads step %c1 {
      %x = memref.load %in[%p, %h] : $rows
      %before = memref.load %nodes[%n, %h] : $rows
      $gather
      memref.store %after, %nodes[%n, %h] : $rows
    }
  }
  scf.for %p = %c0 to %edges step %c1 {
    %stored = memref.load %target[%p] : memref<?x$index>
    %n = arith.index_cast %stored : $index to index
    scf.for %h = %c0 to %heads step %c1 {
      %x = memref.load %in[%p, %h] : $rows
      %node = memref.load %nodes[%n, %h] : $rows
      $spread
      memref.store %result, $out[%p, %h] : $rows
    }
  }
  return
}
""")
# Of each kernel: parameters besides those of all, what nodes begin with, what the passes compute of
# an edge's %x and its target's %before or %node, and where the result goes.
DIFFERENCES = {
    "parameters": '%out: $rows {ember.name = "out"},',
    "begin": "$least",
    "gather": """%more = arith.cmpf ogt, %x, %before : $value
      %after = arith.select %more, %x, %before : $value""",
    "spread": "%result = arith.subf %x, %node : $value",
    "out": "%out",
}
SHARES = {
    "parameters": "%epsilon: $value,",
    "begin": "0.0",
    "gather": "%after = arith.addf %before, %x : $value",
    "spread": """%total = arith.addf %node, %epsilon : $value
      %result = arith.divf %x, %total : $value""",
    "out": "%in",
}
# The gradient of scores, from that of shares: share * (gradient - sum of gradients * shares).
GRADIENTS = {
    "parameters": """%shares: $rows {ember.name = "shares"},
    %out: $rows {ember.name = "out"},""",
    "begin": "0.0",
    "gather": """%share = memref.load %shares[%p, %h] : $rows
      %after = math.fma %x, %share, %before : $value""",
    "spread": """%share = memref.load %shares[%p, %h] : $rows
      %rest = arith.subf %x, %node : $value
      %result = arith.mulf %share, %rest : $value""",
    "out": "%out",
}
STEPS = {"differences": DIFFERENCES, "shares": SHARES, "gradients": GRADIENTS}


def softmax_program(step: str, value: str, index: str, heads: int) -> str:
    """The MLIR module of a step; parameters are target, scores, the step's own, nodes."""
    types = {
        "entry": ENTRY,
        "value": value,
        "index": index,
        "heads": str(heads),
        "least": LEAST[value],
        "rows": f"memref<?x{heads}x{value}>",
    }
    words = {name: Template(text).substitute(types) for name, text in STEPS[step].items()}
    return PROGRAM.substitute(types | words)


@cache
def softmax_kernel(
    step: str, value: str, index: str, heads: int, options: Options
) -> tuple[Callable[..., Any], Library]:
    """Compiles or finds the kernel, and the library it is in; raises CompileError."""
    library = options.load(softmax_program(step, value, index, heads))
    return library.entry(ENTRY).bind(gradients=True), library


class EdgeSoftmaxCall(RegionCall):
    """out[e] = power(e) / (sum of power(e') + epsilon), for edges e' with e's target.

    power(e) = exp(scores[e] - most), where `most` is the target's largest score.

    Inputs: scores (edges, ...), target (edges,), the number of targets, the sizes of the sums or a
    tensor with as many rows. Half types are computed in f32 and rounded once.
    """

    least_differentiated = 1 << 13
    sizes = (2,)

    def __init__(
        self, reference: Reference, epsilon: float, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, 3, raises)
        self.epsilon = epsilon
        self.options = options

    def elements(self, arguments: Sequence[Any]) -> int:
        return int(arguments[0].numel())

    def forward(self, scores: Tensor, target: Tensor, size: Any) -> Tensor:
        return self._shares(scores, target, size).to(scores.dtype)

    def _shares(self, scores: Tensor, target: Tensor, size: Any) -> Tensor:
        """The shares, in the type that they are computed in."""
        target, targets = self._common(scores, target, size)
        rows = _rows(scores)
        powers, nodes = torch.empty_like(rows), rows.new_empty((targets, rows.shape[1]))
        self._run("differences", target, rows, powers, nodes)
        powers.exp_()
        self._run("shares", target, powers, self.epsilon, nodes)
        return powers.view(scores.shape)

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        return (0, 1)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        scores, target, size = inputs
        shares = _rows(self._shares(scores, target, size))
        target, targets = self._common(scores, target, size)
        out, nodes = torch.empty_like(shares), shares.new_empty((targets, shares.shape[1]))
        self._run("gradients", target, _rows(gradient), shares, out, nodes)
        return out.view(scores.shape).to(scores.dtype), None, None

    def _common(self, scores: Tensor, target: Tensor, size: Any) -> tuple[Tensor, int]:
        """Targets and their number; raises NotTakenError for tensors that no kernel takes."""
        if not isinstance(size, int):
            size = size[0] if isinstance(size, tuple) else len(size)
        if scores.dtype not in VALUE_TYPES or target.dtype not in INDEX_TYPES:
            raise NotTakenError
        if scores.numel() == 0 or size == 0:
            raise NotTakenError
        return target.contiguous(), size

    def _run(self, step: str, target: Tensor, scores: Tensor, *others: Any) -> None:
        value, index = VALUE_TYPES[scores.dtype], INDEX_TYPES[target.dtype]
        kernel, library = softmax_kernel(step, value, index, scores.shape[1], self.options)
        self.libraries[library] = None
        kernel(target, scores, *others)


def _rows(scores: Tensor) -> Tensor:
    """What edges have, as rows (edges, heads) in the type that they are computed in."""
    if scores.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    return scores.detach().reshape(len(scores), -1).contiguous()
