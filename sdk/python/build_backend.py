"""Builds the wheel and the source archive (PEP 517) with the standard library: a package without dependencies should not
need the network to be built either."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "pentarch"
TAG = "py3-none-any"
# Reproducible: the same sources give the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def _version() -> str:
    found = re.search(r'^VERSION = "([^"]+)"', (HERE / "src" / NAME / "_version.py").read_text(), re.MULTILINE)
    if found is None:
        raise ValueError("VERSION is missing")
    return found.group(1)


def _metadata() -> str:
    head = (HERE / "metadata.txt").read_text(encoding="utf-8").replace("{version}", _version()).rstrip()
    return f"{head}\n\n{(HERE / 'README.md').read_text(encoding='utf-8')}"


def _licence() -> bytes:
    """Of the repository; in a source archive it lies beside this file."""
    own = HERE / "LICENSE"
    return (own if own.exists() else HERE.parents[1] / "LICENSE").read_bytes()


def _sources() -> dict[str, bytes]:
    root = HERE / "src"
    files = sorted(path for path in (root / NAME).rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None
) -> str:
    info = f"{NAME}-{_version()}.dist-info"
    files = _sources()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: pentarch\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()
    )
    files[f"{info}/licenses/LICENSE"] = _licence()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-{_version()}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    top = f"{NAME}-{_version()}"
    files = {f"src/{name}": data for name, data in _sources().items()}
    for name in ("pyproject.toml", "README.md", "build_backend.py", "metadata.txt"):
        files[name] = (HERE / name).read_bytes()
    files["LICENSE"] = _licence()
    files["PKG-INFO"] = _metadata().encode()
    archive_name = f"{top}.tar.gz"
    with tarfile.open(Path(sdist_directory) / archive_name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return archive_name
