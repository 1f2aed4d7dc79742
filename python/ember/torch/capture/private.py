"""What Ember does with names of PyTorch that are no interface of it, and without them.

Nothing else in the package uses anything private of PyTorch; private_names lists the names.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.fx import Node, Proxy

from ember.torch.capture import private_names as names

if TYPE_CHECKING:
    from torch._ops import OpOverload as OpOverload
    from torch._ops import OpOverloadPacket as OpOverloadPacket
else:
    OpOverload, OpOverloadPacket = type(torch.ops.aten.add.Tensor), type(torch.ops.aten.add)

# --- Tensors that are not what they seem to be ---


def _transform_question() -> Callable[[], bool]:
    """What says whether a transform of torch.func runs; yes where that is not known."""
    are_active, innermost = (names.found[path] for path in names.TRANSFORMS.names)
    if are_active is not names.ABSENT:
        return are_active  # type: ignore[no-any-return]
    if innermost is not names.ABSENT:
        return lambda: innermost() is not None
    return lambda: True


def _has_tangents() -> bool:
    """Whether a level of forward gradients is entered: only then duals can be made."""
    number = torch.zeros(())
    try:
        forward_ad.make_dual(number, number)  # type: ignore[no-untyped-call]
    # A RuntimeError, or what PyTorch raises that lacks the name itself.
    except Exception:
        return False
    return True


def _transformed_question() -> Callable[[], bool]:
    in_transform = _transform_question()
    if names.all_of(names.FORWARD_GRADIENTS):
        return lambda: in_transform() or forward_ad._current_level >= 0
    return lambda: in_transform() or _has_tangents()


# Whether tensors may be more than their memory: batches of vmap, duals with tangents, and the like.
is_transformed = _transformed_question()


# Whether a tensor is a batch of vmap's, or another transform's.
is_wrapped: Callable[[Tensor], bool] = names.the_one_of(names.WRAPPED_TENSORS, lambda tensor: False)


# --- What torch.compile captured, and how it is told to ---

breaks_are_counted = bool(names.all_of(names.COUNTED_BREAKS))
_counters: Mapping[str, Mapping[str, int]] = names.the_one_of(names.COUNTED_BREAKS, {})


def graph_breaks() -> int:
    """How many breaks of graphs this process has seen so far; see breaks_are_counted."""
    return sum(_counters.get("graph_break", {}).values())


def unimplemented() -> Iterable[tuple[str, int]]:
    """Why torch.compile left functions to Python so far, and how often."""
    return _counters.get("unimplemented", {}).items()


def graph_break_reasons() -> Sequence[Any]:
    """The reasons of graph breaks so far: each has a reason and a user_stack."""
    reasons: Sequence[Any] = names.the_one_of(names.REASONS, ())
    return reasons


def capture_options(**options: Any) -> Callable[[], AbstractContextManager[Any]]:
    """Makes contexts in which torch.compile captures with these options, those that there are."""
    config = sys.modules.get("torch._dynamo.config")
    patch = names.found["torch._dynamo.config:patch"]
    known = {name: value for name, value in options.items() if hasattr(config, name)}
    if patch is names.ABSENT or not known:
        return nullcontext
    return lambda: patch(known)


has_any_size = bool(names.all_of(names.ANY_SIZE))


def any_size() -> AbstractContextManager[Any]:
    """A context in which sizes of 0 and 1 are no cases of their own; needs has_any_size."""
    found = names.all_of(names.ANY_SIZE)
    return found[0](backed_size_oblivious=True) if found else nullcontext()


# What torch.compile raises where it cannot capture a function.
CaptureError: type[Exception] = (names.all_of(names.ANY_SIZE) or [Exception])[-1]


@dataclass(frozen=True)
class Frame:
    """A function that torch.compile captures, as it is called: its code and its variables."""

    code: CodeType
    variables: Mapping[str, Any]


@dataclass(frozen=True)
class Capture:
    """What torch.compile made of a function's code.

    guards: what says when it stands for the function, with a check; None: nothing was captured.
    code: what the code became. is_limited: the function has as many graphs as it may have.
    """

    guards: Any
    code: CodeType | None
    is_limited: bool


class _Captures:
    """Stands for what torch.compile calls to capture a function, with something around it."""

    def __init__(
        self, convert: Any, around: Callable[[Frame, Callable[[], Capture]], None]
    ) -> None:
        self.convert = convert
        self.around = around
        # Tells torch.compile which backend it is for, and how to have it with another one.
        self._torchdynamo_orig_backend = convert._torchdynamo_orig_backend

    def __call__(self, frame: Any, *rest: Any) -> Any:
        results: list[Any] = []

        def capture() -> Capture:
            results.append(result := self.convert(frame, *rest))
            guarded = getattr(result, "guarded_code", None)
            action = getattr(getattr(result, "frame_exec_strategy", None), "cur_action", None)
            return Capture(
                getattr(guarded, "guard_manager", None),
                getattr(guarded, "code", None),
                getattr(action, "name", None) == "RUN_ONLY",
            )

        self.around(Frame(frame.f_code, frame.f_locals), capture)
        return results[-1]


has_own_captures = bool(names.all_of(names.OWN_CAPTURES))


def captured_apart(
    function: Callable[..., Any],
    backend: Callable[..., Any],
    around: Callable[[Frame, Callable[[], Capture]], None] | None = None,
    dynamic: bool | None = None,
) -> Callable[..., Any]:
    """torch.compile(function, ...), but that captures do not count as those of others.

    around: is called in the place of every capture, with what makes it.
    """
    if not has_own_captures:
        run: Callable[..., Any] = torch.compile(function, backend=backend, dynamic=dynamic)
        return run
    optimize = names.found["torch._dynamo:optimize"]
    context = optimize(backend, dynamic=dynamic, isolate_recompiles=True)
    # TORCHDYNAMO_DISABLE=1 has none.
    if around and hasattr(getattr(context, "callback", None), "_torchdynamo_orig_backend"):
        context.callback = _Captures(context.callback, around)
    applied: Callable[..., Any] = context(function)
    return applied


def capture_limit() -> int:
    """How many graphs torch.compile captures of one function."""
    return int(sys.modules["torch._dynamo.config"].recompile_limit)


def failed_guards(guards: Any, variables: Mapping[str, Any]) -> list[str]:
    """What guards say that they do not hold for; empty where that is not known."""
    try:
        found: list[str] = guards.check_verbose(variables).verbose_code_parts
    # Guards are no interface at all, and this is for a message only.
    except Exception:
        return []
    return found


def expect_other_sizes(tensor: Tensor, dimension: int) -> None:
    """Tells torch.compile that a size changes from call to call."""
    if mark := names.the_one_of(names.CHANGING_SIZES):
        mark(tensor, dimension)


def marks_of(tensor: Tensor) -> dict[str, Any]:
    """What torch.compile has been told of a tensor, or has noted of it."""
    return {name: copy(value) for name, value in vars(tensor).items() if "dynamo" in name}


def set_marks(tensor: Tensor, marks: Mapping[str, Any]) -> None:
    """Makes the marks of a tensor those that marks_of has returned."""
    for name in marks_of(tensor):
        delattr(tensor, name)
    vars(tensor).update(marks)


# What torch.compile makes of a module is one of these: a module around it.
CompiledModule: type[nn.Module] = names.the_one_of(names.COMPILED_MODULES) or nn.Module
has_compiled_modules = names.the_one_of(names.COMPILED_MODULES) is not None


def original_of(model: Callable[..., Any]) -> Callable[..., Any]:
    """What torch.compile was given, of what it returned; anything else itself."""
    optimized = names.the_one_of(names.COMPILED_MODULES)
    if optimized is not None and isinstance(model, optimized):
        original: Callable[..., Any] = model._orig_mod
        return original
    original = undisabled(model, model)
    return original


def undisabled(function: Any, otherwise: Any = None) -> Any:
    """What torch.compile or torch._dynamo.disable was given, or the value for anything else."""
    return getattr(function, "_torchdynamo_orig_callable", otherwise)


# --- The short path of ember.compile ---

has_direct_calls = bool(names.all_of(names.DIRECT_CALLS))
# A callback of an outer torch.compile, or None; whether torch.jit.trace runs.
eval_frame_callback = names.found["torch._C._dynamo.eval_frame:get_eval_frame_callback"]
is_tracing = names.found["torch._C:_is_tracing"]
# torch._dynamo.utils, which captured code calls.
dynamo_utilities = names.found["torch._dynamo:utils"]
# The module that has the hooks of all modules, by these names.
hooks_module = sys.modules[nn.Module.__module__]
HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
# What a module has of its own where its call is more than its class's forward.
OWN_CALLS = ("forward", "_compiled_call_impl")
GLOBAL_HOOKS = tuple(
    name
    for name in (f"_global{hooks}" for hooks in (*HOOKS, "_forward_hooks_always_called"))
    if hasattr(hooks_module, name)
)


def forget(code: CodeType) -> None:
    """Gives up what torch.compile captured of a function; needs has_direct_calls."""
    names.found["torch._C._dynamo.eval_frame:reset_code"](code)


def stance() -> str:
    """What torch.compile is told to do: "default" is to compile."""
    return sys.intern(sys.modules["torch._dynamo.eval_frame"]._stance.stance)


def has_hooks(module: nn.Module) -> bool:
    """Whether a call of the module is more than a call of its forward, for hooks of its own."""
    return bool(
        module._forward_pre_hooks
        or module._forward_hooks
        or module._backward_pre_hooks
        or module._backward_hooks
    )


def hooks_of(module: nn.Module) -> tuple[int, ...]:
    """What tells the hooks that a module has from others."""
    if not has_hooks(module):
        return ()
    return tuple(id(hook) for hooks in HOOKS for hook in getattr(module, hooks).values())


def _has_global_hooks() -> bool:
    """Whether hooks of all modules run at each call of a module."""
    return any(getattr(hooks_module, name) for name in GLOBAL_HOOKS)


_known_question = names.found["torch.nn.modules.module:_has_any_global_hook"]
_has_any_global_hook = _has_global_hooks if _known_question is names.ABSENT else _known_question


def has_hooks_around(module: nn.Module) -> bool:
    """Whether a call of the module is more than a call of the forward that it has."""
    return has_hooks(module) or bool(_has_any_global_hook()) or OWN_CALLS[1] in module.__dict__


def is_more_than_forward(module: nn.Module) -> bool:
    """Whether a call of the module is more than a call of its class's forward."""
    return has_hooks_around(module) or OWN_CALLS[0] in module.__dict__


