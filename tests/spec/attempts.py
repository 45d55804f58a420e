"""What a call gives, be it an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gradcli.errors import GradcliError

T = TypeVar("T")


def attempt(call: Callable[[], T]) -> T | GradcliError:
    """The result of a call, or the error of ours that it raised; any other error is a failure of the test."""
    try:
        return call()
    except GradcliError as error:
        return error
