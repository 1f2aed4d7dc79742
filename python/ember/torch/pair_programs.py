"""Loops over pairs of the rows of every sample: their products, and where products' gradients go.

DLRM's interaction multiplies all rows of a sample with all others and then takes half of the
products, or less. Here the pairs that are asked for are lookups of two rows each.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from string import Template

ENTRY = "pairs"
# How the places of pairs are stored: row and column apart, as rows of a matrix, or as one number.
TWO, ROWS, FLAT = "two", "rows", "flat"
_CONSTANTS = """\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant $count : index
  %length = arith.constant $length : index
  %zero = arith.constant 0.0 : $value
"""
# Sums within a row may be in any order, as in the embed dialect.
_PRODUCTS = Template(
    _CONSTANTS
    + """\
  %batch = memref.dim %rows, %c0 : $rows
  %pairs = memref.dim $places, $dim : $kind
$starts$checks\
  scf.for %b = %c0 to %batch step %c1 {
    scf.for %p = %c0 to %pairs step %c1 {
$load\
      %product = scf.for %e = %c0 to %length step %c1 iter_args(%before = %zero) -> ($value) {
        %one = memref.load %rows[%b, %i, %e] : $rows
        %other = memref.load %rows[%b, %j, %e] : $rows
        %both = arith.mulf %one, %other fastmath<contract> : $value
        %after = arith.addf %before, %both fastmath<reassoc,contract> : $value
        scf.yield %after : $value
      }
      %place = arith.addi %first, %p : index
      memref.store %product, %out[%b, %place] : $out
    }
$copies\
  }
"""
)
_COPY = Template("""\
    scf.for %e = %c0 to %length$k step %c1 {
      %element = memref.load %beside$k[%b, %e] : $kind
      %place = arith.addi %start$k, %e : index
      memref.store %element, %out[%b, %place] : $out
    }
""")
_CHECK = Template("""\
  %size_$name = memref.dim %$name, %c0 : $kind
  %fits_$name = arith.cmpi eq, %size_$name, $size : index
  cf.assert %fits_$name, "there are not as many of '$name' as of the others"
""")
# What a row gets of the product's gradient times the other row: twice if it is with itself.
_WEIGHTS = Template(
    _CONSTANTS
    + """\
  %batch = memref.dim %gradient, %c0 : $gradient
  %pairs = memref.dim %gradient, %c1 : $gradient
  scf.for %b = %c0 to %batch step %c1 {
    scf.for %i = %c0 to %count step %c1 {
      scf.for %j = %c0 to %count step %c1 {
        memref.store %zero, %out[%b, %i, %j] : $out
      }
    }
    scf.for %p = %c0 to %pairs step %c1 {
$load\
      %one = memref.load %gradient[%b, %p] : $gradient
      %before = memref.load %out[%b, %i, %j] : $out
      %after = arith.addf %before, %one : $value
      memref.store %after, %out[%b, %i, %j] : $out
      %before1 = memref.load %out[%b, %j, %i] : $out
      %after1 = arith.addf %before1, %one : $value
      memref.store %after1, %out[%b, %j, %i] : $out
    }
  }
