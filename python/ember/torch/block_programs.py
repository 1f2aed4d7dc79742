"""Loops that gather blocks of rows, and multiply what they gather, where the tensors lie.

Unlike the operations of the embed dialect, sources have groups (batches, heads) that the numbers of
blocks count from, and no tensor but the result has to be contiguous: attention cuts its heads from
columns of one matrix, and its windows from the middle of all blocks.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

ENTRY = "blocks"

_GATHER = """\
    scf.for %j = %c0 to %each step %c1 {{
{block}
      scf.for %t = %c0 to %block_size step %c1 {{
        scf.for %e = %c0 to %length step %c1 {{
          %element = memref.load %source[{groups}%block, %t, %e] : {source}
          memref.store %element, %out[%i, %j, %t, %e] : {out}
        }}
      }}
    }}
"""
_SCORES = """\
    scf.for %j = %c0 to %each step %c1 {{
{block}
      %first = arith.muli %j, %block_size : index
      scf.for %q = %c0 to %queries step %c1 {{
        scf.for %t = %c0 to %block_size step %c1 {{
          %place = arith.addi %first, %t : index
          %score = scf.for %e = %c0 to %length step %c1 iter_args(%sum = %zero) -> ({value}) {{
            %element = memref.load %source[{groups}%block, %t, %e] : {source}
            %other = memref.load %factor[{window}, %q, %e] : {factor}
            %product = arith.mulf %other, %element fastmath<contract> : {value}
            %next = arith.addf %sum, %product fastmath<reassoc,contract> : {value}
            scf.yield %next : {value}
          }}
          memref.store %score, %out[%i, %q, %place] : {out}
        }}
      }}
    }}
"""
_VALUES = """\
    scf.for %q = %c0 to %queries step %c1 {{
      scf.for %e = %c0 to %length step %c1 {{
        memref.store %zero, %out[%i, %q, %e] : {out}
      }}
    }}
    scf.for %j = %c0 to %each step %c1 {{
{block}
      %first = arith.muli %j, %block_size : index
      scf.for %q = %c0 to %queries step %c1 {{
        scf.for %t = %c0 to %block_size step %c1 {{
          %place = arith.addi %first, %t : index
          %weight = memref.load %factor[{window}, %q, %place] : {factor}
          scf.for %e = %c0 to %length step %c1 {{
            %element = memref.load %source[{groups}%block, %t, %e] : {source}
            %before = memref.load %out[%i, %q, %e] : {out}
            %after = math.fma %element, %weight, %before : {value}
            memref.store %after, %out[%i, %q, %e] : {out}
          }}
        }}
      }}
    }}
"""
_BLOCK = """\
      %stored = memref.load %blocks[{window}, %j] : {blocks}
      %block = arith.index_cast %stored : {index} to index"""


@dataclass(frozen=True)
class BlockProgram:
    """What is fixed in a kernel.

    operation: gather, scores (products of rows with those of gathered blocks) or values (sums of
    gathered rows, weighted). value, index: types of elements and of the numbers of blocks. groups:
    dimensions that sources, numbers and factors have in common. windows: further dimensions of
    the numbers in front of their last, which is the blocks of a window. queries: rows of a
    window's factor; 0: those of the call.
    """

    operation: str
    value: str
    index: str
    groups: int
    windows: int
    block_size: int
    length: int
    queries: int = 0

    @property
    def factor_length(self) -> int | None:
        """The elements of a row of the factor; None: those of the call."""
        return self.length if self.operation == "scores" else None

    def types(self) -> dict[str, str]:
        """The types of the parameters by name, in their order: any strides, but for the result."""
        leading: list[int | None] = [None] * (self.groups + self.windows)
        rows = [*leading[: self.groups], None, self.block_size, self.length]
        found = {
            "source": _strided(rows, self.value),
            "blocks": _strided([*leading, None], self.index),
        }
        if self.operation != "gather":
            rows = [*leading, self.queries or None, self.factor_length]
            found["factor"] = _strided(rows, self.value)
        queries = self.queries or "?"
        out = {
            "gather": f"?x{self.block_size}x{self.length}",
            "scores": f"{queries}x?",
            "values": f"{queries}x{self.length}",
        }[self.operation]
        return {**found, "out": f"memref<?x{out}x{self.value}>"}

    def text(self) -> str:
        """The MLIR module: source (groups, blocks, block_size, length), numbers (groups, windows,
        blocks of a window), factor (groups, windows, queries, its length), and the result, whose
        first dimension is all windows.
        """
        types = self.types()
        parameters = ",\n    ".join(
            f'%{name}: {kind} {{ember.name = "{name}"}}' for name, kind in types.items()
        )
        rank = self.groups + self.windows
        lines = [f"  %c{k} = arith.constant {k} : index" for k in range(max(rank, 1) + 1)]
        lines.append(f"  %block_size = arith.constant {self.block_size} : index")
        lines.append(f"  %length = arith.constant {self.length} : index")
        lines.append(f"  %queries = memref.dim %out, %c1 : {types['out']}")
        if self.operation != "gather":
            lines.append(f"  %zero = arith.constant 0.0 : {self.value}")
        lines.append(f"  %all = memref.dim %out, %c0 : {types['out']}")
        lines.append(f"  %each = memref.dim %blocks, %c{rank} : {types['blocks']}")
        # One loop over all windows, so that it can be shared out to threads whatever their sizes.
        inside, rest = [], "%i"
        for dim in range(rank - 1, 0, -1):
            lines.append(f"  %size{dim} = memref.dim %blocks, %c{dim} : {types['blocks']}")
            inside.append(f"    %at{dim} = arith.remui {rest}, %size{dim} : index")
            inside.append(f"    %rest{dim} = arith.divui {rest}, %size{dim} : index")
            rest = f"%rest{dim}"
        places = [rest, *(f"%at{dim}" for dim in range(1, rank))]
        words = {
            **types,
            "value": self.value,
            "index": self.index,
            "window": ", ".join(places),
            "groups": "".join(f"{place}, " for place in places[: self.groups]),
        }
        nest = {"gather": _GATHER, "scores": _SCORES, "values": _VALUES}[self.operation]
        body = nest.format(block=_BLOCK.format(**words), **words)
        return (
            f"func.func @{ENTRY}(\n    {parameters}) {{\n"
            + "\n".join(lines)
            + "\n  scf.for %i = %c0 to %all step %c1 {\n"
            + "\n".join(inside)
            + f"\n{body}  }}\n  return\n}}\n"
        )


def _strided(sizes: list[int | None], element: str) -> str:
    """The type of a memref of any strides; rows are contiguous where their length is known."""
    shape = "".join(f"{'?' if size is None else size}x" for size in sizes)
    last = "1" if sizes[-1] is not None else "?"
    strides = ", ".join(["?"] * (len(sizes) - 1) + [last])
    return f"memref<{shape}{element}, strided<[{strides}], offset: ?>>"
