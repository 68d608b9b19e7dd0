"""Verification of webhooks by the Standard Webhooks scheme."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Callable, Mapping, Sequence, TypedDict, cast

from ._errors import WebhookVerificationError


class WebhookPayload(TypedDict):
    event: str
    timestamp: str
    data: dict[str, Any]


def verify_webhook(
    *,
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes | str,
    tolerance: float = 300,
    now: Callable[[], float] = time.time,
) -> WebhookPayload:
    """Checks signature and time, and gives the parsed body.

    ``body`` is what was received, never re-serialised; ``secret`` may be several while one is being rotated. Raises
    WebhookVerificationError for missing headers, a time outside the tolerance (seconds), no matching signature.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    identity = lower.get("webhook-id", "")
    timestamp = lower.get("webhook-timestamp", "")
    given = lower.get("webhook-signature", "")
    if not identity or not given or not (timestamp.isascii() and timestamp.isdigit()):
        raise WebhookVerificationError("webhook-id, webhook-timestamp or webhook-signature is missing")
    if abs(now() - int(timestamp)) > tolerance:
        raise WebhookVerificationError("the webhook is too old or too far ahead")
    raw = body.encode() if isinstance(body, str) else body
    content = f"{identity}.{timestamp}.".encode() + raw
    signatures: list[bytes] = []
    for part in given.split(" "):
        if part.startswith("v1,"):
            try:
                signatures.append(base64.b64decode(part[3:], validate=True))
            except binascii.Error:
                continue
    for one in [secret] if isinstance(secret, str) else secret:
        key = base64.b64decode(one.removeprefix("whsec_"))
        expected = hmac.new(key, content, hashlib.sha256).digest()
        if any(hmac.compare_digest(expected, signature) for signature in signatures):
            break
    else:
        raise WebhookVerificationError("no signature matches")
    try:
        return cast(WebhookPayload, json.loads(raw))
    except ValueError:
        raise WebhookVerificationError("the body is no JSON") from None
