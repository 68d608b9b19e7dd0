"""Frames of a WebSocket client (RFC 6455) without input or output. Pinned by sdk/vectors/frames.json."""

from __future__ import annotations

import base64
import hashlib
import struct
from dataclasses import dataclass
from typing import Iterator
from urllib.parse import urlsplit

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NORMAL, PROTOCOL_ERROR, ABNORMAL, BAD_TEXT, TOO_BIG = 1000, 1002, 1006, 1007, 1009
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_MAX_CONTROL_BYTES = 125
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_HEAD_LIMIT = 65_536


class FrameError(Exception):
    """What came is no WebSocket; ``code`` is the close code to answer with."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True)
class Message:
    """A whole message, or a control frame. ``code`` belongs to a close; 1005 where it named none."""

    opcode: int
    payload: bytes
    code: int = 0


def accept_of(key: str) -> str:
    """What a server answers to a key (section 4.2.2)."""
    return base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()


def _masked(payload: bytes, mask: bytes) -> bytes:
    if not payload:
        return b""
    repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
    value = int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")
    return value.to_bytes(len(payload), "big")


def encode_frame(opcode: int, payload: bytes, mask: bytes) -> bytes:
    """One whole frame of a client, which is always masked (section 5.3)."""
    length = len(payload)
    head = bytes([0x80 | opcode])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 65_536:
        head += bytes([0x80 | 126]) + struct.pack("!H", length)
    else:
        head += bytes([0x80 | 127]) + struct.pack("!Q", length)
    return head + mask + _masked(payload, mask)


def close_payload(code: int) -> bytes:
    return struct.pack("!H", code)


def _close_of(payload: bytes) -> Message:
    """Section 7.4: codes that may travel."""
    if not payload:
        return Message(CLOSE, b"", 1005)
    if len(payload) == 1:
        raise FrameError(PROTOCOL_ERROR, "a close code of one byte")
    (code,) = struct.unpack("!H", payload[:2])
    if not (1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999):
        raise FrameError(PROTOCOL_ERROR, f"close code {code}")
    try:
        payload[2:].decode()
    except UnicodeDecodeError:
        raise FrameError(BAD_TEXT, "a close reason that is no UTF-8") from None
    return Message(CLOSE, payload[2:], code)


class FrameReader:
    """Takes bytes as they come; a frame may come in any number of pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._opcode = 0
        self._parts: list[bytes] = []

    def push(self, data: bytes) -> Iterator[Message]:
        self._buffer += data
        while (frame := self._frame()) is not None:
            message = self._message(*frame)
            if message is not None:
                yield message

    def _frame(self) -> tuple[bool, int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        final, opcode = bool(buffer[0] & 0x80), buffer[0] & 0x0F
        if buffer[0] & 0x70:
            raise FrameError(PROTOCOL_ERROR, "a reserved bit is set")
        if buffer[1] & 0x80:
            raise FrameError(PROTOCOL_ERROR, "a server does not mask")
        if opcode not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG):
            raise FrameError(PROTOCOL_ERROR, f"opcode {opcode}")
        length, at = buffer[1], 2
        if opcode >= CLOSE and (not final or length > _MAX_CONTROL_BYTES):
            raise FrameError(PROTOCOL_ERROR, "a control frame that is long or in parts")
        for mark, size in ((126, 2), (127, 8)):
            if length == mark and at == 2:
                if len(buffer) < 2 + size:
                    return None
                length, at = int.from_bytes(buffer[2 : 2 + size], "big"), 2 + size
        if length + sum(map(len, self._parts)) > MAX_MESSAGE_BYTES:
            raise FrameError(TOO_BIG, "the message is too big")
        if len(buffer) < at + length:
            return None
        payload = bytes(buffer[at : at + length])
        del buffer[: at + length]
        return final, opcode, payload

    def _message(self, final: bool, opcode: int, payload: bytes) -> Message | None:
        if opcode == CLOSE:
            return _close_of(payload)
        if opcode in (PING, PONG):
            return Message(opcode, payload)
        if (opcode == CONTINUATION) != bool(self._opcode):
            raise FrameError(PROTOCOL_ERROR, "a continuation out of place")
        if opcode != CONTINUATION:
            self._opcode = opcode
        self._parts.append(payload)
        if not final:
            return None
        kind, whole = self._opcode, b"".join(self._parts)
        self._opcode, self._parts = 0, []
        if kind == TEXT:
            try:
                whole.decode()
            except UnicodeDecodeError:
                raise FrameError(BAD_TEXT, "a text that is no UTF-8") from None
        return Message(kind, whole)


def handshake_of(url: str, key: str, headers: dict[str, str]) -> bytes:
    """The opening request (section 4.1)."""
    parts = urlsplit(url)
    lines = [
        f"GET {parts.path or '/'} HTTP/1.1",
        f"host: {parts.netloc}",
        "upgrade: websocket",
        "connection: Upgrade",
        f"sec-websocket-key: {key}",
        "sec-websocket-version: 13",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Handshake:
    """Reads the answer to the opening request."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._buffer = b""

    def push(self, data: bytes) -> bytes | None:
        """What came behind the head; None while it is not whole. Raises FrameError for a refusal, its HTTP status as
        the code."""
        self._buffer += data
        head, end, rest = self._buffer.partition(b"\r\n\r\n")
        if not end:
            if len(self._buffer) > _HEAD_LIMIT:
                raise FrameError(PROTOCOL_ERROR, "the answer has no end")
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) < 2 or not words[1].isdigit():
            raise FrameError(PROTOCOL_ERROR, "the answer is no HTTP")
        if words[1] != "101":
            raise FrameError(int(words[1]), f"the upgrade was answered with {words[1]}")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if headers.get("sec-websocket-accept") != accept_of(self._key):
            raise FrameError(PROTOCOL_ERROR, "the answer belongs to another request")
        return rest
