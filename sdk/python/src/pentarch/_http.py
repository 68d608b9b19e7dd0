"""Carries out the plans of `_core.py`: blocking (`Http`) and with asyncio (`AsyncHttp`)."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from dataclasses import dataclass
from typing import Any, AsyncIterator, Generic, Iterator, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from ._async_transport import AsyncResponse, AsyncTransport
from ._core import (
    Call,
    CallOptions,
    Plan,
    Read,
    Send,
    Settings,
    Sleep,
    Step,
    Token,
    TokenContext,
    checked_token,
    parse_json,
    plan_call,
)
from ._errors import PentarchError, ProtocolError
from ._generated.models import ChatResponse
from ._record import M, shaped
from ._stream import ChatEvent, StreamState
from ._transport import Response, Transport

T = TypeVar("T")
_NO_OPTIONS = CallOptions()


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None

    @staticmethod
    def of(kind: type[M], value: dict[str, Any]) -> Page[M]:
        return Page(
            items=shaped([kind], value["items"]),
            page=value["page"],
            limit=value["limit"],
            total=value["total"],
            has_more=value["has_more"],
            next_cursor=value["next_cursor"],
        )


def next_query_of(link: str | None) -> dict[str, str] | None:
    """What a Link header's next address asks for (RFC 8288): its cursor, else its page."""
    for part in re.finditer(r"<([^>]*)>([^<]*)", link or ""):
        if re.search(r';\s*rel="?next"?', part.group(2)):
            query = parse_qs(urlsplit(part.group(1)).query)
            for name in ("cursor", "page"):
                if name in query:
                    return {name: query[name][0]}
            return None
    return None


def _next_call(call: Call, found: dict[str, str] | None) -> Call:
    if found is None:
        return call
    # A cursor stands in place of a page number.
    query = {name: value for name, value in (call.query or {}).items() if name not in ("page", "cursor")}
    return Call(call.method, call.path, {**query, **found}, headers=call.headers)


class Http:
    def __init__(self, settings: Settings, transport: Transport) -> None:
        self.settings = settings
        self.transport = transport
        self._token_lock = threading.Lock()

    def beside(self, settings: Settings, transport: Transport | None) -> Http:
        """With other settings over the same connections, where no other transport is given."""
        other = Http(settings, transport or self.transport)
        if settings.source is self.settings.source:
            # One renewal at a time for all who use the source.
            other._token_lock = self._token_lock
        return other

    def _perform(self, step: Step) -> Any:
        if isinstance(step, Send):
            return self.transport.send(step.request)
        if isinstance(step, Read):
            return cast(Response, step.response).read()
        if isinstance(step, Sleep):
            if self.settings.sleep is not None:
                return self.settings.sleep(step.seconds)
            if step.cancellation is not None:
                return step.cancellation.sleep(step.seconds)
            return time.sleep(step.seconds)
        with self._token_lock:
            return checked_token(self.run(self.settings.source.steps(self._context(step))))

    def _context(self, step: Token) -> TokenContext:
        return TokenContext(self.settings.base_url, self.settings.now(), step.timeout)

    def run(self, plan: Plan) -> Any:
        try:
            step = next(plan)
            while True:
                try:
                    result = self._perform(step)
                except PentarchError as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(result)
        except StopIteration as end:
            return end.value

    def send(self, call: Call, options: CallOptions | None = None, *, streamed: bool = False) -> Response:
        plan = plan_call(call, self.settings, options or _NO_OPTIONS, streamed=streamed)
        return cast(Response, self.run(plan))

    def json(self, call: Call, options: CallOptions | None = None) -> Any:
        return parse_json(call, self.send(call, options).read())

    def model(self, kind: type[M], call: Call, options: CallOptions | None = None) -> M:
        return cast(M, shaped(kind, self.json(call, options)))

    def models(self, kind: type[M], call: Call, options: CallOptions | None = None) -> list[M]:
        return cast("list[M]", shaped([kind], self.json(call, options)))

    def none(self, call: Call, options: CallOptions | None = None) -> None:
        self.send(call, options).read()

    def content(self, call: Call, options: CallOptions | None = None) -> bytes:
        return self.send(call, options).read()

    def text(self, call: Call, options: CallOptions | None = None) -> str:
        return self.send(call, options).read().decode()

    def page(self, kind: type[M], call: Call, options: CallOptions | None = None) -> Page[M]:
        return Page.of(kind, self.json(call, options))

    def all(self, kind: type[M], call: Call, options: CallOptions | None = None) -> Iterator[M]:
        found: dict[str, str] | None = None
        while True:
            page = self.page(kind, _next_call(call, found), options)
            yield from page.items
            if page.next_cursor is None:
                return
            found = {"cursor": page.next_cursor}

    def all_bare(self, kind: type[M], call: Call, options: CallOptions | None = None) -> Iterator[M]:
        found: dict[str, str] | None = None
        while True:
            response = self.send(_next_call(call, found), options)
            yield from cast("list[M]", shaped([kind], parse_json(call, response.read())))
            found = next_query_of(response.headers.get("link"))
            if found is None:
                return

    def stream(self, call: Call, options: CallOptions | None = None) -> ChatStream:
        return ChatStream(self, StreamState(call, self.settings, options or _NO_OPTIONS))


