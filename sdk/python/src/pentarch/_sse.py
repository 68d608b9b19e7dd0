"""Server-sent events out of bytes (WHATWG HTML, section 9.2.6), however the bytes are cut."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_END = re.compile(r"[\r\n]")


@dataclass(frozen=True)
class SseEvent:
    id: str
    event: str
    data: str


class SseParser:
    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._started = False
        self._after_cr = False
        self._id = ""
        self._event = ""
        self._data: list[str] = []

    def push(self, chunk: bytes) -> list[SseEvent]:
        """Events that are complete with these bytes; one without its blank line is never given out."""
        self._rest += self._decoder.decode(chunk)
        if not self._started and self._rest:
            self._rest = self._rest.removeprefix("\ufeff")
            self._started = True
        events: list[SseEvent] = []
        while True:
            # A CR ends the line at once; an LF that follows it, perhaps in the next bytes, belongs to it.
            if self._after_cr and self._rest:
                self._rest = self._rest.removeprefix("\n")
                self._after_cr = False
            found = _END.search(self._rest)
            if found is None:
                return events
            self._after_cr = found.group() == "\r"
            line, self._rest = self._rest[: found.start()], self._rest[found.end() :]
            done = self._line(line)
            if done is not None:
                events.append(done)

    def _line(self, line: str) -> SseEvent | None:
        if line == "":
            done = (
                SseEvent(self._id, self._event or "message", "\n".join(self._data)) if self._data else None
            )
            self._event = ""
            self._data = []
            return done
        field, _, raw = line.partition(":")
        value = raw.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._event = value
        elif field == "id" and "\0" not in value:
            self._id = value
        return None
