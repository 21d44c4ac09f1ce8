"""What a hung chat model costs a site: pages of search before and while four questions wait.

    python -m benchmarks.waiting

A demo site in a temporary folder behind gunicorn (one worker, four threads), and a chat endpoint
on loopback that takes requests and never answers.
"""

import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import httpx

from tests.browser.serving import Running, demo_site, serve
from tests.fault_server import fault_server, silent

QUESTION: Final = "Where can I export CSV in Reporting?"
TOKEN: Final = re.compile(r'csrfmiddlewaretoken" value="(\w+)"')
SEARCHES: Final = 40


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, fault_server() as provider:
        home = demo_site(Path(folder) / "home")
        provider.plays("/api/chat", silent)
        chat = {"EVIDENCE_CHAT_ENDPOINT": provider.address, "EVIDENCE_CHAT_MODEL": "hung"}
        chat["EVIDENCE_CHAT_WAITING_EACH"] = "9"  # one person asks all five
        with serve(home, EVIDENCE_ANSWER_MODE="baseline", **chat) as site:
            measure(site)


def measure(site: Running) -> None:
    cookie = site.session_of("erin")
    cookies = {cookie["name"]: cookie["value"]}
    with httpx.Client(base_url=site.address, cookies=cookies, timeout=60) as client:
        searched(client)  # the first ones load the index
        print("search, nobody waits:", searched(client))
        for number in range(1, 6):
            print(f"question {number}:", timed(lambda: asked(client)))
        print("search, four wait:", searched(client))


def asked(client: httpx.Client) -> int:
    """The status of a question."""
    found = TOKEN.search(client.get("/ask/").text)
    assert found
    form = {"q": QUESTION, "csrfmiddlewaretoken": found[1]}
    return client.post("/ask/", data=form).status_code


def searched(client: httpx.Client) -> str:
    """Median and p95 of a page of search."""
    took = []
    for _ in range(SEARCHES):
        start = time.perf_counter()
        client.get("/search/?q=export+csv").raise_for_status()
        took.append((time.perf_counter() - start) * 1000)
    return f"{statistics.median(took):.0f} ms, p95 {sorted(took)[SEARCHES * 19 // 20]:.0f} ms"


def timed(ask: Callable[[], int]) -> str:
    start = time.perf_counter()
    status = ask()
    return f"HTTP {status} after {(time.perf_counter() - start) * 1000:.0f} ms"


if __name__ == "__main__":
    main()
