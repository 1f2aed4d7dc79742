"""Arrays in a format, as statements take and give them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ember.dtypes import as_array
from ember.errors import ArgumentError
from ember.sparse import levels as level_arrays
from ember.sparse.format import Format, Level, format_named
from ember.sparse.levels import Stored


class Array:
    """An array in a format.

    format: with its fill. shape: sizes of dimensions. values: what is stored, by position. stored:
    the arrays of each level, by what they are called: positions, coordinates, mask.
    """

    def __init__(
        self, format: Format | str, shape: Sequence[int], values: Any, stored: Sequence[Any] = ()
    ) -> None:
        """An array of its parts, which are taken as they are where they can be.

        stored: for each level that has arrays, outermost first: (positions, coordinates) of a
        compressed one, coordinates of a singleton, booleans of a bitmap. Raises ArgumentError for
        parts that do not fit together, or coordinates that do not increase where the format says
        that they do.
        """
        self.format = format_named(format) if isinstance(format, str) else format
        if self.format.encoding is not None:
            raise ArgumentError(f"an array in rows of {self.format.name} is an es.Encoded")
        self.shape = _sizes(shape)
        self.values: np.ndarray = _elements_of(values)
        self.levels: tuple[Level, ...] = self.format.levels(len(self.shape))
        self.stored: Stored = self._named(list(stored))
        self.format.fill_of(self.dtype)
        if self.values.ndim != 1:
            raise ArgumentError(f"values have 1 dimension, not {self.values.ndim}")
        self.values = np.ascontiguousarray(self.values)
        level_arrays.check(self.stored, self.levels, self.shape, len(self.values))

    def _named(self, given: list[Any]) -> Stored:
        """The arrays of all levels by name."""
        named: Stored = []
        for number, level in enumerate(self.levels):
            if not level.arrays:
                named.append({})
                continue
            if not given:
                raise ArgumentError(f"level {number}, which is {level.kind}, has no arrays")
            arrays = given.pop(0)
            parts = list(arrays) if len(level.arrays) > 1 else [arrays]
            if len(parts) != len(level.arrays):
                raise ArgumentError(f"level {number} has {' and '.join(level.arrays)}")
            mine = {}
            for name, part in zip(level.arrays, parts, strict=True):
                if name == "mask":
                    mine[name] = np.ascontiguousarray(part, np.bool_)
                    continue
                numbers = np.asarray(part)
                if numbers.dtype.kind not in "iu" and numbers.size:
                    raise ArgumentError(f"the {name} of level {number} are {numbers.dtype}")
                mine[name] = level_arrays.as_indices(numbers, self.format)
            named.append(mine)
        if given:
            raise ArgumentError(f"there are {len(given)} more arrays than levels need")
        return named

    @classmethod
    def of_room(
        cls, format: Format, shape: tuple[int, ...], values: np.ndarray, stored: Stored
    ) -> "Array":
        """An array of parts that fit, or that a kernel is to fill."""
        array = cls.__new__(cls)
        array.format, array.shape, array.values, array.stored = format, shape, values, stored
        array.levels = format.levels(len(shape))
        return array

    @classmethod
    def from_coordinates(
        cls,
        coordinates: Sequence[Any],
        values: Any,
        shape: Sequence[int],
        format: Format | str = "coo",
    ) -> "Array":
        """The array that has these values at these coordinates, one array a dimension.

        Elements may come in any order; those at the same coordinates are added. Raises
        ArgumentError.
        """
        form = format_named(format) if isinstance(format, str) else format
        sizes, elements = _sizes(shape), _elements_of(values)
        numbers = [
            _whole_numbers(one, f"coordinates of dimension {dimension}")
            for dimension, one in enumerate(coordinates)
        ]
        if len(numbers) != len(sizes) or any(one.shape != elements.shape for one in numbers):
            raise ArgumentError("there is not one coordinate of each dimension for each value")
        for dimension, (mine, size) in enumerate(zip(numbers, sizes, strict=True)):
            if mine.size and not 0 <= int(mine.min()) <= int(mine.max()) < size:
                raise ArgumentError(
                    f"coordinates of dimension {dimension} are from {mine.min()} to {mine.max()}, "
                    f"and it has size {size}"
                )
        stored, positions, count = level_arrays.store(numbers, sizes, form, form.levels(len(sizes)))
        fill = form.fill_of(elements.dtype)
        result = np.full(count, fill, elements.dtype)
        if len(np.unique(positions)) == len(positions):
            result[positions] = elements
        else:
            result[positions] = 0
            np.add.at(result, positions, elements)
        return cls.of_room(form, sizes, result, stored)

    @property
    def dtype(self) -> np.dtype:
        """The type of elements."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    @property
    def fill(self) -> Any:
        """What is not stored, as an element; None where it is missing."""
        return None if self.format.is_missing else self.format.fill_of(self.dtype)

    @property
    def nnz(self) -> int:
        """How many elements are stored, fills among them."""
        return len(self.coordinates()[1]) if self._has_mask else len(self.values)

    @property
    def _has_mask(self) -> bool:
        return any(level.kind == "bitmap" for level in self.levels)

    @property
    def stores_fill(self) -> bool:
        """Whether a stored element is the fill, or elements that are added may be.

        Looked for once: after values are changed in place, set `values` anew.
        """
        known: bool | None = self.__dict__.get("_stores_fill")
        if known is None or self.__dict__.get("_scanned") is not self.values:
            known = self._find_fill()
            self.__dict__.update(_stores_fill=known, _scanned=self.values)
        return known

    def _find_fill(self) -> bool:
        """Looks at all that is stored."""
        if self.format.is_missing:
            return False
        if not all(level.unique for level in self.levels):
            return True
        values, fill = self.values, self.fill
        if self._has_mask and not self.levels[-1].is_listed:
            values = values[self.coordinates()[1]]
        return bool(((values == fill) | ((values != values) & (fill != fill))).any())

    def coordinates(self) -> tuple[list[np.ndarray], np.ndarray]:
        """Of what is stored, in the order of levels: coordinates by dimension, and positions."""
        return level_arrays.coordinates_of(self.stored, self.levels, self.shape)

    def to(self, format: Format | str) -> "Array":
        """The array in another format, which has the same fill; raises ArgumentError.

        Where a fill is missing, and in its place if it is, any other one may be asked for.
        """
        form = format_named(format) if isinstance(format, str) else format
        if form.fill is None:
            form = replace(form, fill=self.format.fill)
        fill = form.fill_of(self.dtype)
        is_known = not (form.is_missing or self.format.is_missing)
        if is_known and fill != self.fill and not self.fill != self.fill:
            raise ArgumentError(f"what is not stored is {self.fill}, and not {form.fill}")
        coordinates, positions = self.coordinates()
        return Array.from_coordinates(coordinates, self.values[positions], self.shape, form)

    def to_numpy(self, fill: Any = None) -> np.ndarray:
        """The array with all its elements.

        fill: what those are that are missing, if any may be. Raises ArgumentError.
        """
        if self.format.is_missing and fill is None:
            raise ArgumentError(
                "what is not stored is missing: to_numpy(fill=...) says what takes its place"
            )
        if not self.format.is_missing and fill is not None and fill != self.fill:
            raise ArgumentError(f"what is not stored is {self.fill}, and not {fill}")
        coordinates, positions = self.coordinates()
        whole = replace(self.format, fill=fill) if self.format.is_missing else self.format
        result = np.full(self.shape, whole.fill_of(self.dtype), self.dtype)
        place = tuple(coordinates)
        if all(level.unique for level in self.levels):
            result[place] = self.values[positions]
            return result
        result[place] = 0
        np.add.at(result, place, self.values[positions])
        return result

    def to_scipy(self) -> Any:
        """A scipy.sparse array: csr_array, csc_array or, of any other format, coo_array.

        It shares memory where it can. Raises ArgumentError where what is not stored is not 0.
        """
        import scipy.sparse

        self._require_zero("SciPy")
        kinds = [level.kind for level in self.levels]
        if kinds == ["dense", "compressed"] and self.levels[1].unique:
            makes = {1: scipy.sparse.csr_array, 0: scipy.sparse.csc_array}
            below = self.stored[1]
            parts = (self.values, below["coordinates"], below["positions"])
            return makes[self.levels[1].dimension](parts, shape=self.shape)
        coordinates, positions = self.coordinates()
        return scipy.sparse.coo_array((self.values[positions], coordinates), shape=self.shape)

    def to_torch(self) -> Any:
        """A sparse tensor: of layout sparse_csr, sparse_csc or, of any other format, sparse_coo.

        It shares memory where it can. Raises ArgumentError where what is not stored is not 0.
        """
        import torch

        self._require_zero("PyTorch")
        kinds = [level.kind for level in self.levels]
        tensor = torch.from_numpy
        if kinds == ["dense", "compressed"] and self.levels[1].unique:
            layouts = {1: torch.sparse_csr, 0: torch.sparse_csc}
            below = self.stored[1]
            return torch.sparse_compressed_tensor(
                tensor(below["positions"]),
                tensor(below["coordinates"]),
                tensor(self.values),
                self.shape,
                layout=layouts[self.levels[1].dimension],
                check_invariants=False,
            )
        coordinates, positions = self.coordinates()
        indices = tensor(np.stack(coordinates).astype(np.int64))
        values = tensor(self.values[positions])
        return torch.sparse_coo_tensor(indices, values, self.shape, check_invariants=False)

    def _require_zero(self, whose: str) -> None:
        """That what is not stored is what others take it for."""
        if self.fill != 0:
            fill = self.format.fill
            raise ArgumentError(
                f"what is not stored is {fill}, and sparse arrays of {whose} know 0 only"
            )

    def __repr__(self) -> str:
        """What a session prints."""
        fill = self.format.fill if self.format.is_missing else self.fill
        return (
            f"<{'x'.join(map(str, self.shape))} array of {self.dtype} in format "
            f"{self.format.name!r}, {len(self.values)} values stored, fill {fill}>"
        )


