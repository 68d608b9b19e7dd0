"""Upload of a file as multipart/form-data (RFC 7578), with progress."""

from __future__ import annotations

import json
import mimetypes
import os
import uuid
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

from ._core import Call, Raw

_PIECE = 65_536
Progress = Callable[[int, int], None]


def _quoted(text: str) -> str:
    """As browsers write it (WHATWG HTML, multipart/form-data encoding)."""
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


def multipart(
    file: bytes | Path,
    filename: str,
    content_type: str,
    fields: Mapping[str, str],
    boundary: str,
    on_progress: Progress | None = None,
) -> Raw:
    """The fields, then the file. A path is read again for each try, never held whole."""
    head = b""
    for name, value in fields.items():
        head += f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"\r\n\r\n{value}\r\n'.encode()
    head += (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{_quoted(filename)}"\r\n'
        f"Content-Type: {content_type}\r\n\r\n"
    ).encode()
    tail = f"\r\n--{boundary}--\r\n".encode()
    length = len(file) if isinstance(file, bytes) else os.stat(file).st_size
    total = len(head) + length + len(tail)

    def pieces() -> Iterator[bytes]:
        yield head
        if isinstance(file, bytes):
            for at in range(0, len(file), _PIECE):
                yield file[at : at + _PIECE]
        else:
            with open(file, "rb") as stream:
                while piece := stream.read(_PIECE):
                    yield piece
        yield tail

    def counted() -> Iterator[bytes]:
        sent = 0
        for piece in pieces():
            yield piece
            sent += len(piece)
            if on_progress is not None:
                on_progress(sent, total)

    return Raw(f"multipart/form-data; boundary={boundary}", counted, total)


def upload_call(
    file: bytes | str | os.PathLike[str],
    *,
    filename: str | None,
    content_type: str | None,
    title: str | None,
    metadata: Mapping[str, Any] | None,
    visibility: str | None,
    roles: Sequence[str] | None,
    external_id: str | None,
    on_progress: Progress | None,
) -> Call:
    source: bytes | Path = file if isinstance(file, bytes) else Path(file)
    name = filename or (source.name if isinstance(source, Path) else "document")
    kind = content_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    fields: dict[str, str] = {}
    if title is not None:
        fields["title"] = title
    if metadata is not None:
        fields["metadata"] = json.dumps(metadata, ensure_ascii=False)
    if visibility is not None:
        fields["visibility"] = visibility
    if roles is not None:
        fields["roles"] = ",".join(roles)
    if external_id is not None:
        fields["external_id"] = external_id
    raw = multipart(source, name, kind, fields, f"pentarch-{uuid.uuid4().hex}", on_progress)
    return Call("POST", "/api/v1/knowledge/documents", raw=raw, slow=True)
