"""Names of PyTorch that are no interface of it: what each is for, and what is off without it.

A release may move any of them: the feature that needs it is off then, the doctor says so, and all
else works. What is done with them is in private.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
OPERATORS = Feature(
    "graphs of ATen's operators",
    "what only statements describe is left to PyTorch",
    {
        "torch._decomp:_core_aten_decompositions_post_autograd": "says what operators are made of",
        "torch.utils._sympy.interp:_run_sympy_handler": "computes sizes of those that inputs have",
        "torch.utils._sympy.reference:PythonReferenceAnalysis": "does so by Python's operators",
    },
)
NEW_SIZES = Feature(
    "bags by themselves",
    "calls of a compiled nn.EmbeddingBag go through torch.compile, and take longer",
    {
        "torch.fx.experimental.symbolic_shapes:ShapeEnv": "makes sizes that are symbols",
        "torch._dynamo.convert_frame:compile_lock": "lets one thread trace at a time",
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
SHAPES_OF_4_BITS = Feature(
    "capture of bags of rows of 4 bits",
    "torch.compile breaks a graph at torch.ops.quantized.embedding_bag_4bit_rowwise_offsets",
    {"torch._C:_dispatch_has_kernel_for_dispatch_key": "says whether PyTorch has their shape"},
)
OVERLOADS = Feature(
    "functions of torch.ops in graphs",
    "those that stand for several operators, such as torch.ops.aten.embedding, are PyTorch's",
    {"torch._C:_jit_resolve_packet": "says which operator they call"},
)
CHECKS = Feature(
    "checks of sizes in graphs",
    "what is checked between the parts of a pattern keeps it from being one kernel",
    {
        "torch:_check": "raises where a condition does not hold",
        "torch:_check_is_size": "raises where a number is no size",
    },
)
MADE_MODULES = Feature(
    "modules that are made in graphs",
    "what is made before a module, and is used behind it, is no part of a kernel with that",
    {"torch._C:_log_api_usage_once": "is told of modules that are made"},
)
WRAPPED_TENSORS = Feature(
    "tensors of transforms in graphs",
    "a graph with torch.vmap in it may leave the same operations of others to PyTorch",
    {"torch._C._functorch:is_functorch_wrapped_tensor": "says which values are a transform's"},
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
INDUCTOR_MODULE, INDUCTOR_NAME = "torch._inductor.compile_fx", "compile_fx"
ABSENT = object()


def look_up(path: str) -> Any:
    """What PyTorch has under MODULE:ATTRIBUTE; ABSENT where it has nothing."""
    module, _, attributes = path.partition(":")
    try:
        value: Any = importlib.import_module(module)
        for attribute in attributes.split("."):
            value = getattr(value, attribute)
    # An import may fail in any way where what it needs has moved.
    except Exception:
        return ABSENT
    return value


found = {path: look_up(path) for feature in FEATURES for path in feature.names}


def features_off() -> list[Feature]:
    """The features that are off with this release of PyTorch."""
    return [feature for feature in FEATURES if missing(feature)]


def missing(feature: Feature) -> list[str]:
    """The names that a feature needs and this release of PyTorch does not have."""
    absent = [path for path in feature.names if found[path] is ABSENT]
    if not feature.needs_all and len(absent) < len(feature.names):
        return []
    if feature is INDUCTOR and importlib.util.find_spec(INDUCTOR_MODULE) is None:
        absent.append(f"{INDUCTOR_MODULE}:{INDUCTOR_NAME}")
    return [path.replace(":", ".") for path in absent]


def all_of(feature: Feature) -> tuple[Any, ...] | None:
    """What PyTorch has under the names of a feature, in their order; None if one is missing."""
    values = tuple(found[path] for path in feature.names)
    return None if any(one is ABSENT for one in values) else values


def the_one_of(feature: Feature, otherwise: Any = None) -> Any:
    """What PyTorch has under the one name of a feature, or the other value."""
    values = all_of(feature)
    return values[0] if values else otherwise
