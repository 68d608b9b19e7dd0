"""The default way to send a blocking request: http.client with connections kept alive."""

from __future__ import annotations

import http.client
import select
import socket
import ssl
import threading
import time
from typing import Any, Iterator, Mapping, Protocol
from urllib.parse import SplitResult, urlsplit

from ._core import Request
from ._errors import CancelledError, ConnectionFailedError, PentarchError, TimedOutError
from ._proxy import proxies_of_environment, proxy_for

_IDLE_PER_HOST = 10
_PIECE = 65_536
_Host = tuple[str, str, int]


class Response(Protocol):
    """Header names are in lower case. ``close`` before the end gives the connection up."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    def read(self) -> bytes: ...
    def pieces(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Transport(Protocol):
    """Raises ConnectionFailedError, TimedOutError or CancelledError when no answer comes."""

    def send(self, request: Request) -> Response: ...
    def close(self) -> None: ...


def host_of(url: str) -> tuple[_Host, str]:
    """Scheme, host and port, and the target of the request line."""
    parts: SplitResult = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise PentarchError("base_url must start with http:// or https:// and name a host")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return (parts.scheme, parts.hostname, port), parts.path + (f"?{parts.query}" if parts.query else "")


class _Response:
    def __init__(
        self,
        pool: HttpTransport,
        host: _Host,
        connection: http.client.HTTPConnection,
        answer: http.client.HTTPResponse,
        request: Request,
        deadline: float,
    ) -> None:
        self._pool = pool
        self._host = host
        self._connection = connection
        self._answer = answer
        self._request = request
        self._deadline = deadline
        self.status = answer.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in answer.getheaders()}

    def pieces(self) -> Iterator[bytes]:
        request = self._request
        whole = False
        try:
            while True:
                if request.streamed:
                    self._deadline = time.monotonic() + request.timeout
                _limit(self._connection, self._deadline, request)
                piece = self._answer.read1(_PIECE)
                if not piece:
                    whole = True
                    return
                yield piece
        except PentarchError:
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _failure(error, request) from None
        finally:
            if whole and not self._answer.will_close:
                self._done()
                self._pool.keep(self._host, self._connection)
            else:
                self.close()

    def read(self) -> bytes:
        return b"".join(self.pieces())

    def _done(self) -> None:
        self._answer.close()
        if self._request.cancellation is not None:
            self._request.cancellation.forget(id(self._connection))

    def close(self) -> None:
        self._done()
        self._connection.close()


def _limit(connection: http.client.HTTPConnection, deadline: float, request: Request) -> None:
    if request.cancellation is not None:
        request.cancellation.check()
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimedOutError(f"no whole answer within {request.timeout} s")
    # A connection that the server closes with the answer has given its socket away already.
    if isinstance(connection.sock, socket.socket):
        connection.sock.settimeout(left)


def _failure(error: Exception, request: Request) -> PentarchError:
    if request.cancellation is not None and request.cancellation.cancelled:
        return CancelledError("the call was cancelled")
    if isinstance(error, TimeoutError):
        return TimedOutError(f"no whole answer within {request.timeout} s")
    return ConnectionFailedError(f"{type(error).__name__}: {error}")


def _stopper(connection: http.client.HTTPConnection) -> None:
    sock: socket.socket | None = connection.sock
    if sock is not None:
        try:
            # Wakes the thread that reads from it.
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class HttpTransport:
    """Usable from many threads at once. ``context`` holds further authorities or a client certificate. ``proxies`` by
    scheme ("http", "https", "all") and "no" as NO_PROXY; by default those of the environment."""

    def __init__(self, context: ssl.SSLContext | None = None, *, proxies: Mapping[str, str] | None = None) -> None:
        self._context = context
        self.proxies = proxies_of_environment() if proxies is None else dict(proxies)
        self._idle: dict[_Host, list[http.client.HTTPConnection]] = {}
        self._lock = threading.Lock()

    @property
    def context(self) -> ssl.SSLContext | None:
        """As it was given, or as it was made for the first secure connection."""
        return self._context

    def _take(self, host: _Host) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                waiting = self._idle.get(host)
                if not waiting:
                    return None
                connection = waiting.pop()
            sock = connection.sock
            # Readable without a request means closed by the server.
            if sock is not None and not select.select([sock], [], [], 0)[0]:
                return connection
            connection.close()

    def keep(self, host: _Host, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            waiting = self._idle.setdefault(host, [])
            if len(waiting) < _IDLE_PER_HOST and connection.sock is not None:
                waiting.append(connection)
                return
        connection.close()

    def send(self, request: Request) -> Response:
        host, target = host_of(request.url)
        scheme, name, port = host
        deadline = time.monotonic() + request.timeout
        proxy = proxy_for(self.proxies, scheme, name, port)
        near, near_port = (name, port) if proxy is None else (proxy.host, proxy.port)
        connection = self._take(host)
        if connection is None and scheme == "https":
            if self._context is None:
                self._context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(
                near, near_port, timeout=request.timeout, context=self._context
            )
            if proxy is not None:
                connection.set_tunnel(name, port, dict(proxy.headers))
        elif connection is None:
            connection = http.client.HTTPConnection(near, near_port, timeout=request.timeout)
        headers = dict(request.headers)
        if proxy is not None and scheme == "http":
            # A proxy is told the whole address (RFC 9112, 3.2.2).
            target = request.url
            headers.update(proxy.headers)
        if request.body is not None or request.method in ("POST", "PUT", "PATCH"):
            headers["content-length"] = str(request.size)
        try:
            if request.cancellation is not None:
                request.cancellation.check()
                open_connection = connection
                request.cancellation.watch(id(connection), lambda: _stopper(open_connection))
            if connection.sock is None:
                connection.connect()
                fresh: Any = connection.sock
                fresh.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _limit(connection, deadline, request)
            connection.request(request.method, target, body=request.body, headers=headers)
            _limit(connection, deadline, request)
            answer = connection.getresponse()
        except BaseException as error:
            connection.close()
            if request.cancellation is not None:
                request.cancellation.forget(id(connection))
            if isinstance(error, (OSError, http.client.HTTPException, ValueError)):
                raise _failure(error, request) from None
            raise
        return _Response(self, host, connection, answer, request, deadline)

    def close(self) -> None:
        with self._lock:
            waiting = [connection for idle in self._idle.values() for connection in idle]
            self._idle.clear()
        for connection in waiting:
            connection.close()
