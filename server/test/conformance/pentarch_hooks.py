"""
What schemathesis is told about this API: a request that fits the schema may be refused all the same, but only for one of
the reasons below, which JSON Schema cannot say. Any other refusal of a valid request is a fault of the document.
"""

import json
import re

import schemathesis

# Each kind of reason, with why no schema holds it.
KNOWN_REASONS = [
    # Two fields at once, what one asks of another, or the order of two values.
    r"cannot be given together with page|must be given once|must be empty",
    r"goes with the period custom only|is required for the period custom|must be at most 400 days before to",
    r"^/(url|command|from|to|file|subject|title|content|roles) is required",
    r'(does not go|goes) with "store": false|false keeps no answer to repeat',
    r"must stand with the visibility role only|the last message must be of the role user|must answer a call of the assistant message before it",
    r"must be after (valid_from|from)",
    r"must be another entity than|must belong to the same owner|must not belong to another user|between two shared entities",
    r"must be run for the scope run|must be left out for this scope|must be day or month",
    r"does not go with the transport|is set by the platform",
    r"needs an address: a public client|is for confidential clients|needs client_id and client_secret",
    r"names another agent than the path|is not for service accounts",
    r'^response_format must be \{"type": "text"|tool_choice must be of type auto, any, tool or none|a tool must be \{"name"',
    # What stands in the store, in the settings, or in the rights of the caller.
    r"nothing has been said yet|^/expires_at (has passed|must be within)",
    r"there is no such response of yours|is no indexed document of yours|is no picture of this conversation|hold a picture, and|messages hold a picture",
    r"is not a cursor of this list",
    r"dimensions and no others|names a limit that stands in this list already",
    r"is not a configured model|must be a model of a provider|is not an agent|must be one of ",
    r"is not what the browser was shown|is not a tool that you may call|is not an answer of an agent|must be the id of a document",
    r"was used before with another request|does not belong to a sign-in under way|is wrong",
    r"names no tenant|names no user|(no|not a) user of this tenant|is reserved",
    r"MCP_ALLOW_STDIO|is not allowed: it can change",
    # The calendar and the clock.
    r"must be an IANA time zone|in the future|never comes due|cron",
    r"must be an ISO 8601 time or date|must be a valid date-time|must be KEY_TYPE_JSON",
    # Grammars of other standards: addresses, names of headers and variables, keys; and what a file holds.
    r"must be an? (https? or https |http or https |https |absolute )?address|is no e-mail address|has no valid host",
    r"must not (hold white space|hold a (user )?name|have a fragment|have a wildcard|point to a loopback|use port 0)",
    r"is not a name of a (header|variable)|must have 1 to 40 of a-z|has a weak exponent",
    r"must be (text without|text\b|UTF-8|valid JSON|JSON|a JSON object|an object|a list|a complete multipart|one file|a file)",
    r"number that cannot be held exactly|must not have a key __proto__",
    r"must not be (blank|empty|larger|nested)|must hold one text|must (have|be) at most|must have at least|is too long",
    r"or their media types|files of type .* cannot be read|holds no conversations|cannot be read|could not be read",
    r"is (broken|empty|encrypted)|no text",
    r"must have one of document_id|goes with image; others|is no base64|must be a data: URL|is neither PNG|images (must|are not|of the role)|the image ",
    # The forms of OAuth (RFC 6749, 5.2) and of the OpenAI-compatible door.
    r"could not decode id_token_hint|the assertion|client|grant|redirect_uri|token|authorization header",
    r"(is|are) (not )?supported|must be 1: an agent gives one answer|unsupported|does not exist",
]
KNOWN = re.compile("|".join(f"(?:{reason})" for reason in KNOWN_REASONS), re.IGNORECASE)


# Longer texts than the generator can make, which then makes something else and calls it valid; suites of our own hold them.
LONGEST_MADE = 32_768


@schemathesis.hook
def before_load_schema(context, raw_schema):
    todo = [raw_schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if isinstance(node.get("maxLength"), int) and node["maxLength"] > LONGEST_MADE:
                del node["maxLength"]
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)


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
