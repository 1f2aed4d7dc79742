"""backend="ember" as programs use it: modes of PyTorch, copies, processes, threads, new weights.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import io
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from ember.torch.capture.backend import listening
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

ROWS, LENGTH, NODES, EDGES = 40, 16, 12, 30
Batch = tuple[Tensor, Tensor, Tensor, Tensor]


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


class Model(nn.Module):
    """Bags side by side, a score, and an aggregation over edges, with linear layers."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.bags = nn.ModuleList(nn.EmbeddingBag(ROWS, LENGTH, mode="sum") for _ in range(3))
        self.single = nn.EmbeddingBag(ROWS, LENGTH)
        self.linear = nn.Linear(3 * LENGTH, LENGTH)
        self.nodes = nn.Embedding(NODES, LENGTH)

    def forward(self, indices: Tensor, edges: Tensor, first: Tensor, second: Tensor) -> Tensor:
        bags = self.linear(torch.cat([bag(indices) for bag in self.bags], 1))
        x = self.nodes.weight
        messages = x.index_select(0, edges[0])
        index = edges[1].view(-1, 1).expand_as(messages)
        sums = x.new_zeros(x.shape).scatter_add_(0, index, messages)
        scores = (self.nodes(first) * self.nodes(second)).sum(1, keepdim=True)
        return torch.cat([bags + self.single(indices), sums.relu()]) * scores.sigmoid().mean()


KINDS = {"bags", "bag", "statements", "row_score"}


def batch(samples: int = 6, edges: int = EDGES, seed: int = 0) -> Batch:
    draw = torch.Generator().manual_seed(seed)
    first, second = torch.randint(NODES, (2, samples), generator=draw)
    return (
        torch.randint(ROWS, (samples, 4), generator=draw),
        torch.randint(NODES, (2, edges), generator=draw),
        first,
        second,
    )


def compiled(model: Callable[..., Any]) -> Any:
    return torch.compile(model, backend="ember", dynamic=True, options={"raises": True})


def kinds(heard: listening) -> set[str]:
    """The kinds of kernels in the graphs that were heard of."""
    return {part.kind for report in heard.reports for part in report.compiled}


def test_forward_has_every_kind() -> None:
    model = Model()
    with listening() as heard:
        torch.testing.assert_close(compiled(model)(*batch()), model(*batch()))
    assert kinds(heard) == KINDS


def test_inference_mode() -> None:
    """Tensors of inference mode, in it and outside of it, and parameters of it."""
    model = Model()
    run = compiled(model)
    with torch.inference_mode(), listening() as heard:
        result = run(*batch())
        torch.testing.assert_close(result, model(*batch()))
        assert result.is_inference()
        inside = Model(1)
        torch.testing.assert_close(compiled(inside)(*batch()), inside(*batch()))
        made = batch(seed=5)
    assert kinds(heard) == KINDS
    with torch.no_grad():
        torch.testing.assert_close(run(*made), model(*made))
    torch.testing.assert_close(run(*batch()), model(*batch()))
    assert run(*batch()).requires_grad


@pytest.mark.parametrize("gradient", [False, True])
def test_autocast(gradient: bool) -> None:
    model = Model()
    run = compiled(model)
    with torch.autocast("cpu", torch.bfloat16), torch.set_grad_enabled(gradient):
        with listening() as heard:
            result = run(*batch())
        expected = model(*batch())
    assert kinds(heard) == KINDS
    assert result.dtype is expected.dtype
    torch.testing.assert_close(result, expected, rtol=2e-2, atol=2e-2)
    if gradient:
        parameters = list(model.parameters())
        for found, right in zip(
            torch.autograd.grad(result.float().sum(), parameters),
            torch.autograd.grad(expected.float().sum(), parameters),
            strict=True,
        ):
            torch.testing.assert_close(found, right, rtol=3e-2, atol=3e-2)


