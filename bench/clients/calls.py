"""Rounds of sequential calls through the Python client and through bare http.client; times in ms as JSON."""

from __future__ import annotations

import http.client
import json
import os
import time
from typing import Callable
from urllib.parse import urlsplit

from pentarch import Client

URL, KEY = os.environ["PENTARCH_URL"], os.environ["PENTARCH_API_KEY"]
CALLS, ROUNDS = int(os.environ["CALLS"]), int(os.environ["ROUNDS"])
PATH = "/api/v1/agents/zeus"


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - started) * 1000


with Client(URL, auth=KEY) as client:
    parts = urlsplit(URL)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80)

    def bare() -> object:
        connection.request("GET", PATH, headers={"authorization": f"Bearer {KEY}", "accept": "application/json"})
        return json.loads(connection.getresponse().read())

    def library() -> object:
        return client.agents.get("zeus")

    timed(bare), timed(library)
    rounds = [(timed(bare), timed(library)) for _ in range(ROUNDS)]
    connection.close()
print(json.dumps({"bareMs": [one for one, _ in rounds], "libraryMs": [other for _, other in rounds]}))
