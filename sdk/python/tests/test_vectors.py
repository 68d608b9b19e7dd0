"""The vectors of sdk/vectors, on both clients."""

from __future__ import annotations

import asyncio
import hashlib
import json
import traceback
import unittest
from dataclasses import asdict
from typing import Any, Callable

from pentarch import (
    ApiError,
    AsyncClient,
    Client,
    ConnectionFailedError,
    LogEntry,
    OAuthError,
    PasswordLogin,
    PentarchError,
    ProtocolError,
    SseParser,
    ValidationError,
    WebhookVerificationError,
    verify_webhook,
)
from pentarch._core import NOT_GIVEN, Call, Plan, TokenContext
from pentarch._errors import api_error_from, error_of_answer
from pentarch._http import next_query_of
from pentarch._retry import may_retry, retry_after_of, wait_seconds
from pentarch._websocket import FrameError, FrameReader, Message, accept_of, encode_frame
from pentarch.pkce import challenge_of

from .played import AsyncPlayedTransport, Play, PlayedTransport, body_of, read_vectors, target_of


class FixedSource:
    def __init__(self, token: str) -> None:
        self.token = token

    def steps(self, context: TokenContext) -> Plan:
        return self.token
        yield  # a plan without steps

    def refused(self, token: str) -> bool:
        return False