def test_autocast_inside_of_the_model() -> None:
    model = Model()

    def function(*arguments: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            result: Tensor = model(*arguments)
        return result.float()

    with torch.no_grad():
        torch.testing.assert_close(
            compiled(function)(*batch()), function(*batch()), rtol=2e-2, atol=2e-2
        )


def test_autocast_types_stay_eagers_error() -> None:
    def function(x: Tensor, index: Tensor, weight: Tensor) -> Tensor:
        rows = torch.einsum("ij,j->i", x, weight)
        return torch.zeros(200).index_add(0, index, rows)

    arguments = torch.randn(3, 4), torch.tensor([1, 0, 2]), torch.randn(4)
    torch.testing.assert_close(compiled(function)(*arguments), function(*arguments))
    for run in (function, compiled(function)):
        with (
            torch.autocast("cpu", torch.bfloat16),
            pytest.raises(RuntimeError, match="scalar type"),
        ):
            run(*arguments)


def test_compiled_in_place() -> None:
    model, expected = Model(), Model()
    model.compile(backend="ember", dynamic=True)
    with listening() as heard:
        torch.testing.assert_close(model(*batch()), expected(*batch()))
    assert kinds(heard) == KINDS


def test_copies_are_independent() -> None:
    model = Model()
    run = compiled(model)
    run(*batch())
    other = copy.deepcopy(run)
    with torch.no_grad():
        other._orig_mod.single.weight.add_(1)
    expected = copy.deepcopy(model)
    with torch.no_grad():
        expected.single.weight.add_(1)
    torch.testing.assert_close(other(*batch()), expected(*batch()))
    torch.testing.assert_close(run(*batch()), model(*batch()))


@pytest.mark.parametrize("times", [0, 1])
def test_pickled_models(times: int) -> None:
    """A model that was compiled in place, before and after a call."""
    model = Model()
    model.compile(backend="ember", dynamic=True)
    for _ in range(times):
        model(*batch())
    again = pickle.loads(pickle.dumps(model))
    torch.testing.assert_close(again(*batch()), Model()(*batch()))


def test_saved_and_loaded() -> None:
    model, file = Model(3), io.BytesIO()
    torch.save(compiled(model).state_dict(), file)
    file.seek(0)
    other = compiled(Model(4))
    other(*batch())
    other.load_state_dict(torch.load(file))
    torch.testing.assert_close(other(*batch()), model(*batch()))


def test_weights_change() -> None:
    """In place, by an optimiser, by load_state_dict, as new data, as new parameters."""
    model = Model()
    run = compiled(model)
    with listening() as heard:
        run(*batch())

    def check() -> None:
        torch.testing.assert_close(run(*batch()), model(*batch()))

    with torch.no_grad():
        model.bags[1].weight.mul_(2)
    check()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    run(*batch()).sum().backward()
    optimiser.step()
    check()
    model.load_state_dict(Model(7).state_dict())
    check()
    model.single.weight.data = torch.randn(ROWS, LENGTH)
    check()
    assert len(heard.reports) == 1
    model.bags[0].weight = nn.Parameter(torch.randn(ROWS, LENGTH))
    check()
    model.bags[2] = nn.EmbeddingBag(2 * ROWS, LENGTH, mode="sum")
    check()
    model.load_state_dict(copy.deepcopy(model.state_dict()), assign=True)
    check()


def test_other_types_of_weights() -> None:
    model = Model()
    run = compiled(model)
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float32):
        model.to(dtype)
        with torch.no_grad():
            expected = copy.deepcopy(model).double()(*batch()).to(dtype)
            tolerance = {"rtol": 5e-2, "atol": 5e-2} if dtype is torch.bfloat16 else {}
            torch.testing.assert_close(run(*batch()), expected, **tolerance)


def test_tied_weights() -> None:
    model = Model()
    model.bags[1].weight = model.bags[0].weight
    model.single.weight = model.bags[0].weight
    expected = copy.deepcopy(model)
    compiled(model)(*batch()).sum().backward()
    expected(*batch()).sum().backward()
    torch.testing.assert_close(model.single.weight.grad, expected.single.weight.grad)


def test_frozen_weights() -> None:
    """Tables without gradients beside layers with them."""
    model = Model()
    for part in (*model.bags, model.nodes):
        part.requires_grad_(False)
    expected = copy.deepcopy(model)
    compiled(model)(*batch()).sum().backward()
    expected(*batch()).sum().backward()
    assert model.bags[0].weight.grad is None
    torch.testing.assert_close(model.single.weight.grad, expected.single.weight.grad)
    torch.testing.assert_close(model.linear.weight.grad, expected.linear.weight.grad)


def test_hooks() -> None:
    model = Model()
    run = compiled(model)
    model.single.register_forward_hook(lambda module, inputs, result: result * 2)
    torch.testing.assert_close(run(*batch()), model(*batch()))


def test_training_and_evaluation() -> None:
    model = nn.Sequential(nn.EmbeddingBag(ROWS, LENGTH), nn.Dropout(0.5))
    run = compiled(model)
    indices = batch()[0]
    torch.manual_seed(1)
    result = run(indices)
    torch.manual_seed(1)
    torch.testing.assert_close(result, model(indices))
    model.eval()
    torch.testing.assert_close(run(indices), model(indices))
    assert not torch.equal(result, run(indices))