def asarray(source: Any, format: Format | str | None = None) -> Array:
    """An array in a format of any other: NumPy's, PyTorch's, SciPy's or PyData's, sparse ones too.

    format: None leaves sparse arrays in the format that they are in, and makes other ones csf (csr,
    for two dimensions). Of an array of NumPy, all that is not the fill is stored, and all of it
    where the fill is "missing". Memory is shared where it can be. Raises ArgumentError.
    """
    if getattr(source, "requires_grad", False):
        raise ArgumentError("the tensor needs a gradient, and an es.Array has none: detach() it")
    found = as_sparse(source)
    if found is None:
        form = format_named(format) if isinstance(format, str) else format
        elements = _elements_of(source)
        _sizes(elements.shape)
        form = form or Format("csr" if elements.ndim == 2 else "csf")
        fill = form.fill_of(elements.dtype)
        with np.errstate(invalid="ignore"):
            is_fill = (elements == fill) | ((elements != elements) & (fill != fill))
        is_stored = np.ones_like(is_fill) if form.is_missing else ~is_fill
        place = np.nonzero(is_stored)
        return Array.from_coordinates(place, elements[place], elements.shape, form)
    return found if format is None else found.to(format)


def _elements_of(source: Any) -> np.ndarray:
    """A dense array of any library as NumPy's, which shares memory where it can."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(source, torch.Tensor):
        # NumPy knows no views that negate what memory holds.
        source = source.resolve_neg()
    elements = as_array(source)
    if elements.dtype.kind in "OSUcmM":
        raise ArgumentError(f"elements of type {elements.dtype} are not taken")
    return elements


def _sizes(shape: Sequence[Any]) -> tuple[int, ...]:
    """Those of an array in a format, which has a dimension at least."""
    try:
        sizes = tuple(map(operator.index, shape))
    except TypeError:
        sizes = ()
    if not sizes or min(sizes) < 0:
        raise ArgumentError(f"a shape is one size or more, each a whole number from 0, not {shape}")
    return sizes


def _whole_numbers(given: Any, what: str) -> np.ndarray:
    """An array of integers, which an empty one of another type becomes."""
    numbers = np.asarray(given)
    if numbers.dtype.kind in "iu":
        return numbers
    if numbers.size:
        raise ArgumentError(f"{what} are whole numbers, not of type {numbers.dtype}")
    return numbers.astype(np.int64)


def as_sparse(source: Any) -> Array | None:
    """An array in a format out of a sparse array of some library; None for what is none."""
    if isinstance(source, Array):
        return source
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(source, torch.Tensor):
        return None if source.layout is torch.strided else _from_torch(source, torch)
    scipy = sys.modules.get("scipy.sparse")
    if scipy is not None and scipy.issparse(source):
        return _from_scipy(source)
    pydata: Any = sys.modules.get("sparse")
    array_type: Any = getattr(pydata, "SparseArray", ())
    if isinstance(source, array_type):
        whole = source if isinstance(source, pydata.COO) else source.tocoo()
        form = Format("coo", fill=float(whole.fill_value))
        return Array.from_coordinates(list(whole.coords), whole.data, whole.shape, form)
    return None


def _index_name(dtype: np.dtype) -> str:
    """How the compiler spells the type of positions."""
    return f"i{8 * dtype.itemsize}"


def _compressed(
    shape: tuple[int, ...],
    positions: np.ndarray,
    coordinates: np.ndarray,
    values: np.ndarray,
    turned: bool,
) -> Array:
    """An array by rows, or by columns if it is turned, of parts that are known to fit."""
    form = format_named(f"{'csc' if turned else 'csr'}:{_index_name(coordinates.dtype)}")
    arrays = {"positions": np.ascontiguousarray(positions, coordinates.dtype)}
    arrays["coordinates"] = np.ascontiguousarray(coordinates)
    return Array.of_room(form, shape, np.ascontiguousarray(values), [{}, arrays])


def _from_scipy(source: Any) -> Array:
    # Whether coordinates are in order, SciPy finds out once, and believes the positions.
    if hasattr(source, "indptr") and vars(source).get("_has_canonical_format") is not True:
        _check_positions(source)
    if source.format not in ("csr", "csc", "coo"):
        source = source.tocsr() if source.ndim == 2 else source.tocoo()
    if source.format == "coo":
        coordinates = source.coords if hasattr(source, "coords") else (source.row, source.col)
        form = f"coo:{_index_name(coordinates[0].dtype)}"
        return Array.from_coordinates(coordinates, source.data, source.shape, form)
    if not source.has_canonical_format:
        source = source.copy()
        source.sum_duplicates()
    shape = tuple(map(int, source.shape))
    parts = (source.indptr, source.indices, source.data)
    return _compressed(shape, *parts, turned=source.format == "csc")


def _check_positions(source: Any) -> None:
    """Raises ArgumentError where the positions of an array of SciPy's are none: anybody may have
    changed them."""
    positions, count = source.indptr, min(len(source.indices), len(source.data))
    if positions[0] != 0:
        raise ArgumentError(f"indptr has to begin at 0, but does at {positions[0]}")
    if (np.diff(positions) < 0).any():
        at = int((np.diff(positions) < 0).argmax())
        raise ArgumentError(
            f"indptr decreases: [{at}] is {positions[at]}, but [{at + 1}] is {positions[at + 1]}"
        )
    if positions[-1] > count:
        raise ArgumentError(f"indptr ends at {positions[-1]}, but there are {count} elements")


def _from_torch(source: Any, torch: Any) -> Array:
    source = source.detach()
    shape = tuple(source.shape)
    if source.layout in (torch.sparse_csr, torch.sparse_csc) and len(shape) == 2:
        turned = source.layout is torch.sparse_csc
        positions = source.ccol_indices() if turned else source.crow_indices()
        coordinates = source.row_indices() if turned else source.col_indices()
        array = _compressed(
            shape, positions.numpy(), coordinates.numpy(), _elements_of(source.values()), turned
        )
        level_arrays.check(array.stored, array.levels, shape, len(array.values))
        return array
    if source.layout is not torch.sparse_coo or source.dense_dim():
        source = source.to_sparse_coo() if source.layout is not torch.sparse_coo else source
        if source.dense_dim():
            raise ArgumentError("sparse tensors of dense blocks are not taken: make them whole")
    source = source.coalesce()
    return Array.from_coordinates(
        list(source.indices().numpy()), _elements_of(source.values()), shape
    )
