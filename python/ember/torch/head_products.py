"""Products of every node's rows with one row a head: attention's coefficients in graph networks.

PyTorch stores the products of all elements, and then adds them up. Here one pass reads the rows.

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
from ember.torch.element_types import SUM_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall

# Sums within a row may be in any order, as in the embed dialect.
PROGRAM = Template("""\
func.func @$entry(
    %x: memref<?x${heads}x${length}x$value> {ember.name = "x"},
    %weights: memref<${heads}x${length}x$value> {ember.name = "weights"},
    %out: memref<?x${heads}x$value> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = arith.constant $heads : index
  %length = arith.constant $length : index
  %zero = arith.constant 0.0 : $value
  %nodes = memref.dim %out, %c0 : memref<?x${heads}x$value>
  %rows = memref.dim %x, %c0 : memref<?x${heads}x${length}x$value>
  %enough = arith.cmpi eq, %rows, %nodes : index
  cf.assert %enough, "there are not as many rows as results"
  scf.for %n = %c0 to %nodes step %c1 {
    scf.for %h = %c0 to %heads step %c1 {
      %sum = scf.for %e = %c0 to %length step %c1 iter_args(%before = %zero) -> ($value) {
        %element = memref.load %x[%n, %h, %e] : memref<?x${heads}x${length}x$value>
        %weight = memref.load %weights[%h, %e] : memref<${heads}x${length}x$value>
        %product = arith.mulf %element, %weight fastmath<contract> : $value
        %after = arith.addf %before, %product fastmath<reassoc,contract> : $value
        scf.yield %after : $value
      }
      memref.store %sum, %out[%n, %h] : memref<?x${heads}x$value>
    }
  }
  return
}
""")


@cache
def head_products_kernel(
    heads: int, length: int, value: str, options: Options
) -> tuple[Callable[..., Any], Library]:
    """Compiles or finds the kernel, and the library it is in; raises CompileError."""
    text = PROGRAM.substitute(entry=ENTRY, heads=heads, length=length, value=value)
    library = options.load(text)
    return library.entry(ENTRY).bind(gradients=True), library


class HeadProductsCall(RegionCall):
    """out[n, h] = sum of x[n, h, e] * weights[0, h, e] over e.

    Inputs: x (nodes, heads, length), weights (1, heads, length).
    """

    least_differentiated = 1 << 14

    def __init__(self, reference: Reference, options: Options, raises: bool = False) -> None:
        super().__init__(reference, 2, raises)
        self.options = options

    def elements(self, arguments: Sequence[Any]) -> int:
        return int(arguments[0].numel())

    def forward(self, x: Tensor, weights: Tensor) -> Tensor:
        if x.numel() == 0:
            raise NotTakenError
        _, heads, length = x.shape
        kernel, library = head_products_kernel(heads, length, SUM_TYPES[x.dtype], self.options)
        self.libraries[library] = None
        out = x.new_empty(x.shape[:2])
        kernel(x.detach().contiguous(), weights.detach()[0].contiguous(), out)
        return out

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        return [place for place, other in ((0, 1), (1, 0)) if needed[other]]

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        x, weights = inputs
        for_x = gradient.unsqueeze(-1) * weights if needed[0] else None
        for_weights = None
        if needed[1]:
            for_weights = torch.einsum("nh,nhe->he", gradient, x).unsqueeze(0)
        return for_x, for_weights