# --- Graphs ---


def is_surely_true(condition: Any) -> bool:
    """Whether a condition on symbolic sizes is known to hold, without a guard on it."""
    if isinstance(condition, bool):
        return condition
    known = names.the_one_of(names.SYMBOLIC_SIZES)
    return known is not None and bool(known(condition))


def overload_of(
    packet: OpOverloadPacket, arguments: Sequence[Any], words: Mapping[str, Any]
) -> OpOverload | None:
    """The operator that a function of torch.ops calls with these arguments; None where that is not
    known."""
    overloads = packet.overloads()  # type: ignore[no-untyped-call]
    resolve = names.the_one_of(names.OVERLOADS)
    if len(overloads) > 1 and resolve is None:
        return None
    try:
        found = (
            overloads[0]
            if len(overloads) == 1
            else resolve(packet._qualified_op_name, *arguments, **words)
        )
    except RuntimeError:
        # PyTorch has none for these arguments, and says so when it is called.
        return None
    return getattr(packet, found)  # type: ignore[no-any-return]


def lacks_shape(operator: str) -> bool:
    """Whether an operator has none that says the shape of its result; no where it is not known."""
    has_kernel = names.the_one_of(names.SHAPES_OF_4_BITS)
    return has_kernel is not None and not has_kernel(operator, "Meta")