@pytest.mark.parametrize("gradient", [False, True])
def test_batches_of_all_sizes(gradient: bool) -> None:
    """Two graphs serve all batches but for those of one sample, and none."""
    model = Model()
    run = compiled(model)
    # Where two sizes are equal by chance, torch.compile has a graph of its own.
    sizes = [(samples, 50 + 3 * samples) for samples in (7, 2, 3, 5, 8, 33, 64, 129, 256, 1000)]
    with listening() as heard, torch.set_grad_enabled(gradient):
        for samples, edges in sizes:
            given = batch(samples, edges, samples)
            torch.testing.assert_close(run(*given), model(*given), rtol=1e-4, atol=1e-5)
    assert len(heard.reports) == 1


def test_without_dynamic() -> None:
    """torch.compile's own choice: sizes of the first call, then any; kernels are the same."""
    model = Model()
    run = torch.compile(model, backend="ember")
    with listening() as heard:
        for samples in (7, 9, 11, 64, 3):
            given = batch(samples, 50 + 3 * samples, samples)
            torch.testing.assert_close(run(*given), model(*given), rtol=1e-4, atol=1e-5)
    assert len(heard.reports) == 2


def test_whole_graph() -> None:
    model = Model()
    run = torch.compile(model, backend="ember", fullgraph=True)
    torch.testing.assert_close(run(*batch()), model(*batch()))


def test_no_samples() -> None:
    model = Model()
    given = batch(0)
    for run in (compiled(model), torch.compile(model, backend="ember")):
        torch.testing.assert_close(run(*given), model(*given), equal_nan=True)


def test_threads_at_once() -> None:
    """Many threads call one compiled model, each with sizes and results of its own."""
    model = Model()
    run = compiled(model)
    with torch.no_grad():
        run(*batch())
    begin = threading.Barrier(6)

    def work(number: int) -> None:
        begin.wait(60)
        with torch.no_grad():
            for turn in range(40):
                given = batch(2 + (number + turn) % 17, 40 + turn, seed=number)
                torch.testing.assert_close(run(*given), model(*given))

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(work, number) for number in range(6)]:
            done.result()


def test_threads_compile_at_once() -> None:
    """The first calls of one model, and gradients, in several threads."""
    model = Model()
    run = compiled(model)
    expected = torch.autograd.grad(model(*batch()).sum(), list(model.parameters()))

    def work(_: int) -> None:
        found = torch.autograd.grad(run(*batch()).sum(), list(model.parameters()))
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, number) for number in range(8)]:
            done.result()


class Samples(Dataset[Batch]):
    """Batches by number; with a model, its results are there, too."""

    def __init__(self, model: Callable[..., Tensor] | None = None) -> None:
        self.model = model

    def __len__(self) -> int:
        return 6

    def __getitem__(self, number: int) -> Any:
        given = batch(3 + number, seed=number)
        if self.model is None:
            return given
        with torch.no_grad():
            return given, self.model(*given)


# Python warns of threads wherever a process is forked.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_data_loader() -> None:
    """Batches that workers made, in shared memory."""
    model = Model()
    run = compiled(model)
    loader = DataLoader(Samples(), batch_size=None, num_workers=2)
    seen = 0
    with torch.no_grad():
        for given in loader:
            torch.testing.assert_close(run(*given), model(*given))
            seen += 1
    assert seen == 6


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_compiled_model_in_workers() -> None:
    """A model that was compiled before its process was forked runs in the new ones, too."""
    model = Model()
    run = compiled(model)
    with torch.no_grad():
        run(*batch())
    loader = DataLoader(Samples(run), batch_size=None, num_workers=2, timeout=60)
    with torch.no_grad():
        for given, result in loader:
            torch.testing.assert_close(result, model(*given))


def test_arguments_are_kept() -> None:
    """Neither inputs nor weights are changed by calls."""
    model, given = Model(), batch()
    before = copy.deepcopy((model.state_dict(), given))
    run = compiled(model)
    run(*given).sum().backward()
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[0][name]), name
    assert all(map(torch.equal, given, before[1]))


def test_function_transforms() -> None:
    """torch.func's gradient of a compiled model's function."""
    model = Model()
    weights = dict(model.named_parameters())

    def loss(weights: dict[str, Tensor], *given: Tensor) -> Tensor:
        result: Tensor = torch.func.functional_call(model, weights, given)
        return result.sum()

    found = compiled(torch.func.grad(loss))(weights, *batch())
    expected = torch.func.grad(loss)(weights, *batch())
    for name, gradient in expected.items():
        torch.testing.assert_close(found[name], gradient)
