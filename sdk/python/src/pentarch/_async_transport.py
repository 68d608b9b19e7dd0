"""The default way to send a request with asyncio: HTTP/1.1 (RFC 9112) over its streams, connections kept alive."""

from __future__ import annotations

import asyncio
import ssl
import time
from dataclasses import replace
from typing import AsyncIterator, Awaitable, Mapping, Protocol, TypeVar

from ._core import Request
from ._errors import ConnectionFailedError, PentarchError, TimedOutError
from ._proxy import open_tunnel, proxies_of_environment, proxy_for
from ._transport import host_of

T = TypeVar("T")
_Host = tuple[str, str, int]
_IDLE_PER_HOST = 10
_PIECE = 65_536
_HEAD_LIMIT = 65_536


class AsyncResponse(Protocol):
    """Header names are in lower case. ``close`` before the end gives the connection up."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    async def read(self) -> bytes: ...
    def pieces(self) -> AsyncIterator[bytes]: ...
    async def close(self) -> None: ...


class AsyncTransport(Protocol):
    """Raises ConnectionFailedError or TimedOutError when no answer comes."""

    async def send(self, request: Request) -> AsyncResponse: ...
    async def close(self) -> None: ...


_Failure = (OSError, EOFError, ValueError, asyncio.LimitOverrunError)


def _failure(error: BaseException, request: Request) -> PentarchError:
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return TimedOutError(f"no whole answer within {request.timeout} s")
    return ConnectionFailedError(f"{type(error).__name__}: {error}")


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @property
    def alive(self) -> bool:
        return not self.reader.at_eof() and not self.writer.is_closing()

    def close(self) -> None:
        self.writer.close()


class _Response:
    def __init__(
        self,
        pool: AsyncioTransport,
        host: _Host,
        connection: _Connection,
        request: Request,
        status: int,
        headers: Mapping[str, str],
        deadline: float,
    ) -> None:
        self._pool = pool
        self._host = host
        self._connection = connection
        self._request = request
        self._deadline = deadline
        self.status = status
        self.headers = headers

    async def _limited(self, work: Awaitable[T]) -> T:
        if self._request.streamed:
            self._deadline = time.monotonic() + self._request.timeout
        return await asyncio.wait_for(work, max(0.0, self._deadline - time.monotonic()))

    async def _chunked(self) -> AsyncIterator[bytes]:
        reader = self._connection.reader
        while True:
            line = await self._limited(reader.readuntil(b"\r\n"))
            left = int(line.split(b";")[0], 16)
            if left == 0:
                while await self._limited(reader.readuntil(b"\r\n")) != b"\r\n":
                    pass
                return
            while left > 0:
                piece = await self._limited(reader.read(min(left, _PIECE)))
                if not piece:
                    raise EOFError("the connection ended in the middle of an answer")
                left -= len(piece)
                yield piece
            await self._limited(reader.readexactly(2))

    async def _sized(self, left: int | None) -> AsyncIterator[bytes]:
        """Up to the end of the connection where ``left`` is None."""
        while left is None or left > 0:
            piece = await self._limited(self._connection.reader.read(min(left or _PIECE, _PIECE)))
            if not piece:
                if left is None:
                    return
                raise EOFError("the connection ended in the middle of an answer")
            if left is not None:
                left -= len(piece)
            yield piece

    def _body(self) -> tuple[AsyncIterator[bytes], bool]:
        """The body, and whether another answer can follow it (RFC 9112, section 6.3)."""
        stays = self.headers.get("connection", "").lower() != "close"
        if self.status in (204, 304) or self._request.method == "HEAD":
            return self._sized(0), stays
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            return self._chunked(), stays
        if "content-length" in self.headers:
            return self._sized(int(self.headers["content-length"])), stays
        return self._sized(None), False

    async def pieces(self) -> AsyncIterator[bytes]:
        keep = False
        try:
            body, stays = self._body()
            async for piece in body:
                yield piece
            keep = stays
        except (*_Failure, asyncio.TimeoutError) as error:
            raise _failure(error, self._request) from None
        finally:
            if keep:
                self._pool.keep(self._host, self._connection)
            else:
                self._connection.close()

    async def read(self) -> bytes:
        return b"".join([piece async for piece in self.pieces()])

    async def close(self) -> None:
        self._connection.close()


async def open_streams(
    proxies: Mapping[str, str], host: _Host, secure: ssl.SSLContext | None, timeout: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the host itself, through a proxy where one is meant for it."""
    scheme, name, port = host
    proxy = proxy_for(proxies, scheme, name, port)
    if proxy is None:
        return await asyncio.open_connection(name, port, ssl=secure, limit=_HEAD_LIMIT)
    sock = await asyncio.to_thread(open_tunnel, proxy, name, port, timeout)
    sock.setblocking(False)
    called = None if secure is None else name
    return await asyncio.open_connection(sock=sock, ssl=secure, server_hostname=called, limit=_HEAD_LIMIT)