has_new_nodes = bool(names.all_of(names.NEW_NODES))
_FakeTensor: Any = names.found["torch._subclasses.fake_tensor:FakeTensor"]
# Also needs what has_new_nodes does.
watches_calls = has_new_nodes and bool(names.all_of(names.WATCHED_CALLS))
# Sees operators, entered as a context: a subclass has __torch_dispatch__. Needs watches_calls.
DispatchMode: Any = names.found["torch.utils._python_dispatch:TorchDispatchMode"]
DispatchMode = object if DispatchMode is names.ABSENT else DispatchMode


def is_fake(value: Any) -> bool:
    """Whether a value is a tensor without data, as those of a graph are."""
    return _FakeTensor is not names.ABSENT and isinstance(value, _FakeTensor)


@contextmanager
def finding_values(examples: Iterable[Any]) -> Iterator[None]:
    """A context in which operations of examples in a graph have their results' examples.

    As torch.compile finds the values of its nodes: of symbolic sizes, too. Needs has_new_nodes.
    """
    dispatcher, _ = names.all_of(names.NEW_NODES) or (nullcontext, None)
    mode = next((one.fake_mode for one in examples if is_fake(one)), nullcontext())
    with torch.no_grad(), mode, dispatcher():
        yield


has_operators = watches_calls and bool(names.all_of(names.OPERATORS))
has_new_sizes = has_operators and all(map(names.all_of, (names.NEW_SIZES, names.WATCHED_CALLS)))


