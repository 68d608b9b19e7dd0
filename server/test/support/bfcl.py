"""The cases of bfcl-eval as JSON lines: their tools as JSON Schemas, and the calls that their answers name.

Usage: bfcl.py FOLDER, where FOLDER holds bfcl_eval (pip install --no-deps --target FOLDER bfcl-eval).
"""

import ast
import json
import re
import sys
from pathlib import Path

DATA = Path(sys.argv[1]) / "bfcl_eval" / "data"
# The types of Python, Java and JavaScript that the cases name, as JSON Schema has them.
TYPES = {
    "object": ["dict", "object", "HashMap", "Hashtable"],
    "array": ["array", "tuple", "list", "ArrayList", "Array", "Queue", "Stack", "Set"],
    "number": ["number", "float", "double"],
    "integer": ["integer", "int", "byte", "short", "long", "Bigint"],
    "boolean": ["boolean", "bool", "Boolean"],
}
JSON_TYPE = {name: kind for kind, names in TYPES.items() for name in names}
DOCS = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
    "WebSearchAPI": "web_search",
    "MemoryAPI": "memory_kv",
}


def rows(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def schema(value):
    if isinstance(value, list):
        return [schema(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: schema(inner) for key, inner in value.items()}
    if isinstance(value.get("type"), str):
        made["type"] = JSON_TYPE.get(value["type"], "string")
    if isinstance(value.get("properties"), dict):
        made["properties"] = {key: schema(inner) for key, inner in value["properties"].items()}
    if made.get("type") == "array" and "items" not in made:
        made["items"] = {}
    return made


def name_of(name):
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64]


def tools_of(functions):
    found = {}
    for one in functions:
        found[name_of(one["name"])] = {
            "name": name_of(one["name"]),
            "description": one.get("description", ""),
            "parameters": {"properties": {}, **schema(one.get("parameters") or {}), "type": "object"},
        }
    return list(found.values())


def first(options):
    given = [one for one in options if one != ""] if isinstance(options, list) else [options]
    return given[0] if given else None


def written(text, tools):
    """A call as Python writes it; its places are named by the order of the parameters."""
    call = ast.parse(text, mode="eval").body
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    order = next((list(tool["parameters"]["properties"]) for tool in tools if tool["name"] == name), [])
    arguments = {order[n] if n < len(order) else str(n): ast.literal_eval(value) for n, value in enumerate(call.args)}
    arguments.update({part.arg: ast.literal_eval(part.value) for part in call.keywords})
    return {"name": name, "arguments": arguments}


def calls_of(truth, tools):
    calls = []
    for one in truth or []:
        if isinstance(one, dict):
            for name, parameters in one.items():
                values = {key: first(options) for key, options in parameters.items()}
                given = {key: value for key, value in values.items() if value is not None}
                calls.append({"name": name_of(name), "arguments": given})
        elif isinstance(one, list) and one and not calls:
            calls = [written(text, tools) for text in one if "(" in text]
    return calls


documents = {kind: rows(DATA / "multi_turn_func_doc" / f"{file}.json") for kind, file in DOCS.items()}
for file in sorted(DATA.glob("BFCL_v4_*.json")):
    if "format_sensitivity" in file.name:
        # No cases of its own: ids of others.
        continue
    answers = DATA / "possible_answer" / file.name
    truths = {row["id"]: row.get("ground_truth") for row in rows(answers)} if answers.exists() else {}
    for row in rows(file):
        functions = row.get("function")
        if functions is None:
            functions = [one for kind in row.get("involved_classes", []) for one in documents.get(kind, documents["MemoryAPI"])]
        tools = tools_of(functions)
        truth = truths.get(row["id"])
        called = calls_of(truth, tools) if isinstance(truth, list) and not file.name.endswith(("web_search.json", "memory.json")) else []
        turns = row.get("question") or [[]]
        text = " ".join(str(one.get("content")) for one in turns[0]) if turns and turns[0] else "Go on."
        print(json.dumps({"id": row["id"], "question": text, "tools": tools, "calls": called}))
