"""Reads each file of a folder with the readers that are installed, and prints {reader: {file: [text of a page, …]}} as JSON."""

import json
import logging
import pathlib
import signal
import sys

logging.disable(logging.CRITICAL)
folder = pathlib.Path(sys.argv[1])
sys.path[:0] = sys.argv[2:]
SECONDS = 60


def expire(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, expire)
readers = {}

try:
    import pypdf

    readers["pypdf"] = ({"pdf"}, lambda file: [page.extract_text() for page in pypdf.PdfReader(file).pages])
except ImportError:
    pass

try:
    from pdfminer.high_level import extract_text

    readers["pdfminer.six"] = ({"pdf"}, lambda file: extract_text(file).removesuffix("\f").split("\f"))
except ImportError:
    pass

try:
    from markitdown import MarkItDown

    converter = MarkItDown()
    readers["markitdown"] = (
        {"pdf", "docx", "pptx", "xlsx", "html", "epub", "csv", "msg"},
        lambda file: [converter.convert(str(file)).text_content],
    )
except ImportError:
    pass

try:
    import pypandoc

    readers["pandoc"] = (
        {"docx", "odt", "rtf", "epub", "html", "pptx", "xlsx"},
        lambda file: [pypandoc.convert_file(str(file), "gfm", extra_args=["--wrap=none"])],
    )
except ImportError:
    pass

found = {}
for name, (kinds, read) in readers.items():
    found[name] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix[1:].lower() not in kinds:
            continue
        signal.alarm(SECONDS)
        try:
            found[name][file.name] = read(file)
        except Exception:
            found[name][file.name] = []
        finally:
            signal.alarm(0)
json.dump(found, sys.stdout)
