"""Live events over the WebSocket at /v2/ws (contract, section 12); connects again by itself.

As in `_core.py`, what is to be done is told without doing it, so that the blocking and the asyncio form are the same.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import socket
import ssl
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, AsyncIterator, Callable, Iterator, Mapping, Sequence, cast

from ._async_transport import AsyncioTransport, open_streams
from ._cancellation import Cancellation
from ._core import Plan, Token
from ._errors import CancelledError, ConnectionFailedError, ForbiddenError, UnauthorizedError
from ._http import AsyncHttp, Http
from ._proxy import open_tunnel, proxy_for
from ._record import Record
from ._retry import wait_seconds
from ._transport import HttpTransport, host_of
from ._version import USER_AGENT
from ._websocket import (
    ABNORMAL,
    CLOSE,
    NORMAL,
    PING,
    PONG,
    TEXT,
    FrameError,
    FrameReader,
    Handshake,
    close_payload,
    encode_frame,
    handshake_of,
)

_UNAUTHORIZED, _FORBIDDEN = 4401, 4403
_CONNECT_S = 30.0
# The server pings every 30 s; a connection silent for longer than this is dead.
_SILENCE_S = 75.0
# Less than a token source takes, so that it has a new one by then.
_RENEW_BEFORE_S = 50.0
_RENEW_PART = 12
_PIECE = 65_536


@dataclass(frozen=True)
class LiveEvent:
    """``id`` is None for what is no event of a record, such as ``ready``. The payload's fields are attributes too."""

    id: str | None
    type: str
    payload: Any


@dataclass(frozen=True)
class _Out:
    """What follows from received bytes, in order: bytes to send, an event, or the end with its code."""

    send: bytes = b""
    event: LiveEvent | None = None
    closed: int | None = None


def _expires_at(payload: Any) -> float | None:
    text = cast("dict[str, Any]", payload).get("expires_at") if isinstance(payload, dict) else None
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None


class LiveState:
    """What outlives a connection: the last event seen, and how often in a row it failed."""

    def __init__(self, base_url: str, max_retries: int, topics: Sequence[str] | None) -> None:
        self.topics = None if topics is None else list(topics)
        self.last_event_id: str | None = None
        self._failures = 0
        self._refusals = 0
        self._max_retries = max_retries
        self.url = f"{base_url.rstrip('/')}/v2/ws"

    def ready(self, payload: Any) -> None:
        self._failures = 0
        self._refusals = 0
        last = cast("dict[str, Any]", payload).get("last_event_id") if isinstance(payload, dict) else None
        if self.last_event_id is None and isinstance(last, str):
            self.last_event_id = last

    def wait_after(self, code: int, random: float, renewed: bool = False) -> float:
        """Seconds until the next try; ``renewed``: a new token can be had. Raises where the token was refused and no new
        one helps, and where no connection succeeds."""
        self._failures += 1
        refused = code in (_UNAUTHORIZED, _FORBIDDEN)
        self._refusals += refused
        if refused and not (code == _UNAUTHORIZED and renewed and self._refusals == 1):
            forbidden = code == _FORBIDDEN
            kind = ForbiddenError if forbidden else UnauthorizedError
            raise kind(
                status=403 if forbidden else 401,
                code="FORBIDDEN" if forbidden else "UNAUTHORIZED",
                reason=None,
                message=f"the event connection was refused ({code})",
                details={},
                request_id=None,
                retry_after=None,
            )
        if self._failures > self._max_retries:
            raise ConnectionFailedError(f"no event connection ({code})")
        return wait_seconds(self._failures - 1, None, random)


