"""Errors that the client raises.

Every one is a ``PentarchError``; an answer of the API becomes the class of its code, whichever of the two body shapes
it came in. No text ever holds a token.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping, cast


class PentarchError(Exception):
    """Root of everything that this package raises."""


class ConnectionFailedError(PentarchError):
    """No answer came. The request may or may not have been carried out."""


class TimedOutError(PentarchError):
    """The time limit of the call passed."""


class CancelledError(PentarchError):
    """The caller's ``Cancellation`` fired."""


class ProtocolError(PentarchError):
    """The answer was no JSON, or a stream ended so that it cannot be taken up again."""


class WebhookVerificationError(PentarchError):
    """A webhook whose signature, time or headers are not right."""


class OAuthError(PentarchError):
    """The identity provider's answer to a token request (RFC 6749, section 5.2)."""

    def __init__(self, code: str, description: str, status: int) -> None:
        super().__init__(f"{code}: {description}" if description else code)
        self.code = code
        self.status = status


class ApiError(PentarchError):
    """An error answer of the API.

    ``code`` is a code of the contract's table, ``reason`` a closer one (TOKEN_EXPIRED) or None, ``request_id`` what
    an operator finds in logs and audit rows, ``retry_after`` the seconds that the server asks to wait or None.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        reason: str | None,
        details: Mapping[str, Any],
        request_id: str | None,
        retry_after: float | None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.reason = reason
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        shown = f"{self.status} {self.code}: {self.message}"
        return f"{shown} (request {self.request_id})" if self.request_id else shown


class BadRequestError(ApiError):
    pass


class UnauthorizedError(ApiError):
    pass


class CostExceededError(ApiError):
    pass


class ForbiddenError(ApiError):
    pass


class NotFoundError(ApiError):
    pass


class MethodNotAllowedError(ApiError):
    pass


class RequestTimeoutError(ApiError):
    pass


class ConflictError(ApiError):
    pass


class PayloadTooLargeError(ApiError):
    pass


class UnsupportedMediaTypeError(ApiError):
    pass


@dataclass(frozen=True)
class FieldFault:
    """``field`` is a JSON pointer."""

    field: str
    reason: str


class ValidationError(ApiError):
    @property
    def fields(self) -> list[FieldFault]:
        """The fields at fault."""
        found = self.details.get("fields")
        if not isinstance(found, list):
            return []
        return [
            FieldFault(str(one.get("field", "")), str(one.get("reason", "")))
            for one in cast("list[dict[str, Any]]", found)
        ]


class RateLimitedError(ApiError):
    pass


class InternalServerError(ApiError):
    pass


class NotImplementedByServerError(ApiError):
    pass


class UpstreamError(ApiError):
    pass


class ServiceUnavailableError(ApiError):
    pass


class UpstreamTimeoutError(ApiError):
    pass


_CLASSES: dict[str, type[ApiError]] = {
    "BAD_REQUEST": BadRequestError,
    "UNAUTHORIZED": UnauthorizedError,
    "COST_EXCEEDED": CostExceededError,
    "FORBIDDEN": ForbiddenError,
    "NOT_FOUND": NotFoundError,
    "METHOD_NOT_ALLOWED": MethodNotAllowedError,
    "REQUEST_TIMEOUT": RequestTimeoutError,
    "CONFLICT": ConflictError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "UNSUPPORTED_MEDIA_TYPE": UnsupportedMediaTypeError,
    "VALIDATION_ERROR": ValidationError,
    "RATE_LIMITED": RateLimitedError,
    "INTERNAL_ERROR": InternalServerError,
    "NOT_IMPLEMENTED": NotImplementedByServerError,
    "UPSTREAM_ERROR": UpstreamError,
    "SERVICE_UNAVAILABLE": ServiceUnavailableError,
    "UPSTREAM_TIMEOUT": UpstreamTimeoutError,
}

# For answers without a body of ours, such as those of a proxy.
_CODE_OF_STATUS = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    402: "COST_EXCEEDED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    408: "REQUEST_TIMEOUT",
    409: "CONFLICT",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    422: "VALIDATION_ERROR",
    429: "RATE_LIMITED",
    501: "NOT_IMPLEMENTED",
    502: "UPSTREAM_ERROR",
    503: "SERVICE_UNAVAILABLE",
    504: "UPSTREAM_TIMEOUT",
}
_STATUS_OF_CODE = {code: status for status, code in _CODE_OF_STATUS.items()}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def api_error_from(
    body: object, status: int, request_id: str | None, retry_after: float | None
) -> ApiError | None:
    """The error of a body in shape A or B; None where it is neither.

    ``status`` is 0 for an ``error`` event of a stream, whose status then follows from the code.
    """
    if not isinstance(body, dict):
        return None
    outer = cast("dict[str, Any]", body)
    nested = outer.get("error")
    inner = cast("dict[str, Any]", nested) if isinstance(nested, dict) else outer
    given = _text(inner.get("code"))
    if not given:
        return None
    found = inner.get("details")
    details = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    # Shape B names the table's code in `error` and the reason in `code`; shape A has the reason in the details.
    code = nested.upper() if isinstance(nested, str) else given
    reason = _text(details.get("reason")) if given == code else given
    return _CLASSES.get(code, ApiError)(
        _text(inner.get("message")) or code,
        status=status or _STATUS_OF_CODE.get(code, 500),
        code=code,
        reason=reason,
        details=details,
        request_id=_text(inner.get("request_id")) or request_id,
        retry_after=retry_after,
    )


def error_of_answer(
    status: int, text: str, request_id: str | None, retry_after: float | None
) -> ApiError:
    """The error of any answer that is no success."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    known = api_error_from(body, status, request_id, retry_after)
    if known is not None:
        return known
    code = _CODE_OF_STATUS.get(status, "INTERNAL_ERROR" if status >= 500 else "BAD_REQUEST")
    return _CLASSES[code](
        f"the server answered {status} without an error body",
        status=status,
        code=code,
        reason=None,
        details={},
        request_id=request_id,
        retry_after=retry_after,
    )
