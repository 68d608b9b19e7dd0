"""Where bearer tokens come from. No source shows its token when printed."""

from __future__ import annotations

import base64
import binascii
import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, TypedDict, cast
from urllib.parse import urlencode

from ._core import Plan, Read, Request, Send, TokenContext, checked_token
from ._errors import OAuthError, PentarchError, api_error_from
from ._rsa import RsaKey, parse_private_key, sign_jwt

_REFRESH_BEFORE_S = 60.0
_ASSERTION_LIFE_S = 3600
_JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"


class _TokensNeeded(TypedDict):
    access_token: str
    expires_in: float


class Tokens(_TokensNeeded, total=False):
    refresh_token: str


def _read_tokens(status: int, body: bytes) -> Tokens:
    try:
        value: Any = json.loads(body)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise OAuthError("invalid_response", "the token answer is no JSON", status)
    answer = cast("dict[str, Any]", value)
    if not 200 <= status < 300:
        known = api_error_from(answer, status, None, None)
        if known is not None:
            raise OAuthError(known.code, known.message, status)
        raise OAuthError(str(answer.get("error", "error")), str(answer.get("error_description", "")), status)
    access_token, refresh_token = answer.get("access_token"), answer.get("refresh_token")
    expires_in = answer.get("expires_in")
    if not isinstance(access_token, str):
        raise OAuthError("invalid_response", "the answer has no access_token", status)
    tokens: Tokens = {
        "access_token": access_token,
        "expires_in": float(expires_in) if isinstance(expires_in, (int, float)) else 3600.0,
    }
    if isinstance(refresh_token, str):
        tokens["refresh_token"] = refresh_token
    return tokens


def _post(url: str, body: bytes, content_type: str, timeout: float) -> Plan:
    headers = {"accept": "application/json", "content-type": content_type}
    response: Any = yield Send(Request("POST", url, headers, body, len(body), timeout))
    answer: bytes = yield Read(response)
    return _read_tokens(response.status, answer)


def post_form(url: str, form: dict[str, str], timeout: float) -> Plan:
    return _post(url, urlencode(form).encode(), "application/x-www-form-urlencoded", timeout)


def _post_json(url: str, value: object, timeout: float) -> Plan:
    return _post(url, json.dumps(value).encode(), "application/json", timeout)


@dataclass(repr=False)
class StaticToken:
    """An access token, a personal access token or an API key, as it is. White space around it, such as the line end of
    the file that it was read from, is left out."""

    value: str | None

    def __post_init__(self) -> None:
        self.value = checked_token(None if self.value is None else self.value.strip())

    def steps(self, context: TokenContext) -> Plan:
        return self.value
        yield  # a plan without steps

    def refused(self, token: str) -> bool:
        return False


class Renewed:
    """Keeps tokens until shortly before they expire. The client lets one caller at a time in."""

    def __init__(self, tokens: Tokens | None = None, obtained_at: float | None = None) -> None:
        self._tokens = tokens
        self._obtained_at = time.time() if obtained_at is None else obtained_at
        self._refused: str | None = None

    def _fresh(self, now: float) -> str | None:
        tokens = self._tokens
        if tokens is None or tokens["access_token"] == self._refused:
            return None
        life = tokens["expires_in"]
        # A short-lived token is renewed when a tenth of its life is left.
        spare = min(_REFRESH_BEFORE_S, life / 10)
        return tokens["access_token"] if now < self._obtained_at + life - spare else None

    def steps(self, context: TokenContext) -> Plan:
        known = self._fresh(context.now)
        if known is None:
            tokens: Tokens = yield from self.obtain(context, self._tokens)
            self._tokens, self._obtained_at = tokens, context.now
            known = tokens["access_token"]
        return known

    def refused(self, token: str) -> bool:
        self._refused = token
        return True

    def obtain(self, context: TokenContext, last: Tokens | None) -> Plan:
        raise NotImplementedError


