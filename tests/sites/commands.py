"""Everything that the twin sites are asked, without who asks."""

from collections.abc import Iterator
from typing import Final

from tests.sites.corpus import DAY, HIDDEN_CODE, UNKNOWN_CODE, Command

SAM: Final = ["--user", "sam"]
ASKERS: Final = {"user": SAM, "operator": ["--scopes", "sales"]}
MODES: Final = ("lexical", "dense", "hybrid")
POLICIES: Final = ("weighted-65-35-around-3-v1", "rrf-60-v1")
CALIBRATED: Final = "How often must the GX-100 be calibrated?"
QUESTIONS: Final = (
    CALIBRATED,
    "What discount may a seller give?",
    "Combien de remise peut accorder un vendeur ?",
    "Is a refund paid within 30 days?",
    "When is the annual pay review?",
    f"How often must the {HIDDEN_CODE} be calibrated?",
    f"How often must the {UNKNOWN_CODE} be calibrated?",
    "Wie oft muss das Gerät kalibriert werden?",
    "校正は六か月ごと",
    "معايرة الجهاز",
    "calibrated travel discount refund leads seller",
    "the",
    "?!",
    f"What is the weight of the {HIDDEN_CODE} and of the GX-100?",
)


def daily() -> Iterator[Command]:
    """Asked for DAY or another day of 2025 and 2026."""
    for question in QUESTIONS:
        yield from _ranked(question)
    for options in _narrowed():
        for verb in ("search", "ask", "probe"):
            yield [verb, CALIBRATED, "--as-of", DAY, "--json", *options]
    for day in ("2025-02-01", "2025-12-31", "2026-01-01", "2026-12-31"):
        for verb in ("search", "ask"):
            yield [verb, QUESTIONS[1], "--json", "--as-of", day]


def _ranked(question: str) -> Iterator[Command]:
    asked = [question, "--as-of", DAY]
    for mode in MODES:
        for policy in POLICIES:
            yield ["search", *asked, "--json", "--mode", mode, "--policy", policy]
    yield ["search", *asked]
    yield ["probe", *asked, "--json"]
    yield ["ask", *asked]
    yield ["ask", *asked, "--json"]
    yield ["ask", *asked, "--json", "--policy", POLICIES[1]]


def _narrowed() -> Iterator[Command]:
    """Options that narrow, cut or re-rank; unusable ones, too."""
    for product in ("GX-100", "GX-200", HIDDEN_CODE, UNKNOWN_CODE):
        yield ["--product", product]
    for pair in ("region=north", "region=moon", "region=mars", "tags=field", "nothing=at all"):
        yield ["--filter", pair]
    yield ["--filter", "region=north", "--filter", "tags=manual"]
    yield ["--require", "battery"]
    yield ["--require", "dropped", "--require", HIDDEN_CODE, "--mode", "lexical"]
    yield ["--statuses", "current"]
    yield ["--min-cosine", "0"]
    yield ["--min-cosine", "0.6"]
    yield ["--min-cosine", "2"]
    for k in (0, 1, 2, 3, 5, 1000, 1001):
        yield ["--k", str(k)]


def archive() -> Iterator[Command]:
    """Asked for the archive, for copies, and for days on which expired and future papers count."""
    for question in QUESTIONS[:4]:
        for options in _archive_options():
            yield ["search", question, "--json", *options]
            yield ["ask", question, *options]
            yield ["probe", question, "--json", *options]


def _archive_options() -> Iterator[Command]:
    for statuses in ("historical", "superseded", "superseded,historical,current"):
        yield ["--as-of", DAY, "--statuses", statuses]
    yield ["--as-of", DAY, "--all-copies"]
    yield ["--as-of", DAY, "--all-copies", "--statuses", "historical,current", "--k", "3"]
    yield ["--as-of", "2024-05-01"]
    yield ["--as-of", "2027-06-01"]
