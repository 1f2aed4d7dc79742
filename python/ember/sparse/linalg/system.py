"""Linear systems: what solvers are given, checked, and the vectors that they work on.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ember.errors import ArgumentError
from ember.sparse.linalg.matrix import Matrix, check_finite, matrix_of
from ember.sparse.linalg.partition import Partition
from ember.sparse.linalg.preconditioner import Preconditioner
from ember.sparse.linalg.sweep import Sweep, run_behind

_WIDTHS: dict[str, np.dtype[Any]] = {"f": np.dtype(np.float32), "d": np.dtype(np.float64)}


class System:
    """A x = b, or A X = B, and arrays for the vectors of a solver.

    arrays: by the names that statements have for them. Each has the rows of the partition, so that
    the last block is whole, and zeros in those that are no rows of A.
    """

    def __init__(
        self, matrix: Any, right: Any, guess: Any, preconditioner: Any, is_block: bool = False
    ) -> None:
        for name, given in (("A", matrix), ("b", right), ("x0", guess), ("M", preconditioner)):
            _refuse_complex(name, given)
        matrix = matrix_of("A", matrix)
        shape = tuple(int(extent) for extent in matrix.shape)
        if len(shape) != 2 or len(set(shape)) != 1:
            raise ArgumentError(
                f"A has the shape {shape}: a system has as many equations as unknowns"
            )
        size = int(shape[0])
        self.is_tensor = _is_tensor(right)
        right = dense("b", right)
        allowed = right.ndim == 2 and len(right) == size
        if not is_block:
            allowed = right.shape in ((size,), (size, 1))
        if not allowed:
            raise ArgumentError(
                f"b has the shape {right.shape}, and A asks for {size} rows"
                + ("" if is_block else " and one column")
            )
        self.dtype = _type_of(matrix, right)
        self.shape: tuple[int, ...] = right.shape if is_block else (size,)
        self.columns = len(right.T) if is_block else 1
        self._rows_shape = (size, self.columns) if self.is_wide else (size,)
        self.right = np.ascontiguousarray(right, self.dtype).reshape(self._rows_shape)
        check_finite("b", self.right)
        self.size = size
        # Of no columns, there is nothing to walk.
        self.partition = Partition.of(size, max(self.columns, 1), self.dtype.itemsize)
        self._given, self._given_preconditioner = matrix, preconditioner
        self._guess = guess
        self.arrays: dict[str, Any] = {}

    def prepare(self) -> None:
        """Makes A and M ready for statements, X of the guess and R = B - A X."""
        self.matrix = Matrix(self._given, self.dtype, self.partition)
        self.preconditioner = Preconditioner(self._given_preconditioner, self.dtype, self.partition)
        self.arrays.update(self.matrix.arrays)
        self.arrays.update(self.preconditioner.arrays)
        start, residual = self.vector("X", has_halo=True), self.vector("R", has_halo=True)
        residual[: self.size] = self.right
        guess = self._guess
        if guess is None:
            return
        if isinstance(guess, str):
            if guess != "Mb":
                raise ArgumentError(f"x0 is an array, or 'Mb', and not {guess!r}")
            start[: self.size] = self.preconditioned(self.right)
        else:
            guess = dense("x0", guess)
            if guess.shape not in (self.shape, (*self.shape, 1)[:2]):
                raise ArgumentError(
                    f"x0 has the shape {guess.shape}, and the solution is of {self.shape}"
                )
            start[: self.size] = guess.reshape(self._rows_shape)
            check_finite("x0", start)
        if start.any():
            self.vector("S")
            self.product("S", "X")()
            residual -= self.arrays["S"]

    def vector(self, name: str, has_halo: bool = False) -> np.ndarray:
        """An array of zeros as large as X, with room around it if A is to be multiplied by it."""
        halo = self.matrix.halo if has_halo else 0
        columns = (self.columns,) if self.is_wide else ()
        whole = np.zeros((self.partition.padded + 2 * halo, *columns), self.dtype)
        vector = whole[halo : halo + self.partition.padded]
        self.arrays[name] = vector
        if has_halo:
            self.arrays[f"{name}_halo"] = whole
        return vector

    @property
    def is_wide(self) -> bool:
        """Whether vectors have several columns, and so two dimensions."""
        return self.columns != 1

    def number(self, name: str) -> np.ndarray:
        """A number that statements read, N by N of them for N columns, as an array."""
        shape = (self.columns, self.columns) if self.is_wide else (1,)
        self.arrays[name] = np.zeros(shape, self.dtype)
        made: np.ndarray = self.arrays[name]
        return made

    def sweep(
        self,
        *statements: str,
        sums: Mapping[str, tuple[str, ...]] | None = None,
        squares: Mapping[str, str] | None = None,
    ) -> Sweep:
        """A sweep over vectors that there are."""
        return Sweep(statements, self.partition, self.arrays, self.dtype, sums, squares)

    def product(
        self, target: str, source: str, sums: Mapping[str, tuple[str, ...]] | None = None
    ) -> "Product":
        """A times a vector, and what products of elements add up to, in one sweep."""
        return Product(self, target, source, sums)

    def rows(self, name: str) -> np.ndarray:
        """A vector without rows that are no rows of A."""
        rows: np.ndarray = self.arrays[name][: self.size]
        return rows

    def preconditioned(self, vector: np.ndarray) -> np.ndarray:
        """M times a vector; of no preconditioner, the vector."""
        return self.preconditioner.apply(vector)

    def answer(self, solution: np.ndarray | None = None) -> Any:
        """The solution as the caller has its right-hand side: of NumPy, or a tensor."""
        found = self.rows("X").reshape(self.shape) if solution is None else solution
        return sys.modules["torch"].from_numpy(found) if self.is_tensor else found

    def told(self, callback: Callable[[Any], Any] | None) -> Callable[[], None]:
        """A call of the user's function with the solution so far, which is the array itself."""
        if callback is None:
            return lambda: None
        answer = self.answer()
        return lambda: callback(answer) and None


