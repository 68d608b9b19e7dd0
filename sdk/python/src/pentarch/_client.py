"""The two clients: every resource over one set of connections."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence

from ._async_transport import AsyncioTransport, AsyncTransport
from ._auth import StaticToken
from ._cancellation import Cancellation
from ._core import MAX_RETRIES, CallOptions, LogEntry, Settings, TokenSource, checked_base_url
from ._events import LiveEvent, async_live_events, live_events
from ._generated import resources
from ._generated.models import Document
from ._http import AsyncHttp, Http
from ._transport import HttpTransport, Transport
from ._uploads import Progress, upload_call


class Knowledge(resources.Knowledge):
    def upload_document(
        self,
        file: bytes | str | os.PathLike[str],
        *,
        filename: str | None = None,
        content_type: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        visibility: str | None = None,
        roles: Sequence[str] | None = None,
        external_id: str | None = None,
        on_progress: Progress | None = None,
        options: CallOptions | None = None,
    ) -> Document:
        """Uploads and indexes bytes or the file at a path. ``on_progress(sent, total)`` counts bytes, and starts again
        when the upload is tried again."""
        call = upload_call(
            file,
            filename=filename,
            content_type=content_type,
            title=title,
            metadata=metadata,
            visibility=visibility,
            roles=roles,
            external_id=external_id,
            on_progress=on_progress,
        )
        return self._http.model(Document, call, options)


class AsyncKnowledge(resources.AsyncKnowledge):
    async def upload_document(
        self,
        file: bytes | str | os.PathLike[str],
        *,
        filename: str | None = None,
        content_type: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        visibility: str | None = None,
        roles: Sequence[str] | None = None,
        external_id: str | None = None,
        on_progress: Progress | None = None,
        options: CallOptions | None = None,
    ) -> Document:
        """As ``Knowledge.upload_document``."""
        call = upload_call(
            file,
            filename=filename,
            content_type=content_type,
            title=title,
            metadata=metadata,
            visibility=visibility,
            roles=roles,
            external_id=external_id,
            on_progress=on_progress,
        )
        return await self._http.model(Document, call, options)


def _source(auth: str | TokenSource | None) -> TokenSource:
    return StaticToken(auth) if auth is None or isinstance(auth, str) else auth


def _changed(settings: Settings, **changes: Any) -> Settings:
    given = {name: value for name, value in changes.items() if value is not None}
    if "base_url" in given:
        checked_base_url(given["base_url"])
    return replace(settings, **given)


class Client(resources.AllResources):
    """Blocking; usable from many threads.

    ``auth`` is a token, an API key or a token source. ``surface`` "v2" calls /v2 wherever an operation stands under
    both. ``timeout`` in seconds limits one try (default 60; 600 for chat, uploads and tools). ``log`` is told after
    each try and never sees a token. ``transport`` replaces the HTTP client.
    """

    knowledge: Knowledge

    def __init__(
        self,
        base_url: str,
        *,
        auth: str | TokenSource | None = None,
        surface: str = "v1",
        timeout: float | None = None,
        max_retries: int = MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        log: Callable[[LogEntry], None] | None = None,
        transport: Transport | None = None,
        sleep: Callable[[float], None] | None = None,
        random: Callable[[], float] = random.random,
        now: Callable[[], float] = time.time,
    ) -> None:
        settings = Settings(
            checked_base_url(base_url), _source(auth), surface, timeout, max_retries, headers or {}, log, sleep, random, now
        )
        self._use(Http(settings, transport or HttpTransport()))

    def _use(self, http: Http) -> None:
        self.http = http
        super().__init__(http)
        self.knowledge = Knowledge(http)

    def with_options(
        self,
        *,
        base_url: str | None = None,
        auth: str | TokenSource | None = None,
        surface: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        log: Callable[[LogEntry], None] | None = None,
        transport: Transport | None = None,
    ) -> Client:
        """A client with other options over the same connections and tokens; what is not given stays, and ``headers`` are
        added. Closing either closes the connections of both, unless it has a ``transport`` of its own."""
        settings = _changed(
            self.http.settings,
            base_url=base_url,
            source=None if auth is None else _source(auth),
            surface=surface,
            timeout=timeout,
            max_retries=max_retries,
            headers=None if headers is None else {**self.http.settings.headers, **headers},
            log=log,
        )
        copied = Client.__new__(Client)
        copied._use(self.http.beside(settings, transport))
        return copied

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def events(
        self, topics: Sequence[str] | None = None, *, cancellation: Cancellation | None = None
    ) -> Iterator[LiveEvent]:
        """Events as they happen, over a WebSocket that connects again by itself, until the loop is left or the
        cancellation fires (CancelledError). ``topics`` narrows what is sent: conversations, runs, proposals, tasks,
        documents, agents, costs, notifications. What was missed between two connections is replayed; where the server
        cannot (``ready`` then has ``replay.complete`` false), read the records anew."""
        return live_events(self.http, topics, cancellation)

    def close(self) -> None:
        self.http.transport.close()


class AsyncClient(resources.AsyncAllResources):
    """The same with asyncio, for one event loop. Cancel a task to stop its call."""

    knowledge: AsyncKnowledge

    def __init__(
        self,
        base_url: str,
        *,
        auth: str | TokenSource | None = None,
        surface: str = "v1",
        timeout: float | None = None,
        max_retries: int = MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        log: Callable[[LogEntry], None] | None = None,
        transport: AsyncTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        random: Callable[[], float] = random.random,
        now: Callable[[], float] = time.time,
    ) -> None:
        settings = Settings(
            checked_base_url(base_url), _source(auth), surface, timeout, max_retries, headers or {}, log, sleep, random, now
        )
        self._use(AsyncHttp(settings, transport or AsyncioTransport()))

    def _use(self, http: AsyncHttp) -> None:
        self.http = http
        super().__init__(http)
        self.knowledge = AsyncKnowledge(http)

    def with_options(
        self,
        *,
        base_url: str | None = None,
        auth: str | TokenSource | None = None,
        surface: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        log: Callable[[LogEntry], None] | None = None,
        transport: AsyncTransport | None = None,
    ) -> AsyncClient:
        """As ``Client.with_options``."""
        settings = _changed(
            self.http.settings,
            base_url=base_url,
            source=None if auth is None else _source(auth),
            surface=surface,
            timeout=timeout,
            max_retries=max_retries,
            headers=None if headers is None else {**self.http.settings.headers, **headers},
            log=log,
        )
        copied = AsyncClient.__new__(AsyncClient)
        copied._use(self.http.beside(settings, transport))
        return copied

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def events(self, topics: Sequence[str] | None = None) -> AsyncIterator[LiveEvent]:
        """As ``Client.events``; leave the loop or cancel the task to stop."""
        return async_live_events(self.http, topics)

    async def close(self) -> None:
        await self.http.transport.close()
