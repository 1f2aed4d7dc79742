"""Calls of ember.compile's results that leave out torch.compile's wrapper mean what they meant.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import gc
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ember
import pytest
import torch
from ember import diagnosis, native
from ember.models.recommendation import WideAndDeep, wide_and_deep_inputs
from ember.torch.capture import direct_call, private
from ember.torch.capture.compiled import Kernel
from ember.torch.capture.direct_call import MISS, DirectCheck
from torch import Tensor, nn

ROWS, LENGTH = 50, 8
FACTOR = 2.0


class Scaled(nn.Module):
    """A bag, and an operation that depends on the module's state."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(ROWS, LENGTH, mode="sum")
        self.factor = 3.0

    def forward(self, indices: Tensor, offsets: Tensor | None = None) -> Tensor:
        found: Tensor = self.bag(indices, offsets) * self.factor
        return found if self.training else found + 1


def indices_of(bags: int = 4, seed: int = 0) -> Tensor:
    return torch.randint(ROWS, (bags, 5), generator=torch.Generator().manual_seed(seed))


def compiled(original: Callable[..., Any], *arguments: Any) -> Kernel:
    """The original, compiled; its calls are direct ones from then on."""
    torch._dynamo.reset()
    kernel = ember.compile(original, arguments)
    assert is_direct(kernel, *arguments)
    return kernel


def is_direct(kernel: Kernel, *arguments: Any, **named: Any) -> bool:
    """Whether a call with these arguments would go past torch.compile's wrapper.

    Compiled code and Python say the same.
    """
    direct = kernel._captured_calls().direct
    found = direct.call(*arguments, **named) is not MISS
    assert (direct._found_call(*arguments, **named) is not MISS) == found
    return found


def check(kernel: Kernel, *arguments: Any) -> None:
    torch.testing.assert_close(kernel(*arguments), kernel.original(*arguments))


def test_calls_are_direct_for_every_size_of_a_batch() -> None:
    kernel = compiled(Scaled(), indices_of())
    for bags in (7, 2, 300):
        assert is_direct(kernel, indices_of(bags))
        check(kernel, indices_of(bags))
    assert len(kernel.reports()) == 1
    for bags in (1, 0, 1, 9):
        check(kernel, indices_of(bags))
    assert len(kernel.reports()) == 2
    assert all(is_direct(kernel, indices_of(bags)) for bags in (0, 1, 2, 5))


@torch.no_grad()
@pytest.mark.parametrize("samples", [1, 4])
def test_few_graphs_of_a_model_serve_every_batch(samples: int) -> None:
    model = WideAndDeep(50, (20,) * 3, length=4, hidden=(8,))
    kernel = compiled(model, *wide_and_deep_inputs(model, samples, 0))
    for batch in (1, 1, 5, 2, 1, 40):
        check(kernel, *wide_and_deep_inputs(model, batch, batch))
    # For the example of one sample, torch.compile first finds out which sizes change.
    assert len(kernel.reports()) == (3 if samples == 1 else 2)


def test_branches_on_sizes_are_guarded() -> None:
    def function(x: Tensor, indices: Tensor) -> Tensor:
        rows = x[indices]
        sums = x.new_zeros(x.shape).index_add(0, indices, rows)
        return sums + 1 if indices.shape[0] == 1 else sums - 1

    x = torch.rand(6, LENGTH)
    kernel = compiled(function, x, torch.tensor([1, 2, 2]))
    for indices in ([1], [2, 3], [0], [], [1, 1, 1, 1]):
        check(kernel, x, torch.tensor(indices, dtype=torch.int64))


def test_rows_that_are_repeated_or_not_are_guarded() -> None:
    bag = nn.EmbeddingBag(ROWS, LENGTH, mode="sum")

    def function(indices: Tensor, factors: Tensor) -> Tensor:
        found: Tensor = bag(indices) * factors
        return found

    kernel = compiled(function, indices_of(4), torch.rand(4, 1))
    for bags, factors in ((4, 1), (1, 1), (1, 5), (7, 7), (3, 1)):
        check(kernel, indices_of(bags), torch.rand(factors, 1))


def test_what_guards_refuse_is_captured_anew_and_direct_then() -> None:
    module = Scaled()
    kernel = compiled(module, indices_of())
    for change in (
        lambda: setattr(module, "factor", 5.0),
        module.eval,
        lambda: setattr(module, "bag", nn.EmbeddingBag(ROWS, LENGTH + 1, mode="max")),
        lambda: module.to(torch.float64),
    ):
        change()
        assert not is_direct(kernel, indices_of())
        check(kernel, indices_of())
        assert is_direct(kernel, indices_of())
        check(kernel, indices_of())
    module.train()
    module.bag.weight.data.mul_(2)
    check(kernel, indices_of())