class Vectors(unittest.TestCase):
    def check_error(self, error: PentarchError | None, expected: dict[str, Any]) -> None:
        if expected["kind"] == "connection":
            self.assertIsInstance(error, ConnectionFailedError)
            return
        if expected["kind"] == "protocol":
            self.assertIsInstance(error, ProtocolError)
            return
        if expected["kind"] == "oauth":
            assert isinstance(error, OAuthError), error
            self.assertEqual((error.status, error.code), (expected["status"], expected["code"]))
            return
        assert isinstance(error, ApiError), error
        self.assertEqual((error.status, error.code), (expected["status"], expected["code"]))
        self.assertEqual(error.request_id, expected["requestId"])
        if "retryAfterS" in expected:
            self.assertEqual(error.retry_after, expected["retryAfterS"])

    def test_frames_written(self) -> None:
        vectors = read_vectors("frames.json")
        mask = bytes.fromhex(vectors["mask"])
        for case in vectors["encode"]:
            with self.subTest(case["name"]):
                if "payload" in case:
                    frame = encode_frame(case["opcode"], bytes.fromhex(case["payload"]), mask)
                    self.assertEqual(frame.hex(), case["frame"])
                else:
                    payload = bytes.fromhex(case["repeat"]["byte"]) * case["repeat"]["times"]
                    frame = encode_frame(case["opcode"], payload, mask)
                    self.assertEqual(hashlib.sha256(frame).hexdigest(), case["sha256"])
        for case in vectors["accept"]:
            self.assertEqual(accept_of(case["key"]), case["accept"])

    def test_frames_read(self) -> None:
        kinds = {1: "text", 2: "binary", 8: "close", 9: "ping", 10: "pong"}

        def shown(message: Message) -> dict[str, Any]:
            kind = kinds[message.opcode]
            data = message.payload.decode() if kind == "text" else message.payload.hex()
            more = {"code": message.code} if kind == "close" else {}
            return {"type": kind, "data": data, **more}

        for case in read_vectors("frames.json")["decode"]:
            whole = bytes.fromhex(case["bytes"])
            for cuts in ([whole], [whole[n : n + 1] for n in range(len(whole))]):
                with self.subTest(case["name"], pieces=len(cuts)):
                    reader = FrameReader()
                    seen: list[dict[str, Any]] = []
                    error: int | None = None
                    try:
                        for piece in cuts:
                            seen.extend(shown(message) for message in reader.push(piece))
                    except FrameError as failed:
                        error = failed.code
                    self.assertEqual((seen, error), (case["messages"], case["error"]))

    def test_retries(self) -> None:
        vectors = read_vectors("retries.json")
        for case in vectors["may"]:
            with self.subTest(**case):
                may = may_retry(
                    case["method"],
                    case["status"],
                    ours=case["ours"],
                    after_lost_answer=case["afterLostAnswer"],
                    retry_after=case["retryAfterS"],
                )
                self.assertEqual(may, case["expect"])
        for case in vectors["waits"]:
            with self.subTest(**case):
                waited = wait_seconds(case["attempt"], case["retryAfterS"], case["random"])
                self.assertEqual(waited * 1000, case["expectMs"])
        for case in vectors["retryAfter"]:
            with self.subTest(**case):
                self.assertEqual(retry_after_of(case["header"], case["nowMs"] / 1000), case["expectS"])

    def test_errors(self) -> None:
        classes: dict[str, type[ApiError]] = {}
        for case in read_vectors("errors.json")["cases"]:
            with self.subTest(case["name"]):
                error = error_of_answer(case["status"], case["body"], case["requestId"], None)
                expected = case["expect"]
                self.assertEqual(
                    (error.status, error.code, error.reason, error.message, error.details, error.request_id),
                    tuple(expected[name] for name in ("status", "code", "reason", "message", "details", "requestId")),
                )
                if "fields" in expected:
                    assert isinstance(error, ValidationError)
                    self.assertEqual([asdict(one) for one in error.fields], expected["fields"])
                classes[error.code] = type(error)
        del classes["LEGAL"]
        self.assertEqual(len(set(classes.values())), len(classes))
        self.assertNotIn(ApiError, classes.values())
        self.assertIsNone(api_error_from({"error": "x"}, 400, None, None))

    def test_streams(self) -> None:
        for case in read_vectors("streams.json")["cases"]:
            data: bytes = case["text"].encode()

            def read(*parts: bytes) -> list[dict[str, Any]]:
                parser = SseParser()
                return [asdict(event) for part in parts for event in parser.push(part)]

            with self.subTest(case["name"]):
                self.assertEqual(read(data), case["events"])
                self.assertEqual(read(*(data[at : at + 1] for at in range(len(data)))), case["events"])
                for at in range(len(data) + 1):
                    self.assertEqual(read(data[:at], data[at:]), case["events"], f"cut at {at}")

    def test_webhooks(self) -> None:
        for case in read_vectors("webhooks.json")["cases"]:
            for body in (case["body"], case["body"].encode()):
                with self.subTest(case["name"]):
                    try:
                        parsed = json.loads(case["body"])
                    except ValueError:
                        parsed = None

                    def verify() -> Any:
                        return verify_webhook(
                            secret=case["secrets"],
                            headers=case["headers"],
                            body=body,
                            now=lambda: case["nowS"],
                        )

                    if case["signatureValid"] and parsed is not None:
                        self.assertEqual(verify(), parsed)
                        continue
                    with self.assertRaises(WebhookVerificationError) as caught:
                        verify()
                    self.assertEqual("no JSON" in str(caught.exception), case["signatureValid"])

    def test_pkce_and_links(self) -> None:
        for case in read_vectors("pkce.json")["cases"]:
            self.assertEqual(challenge_of(case["verifier"]), case["challenge"])
        for case in read_vectors("links.json")["cases"]:
            with self.subTest(case["header"]):
                self.assertEqual(next_query_of(case["header"]), case["expect"])

    def check_exchange(
        self, case: dict[str, Any], play: Play, result: Any, error: PentarchError | None, told: list[LogEntry]
    ) -> None:
        expected = case["expect"]
        token: str | None = case["token"]
        if expected["error"] is None:
            self.assertIsNone(error)
            self.assertEqual(result, {"ok": True})
        else:
            self.check_error(error, expected["error"])
        if token is not None and error is not None:
            shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
            if not isinstance(error, ApiError):
                self.assertNotIn(token, shown)
            else:
                self.assertNotIn(token, f"{error!r} {error} {error.details}")
        self.assertEqual(
            [(request.method, target_of(request)) for request in play.requests],
            [(one["method"], one["target"]) for one in expected["requests"]],
        )
        for request, one in zip(play.requests, expected["requests"]):
            self.assertEqual(body_of(request), one.get("json"))
            self.assertEqual(request.headers.get("content-type"), "application/json" if "json" in one else None)
            self.assertEqual(request.headers.get("authorization"), token and f"Bearer {token}")
        keys = {request.headers.get("idempotency-key") for request in play.requests}
        self.assertEqual(len(keys), 1)
        self.assertEqual(None in keys, case["call"]["method"] != "POST" or not expected.get("keyed", True))
        self.assertEqual(play.waits_ms, expected["waitsMs"])
        self.assertEqual(len(told), len(play.requests))
        if token is not None:
            self.assertNotIn(token, repr(told) + repr(play.requests))

    def refused(self, work: Callable[[], Any]) -> None:
        with self.assertRaises(PentarchError) as raised:
            work()
        error = raised.exception
        self.assertNotIsInstance(error, ConnectionFailedError)
        self.assertNotIn("secret", f"{error} {error!r} {error.__dict__}")

    def test_inputs(self) -> None:
        vectors = read_vectors("inputs.json")
        answer = {"status": 200, "headers": {"x-api-version": "2.0.0"}, "body": '{"ok":true}'}
        agents = Call("GET", "/api/v1/agents")

        def played(answers: list[dict[str, Any]], auth: Any) -> tuple[Play, Client]:
            play = Play(answers)
            return play, Client("http://api.invalid", auth=auth, transport=PlayedTransport(play))

        for base in vectors["baseUrls"]["taken"]:
            Client(base).close()
        for base in ["", *vectors["baseUrls"]["refused"]]:
            with self.subTest(base):
                self.refused(lambda: Client(base))
                self.refused(lambda: AsyncClient(base))
        for case in vectors["tokens"]["sent"]:
            play, client = played([answer], case["given"])
            client.http.json(agents)
            self.assertEqual(play.requests[0].headers["authorization"], f"Bearer {case['as']}")
        for token in ["", " \n", *vectors["tokens"]["refused"]]:
            with self.subTest(token):
                self.refused(lambda: played([], token))
                play, client = played([], FixedSource(token))
                self.refused(lambda: client.http.json(agents))
                self.assertEqual(play.requests, [])
        for path in vectors["paths"]["refused"]:
            play, client = played([], None)
            self.refused(lambda: client.http.json(Call("GET", path)))
            self.assertEqual(play.requests, [])

    def test_exchanges(self) -> None:
        for case in read_vectors("exchanges.json")["cases"]:
            with self.subTest(case["name"], client="blocking"):
                play = Play(list(case["answers"]))
                told: list[LogEntry] = []
                client = Client(
                    "http://api.invalid",
                    auth=case["token"],
                    surface=case["surface"],
                    max_retries=case["maxRetries"],
                    transport=PlayedTransport(play),
                    sleep=play.sleep,
                    random=lambda: 0,
                    log=told.append,
                )
                result, error = None, None
                try:
                    result = client.http.json(Call(**case["call"]))
                except PentarchError as raised:
                    error = raised
                self.check_exchange(case, play, result, error, told)
            with self.subTest(case["name"], client="asyncio"):
                asyncio.run(self.async_exchange(case))

    async def async_exchange(self, case: dict[str, Any]) -> None:
        play = Play(list(case["answers"]))
        told: list[LogEntry] = []
        client = AsyncClient(
            "http://api.invalid",
            auth=case["token"],
            surface=case["surface"],
            max_retries=case["maxRetries"],
            transport=AsyncPlayedTransport(play),
            sleep=play.async_sleep,
            random=lambda: 0,
            log=told.append,
        )
        result, error = None, None
        try:
            result = await client.http.json(Call(**case["call"]))
        except PentarchError as raised:
            error = raised
        self.check_exchange(case, play, result, error, told)

    def check_step(self, step: dict[str, Any], play: Play, result: Any, error: PentarchError | None) -> None:
        if step["error"] is None:
            self.assertIsNone(error)
            self.assertEqual(result, {"ok": True})
        else:
            self.check_error(error, step["error"])
            self.assertNotRegex(f"{error!r} {error} {vars(error)}", "at-|rt-|pw-")
        self.assertEqual(
            [
                {
                    "method": request.method,
                    "target": target_of(request),
                    "json": body_of(request),
                    "authorization": request.headers.get("authorization"),
                }
                for request in play.requests
            ],
            step["requests"],
        )
        play.requests.clear()

    def test_tokens(self) -> None:
        for case in read_vectors("tokens.json")["cases"]:
            with self.subTest(case["name"], client="blocking"):
                now = [0.0]
                play = Play([answer for step in case["steps"] for answer in step["answers"]])
                client = Client(
                    "http://api.invalid",
                    auth=PasswordLogin("a@b.test", "pw-secret"),
                    transport=PlayedTransport(play),
                    now=lambda: now[0],
                )
                for step in case["steps"]:
                    now[0] = step["nowS"]
                    result, error = None, None
                    try:
                        result = client.http.json(Call("GET", "/api/v1/agents"))
                    except PentarchError as raised:
                        error = raised
                    self.check_step(step, play, result, error)
            with self.subTest(case["name"], client="asyncio"):
                asyncio.run(self.async_tokens(case))

    async def async_tokens(self, case: dict[str, Any]) -> None:
        now = [0.0]
        play = Play([answer for step in case["steps"] for answer in step["answers"]])
        client = AsyncClient(
            "http://api.invalid",
            auth=PasswordLogin("a@b.test", "pw-secret"),
            transport=AsyncPlayedTransport(play),
            now=lambda: now[0],
        )
        for step in case["steps"]:
            now[0] = step["nowS"]
            result, error = None, None
            try:
                result = await client.http.json(Call("GET", "/api/v1/agents"))
            except PentarchError as raised:
                error = raised
            self.check_step(step, play, result, error)

    def check_chat(
        self, case: dict[str, Any], play: Play, seen: list[tuple[str, str, Any]], error: PentarchError | None
    ) -> None:
        expected = case["expect"]
        if expected["error"] is None:
            self.assertIsNone(error)
        else:
            self.check_error(error, expected["error"])
        self.assertEqual([identity for identity, _, _ in seen], expected["ids"])
        if expected["text"] is not None:
            text = "".join(data["content"] for _, event, data in seen if event == "message.delta")
            self.assertEqual(text, expected["text"])
        self.assertEqual(
            [
                {
                    "method": request.method,
                    "target": target_of(request),
                    "lastEventId": request.headers.get("last-event-id"),
                }
                for request in play.requests
            ],
            expected["requests"],
        )
        posts = [request for request in play.requests if request.method == "POST"]
        keys = {request.headers.get("idempotency-key") for request in posts}
        self.assertEqual(len(keys), 1)
        self.assertEqual(None in keys, not case.get("store", True))
        self.assertEqual(play.waits_ms, expected["waitsMs"])

    def test_chats(self) -> None:
        for case in read_vectors("chats.json")["cases"]:
            with self.subTest(case["name"], client="blocking"):
                play = Play(list(case["answers"]))
                client = Client(
                    "http://api.invalid", transport=PlayedTransport(play), sleep=play.sleep, random=lambda: 0
                )
                seen: list[tuple[str, str, Any]] = []
                error: PentarchError | None = None
                try:
                    for event in client.chat.stream(message="Hi", store=case.get("store", NOT_GIVEN)):
                        seen.append((event.id, event.event, event.data))
                except PentarchError as raised:
                    error = raised
                self.check_chat(case, play, seen, error)
            with self.subTest(case["name"], client="asyncio"):
                asyncio.run(self.async_chat(case))

    async def async_chat(self, case: dict[str, Any]) -> None:
        play = Play(list(case["answers"]))
        client = AsyncClient(
            "http://api.invalid", transport=AsyncPlayedTransport(play), sleep=play.async_sleep, random=lambda: 0
        )
        seen: list[tuple[str, str, Any]] = []
        error: PentarchError | None = None
        try:
            async for event in client.chat.stream(message="Hi", store=case.get("store", NOT_GIVEN)):
                seen.append((event.id, event.event, event.data))
        except PentarchError as raised:
            error = raised
        self.check_chat(case, play, seen, error)


if __name__ == "__main__":
    unittest.main()
