"""Figures of cases, by hand-computed examples and against pytrec_eval on random rankings."""

import random
from dataclasses import dataclass
from typing import Final

import pytest
import pytrec_eval

from rag.core.cases import Case, Relevant
from rag.core.evaluation import CaseFigures, Outcome, figures_of, summary


@dataclass(frozen=True)
class Slice:
    """A hit or quotation; its version matters only where a case names one."""

    source_id: str
    start_char: int = 0
    end_char: int = 10
    version: str = "1"


A: Final = Relevant("a", 0, 10)
B: Final = Relevant("b", 100, 110)


def case(*relevant: Relevant, answerable: bool = True) -> Case:
    return Case("c-1", "Which?", frozenset({"public"}), answerable=answerable, relevant=relevant)


def figures(
    spans: tuple[Relevant, ...],
    hits: tuple[Slice, ...],
    k: int = 5,
    chunks: int | None = None,
    quotations: tuple[Slice, ...] | None = None,
    answerable: bool = True,
) -> CaseFigures:
    total = len(spans) if chunks is None else chunks
    asked = case(*spans, answerable=answerable)
    return figures_of(Outcome(asked, hits, 0, total, quotations), k)


def test_recall_counts_the_spans_that_some_hit_overlaps() -> None:
    found = figures((A, B), (Slice("a"), Slice("x")))
    assert (found.recall, found.failed) == (0.5, True)


def test_hits_beyond_k_do_not_count() -> None:
    assert figures((A,), (Slice("x"), Slice("a")), k=1).recall == 0


def test_touching_is_no_overlap() -> None:
    assert figures((A,), (Slice("a", 10, 20),)).recall == 0
    assert figures((A,), (Slice("a", 9, 20),)).recall == 1


def test_another_source_or_version_is_not_relevant() -> None:
    assert figures((A,), (Slice("b", 0, 10),)).recall == 0
    named = Relevant("a", 0, 10, version="2")
    assert figures((named,), (Slice("a"),)).recall == 0
    assert figures((named,), (Slice("a", version="2"),)).recall == 1


def test_answerable_case_without_relevant_spans_has_recall_0_and_is_failed() -> None:
    found = figures((), (Slice("a"),))
    assert (found.recall, found.reciprocal_rank, found.ndcg, found.failed) == (0, 0, 0, True)


def test_unanswerable_case_carries_no_retrieval_score() -> None:
    found = figures((), (Slice("a"),), answerable=False)
    assert (found.recall, found.reciprocal_rank, found.ndcg) == (None, None, None)
    assert not found.failed


def test_rank_of_the_first_relevant_hit() -> None:
    hits = (Slice("x"), Slice("a"), Slice("b", 100, 110))
    found = figures((A, B), hits)
    assert found.reciprocal_rank == 1 / 2
    # Gains at ranks 2 and 3 of two relevant chunks: (0.6309 + 0.5) / (1 + 0.6309).
    assert found.ndcg == pytest.approx(0.6934, abs=1e-4)


def test_ndcg_counts_the_relevant_chunks_that_were_not_found() -> None:
    assert figures((A,), (Slice("a"),), chunks=2).ndcg == pytest.approx(1 / 1.6309, abs=1e-4)


def test_a_whole_source_counts_once() -> None:
    hits = (Slice("x"), Slice("x", 10, 20), Slice("a"), Slice("a", 10, 20))
    found = figures((Relevant("a"),), hits, k=2)
    assert (found.recall, found.reciprocal_rank) == (1, 1 / 2)
    assert found.char_recall is None


def test_characters_count_once_however_many_hits_hold_them() -> None:
    hits = (Slice("a", 5, 15), Slice("a", 5, 15), Slice("a", 12, 20), Slice("x", 0, 5))
    found = figures((A, B), hits)
    # 5 of 20 gold characters are among 15 + 5 shown.
    assert (found.char_recall, found.char_precision) == (5 / 20, 5 / 20)
    assert found.char_iou == 5 / 35


def test_quotations_are_measured_like_hits() -> None:
    found = figures((A,), (), quotations=(Slice("a", 0, 5),))
    assert (found.quote_recall, found.quote_precision, found.quote_iou) == (0.5, 1, 0.5)
    assert (found.citations, found.valid_citations, found.wrongly_refused) == (1, 1, 0)


def test_answers_and_refusals_that_should_not_be() -> None:
    refused = figures((A,), (Slice("a"),), quotations=())
    assert (refused.wrongly_refused, refused.quote_recall, refused.failed) == (1, 0, True)
    answered = figures((), (), quotations=(Slice("x"),), answerable=False)
    assert (answered.wrongly_answered, answered.quote_recall, answered.failed) == (1, None, True)
    silent = figures((), (), quotations=(), answerable=False)
    assert (silent.wrongly_answered, silent.wrongly_refused, silent.failed) == (0, 0, False)


def test_a_hit_out_of_scope_fails_a_case() -> None:
    found = figures_of(Outcome(case(A), (Slice("a"),), 1, 1), 5)
    assert (found.recall, found.failed) == (1, True)


def test_citation_precision_is_that_of_all_citations() -> None:
    both = (Slice("a", 0, 5), Slice("x", 0, 5))
    cases = [figures((A,), (), quotations=both), figures((A,), (), quotations=(Slice("a"),))]
    assert summary(cases, ["1", "2"])["citation_precision"] == 2 / 3
    assert summary([figures((A,), ())], ["1"])["citation_precision"] == 1.0


def test_a_summary_averages_what_there_is() -> None:
    cases = [figures((A,), (Slice("a"),)), figures((A,), ()), figures((), (), answerable=False)]
    found = summary(cases, ["1", "2", "3"])
    assert (found["cases"], found["recall"], found["quote_recall"]) == (3, 0.5, None)
    assert found["failed_case_ids"] == ["2"]


@pytest.mark.parametrize("seed", range(30))
def test_ranks_agree_with_pytrec_eval(seed: int) -> None:
    rng = random.Random(seed)
    sources = [f"s{n}" for n in range(30)]
    k, ranking = rng.randint(1, 15), rng.sample(sources, rng.randint(0, 25))
    relevant = rng.sample(sources, rng.randint(1, 8))
    spans = tuple(Relevant(name, 0, 10) for name in relevant)
    found = figures(spans, tuple(map(Slice, ranking)), k)
    run = {name: float(-rank) for rank, name in enumerate(ranking)}
    measures = {f"recall.{k}", f"ndcg_cut.{k}", "recip_rank"}
    judge = pytrec_eval.RelevanceEvaluator({"q": dict.fromkeys(relevant, 1)}, measures)
    theirs = judge.evaluate({"q": run}).get("q", dict.fromkeys(map(_flat, measures), 0.0))
    assert found.recall == pytest.approx(theirs[f"recall_{k}"])
    assert found.ndcg == pytest.approx(theirs[f"ndcg_cut_{k}"])
    first = theirs["recip_rank"]  # over the whole ranking
    assert found.reciprocal_rank == pytest.approx(first if first >= 1 / k else 0)


def _flat(measure: str) -> str:
    return measure.replace(".", "_")
