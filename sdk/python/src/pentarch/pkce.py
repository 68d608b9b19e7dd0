"""Sign-in of a person by authorization code with PKCE (RFC 7636, S256)."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlencode

from ._auth import StaticToken, Tokens, post_form
from ._core import Settings
from ._http import Http
from ._rsa import base64url
from ._transport import HttpTransport, Transport


@dataclass(frozen=True)
class Pkce:
    """Keep ``verifier`` until the code comes back; compare ``state`` with the one that comes back."""

    verifier: str = field(repr=False)
    challenge: str
    state: str


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a verifier (RFC 7636, section 4.2)."""
    return base64url(hashlib.sha256(verifier.encode("ascii")).digest())


def create_pkce() -> Pkce:
    verifier = secrets.token_urlsafe(32)
    return Pkce(verifier, challenge_of(verifier), secrets.token_urlsafe(16))


def authorize_url(
    auth_url: str,
    *,
    client_id: str,
    redirect_uri: str,
    pkce: Pkce,
    scope: str = "openid profile email offline_access",
) -> str:
    """Where to send the browser; ``offline_access`` asks for a refresh token."""
    query = {
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": scope,
        "state": pkce.state,
        "code_challenge": pkce.challenge,
        "code_challenge_method": "S256",
    }
    return f"{auth_url.rstrip('/')}/oauth/v2/authorize?{urlencode(query)}"


def exchange_code(
    auth_url: str,
    *,
    client_id: str,
    redirect_uri: str,
    code: str,
    verifier: str,
    timeout: float = 30,
    transport: Transport | None = None,
) -> Tokens:
    """Changes the code that came back into tokens; hand them to ``Refreshing``."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "client_id": client_id,
        "code_verifier": verifier,
    }
    http = Http(Settings(auth_url, StaticToken(None)), transport or HttpTransport())
    try:
        url = f"{auth_url.rstrip('/')}/oauth/v2/token"
        return cast(Tokens, http.run(post_form(url, form, timeout)))
    finally:
        if transport is None:
            http.transport.close()
