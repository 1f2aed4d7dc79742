"""What is asked of a graph's nodes again and again is found once, until the graph changes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
_answers: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """A context in which answers are kept: whoever changes a graph there calls `forget`."""
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def forget() -> None:
    """Drops all answers, as a graph has changed."""
    answers = _answers.get()
    if answers is not None:
        answers.clear()


def recalled(key: Hashable, find: Callable[[], Answer]) -> Answer:
    """What is known by that key; it is found first where nothing is."""
    answers = _answers.get()
    if answers is None:
        return find()
    if key not in answers:
        answers[key] = find()
    answer: Answer = answers[key]
    return answer


def remembered(ask: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    """A function of a node, or a graph, that is asked once for each, within `remembering`."""

    @wraps(ask)
    def answer(asked: Asked) -> Answer:
        return recalled((ask, asked), lambda: ask(asked))

    return answer
