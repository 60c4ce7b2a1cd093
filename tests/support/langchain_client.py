"""Use the parser in real chains of langchain-core, and print what comes of it as JSON.

Its argument is the address of a server.
"""

from __future__ import annotations

import asyncio
import doctest
import json
import sys
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessageChunk
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.runnables import RunnableGenerator

from midstream.integrations import langchain as parser_module
from midstream.integrations.langchain import MidstreamJsonParser

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

TEXT = '{"city": "Oslo", "days": [1, 25, null], "note": "é\\n"}'


def model(_: Any) -> Iterator[Any]:
    for number in range(0, len(TEXT), 3):
        piece = TEXT[number : number + 3]
        blocks: Any = [{"type": "text", "text": piece}, {"type": "reasoning", "reasoning": "?"}]
        yield AIMessageChunk(content=blocks if number % 2 else piece)


async def amodel(_: Any) -> AsyncIterator[Any]:
    for chunk in model(None):
        yield chunk


def provider(url: str) -> Any:
    """Read the provider's endless stream, one connection for each use."""

    def events(_: Any) -> Iterator[Any]:
        with urlopen(Request(url, b"{}"), timeout=10) as response:
            for line in response:
                if line.startswith(b"data:"):
                    delta = json.loads(line[5:])["choices"][0]["delta"]
                    yield AIMessageChunk(content=delta["content"])

    return events


FENCED = ["Here it", " is:\n``", '`json\n{"a": ', '"b"}\n`', "``\nBye."]


MISTAKES = ["Here it", " is:\n``", "`json\n{a: ", "'b',}\n`", "``\nBye."]


async def found_by(parser: Any, texts: list[str]) -> Any:
    """Find JSON in all ways."""

    async def pieces() -> AsyncIterator[str]:
        for piece in texts:
            yield piece

    found = [value async for value in parser.atransform(pieces())]
    return [list(parser.transform(iter(texts))), found, parser.parse("".join(texts))]


def failure(text: str) -> str:
    try:
        list(MidstreamJsonParser().transform(iter([text])))
    except OutputParserException as error:
        return str(error)
    return ""


def main() -> None:
    server = sys.argv[1]
    chain: Any = RunnableGenerator(model, amodel) | MidstreamJsonParser()

    async def astream() -> list[Any]:
        return [value async for value in chain.astream("?")]

    endless: Any = RunnableGenerator(provider(f"{server}/lc/chat/completions")) | MidstreamJsonParser()
    values = endless.stream("?")
    first = [next(values) for _ in range(3)][-1]
    values.close()
    with urlopen(f"{server}/lc/closed", timeout=10) as answer:
        is_closed, written = json.load(answer)
    results = {
        "invoke": chain.invoke("?"),
        "stream": list(chain.stream("?")),
        "astream": asyncio.run(astream()),
        "theirs": list((RunnableGenerator(model) | JsonOutputParser()).stream("?")),
        "invalid": failure('{"a": tru?'),
        "truncated": failure('{"a": "b'),
        "endless": [first, is_closed, written],
        "fenced": asyncio.run(found_by(MidstreamJsonParser(extract=True), FENCED)),
        "mistakes": asyncio.run(found_by(MidstreamJsonParser(extract=True, dialect="lenient"), MISTAKES)),
        "lenient": asyncio.run(found_by(MidstreamJsonParser(dialect="lenient"), ["{a: ", "'b',}"])),
        "instructions": MidstreamJsonParser().get_format_instructions(),
    }
    results["examples"] = doctest.testmod(parser_module)._asdict()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
