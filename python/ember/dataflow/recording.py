"""Arrays that record what is done with them, and compute it when somebody looks.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
import weakref
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import numpy as np

from ember.dataflow.nodes import Node, Operand
from ember.errors import ArgumentError
from ember.sparse.array import as_sparse

# Of NumPy's and PyTorch's functions of elements, the notation's.
_MAPS = {
    "add": "{0} + {1}",
    "subtract": "{0} - {1}",
    "sub": "{0} - {1}",
    "multiply": "{0} * {1}",
    "mul": "{0} * {1}",
    "divide": "{0} / {1}",
    "true_divide": "{0} / {1}",
    "div": "{0} / {1}",
    "negative": "-{0}",
    "neg": "-{0}",
    "absolute": "abs({0})",
    "abs": "abs({0})",
    "exp": "exp({0})",
    "log": "log({0})",
    "sqrt": "sqrt({0})",
    "tanh": "tanh({0})",
    "maximum": "max({0}, {1})",
    "minimum": "min({0}, {1})",
    "relu": "max({0}, 0)",
}
_CALLS: dict[str, Callable[..., Any]] = {
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "relu": lambda x: np.maximum(x, 0),
}
_PRODUCTS = ("matmul", "mm", "mv", "dot", "vdot")


class Recorder:
    """The operations of a program, in order."""

    def __init__(self, run: Callable[["Recorder", list[Node]], None], keeps: bool = False) -> None:
        """run: computes nodes. keeps: the history has what is computed, too."""
        self._run, self.keeps = run, keeps
        self.history: list[Node] = []
        # What the program returns, of a history that is kept.
        self.results: set[Node] = set()
        self._handles: weakref.WeakValueDictionary[int, Lazy] = weakref.WeakValueDictionary()
        self._numbers = count()

    def handle(self, node: Node) -> "Lazy":
        """An array for a program to work with."""
        return Lazy(self, node)

    def register(self, lazy: "Lazy") -> None:
        """Keeps track of who may still look at a node."""
        self._handles[next(self._numbers)] = lazy

    def alive(self) -> set[Node]:
        """Nodes that the program may still look at."""
        return {lazy.node for lazy in list(self._handles.values())}

    def add(self, node: Node) -> "Lazy":
        """Records an operation."""
        self.history.append(node)
        return self.handle(node)

    def compute(self, node: Node) -> np.ndarray:
        """The value of a node, which the program looks at."""
        if not node.is_done:
            self._run(self, [node])
        node.is_owned = False
        value: np.ndarray = node.value
        return value if node.nonzeros is not None else value.reshape(node.shape)

    def take(self, given: Any) -> "Lazy":
        """An argument of a program as an array that records."""
        sparse = None if isinstance(given, np.ndarray) else as_sparse(given)
        if sparse is not None:
            if sparse.ndim != 2:
                raise ArgumentError("a sparse argument has to be a matrix")
            matrix = sparse.to("csr")
            shape = tuple(map(int, matrix.shape))
            dtype, stored = np.dtype(matrix.dtype), len(matrix.values)
            return self.handle(Node("input", shape, dtype, value=matrix, nonzeros=stored))
        if _is_tensor(given):
            if given.requires_grad:
                raise ArgumentError(
                    "a tensor requires a gradient, which is not recorded: detach() it"
                )
            given = given.detach().numpy()
        array = np.asarray(given)
        if array.dtype.kind not in "biuf":
            raise ArgumentError(
                f"elements of type {array.dtype} are not taken, they have to be real"
            )
        return self.handle(
            Node("input", array.shape, array.dtype, value=np.ascontiguousarray(array))
        )


class Lazy:
    """An array of a program that is being recorded.

    It has NumPy's operators, functions and attributes, as far as programs of products, sums and
    functions of elements use them. Anything else, a comparison, `float(x)`, `x[0]`, computes it.
    """

    __array_priority__ = 1000.0

    def __init__(self, recorder: Recorder, node: Node, base: "Lazy | None" = None) -> None:
        self._recorder, self._own, self._base = recorder, node, base
        recorder.register(self)

    # What it is.

    @property
    def node(self) -> Node:
        """What it holds; of a transpose, what its base holds."""
        return self._own if self._base is None else self._base.node

    @property
    def operand(self) -> Operand:
        """It as an operand."""
        return Operand(self.node, self._base is not None)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its dimensions."""
        return self.operand.shape

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self.node.size

    @property
    def dtype(self) -> Any:
        """The type of its elements."""
        return self.node.dtype

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of no dimensions has no length")
        return self.shape[0]

    @property
    def T(self) -> "Lazy":
        """The transpose."""
        if self.ndim != 2:
            return self
        return self._base if self._base is not None else Lazy(self._recorder, self._own, self)

    def transpose(self, *axes: Any) -> "Lazy":
        """The transpose."""
        return self.T

    t = transpose

    # Products, functions of elements, sums.

    def _lift(self, given: Any) -> Operand | None:
        if isinstance(given, Lazy):
            return given.operand
        if isinstance(given, bool | int | float | np.number) or _is_scalar(given):
            number = float(given)
            return Operand(Node("constant", (), self.dtype, value=np.asarray(number, self.dtype)))
        if isinstance(given, np.ndarray) or _is_tensor(given) or as_sparse(given) is not None:
            return self._recorder.take(given).operand
        return None

    def _map(self, name: str, *given: Any) -> Any:
        operands = [self._lift(one) for one in given]
        if None in operands:
            return NotImplemented
        present = [operand for operand in operands if operand is not None]
        if any(operand.node.nonzeros is not None for operand in present):
            raise ArgumentError(f"{name} of a sparse matrix is not recorded: products with it are")
        call = _CALLS.get(name) or getattr(np, name)
        shape = np.broadcast_shapes(*(operand.shape for operand in present))
        dtype = call(*(np.ones((1,), operand.node.dtype) for operand in present)).dtype
        return self._recorder.add(Node("map", shape, dtype, tuple(present), call, _MAPS[name]))

    def _product(self, left: Any, right: Any) -> Any:
        operands = [self._lift(left), self._lift(right)]
        first, second = operands
        if first is None or second is None:
            return NotImplemented
        a, b = first.shape, second.shape
        if len(a) not in (1, 2) or len(b) not in (1, 2) or a[-1] != b[0]:
            raise ArgumentError(f"a product of arrays of shapes {a} and {b}")
        if second.node.nonzeros is not None:
            raise ArgumentError("a sparse matrix is the first factor of a product")
        dtype = np.result_type(first.node.dtype, second.node.dtype)
        call: Callable[..., Any] = np.matmul
        if first.node.nonzeros is not None:
            call = _sparse_product
        return self._recorder.add(Node("product", (*a[:-1], *b[1:]), dtype, (first, second), call))

    def sum(self, axis: Any = None, **named: Any) -> Any:
        """The sum along an axis, or of all elements."""
        if any(value not in (None, False) for value in named.values()):
            return np.asarray(self).sum(axis, **named)
        axes = range(self.ndim) if axis is None else np.atleast_1d(axis)
        normal = tuple(sorted(int(one) % max(self.ndim, 1) for one in axes))
        shape = tuple(size for place, size in enumerate(self.shape) if place not in normal)
        if not normal or self.node.nonzeros is not None:
            return np.asarray(self).sum(axis)
        return self._recorder.add(
            Node(
                "sum",
                shape,
                self.dtype,
                (self.operand,),
                lambda x: x.sum(normal, dtype=self.dtype),
                axes=normal,
            )
        )

    def _whole(
        self, name: str, call: Callable[..., Any], shape: tuple[int, ...], *given: Any
    ) -> Any:
        operands = [self._lift(one) for one in given]
        present = tuple(operand for operand in operands if operand is not None)
        dtype = np.result_type(*(operand.node.dtype for operand in present), np.float32)
        return self._recorder.add(Node("whole", shape, dtype, present, call, hint=name))

    def copy(self) -> "Lazy":
        """The same elements: nothing that is recorded changes them."""
        return self._recorder.handle(self.node) if self._base is None else self._copied()

    clone = copy

    def _copied(self) -> "Lazy":
        made: Lazy = self._map("multiply", self, 1.0)
        return made

    def astype(self, dtype: Any) -> "Lazy":
        """The same elements of another type."""
        if np.dtype(dtype) == self.dtype:
            return self.copy()
        return self._recorder.take(np.asarray(self).astype(dtype))

    # Operators.

    def __matmul__(self, other: Any) -> Any:
        return self._product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._product(other, self)

    def dot(self, other: Any) -> Any:
        """The product."""
        return self._product(self, other)

    def __neg__(self) -> Any:
        return self._map("negative", self)

    def _replace(self, result: Any) -> "Lazy":
        """Holds another array, for all that know this one, as an array that is changed does."""
        if result is NotImplemented:
            raise ArgumentError("an array is changed by something that is no array")
        if self._base is not None:
            raise ArgumentError("a transpose is changed in place, which is not recorded")
        if result.shape != self.shape:
            raise ArgumentError(
                f"an array of shape {self.shape} would become one of {result.shape}"
            )
        self._own = result.node
        return self

    # Whoever looks.

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        value = self._recorder.compute(self.node)
        if self.node.nonzeros is not None:
            raise ArgumentError("a sparse matrix is used as a dense one")
        value = value.T if self._base is not None else value
        value = value if dtype is None else value.astype(dtype)
        return value.copy() if copy else value

    def numpy(self) -> np.ndarray:
        """The elements."""
        return np.asarray(self)

    def item(self) -> Any:
        """The element of an array that has one."""
        return np.asarray(self).item()

    def __float__(self) -> float:
        return float(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if key == slice(None) or key is Ellipsis:
            self._replace(value.copy() if isinstance(value, Lazy) else self._recorder.take(value))
            return
        raise ArgumentError(
            "elements are assigned to one at a time, which is not recorded: x[:] is"
        )

    # NumPy's and PyTorch's functions.

    def _called(
        self,
        name: str,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        otherwise: Callable[..., Any],
    ) -> Any:
        if name in _MAPS and not named:
            return self._map(name, *arguments)
        if name in _PRODUCTS and not named and len(arguments) == 2:
            return self._product(*arguments)
        if name == "sum":
            return arguments[0].sum(*arguments[1:], **named)
        if name in ("transpose", "t", "copy", "clone"):
            return getattr(arguments[0], name)()
        if name in ("inv", "cholesky") and len(arguments) == 1 and not named:
            return self._whole(name, getattr(np.linalg, name), arguments[0].shape, *arguments)
        if name in ("solve", "linalg_solve") and len(arguments) == 2 and not named:
            return self._whole("solve", np.linalg.solve, arguments[1].shape, *arguments)
        if name in ("inverse", "linalg_inv"):
            return self._whole("inv", np.linalg.inv, arguments[0].shape, *arguments)
        if (
            name in ("norm", "linalg_norm", "linalg_vector_norm")
            and len(arguments) == 1
            and not named
        ):
            return self._map("sqrt", self._map("multiply", arguments[0], arguments[0]).sum())
        plain = [np.asarray(one) if isinstance(one, Lazy) else one for one in arguments]
        return otherwise(*plain, **named)

    def __array_ufunc__(self, ufunc: Any, method: str, *arguments: Any, **named: Any) -> Any:
        if method == "__call__" and (out := named.pop("out", None)) and isinstance(out[0], Lazy):
            return out[0]._replace(self._called(ufunc.__name__, arguments, named, ufunc))
        call = getattr(ufunc, method)
        return self._called(ufunc.__name__ if method == "__call__" else "", arguments, named, call)

    def __array_function__(self, function: Any, types: Any, arguments: Any, named: Any) -> Any:
        return self._called(function.__name__, arguments, named, function)

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, arguments: Any = (), named: Any = None
    ) -> Any:
        lazy = next(one for one in arguments if isinstance(one, Lazy))

        def otherwise(*plain: Any, **rest: Any) -> Any:
            torch = sys.modules["torch"]
            tensors = [
                torch.from_numpy(one) if isinstance(one, np.ndarray) else one for one in plain
            ]
            return function(*tensors, **rest)

        return lazy._called(function.__name__, tuple(arguments), dict(named or {}), otherwise)