"""
)


@dataclass(frozen=True)
class PairProgram:
    """What is fixed in a kernel.

    count: rows of a sample; length: of a row. value: the type of elements. places, index: how the
    places of pairs are stored (TWO, ROWS or FLAT), and their type. pairs: how many there are, None
    if that is of the call. beside: lengths of what is copied beside the products, in order, with
    None in the products' place.
    """

    count: int
    length: int
    value: str
    places: str
    index: str
    pairs: int | None
    beside: tuple[int | None, ...] = (None,)

    @property
    def place_types(self) -> dict[str, str]:
        """The types of the operands that hold the places of pairs, by name."""
        pairs = _size(self.pairs)
        if self.places == ROWS:
            return {"places": f"memref<2x{pairs}x{self.index}, strided<[?, ?], offset: ?>>"}
        one = f"memref<{pairs}x{self.index}, strided<[?], offset: ?>>"
        return {"places": one} if self.places == FLAT else {"places0": one, "places1": one}

    def _load(self) -> str:
        """Loads the rows of a pair as %i and %j."""
        lines = []
        kind = next(iter(self.place_types.values()))
        stored = {
            TWO: ("%places0[%p]", "%places1[%p]"),
            ROWS: ("%places[%c0, %p]", "%places[%c1, %p]"),
            FLAT: ("%places[%p]",),
        }[self.places]
        names = ("%flat",) if self.places == FLAT else ("%i", "%j")
        for k, (name, place) in enumerate(zip(names, stored, strict=True)):
            lines.append(f"%stored{k} = memref.load {place} : {kind}")
            lines.append(f"{name} = arith.index_cast %stored{k} : {self.index} to index")
        if self.places == FLAT:
            lines.append("%i = arith.divui %flat, %count : index")
            lines.append("%j = arith.remui %flat, %count : index")
        return "".join(f"      {line}\n" for line in lines)

    def products(self) -> str:
        """The MLIR module: rows (samples, count, length), places, what stands beside the products
        (samples, its length), and the result (samples, all of it side by side).
        """
        width: int | None = self.pairs
        if width is not None:
            width += sum(one for one in self.beside if one is not None)
        out = f"memref<?x{_size(width)}x{self.value}>"
        rows = f"memref<?x{self.count}x{self.length}x{self.value}, strided<[?, ?, 1], offset: ?>>"
        types = {"rows": rows, **self.place_types}
        starts, copies, checks, start, behind = "", "", "", 0, False
        if self.places == TWO:
            (kind, _) = self.place_types.values()
            checks += _CHECK.substitute(name="places1", kind=kind, size="%pairs")
        for k, length in enumerate(self.beside):
            name = "%first" if length is None else f"%start{k}"
            if behind:
                starts += f"  %offset{k} = arith.constant {start} : index\n"
                starts += f"  {name} = arith.addi %pairs, %offset{k} : index\n"
            else:
                starts += f"  {name} = arith.constant {start} : index\n"
            if length is None:
                behind = True
                continue
            kind = f"memref<?x{length}x{self.value}, strided<[?, 1], offset: ?>>"
            types[f"beside{k}"] = kind
            starts += f"  %length{k} = arith.constant {length} : index\n"
            copies += _COPY.substitute(k=k, kind=kind, out=out)
            checks += _CHECK.substitute(name=f"beside{k}", kind=kind, size="%batch")
            start += length
        types["out"] = out
        body = _PRODUCTS.substitute(
            self._words(),
            rows=rows,
            out=out,
            starts=starts,
            checks=checks,
            copies=copies,
            dim="%c1" if self.places == ROWS else "%c0",
        )
        return _function(types, body)

    def weights(self) -> str:
        """The MLIR module: the products' gradients (samples, pairs), places, and the result
        (samples, count, count): what every row's gradient gets of every row.
        """
        gradient = f"memref<?x{_size(self.pairs)}x{self.value}, strided<[?, 1], offset: ?>>"
        out = f"memref<?x{self.count}x{self.count}x{self.value}>"
        types = {"gradient": gradient, **self.place_types, "out": out}
        return _function(types, _WEIGHTS.substitute(self._words(), gradient=gradient, out=out))

    def _words(self) -> dict[str, object]:
        """What both programs are written with."""
        name, kind = next(iter(self.place_types.items()))
        return {
            "count": self.count,
            "length": self.length,
            "value": self.value,
            "places": f"%{name}",
            "kind": kind,
            "load": self._load(),
        }


def _size(size: int | None) -> str:
    return "?" if size is None else str(size)


def _function(types: dict[str, str], body: str) -> str:
    parameters = ",\n    ".join(
        f'%{name}: {kind} {{ember.name = "{name}"}}' for name, kind in types.items()
    )
    return f"func.func @{ENTRY}(\n    {parameters}) {{\n{body}  return\n}}\n"
