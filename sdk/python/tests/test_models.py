"""Answers: attributes, item access and JSON of the same record, over answers that are played."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import unittest
from pathlib import Path
from typing import Any, get_type_hints

import pentarch
from pentarch import AsyncClient, Client, Record, models
from pentarch.models import ChatResponse, Conversation, ListFoldersResult, ToolCall, Usage

from tests.played import AsyncPlayedTransport, Play, PlayedTransport

_ROOT = Path(__file__).resolve().parents[3]


def _document() -> Any:
    return json.loads((_ROOT / "api" / "openapi.json").read_text(encoding="utf-8"))


def _example(name: str) -> Any:
    return _document()["components"]["schemas"][name]["examples"][0]


def _answer(value: object) -> dict[str, Any]:
    return {"status": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(value)}


class Names(unittest.TestCase):
    def test_every_component_can_be_imported(self) -> None:
        components: list[str] = list(_document()["components"]["schemas"])
        self.assertGreater(len(components), 200)
        self.assertEqual([name for name in components if not hasattr(models, name)], [])
        self.assertEqual([name for name in components if name not in models.__all__], [])
        self.assertIs(pentarch.models, models)

    def test_every_class_has_the_fields_of_its_component(self) -> None:
        for name, schema in _document()["components"]["schemas"].items():
            kind = getattr(models, name)
            if not (isinstance(kind, type) and issubclass(kind, Record)):
                continue
            hints = get_type_hints(kind)
            for field in schema["properties"]:
                self.assertTrue(field in hints or f"{field}_" in hints, f"{name}.{field}")


class Answers(unittest.TestCase):
    def test_attributes_items_and_json_are_one_record(self) -> None:
        wire = {**_example("ConversationPage")["items"][0], "of_a_newer_server": {"a": [1]}}
        found = Client("http://127.0.0.1:1", transport=PlayedTransport(Play([_answer(wire)]))).conversations.update("x", title="y")
        self.assertIsInstance(found, Conversation)
        self.assertEqual(found.id, found["id"])
        self.assertEqual(found.get("title"), found.title)
        self.assertIn("status", found)
        self.assertEqual(list(found), list(wire))
        self.assertEqual(found, wire)
        self.assertEqual(json.loads(json.dumps(found)), wire)
        self.assertEqual(found.to_dict(), wire)
        self.assertEqual(getattr(found, "of_a_newer_server"), {"a": [1]})
        self.assertTrue(repr(found).startswith("CreatedConversation(id="))
        self.assertIn("title", dir(found))
        with self.assertRaises(AttributeError):
            getattr(found, "titel")

    def test_what_stands_inside_is_a_model_too(self) -> None:
        tool_calls = [{"id": "call_1", "tool": "weather"}]
        wire = {**_example("ChatResponse"), "tool_calls": tool_calls, "usage": {"input_tokens": 3}}
        wire.pop("parsed", None)
        answer = Client("http://127.0.0.1:1", transport=PlayedTransport(Play([_answer(wire)]))).chat.send(message="x")
        self.assertIsInstance(answer, ChatResponse)
        self.assertIsInstance(answer.usage, Usage)
        self.assertIsInstance(answer.tool_calls[0], ToolCall)
        self.assertEqual(answer.tool_calls[0].id, "call_1")
        # What may be left out reads as None, and is not there.
        self.assertIsNone(answer.parsed)
        self.assertNotIn("parsed", answer)

    def test_pages_walks_and_asyncio(self) -> None:
        page = {"items": [_example("ConversationPage")["items"][0]], "page": 1, "limit": 20, "total": 1, "has_more": False, "next_cursor": None}
        client = Client("http://127.0.0.1:1", transport=PlayedTransport(Play([_answer(page), _answer(page)])))
        self.assertIsInstance(client.conversations.list().items[0], Conversation)
        self.assertEqual([type(one) for one in client.conversations.list_all()], [Conversation])

        async def both() -> None:
            client = AsyncClient("http://127.0.0.1:1", transport=AsyncPlayedTransport(Play([_answer(page), _answer(page)])))
            self.assertIsInstance((await client.conversations.list()).items[0], Conversation)
            self.assertEqual([type(one) async for one in client.conversations.list_all()], [Conversation])

        asyncio.run(both())

    def test_a_field_named_as_a_method_of_dictionaries(self) -> None:
        folders = ListFoldersResult(_example("ListFoldersResult"))
        self.assertEqual(folders.items_, folders["items"])
        self.assertEqual(dict(folders.items())["items"], folders.items_)
        self.assertIsInstance(folders.items_[0], models.ListFoldersResultItem)
        self.assertIn("items_", dir(folders))

    def test_copies_and_changes(self) -> None:
        found = Conversation(_example("ConversationPage")["items"][0])
        for twin in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
            self.assertIsInstance(twin, Conversation)
            self.assertEqual(twin, found)
        found.title = "Another"
        self.assertEqual(found["title"], "Another")
        del found.title
        self.assertNotIn("title", found)
        with self.assertRaises(AttributeError):
            del found.title

    def test_every_example_of_the_document_is_read(self) -> None:
        read = 0
        for name, schema in _document()["components"]["schemas"].items():
            kind = getattr(models, name)
            if not (isinstance(kind, type) and issubclass(kind, Record)):
                continue
            for example in schema.get("examples", []):
                record = kind(example)
                self.assertEqual(record.to_dict(), example)
                for field in example:
                    attribute = f"{field}_" if hasattr(dict, field) else field
                    self.assertEqual(getattr(record, attribute), example[field])
                read += 1
        self.assertGreater(read, 90)
