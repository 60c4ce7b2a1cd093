"""The peers that `features.py` checks: how each implements a feature; missing features are not listed."""

from __future__ import annotations

import asyncio
import copy
import io
import json
import os
import pickle
import subprocess
from decimal import Decimal
from importlib import import_module
from importlib.metadata import PackageNotFoundError, files, requires, version
from pathlib import Path
from types import coroutine
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator

Fragments = list[str] | list[bytes]
Reported = list[tuple[list[Any], Any]]

NODE_FOLDER = Path(os.environ.get("MIDSTREAM_NODE_PEERS", Path(__file__).with_name("node")))
# midstream.js on its own: it reads a text in two fragments, and prints the value after each
IN_A_BROWSER = """
const { JsonValueAccumulator } = await import(process.argv[1]);
const accumulator = new JsonValueAccumulator();
const seen = ['{"a": "b', 'c"}'].map((fragment) => (accumulator.addFragment(fragment), accumulator.value));
console.log(JSON.stringify(seen));
"""


class InvalidError(Exception):
    """An error of the text that a peer reports without raising an exception."""


def succeeds(work: Callable[[], object]) -> bool:
    """Report whether a call raises no error."""
    try:
        work()
    except Exception:
        return False
    return True


class Peer:
    """A library, and how it implements each feature. A missing one raises NotImplementedError."""

    name = ""
    package = ""
    # the other packages that a check needs
    also: tuple[str, ...] = ()
    # by row: what "partly" means
    notes: ClassVar[dict[str, str]] = {}
    # whether it is a separate parser, not part of a larger library
    is_parser = True

    def runs_in_browser(self) -> bool:
        """Report whether the JavaScript peer has the feature."""
        return False

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        """Yield the value that its user sees after every fragment; None for nothing."""
        raise NotImplementedError

    def values(self, fragments: Fragments) -> list[Any]:
        """List the values after every fragment, as they were then."""
        return [copy.deepcopy(value) for value in self.follow(fragments)]

    def kept(self, fragments: Fragments) -> list[Any]:
        """List the same objects, as they are at the end."""
        return list(self.follow(fragments))

    def copied(self, fragments: Fragments) -> list[Any]:
        """List the values, copied by an option."""
        raise NotImplementedError

    def work(self, _fragments: list[str]) -> int | None:
        """Count the parsed characters, if they can be counted."""
        return None

    def reported(self, fragments: Fragments) -> list[Reported]:
        """Return the reports after every fragment: paths, with a value or a part of one."""
        raise NotImplementedError

    def careful(self, text: str) -> Any:
        """Read a text with the options that hide unfinished numbers."""
        raise NotImplementedError

    def deltas(self, fragments: Fragments) -> list[str]:
        """Return the new text of an open string after every fragment, decoded."""
        raise NotImplementedError

    def complete(self, text: str) -> Any:
        """Read a complete text; raise if it is not valid."""
        return self.values([text])[-1]

    def is_complete(self, text: str) -> bool:
        """Report whether a text is complete."""
        raise NotImplementedError

    def documents(self, text: str) -> list[Any]:
        """Read documents that follow each other."""
        raise NotImplementedError

    def resumed(self, before: str, after: str) -> Any:
        """Save the state after a fragment as data, continue from the data, and return the value."""
        raise NotImplementedError

    def exact(self, text: str) -> Any:
        """Read numbers without rounding, as Decimal if they have a fraction."""
        raise NotImplementedError

    def chunks(self, snapshots: list[Any]) -> list[str]:
        """Turn snapshots of a growing value into text."""
        raise NotImplementedError

    def repaired(self, text: str) -> Any:
        """Read a text that is almost JSON, as far as the peer supports that."""
        return self.complete(text)

    def validated(self, fragments: list[str], model: Any) -> list[Any]:
        """Return objects of a pydantic model, or values checked against it, after every fragment."""
        raise NotImplementedError

    def calls(self) -> list[str]:
        """Return the formats of tool calls that it reads."""
        return []

    def run(self, fragments: Fragments) -> Any:
        """Process fragments for a time measurement, and keep none of the values."""
        try:
            seen = [None]
            for seen[0] in self.follow(fragments):
                pass
            return seen[0]
        except NotImplementedError:
            return self.reported(fragments)

    def seconds(self, _fragments: list[str]) -> float | None:
        """Return the seconds of a run, if the peer measures them itself."""
        return None

    @property
    def version(self) -> str | None:
        """The version that is installed, None if there is none."""
        try:
            first, *_ = [version(package) for package in (self.package, *self.also)]
            return first
        except PackageNotFoundError:
            return None

    @property
    def is_typed(self) -> bool:
        return any(path.name == "py.typed" for path in files(self.package) or [])

    @property
    def dependencies(self) -> list[str]:
        return [need for need in requires(self.package) or [] if "extra ==" not in need]


