"""One call of the API as a plan without input or output: token, tries, waits, errors.

The plan is a generator that yields what is to be done; `_http.py` does it, blocking or with asyncio. So the two
clients cannot differ in behaviour.
"""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Generator, Iterable, Mapping, Protocol, cast
from urllib.parse import urlencode, urlsplit

from ._cancellation import Cancellation
from ._errors import ConnectionFailedError, PentarchError, ProtocolError, TimedOutError, error_of_answer
from ._retry import may_retry, retry_after_of, wait_seconds
from ._version import USER_AGENT

TIMEOUT_S = 60.0
SLOW_TIMEOUT_S = 600.0
MAX_RETRIES = 3
_HIDDEN = "[redacted]"


class NotGiven:
    """Type of `NOT_GIVEN`: leaves a field out, where None would send null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()


def given(**fields: object) -> dict[str, Any]:
    """The fields that were given. A name that Python reserves has a trailing underscore."""
    return {
        name.removesuffix("_"): value for name, value in fields.items() if not isinstance(value, NotGiven)
    }


@dataclass(frozen=True)
class CallOptions:
    """For one call. ``timeout`` in seconds limits one try; ``cancellation`` stops blocking calls from another thread
    (with asyncio, cancel the task)."""

    timeout: float | None = None
    max_retries: int | None = None
    idempotency_key: str | None = None
    request_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    cancellation: Cancellation | None = None


@dataclass(frozen=True)
class Raw:
    """A body that is no JSON. ``parts`` is called once for each try."""

    content_type: str
    parts: Callable[[], Iterable[bytes]]
    size: int


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, Any] | None = None
    json: Any = NOT_GIVEN
    raw: Raw | None = None
    accept: str = "application/json"
    slow: bool = False
    headers: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())


@dataclass(frozen=True)
class Request:
    """What a transport sends. ``body`` is one piece, or pieces of ``size`` bytes in all. ``timeout`` in seconds counts
    until the whole answer is read; for streams between two pieces of it."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | Iterable[bytes] | None
    size: int
    timeout: float
    streamed: bool = False
    cancellation: Cancellation | None = None


class ResponseHead(Protocol):
    """Header names are in lower case."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class LogEntry:
    """One try. ``path`` has no query, which may hold what people wrote; ``status`` is None when no answer came."""

    method: str
    path: str
    attempt: int
    status: int | None
    request_id: str | None
    duration: float


@dataclass(frozen=True)
class Send:
    request: Request


@dataclass(frozen=True)
class Read:
    response: Any


@dataclass(frozen=True)
class Sleep:
    seconds: float
    cancellation: Cancellation | None


@dataclass(frozen=True)
class Token:
    timeout: float


Step = Send | Read | Sleep | Token
Plan = Generator[Step, Any, Any]


@dataclass(frozen=True)
class TokenContext:
    base_url: str
    now: float
    timeout: float


class TokenSource(Protocol):
    """Where bearer tokens come from. ``steps`` is a plan that ends with a token or None; ``refused`` tells that the
    API refused a token and says whether a new one can be had."""

    def steps(self, context: TokenContext) -> Plan: ...
    def refused(self, token: str) -> bool: ...


@dataclass(frozen=True)
class Settings:
    base_url: str
    source: TokenSource = field(repr=False)
    surface: str = "v1"
    timeout: float | None = None
    max_retries: int = MAX_RETRIES
    headers: Mapping[str, str] = field(default_factory=lambda: dict[str, str](), repr=False)
    log: Callable[[LogEntry], None] | None = None
    sleep: Callable[[float], Any] | None = None
    random: Callable[[], float] = random.random
    now: Callable[[], float] = time.time


def _query_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def url_of(base_url: str, path: str, query: Mapping[str, Any] | None) -> str:
    """``path`` below the base with its query; lists repeat their name, None is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        many = cast("Iterable[Any]", value) if isinstance(value, (list, tuple)) else [value]
        pairs.extend((name, _query_text(one)) for one in many if one is not None)
    return base_url.rstrip("/") + path + (f"?{urlencode(pairs)}" if pairs else "")


def checked_token(token: str | None) -> str | None:
    """Raises for what cannot stand in a header; the error does not show it."""
    if token is None or re.fullmatch(r"[!-~]+", token):
        return token
    raise PentarchError(
        "the token is empty or holds white space, a line break or other characters no token has"
    )