class ChatStream:
    """Iterate over it once. An ``error`` event is raised as its ApiError. Leaving early closes the connection; the run
    itself goes on at the server (``chat.cancel_run`` ends it)."""

    def __init__(self, http: Http, state: StreamState) -> None:
        self._http = http
        self._state = state
        self._events = self._iterate()

    def _iterate(self) -> Iterator[ChatEvent]:
        state = self._state
        while True:
            failed: PentarchError | None = None
            response: Response | None = None
            try:
                response = self._http.send(state.next_call(), state.options, streamed=True)
                for piece in response.pieces():
                    for event in state.push(piece):
                        yield event
                        if state.completed:
                            return
            except PentarchError as error:
                failed = error
            finally:
                if response is not None:
                    response.close()
            self._http.run(_wait(state.broken(failed), state.options))

    def __iter__(self) -> Iterator[ChatEvent]:
        return self._events

    def __enter__(self) -> ChatStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        close = getattr(self._events, "close", None)
        if close is not None:
            close()

    def text(self) -> Iterator[str]:
        """The pieces of text only."""
        for event in self:
            if event.event == "message.delta":
                yield str(event.data["content"])

    def final(self) -> ChatResponse:
        """Reads to the end and gives the whole answer."""
        for event in self:
            if event.event == "message.completed":
                return ChatResponse(event.data)
        raise ProtocolError("the stream ended without an answer")


def _wait(seconds: float, options: CallOptions) -> Plan:
    yield Sleep(seconds, options.cancellation)


class AsyncHttp:
    def __init__(self, settings: Settings, transport: AsyncTransport) -> None:
        self.settings = settings
        self.transport = transport
        self._token_lock = asyncio.Lock()

    def beside(self, settings: Settings, transport: AsyncTransport | None) -> AsyncHttp:
        """With other settings over the same connections, where no other transport is given."""
        other = AsyncHttp(settings, transport or self.transport)
        if settings.source is self.settings.source:
            # One renewal at a time for all who use the source.
            other._token_lock = self._token_lock
        return other

    async def _perform(self, step: Step) -> Any:
        if isinstance(step, Send):
            return await self.transport.send(step.request)
        if isinstance(step, Read):
            return await cast(AsyncResponse, step.response).read()
        if isinstance(step, Sleep):
            if self.settings.sleep is not None:
                return await self.settings.sleep(step.seconds)
            return await asyncio.sleep(step.seconds)
        async with self._token_lock:
            context = TokenContext(self.settings.base_url, self.settings.now(), step.timeout)
            return checked_token(await self.run(self.settings.source.steps(context)))

    async def run(self, plan: Plan) -> Any:
        try:
            step = next(plan)
            while True:
                try:
                    result = await self._perform(step)
                except PentarchError as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(result)
        except StopIteration as end:
            return end.value

    async def send(
        self, call: Call, options: CallOptions | None = None, *, streamed: bool = False
    ) -> AsyncResponse:
        plan = plan_call(call, self.settings, options or _NO_OPTIONS, streamed=streamed)
        return cast(AsyncResponse, await self.run(plan))

    async def json(self, call: Call, options: CallOptions | None = None) -> Any:
        return parse_json(call, await (await self.send(call, options)).read())

    async def model(self, kind: type[M], call: Call, options: CallOptions | None = None) -> M:
        return cast(M, shaped(kind, await self.json(call, options)))

    async def models(self, kind: type[M], call: Call, options: CallOptions | None = None) -> list[M]:
        return cast("list[M]", shaped([kind], await self.json(call, options)))

    async def none(self, call: Call, options: CallOptions | None = None) -> None:
        await (await self.send(call, options)).read()

    async def content(self, call: Call, options: CallOptions | None = None) -> bytes:
        return await (await self.send(call, options)).read()

    async def text(self, call: Call, options: CallOptions | None = None) -> str:
        return (await (await self.send(call, options)).read()).decode()

    async def page(self, kind: type[M], call: Call, options: CallOptions | None = None) -> Page[M]:
        return Page.of(kind, await self.json(call, options))

    async def all(self, kind: type[M], call: Call, options: CallOptions | None = None) -> AsyncIterator[M]:
        found: dict[str, str] | None = None
        while True:
            page = await self.page(kind, _next_call(call, found), options)
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            found = {"cursor": page.next_cursor}

    async def all_bare(self, kind: type[M], call: Call, options: CallOptions | None = None) -> AsyncIterator[M]:
        found: dict[str, str] | None = None
        while True:
            response = await self.send(_next_call(call, found), options)
            for item in cast("list[M]", shaped([kind], parse_json(call, await response.read()))):
                yield item
            found = next_query_of(response.headers.get("link"))
            if found is None:
                return

    def stream(self, call: Call, options: CallOptions | None = None) -> AsyncChatStream:
        return AsyncChatStream(self, StreamState(call, self.settings, options or _NO_OPTIONS))


class AsyncChatStream:
    """As ChatStream, with ``async for`` and ``async with``."""

    def __init__(self, http: AsyncHttp, state: StreamState) -> None:
        self._http = http
        self._state = state
        self._events = self._iterate()

    async def _iterate(self) -> AsyncIterator[ChatEvent]:
        state = self._state
        while True:
            failed: PentarchError | None = None
            response: AsyncResponse | None = None
            try:
                response = await self._http.send(state.next_call(), state.options, streamed=True)
                async for piece in response.pieces():
                    for event in state.push(piece):
                        yield event
                        if state.completed:
                            return
            except PentarchError as error:
                failed = error
            finally:
                if response is not None:
                    await response.close()
            await self._http.run(_wait(state.broken(failed), state.options))

    def __aiter__(self) -> AsyncIterator[ChatEvent]:
        return self._events

    async def __aenter__(self) -> AsyncChatStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        close = getattr(self._events, "aclose", None)
        if close is not None:
            await close()

    async def text(self) -> AsyncIterator[str]:
        """The pieces of text only."""
        async for event in self:
            if event.event == "message.delta":
                yield str(event.data["content"])

    async def final(self) -> Any:
        """Reads to the end and gives the ChatResponse."""
        async for event in self:
            if event.event == "message.completed":
                return ChatResponse(event.data)
        raise ProtocolError("the stream ended without an answer")
