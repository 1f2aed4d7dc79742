"""Whether calls can go past torch.compile's wrapper with this release of PyTorch: tries it.

What DirectCall relies on is no interface. That its names are there says little: here a function is
captured, called, and given what its guards refuse.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from ember.torch.capture import private, private_names
from ember.torch.capture.direct_call import MISS

_log = logging.getLogger(__name__)
FACTOR = 3.0


class DirectCheck:
    """The answer for this process, found when it is first asked for.

    try_out: returns what is wrong, or nothing; what it captures may ask for the answer meanwhile.
    """

    def __init__(self, try_out: Callable[[], str]) -> None:
        self._try_out = try_out
        self._lock = threading.RLock()
        self._is_trying = False
        self._answer: str | None = None

    def why_not(self) -> str:
        """Why calls go through torch.compile; empty if they need not.

        Not to be asked for the first time while torch.compile captures something.
        """
        if self._answer is not None:
            return self._answer
        with self._lock:
            if self._answer is None and not self._is_trying:
                self._is_trying = True
                self._answer = self._found()
                self._is_trying = False
                if self._answer:
                    _log.info("calls go through torch.compile: %s", self._answer)
        return self._answer or ""

    def _found(self) -> str:
        if names := private_names.missing(private_names.DIRECT_CALLS):
            return f"PyTorch {torch.__version__} has no {', '.join(names)}"
        # An outer torch.compile does not capture this, nor does a stance forbid it.
        is_usual = private.stance() == "default"
        stance = nullcontext() if is_usual else torch.compiler.set_stance("default")
        try:
            with stance:
                problem: str = torch.compiler.disable(self._try_out)()  # type: ignore[no-untyped-call]
        # Whatever it is, torch.compile's wrapper has no part in it.
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        return problem and f"PyTorch {torch.__version__} captures otherwise: {problem}"


def _try_out() -> str:
    from ember.torch.capture.backend import unheard
    from ember.torch.capture.captured_calls import CapturedCalls
    from ember.torch.settings import Settings

    def function(x: Tensor, y: Tensor) -> Tensor:
        return (x + y) * factor

    factor = FACTOR
    calls = CapturedCalls(function, function, Settings())
    x, y = (torch.full((3,), value, dtype=torch.float32, device="cpu") for value in (1.0, 2.0))
    with torch.no_grad(), unheard():
        for _ in range(2):
            expected = calls(x, y)
        if _direct(calls, x, y) is None:
            return "guards of a graph that was just called do not hold"
        for result in (expected, _direct(calls, x, y), calls(x, y)):
            if not torch.equal(result, (x + y) * FACTOR):
                return f"a graph computes {result.tolist()}"
        if _direct(calls, x.double(), y) is not None:
            return "guards hold for tensors of another type"
        factor = FACTOR + 1
        if _direct(calls, x, y) is not None:
            return "guards hold where a variable has changed"
        factor = FACTOR
    with torch.enable_grad():
        if _direct(calls, x, y) is not None:
            return "guards hold in another mode of gradients"
    private.forget(function.__code__)
    with torch.no_grad():
        if _direct(calls, x, y) is not None:
            return "guards are not given up"
    return ""


def _direct(calls: Any, *arguments: Tensor) -> Any:
    """What the short path returns; None where it has nothing to call."""
    found = calls.direct.call(*arguments)
    return None if found is MISS else found


direct_calls = DirectCheck(_try_out)
