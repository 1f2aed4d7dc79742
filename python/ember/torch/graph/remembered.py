"""What is asked of a graph's nodes again and again is found once, until the graph changes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
# By what is asked, then by what it is asked of.
_Answers = defaultdict[Hashable, dict[Hashable, Any]]
_answers: ContextVar[_Answers | None] = ContextVar("answers", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """A context in which answers are kept: whoever changes a graph there calls `forget`."""
    token = _answers.set(defaultdict(dict))
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
    known = answers[recalled]
    if key not in known:
        known[key] = find()
    answer: Answer = known[key]
    return answer


def remembered(ask: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    """A function of a node, or a graph, that is asked once for each, within `remembering`."""

    # Planning asks some thirty times for each operation: nothing else is called where it is known.
    @wraps(ask)
    def answer(asked: Asked) -> Answer:
        answers = _answers.get()
        if answers is None:
            return ask(asked)
        known = answers[ask]
        if asked not in known:
            known[asked] = ask(asked)
        answer: Answer = known[asked]
        return answer

    return answer
