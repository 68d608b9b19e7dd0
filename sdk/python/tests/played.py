"""The vectors that all clients share, and transports that play answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, AsyncIterator, Iterator, Mapping
from urllib.parse import urlsplit

from pentarch import ConnectionFailedError, Request

_FOLDER = Path(__file__).resolve().parents[2] / "vectors"


def read_vectors(name: str) -> Any:
    return json.loads((_FOLDER / name).read_text(encoding="utf-8"))


def target_of(request: Request) -> str:
    parts = urlsplit(request.url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def body_of(request: Request) -> Any:
    if request.body is None:
        return None
    whole = request.body if isinstance(request.body, bytes) else b"".join(request.body)
    return json.loads(whole)


class PlayedResponse:
    def __init__(self, answer: dict[str, Any]) -> None:
        self.status: int = answer.get("status", 200)
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in answer.get("headers", {}).items()}
        self._body: bytes = answer.get("body", "").encode()
        self._cut: bool = answer.get("cut", False)

    def pieces(self) -> Iterator[bytes]:
        if self._body:
            yield self._body
        if self._cut:
            raise ConnectionFailedError("cut")

    def read(self) -> bytes:
        return b"".join(self.pieces())

    def close(self) -> None:
        pass


class AsyncPlayedResponse:
    def __init__(self, answer: dict[str, Any]) -> None:
        self._inner = PlayedResponse(answer)
        self.status = self._inner.status
        self.headers = self._inner.headers

    async def pieces(self) -> AsyncIterator[bytes]:
        for piece in self._inner.pieces():
            yield piece

    async def read(self) -> bytes:
        return self._inner.read()

    async def close(self) -> None:
        pass


@dataclass
class Play:
    answers: list[dict[str, Any]]
    requests: list[Request] = field(default_factory=lambda: list[Request]())
    waits_ms: list[float] = field(default_factory=lambda: list[float]())

    def next(self, request: Request) -> dict[str, Any]:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if answer.get("lost"):
            raise ConnectionFailedError("socket hang up")
        return answer

    def sleep(self, seconds: float) -> None:
        self.waits_ms.append(seconds * 1000)

    async def async_sleep(self, seconds: float) -> None:
        self.sleep(seconds)


class PlayedTransport:
    def __init__(self, play: Play) -> None:
        self._play = play

    def send(self, request: Request) -> PlayedResponse:
        return PlayedResponse(self._play.next(request))

    def close(self) -> None:
        pass


class AsyncPlayedTransport:
    def __init__(self, play: Play) -> None:
        self._play = play

    async def send(self, request: Request) -> AsyncPlayedResponse:
        return AsyncPlayedResponse(self._play.next(request))

    async def close(self) -> None:
        pass