class Product:
    """A times a vector, as a sweep, or by a call and a sweep for sums."""

    def __init__(
        self,
        system: System,
        target: str,
        source: str,
        sums: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        matrix = system.matrix
        statements = matrix.product(target, source, system.columns)
        self.sweep = system.sweep(*statements, sums=sums) if statements or sums else None
        self._call = matrix.call
        self._target, self._source = system.rows(target), system.rows(source)
        self._lag = matrix.lag(system.partition, system.dtype.itemsize)

    def __call__(self, ahead: Sweep | None = None) -> None:
        """ahead: a sweep that writes the vector, which the product follows as closely as it can."""
        if ahead is not None and self._lag is not None and self.sweep is not None:
            run_behind(ahead, self.sweep, self._lag)
            return
        if ahead is not None:
            ahead()
        if self._call is not None:
            self._target[...] = self._call(self._source)
        if self.sweep is not None:
            self.sweep()

    def sum(self, name: str) -> Any:
        """What a sum has come to."""
        assert self.sweep is not None
        return self.sweep.sum(name)


def tolerance(name: str, norm: Any, rtol: float, atol: Any) -> Any:
    """What norms of residuals have to come to, as SciPy has it: max(rtol * norm, atol)."""
    if atol is None or isinstance(atol, str) or not atol >= 0:
        raise ArgumentError(f"{name}: atol is a number from 0 on, and not {atol!r}")
    return np.maximum(float(atol), float(rtol) * np.asarray(norm, np.float64))


def norm_of(vector: np.ndarray) -> float:
    """The norm of a vector, in f64: unlike that of a BLAS, the same for any number of threads."""
    return float(np.sqrt(np.square(vector, dtype=np.float64).sum()))


def dense(name: str, given: Any) -> np.ndarray:
    """A dense array of any library as NumPy's, which shares memory. Raises ArgumentError, with
    the name."""
    if _is_tensor(given):
        if given.requires_grad:
            raise ArgumentError(f"{name} requires a gradient, and solvers have none: detach() it")
        given = given.resolve_neg().numpy()
    array = np.asarray(given)
    if array.dtype.kind not in "biuf":
        raise ArgumentError(
            f"{name}: elements of type {array.dtype} are not taken, they have to be real"
        )
    return array


def _is_tensor(given: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def _refuse_complex(name: str, given: Any) -> None:
    """Raises ArgumentError for a complex array of any library."""
    dtype = given.dtype if hasattr(given, "dtype") else getattr(np.asarray(given), "dtype", None)
    if "complex" in str(dtype):
        raise ArgumentError(
            f"{name} is complex: solvers are of real systems. Real and imaginary parts are one "
            "of twice the size, [[Re, -Im], [Im, Re]]"
        )


def _type_of(matrix: Any, right: np.ndarray) -> np.dtype[Any]:
    """That of the solution, as SciPy has it: f32 if both are, else f64."""
    dtype = getattr(matrix, "dtype", None)
    kinds = [np.dtype(one).char if one is not None else "d" for one in (dtype, right.dtype)]
    return _WIDTHS["f" if kinds == ["f", "f"] else "d"]
