"""What Ember uses of PyTorch that is no interface of it, and what is off where a name is not there.

Nothing else in the package names anything private of PyTorch. A release may move any of these
names: the feature that needs it is off then, the doctor says so, and all else works.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib
import importlib.util
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

if TYPE_CHECKING:
    from torch._ops import OpOverload as OpOverload
    from torch._ops import OpOverloadPacket as OpOverloadPacket
else:
    OpOverload, OpOverloadPacket = type(torch.ops.aten.add.Tensor), type(torch.ops.aten.add)

# The releases that the tests run with; others are taken, too.
TESTED_RELEASES = ("2.13", "2.14", "2.15")


@dataclass(frozen=True)
class Feature:
    """Something that needs private names.

    title: what it is. without: what is the case where a name is not there. names: MODULE:ATTRIBUTE
    with the purpose of each. needs_all: whether one of them is not enough.
    """

    title: str
    without: str
    names: Mapping[str, str]
    needs_all: bool = True


TRANSFORMS = Feature(
    "transforms of torch.func",
    "every kernel is left to PyTorch, as one may be called within vmap or grad",
    {
        "torch._C:_are_functorch_transforms_active": "says whether a transform runs",
        "torch._C._functorch:peek_interpreter_stack": "has the transform that runs",
    },
    needs_all=False,
)
FORWARD_GRADIENTS = Feature(
    "fast question for forward gradients",
    "a call takes some microseconds more",
    {"torch.autograd.forward_ad:_current_level": "is at least 0 where tensors may have tangents"},
)
DIRECT_CALLS = Feature(
    "short path of ember.compile",
    "its calls go through torch.compile's wrapper, some microseconds more each",
    {
        "torch._dynamo.eval_frame:_stance.stance": "is what torch.compile is told to do",
        "torch._C._dynamo.eval_frame:reset_code": "gives captures up, to see that they know",
        "torch._C._dynamo.eval_frame:get_eval_frame_callback": "tells of an outer torch.compile",
        "torch._C:_is_tracing": "tells of torch.jit.trace",
        "torch._dynamo:utils": "is what captured code calls of Dynamo",
        "torch.nn.modules.module:_has_any_global_hook": "tells of hooks for all modules",
        "torch.nn.modules.module:_global_forward_pre_hooks": "are such hooks, for compiled code",
        "torch.nn.modules.module:_global_forward_hooks": "are such hooks, for compiled code",
        "torch.nn.modules.module:_global_backward_pre_hooks": "are such hooks, for compiled code",
        "torch.nn.modules.module:_global_backward_hooks": "are such hooks, for compiled code",
    },
)
OWN_CAPTURES = Feature(
    "captures of ember.compile apart from others",
    "models of a class share torch.compile's limit of graphs, and calls take no short path",
    {
        "torch._dynamo:optimize": "is torch.compile, and tells what captures a function",
        "torch._dynamo.config:recompile_limit": "is how many graphs a function may have",
    },
)
COUNTED_BREAKS = Feature(
    "count of graph breaks",
    "ember.compile does not take its short path, nor looks for sparse tensors that a model makes",
    {"torch._dynamo.utils:counters": "counts graph breaks and their causes"},
)
REASONS = Feature(
    "reasons of graph breaks",
    "ember.explain lists no graph breaks",
    {"torch._dynamo.utils:graph_break_reasons": "are the reasons, with their places"},
)
CAPTURE = Feature(
    "capture of sizes that depend on elements",
    "graphs of ember.compile break where a size depends on a tensor's elements",
    {
        "torch._dynamo.config:patch": "changes options of the capture",
        "torch._dynamo.config:capture_dynamic_output_shape_ops": "captures such operations",
    },
)
ANY_SIZE = Feature(
    "one graph for sizes of 0, 1 and more",
    "ember.compile captures graphs of their own for sizes of 0 and 1",
    {
        "torch.fx.experimental._config:patch": "changes options of symbolic sizes",
        "torch.fx.experimental._config:backed_size_oblivious": "sizes of 0 and 1 are no cases",
        "torch._dynamo.exc:TorchDynamoException": "says that a graph needs such cases",
    },
)
CHANGING_SIZES = Feature(
    "sizes of an example that change",
    "ember.compile captures a graph again when a batch has another size than the example",
    {"torch._dynamo:maybe_mark_dynamic": "tells torch.compile which sizes change"},
)
COMPILED_MODULES = Feature(
    "compiled modules that are modules",
    "what ember.compile makes of a module is a callable; ember.explain takes no compiled modules",
    {"torch._dynamo.eval_frame:OptimizedModule": "is what torch.compile makes of a module"},
)
SYMBOLIC_SIZES = Feature(
    "comparison of symbolic sizes",
    "what depends on two sizes being the same is left to PyTorch, but for sizes that are numbers",
    {
        "torch.fx.experimental.symbolic_shapes:statically_known_true": "compares without a guard",
    },
)
NEW_NODES = Feature(
    "linear layers ahead of sums over edges",
    "graphs are not put into another order",
    {
        "torch._dispatch.python:enable_python_dispatcher": "finds shapes of what is put in",
        "torch._subclasses.fake_tensor:FakeTensor": "stands for tensors in a graph",
    },
)
WATCHED_CALLS = Feature(
    "effects of functions and methods",
    "what is no operator of a graph may change any tensor: fewer parts of models become kernels",
    {
        "torch.utils._python_dispatch:TorchDispatchMode": "sees which operators a function calls",
        "torch.utils._python_dispatch:is_traceable_wrapper_subclass": "tells of tensors of tensors",
        "torch._subclasses.fake_tensor:FakeTensorMode": "lets functions run without data",
        "torch._ops:HigherOrderOperator": "is what operators are that run graphs",
    },
)
SPARSE_PRODUCTS = Feature(
    "products with sparse matrices",
    "PyTorch computes them, also within ember.sparse_products",
    {"torch._C:DisableTorchFunction": "lets PyTorch compute what has no kernel"},
)
SKIPPED_FRAMES = Feature(
    "short way to kernels of sparse products",
    "torch.compile looks at them in vain: products take longer in functions that it breaks",
    {
        "torch._C._dynamo.eval_frame:_FrameExecStrategy": "says what Dynamo does at a function",
        "torch._C._dynamo.eval_frame:_FrameAction": "is skip or not",
        "torch._C._dynamo.eval_frame:set_code_exec_strategy": "says so of a function",
    },
)
MODES = Feature(
    "graphs outside of ember.sparse_products",
    "graphs of models with sparse tensors take some microseconds longer",
    {
        "torch._dynamo.utils:get_torch_function_mode_stack": "lists the modes entered",
        "torch._dynamo.variables.torch_function:torch_function_mode_stack_state_mgr": (
            "lists those that a graph is captured in"
        ),
        "torch.overrides:_pop_mode_temporarily": "leaves the innermost one for a graph",
    },
)
OPERATOR_MODES = Feature(
    "first calls on fake tensors",
    "a kernel's first call is not to be made on them: what it keeps for later ones would be fake",
    {"torch.utils._python_dispatch:_disable_current_modes": "leaves modes of operators"},
)
INDUCTOR = Feature(
    "option rest='inductor'",
    "what is left of a graph is run by PyTorch as it is",
    {
        "torch._C:DispatchKey.AutogradFunctionality": "is autograd",
        "torch._C:_SetExcludeDispatchKeyGuard": "lets autograd see into an operator",
    },
)
BAG_GRADIENTS = Feature(
    "gradients of bags by PyTorch's operators",
    "gradients of bags that no kernel has take longer",
    {
        "torch.ops:aten._embedding_bag_backward": "is the gradient of a table",
        "torch.ops:aten._embedding_bag_per_sample_weights_backward": "is that of weights",
    },
)
SHAPES_OF_4_BITS = Feature(
    "capture of bags of rows of 4 bits",
    "torch.compile breaks a graph at torch.ops.quantized.embedding_bag_4bit_rowwise_offsets",
    {"torch._C:_dispatch_has_kernel_for_dispatch_key": "says whether PyTorch has their shape"},
)
CHECKS = Feature(
    "checks of sizes in graphs",
    "what is checked between the parts of a pattern keeps it from being one kernel",
    {
        "torch:_check": "raises where a condition does not hold",
        "torch:_check_is_size": "raises where a number is no size",
    },
)
SPARSE_INDICES = Feature(
    "conversion of sparse indices",
    "indices of sparse matrices are converted by operations that take longer",
    {
        "torch:_convert_indices_from_csr_to_coo": "has the row of every entry",
        "torch:_convert_indices_from_coo_to_csr": "has where the rows begin",
    },
)
TREES = Feature(
    "export of other containers than lists, tuples and dicts",
    "arguments and results of ember.export that hold tensors are lists, tuples and dicts alone",
    {
        "torch.utils._pytree:tree_leaves": "lists what containers hold",
        "torch.utils._pytree:tree_map_only": "changes it",
    },
)
FEATURES = tuple(one for one in list(globals().values()) if isinstance(one, Feature))

# What takes seconds to import is looked for when it is needed.
_INDUCTOR_MODULE, _INDUCTOR_NAME = "torch._inductor.compile_fx", "compile_fx"
_ABSENT = object()


def _look_up(path: str) -> Any:
    """What PyTorch has under MODULE:ATTRIBUTE; _ABSENT where it has nothing."""
    module, _, attributes = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for attribute in attributes.split("."):
            found = getattr(found, attribute)
    # An import may fail in any way where what it needs has moved.
    except Exception:
        return _ABSENT
    return found


_found = {path: _look_up(path) for feature in FEATURES for path in feature.names}


def features_off() -> list[Feature]:
    """The features that are off with this release of PyTorch."""
    return [feature for feature in FEATURES if missing(feature)]


def missing(feature: Feature) -> list[str]:
    """The names that a feature needs and this release of PyTorch does not have."""
    absent = [path for path in feature.names if _found[path] is _ABSENT]
    if not feature.needs_all and len(absent) < len(feature.names):
        return []
    if feature is INDUCTOR and importlib.util.find_spec(_INDUCTOR_MODULE) is None:
        absent.append(f"{_INDUCTOR_MODULE}:{_INDUCTOR_NAME}")
    return [path.replace(":", ".") for path in absent]


def _all_of(feature: Feature) -> tuple[Any, ...] | None:
    """What PyTorch has under the names of a feature, in their order; None if one is missing."""
    found = tuple(_found[path] for path in feature.names)
    return None if any(one is _ABSENT for one in found) else found


def _the_one_of(feature: Feature, otherwise: Any = None) -> Any:
    """What PyTorch has under the one name of a feature, or the other value."""
    found = _all_of(feature)
    return found[0] if found else otherwise


# --- Tensors that are not what they seem to be ---


def _transform_question() -> Callable[[], bool]:
    """What says whether a transform of torch.func runs; yes where that is not known."""
    are_active, innermost = (_found[path] for path in TRANSFORMS.names)
    if are_active is not _ABSENT:
        return are_active  # type: ignore[no-any-return]
    if innermost is not _ABSENT:
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
    if _all_of(FORWARD_GRADIENTS):
        return lambda: in_transform() or forward_ad._current_level >= 0
    return lambda: in_transform() or _has_tangents()


# Whether tensors may be more than their memory: batches of vmap, duals with tangents, and the like.
is_transformed = _transformed_question()


# --- What torch.compile captured, and how it is told to ---

breaks_are_counted = bool(_all_of(COUNTED_BREAKS))
_counters: Mapping[str, Mapping[str, int]] = _the_one_of(COUNTED_BREAKS, {})


def graph_breaks() -> int:
    """How many breaks of graphs this process has seen so far; see breaks_are_counted."""
    return sum(_counters.get("graph_break", {}).values())


def unimplemented() -> Iterable[tuple[str, int]]:
    """Why torch.compile left functions to Python so far, and how often."""
    return _counters.get("unimplemented", {}).items()


def graph_break_reasons() -> Sequence[Any]:
    """The reasons of graph breaks so far: each has a reason and a user_stack."""
    reasons: Sequence[Any] = _the_one_of(REASONS, ())
    return reasons


def capture_options(**options: Any) -> Callable[[], AbstractContextManager[Any]]:
    """Makes contexts in which torch.compile captures with these options, those that there are."""
    config = sys.modules.get("torch._dynamo.config")
    patch = _found["torch._dynamo.config:patch"]
    known = {name: value for name, value in options.items() if hasattr(config, name)}
    if patch is _ABSENT or not known:
        return nullcontext
    return lambda: patch(known)


has_any_size = bool(_all_of(ANY_SIZE))


def any_size() -> AbstractContextManager[Any]:
    """A context in which sizes of 0 and 1 are no cases of their own; needs has_any_size."""
    found = _all_of(ANY_SIZE)
    return found[0](backed_size_oblivious=True) if found else nullcontext()


# What torch.compile raises where it cannot capture a function.
CaptureError: type[Exception] = (_all_of(ANY_SIZE) or [Exception])[-1]


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


has_own_captures = bool(_all_of(OWN_CAPTURES))


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
    optimize = _found["torch._dynamo:optimize"]
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
    if mark := _the_one_of(CHANGING_SIZES):
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
CompiledModule: type[nn.Module] = _the_one_of(COMPILED_MODULES) or nn.Module
has_compiled_modules = _the_one_of(COMPILED_MODULES) is not None


def original_of(model: Callable[..., Any]) -> Callable[..., Any]:
    """What torch.compile was given, of what it returned; anything else itself."""
    optimized = _the_one_of(COMPILED_MODULES)
    if optimized is not None and isinstance(model, optimized):
        original: Callable[..., Any] = model._orig_mod
        return original
    original = undisabled(model, model)
    return original


def undisabled(function: Any, otherwise: Any = None) -> Any:
    """What torch.compile or torch._dynamo.disable was given, or the value for anything else."""
    return getattr(function, "_torchdynamo_orig_callable", otherwise)


# --- The short path of ember.compile ---

has_direct_calls = bool(_all_of(DIRECT_CALLS))
# A callback of an outer torch.compile, or None; whether torch.jit.trace runs.
eval_frame_callback = _found["torch._C._dynamo.eval_frame:get_eval_frame_callback"]
is_tracing = _found["torch._C:_is_tracing"]
# torch._dynamo.utils, which captured code calls.
dynamo_utilities = _found["torch._dynamo:utils"]
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
    _found["torch._C._dynamo.eval_frame:reset_code"](code)


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


_known_question = _found["torch.nn.modules.module:_has_any_global_hook"]
_has_any_global_hook = _has_global_hooks if _known_question is _ABSENT else _known_question


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
    known = _the_one_of(SYMBOLIC_SIZES)
    return known is not None and bool(known(condition))


def lacks_shape(operator: str) -> bool:
    """Whether an operator has none that says the shape of its result; no where it is not known."""
    has_kernel = _the_one_of(SHAPES_OF_4_BITS)
    return has_kernel is not None and not has_kernel(operator, "Meta")


has_new_nodes = bool(_all_of(NEW_NODES))


@contextmanager
def finding_values(examples: Iterable[Any]) -> Iterator[None]:
    """A context in which operations of examples in a graph have their results' examples.

    As torch.compile finds the values of its nodes: of symbolic sizes, too. Needs has_new_nodes.
    """
    dispatcher, fake = _all_of(NEW_NODES) or (nullcontext, ())
    mode = next((one.fake_mode for one in examples if isinstance(one, fake)), nullcontext())
    with torch.no_grad(), mode, dispatcher():
        yield


# --- Products with sparse matrices ---

has_sparse_products = bool(_all_of(SPARSE_PRODUCTS))
# A context: leaves modes that see operators, so that tensors are made as ever.
outside_operator_modes: Any = _the_one_of(OPERATOR_MODES, nullcontext)


def outside_modes() -> AbstractContextManager[Any]:
    """Lets PyTorch compute, also where a mode is entered."""
    context = _the_one_of(SPARSE_PRODUCTS)
    return context() if context else nullcontext()


def skip_frame(function: Callable[..., Any], with_callees: bool) -> None:
    """Has torch.compile capture nothing of a function where it is called, or of what it calls."""
    if found := _all_of(SKIPPED_FRAMES):
        strategy, action, set_strategy = found
        callees = action.SKIP if with_callees else action.DEFAULT
        set_strategy(function.__code__, strategy(action.SKIP, callees))


# --- What operations change ---

# Also needs what has_new_nodes does.
watches_calls = has_new_nodes and bool(_all_of(WATCHED_CALLS))
# Sees operators, entered as a context: a subclass has __torch_dispatch__. Needs watches_calls.
DispatchMode: Any = _found["torch.utils._python_dispatch:TorchDispatchMode"]
DispatchMode = object if DispatchMode is _ABSENT else DispatchMode
_is_made_of_others = _found["torch.utils._python_dispatch:is_traceable_wrapper_subclass"]
_HigherOrderOperator = _found["torch._ops:HigherOrderOperator"]


# They change nothing.
checks: tuple[Any, ...] = _all_of(CHECKS) or ()


def runs_graphs(target: Any) -> bool:
    """Whether a function is an operator that is given graphs to run."""
    return watches_calls and isinstance(target, _HigherOrderOperator)


@contextmanager
def trial(tensors: Iterable[Tensor]) -> Iterator[None]:
    """A context in which functions run without data, and of which shapes learn nothing.

    Needs watches_calls.
    """
    dispatcher, fake = _all_of(NEW_NODES) or (nullcontext, ())
    mode = next((one.fake_mode for one in tensors if isinstance(one, fake)), None)
    mode = mode or _found["torch._subclasses.fake_tensor:FakeTensorMode"]()
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
    if not (found := _all_of(MODES)):
        return None
    entered, captured, _ = found
    modes = [*captured.stack, *entered()]
    return modes[-1] if modes else None


def without_innermost_mode() -> AbstractContextManager[Any]:
    """Leaves the innermost torch function mode, which innermost_mode has said there is."""
    context: AbstractContextManager[Any] = _found["torch.overrides:_pop_mode_temporarily"]()
    return context


def rows_of_entries(positions: Tensor, columns: Tensor) -> Tensor:
    """The row of every entry of a matrix in CSR, (entries,), of its positions' type."""
    if found := _all_of(SPARSE_INDICES):
        is_int32 = positions.dtype is torch.int32
        rows: Tensor = found[0](positions, columns, out_int32=is_int32)[0]
        return rows
    counts = positions.diff()
    rows = torch.arange(len(counts), dtype=positions.dtype)
    return rows.repeat_interleave(counts, output_size=len(columns))