@contextmanager
def new_sizes(count: int) -> Iterator[tuple[AbstractContextManager[Any], list[Any]]]:
    """A mode in which tensors have no data, and sizes of such, each a symbol of its own.

    While entered, no other thread traces. Needs has_new_sizes.
    """
    make_sizes, lock = names.all_of(names.NEW_SIZES) or ()
    make_mode = names.found["torch._subclasses.fake_tensor:FakeTensorMode"]
    with lock:
        mode = make_mode(shape_env=make_sizes())
        # Sizes that were the same here would be the same symbol.
        yield mode, [mode.from_tensor(torch.empty(101 + 2 * k)).shape[0] for k in range(count)]


@contextmanager
def running_operators(examples: Sequence[Any], are_changed: bool) -> Iterator[list[Any]]:
    """A context in which operators run on values like these, which are without data.

    are_changed: whether some are changed in place: examples are to stay what they are, their sizes,
    too. Values without symbols may be tensors with data, which nothing reads. Needs has_operators.
    """
    mode = next((one.fake_mode for one in examples if is_fake(one)), None)
    if mode is None:
        # What is made of sizes alone.
        symbols = (one.node.shape_env for one in examples if isinstance(one, torch.SymInt))
        make_mode = names.found["torch._subclasses.fake_tensor:FakeTensorMode"]
        mode = make_mode(shape_env=next(symbols, None))

    def without_data(value: Any) -> Any:
        if isinstance(value, Tensor) and not is_fake(value):
            return mode.from_tensor(value, static_shapes=True)
        if is_fake(value) and are_changed:
            return value.detach().requires_grad_(value.requires_grad)
        return value

    known = [without_data(one) for one in examples]
    with mode, finding_values(known):
        yield known


def operators_of_operators() -> dict[OpOverload, Callable[..., Any]]:
    """What ATen's operators are made of, as PyTorch says; not those that autograd sees into.

    Needs has_operators.
    """
    found: dict[OpOverload, Callable[..., Any]] = (names.all_of(names.OPERATORS) or ())[0]()
    return found


def number_of(symbolic: Any) -> Any:
    """The number that one of a graph is known to be; None where only the run knows."""
    node = symbolic.node
    if node.constant is not None:
        return node.constant
    if not node.expr.is_number:
        return None
    kinds = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}
    return kinds[type(symbolic)](node.expr)


def node_of_expression(expression: Any, parts: Sequence[Node | int]) -> Node:
    """A node that computes an expression of sizes of its parts, one of which is a node at least."""
    _, apply, analysis = names.all_of(names.OPERATORS) or ()
    operands = [Proxy(part) if isinstance(part, Node) else part for part in parts]
    made: Node = apply(analysis, operands, expression).node
    return made


# --- Products with sparse matrices ---

has_sparse_products = bool(names.all_of(names.SPARSE_PRODUCTS))
# A context: leaves modes that see operators, so that tensors are made as ever.
outside_operator_modes: Any = names.the_one_of(names.OPERATOR_MODES, nullcontext)


def outside_modes() -> AbstractContextManager[Any]:
    """Lets PyTorch compute, also where a mode is entered."""
    context = names.the_one_of(names.SPARSE_PRODUCTS)
    return context() if context else nullcontext()


def skip_frame(function: Callable[..., Any], with_callees: bool) -> None:
    """Has torch.compile capture nothing of a function where it is called, or of what it calls."""
    if found := names.all_of(names.SKIPPED_FRAMES):
        strategy, action, set_strategy = found
        callees = action.SKIP if with_callees else action.DEFAULT
        set_strategy(function.__code__, strategy(action.SKIP, callees))


# --- What operations change ---

_is_made_of_others = names.found["torch.utils._python_dispatch:is_traceable_wrapper_subclass"]
_HigherOrderOperator = names.found["torch._ops:HigherOrderOperator"]


# They change nothing.
checks: tuple[Any, ...] = tuple(
    one for feature in (names.CHECKS, names.MADE_MODULES) for one in names.all_of(feature) or ()
)