def test_modes_of_gradients_are_guarded() -> None:
    kernel = compiled(Scaled(), indices_of())
    for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
        with mode():
            result = kernel(indices_of())
            assert result.requires_grad == kernel.original(indices_of()).requires_grad
            assert is_direct(kernel, indices_of())
    with torch.autocast("cpu"):
        check(kernel, indices_of())
    kernel(indices_of()).sum().backward()
    assert kernel.original.bag.weight.grad is not None


@pytest.mark.parametrize("register", ["register_forward_hook", "register_forward_pre_hook"])
def test_hooks_run(register: str) -> None:
    module = Scaled()
    kernel = compiled(module, indices_of())
    seen: list[int] = []
    handle = getattr(module, register)(lambda *_: seen.append(1))
    check(kernel, indices_of())
    assert len(seen) == 2
    handle.remove()
    assert is_direct(kernel, indices_of())
    handle = getattr(nn.modules.module, register.replace("register", "register_module"))(
        lambda *_: seen.append(1)
    )
    try:
        assert not is_direct(kernel, indices_of())
    finally:
        handle.remove()


def test_a_replaced_forward_is_called() -> None:
    module = Scaled()
    kernel = compiled(module, indices_of())
    module.forward = lambda indices: indices.sum() * 1.0  # type: ignore[method-assign]
    check(kernel, indices_of())


def test_variables_of_enclosing_functions_and_globals_are_guarded() -> None:
    global FACTOR
    factor, table = 2.0, torch.rand(ROWS, LENGTH)

    def function(indices: Tensor) -> Tensor:
        return nn.functional.embedding_bag(indices, table, mode="sum") * factor * FACTOR

    kernel = compiled(function, indices_of())
    check(kernel, indices_of())
    factor = 3.0
    check(kernel, indices_of())
    try:
        FACTOR = 5.0
        check(kernel, indices_of())
    finally:
        FACTOR = 2.0
    table = torch.rand(ROWS, LENGTH + 2)
    check(kernel, indices_of())


def test_arguments_by_name_defaults_and_methods() -> None:
    module = Scaled()
    flat, offsets = indices_of().reshape(-1), torch.arange(0, 20, 5)
    kernel = compiled(module, flat, offsets)
    expected = module(flat, offsets)
    assert is_direct(kernel, flat, offsets=offsets)
    assert is_direct(kernel, offsets=offsets, indices=flat)
    torch.testing.assert_close(kernel(flat, offsets=offsets), expected)
    torch.testing.assert_close(kernel(offsets=offsets, indices=flat), expected)
    assert not is_direct(kernel, indices_of())
    torch.testing.assert_close(kernel(indices_of()), expected)
    assert is_direct(kernel, indices_of())
    for named in ({"indices": flat}, {"offset": offsets}):
        assert not is_direct(kernel, flat, **named)
        with pytest.raises(TypeError):
            kernel(flat, **named)
    check(compiled(module.forward, flat, offsets), flat, offsets)
    with pytest.raises(TypeError):
        kernel(flat, offsets, offsets)


@torch.no_grad()
def test_the_rest_behind_a_break_is_compiled_too() -> None:
    bag = nn.EmbeddingBag(ROWS, LENGTH, mode="sum")

    def function(indices: Tensor) -> Tensor:
        first = bag(indices)
        torch._dynamo.graph_break()
        return bag(indices + first.numel() - first.numel()) * 2

    torch._dynamo.reset()
    kernel = ember.compile(function, (indices_of(),))
    assert not is_direct(kernel, indices_of())
    check(kernel, indices_of())
    assert len(kernel.reports()) == 2


@torch.no_grad()
def test_a_break_in_the_last_call_is_none_to_leave_out() -> None:
    bag = nn.EmbeddingBag(ROWS, LENGTH, mode="sum")

    def inner(rows: Tensor, indices: Tensor) -> Tensor:
        torch._dynamo.graph_break()
        return rows + bag(indices)

    def function(indices: Tensor) -> Tensor:
        return inner(bag(indices), indices)

    torch._dynamo.reset()
    kernel = ember.compile(function, (indices_of(),))
    assert not is_direct(kernel, indices_of())
    check(kernel, indices_of())


