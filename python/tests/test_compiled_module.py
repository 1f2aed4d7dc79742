"""What ember.compile makes of a module is used as what torch.compile makes of it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import gc
import io
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

INDICES = torch.tensor([[3, 1, 4], [1, 5, 9]])
MASK = torch.tensor([1.0, 0.0])


class Ranker(nn.Module):
    """A bag with a module, a buffer, a number and a mode of training."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 4, mode="sum")
        self.out = nn.Linear(4, 2)
        self.register_buffer("bias", torch.ones(2))
        self.scale = 2.0

    def forward(self, indices: Tensor, *, factor: float = 1.0) -> Tensor:
        found: Tensor = self.out(self.bag(indices)) * (self.scale * factor) + self.bias
        return found if self.training else found - 1


class Negative(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return -weight


def ranker() -> nn.Module:
    torch.manual_seed(0)
    return Ranker()


def sequence() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.EmbeddingBag(10, 4, mode="sum"), nn.Dropout(0.0), nn.Linear(4, 2))


def one_bag() -> nn.Module:
    torch.manual_seed(0)
    return nn.EmbeddingBag(10, 2, mode="sum")


def seen_by(register: str, of: str) -> Callable[[Any, Any], Any]:
    """Calls before, with and after a hook, with what the hook saw and what came out."""

    def use(wrapper: Any, original: Any) -> Any:
        seen: list[Any] = []
        module = wrapper if of == "wrapper" else original

        def hook(one: nn.Module, *given: Any) -> None:
            seen.append((one is module, [len(value) for value in given if type(value) is tuple]))

        with torch.no_grad():
            wrapper(INDICES)
        handle = getattr(module, register)(hook)
        result = wrapper(INDICES)
        result.sum().backward()
        handle.remove()
        return seen, result, wrapper(INDICES)

    return use


