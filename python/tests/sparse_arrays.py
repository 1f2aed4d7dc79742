"""Arrays in formats, made of dense ones and back, one element after the other.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# What tests call formats, as emberc spells them, by number of dimensions.
SPELLED = {
    "csr": "dense,compressed",
    "csc": "dense,compressed@1,0",
    "dcsr": "compressed,compressed",
}

Coordinates = tuple[int, ...]


@dataclass(frozen=True)
class Format:
    """Levels by kind, whether their coordinates are unique, and their dimensions."""

    kinds: tuple[str, ...]
    unique: tuple[bool, ...]
    order: tuple[int, ...]

    @classmethod
    def parse(cls, text: str, rank: int) -> "Format":
        """A format as emberc's option has it."""
        text = text.split(":")[0]
        if text == "csf":
            text = ",".join(["compressed"] * rank)
        elif text == "dense":
            text = ",".join(["dense"] * rank)
        elif text == "bitmap":
            text = ",".join(["dense"] * (rank - 1) + ["bitmap"])
        elif text == "coo":
            above = ["compressed(nonunique)", *["singleton(nonunique)"] * (rank - 2), "singleton"]
            text = ",".join(above)
        text = SPELLED.get(text, text)
        levels, _, order = text.partition("@")
        kinds = levels.split(",")
        return cls(
            tuple(kind.split("(")[0] for kind in kinds),
            tuple("nonunique" not in kind for kind in kinds),
            tuple(map(int, order.split(","))) if order else tuple(range(rank)),
        )


def store(
    name: str, array: NDArray, fill: float, text: str, also: NDArray | None = None
) -> dict[str, NDArray | int]:
    """The parts of `array` in a format: sizes, levels and values, by a kernel's names for them.

    also: booleans, which elements are stored though they are the fill.
    """
    form = Format.parse(text, array.ndim)
    index = np.int32 if text.endswith(":i32") else np.int64
    turned = array.transpose(form.order)
    with np.errstate(invalid="ignore"):
        is_stored = ~((turned == fill) | (np.isnan(turned) & np.isnan(fill)))
    if also is not None:
        is_stored |= also.transpose(form.order)
    # Coordinates of elements, and of the elements that a position stands for.
    elements = [tuple(map(int, place)) for place in np.argwhere(is_stored)]
    entries: list[tuple[Coordinates, list[Coordinates]]] = [((), elements)]
    parts: dict[str, NDArray | int] = {
        f"{name}_size{dimension}": size for dimension, size in enumerate(array.shape)
    }
    for level, (kind, unique) in enumerate(zip(form.kinds, form.unique, strict=True)):
        below: list[tuple[Coordinates, list[Coordinates]]] = []
        positions, mask = [0], []
        for above, inside in entries:
            groups: dict[int, list[Coordinates]] = {}
            for element in inside:
                groups.setdefault(element[level], []).append(element)
            if kind in ("dense", "bitmap"):
                coordinates = range(turned.shape[level])
                mask += [coordinate in groups for coordinate in coordinates]
                below += [((*above, c), groups.get(c, [])) for c in coordinates]
            elif kind == "singleton":
                below += [((*above, element[level]), [element]) for element in inside]
            elif unique:
                below += [((*above, c), groups[c]) for c in sorted(groups)]
            else:
                below += [((*above, element[level]), [element]) for element in inside]
            positions.append(len(below))
        entries = below
        if kind == "compressed":
            parts[f"{name}_positions{level}"] = np.array(positions, index)
        if kind in ("compressed", "singleton"):
            parts[f"{name}_coordinates{level}"] = np.array([c[-1] for c, _ in entries], index)
        if kind == "bitmap":
            parts[f"{name}_mask{level}"] = np.array(mask, bool)
    values = [turned[place] for place, _ in entries]
    parts[f"{name}_values"] = np.array(values, array.dtype)
    return parts


def load(
    name: str, parts: dict[str, NDArray | int], shape: Sequence[int], fill: float, text: str
) -> NDArray:
    """The dense array that the parts of one in a format are."""
    form = Format.parse(text, len(shape))
    values = parts[f"{name}_values"]
    assert isinstance(values, np.ndarray)
    result = np.full(shape, fill, values.dtype)

    def array(what: str, level: int) -> NDArray:
        found = parts[f"{name}_{what}{level}"]
        assert isinstance(found, np.ndarray)
        return found

    def visit(level: int, position: int, place: Coordinates) -> None:
        if level == len(shape):
            original = [0] * len(shape)
            for dimension, coordinate in zip(form.order, place, strict=True):
                original[dimension] = coordinate
            result[tuple(original)] = values[position]
            return
        kind, size = form.kinds[level], shape[form.order[level]]
        if kind == "compressed":
            begin, end = array("positions", level)[position : position + 2]
            coordinates = array("coordinates", level)[begin:end].tolist()
            if form.unique[level]:
                assert coordinates == sorted(set(coordinates)), "coordinates do not increase"
            for at, coordinate in enumerate(coordinates, begin):
                visit(level + 1, at, (*place, coordinate))
        elif kind == "singleton":
            coordinate = int(array("coordinates", level)[position])
            visit(level + 1, position, (*place, coordinate))
        else:
            for coordinate in range(size):
                at = position * size + coordinate
                if kind == "dense" or array("mask", level)[at]:
                    visit(level + 1, at, (*place, coordinate))

    visit(0, 0, ())
    return result


def room(
    name: str, shape: Sequence[int], dtype: np.dtype, text: str, capacity: int
) -> dict[str, NDArray | int]:
    """Parts for a kernel to assemble an array in, with so many positions in each level."""
    form = Format.parse(text, len(shape))
    index = np.int32 if text.endswith(":i32") else np.int64
    parts: dict[str, NDArray | int] = {
        f"{name}_size{dimension}": size for dimension, size in enumerate(shape)
    }
    above = 1
    for level, kind in enumerate(form.kinds):
        size = shape[form.order[level]]
        if kind == "compressed":
            parts[f"{name}_positions{level}"] = np.full(above + 1, -7, index)
        if kind in ("compressed", "singleton"):
            parts[f"{name}_coordinates{level}"] = np.full(capacity, -7, index)
            above = capacity
        else:
            above *= size
        if kind == "bitmap":
            parts[f"{name}_mask{level}"] = np.zeros(above, bool)
    parts[f"{name}_values"] = np.full(above, 77, dtype)
    return parts
