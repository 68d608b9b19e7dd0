"""Copies of a client with other options, and which hosts are reached through a proxy."""

from __future__ import annotations

import asyncio
import json
import unittest
from typing import Any
from unittest.mock import patch

from pentarch import AsyncClient, AsyncioTransport, Client, HttpTransport, PasswordLogin, PentarchError, ServiceUnavailableError
from pentarch._proxy import proxy_for

from tests.played import AsyncPlayedTransport, Play, PlayedTransport, target_of

_HEALTH: dict[str, Any] = {"body": json.dumps({"status": "ok", "version": "2.0.0", "uptime_s": 1})}
_BUSY: dict[str, Any] = {"status": 503, "headers": {"x-api-version": "v1"}, "body": "{}"}


class Options(unittest.TestCase):
    def test_copies_with_other_options(self) -> None:
        play = Play([_BUSY, _HEALTH, _HEALTH, _BUSY])
        client = Client(
            "http://api.invalid", auth="ptk_one", max_retries=0, headers={"x-a": "1"}, transport=PlayedTransport(play), sleep=play.sleep
        )
        copied = client.with_options(base_url="http://other.invalid/base").with_options(
            max_retries=1, headers={"x-b": "2"}, surface="v2", timeout=5
        )
        self.assertEqual(copied.system.health().status, "ok")
        self.assertEqual(client.system.health().version, "2.0.0")
        with self.assertRaises(ServiceUnavailableError):
            client.system.health()
        self.assertEqual(target_of(play.requests[1]), "/base/health")
        self.assertEqual(play.requests[1].timeout, 5)
        self.assertEqual(play.requests[2].timeout, 60)
        sent = play.requests[1].headers
        self.assertEqual((sent["authorization"], sent["x-a"], sent["x-b"]), ("Bearer ptk_one", "1", "2"))
        self.assertNotIn("x-b", play.requests[2].headers)
        with self.assertRaises(PentarchError):
            client.with_options(base_url="ftp://x")

    def test_shares_tokens_with_a_copy(self) -> None:
        tokens: dict[str, Any] = {"body": json.dumps({"access_token": "t1", "expires_in": 3600})}
        play = Play([tokens, _HEALTH, _HEALTH])
        client = Client("http://api.invalid", auth=PasswordLogin("a@b.test", "secret"), transport=PlayedTransport(play))
        client.system.health()
        client.with_options(timeout=1).system.health()
        self.assertEqual([target_of(request) for request in play.requests], ["/v2/auth/login", "/health", "/health"])

    def test_asyncio(self) -> None:
        async def work() -> None:
            play = Play([_BUSY, _HEALTH])
            client = AsyncClient("http://api.invalid", max_retries=0, transport=AsyncPlayedTransport(play), sleep=play.async_sleep)
            self.assertEqual((await client.with_options(max_retries=1).system.health()).status, "ok")

        asyncio.run(work())


class Proxies(unittest.TestCase):
    def test_hosts_behind_a_proxy(self) -> None:
        proxies = {"http": "http://user:p%40ss@proxy.test:3128", "no": "inside.test, .lan,ported.test:8080"}
        found = proxy_for(proxies, "http", "api.test", 80)
        assert found is not None
        self.assertEqual((found.host, found.port), ("proxy.test", 3128))
        self.assertEqual(found.headers, {"Proxy-Authorization": "Basic dXNlcjpwQHNz"})
        self.assertNotIn("dXNlcjpwQHNz", repr(found))
        for name, port in [("inside.test", 80), ("deep.inside.test", 80), ("a.lan", 80), ("ported.test", 8080)]:
            self.assertIsNone(proxy_for(proxies, "http", name, port), name)
        for name, port in [("notinside.test", 80), ("ported.test", 80)]:
            self.assertIsNotNone(proxy_for(proxies, "http", name, port), name)
        for name in ("localhost", "127.0.0.1", "::1"):
            self.assertIsNone(proxy_for(proxies, "http", name, 80), name)
        self.assertIsNone(proxy_for(proxies, "https", "api.test", 443))
        self.assertIsNone(proxy_for({**proxies, "no": "*"}, "http", "api.test", 80))
        self.assertIsNotNone(proxy_for({"all": "proxy.test:1"}, "https", "api.test", 443))
        with self.assertRaises(PentarchError) as caught:
            proxy_for({"http": "socks5://user:hidden@proxy.test"}, "http", "api.test", 80)
        self.assertNotIn("hidden", str(caught.exception))

    def test_transports_take_them_from_the_environment(self) -> None:
        with patch.dict("os.environ", {"HTTPS_PROXY": "http://proxy.test:1", "NO_PROXY": "a.test"}, clear=True):
            for transport in (HttpTransport(), AsyncioTransport()):
                self.assertEqual(transport.proxies, {"https": "http://proxy.test:1", "no": "a.test"})
        self.assertEqual(HttpTransport(proxies={}).proxies, {})
