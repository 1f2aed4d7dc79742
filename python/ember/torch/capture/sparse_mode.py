"""Puts kernels in the place of products with sparse matrices, while a context is entered.

torch.compile captures no operation on a sparse tensor: it leaves the whole function that has one to
Python. There a mode sees the calls.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ember import configuration
from ember.threads import get_num_threads
from ember.torch.calls.region_call import PLAIN
from ember.torch.calls.sparse_operand import (
    BY_ROWS,
    LAYOUT_NAMES,
    MATRICES,
    SPARSE,
    csr_parts,
    has_sparse,
    parts_of,
    shows_gradient,
    with_values,
)
from ember.torch.calls.sparse_products import (
    ADDED,
    REDUCTIONS,
    SAMPLED,
    ProductCall,
    ProductKind,
)
from ember.torch.capture import private, private_names
from ember.torch.element_types import SUM_TYPES, VALUE_TYPES
from ember.torch.settings import Settings

# Its lines are in the stacks of what is captured, but are no place in a model.
MODE_FILE = __file__

# What the options and reports call all of them.
KIND = "sparse_product"
PRODUCT = ("input", "mat2", "reduce")
SUM = ("input", "mat1", "mat2")
# The functions with products, by what they compute, with their parameters.
FUNCTIONS: dict[Any, tuple[str, tuple[str, ...]]] = {
    torch.sparse.mm: ("mm", ("mat1", "mat2", "reduce")),
    torch.mm: ("mm", PRODUCT),
    torch.Tensor.mm: ("mm", PRODUCT),
    torch.matmul: ("mm", ("input", "other")),
    torch.Tensor.matmul: ("mm", ("input", "other")),
    torch.sparse.addmm: ("addmm", ("mat", "mat1", "mat2")),
    torch.addmm: ("addmm", SUM),
    torch.Tensor.addmm: ("addmm", SUM),
    torch.sparse.sampled_addmm: ("sampled", SUM),
}
# Those whose gradient of a sparse matrix is a sparse one; that of all others is dense.
SPARSE_GRADIENTS = frozenset((torch.sparse.mm, torch.sparse.addmm, torch.sparse.sampled_addmm))
# The types that PyTorch multiplies, by layout: in the plain product, and with a reduction.
TYPES: dict[torch.layout, tuple[Collection[torch.dtype], Collection[torch.dtype]]] = {
    torch.sparse_csr: (SUM_TYPES, VALUE_TYPES),
    torch.sparse_csc: (SUM_TYPES, ()),
    torch.sparse_coo: (VALUE_TYPES, ()),
}
# From so many elements a row on, a kernel that shares rows out among threads makes up for finding
# where the rows of a COO begin: PyTorch's way to do that takes some nanoseconds an entry.
LONG = 32


class LeftError(Exception):
    """Why a product is left to PyTorch."""


@dataclass(frozen=True)
class Product:
    """A product that a call had: its function's name, the kernel's call or the reason for none.

    stack: where it was called, innermost last.
    """

    function: str
    title: str
    call: ProductCall | None
    reason: str
    stack: Sequence[traceback.FrameSummary]


class SparseProducts(TorchFunctionMode):
    """While entered, products with sparse matrices are computed by kernels in this thread.

    May be entered again and from several threads. heard: is given every product, if there is one.
    """

    def __init__(
        self, settings: Settings | None = None, heard: Callable[[Product], None] | None = None
    ) -> None:
        super().__init__()
        self.settings = settings or Settings()
        self.heard = heard
        # By the fields of ProductKind.
        self.calls: dict[tuple[Any, ...], ProductCall] = {}
        # Those of matrices in CSR, for calls like before: by what COMPUTE has, what is given behind
        # the matrices, and the length and type of their rows.
        self.repeated: dict[tuple[Any, ...], ProductCall] = {}

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        # What torch.compile captures has no sparse tensors: it sees the first of these alone.
        if torch.compiler.is_compiling():
            return func(*args, **(kwargs or {}))
        found = FUNCTIONS.get(func)
        if found is None:
            return func(*args, **(kwargs or {}))
        if self.repeated and not kwargs:
            again = self._again(found[0], args)
            if again is not NotImplemented:
                return again
        return self._computed(func, found, args, kwargs or {})

    def _computed(
        self,
        func: Callable[..., Any],
        found: tuple[str, tuple[str, ...]],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        # Every call of these functions comes here: a dense one shall not stay long.
        for one in args:
            if isinstance(one, Tensor) and one.layout in SPARSE:
                break
        else:
            if not has_sparse(kwargs):
                return func(*args, **kwargs)
        kind, parameters = found
        named = dict(zip(parameters, args, strict=False))
        if kwargs:
            named.update(_renamed(kwargs, parameters))
        operands = [named.get(name) for name in parameters]
        try:
            if configuration.is_disabled():
                raise LeftError("kernels are disabled")
            if not private.has_sparse_products:
                raise LeftError(private_names.SPARSE_PRODUCTS.without)
            if KIND in self.settings.excluded:
                raise LeftError(f"{KIND} is excluded by the options")
            if func not in SPARSE_GRADIENTS and any(map(shows_gradient, operands)):
                raise LeftError("PyTorch's gradient of the matrix is a dense one")
            return getattr(self, kind)(operands, named)
        except LeftError as error:
            self.tell(kind, "", None, str(error))
            return func(*args, **kwargs)

    def _again(self, kind: str, args: tuple[Any, ...]) -> Any:
        """A product or a sum with one that is like those before, or NotImplemented."""
        added = args[:1] if kind == "addmm" else ()
        if self.heard is not None or len(args) < len(added) + 2:
            return NotImplemented
        matrix, dense, *others = args[len(added) :]
        if (
            type(matrix) not in PLAIN
            or type(dense) not in PLAIN
            or matrix.layout is not torch.sparse_csr
            or dense.dim() != 2
        ):
            return NotImplemented
        columns, length = dense.shape
        call = self.repeated.get((kind, *others, length, dense.dtype))
        if call is None or matrix.shape[1] != columns or torch.is_autocast_enabled("cpu"):
            return NotImplemented
        for one in added:
            if type(one) not in PLAIN or one.shape != (matrix.shape[0], length):
                return NotImplemented
        return call.again((*csr_parts(matrix), dense, *added))

    def tell(self, kind: str, title: str, call: ProductCall | None, reason: str = "") -> None:
        """Says what became of a product, to who wants to hear it."""
        if self.heard is not None:
            stack = traceback.extract_stack()
            self.heard(Product(f"sparse {kind}", title, call, reason, stack))

    def product(self, matrix: Any, dense: Any, reduction: str | None = None) -> Any:
        """torch.sparse.mm(matrix, dense, reduction), None for the plain one; raises LeftError."""
        self.check(matrix, dense, reduction)
        product = reduction or "sum"
        if product not in REDUCTIONS:
            raise LeftError(f"the reduction {reduction} has no kernel")
        key = ("mm",) if reduction is None else ("mm", reduction)
        return self._kept(key, f"{product} of rows", product, matrix, dense)

    def _kept(self, key: tuple[str, ...], title: str, product: str, *operands: Tensor) -> Any:
        """A product, whose call is kept for those like it, by a key."""
        matrix, dense, *_ = operands
        call, arguments = self.prepared(product, *operands)
        if matrix.layout is torch.sparse_csr:
            self.repeated[*key, dense.shape[1], dense.dtype] = call
        if self.heard is not None:
            by_entries = f"by the entries of a {LAYOUT_NAMES[matrix.layout]} matrix"
            self.tell(key[0], f"{title} {by_entries}", call)
        return call(*arguments)

    def prepared(
        self, product: str, matrix: Tensor, dense: Tensor, *others: Any
    ) -> tuple[ProductCall, Sequence[Any]]:
        """The call of a product, and its arguments: those of the matrix, the dense one and others.

        The call is that of all products of its kind.
        """
        length = dense.shape[1]
        is_long = length >= LONG and get_num_threads() > 1
        form, (rows, columns, values) = parts_of(matrix, by_rows=is_long)
        kind = form, product, length, dense.dtype, columns.dtype
        call = self.calls.get(kind)
        if call is None:
            settings = self.settings
            made = ProductCall(ProductKind(*kind), settings.kernel_options, settings.raises)
            made.__name__ = made.__qualname__ = f"sparse_product_{product}_by_{form}"
            # Another thread may have made one.
            call = self.calls.setdefault(kind, made)
        count = (matrix.shape[0],) if form != BY_ROWS else ()
        return call, (rows, columns, values.contiguous(), dense.contiguous(), *others, *count)

    def check(self, matrix: Any, dense: Any, reduction: str | None = None) -> None:
        """Raises LeftError for a product that has no kernel."""
        if not isinstance(matrix, Tensor) or not isinstance(dense, Tensor):
            raise LeftError("its operands are not tensors")
        if matrix.layout is torch.strided:
            raise LeftError("the sparse matrix is on the right, in a sum or with a gradient")
        _check(matrix, dense)
        if dense.dim() != 2:
            raise LeftError("it is one with a vector or a batch; kernels know two matrices")
        dtype, layout = matrix.dtype, matrix.layout
        if layout is torch.sparse_csc and matrix.requires_grad and torch.is_grad_enabled():
            raise LeftError("the gradient of a matrix in CSC has no kernel")
        if dtype not in TYPES[layout][reduction is not None] or dtype is not dense.dtype:
            types = f"{dtype} {LAYOUT_NAMES[layout]} and {dense.dtype}"
            raise LeftError(f"there is no kernel for {types} where PyTorch has no product")
        if matrix.shape[1] != dense.shape[0]:
            raise LeftError("its sizes do not agree")

    def mm(self, operands: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """torch.mm and the like."""
        if unknown := named.keys() & {"out", "out_dtype"}:
            raise LeftError(f"it is given {', '.join(sorted(unknown))}")
        matrix, dense, *reduction = operands
        if reduction in ([], [None]) and _is_on_the_right(matrix, dense):
            turned: Tensor = self.product(dense.t(), matrix.t())
            return turned.t().contiguous()
        return self.product(matrix, dense, *reduction)

    def addmm(self, operands: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """torch.addmm: beta * added + alpha * (matrix @ dense)."""
        if unknown := named.keys() & {"out", "out_dtype"}:
            raise LeftError(f"it is given {', '.join(sorted(unknown))}")
        added, matrix, dense = operands
        beta, alpha = named.get("beta", 1), named.get("alpha", 1)
        if not isinstance(added, Tensor) or added.layout is not torch.strided:
            raise LeftError("it adds to what is no dense matrix")
        if not isinstance(dense, Tensor) or added.dtype is not dense.dtype:
            raise LeftError("it adds matrices of two types")
        try:
            expanded = added.expand(matrix.shape[0], dense.shape[1])
        except (RuntimeError, AttributeError, IndexError):
            raise LeftError("its sizes do not agree") from None
        if beta == alpha == 1 and type(added) in PLAIN and added.shape == expanded.shape:
            self.check(matrix, dense)
            title = "a matrix and the sum of rows"
            return self._kept(("addmm",), title, ADDED, matrix, dense, added.contiguous())
        product = self.product(matrix, dense)
        if beta == 0:
            return product if alpha == 1 else product * alpha
        return torch.add(expanded if beta == 1 else expanded * beta, product, alpha=alpha)

    def sampled(self, operands: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """torch.sparse.sampled_addmm: where matrix has entries, plus beta times these."""
        if "out" in named:
            raise LeftError("it is given out")
        matrix, left, right = operands
        if not all(isinstance(one, Tensor) for one in operands):
            raise LeftError("its operands are not tensors")
        for other in (left, right):
            _check(matrix, other)
        if matrix.layout is not torch.sparse_csr:
            raise LeftError("the matrix is not in CSR")
        if left.dim() != 2 or right.dim() != 2:
            raise LeftError("it is one of batches; kernels know two matrices")
        if matrix.dtype not in SUM_TYPES or not matrix.dtype is left.dtype is right.dtype:
            raise LeftError(f"there is no kernel for {matrix.dtype} where PyTorch has none")
        if (left.shape[0], right.shape[1]) != matrix.shape or left.shape[1] != right.shape[0]:
            raise LeftError("its sizes do not agree")
        beta, alpha = float(named.get("beta", 1)), float(named.get("alpha", 1))
        turned = right.t().contiguous()
        call, arguments = self.prepared(SAMPLED, matrix.detach(), left, turned, alpha, beta)
        self.tell("sampled_addmm", "products of rows at the entries of a CSR matrix", call)
        return with_values(matrix, call(*arguments), beta)


# It is inlined into what torch.compile captures, but is nothing to capture where it is called; nor
# is what it runs for a product. torch.compiler.disable says the latter in some microseconds a call.
private.skip_frame(SparseProducts.__torch_function__, with_callees=False)
private.skip_frame(SparseProducts._computed, with_callees=True)
private.skip_frame(SparseProducts._again, with_callees=True)


def _renamed(kwargs: Mapping[str, Any], parameters: tuple[str, ...]) -> dict[str, Any]:
    """The keyword arguments by the names of the parameters here: methods have a self."""
    return {parameters[0] if name == "self" else name: value for name, value in kwargs.items()}


def _is_on_the_right(matrix: Any, dense: Any) -> bool:
    """Whether a product is that of a dense matrix and a sparse one, which has no gradient."""
    return (
        isinstance(matrix, Tensor)
        and isinstance(dense, Tensor)
        and matrix.layout is torch.strided
        and dense.layout in MATRICES
        and matrix.dim() == dense.dim() == 2
        and not (dense.requires_grad and torch.is_grad_enabled())
    )


def _check(matrix: Tensor, dense: Tensor) -> None:
    """Raises LeftError for operands that no product has a kernel for."""
    if matrix.layout not in MATRICES:
        raise LeftError("matrices of blocks have no kernel")
    if dense.layout is not torch.strided:
        raise LeftError("both operands are sparse")
    if matrix.dim() != 2 or matrix.dense_dim():
        raise LeftError("batches of sparse matrices have no kernel")
    if torch.is_autocast_enabled("cpu"):
        raise LeftError("autocast chooses its types")
    if private.is_transformed():
        raise LeftError("kernels take no part in functorch's transforms")
    if any(type(one) not in PLAIN or not one.is_cpu for one in (matrix, dense)):
        raise LeftError("kernels read plain tensors on the cpu")


def sparse_functions_seen() -> int:
    """How often torch.compile left a function to Python for a sparse tensor in it, so far."""
    return sum(
        count for cause, count in private.unimplemented() if "sparse" in cause.split("\n")[0]
    )


def outside_products(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A graph that torch.compile captured within SparseProducts, run outside of it.

    It has no sparse tensors, and what a mode sees takes some microseconds longer. A graph that was
    captured elsewhere is returned as it is.
    """
    if not isinstance(private.innermost_mode(), SparseProducts):
        return forward

    def run(*inputs: Any) -> Any:
        # The same modes are entered when the graph is run: torch.compile sees to it.
        with private.without_innermost_mode():
            return forward(*inputs)

    return run


def sparse_products(options: Mapping[str, Any] | Settings | None = None) -> SparseProducts:
    """A context in which products with sparse matrices are computed by kernels.

        with ember.sparse_products():
            y = torch.sparse.mm(adjacency, x)  # also adjacency @ x, torch.addmm, sampled_addmm

    ember.compile needs none; around a model that torch.compile returned, or around any code, it
    does the same. options: as torch.compile(backend="ember") has them. Raises ArgumentError for
    options that there are not.
    """
    return SparseProducts(options if isinstance(options, Settings) else Settings.of(options))
