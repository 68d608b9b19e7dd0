"""Runs scim2-tester against a SCIM server and prints each result as a line of JSON: scim_check.py URL TOKEN"""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

client = Client(base_url=sys.argv[1], headers={"Authorization": f"Bearer {sys.argv[2]}"}, timeout=60)
for result in check_server(SyncSCIMClient(client)):
    print(json.dumps({"status": result.status.name, "title": result.title, "reason": result.reason or ""}))
