"""Stopping of blocking calls from another thread."""

from __future__ import annotations

import threading
from typing import Callable

from ._errors import CancelledError


class Cancellation:
    """Hand it to a call as ``CallOptions(cancellation=...)``; ``cancel()`` then ends the call with CancelledError."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._stops: dict[int, Callable[[], None]] = {}

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        self._event.set()
        with self._lock:
            stops = list(self._stops.values())
        for stop in stops:
            stop()

    def check(self) -> None:
        if self.cancelled:
            raise CancelledError("the call was cancelled")

    def sleep(self, seconds: float) -> None:
        self._event.wait(seconds)
        self.check()

    def watch(self, key: int, stop: Callable[[], None]) -> None:
        """``stop`` is called by ``cancel`` until ``forget``."""
        with self._lock:
            self._stops[key] = stop

    def forget(self, key: int) -> None:
        with self._lock:
            self._stops.pop(key, None)