@torch.no_grad()
@pytest.mark.parametrize("rest", ["eager", "inductor"])
def test_sizes_that_depend_on_elements_break_no_graph(rest: str) -> None:
    def function(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        keep = source != target
        source, target = source[keep], target[keep]
        return x.new_zeros(x.shape).index_add(0, target, x[source])

    torch._dynamo.reset()
    x, (source, target) = torch.rand(9, LENGTH), torch.randint(9, (2, 40))
    kernel = ember.compile(function, (x, source, target), rest=rest)
    assert is_direct(kernel, x, source, target) == (rest == "eager")
    check(kernel, x, source, target)
    for ends in (torch.randint(9, (2, 70)), torch.arange(5).expand(2, 5)):
        check(kernel, x, *ends)


def test_inside_another_compiled_function() -> None:
    kernel = compiled(Scaled(), indices_of())

    def outer(indices: Tensor) -> Tensor:
        result: Tensor = kernel(indices) - 1
        return result

    expected = kernel.original(indices_of()) - 1
    run = torch.compile(outer, backend="eager", fullgraph=True)
    torch.testing.assert_close(run(indices_of()), expected)
    torch.testing.assert_close(run(indices_of()), expected)


def test_stances_of_torch_compile() -> None:
    kernel = compiled(Scaled(), indices_of())
    with torch.compiler.set_stance("force_eager"):
        assert not is_direct(kernel, indices_of())
        check(kernel, indices_of())
    with ember.disabled():
        check(kernel, indices_of())


def test_tracing_is_refused_as_torch_compile_refuses_it() -> None:
    kernel = compiled(Scaled(), indices_of())
    with pytest.raises(RuntimeError, match=r"torch\.jit\.trace"):
        torch.jit.trace(lambda indices: kernel(indices), (indices_of(),))


def test_another_module_of_the_class_has_its_own() -> None:
    one, other = Scaled(), Scaled()
    other.factor = 7.0
    kernel = compiled(one, indices_of())
    second = ember.compile(other, (indices_of(),))
    for _ in range(2):
        check(kernel, indices_of())
        check(second, indices_of())


def test_given_up_graphs_are_not_called() -> None:
    table = [torch.rand(ROWS, LENGTH)]

    def function(indices: Tensor) -> Tensor:
        return nn.functional.embedding_bag(indices, table[0], mode="sum")

    kernel = compiled(function, indices_of())
    torch._dynamo.reset()
    gc.collect()
    assert not is_direct(kernel, indices_of())
    table[0] = torch.rand(ROWS, LENGTH)
    check(kernel, indices_of())


def test_copies_and_pickles() -> None:
    kernel = compiled(Scaled(), indices_of())
    for again in (copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        torch.testing.assert_close(again(indices_of()), kernel(indices_of()))
        torch.testing.assert_close(again(indices_of()), kernel(indices_of()))


def test_names_left_in_modules_are_taken_back() -> None:
    kernel = compiled(Scaled(), indices_of())
    mine = [name for name in globals() if name.startswith("__ember__compiled_fn")]
    assert mine
    del kernel
    torch._dynamo.reset()
    gc.collect()
    assert not set(mine) & set(globals())


def test_several_threads() -> None:
    kernel = compiled(Scaled(), indices_of())
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda seed: kernel(indices_of(seed % 9 + 2, seed)), range(64)))
    for seed, result in enumerate(results):
        torch.testing.assert_close(result, kernel.original(indices_of(seed % 9 + 2, seed)))


def test_errors_are_those_of_the_call() -> None:
    kernel = compiled(Scaled(), indices_of())
    bad = indices_of()
    bad[1, 2] = ROWS
    with pytest.raises(IndexError, match=r"self\.bag.weight"):
        kernel(bad)


@pytest.mark.parametrize(
    ("name", "broken", "problem"),
    [
        ("stance", lambda: "unknown", "do not hold"),
        ("eval_frame_callback", lambda: 1, "do not hold"),
        ("forget", lambda code: None, "are not given up"),
        ("is_tracing", None, "TypeError"),
    ],
)
def test_releases_that_capture_otherwise_go_through_torch_compile(
    name: str, broken: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private, name, broken)
    check_anew = DirectCheck(direct_call._try_out)
    monkeypatch.setattr("ember.torch.capture.captured_calls.direct_calls", check_anew)
    monkeypatch.setattr(direct_call, "direct_calls", check_anew)
    torch._dynamo.reset()
    kernel = ember.compile(Scaled(), (indices_of(),))
    assert problem in check_anew.why_not()
    found = diagnosis._short_path()
    assert not found.ok
    assert problem in found.what
    monkeypatch.undo()
    assert not is_direct(kernel, indices_of())
    check(kernel, indices_of())


def test_the_check_is_made_once_by_several_threads_and_within_other_captures() -> None:
    found: list[str] = []

    def try_out() -> str:
        # What it captures asks, too.
        found.append(check_anew.why_not())
        return "a reason"

    check_anew = DirectCheck(try_out)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: check_anew.why_not(), range(8)))
    assert found == [""]
    assert all("a reason" in answer for answer in answers)
    assert direct_call.direct_calls.why_not() == ""
    check_anew = DirectCheck(direct_call._try_out)
    with torch.compiler.set_stance("force_eager"):
        assert check_anew.why_not() == ""
    for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
        with mode():
            assert DirectCheck(direct_call._try_out).why_not() == ""