def _add_operators() -> None:
    """The arithmetic of arrays, each operator with its reflected one and the one in place."""
    for name, function in (
        ("add", "add"),
        ("sub", "subtract"),
        ("mul", "multiply"),
        ("truediv", "divide"),
    ):

        def plain(self: Lazy, other: Any, function: str = function) -> Any:
            return self._map(function, self, other)

        def reflected(self: Lazy, other: Any, function: str = function) -> Any:
            return self._map(function, other, self)

        def in_place(self: Lazy, other: Any, function: str = function) -> Any:
            return self._replace(self._map(function, self, other))

        setattr(Lazy, f"__{name}__", plain)
        setattr(Lazy, f"__r{name}__", reflected)
        setattr(Lazy, f"__i{name}__", in_place)
    for name in ("lt", "le", "gt", "ge"):

        def compared(self: Lazy, other: Any, name: str = f"__{name}__") -> Any:
            return getattr(np.asarray(self), name)(np.asarray(other))

        setattr(Lazy, f"__{name}__", compared)


_add_operators()


def _sparse_product(matrix: Any, dense: np.ndarray) -> np.ndarray:
    """A product of es.Array's matrix by SciPy."""
    from scipy import sparse

    _, parts = matrix.stored
    product: np.ndarray = (
        sparse.csr_array(
            (matrix.values, parts["coordinates"], parts["positions"]), shape=matrix.shape
        )
        @ dense
    )
    return product


def _is_tensor(given: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def _is_scalar(given: Any) -> bool:
    return isinstance(given, np.ndarray) and given.ndim == 0


def map_structure(call: Callable[[Any], Any], given: Any) -> Any:
    """A result of tuples, lists and dicts with each array replaced."""
    if isinstance(given, tuple | list):
        return type(given)(map_structure(call, one) for one in given)
    if isinstance(given, dict):
        return {key: map_structure(call, one) for key, one in given.items()}
    return call(given)


def flat(given: Any) -> Iterable[Any]:
    """The arrays of a result."""
    if isinstance(given, tuple | list):
        for one in given:
            yield from flat(one)
    elif isinstance(given, dict):
        yield from flat(list(given.values()))
    else:
        yield given