class AsyncioTransport:
    """For one event loop. ``context`` and ``proxies`` as of ``HttpTransport``."""

    def __init__(self, context: ssl.SSLContext | None = None, *, proxies: Mapping[str, str] | None = None) -> None:
        self._context = context
        self.proxies = proxies_of_environment() if proxies is None else dict(proxies)
        self._idle: dict[_Host, list[_Connection]] = {}

    @property
    def context(self) -> ssl.SSLContext | None:
        """As it was given, or as it was made for the first secure connection."""
        return self._context

    def keep(self, host: _Host, connection: _Connection) -> None:
        waiting = self._idle.setdefault(host, [])
        if connection.alive and len(waiting) < _IDLE_PER_HOST:
            waiting.append(connection)
        else:
            connection.close()

    async def _connect(self, host: _Host, timeout: float) -> _Connection:
        waiting = self._idle.get(host, [])
        while waiting:
            known = waiting.pop()
            if known.alive:
                return known
            known.close()
        scheme, name, port = host
        proxy = proxy_for(self.proxies, scheme, name, port)
        if scheme == "http" and proxy is not None:
            return _Connection(*await asyncio.open_connection(proxy.host, proxy.port, limit=_HEAD_LIMIT))
        if scheme == "https" and self._context is None:
            self._context = ssl.create_default_context()
        secure = self._context if scheme == "https" else None
        return _Connection(*await open_streams(self.proxies, host, secure, timeout))

    async def send(self, request: Request) -> AsyncResponse:
        host, target = host_of(request.url)
        proxy = proxy_for(self.proxies, *host)
        if host[0] == "http" and proxy is not None:
            # A proxy is told the whole address (RFC 9112, 3.2.2).
            target = request.url
            request = replace(request, headers={**request.headers, **proxy.headers})
        deadline = time.monotonic() + request.timeout
        connection: _Connection | None = None
        try:
            connection = await asyncio.wait_for(self._connect(host, request.timeout), request.timeout)
            left = max(0.0, deadline - time.monotonic())
            status, headers = await asyncio.wait_for(_exchange(connection, host, target, request), left)
            return _Response(self, host, connection, request, status, headers, deadline)
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, (*_Failure, asyncio.TimeoutError)):
                raise _failure(error, request) from None
            raise

    async def close(self) -> None:
        waiting = [connection for idle in self._idle.values() for connection in idle]
        self._idle.clear()
        for connection in waiting:
            connection.close()


def _head_of(host: _Host, target: str, request: Request) -> bytes:
    scheme, name, port = host
    shown = f"[{name}]" if ":" in name else name
    usual = port == (443 if scheme == "https" else 80)
    lines = [f"{request.method} {target} HTTP/1.1", f"host: {shown}" if usual else f"host: {shown}:{port}"]
    if request.body is not None or request.method in ("POST", "PUT", "PATCH"):
        lines.append(f"content-length: {request.size}")
    for key, value in request.headers.items():
        if "\r" in value or "\n" in value:
            raise PentarchError(f"the header {key} holds a line break")
        lines.append(f"{key}: {value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _exchange(
    connection: _Connection, host: _Host, target: str, request: Request
) -> tuple[int, dict[str, str]]:
    writer = connection.writer
    writer.write(_head_of(host, target, request))
    if isinstance(request.body, bytes):
        writer.write(request.body)
    elif request.body is not None:
        for piece in request.body:
            writer.write(piece)
            await writer.drain()
    await writer.drain()
    while True:
        head = (await connection.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        # 1xx answers go before the real one (RFC 9110, section 15.2).
        if status >= 200:
            break
    headers: dict[str, str] = {}
    for line in head[1:]:
        key, colon, value = line.partition(":")
        if colon:
            headers[key.strip().lower()] = value.strip()
    return status, headers
