"""Proxies of the environment (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY), which http.client and asyncio do not look at."""

from __future__ import annotations

import base64
import ipaddress
import socket
from dataclasses import dataclass, field
from typing import Mapping
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment

from ._errors import PentarchError

_HEAD_LIMIT = 65_536


@dataclass(frozen=True)
class Proxy:
    host: str
    port: int
    headers: Mapping[str, str] = field(repr=False)


def proxies_of_environment() -> dict[str, str]:
    """By scheme, and ``no`` for those that are reached without one."""
    return dict(getproxies_environment())


def _loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _bypassed(name: str, port: int, left_out: str) -> bool:
    """``NO_PROXY``: names with everything below them, with a port where only that is meant; ``*`` is all. This computer
    itself is never behind a proxy."""
    if _loopback(name):
        return True
    for entry in (part.strip().lower() for part in left_out.split(",")):
        host, _, only = entry.partition(":") if entry.count(":") == 1 else (entry.strip("[]"), "", "")
        host = host.lstrip(".")
        if host == "*":
            return True
        if host and (name == host or name.endswith(f".{host}")) and only in ("", str(port)):
            return True
    return False


def proxy_for(proxies: Mapping[str, str], scheme: str, name: str, port: int) -> Proxy | None:
    """None where the host is reached directly. Errors do not show the proxy's password."""
    url = proxies.get(scheme) or proxies.get("all")
    if not url or _bypassed(name.lower(), port, proxies.get("no", "")):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        usable = parts.scheme == "http" and bool(parts.hostname)
        proxy_port = parts.port or 80
    except ValueError:
        usable, proxy_port = False, 0
    if not usable or parts.hostname is None:
        raise PentarchError(f"the proxy for {scheme} must be an address that starts with http:// and names a host")
    headers: dict[str, str] = {}
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return Proxy(parts.hostname, proxy_port, headers)


def open_tunnel(proxy: Proxy, name: str, port: int, timeout: float) -> socket.socket:
    """A connection through the proxy (RFC 9110, 9.3.6). Raises OSError where it refuses."""
    authority = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
    lines += [f"{key}: {value}" for key, value in proxy.headers.items()]
    sock = socket.create_connection((proxy.host, proxy.port), timeout=timeout)
    try:
        sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            # One by one: what follows the head belongs to the other end.
            byte = sock.recv(1)
            if not byte or len(head) > _HEAD_LIMIT:
                raise ConnectionError("the proxy gave no answer")
            head += byte
        words = head.split(b"\r\n", 1)[0].split()
        if len(words) < 2 or not words[1].startswith(b"2"):
            raise ConnectionError(f"the proxy answered {words[1].decode('latin-1') if len(words) > 1 else 'nothing'}")
    except BaseException:
        sock.close()
        raise
    return sock
