"""Kernels of sparse tensor algebra as linalg.generic, for any format of upstream's sparsifier.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sparse_formats import Format

INTEGERS = ("i8", "i32", "i64")

# What upstream's sparsifier cannot do, and what it does instead.
UPSTREAM_FAILS = {
    ("spmspm", "BSR"): "leaves the operation as it is",
    ("spmspm-sparse", "BSR"): "crashes",
}


@dataclass(frozen=True)
class Kernel:
    """One statement over tensors: OUTPUT = expression of INPUTS, subscripts as in np.einsum.

    combine: "product" accumulates the product of the inputs onto the output, "difference" takes
    it off, "sum" adds two inputs element by element, "sample" accumulates where the output
    stores an element. sparse: which inputs take the format. sparse_output: the result takes it,
    too; "sample" then updates the output in place, the others make a new tensor.
    """

    name: str
    inputs: tuple[str, ...]
    output: str
    combine: str = "product"
    sparse: tuple[int, ...] = (0,)
    sparse_output: bool = False

    @property
    def rank(self) -> int:
        """The rank of the sparse tensors."""
        return len(self.inputs[self.sparse[0]] if self.sparse else self.output)

    @property
    def indices(self) -> str:
        """All indices, in the order in which they appear."""
        return "".join(dict.fromkeys(self.output + "".join(self.inputs)))

    @property
    def makes_output(self) -> bool:
        """True if the output is no parameter."""
        return self.sparse_output and self.combine != "sample"

    def reference(
        self, inputs: Sequence[NDArray], output: NDArray, stored: NDArray[np.bool_]
    ) -> NDArray:
        """The result; `stored` says where the output has elements for "sample" to add to."""
        if self.combine == "sum":
            return inputs[0] + inputs[1]
        product = np.einsum(",".join(self.inputs) + "->" + self.output, *inputs)
        if self.combine == "sample":
            return np.where(stored, output + product, 0)
        return output - product if self.combine == "difference" else output + product


KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("spmv", ("ij", "j"), "i"),
        Kernel("residual", ("ij", "j"), "i", "difference"),
        Kernel("spmm", ("ik", "kj"), "ij"),
        Kernel("sddmm", ("ij", "ik", "kj"), "ij"),
        Kernel("sddmm-sparse", ("ik", "kj"), "ij", "sample", (), sparse_output=True),
        Kernel("spmspm", ("ik", "kj"), "ij", sparse=(0, 1)),
        Kernel("spmspm-sparse", ("ik", "kj"), "ij", sparse=(0, 1), sparse_output=True),
        Kernel("add", ("ij", "ij"), "ij", "sum", (0, 1)),
        Kernel("add-sparse", ("ij", "ij"), "ij", "sum", (0, 1), sparse_output=True),
        Kernel("multiply", ("ij", "ij"), "ij", sparse=(0, 1)),
        Kernel("multiply-sparse", ("ij", "ij"), "ij", sparse=(0, 1), sparse_output=True),
        Kernel("ttv", ("ijk", "k"), "ij"),
        Kernel("ttm", ("ijl", "lk"), "ijk"),
        Kernel("mttkrp", ("ikl", "kj", "lj"), "ij"),
        Kernel("add3", ("ijk", "ijk"), "ijk", "sum", (0, 1)),
        Kernel("multiply3-sparse", ("ijk", "ijk"), "ijk", sparse=(0, 1), sparse_output=True),
    )
}


def program(kernel: Kernel, form: Format, element: str, width: str) -> str:
    """The module with the function "kernel"."""
    suffix = "i" if element in INTEGERS else "f"
    indices = kernel.indices
    mapped = ", ".join(
        f"affine_map<({', '.join(indices)}) -> ({', '.join(subscripts)})>"
        for subscripts in (*kernel.inputs, kernel.output)
    )
    iterators = ", ".join(
        '"parallel"' if index in kernel.output else '"reduction"' for index in indices
    )

    def tensor(subscripts: str, sparse: bool) -> str:
        extents = "?x" * len(subscripts)
        return f"tensor<{extents}{element}{', #Format' if sparse else ''}>"

    types = [tensor(text, k in kernel.sparse) for k, text in enumerate(kernel.inputs)]
    result = tensor(kernel.output, kernel.sparse_output)
    parameters = [f"%in{k}: {kind}" for k, kind in enumerate(types)]
    lines = []
    if kernel.makes_output:
        sizes = []
        for index in kernel.output:
            k = next(k for k, text in enumerate(kernel.inputs) if index in text)
            lines.append(f"%at_{index} = arith.constant {kernel.inputs[k].index(index)} : index")
            lines.append(f"%size_{index} = tensor.dim %in{k}, %at_{index} : {types[k]}")
            sizes.append(f"%size_{index}")
        lines.append(f"%out = tensor.empty({', '.join(sizes)}) : {result}")
    else:
        parameters.append(f"%out: {result}")
    if kernel.combine == "sample":
        lines.append(f"%zero = arith.constant {'0' if suffix == 'i' else '0.0'} : {element}")
    scalars = ", ".join([*(f"%x{k}: {element}" for k in range(len(types))), f"%y: {element}"])
    body = "\n      ".join(_body(kernel, element, suffix))
    inputs = ", ".join(f"%in{k}" for k in range(len(types)))
    prologue = "".join(f"    {line}\n" for line in lines)
    return f"""#Format = {form.encoding(width)}
#Access = {{ indexing_maps = [{mapped}], iterator_types = [{iterators}] }}
module {{
  func.func @kernel({", ".join(parameters)}) -> {result} {{
{prologue}    %result = linalg.generic #Access
        ins({inputs} : {", ".join(types)}) outs(%out : {result}) {{
    ^bb0({scalars}):
      {body}
    }} -> {result}
    return %result : {result}
  }}
}}
"""


def _body(kernel: Kernel, element: str, suffix: str) -> list[str]:
    """The operations on one element of each tensor."""
    if kernel.combine == "sum":
        return [
            f"%sum = arith.add{suffix} %x0, %x1 : {element}",
            f"linalg.yield %sum : {element}",
        ]
    lines = []
    product = "%x0"
    for k in range(1, len(kernel.inputs)):
        lines.append(f"%p{k} = arith.mul{suffix} {product}, %x{k} : {element}")
        product = f"%p{k}"
    if kernel.combine == "sample":
        inner = "\n        ".join(lines)
        return [
            f"""%sampled = sparse_tensor.unary %y : {element} to {element}
      present = {{
      ^bb0(%old: {element}):
        {inner}
        sparse_tensor.yield {product} : {element}
      }}
      absent = {{}}
      %next = sparse_tensor.reduce %y, %sampled, %zero : {element} {{
      ^bb0(%left: {element}, %right: {element}):
        %sum = arith.add{suffix} %left, %right : {element}
        sparse_tensor.yield %sum : {element}
      }}
      linalg.yield %next : {element}"""
        ]
    operation = "sub" if kernel.combine == "difference" else "add"
    lines.append(f"%next = arith.{operation}{suffix} %y, {product} : {element}")
    lines.append(f"linalg.yield %next : {element}")
    return lines


def mlir_opt() -> str:
    """Upstream's mlir-opt."""
    found = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
    assert found, "mlir-opt-22 is not on the PATH"
    return found


def sparsify(text: str, path: Path, *options: str) -> None:
    """Runs upstream's sparsifier on a module."""
    flag = "--sparsification-and-bufferization"
    if options:
        flag += "=" + " ".join(options)
    done = subprocess.run(
        [mlir_opt(), flag, "-", "-o", str(path)], input=text, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