def runs_graphs(target: Any) -> bool:
    """Whether a function is an operator that is given graphs to run."""
    return watches_calls and isinstance(target, _HigherOrderOperator)


@contextmanager
def trial(tensors: Iterable[Tensor]) -> Iterator[None]:
    """A context in which functions run without data, and of which shapes learn nothing.

    Needs watches_calls.
    """
    dispatcher, fake = names.all_of(names.NEW_NODES) or (nullcontext, ())
    mode = next((one.fake_mode for one in tensors if isinstance(one, fake)), None)
    mode = mode or names.found["torch._subclasses.fake_tensor:FakeTensorMode"]()
    shapes = mode.shape_env
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(mode)
        for name in ("suppress_guards", "ignore_fresh_unbacked_symbols"):
            if (context := getattr(shapes, name, None)) is not None:
                stack.enter_context(context())
        stack.enter_context(dispatcher())
        yield


def parts_of(tensor: Any) -> list[Tensor] | None:
    """The tensors that a tensor is made of; None for one that is its own."""
    if not watches_calls or not _is_made_of_others(tensor):
        return None
    return [getattr(tensor, name) for name in tensor.__tensor_flatten__()[0]]


def storage_of(tensor: Tensor) -> int | None:
    """A number for the memory that a tensor lies in, also without data; None if unknown."""
    try:
        storage: int = tensor.untyped_storage()._cdata
    except (AttributeError, NotImplementedError):
        # Tensors within transforms of torch.func have none of their own.
        return None
    return storage


def innermost_mode() -> Any:
    """The torch function mode that a graph is captured in, innermost of several; None if none."""
    if not (found := names.all_of(names.MODES)):
        return None
    entered, captured, _ = found
    modes = [*captured.stack, *entered()]
    return modes[-1] if modes else None


def without_innermost_mode() -> AbstractContextManager[Any]:
    """Leaves the innermost torch function mode, which innermost_mode has said there is."""
    context: AbstractContextManager[Any] = names.found["torch.overrides:_pop_mode_temporarily"]()
    return context


def rows_of_entries(positions: Tensor, columns: Tensor) -> Tensor:
    """The row of every entry of a matrix in CSR, (entries,), of its positions' type."""
    if found := names.all_of(names.SPARSE_INDICES):
        is_int32 = positions.dtype is torch.int32
        rows: Tensor = found[0](positions, columns, out_int32=is_int32)[0]
        return rows
    counts = positions.diff()
    rows = torch.arange(len(counts), dtype=positions.dtype)
    return rows.repeat_interleave(counts, output_size=len(columns))


def positions_of_rows(rows: Tensor, count: int) -> Tensor:
    """Where each of `count` rows begins among entries that are sorted by row, (count + 1,)."""
    if found := names.all_of(names.SPARSE_INDICES):
        positions: Tensor = found[1](rows, count)
        return positions
    counts = torch.bincount(rows, minlength=count)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)])


# --- Inductor ---


def inductor() -> Callable[..., Any] | None:
    """Compiles a graph and its example inputs by Inductor; None without INDUCTOR."""
    found = names.look_up(f"{names.INDUCTOR_MODULE}:{names.INDUCTOR_NAME}")
    return None if found is names.ABSENT or names.missing(names.INDUCTOR) else found


def autograd_again() -> AbstractContextManager[Any]:
    """Lets autograd see operations inside of an operator, where it is past; needs INDUCTOR."""
    key, guard = names.all_of(names.INDUCTOR) or (None, None)
    assert guard is not None
    context: AbstractContextManager[Any] = guard(key, False)
    return context


# --- Containers of tensors ---


def leaves(value: Any) -> list[Any]:
    """What a value's containers hold, in their order; None is a leaf."""
    if found := names.all_of(names.TREES):
        return list(found[0](value))
    if type(value) is dict:
        value = list(value.values())
    if type(value) in (list, tuple):
        return [leaf for one in value for leaf in leaves(one)]
    return [value]


def with_tensors(change: Callable[[Tensor], Tensor], value: Any) -> Any:
    """A value whose containers hold what `change` makes of the tensors in them."""
    if found := names.all_of(names.TREES):
        return found[1](Tensor, change, value)
    if type(value) is dict:
        return {key: with_tensors(change, one) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(with_tensors(change, one) for one in value)
    return change(value) if isinstance(value, Tensor) else value
