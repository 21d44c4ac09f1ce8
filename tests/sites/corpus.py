"""The papers of the twin sites: what sam may read, and what is hidden from him in every way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.sites.site import ACTOR, Site

Command = list[str]

DAY: Final = "2026-06-15"
# Stands in papers that are hidden from sam, and in those alone; the other stands nowhere.
HIDDEN_CODE: Final = "QX-900"
UNKNOWN_CODE: Final = "ZX-901"


@dataclass(frozen=True)
class Paper:
    """A file to import; its source id is ``scope/name``."""

    name: str
    text: str
    scope: str = "sales"
    approve: bool = True
    suffix: str = ".md"


def paper(name: str, body: str, scope: str = "sales", approve: bool = True, **front: str) -> Paper:
    """A text with front matter; in force since 2026-01-01 unless it says otherwise."""
    about = {"valid_from": "2026-01-01", "language": "en"} | front
    lines = "".join(f"{key}: {value}\n" for key, value in about.items())
    return Paper(name, f"---\n{lines}---\n{body.strip()}\n", scope, approve)


def facts(name: str, code: str, weight: str, scope: str = "sales", approve: bool = True) -> Paper:
    """Product facts of one code."""
    head = f'title = "Facts of {code}"\nvalid_from = 2026-01-01\n'
    table = f'[products.{code}]\nweight = "{weight}"\ncalibration = "every six months"\n'
    return Paper(name, head + table, scope, approve, ".facts.toml")


_MANUAL = """
# GX-100 manual

## Calibration

The GX-100 must be calibrated every six months by a trained person. However, a GX-100 that was
dropped must be calibrated at once.

## Storage