compiled_calls = pytest.mark.skipif(
    native.GuardedCall is None, reason="ember_calls is not built for this Python"
)


@compiled_calls
def test_compiled_code_makes_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = compiled(Scaled(), indices_of(), None)
    monkeypatch.setattr(kernel._captured_calls().direct, "_found_call", None)
    for bags in (4, 7, 2):
        torch.testing.assert_close(
            kernel(indices_of(bags), None), kernel.original(indices_of(bags), None)
        )


def test_without_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "GuardedCall", None)
    kernel = compiled(Scaled(), indices_of(), None)
    direct = kernel._captured_calls().direct
    assert direct.call == direct._found_call
    check(kernel, indices_of(5), None)


@compiled_calls
def test_variables_without_a_value_are_left_out() -> None:
    factor = 2.0
    bag = nn.EmbeddingBag(ROWS, LENGTH, mode="sum")

    def function(indices: Tensor) -> Tensor:
        found: Tensor = bag(indices) * factor
        return found

    kernel = compiled(function, indices_of())
    del factor
    assert not is_direct(kernel, indices_of())
    factor = 3.0
    check(kernel, indices_of())


@compiled_calls
def test_what_compiled_code_is_told_is_checked() -> None:
    class Guards:
        cache_entry: Any = 1

    def function(x: int, y: int = 3, *, factor: int = 1) -> int:
        return (x - y) * factor

    def bind(x: int, y: int = 3, *, factor: int = 1) -> dict[str, int]:
        return {"x": x, "y": y, "factor": factor}

    bind.__defaults__, bind.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    names = ("function", "bind", "first", "calm", "plain", "same", "graphs", "miss")

    def direct(**changed: Any) -> Any:
        usual = dict.fromkeys(names, ())
        graphs = ((Guards, lambda scope: True, function),)
        usual |= {"function": function, "bind": bind, "graphs": graphs, "miss": MISS}
        return native.GuardedCall(*(usual | changed).values())

    assert direct()(5, 3) == direct()(5) == direct()(y=3, x=5) == 2
    assert direct(first=(9,))(4) == 5
    assert direct(first=(9,))(4, factor=3) == 15
    for arguments, named in (((), {}), ((1, 2, 3), {}), ((5,), {"z": 1}), ((5,), {"x": 1})):
        assert direct()(*arguments, **named) is MISS
    Guards.cache_entry = None
    assert direct()(5, 3) is MISS
    Guards.cache_entry = 1
    for calm, found in (((lambda: None, None), 2), ((lambda: 1, None), MISS)):
        assert direct(calm=(calm,))(5, 3) == found
    seen: list[Any] = []
    graphs = ((Guards, lambda scope: seen.append(scope), function),)
    assert direct(graphs=graphs)(5) is MISS
    assert seen == [{"x": 5, "y": 3, "factor": 1}]

    def error(*given: Any) -> Any:
        raise ZeroDivisionError

    for changed in (
        {"calm": ((error, None),)},
        {"bind": error},
        {"graphs": ((Guards, error, function),)},
        {"graphs": ((Guards, lambda scope: True, error),)},
    ):
        error.__defaults__, error.__kwdefaults__ = bind.__defaults__, bind.__kwdefaults__
        with pytest.raises(ZeroDivisionError):
            direct(**changed)(5, 3)
    with pytest.raises(AttributeError, match="cache_entry"):
        direct(graphs=((None, error, function),))(5, 3)
    for wrong in (
        {"first": []},
        {"bind": 1},
        {"calm": ((1,),)},
        {"plain": ((Guards, "x", ()),)},
        {"graphs": (function,)},
        {"same": ((Guards, "x"),)},
    ):
        with pytest.raises(TypeError):
            direct(**wrong)
    own = Guards()
    own.hooks = {}  # type: ignore[attr-defined]
    plain = ((own, ("hooks",), ("forward",)),)
    assert direct(plain=plain)(5, 3) == 2
    own.hooks[1] = 1  # type: ignore[attr-defined]
    assert direct(plain=plain)(5, 3) is MISS
    own.hooks = {}  # type: ignore[attr-defined]
    own.forward = 1  # type: ignore[attr-defined]
    assert direct(plain=plain)(5, 3) is MISS
    assert direct(plain=((object(), (), ()),))(5, 3) is MISS
    same = ((own, "hooks", own.hooks),)  # type: ignore[attr-defined]
    assert direct(same=same)(5, 3) == 2
    own.hooks = {}  # type: ignore[attr-defined]
    assert direct(same=same)(5, 3) is MISS
    del own.hooks  # type: ignore[attr-defined]
    assert direct(same=same)(5, 3) is MISS
    function.__defaults__ = (4,)
    assert direct()(5) is MISS