class Link:
    """One connection without input or output."""

    def __init__(self, state: LiveState, token: str | None) -> None:
        self.renew_at: float | None = None
        self.token = token
        self._state = state
        self._key = base64.b64encode(os.urandom(16)).decode()
        self._handshake: Handshake | None = Handshake(self._key)
        self._frames = FrameReader()
        self._narrowed = state.topics is None

    def opening(self) -> bytes:
        return handshake_of(self._state.url, self._key, {"user-agent": USER_AGENT})

    def _frame(self, opcode: int, payload: bytes) -> bytes:
        return encode_frame(opcode, payload, os.urandom(4))

    def _json(self, kind: str, payload: dict[str, Any]) -> bytes:
        return self._frame(TEXT, json.dumps({"type": kind, "payload": payload}).encode())

    def _missed(self) -> dict[str, Any]:
        last = self._state.last_event_id
        return {} if last is None else {"last_event_id": last}

    def renewal(self, token: str) -> bytes:
        """Goes on with a fresh token of the same account."""
        self.token = token
        return self._json("auth", {"token": token})

    def closing(self) -> bytes:
        return self._frame(CLOSE, close_payload(NORMAL))

    def push(self, data: bytes) -> Iterator[_Out]:
        try:
            if self._handshake is not None:
                rest = self._handshake.push(data)
                if rest is None:
                    return
                self._handshake = None
                if self.token is not None:
                    # As a message: an address would end up in logs.
                    missed = self._missed() if self._narrowed else {}
                    yield _Out(send=self._json("auth", {"token": self.token, **missed}))
                data = rest
            for message in self._frames.push(data):
                if message.opcode == PING:
                    yield _Out(send=self._frame(PONG, message.payload))
                elif message.opcode == CLOSE:
                    yield _Out(send=self.closing(), closed=message.code)
                    return
                elif message.opcode == TEXT:
                    yield from self._received(message.payload)
        except FrameError as error:
            refused = {401: _UNAUTHORIZED, 403: _FORBIDDEN}.get(error.code)
            if self._handshake is not None:
                yield _Out(closed=refused or ABNORMAL)
            else:
                yield _Out(send=self._frame(CLOSE, close_payload(error.code)), closed=error.code)

    def _received(self, text: bytes) -> Iterator[_Out]:
        try:
            value: Any = json.loads(text, object_hook=Record)
        except ValueError:
            return
        if not isinstance(value, dict):
            return
        message = cast("dict[str, Any]", value)
        kind, payload, id = message.get("type"), message.get("payload"), message.get("id")
        if not isinstance(kind, str):
            return
        state = self._state
        if kind == "ready":
            expires = _expires_at(payload)
            if expires is not None:
                now = time.time()
                self.renew_at = expires - min(_RENEW_BEFORE_S, max(0.0, expires - now) / _RENEW_PART)
            if not self._narrowed:
                # Answered with a `ready` of its own, which is the one that the caller sees.
                self._narrowed = True
                yield _Out(send=self._json("subscribe", {"topics": state.topics, **self._missed()}))
                return
            state.ready(payload)
        if self._narrowed:
            if isinstance(id, str):
                state.last_event_id = id
            yield _Out(event=LiveEvent(id if isinstance(id, str) else None, kind, payload))

    def patience(self, last_heard: float) -> float:
        """Seconds to wait for the next bytes."""
        left = last_heard + _SILENCE_S - time.monotonic()
        return left if self.renew_at is None else min(left, max(0.0, self.renew_at - time.time()))

    def due(self) -> bool:
        return self.renew_at is not None and time.time() >= self.renew_at


def _token_plan() -> Plan:
    return (yield Token(_CONNECT_S))


def _near_socket(url: str, proxies: Mapping[str, str]) -> socket.socket:
    (scheme, name, port), _ = host_of(url)
    proxy = proxy_for(proxies, scheme, name, port)
    if proxy is not None:
        return open_tunnel(proxy, name, port, _CONNECT_S)
    return socket.create_connection((name, port), timeout=_CONNECT_S)


def _open_socket(url: str, context: ssl.SSLContext | None, proxies: Mapping[str, str]) -> socket.socket:
    (scheme, name, _), _ = host_of(url)
    sock = _near_socket(url, proxies)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if scheme == "https":
            secure = context or ssl.create_default_context()
            return secure.wrap_socket(sock, server_hostname=name)
    except BaseException:
        sock.close()
        raise
    return sock


def _shutter(sock: socket.socket) -> Callable[[], None]:
    def shut() -> None:
        # Wakes the thread that reads from it.
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    return shut


