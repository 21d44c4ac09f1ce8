"""Measures what the site adds around a chat model's own time, and its memory over many questions.

    .venv/bin/python -m benchmarks.chatting [--asks 1000] [--profile hashing] [--shared ../shared]

Builds a site of some handbook pages in a temporary folder and a server on loopback that answers
like Ollama, at once and with a quotation of the first excerpt. ``added`` is the time of a whole
question less the search, the choice of excerpts and the server's own time: prompts, HTTP, gate
and record, in milliseconds. Prints JSON.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks.rebuilding import OPERATOR, imported, manage
from benchmarks.serving import ready, rss_mb
from tests.fault_server import Call, FaultServer, fault_server, json_answer

MODES: Final = ("baseline", "tool", "provider")
QUESTIONS: Final = ("How is leave requested?", "Who approves travel?", "What is a pull request?")


class Model:
    """Answers at once, and adds up how long that took."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def play(self, call: Call) -> Any:
        started = time.perf_counter()
        body = json_answer(self.reply(call.body))(call)
        self.seconds += time.perf_counter() - started
        return body

    def reply(self, asked: Any) -> dict[str, Any]:
        if "tools" in asked:
            function = {"name": asked["tools"][0]["function"]["name"], "arguments": {}}
            return {"message": {"content": "", "tool_calls": [{"function": function}]}}
        sent = "\n".join(message["content"] for message in asked["messages"])
        line = next(line for line in sent.splitlines() if line.startswith('{"alias": "S1", "c'))
        quoted = [{"alias": "S1", "quote": json.loads(line)["text"]}]
        return {"message": {"content": json.dumps({"can_answer": True, "quotes": quoted})}}


def measured(mode: str, asks: int, server: FaultServer) -> dict[str, Any]:
    """One mode: milliseconds added to a question, and resident memory early and late."""
    from django.utils.timezone import localdate

    from rag.actions import asking, chatting, proposing
    from rag.actions.profiles import configured
    from rag.core.chat import AnswerMode
    from rag.core.retrieval import Options
    from rag.core.sources import Selection
    from rag.queries.eligibility import access_of_scopes

    model, parts, started = Model(), configured(), [0.0]
    server.plays("/api/chat", model.play)

    def put_to_model(*given: Any) -> Any:
        started[0] = time.perf_counter()
        return chatting.put_to_model(*given)

    access = access_of_scopes(frozenset({"public"}), localdate())
    added, memory, accepted = list[float](), list[float](), 0
    for number in range(asks):
        model.seconds = 0.0
        question = QUESTIONS[number % len(QUESTIONS)]
        with patch.object(proposing, "put_to_model", put_to_model):
            asked = asking.ask(question, access, Selection(), Options(), parts, AnswerMode(mode))
        added.append((time.perf_counter() - started[0] - model.seconds) * 1000)
        accepted += asked.verdict.accepted
        memory.append(rss_mb())
        server.calls.clear()
    ranked = sorted(added)
    return {
        "accepted": accepted,
        "added median": round(statistics.median(ranked), 1),
        "added p95": round(ranked[int(len(ranked) * 0.95)], 1),
        "memory after a tenth, MB": round(memory[len(memory) // 10], 1),
        "memory at the end, MB": round(memory[-1], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--asks", type=int, default=1000)
    parser.add_argument("--profile", default="hashing")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    options = parser.parse_args()
    books = sorted((options.shared / "eval" / "handbooks").rglob("*.md"))[:60]
    with tempfile.TemporaryDirectory() as scratch, fault_server() as server:
        home, folder = Path(scratch) / "home", Path(scratch) / "books"
        folder.mkdir()
        for number, book in enumerate(books):
            (folder / f"{number:04}.md").write_bytes(book.read_bytes())
        os.environ |= {
            "EVIDENCE_PROFILE": options.profile,
            "EVIDENCE_ANSWER_MODES": ",".join(MODES),
            "EVIDENCE_CHAT_ENDPOINT": server.address,
        }
        manage(home, "migrate")
        manage(home, "shell", "--command", OPERATOR)
        imported(home, folder)
        manage(home, "rebuild")
        ready(home)
        print(json.dumps({mode: measured(mode, options.asks, server) for mode in MODES}, indent=1))


if __name__ == "__main__":
    main()
