"""Every fault that any endpoint may have, with what is said of it: for embeddings and for chat."""

import gzip
from typing import Final

from tests.fault_server import (
    Script,
    answer,
    dripping_body,
    dripping_head,
    flood,
    json_answer,
    redirect,
    silent,
    status,
    truncated,
)

KEY: Final = "sk-proj-0123456789abcdef"
BOMB: Final = gzip.compress(bytes(10**7))
REPEATED: Final = "its words are left out, since they repeat the key"
ENDLESS: Final = (silent, dripping_head, dripping_body)
FAULTS: Final[dict[str, tuple[Script, str]]] = {
    "silent": (silent, "no complete answer within 0.2 s"),
    "dripping head": (dripping_head, "no complete answer within 0.2 s"),
    "dripping body": (dripping_body, "no complete answer within 0.2 s"),
    "busy": (status(429, "slow down"), "HTTP 429 (slow down)"),
    "busy for long": (status(429, retry_after=3600), "HTTP 429"),
    "busy for ever": (status(503, retry_after="Fri, 31 Dec 99999999999 23:59:59 GMT"), "HTTP 503"),
    "not there yet": (status(503, f"loading for {KEY}"), f"HTTP 503 ({REPEATED})"),
    "error": (status(500, "out of memory"), "HTTP 500 (out of memory)"),
    "unknown key": (status(401, f"bad key {KEY}"), f"HTTP 401 ({REPEATED})"),
    "redirect": (redirect("http://127.0.0.1:1/"), "HTTP 307, a redirect, which is not followed"),
    "page": (answer(b"<html>", "text/html"), "the answer is text/html instead of JSON"),
    "other type": (answer(b"{}", "text/plain"), "the answer is text/plain instead of JSON"),
    "truncated": (truncated(b'{"message": {"'), "the answer broke off or is not HTTP"),
    "broken": (answer(b'{"data": [{"'), "the answer is not whole, valid JSON"),
    "nan": (json_answer({"a": float("nan")}), "the answer holds a number that is not finite"),
    "infinity": (json_answer({"a": -float("inf")}), "the answer holds a number that is not finite"),
    "half a character": (answer(b'{"a": "\\ud800"}'), "the answer is not UTF-8"),
    "error with 200": (json_answer({"error": "no GPU"}), "failed: no GPU"),
    "error of vLLM": (json_answer({"object": "error", "message": "no GPU"}), "failed: no GPU"),
    "key with 200": (json_answer({"error": f"{KEY[:12]}***"}), REPEATED),
    "key as a type": (answer(b"{}", f"text/{KEY}"), REPEATED),
    "300 MB": (flood(300), "the answer is longer than"),
    "bomb": (answer(BOMB, Content_Encoding="gzip"), "the answer is encoded as gzip, unasked"),
    "hung up": (lambda call: [], "the answer broke off or is not HTTP"),
    "nothing": (json_answer({}), "the answer holds no"),
    "a list": (json_answer([]), "the answer holds no"),
}
