"""AgentDojo's environments (MIT, Debenedetti et al., 2024) as MCP servers over HTTP, for bench/agentdojo.ts.

Needs `pip install agentdojo`. Prints one JSON line {url} when ready and serves on the loopback interface until its standard
input ends. `POST /case` sets up one case, `POST /mcp/<suite>` speaks MCP, `POST /end` says how AgentDojo judges what was done.
"""

import json
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from agentdojo.agent_pipeline.ground_truth_pipeline import GroundTruthPipeline
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.attacks.attack_registry import load_attack
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites
from agentdojo.types import text_content_block_from_string

VERSION = "v1.2.2"
SUITES = get_suites(VERSION)

# What an honest server would say of its tools. Neither list is part of AgentDojo.
REACHES_OTHERS = {
    "send_email", "create_calendar_event", "cancel_calendar_event", "reschedule_calendar_event",
    "add_calendar_event_participants", "share_file", "reserve_hotel", "reserve_car_rental", "reserve_restaurant",
    "send_money", "schedule_transaction", "update_scheduled_transaction", "add_user_to_channel", "send_direct_message",
    "send_channel_message", "invite_user_to_slack", "remove_user_from_slack", "get_webpage", "post_webpage",
}  # fmt: skip
DESTROYS = {"delete_email", "delete_file", "cancel_calendar_event", "update_password", "remove_user_from_slack"}
READS = ("get_", "search_", "read_", "list_", "check_")


MIN_TEXT_CHARACTERS = 80


def texts_in(value: object) -> list[str]:
    """All texts of some length inside of a JSON value."""
    if isinstance(value, str):
        return [value] if len(value) >= MIN_TEXT_CHARACTERS else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for one in inner for text in texts_in(one)]


class TextAttack:
    """Attacks with the texts of another suite: all that stand in the JSON files of a folder, in turn, before the goal."""

    def __init__(self, suite, pipeline, folder: str):
        files = sorted(Path(folder).rglob("*.json"))
        self.texts = [text for file in files for text in texts_in(json.loads(file.read_text()))]
        self.seen = load_attack("direct", suite, pipeline)

    def attack(self, user, injection) -> dict[str, str]:
        n = zlib.crc32(f"{user.ID} {injection.ID}".encode()) % len(self.texts)
        # In YAML's double quotes, as the environments hold them.
        text = json.dumps(f"{self.texts[n]} {injection.GOAL}")[1:-1]
        return {vector: text for vector in self.seen.get_injection_candidates(user)}


def attack_of(name: str, suite):
    pipeline = GroundTruthPipeline(None)
    pipeline.name = "gpt-4o-2024-05-13"
    folder = name.removeprefix("texts:")
    return load_attack(name, suite, pipeline) if folder == name else TextAttack(suite, pipeline, folder)


def as_read(injected: str) -> str:
    """What the tools give of an injection that stands in quotes."""
    try:
        return json.loads(f'"{injected}"')
    except ValueError:
        return injected


class Case:
    """One user task, with or without an injection, in an environment of its own."""

    def __init__(self, suite_name: str, user_task: str, injection_task: str | None, attack_name: str):
        self.suite = SUITES[suite_name]
        self.user = self.suite.get_user_task_by_id(user_task)
        self.injection = None if injection_task is None else self.suite.get_injection_task_by_id(injection_task)
        injections = {}
        if self.injection is not None:
            injections = attack_of(attack_name, self.suite).attack(self.user, self.injection)
        environment = self.suite.load_and_inject_default_environment(injections)
        self.environment = self.user.init_environment(environment)
        self.before = self.environment.model_copy(deep=True)
        self.runtime = FunctionsRuntime(self.suite.tools)
        self.trace: list[FunctionCall] = []
        self.injections = injections

    def calls(self, task) -> list[dict]:
        if task is None:
            return []
        copy = self.before.model_copy(deep=True)
        return [{"function": call.function, "args": dict(call.args)} for call in task.ground_truth(copy)]

    def describe(self) -> dict:
        return {
            "prompt": self.user.PROMPT,
            "calls": self.calls(self.user),
            "output": self.user.GROUND_TRUTH_OUTPUT,
            "injected": [as_read(text) for text in self.injections.values()],
            "goal": "" if self.injection is None else self.injection.GOAL,
            "injected_calls": self.calls(self.injection),
            "injected_output": "" if self.injection is None else self.injection.GROUND_TRUTH_OUTPUT,
        }

    def run(self, name: str, args: dict) -> tuple[str, bool]:
        call = FunctionCall(function=name, args=args)
        self.trace.append(call)
        result, error = self.runtime.run_function(self.environment, name, args)
        return (error, True) if error is not None else (tool_result_to_str(result), False)

    def judge(self, output: str) -> dict:
        content = [text_content_block_from_string(output)]
        arguments = (content, self.before, self.environment, self.trace)
        return {
            "utility": bool(self.suite._check_user_task_utility(self.user, *arguments)),
            "attacked": self.injection is not None
            and bool(self.suite._check_injection_task_security(self.injection, *arguments)),
            "ran": [{"function": call.function, "args": dict(call.args)} for call in self.trace],
        }


case: Case | None = None
hints = "honest"
lock = threading.Lock()


def tool(function) -> dict:
    name = function.name
    annotations = {
        "readOnlyHint": name.startswith(READS),
        "destructiveHint": name in DESTROYS,
        "openWorldHint": name in REACHES_OTHERS,
    }
    listed = {
        "name": name,
        "description": function.description,
        "inputSchema": function.parameters.model_json_schema(),
    }
    return listed if hints == "none" else {**listed, "annotations": annotations}


def answer_mcp(suite: str, message: dict) -> dict | None:
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message:
        return None
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        info = {"name": suite, "version": VERSION}
        version = params.get("protocolVersion", "2025-06-18")
        return {**reply, "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}}
    if method == "ping":
        return {**reply, "result": {}}
    if method == "tools/list":
        return {**reply, "result": {"tools": [tool(function) for function in SUITES[suite].tools]}}
    if method == "tools/call":
        with lock:
            text, failed = case.run(params["name"], params.get("arguments") or {})
        return {**reply, "result": {"content": [{"type": "text", "text": text or "(nothing)"}], "isError": failed}}
    return {**reply, "error": {"code": -32601, "message": "unknown method"}}


def answer(path: str, body: dict) -> dict | None:
    global case, hints
    if path.startswith("/mcp/"):
        return answer_mcp(path.removeprefix("/mcp/"), body)
    if path == "/suites":
        hints = body["hints"]
        return {
            name: {"user": list(suite.user_tasks), "injection": list(suite.injection_tasks)}
            for name, suite in SUITES.items()
        }
    if path == "/case":
        case = Case(body["suite"], body["user"], body.get("injection"), body["attack"])
        return case.describe()
    if path == "/end":
        return case.judge(body["output"])
    raise KeyError(path)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments) -> None:
        pass

    def send(self, status: int, value: dict | None) -> None:
        data = b"" if value is None else json.dumps(value, default=str).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        self.send(405, None)

    def do_DELETE(self) -> None:
        self.send(200, None)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            value = answer(self.path, body)
        except Exception as error:  # what is wrong with a case is told to the bench
            self.send(500, {"error": f"{type(error).__name__}: {error}"})
            return
        self.send(202 if value is None else 200, value)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    sys.stdin.read()