def live_events(
    http: Http, topics: Sequence[str] | None, cancellation: Cancellation | None
) -> Iterator[LiveEvent]:
    settings = http.settings
    own = http.transport if isinstance(http.transport, HttpTransport) else HttpTransport()
    context = own.context
    state = LiveState(settings.base_url, settings.max_retries, topics)
    stop = cancellation or Cancellation()
    while True:
        stop.check()
        link = Link(state, http.run(_token_plan()))
        code = ABNORMAL
        sock: socket.socket | None = None
        try:
            sock = _open_socket(state.url, context, own.proxies)
            stop.watch(id(sock), _shutter(sock))
            sock.sendall(link.opening())
            heard = time.monotonic()
            while code == ABNORMAL:
                if link.due():
                    fresh: str | None = http.run(_token_plan())
                    link.renew_at = None
                    if fresh is not None and fresh != link.token:
                        sock.sendall(link.renewal(fresh))
                wait = link.patience(heard)
                if wait <= 0 and not link.due():
                    break
                sock.settimeout(max(wait, 0.001))
                try:
                    data = sock.recv(_PIECE)
                except TimeoutError:
                    continue
                if not data:
                    break
                heard = time.monotonic()
                for out in link.push(data):
                    if out.send:
                        with contextlib.suppress(OSError):
                            sock.sendall(out.send)
                    if out.event is not None:
                        yield out.event
                    if out.closed is not None:
                        code = out.closed
        except OSError:
            pass
        finally:
            if sock is not None:
                stop.forget(id(sock))
                with contextlib.suppress(OSError):
                    sock.settimeout(1.0)
                    sock.sendall(link.closing())
                sock.close()
        if stop.cancelled:
            raise CancelledError("the events were cancelled")
        renewed = code == _UNAUTHORIZED and link.token is not None and settings.source.refused(link.token)
        wait = state.wait_after(code, settings.random(), renewed)
        if settings.sleep is not None:
            settings.sleep(wait)
        else:
            stop.sleep(wait)


async def async_live_events(http: AsyncHttp, topics: Sequence[str] | None) -> AsyncIterator[LiveEvent]:
    settings = http.settings
    own = http.transport if isinstance(http.transport, AsyncioTransport) else AsyncioTransport()
    context = own.context
    state = LiveState(settings.base_url, settings.max_retries, topics)
    while True:
        link = Link(state, await http.run(_token_plan()))
        code = ABNORMAL
        writer: asyncio.StreamWriter | None = None
        try:
            (scheme, name, port), _ = host_of(state.url)
            secure = (context or ssl.create_default_context()) if scheme == "https" else None
            opening = open_streams(own.proxies, (scheme, name, port), secure, _CONNECT_S)
            reader, opened = await asyncio.wait_for(opening, _CONNECT_S)
            writer = opened
            opened.write(link.opening())
            heard = time.monotonic()
            while code == ABNORMAL:
                if link.due():
                    fresh: str | None = await http.run(_token_plan())
                    link.renew_at = None
                    if fresh is not None and fresh != link.token:
                        opened.write(link.renewal(fresh))
                wait = link.patience(heard)
                if wait <= 0 and not link.due():
                    break
                try:
                    data = await asyncio.wait_for(reader.read(_PIECE), max(wait, 0.001))
                except (asyncio.TimeoutError, TimeoutError):
                    continue
                if not data:
                    break
                heard = time.monotonic()
                for out in link.push(data):
                    if out.send:
                        opened.write(out.send)
                    if out.event is not None:
                        yield out.event
                    if out.closed is not None:
                        code = out.closed
        except (OSError, asyncio.TimeoutError):
            pass
        finally:
            if writer is not None:
                with contextlib.suppress(OSError, RuntimeError):
                    writer.write(link.closing())
                    writer.close()
        renewed = code == _UNAUTHORIZED and link.token is not None and settings.source.refused(link.token)
        wait = state.wait_after(code, settings.random(), renewed)
        await (settings.sleep(wait) if settings.sleep is not None else asyncio.sleep(wait))