class Midstream(Peer):
    name = "midstream"
    package = "midstream"
    notes: ClassVar[dict[str, str]] = {
        "linear": "Updates and live values: yes. If a snapshot is still held when the next fragment arrives, "
        "the open part of it is copied, so a long open list or string takes more time.",
        "complete": "About as fast; for a complete text, use `json.loads` or orjson.",
    }

    def __init__(self) -> None:
        self.library = import_module("midstream")

    def runs_in_browser(self) -> bool:
        module = Path(str(self.library.__file__)).parent / "render" / "web" / "midstream.js"
        command = ["node", "--input-type=module", "--eval", IN_A_BROWSER, module.as_uri()]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)
        return done.returncode == 0 and json.loads(done.stdout) == [{"a": "b"}, {"a": "bc"}]

    @property
    def version(self) -> str | None:
        found: str = self.library.__version__
        return found

    @property
    def is_typed(self) -> bool:
        return Path(str(self.library.__file__)).with_name("py.typed").is_file()

    @property
    def dependencies(self) -> list[str]:
        return []

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        accumulator = self.library.JsonValueAccumulator()
        for fragment in fragments:
            accumulator.add_fragment(fragment)
            yield accumulator.value

    def reported(self, fragments: Fragments) -> list[Reported]:
        accumulator = self.library.JsonFragmentAccumulator()
        return [
            [(list(update.segments), update.value) for update in accumulator.add_fragment(fragment)]
            for fragment in fragments
        ]

    def deltas(self, fragments: Fragments) -> list[str]:
        accumulator = self.library.JsonFragmentAccumulator()
        return [
            "".join(update.text_value for update in found if update.kind == "PartialString")
            for found in map(accumulator.add_fragment, fragments)
        ]

    def complete(self, text: str) -> Any:
        accumulator = self.library.JsonValueAccumulator()
        accumulator.add_fragment(text)
        accumulator.finish()
        return accumulator.value

    def is_complete(self, text: str) -> bool:
        accumulator = self.library.JsonValueAccumulator()
        accumulator.add_fragment(text)
        complete: bool = accumulator.is_complete
        return complete

    def documents(self, text: str) -> list[Any]:
        accumulator = self.library.JsonValueAccumulator(after_root="next")
        accumulator.add_fragment(text)
        found: list[Any] = accumulator.documents
        return found

    def resumed(self, before: str, after: str) -> Any:
        accumulator = self.library.JsonValueAccumulator()
        accumulator.add_fragment(before)
        data = json.dumps(accumulator.checkpoint())
        accumulator = self.library.JsonValueAccumulator.restore(json.loads(data))
        accumulator.add_fragment(after)
        return accumulator.value

    def exact(self, text: str) -> Any:
        return self.library.parse_partial(text, parse_float=Decimal)

    def chunks(self, snapshots: list[Any]) -> list[str]:
        return list(self.library.chunks(snapshots))

    def repaired(self, text: str) -> Any:
        return self.library.parse_partial(text, extract=True, dialect="lenient")

    def validated(self, fragments: list[str], model: Any) -> list[Any]:
        typed = import_module("midstream.typed")
        return [snapshot.partial for snapshot in typed.typed_values(fragments, model)]

    def calls(self) -> list[str]:
        return list(import_module("midstream.providers").FORMATS)


class Updates(Midstream):
    """midstream with updates instead of values."""

    def run(self, fragments: Fragments) -> Any:
        accumulator = self.library.JsonFragmentAccumulator()
        return [len(accumulator.add_fragment(fragment)) for fragment in fragments]


class Again(Peer):
    """A function that is called with the text so far after every fragment: its state is the text."""

    def parse(self, text: Any) -> Any:
        raise NotImplementedError

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        text: Any = fragments[0][:0]
        for fragment in fragments:
            text += fragment
            yield self.parse(text)

    def resumed(self, before: str, after: str) -> Any:
        return self.parse(json.loads(json.dumps(before)) + after)