def changed(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What a call returns before and after a change, with what the two modules are then."""

    def use(wrapper: Any, original: Any) -> Any:
        before = wrapper(INDICES)
        change(wrapper, original)
        after = wrapper(INDICES)
        names = list(wrapper.state_dict()), list(original.state_dict())
        return before, after, wrapper.training, original.training, names

    return use


def first_table(module: Any) -> nn.EmbeddingBag:
    found: nn.EmbeddingBag = next(
        one for one in module.modules() if isinstance(one, nn.EmbeddingBag)
    )
    return found


def replaced_table(wrapper: Any, original: Any) -> None:
    first_table(wrapper).weight = nn.Parameter(torch.ones_like(first_table(original).weight))


def set_and_deleted(wrapper: Any, original: Any) -> Any:
    wrapper.note = 3
    wrapper.added = nn.Linear(2, 2)
    wrapper.weights = nn.Parameter(torch.zeros(2))
    found = [original.note, "note" in wrapper.__dict__, list(wrapper.state_dict())]
    del wrapper.note, wrapper.added, wrapper.weights
    return found, hasattr(original, "note"), hasattr(wrapper, "added"), list(original.state_dict())


def registered(wrapper: Any, original: Any) -> Any:
    wrapper.register_buffer("other", torch.zeros(1))
    wrapper.register_parameter("further", nn.Parameter(torch.zeros(1)))
    wrapper.add_module("child", nn.Linear(1, 1))
    return list(wrapper.state_dict()), list(original.state_dict()), wrapper.other is not None


def trained(wrapper: Any, original: Any) -> Any:
    optimizer = torch.optim.SGD(wrapper.parameters(), 0.1)
    for _ in range(2):
        optimizer.zero_grad()
        wrapper(INDICES).square().sum().backward()
        optimizer.step()
    wrapper.zero_grad()
    return [parameter.detach() for parameter in original.parameters()]


def parametrized(wrapper: Any, original: Any) -> None:
    parametrize.register_parametrization(first_table(original), "weight", Negative())


def roundtrip(write: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """A copy of the wrapper: whether it is one, and shares what, with what it returns."""

    def use(wrapper: Any, original: Any) -> Any:
        wrapper(INDICES)
        again = write(wrapper)
        tables = first_table(again).weight, first_table(original).weight
        return type(again) is type(wrapper), tables[0] is tables[1], again(INDICES)

    return use


def saved(wrapper: Any) -> Any:
    file = io.BytesIO()
    torch.save(wrapper, file)
    return torch.load(io.BytesIO(file.getvalue()), weights_only=False)


def loaded(prefix: str) -> Callable[[Any, Any], Any]:
    def use(wrapper: Any, original: Any) -> Any:
        state = {prefix + name: one + 1 for name, one in original.state_dict().items()}
        return list(wrapper.load_state_dict(state)), wrapper(INDICES)

    return use


def traced(wrapper: Any, original: Any) -> Any:
    with pytest.raises(RuntimeError):
        torch.jit.trace(wrapper, (INDICES,))
    return "refused"


def of_names(names: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda wrapper, original: [name for name, *_ in names(wrapper)]


USES: dict[str, Callable[[Any, Any], Any]] = {
    "is a module": lambda wrapper, original: isinstance(wrapper, nn.Module),
    "parameters": of_names(lambda wrapper: wrapper.named_parameters()),
    "buffers": of_names(lambda wrapper: wrapper.named_buffers()),
    "modules": of_names(lambda wrapper: wrapper.named_modules()),
    "children": of_names(lambda wrapper: wrapper.named_children()),
    "state": lambda wrapper, original: wrapper.state_dict(),
    "original": lambda wrapper, original: wrapper._orig_mod,
    "submodule": lambda wrapper, original: wrapper.get_submodule("_orig_mod"),
    "wrong attribute": lambda wrapper, original: wrapper.nothing,
    "attribute": lambda wrapper, original: getattr(wrapper, "scale", None),
    "own attributes": lambda wrapper, original: set(dir(original)) <= set(dir(wrapper)),
    "length": lambda wrapper, original: len(wrapper),
    "items": lambda wrapper, original: wrapper[0],
    "iteration": lambda wrapper, original: list(wrapper),
    "membership": lambda wrapper, original: hash(wrapper) == hash(wrapper) and wrapper != original,
    "reference": lambda wrapper, original: weakref.ref(wrapper)() is wrapper,
    "in a sequence": lambda wrapper, original: nn.Sequential(wrapper, nn.ReLU())(INDICES),
    "names in a sequence": lambda wrapper, original: list(nn.Sequential(wrapper).state_dict()),
    "in parallel": lambda wrapper, original: nn.DataParallel(wrapper)(INDICES),
    "no arguments": lambda wrapper, original: wrapper(),
    "wrong names": lambda wrapper, original: wrapper(INDICES, nothing=1),
    "names": lambda wrapper, original: wrapper(INDICES, factor=3.0),
    "compiled again": lambda wrapper, original: torch.compile(wrapper, backend="eager")(INDICES),
    "traced": traced,
    "exported": lambda wrapper, original: torch.export.export(wrapper, (INDICES,)).module()(
        INDICES
    ),
    "with other weights": lambda wrapper, original: torch.func.functional_call(
        wrapper,
        {name: torch.ones_like(one) for name, one in wrapper.named_parameters()},
        (INDICES,),
    ),
    "set and deleted": set_and_deleted,
    "registered": registered,
    "trained": trained,
    "loaded": loaded("_orig_mod."),
    "loaded by other names": loaded(""),
    "copied": roundtrip(copy.copy),
    "copied deeply": roundtrip(copy.deepcopy),
    "pickled": roundtrip(lambda wrapper: pickle.loads(pickle.dumps(wrapper))),
    "saved": roundtrip(saved),
    "evaluated": changed(lambda wrapper, original: wrapper.eval()),
    "evaluated within": changed(lambda wrapper, original: original.eval()),
    "training set": changed(lambda wrapper, original: setattr(wrapper, "training", False)),
    "scale set": changed(lambda wrapper, original: setattr(wrapper, "scale", 5.0)),
    "weight set": changed(
        lambda wrapper, original: setattr(wrapper, "weight", nn.Parameter(torch.ones(10, 2)))
    ),
    "table replaced": changed(replaced_table),
    "parametrized": changed(parametrized),
    "moved": changed(lambda wrapper, original: wrapper.to(torch.float64)),
    "frozen": changed(lambda wrapper, original: wrapper.requires_grad_(False)),
    "applied": changed(lambda wrapper, original: wrapper.apply(lambda module: module.eval())),
    "hook of the wrapper": seen_by("register_forward_hook", "wrapper"),
    "hook before the wrapper": seen_by("register_forward_pre_hook", "wrapper"),
    "hook behind the wrapper": seen_by("register_full_backward_hook", "wrapper"),
    "returned": lambda wrapper, original: [
        call() is wrapper
        for call in (
            wrapper.eval,
            wrapper.train,
            wrapper.half,
            wrapper.bfloat16,
            wrapper.float,
            wrapper.double,
            wrapper.cpu,
            wrapper.share_memory,
            wrapper.requires_grad_,
            lambda: wrapper.to("cpu"),
            lambda: wrapper.type(torch.float32),
        )
    ],
}
# Of PyTorch's own modules, torch.compile takes up the hooks of the original that are there when it
# captures; Ember takes up others, too.
OF_THE_ORIGINAL = {
    f"{register} of the original": seen_by(register, "original")
    for register in (
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_full_backward_hook",
    )
}


def outcome(use: Callable[[Any, Any], Any], wrapper: Any, original: Any) -> Any:
    """What a use of a wrapper returns, or the name of the error."""
    try:
        found = use(wrapper, original)
    except Exception as error:
        return type(error).__name__
    if found is wrapper or found is original:
        return "the wrapper" if found is wrapper else "the original"
    return found


def assert_same(found: Any, expected: Any, what: str) -> None:
    """Values of all kinds, with tensors anywhere in them."""
    assert type(found) is type(expected), f"{what}: {found} and {expected}"
    if isinstance(found, Tensor):
        torch.testing.assert_close(found, expected, msg=lambda text: f"{what}: {text}")
    elif isinstance(found, dict):
        assert_same(list(found.items()), list(expected.items()), what)
    elif isinstance(found, list | tuple):
        assert len(found) == len(expected), f"{what}: {found} and {expected}"
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, what)
    elif not isinstance(found, nn.Module):
        assert found == expected, f"{what}: {found} and {expected}"


# What a sequence does otherwise, or what reaches into one.
OF_A_SEQUENCE = (
    "length",
    "items",
    "iteration",
    "state",
    "names in a sequence",
    "table replaced",
    "moved",
    "pickled",
    "hook of the wrapper",
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [ranker, sequence, one_bag])
def test_uses_are_those_of_torch_compile(make: Callable[[], nn.Module]) -> None:
    uses = USES | OF_THE_ORIGINAL
    if make is sequence:
        uses = {name: USES[name] for name in OF_A_SEQUENCE}
    for name, use in uses.items():
        torch._dynamo.reset()
        original, other = make(), make()
        expected = outcome(use, torch.compile(other, backend="eager"), other)
        assert_same(outcome(use, ember.compile(original), original), expected, name)


@pytest.mark.parametrize("make", [ranker, sequence, one_bag])
def test_hooks_of_the_original_are_called(make: Callable[[], nn.Module]) -> None:
    original = make()
    kernel = ember.compile(original, (INDICES,))
    seen: list[str] = []
    for register in ("register_forward_hook", "register_forward_pre_hook"):
        handle = getattr(original, register)(lambda *_, name=register: seen.append(name))
        kernel(INDICES)
        kernel(INDICES)
        assert seen == [register, register]
        handle.remove()
        kernel(INDICES)
        assert len(seen) == 2
        seen.clear()


@pytest.mark.parametrize("make", [ranker, sequence, one_bag])
def test_hooks_of_all_modules_are_called(make: Callable[[], nn.Module]) -> None:
    kernel = ember.compile(make(), (INDICES,))
    seen: list[nn.Module] = []
    handle = nn.modules.module.register_module_forward_hook(lambda one, *_: seen.append(one))
    try:
        with pytest.warns(UserWarning, match="global hooks"):
            kernel(INDICES)
    finally:
        handle.remove()
    assert kernel in seen
    count = len(seen)
    kernel(INDICES)
    assert len(seen) == count


def test_compiled_again_is_compiled_anew() -> None:
    original = ranker()
    kernel = ember.compile(original, opt_level=1)
    for compiled in (kernel, torch.compile(original, backend="eager")):
        again = ember.compile(compiled, opt_level=2)  # type: ignore[arg-type]
        assert again.original is original
        assert again.settings.kernel_options.opt_level == 2
    torch.testing.assert_close(ember.compile(kernel, (INDICES,))(INDICES), original(INDICES))


def test_public_names_are_kept() -> None:
    original = ranker()
    kernel = ember.compile(original, (INDICES,))
    assert isinstance(kernel, ember.Kernel)
    assert kernel.original is original
    assert len(kernel.reports()) == 1
    # Of the bag, and of its gradient.
    assert len(kernel.kernels()) == 2
    assert repr(kernel).startswith("ember.Kernel(Ranker(")
    copied = copy.deepcopy(kernel)
    assert copied.settings == kernel.settings
    assert copied.original is not original


def test_a_function_stays_a_callable_and_a_method() -> None:
    table = torch.rand(10, 4)

    class Model:
        factor = 2.0

        @ember.compile
        def sums(self, indices: Tensor) -> Tensor:
            return nn.functional.embedding_bag(indices, table, mode="sum") * self.factor

    assert not isinstance(Model.sums, nn.Module)
    torch.testing.assert_close(Model().sums(INDICES), table[INDICES].sum(1) * 2)


def test_a_model_goes_with_its_wrapper() -> None:
    for make in (ranker, sequence, one_bag):
        kernel = ember.compile(make(), (INDICES,))
        kernel(INDICES)
        original, wrapper = weakref.ref(kernel.original), weakref.ref(kernel)
        table = weakref.ref(first_table(kernel).weight)
        del kernel
        gc.collect()
        assert original() is None
        assert wrapper() is None
        assert table() is None
