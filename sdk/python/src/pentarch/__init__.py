"""Client of the Pentarch Agent Platform API, sync and async, standard library only."""

from ._auth import MachineKey, PasswordLogin, Refreshing, ServiceAccount, StaticToken, Tokens
from ._cancellation import Cancellation
from ._client import AsyncClient, Client
from ._core import NOT_GIVEN, CallOptions, LogEntry, NotGiven, Request, TokenSource
from ._errors import (
    ApiError,
    BadRequestError,
    CancelledError,
    ConflictError,
    ConnectionFailedError,
    CostExceededError,
    FieldFault,
    ForbiddenError,
    InternalServerError,
    MethodNotAllowedError,
    NotFoundError,
    NotImplementedByServerError,
    OAuthError,
    PayloadTooLargeError,
    PentarchError,
    ProtocolError,
    RateLimitedError,
    RequestTimeoutError,
    ServiceUnavailableError,
    TimedOutError,
    UnauthorizedError,
    UnsupportedMediaTypeError,
    UpstreamError,
    UpstreamTimeoutError,
    ValidationError,
    WebhookVerificationError,
)
from ._events import LiveEvent
from . import models
from ._http import AsyncChatStream, ChatStream, Page
from ._record import Record
from ._version import VERSION
from ._sse import SseEvent, SseParser
from ._stream import ChatEvent
from ._transport import HttpTransport, Response, Transport
from ._async_transport import AsyncioTransport, AsyncResponse, AsyncTransport
from .webhooks import WebhookPayload, verify_webhook

__all__ = [
    "NOT_GIVEN",
    "ApiError",
    "AsyncChatStream",
    "AsyncClient",
    "AsyncResponse",
    "AsyncTransport",
    "AsyncioTransport",
    "BadRequestError",
    "CallOptions",
    "Cancellation",
    "CancelledError",
    "ChatEvent",
    "ChatStream",
    "Client",
    "ConflictError",
    "ConnectionFailedError",
    "CostExceededError",
    "FieldFault",
    "ForbiddenError",
    "HttpTransport",
    "InternalServerError",
    "LiveEvent",
    "LogEntry",
    "MachineKey",
    "MethodNotAllowedError",
    "NotFoundError",
    "NotGiven",
    "NotImplementedByServerError",
    "OAuthError",
    "Page",
    "PasswordLogin",
    "PayloadTooLargeError",
    "PentarchError",
    "ProtocolError",
    "RateLimitedError",
    "Record",
    "Refreshing",
    "Request",
    "RequestTimeoutError",
    "Response",
    "ServiceAccount",
    "ServiceUnavailableError",
    "SseEvent",
    "SseParser",
    "StaticToken",
    "TimedOutError",
    "TokenSource",
    "Tokens",
    "Transport",
    "UnauthorizedError",
    "UnsupportedMediaTypeError",
    "UpstreamError",
    "UpstreamTimeoutError",
    "ValidationError",
    "WebhookPayload",
    "WebhookVerificationError",
    "models",
    "verify_webhook",
]

__version__ = VERSION