class Jiter(Again):
    name = package = "jiter"
    notes: ClassVar[dict[str, str]] = {
        "complete": "Not in its partial mode; only by a second, strict parse.",
        "invalid": "In its partial mode it stops silently at some errors: for `[1 2]` it returns `[1]`.",
    }

    def parse(self, text: Any) -> Any:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        return import_module("jiter").from_json(data, partial_mode="trailing-strings")

    def complete(self, text: str) -> Any:
        return import_module("jiter").from_json(text.encode())

    def is_complete(self, text: str) -> bool:
        return succeeds(lambda: self.complete(text))

    def exact(self, text: str) -> Any:
        return import_module("jiter").from_json(text.encode(), float_mode="decimal")


class PartialJsonParser(Again):
    name = package = "partial-json-parser"
    notes: ClassVar[dict[str, str]] = {
        "numbers": "With an option: `ALL & ~NUM`.",
        "complete": "Not while it accepts partial texts; only by a second parse that allows none.",
    }

    def parse(self, text: Any) -> Any:
        return import_module("partial_json_parser").loads(text)

    def careful(self, text: str) -> Any:
        library = import_module("partial_json_parser")
        return library.loads(text, library.ALL & ~library.NUM)

    def is_complete(self, text: str) -> bool:
        library = import_module("partial_json_parser")
        return succeeds(lambda: library.loads(text, library.Allow(0)))


class JsonRepair(Again):
    name = package = "json_repair"
    also = ("jsonschema",)

    def parse(self, text: Any) -> Any:
        return import_module("json_repair").loads(text, stream_stable=True)

    def complete(self, text: str) -> Any:
        return import_module("json_repair").loads(text)

    def validated(self, fragments: list[str], model: Any) -> list[Any]:
        loads = import_module("json_repair").loads
        shown, text = [], ""
        for fragment in fragments:
            text += fragment
            shown.append(loads(text, schema=model.model_json_schema()))
        return shown


class LangChain(Again):
    name = "LangChain"
    package = "langchain-core"
    notes: ClassVar[dict[str, str]] = {
        "repairs": "Fences around the JSON and raw newlines in strings, nothing more.",
        "calls": "Of its own messages.",
        "invalid": "Not while it streams: the last valid value stays. `parse` of a complete text raises.",
    }

    def parse(self, text: Any) -> Any:
        parser = import_module("langchain_core.output_parsers").JsonOutputParser()
        message = import_module("langchain_core.outputs").Generation(text=text)
        return parser.parse_result([message], partial=True)

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        parser = import_module("langchain_core.output_parsers").JsonOutputParser()
        shown: list[Any] = []
        seen: list[Any] = [None]

        def source() -> Iterator[Any]:
            for number, fragment in enumerate(_texts(fragments)):
                if number:
                    shown.append(seen[0])
                yield fragment

        for seen[0] in parser.transform(source()):
            pass
        yield from [*shown, seen[0]]

    def complete(self, text: str) -> Any:
        return import_module("langchain_core.output_parsers").JsonOutputParser().parse(text)

    def validated(self, fragments: list[str], model: Any) -> list[Any]:
        parser = import_module("langchain_core.output_parsers").PydanticOutputParser(pydantic_object=model)
        return list(parser.transform(iter(fragments)))

    def calls(self) -> list[str]:
        import_module("langchain_core.output_parsers.openai_tools").parse_tool_call  # noqa: B018
        return ["langchain"]


