"""The evaluation sets as sites and cases: what each imports, and what is asked of it."""

from benchmarks.evalsets import gates, handbooks, passages, spans, versions

SETS = {
    "handbooks": handbooks.load,
    "versions": versions.load,
    "chroma": spans.chroma,
    "contracts": spans.contracts,
    "scifact": passages.scifact,
    "xquad": passages.xquad,
    "nomiracl": gates.nomiracl,
    "ramdocs": gates.ramdocs,
}
