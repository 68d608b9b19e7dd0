"""
What schemathesis is told about this API: a request that fits the schema may be refused all the same, but only for one of
the reasons below, which JSON Schema cannot say. Any other refusal of a valid request is a fault of the document.
"""

import json
import re

import schemathesis

# Each kind of reason, with why no schema holds it.
KNOWN_REASONS = [
    # Two fields at once, or the order of two values.
    r"cannot be given together with page",
    r"goes with the period custom only",
    r"must be after valid_from",
    r"must be another entity than the one that is kept",
    r"must be run for the scope run|must be left out for this scope|must be day or month",
    r"does not go with the transport",
    r"needs an address: a public client can do nothing else",
    # What stands in the store, in the settings, or in the rights of the caller.
    r"is not a cursor of this list",
    r"is not a configured model|is not an agent",
    r"is not a tool that you may call",
    r"is not an answer of an agent",
    r"was used before with another request",
    r"does not belong to a sign-in under way",
    r"must be the id of a document",
    r"no user of this tenant|no such (user|agent)",
    r"MCP_ALLOW_STDIO",
    # The calendar and the clock.
    r"must be an IANA time zone",
    r"in the future",
    r"cron",
    # Grammars of other standards, and what a file holds.
    r"must be an http or https address|must not hold white space or backslashes",
    r"must be an? (https? )?(absolute )?address|must be an e-mail address",
    r"must be text without NUL and lone surrogates",
    r"number that cannot be held exactly",
    r"must be a JSON object",
    r"must be JSON (Lines|in UTF-8)",
    r"or their media types",
    # The forms of OAuth (RFC 6749, 5.2) and of the OpenAI-compatible door.
    r"could not decode id_token_hint|the assertion is not an RS256 JWT|client|grant|redirect_uri|post_logout_redirect_uri|token",
    r"messages of tools are not supported",
]
KNOWN = re.compile("|".join(f"(?:{reason})" for reason in KNOWN_REASONS), re.IGNORECASE)


@schemathesis.serializer("application/x-ndjson")
def as_json_lines(ctx, value):
    return value.encode("utf-8", "replace") if isinstance(value, str) else json.dumps(value).encode()


class RefusedWithoutAReason(AssertionError):
    pass


@schemathesis.check
def refused_for_a_known_reason(ctx, response, case):
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return None
    try:
        body = json.loads(response.content)
    except ValueError:
        return None
    error = body.get("error") if isinstance(body, dict) else None
    details = (error if isinstance(error, dict) else body).get("details") or {}
    reasons = [f"{field.get('field')} {field.get('reason')}" for field in details.get("fields", [])]
    if not reasons:
        message = error.get("message") if isinstance(error, dict) else body.get("message")
        reasons = [str(message or body.get("error_description") or "")]
    odd = [reason for reason in reasons if not KNOWN.search(reason)]
    if odd:
        raise RefusedWithoutAReason(f"a request that fits the schema was refused: {odd}")
    return None