class PasswordLogin(Renewed):
    """E-mail and password at the first call, the refresh token later, the password again where that is refused."""

    def __init__(self, email: str, password: str) -> None:
        super().__init__()
        self._email = email
        self._password = password

    def obtain(self, context: TokenContext, last: Tokens | None) -> Plan:
        base = context.base_url.rstrip("/")
        if last is not None and "refresh_token" in last:
            try:
                body = {"refresh_token": last["refresh_token"]}
                return (yield from _post_json(f"{base}/v2/auth/refresh", body, context.timeout))
            except OAuthError:
                pass
        credentials = {"email": self._email, "password": self._password}
        return (yield from _post_json(f"{base}/v2/auth/login", credentials, context.timeout))


class Refreshing(Renewed):
    """Goes on from a sign-in by authorization code (see `pkce`).

    ``on_tokens`` is called with each new pair: keep the refresh token, since the old one is void and using it again
    ends the session. ``auth_url`` is the identity provider; default the API's own address.
    """

    def __init__(
        self,
        refresh_token: str,
        client_id: str,
        *,
        tokens: Tokens | None = None,
        obtained_at: float | None = None,
        auth_url: str | None = None,
        on_tokens: Callable[[Tokens], None] | None = None,
    ) -> None:
        super().__init__(tokens, obtained_at)
        self._current = refresh_token
        self._client_id = client_id
        self._auth_url = auth_url
        self._on_tokens = on_tokens

    def obtain(self, context: TokenContext, last: Tokens | None) -> Plan:
        issuer = (self._auth_url or context.base_url).rstrip("/")
        form = {
            "grant_type": "refresh_token",
            "refresh_token": self._current,
            "client_id": self._client_id,
        }
        tokens: Tokens = yield from post_form(f"{issuer}/oauth/v2/token", form, context.timeout)
        self._current = tokens.get("refresh_token", self._current)
        if self._on_tokens is not None:
            self._on_tokens({**tokens, "refresh_token": self._current})
        return tokens


@dataclass(frozen=True)
class MachineKey:
    """A machine key as the platform hands it out: its ``keyDetails``, decoded."""

    key_id: str
    user_id: str
    key: RsaKey = field(repr=False)

    @staticmethod
    def parse(text: str) -> MachineKey:
        """The decoded key, or the whole answer with base64 ``keyDetails``."""
        try:
            value: Any = json.loads(text)
            if isinstance(value, dict) and "keyDetails" in value:
                value = json.loads(base64.b64decode(cast("dict[str, str]", value)["keyDetails"]))
        except (ValueError, TypeError, binascii.Error):
            # The text itself is secret: it never goes into a message.
            raise PentarchError("the machine key is no JSON") from None
        if not isinstance(value, dict):
            raise PentarchError("the machine key is no JSON object")
        found = cast("dict[str, Any]", value)
        key_id, key, user_id = found.get("keyId"), found.get("key"), found.get("userId")
        if not (isinstance(key_id, str) and isinstance(key, str) and isinstance(user_id, str)):
            raise PentarchError("the machine key needs keyId, key and userId")
        return MachineKey(key_id, user_id, parse_private_key(key))


class ServiceAccount(Renewed):
    """Signs an assertion with the machine key for each new token (RFC 7523).

    ``key`` is a MachineKey or the text of its file. ``auth_url`` is the identity provider and the audience.
    """

    def __init__(
        self, key: MachineKey | str, *, auth_url: str | None = None, scope: str = "openid profile"
    ) -> None:
        super().__init__()
        self._key = MachineKey.parse(key) if isinstance(key, str) else key
        self._auth_url = auth_url
        self._scope = scope

    def obtain(self, context: TokenContext, last: Tokens | None) -> Plan:
        issuer = (self._auth_url or context.base_url).rstrip("/")
        issued = int(context.now)
        claims = {
            "iss": self._key.user_id,
            "sub": self._key.user_id,
            "aud": issuer,
            "iat": issued,
            "exp": issued + _ASSERTION_LIFE_S,
            "jti": str(uuid.uuid4()),
        }
        assertion = sign_jwt(self._key.key, {"alg": "RS256", "kid": self._key.key_id}, claims)
        form = {"grant_type": _JWT_BEARER, "assertion": assertion, "scope": self._scope}
        return (yield from post_form(f"{issuer}/oauth/v2/token", form, context.timeout))