def positions_of_rows(rows: Tensor, count: int) -> Tensor:
    """Where each of `count` rows begins among entries that are sorted by row, (count + 1,)."""
    if found := _all_of(SPARSE_INDICES):
        positions: Tensor = found[1](rows, count)
        return positions
    counts = torch.bincount(rows, minlength=count)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)])


# --- Gradients and Inductor ---

# ATen's operators, or None.
bag_backward, bag_weights_backward = _all_of(BAG_GRADIENTS) or (None, None)


def inductor() -> Callable[..., Any] | None:
    """Compiles a graph and its example inputs by Inductor; None without INDUCTOR."""
    found = _look_up(f"{_INDUCTOR_MODULE}:{_INDUCTOR_NAME}")
    return None if found is _ABSENT or missing(INDUCTOR) else found


def autograd_again() -> AbstractContextManager[Any]:
    """Lets autograd see operations inside of an operator, where it is past. Needs INDUCTOR."""
    key, guard = _all_of(INDUCTOR) or (None, None)
    assert guard is not None
    context: AbstractContextManager[Any] = guard(key, False)
    return context


# --- Containers of tensors ---


def leaves(value: Any) -> list[Any]:
    """What a value's containers hold, in their order; None is a leaf."""
    if found := _all_of(TREES):
        return list(found[0](value))
    if type(value) is dict:
        value = list(value.values())
    if type(value) in (list, tuple):
        return [leaf for one in value for leaf in leaves(one)]
    return [value]


def with_tensors(change: Callable[[Tensor], Tensor], value: Any) -> Any:
    """A value whose containers hold what `change` makes of the tensors in them."""
    if found := _all_of(TREES):
        return found[1](Tensor, change, value)
    if type(value) is dict:
        return {key: with_tensors(change, one) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(with_tensors(change, one) for one in value)
    return change(value) if isinstance(value, Tensor) else value