def checked_base_url(base_url: str) -> str:
    """Errors do not show what was given."""
    try:
        parts = urlsplit(base_url)
        named = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        named = False
        parts = None
    if not named or parts is None:
        raise PentarchError("base_url must start with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise PentarchError("base_url must hold no user name, password, query or fragment")
    return base_url


def redact(text: str, token: str | None) -> str:
    return text if token is None else text.replace(token, _HIDDEN)


def _headers(
    call: Call, settings: Settings, options: CallOptions, token: str | None, key: str | None
) -> dict[str, str]:
    headers = {"accept": call.accept, "user-agent": USER_AGENT}
    for more in (settings.headers, call.headers, options.headers):
        headers.update({name.lower(): value for name, value in more.items()})
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    if key is not None:
        headers["idempotency-key"] = key
    if options.request_id is not None:
        headers["x-request-id"] = options.request_id
    if not isinstance(call.json, NotGiven):
        headers["content-type"] = "application/json"
    elif call.raw is not None:
        headers["content-type"] = call.raw.content_type
    return headers


def key_of(call: Call, options: CallOptions) -> str | None:
    """The Idempotency-Key of a POST; None for a temporary chat, of which the server keeps no answer to repeat."""
    if options.idempotency_key:
        return options.idempotency_key
    body: Any = call.json
    fields = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    temporary = fields.get("store") is False
    return None if temporary else str(uuid.uuid4())


def plan_call(call: Call, settings: Settings, options: CallOptions, *, streamed: bool = False) -> Plan:
    """Ends with the response of a success; raises the typed error of anything else."""
    method = call.method
    path = re.sub(r"^/api/v1/", "/v2/", call.path) if settings.surface == "v2" else call.path
    if re.search(r"/\.{1,2}(/|$)", path):
        # Addresses are normalised on their way: it would be another operation's path.
        raise PentarchError(". and .. are no names in a path")
    url = url_of(settings.base_url, path, call.query)
    usual = SLOW_TIMEOUT_S if call.slow else TIMEOUT_S
    timeout = options.timeout or settings.timeout or usual
    retries = settings.max_retries if options.max_retries is None else options.max_retries
    key = key_of(call, options) if method == "POST" else None
    # Without a key a second try could do the work twice.
    unsafe = method == "POST" and key is None
    after_lost_answer = False
    renewed_token = False
    tries = 0
    attempt = 0
    while True:
        started = settings.now()
        tries += 1

        def tell(status: int | None, request_id: str | None) -> None:
            if settings.log is not None:
                settings.log(
                    LogEntry(method, path, tries, status, request_id, settings.now() - started)
                )

        token: str | None = None
        try:
            token = yield Token(timeout)
            body: bytes | Iterable[bytes] | None = None
            size = 0
            if not isinstance(call.json, NotGiven):
                body = json.dumps(call.json, ensure_ascii=False).encode("utf-8", "surrogatepass")
                size = len(body)
            elif call.raw is not None:
                body, size = call.raw.parts(), call.raw.size
            headers = _headers(call, settings, options, token, key)
            response: Any = yield Send(
                Request(method, url, headers, body, size, timeout, streamed, options.cancellation)
            )
        except (ConnectionFailedError, TimedOutError) as error:
            tell(None, None)
            lost = may_retry(method, None, ours=False, after_lost_answer=after_lost_answer, retry_after=None)
            if unsafe or attempt >= retries or not lost:
                raise type(error)(redact(str(error), token)) from None
            after_lost_answer = True
            yield Sleep(wait_seconds(attempt, None, settings.random()), options.cancellation)
            attempt += 1
            continue
        status: int = response.status
        request_id: str | None = response.headers.get("x-request-id")
        tell(status, request_id)
        if 200 <= status < 300:
            return response
        try:
            text = redact((yield Read(response)).decode("utf-8", "replace"), token)
        except (ConnectionFailedError, TimedOutError):
            text = ""
        retry_after = retry_after_of(response.headers.get("retry-after"), settings.now())
        failure = error_of_answer(status, text, request_id, retry_after)
        if status == 401 and token is not None and not renewed_token and settings.source.refused(token):
            # Not counted as a retry: the token was void, the call was never tried.
            renewed_token = True
            continue
        ours = "x-api-version" in response.headers
        again = may_retry(
            method, status, ours=ours, after_lost_answer=after_lost_answer, retry_after=retry_after
        )
        if attempt >= retries or not again:
            raise failure
        yield Sleep(wait_seconds(attempt, retry_after, settings.random()), options.cancellation)
        attempt += 1


def parse_json(call: Call, body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise ProtocolError(f"{call.method} {call.path}: the answer is no JSON") from None
