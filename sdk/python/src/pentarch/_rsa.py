"""RS256 with the standard library: it signs an assertion now and then, on the caller's own machine.

Python's integers take time that depends on their value, so a key must not be used here where an attacker can measure
many signatures; assertions go out once an hour. The exponent is blinded all the same.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Any

from ._errors import PentarchError

# DigestInfo of SHA-256 (RFC 8017, section 9.2, note 1).
_SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")


@dataclass(frozen=True, repr=False)
class RsaKey:
    n: int
    e: int
    d: int


def _element(data: bytes, at: int) -> tuple[int, bytes, int]:
    """Tag, content and end of the DER element at ``at``."""
    tag, size, at = data[at], data[at + 1], at + 2
    if size & 0x80:
        width = size & 0x7F
        size = int.from_bytes(data[at : at + width], "big")
        at += width
    return tag, data[at : at + size], at + size


def _elements(data: bytes) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    at = 0
    while at < len(data):
        tag, content, at = _element(data, at)
        found.append((tag, content))
    return found


def parse_private_key(pem: str) -> RsaKey:
    """PKCS#8 or PKCS#1 in PEM. The key never goes into an error text."""
    lines = [line.strip() for line in pem.strip().splitlines()]
    try:
        if not lines or "PRIVATE KEY" not in lines[0]:
            raise ValueError
        der = base64.b64decode("".join(line for line in lines if not line.startswith("-----")))
        parts = _elements(_element(der, 0)[1])
        if "RSA" not in lines[0]:
            # PrivateKeyInfo (RFC 5208): version, algorithm, octets with the PKCS#1 key.
            parts = _elements(_element(parts[2][1], 0)[1])
        n, e, d = (int.from_bytes(content, "big") for _, content in parts[1:4])
        return RsaKey(n, e, d)
    except (ValueError, IndexError):
        raise PentarchError("the machine key holds no RSA private key in PEM") from None


def sign_rs256(key: RsaKey, message: bytes) -> bytes:
    """RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 8.2)."""
    size = (key.n.bit_length() + 7) // 8
    digest = _SHA256_PREFIX + hashlib.sha256(message).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    value = int.from_bytes(padded, "big")
    blind = secrets.randbelow(key.n - 2) + 2
    blinded = value * pow(blind, key.e, key.n) % key.n
    signature = pow(blinded, key.d, key.n) * pow(blind, -1, key.n) % key.n
    if pow(signature, key.e, key.n) != value:
        raise PentarchError("the machine key does not fit itself")
    return signature.to_bytes(size, "big")


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign_jwt(key: RsaKey, header: dict[str, Any], claims: dict[str, Any]) -> str:
    """A compact JWS (RFC 7515)."""
    content = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    return f"{content}.{base64url(sign_rs256(key, content.encode()))}"
