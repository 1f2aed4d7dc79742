"""What a function of a graph takes and returns, read off its MLIR text.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ember.dtypes import DTYPES
from ember.errors import CompileError
from ember.sparse.format import Format

_FUNCTION = re.compile(r"func\.func @(?P<name>[\w$.]+)\(")
_PARAMETER = re.compile(r"%[\w$.-]+: (?P<type>.*?)(?: \{(?P<marks>[^{}]*)\})?(?:, (?=%)|$)")
_NAME = re.compile(r'ember\.name = "([^"]*)"')
_TENSOR = re.compile(r"tensor<(?P<sizes>(?:[?\d]+x)*)(?P<element>\w+)(?:, (?P<format>.+))?>")
_ALIAS = re.compile(r"^(#[\w$.-]+) = (.+)$", re.MULTILINE)
_FORMAT = re.compile(
    r"#cin\.format<(?P<levels>.*?)(?: order (?P<order>[\d, ]+?))?"
    r"(?: fill (?P<fill>\S+)(?: : (?P<type>\w+))?)?(?: no_stored_fill)?>"
)


@dataclass(frozen=True)
class Value:
    """A parameter or a result.

    name: of a parameter, as the statement has it. element: as MLIR spells it. rank: 0 for numbers
    and for tensors without dimensions; is_tensor tells these apart. format: of what has levels
    other than dense ones, as the compiler spells it; None for arrays with all elements.
    """

    name: str
    element: str
    rank: int
    is_tensor: bool
    format: Format | None = None

    @property
    def dtype(self) -> np.dtype:
        """The type of elements in NumPy."""
        if self.element not in DTYPES:
            raise CompileError(f"no array has elements of type {self.element}")
        return np.dtype(DTYPES[self.element].name)


@dataclass(frozen=True)
class Signature:
    """The function of a graph: its name, parameters and results."""

    name: str
    parameters: tuple[Value, ...]
    results: tuple[Value, ...]


def signature_of(text: str) -> Signature:
    """The signature of the one function that has a sam.graph; raises CompileError."""
    formats = dict(_ALIAS.findall(text))
    for match in _FUNCTION.finditer(text):
        inside, rest = _enclosed(text, match.end() - 1)
        head, _, body = rest.partition("{\n")
        if "sam.graph" not in body.partition("\nfunc.func ")[0].partition("\n  func.func ")[0]:
            continue
        parameters = []
        for number, found in enumerate(_PARAMETER.finditer(inside)):
            named = _NAME.search(found["marks"] or "")
            name = named[1] if named else f"argument{number}"
            parameters.append(_value(name, found["type"], formats))
        results = _results(head, formats)
        return Signature(match["name"], tuple(parameters), results)
    raise CompileError("the program has no function with a sam.graph")


def _enclosed(text: str, opening: int) -> tuple[str, str]:
    """What a parenthesis encloses, and what comes behind it."""
    depth = 0
    is_quoted = False
    for place in range(opening, len(text)):
        character = text[place]
        if character == '"':
            is_quoted = not is_quoted
        if is_quoted:
            continue
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[opening + 1 : place], text[place + 1 :]
    raise CompileError("the program ends within a function's parameters")


def _results(head: str, formats: dict[str, str]) -> tuple[Value, ...]:
    """The results, of what stands between the parameters and the body."""
    arrow, _, _ = head.partition(" attributes ")
    types = arrow.strip().removeprefix("->").strip()
    if types.startswith("("):
        types, _ = _enclosed(types, 0)
    found = re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>|\w+", types)
    return tuple(_value(f"result{number}", one, formats) for number, one in enumerate(found))


def _value(name: str, spelled: str, formats: dict[str, str]) -> Value:
    """A parameter or a result of a type; formats: by their aliases."""
    match = _TENSOR.fullmatch(spelled.strip())
    if match is None:
        return Value(name, spelled.strip(), 0, is_tensor=False)
    rank = match["sizes"].count("x")
    encoding = match["format"]
    form = _format(formats.get(encoding, encoding), rank) if encoding else None
    return Value(name, match["element"], rank, is_tensor=True, format=form)


def _format(spelled: str, rank: int) -> Format | None:
    """A format of the dialect as ember.sparse has it; None for one that is all dense."""
    match = _FORMAT.fullmatch(spelled.strip())
    if match is None:
        raise CompileError(f"{spelled} is no format that arrays can be stored in")
    name = match["levels"].replace(" ", "")
    if match["order"]:
        name += "@" + match["order"].replace(" ", "")
    form = Format(name, fill=_fill(match["fill"], match["type"]))
    return None if all(level.kind == "dense" for level in form.levels(rank)) else form


def _fill(spelled: str | None, element: str | None) -> Any:
    """What is not stored, from its text: a number, its bits, or "missing"."""
    if spelled is None or spelled == "missing":
        return spelled
    if spelled.startswith("0x") and element in DTYPES:
        bits = np.dtype(DTYPES[element].name).itemsize
        return float(np.array(int(spelled, 16), f"uint{8 * bits}").view(DTYPES[element].name))
    if spelled in ("true", "false"):
        return spelled == "true"
    return float(spelled)