class OpenAi(Peer):
    name = "OpenAI SDK"
    package = "openai"
    notes: ClassVar[dict[str, str]] = {
        "calls": "Of its own API.",
        "complete": "Not while it arrives: only by the provider's `finish_reason`, and it raises at the end.",
        "validates": "Of the complete answer.",
        "invalid": "Parses as jiter does: for `[1 2]` it returns `[1]`.",
    }
    is_parser = False

    def __init__(self) -> None:
        self.tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": {}}}

    def _chunk(self, call: dict[str, Any], finish: str | None = None) -> Any:
        delta = {"role": "assistant", "tool_calls": [{"index": 0, **call}]} if call else {}
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }
        return import_module("openai.types.chat").ChatCompletionChunk.model_validate(chunk)

    def _feed(self, fragments: Iterable[str]) -> Iterator[Any]:
        state = import_module("openai.lib.streaming.chat").ChatCompletionStreamState(input_tools=[self.tool])
        start = {"id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}
        state.handle_chunk(self._chunk(start))
        for fragment in fragments:
            state.handle_chunk(self._chunk({"function": {"arguments": fragment}}))
            yield state

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        return map(self._arguments, self._feed(_texts(fragments)))

    @staticmethod
    def _arguments(state: Any) -> Any:
        return state.current_completion_snapshot.choices[0].message.tool_calls[0].function.parsed_arguments

    def is_complete(self, text: str) -> bool:
        (state,) = self._feed([text])
        try:
            state.handle_chunk(self._chunk({}, "stop"))
            state.get_final_completion()
        except Exception:
            return False
        return True

    def validated(self, fragments: list[str], model: Any) -> list[Any]:
        module = import_module("openai.lib.streaming.chat")
        state = module.ChatCompletionStreamState(response_format=model)
        for fragment in fragments:
            choice = {"index": 0, "delta": {"role": "assistant", "content": fragment}, "finish_reason": None}
            chunk = self._chunk({})
            state.handle_chunk(type(chunk).model_validate({**chunk.model_dump(), "choices": [choice]}))
        state.handle_chunk(self._chunk({}, "stop"))
        return [state.get_final_completion().choices[0].message.parsed]

    def work(self, _fragments: list[str]) -> int | None:
        module = import_module("openai.lib.streaming.chat._completions")
        parse, count = module.from_json, 0

        def counting(data: bytes, **options: Any) -> Any:
            nonlocal count
            count += len(data)
            return parse(data, **options)

        module.from_json = counting  # type: ignore[attr-defined]
        try:
            self.run(_fragments)
        finally:
            module.from_json = parse  # type: ignore[attr-defined]
        return count

    def calls(self) -> list[str]:
        return ["openai-chat"] if self.values(['{"a": 1}']) == [{"a": 1}] else []


class Anthropic(Peer):
    name = "Anthropic SDK"
    package = "anthropic"
    notes: ClassVar[dict[str, str]] = {
        "calls": "Of its own API.",
        "invalid": "Parses as jiter does: for `[1 2]` it returns `[1]`.",
    }
    is_parser = False

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        types = import_module("anthropic.types")
        accumulate = import_module("anthropic.lib.streaming._messages").accumulate_event
        message: dict[str, Any] = {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        block = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
        start = types.RawMessageStartEvent.model_validate({"type": "message_start", "message": message})
        opening = {"type": "content_block_start", "index": 0, "content_block": block}
        buffers: dict[int, bytes] = {}
        snapshot = accumulate(event=start, current_snapshot=None, json_bufs=buffers)
        event = types.RawContentBlockStartEvent.model_validate(opening)
        snapshot = accumulate(event=event, current_snapshot=snapshot, json_bufs=buffers)
        for fragment in _texts(fragments):
            delta = {"type": "input_json_delta", "partial_json": fragment}
            piece = {"type": "content_block_delta", "index": 0, "delta": delta}
            event = types.RawContentBlockDeltaEvent.model_validate(piece)
            snapshot = accumulate(event=event, current_snapshot=snapshot, json_bufs=buffers)
            yield snapshot.content[0].input

    def calls(self) -> list[str]:
        return ["anthropic"] if self.values(['{"a": 1}']) == [{"a": 1}] else []


class StreamingJsonParser(Peer):
    name = package = "streaming-json-parser"
    also = ("streaming-json-parser-native",)
    notes: ClassVar[dict[str, str]] = {
        "stays": "With a copy of the complete value every time, by an argument of `feed`.",
    }

    def _parser(self, **options: Any) -> Any:
        return import_module("streaming_json_parser").StreamingJsonParser(**options)

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        parser = self._parser()
        for fragment in fragments:
            # False: the live value, as in its readme, for speed
            result = parser.feed(fragment, False)
            if result.status.value == "invalid":
                raise InvalidError(str(result.error))
            yield result.value

    def complete(self, text: str) -> Any:
        parser = self._parser()
        parser.feed(text)
        result = parser.finish()
        if result.status.value != "complete":
            raise InvalidError(str(result.error))
        return result.value

    def copied(self, fragments: Fragments) -> list[Any]:
        parser = self._parser()
        return [parser.feed(fragment, True).value for fragment in fragments]

    def is_complete(self, text: str) -> bool:
        complete: bool = self._parser().feed(text).complete
        return complete

    def documents(self, text: str) -> list[Any]:
        return list(import_module("streaming_json_parser").decode_ndjson(text))

    def resumed(self, before: str, after: str) -> Any:
        parser = self._parser()
        parser.feed(before)
        return pickle.loads(pickle.dumps(parser)).feed(after).value


class JsonMend(Peer):
    name = package = "jsonmend"
    notes: ClassVar[dict[str, str]] = {"linear": "Not one long string."}

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        return map(import_module("jsonmend").Mender().feed, fragments)

    def complete(self, text: str) -> Any:
        return import_module("jsonmend").loads(text)

    def resumed(self, before: str, after: str) -> Any:
        mender = import_module("jsonmend").Mender()
        mender.feed(before)
        return pickle.loads(pickle.dumps(mender)).feed(after)


@coroutine
def _next_fragment() -> Generator[None, str, str]:
    """Wait until a fragment is sent."""
    return (yield)


class JsonRiverPython(Peer):
    name = "jsonriver (Python)"
    package = "jsonriver"

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        """Run the coroutine until it waits for the next fragment."""
        parse = import_module("jsonriver").parse
        seen: list[Any] = [None]

        async def source() -> AsyncIterator[Any]:
            while True:
                yield await _next_fragment()

        async def run() -> None:
            async for seen[0] in parse(source()):
                pass

        running = run()
        running.send(None)
        for fragment in _texts(fragments):
            running.send(fragment)
            yield seen[0]
        running.close()

    def complete(self, text: str) -> Any:
        async def follow() -> Any:
            async def source() -> AsyncIterator[str]:
                yield text

            seen = [None]
            async for seen[0] in import_module("jsonriver").parse(source()):
                pass
            return seen[0]

        return asyncio.run(follow())

    def is_complete(self, text: str) -> bool:
        return succeeds(lambda: self.complete(text))


class Ijson(Peer):
    name = package = "ijson"
    notes: ClassVar[dict[str, str]] = {
        "values": "By hand, with its `ObjectBuilder`.",
        "paths": "An item of an array is called `item`, without its index; a key may have this name, too.",
        "linear": "Not one long string.",
        "depth": "Its basic events; those with a prefix take time with the square of the depth.",
    }

    def follow(self, fragments: Fragments) -> Iterator[Any]:
        ijson = import_module("ijson")
        events = ijson.sendable_list()
        coroutine = ijson.basic_parse_coro(events)
        builder = import_module("ijson.common").ObjectBuilder()
        for fragment in _bytes(fragments):
            coroutine.send(fragment)
            for event in events:
                builder.event(*event)
            del events[:]
            yield getattr(builder, "value", None)

    def reported(self, fragments: Fragments) -> list[Reported]:
        ijson = import_module("ijson")
        events = ijson.sendable_list()
        coroutine = ijson.parse_coro(events)
        reported: list[Reported] = []
        for fragment in _bytes(fragments):
            coroutine.send(fragment)
            reported.append([(prefix.split("."), value) for prefix, _, value in events])
            del events[:]
        return reported

    def run(self, fragments: Fragments) -> Any:
        return self.reported(fragments)

    def complete(self, text: str) -> Any:
        (value,) = import_module("ijson").items(io.BytesIO(text.encode()), "", use_float=True)
        return value

    def is_complete(self, text: str) -> bool:
        return succeeds(lambda: self.complete(text))

    def documents(self, text: str) -> list[Any]:
        return list(import_module("ijson").items(io.BytesIO(text.encode()), "", multiple_values=True))

    def exact(self, text: str) -> Any:
        (value,) = import_module("ijson").items(io.BytesIO(text.encode()), "")
        return value


class JsonStream(Peer):
    name = package = "json-stream"
    notes: ClassVar[dict[str, str]] = {"invalid": "It reads `[1 2]` as two items."}

    def reported(self, fragments: Fragments) -> list[Reported]:
        reported: list[Reported] = [[]]

        def source() -> Iterator[bytes]:
            for number, fragment in enumerate(_bytes(fragments)):
                if number:
                    reported.append([])
                yield fragment

        import_module("json_stream").visit(
            source(), lambda value, path: reported[-1].append((list(path), value))
        )
        return reported

    def complete(self, text: str) -> Any:
        library = import_module("json_stream")
        return library.to_standard_types(library.load(io.StringIO(text), persistent=True))

    def is_complete(self, text: str) -> bool:
        return succeeds(lambda: self.complete(text))

    def documents(self, text: str) -> list[Any]:
        library = import_module("json_stream")
        return [
            library.to_standard_types(one) for one in library.load_many(io.StringIO(text), persistent=True)
        ]


class Ijp(Peer):
    name = package = "ijp"
    notes: ClassVar[dict[str, str]] = {"invalid": "It reads `01` as 1."}

    def reported(self, fragments: Fragments) -> list[Reported]:
        with import_module("ijp").IncrementalJSONParser() as parser:
            reported: list[Reported] = []
            for fragment in fragments:
                parser.send(fragment)
                reported.append([(copy.copy(path), value) for path, _, value in parser])
            return reported

    def deltas(self, fragments: Fragments) -> list[str]:
        with import_module("ijp").IncrementalJSONParser() as parser:
            found = []
            for fragment in fragments:
                parser.send(fragment)
                found.append("".join(value for _, kind, value in parser if kind == "stringpart"))
            return found

    def complete(self, text: str) -> Any:
        return self.reported([text])


class NodePeer(Peer):
    """A library for JavaScript, run by features.mjs."""

    def runs_in_browser(self) -> bool:
        return bool(self.complete('{"a": 1}') == {"a": 1})

    def ask(self, fragments: Iterable[Any], what: str = "values", **more: Any) -> Any:
        parts = [part if isinstance(part, str) else list(part) for part in fragments]
        request = {"folder": str(NODE_FOLDER), "peer": self.package, "what": what, "fragments": parts, **more}
        done = subprocess.run(
            ["node", str(Path(__file__).with_name("features.mjs"))],
            input=json.dumps(request), capture_output=True, encoding="utf-8", timeout=60,
        )  # fmt: skip
        if done.returncode < 0 or not done.stdout:
            raise InvalidError(f"node ended with {done.returncode}: {done.stderr[-200:]}")
        return json.loads(done.stdout)

    def answer(self, fragments: Iterable[Any], **more: Any) -> Any:
        answer = self.ask(fragments, **more)
        if answer["error"] is not None:
            raise InvalidError(f"{answer['error']['name']}: {answer['error']['message']}")
        return answer

    def values(self, fragments: Fragments) -> list[Any]:
        return self._shown(fragments, "shown")

    def kept(self, fragments: Fragments) -> list[Any]:
        return self._shown(fragments, "later")

    def _shown(self, fragments: Fragments, which: str) -> list[Any]:
        answer = self.ask(fragments)
        if len(answer["shown"]) < len(fragments):
            raise InvalidError(answer["error"]["message"])
        shown: list[Any] = answer[which]
        return shown

    def run(self, fragments: Fragments) -> Any:
        return self.answer(fragments)["value"]

    def complete(self, text: str) -> Any:
        return self.answer([text])["value"]

    def is_complete(self, text: str) -> bool:
        return self.ask([text])["error"] is None

    def exact(self, text: str) -> Any:
        return self.complete(text)

    def seconds(self, _fragments: list[str]) -> float | None:
        milliseconds: float = self.answer(_fragments, what="time")["milliseconds"]
        return milliseconds / 1000

    @property
    def version(self) -> str | None:
        package = self._package()
        return None if package is None else str(package["version"])

    @property
    def is_typed(self) -> bool:
        folder = NODE_FOLDER / "node_modules" / self.package / "dist"
        return any(folder.rglob("*.d.ts"))

    @property
    def dependencies(self) -> list[str]:
        return list((self._package() or {}).get("dependencies", {}))

    def _package(self) -> dict[str, Any] | None:
        path = NODE_FOLDER / "node_modules" / self.package / "package.json"
        if not path.is_file():
            return None
        package: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return package


class JsonRiver(NodePeer):
    name = "jsonriver (npm)"
    package = "jsonriver"


class StreamParser(NodePeer):
    name = package = "@streamparser/json"

    def reported(self, fragments: Fragments) -> list[Reported]:
        return [
            [(path, value) for path, value in reported] for reported in self.answer(fragments)["reported"]
        ]

    def documents(self, text: str) -> list[Any]:
        found: list[Any] = self.answer([text], separator="\n")["documents"]
        return found


def _texts(fragments: Fragments) -> list[str]:
    if any(isinstance(fragment, bytes) for fragment in fragments):
        raise NotImplementedError
    return [str(fragment) for fragment in fragments]


def _bytes(fragments: Fragments) -> list[bytes]:
    return [
        fragment if isinstance(fragment, bytes) else fragment.encode("utf-8", "surrogatepass")
        for fragment in fragments
    ]


GROUPS: dict[str, list[type[Peer]]] = {
    "Libraries that parse the text so far again": [
        Jiter, PartialJsonParser, JsonRepair, LangChain, OpenAi, Anthropic,
    ],
    "Libraries that grow a value": [StreamingJsonParser, JsonMend, JsonRiverPython, JsonRiver],
    "Libraries that emit events": [Ijson, JsonStream, Ijp, StreamParser],
}  # fmt: skip