- Keep the analyser dry and below 40 °C.
- Remove the battery before storing it for more than a month.
"""
_LEADS = "# Leads\n\nA new lead is answered within two working days by the seller on duty.\n"

VISIBLE: Final = (
    paper("gx100", _MANUAL, product="GX-100", region="north", tags="[manual, field]"),
    paper("gx100-card", _MANUAL.replace("a trained", "a certified"), product="GX-100"),
    paper(
        "gx200",
        "# GX-200 manual\n\n## Calibration\n\nThe GX-200 must be calibrated every twelve months.\n"
        "\n## Mounting\n\nMount the GX-200 on a wall, two metres above the floor.",
        product="GX-200",
        region="south",
    ),
    paper(
        "discounts",
        "# Discounts\n\nA seller may give a discount of five percent on the list price.",
        version="1",
        valid_from="2025-01-01",
    ),
    paper(
        "refunds",
        "# Refunds\n\nA refund is paid within 30 days of the return. Except for opened packages, "
        "the full price is paid back.",
        valid_from="2025-03-01",
        owner="finance",
    ),
    paper(
        "remises",
        "# Remises\n\nUn vendeur peut accorder une remise de cinq pour cent sur le prix. "
        "L’appareil GX-100 doit être calibré tous les six mois.",
        language="fr",
    ),
    Paper("leads", _LEADS.replace("# ", "---\nvalid_from: 2026-01-01\n---\n# ", 1)),
    Paper("leads-again", _LEADS.replace("# ", "---\nvalid_from: 2026-01-01\n---\n# ", 1)),
    paper(
        "discounts",
        "# Discounts\n\nA seller may give a discount of seven percent on the list price. "
        "A manager may give ten percent.",
        version="2",
    ),
    paper(
        "visits",
        "# Visits\n\n| place | sellers | budget |\n|---|---|---|\n| Oslo | two | 300 euros |\n"
        "| Lyon | one | 250 euros |\n\nTravel to a customer is booked a week ahead.",
        region="north",
    ),
    paper("tenders", "# Tenders\n\nA tender above 10000 euros is signed by two managers."),
    paper("prices-2019", "# Prices\n\nThe GX-100 costs 900 euros.", status="historical"),
    paper("prices-2020", "# Prices\n\nThe GX-100 costs 950 euros.", status="superseded"),
    paper("gx100-mirror", _MANUAL + "\nMirrored.", canonical="false"),
    facts("products", "GX-100", "1.2 kg"),
)

_SECRET = (
    "# GX-100 manual\n\n## Calibration\n\nThe GX-100 and the QX-900 must be calibrated every week. "
    "A seller may give a discount of ninety percent. A refund is paid in travel vouchers."
)
_GERMAN = "# Rabatt\n\nDas Gerät GX-100 muss jede Woche kalibriert werden; QX-900 täglich."
_ARABIC = "# معايرة\n\nيجب معايرة الجهاز GX-100 كل أسبوع و QX-900 كل يوم."
_JAPANESE = "# 校正\n\nGX-100の校正は六か月ごとに行う。QX-900は毎日。"
_NINE = (("a", ""), ("b", "\n\nTravel is booked late."), ("c", "\n\nLeads wait for two weeks."))

HR: Final = (
    Paper("gx100", VISIBLE[0].text, "hr"),
    Paper("leads", VISIBLE[6].text, "hr"),
    facts("products", HIDDEN_CODE, "9 kg", "hr"),
    paper("secret", _SECRET, "hr", product=HIDDEN_CODE, region="moon"),
    paper("geraet", _GERMAN, "hr", language="de", product="GX-100"),
    paper("jihaz", _ARABIC, "hr", language="ar"),
    paper("kosei", _JAPANESE, "hr", language="ja"),
    paper(
        "remises", "# Remises\n\nUn vendeur peut accorder une remise de 90 %.", "hr", language="fr"
    ),
    paper("pay", "# Pay\n\nThe annual pay review of every seller is in March.", "hr"),
    *(paper(f"more-{at}", _SECRET + more, "hr") for at, more in _NINE),
)
# Further papers that sam may read, until they are withdrawn.
BRIEF: Final = (
    paper("brief", _SECRET + "\n\nUntil further notice.", product="GX-100", region="north"),
    paper("brief-rabatt", _GERMAN + "\n\nBis auf weiteres.", language="de", product="GX-100"),
)
PENDING: Final = (
    paper("pending-new", _SECRET + "\n\nPending.", approve=False, region="moon"),
    paper("pending-undated", _SECRET + "\n\nUndated.", approve=False, valid_from=""),
    paper("gx100", _SECRET + "\n\nRevised.", approve=False, version="draft", product="GX-100"),
    paper("discounts", _SECRET + "\n\nThird.", approve=False, version="3"),
    paper("pending-rabatt", _GERMAN + "\n\nEntwurf.", approve=False, language="de"),
    facts("pending-facts", HIDDEN_CODE, "7 kg", approve=False),
    facts("products", "GX-100", "0.1 kg", approve=False),
)
WITHDRAWN: Final = (
    paper("withdrawn-early", _SECRET + "\n\nWithdrawn.", product=HIDDEN_CODE),
    paper("withdrawn-late", _SECRET + "\n\nWithdrawn late.", region="moon"),
    paper("withdrawn-kosei", _JAPANESE + "\n\n古い。", language="ja"),
)
ERASED: Final = (
    paper("erased-early", _SECRET + "\n\nErased.", product=HIDDEN_CODE),
    paper("erased-late", VISIBLE[2].text.partition("---\n# ")[2]),
)
# Hidden from whoever asks for DAY, but not from who asks for another day or for the archive.
NOT_TODAY: Final = (
    paper("expired", _SECRET + "\n\nExpired.", valid_from="2024-01-01", valid_until="2024-12-31"),
    paper("refunds", _SECRET + "\n\nBefore.", valid_from="2024-01-01", valid_until="2024-06-30"),
    paper("future", _GERMAN + "\n\nBald.", language="de", valid_from="2027-01-01"),
    paper("archive", _SECRET + "\n\nArchived.", status="historical", region="moon"),
    paper("archive-open", _SECRET + "\n\nReplaced.", status="superseded"),
    paper("refunds", _SECRET + "\n\nOf old.", version="old", status="historical"),
    paper("not-canonical", _SECRET + "\n\nCopied.", canonical="false", language="nl"),
)
UNINDEXED: Final = (paper("unindexed", _SECRET + "\n\nUnindexed.", "hr"),)


def build(site: Site, hidden: Sequence[Paper] = (), visible: Sequence[Paper] = VISIBLE) -> None:
    """Import, rebuild, withdraw, rebuild, and withdraw again: hidden papers among visible ones."""
    files = site.home / "files"
    site.do(
        [
            ["grant", "sales", "--group", "sellers", "--create-scope"],
            *(
                _import(files, number, paper)
                for number, paper in enumerate(_mixed(hidden, visible))
            ),
            ["rebuild"],
            *_gone(hidden, "early"),
            ["rebuild"],
            *_gone(hidden, "late"),
            *_gone(hidden, "kosei"),
            *(_import(files, 1000, paper) for paper in UNINDEXED if hidden),
        ]
    )


def add(site: Site, papers: Sequence[Paper]) -> None:
    """Import further papers and rebuild."""
    files = site.home / "files"
    imports = [_import(files, 2000 + number, paper) for number, paper in enumerate(papers)]
    site.do([*imports, ["rebuild"]])


def _mixed(hidden: Sequence[Paper], visible: Sequence[Paper]) -> Iterator[Paper]:
    """Hidden papers before, between and after the visible ones, which keep their order."""
    step = len(visible) + 1
    for at, shown in enumerate(visible):
        yield from hidden[at::step]
        yield shown
    yield from hidden[len(visible) :: step]


def _import(files: Path, number: int, paper: Paper) -> Command:
    file = files / str(number) / f"{paper.name}{paper.suffix}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(paper.text, encoding="utf-8")
    asked = ["--approve"] if paper.approve else []
    where = ["--scope", paper.scope, "--create-scope", "--prefix", paper.scope]
    return ["import_sources", str(file), *where, *asked, "--actor", ACTOR]


def _gone(hidden: Sequence[Paper], when: str) -> Iterator[Command]:
    for paper in hidden:
        kind, _, time = paper.name.partition("-")
        verb = {"withdrawn": "withdraw", "erased": "erase"}.get(kind)
        if verb and time == when:
            reason = ["--actor", ACTOR, "--reason", "test"]
            yield [verb, f"{paper.scope}/{paper.name}", *reason]


ALWAYS_HIDDEN: Final = (*HR, *PENDING, *WITHDRAWN, *ERASED)
HIDDEN_TODAY: Final = (*ALWAYS_HIDDEN, *NOT_TODAY)
