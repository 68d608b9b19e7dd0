"""When a call is tried again and how long before. The same rules in all languages: sdk/vectors/retries.json."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
# A server that asks for more than this gets its error handed to the caller instead.
LONGEST_RETRY_AFTER_S = 60.0


def retry_after_of(header: str | None, now: float) -> float | None:
    """Seconds of a Retry-After header (RFC 9110, section 10.2.3); None for none or nonsense."""
    if header is None:
        return None
    text = header.strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError):
        return None


def wait_seconds(attempt: int, retry_after: float | None, random: float) -> float:
    """``attempt`` is 0 after the first try; ``random`` spreads clients over the upper half of the wait."""
    full: float = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt)
    own = full * (0.5 + random / 2)
    return own if retry_after is None else max(retry_after, own)


def may_retry(
    method: str, status: int | None, *, ours: bool, after_lost_answer: bool, retry_after: float | None
) -> bool:
    """``status`` is None when no answer came; ``ours`` when the API answered and not a proxy on the way.

    A POST carries an Idempotency-Key, so a lost answer is safe to ask for again. An error that the API itself
    answered with 500, 502 or 504 is not stored under the key: trying again would do the work twice, so only methods
    that are idempotent by themselves do.
    """
    plain = method not in ("POST", "PATCH")
    if status is None:
        return method != "PATCH"
    if retry_after is not None and retry_after > LONGEST_RETRY_AFTER_S:
        return False
    if status in (408, 429, 503):
        return True
    if status == 409:
        return method == "POST" and after_lost_answer
    if status in (502, 504):
        return plain or not ours
    return status == 500 and plain
