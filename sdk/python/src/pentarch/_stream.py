"""The events of an answer as it is written, over any number of broken connections.

`StreamState` decides; `_http.py` reads, blocking or with asyncio.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Iterator
from urllib.parse import quote

from ._core import Call, CallOptions, Settings, key_of
from ._errors import ConnectionFailedError, PentarchError, ProtocolError, TimedOutError, api_error_from
from ._retry import wait_seconds
from ._sse import SseEvent, SseParser

# A server sends a comment every 15 s; a connection silent for longer than this is dead.
SILENCE_S = 60.0
_ID = re.compile(r"(.+):(\d+)")


@dataclass(frozen=True)
class ChatEvent:
    """``event`` is one of run.started, agent.selected, message.delta, tool.started, tool.completed, proposal.created,
    proposal.decided and message.completed, whose data is the whole ChatResponse."""

    id: str
    event: str
    data: Any


class StreamState:
    def __init__(self, call: Call, settings: Settings, options: CallOptions) -> None:
        self._first = replace(call, accept="text/event-stream")
        self._settings = settings
        self._retries = settings.max_retries if options.max_retries is None else options.max_retries
        self.options = replace(
            options,
            # Before the first event the request itself is repeated: its key names the run, so no second one starts.
            idempotency_key=key_of(call, options),
            timeout=options.timeout or SILENCE_S,
        )
        self._last: tuple[str, str, int] | None = None
        self._failures = 0
        self._parser = SseParser()
        self.completed = False

    def next_call(self) -> Call:
        self._parser = SseParser()
        if self._last is None:
            return self._first
        identity, run_id, _ = self._last
        return Call(
            "GET",
            f"/api/v1/chat/runs/{quote(run_id, safe='')}/stream",
            accept="text/event-stream",
            headers={"last-event-id": identity},
        )

    def push(self, piece: bytes) -> Iterator[ChatEvent]:
        """Raises the ApiError of an ``error`` event, after the events before it."""
        for event in self._parser.push(piece):
            shown = self._event(event)
            if shown is not None:
                yield shown

    def _event(self, event: SseEvent) -> ChatEvent | None:
        match = _ID.fullmatch(event.id)
        if match is not None:
            run_id, n = match.group(1), int(match.group(2))
            # What was seen already may come again.
            if self._last is not None and self._last[1] == run_id and n <= self._last[2]:
                return None
            self._last = (event.id, run_id, n)
        self._failures = 0
        try:
            data = json.loads(event.data)
        except ValueError:
            raise ProtocolError(f"event {event.id}: the data is no JSON") from None
        if event.event == "error":
            raise api_error_from(data, 0, None, None) or ProtocolError("an error event without an error")
        self.completed = self.completed or event.event == "message.completed"
        return ChatEvent(event.id, event.event, data)

    def broken(self, error: PentarchError | None) -> float:
        """Seconds to wait before the next connection; raises when there is to be none."""
        if error is not None and not isinstance(error, (ConnectionFailedError, TimedOutError)):
            raise error
        self._failures += 1
        # Without a key nothing names the run before its first event: a second request would be a second run.
        unsafe = self._last is None and self.options.idempotency_key is None
        if unsafe or self._failures > self._retries:
            raise error or ConnectionFailedError("the stream ended before its last event")
        return wait_seconds(self._failures - 1, None, self._settings.random())
