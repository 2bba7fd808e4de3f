"""The operators on a MiniCluster, over rows as the JVM sends them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyflink.common import Row

from jobs.rows import FRAME
from onnx_models.bundle import Bundle
from records.feedback import feedback
from records.frames import FrameRow
from records.matches import Match
from tests.jobs import minicluster
from tests.jobs.bundles import bundle
from tests.jobs.minicluster import audit, configuration, events, observations, of
from tests.jobs.rows import frame_row, match, tick_end

SLOW = {("cart", "latency"): 40.0, ("frontend", "latency"): 12.0}


@pytest.fixture(scope="module")
def loudest(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return bundle(tmp_path_factory.mktemp("bundle"))


def incident(graph: str, first: int, last: int, until: int) -> Iterator[FrameRow | Match]:
    """Ticks 0 to `until` of a graph whose cart is slow from `first` to `last` and alarms each second tick."""
    for tick in range(until + 1):
        slow = first <= tick <= last
        if slow and (tick - first) % 2:
            yield match(tick, graph=graph)
        yield frame_row(tick, SLOW if slow else None, graph=graph)


def test_two_graphs_one_of_them_stops_and_what_cannot_be_read(loudest: Bundle) -> None:
    rows = observations([*incident("shop", 10, 14, 39), *incident("bank", 12, 14, 14)])
    rows.insert(20, Row("shop", FRAME, rows[20][2], b"FLFR no frame row"))
    sent = minicluster.run(rows, configuration(loudest.path), loudest.manifest)
    shop = [event for event in events(sent) if event.graph == "shop"]
    bank = [event for event in events(sent) if event.graph == "bank"]
    assert [(event.revision, event.status, event.resolution) for event in shop] == [
        (1, "opened", None),
        (2, "resolved", "signals_back"),
    ]
    assert [(event.status, event.resolution) for event in bank] == [
        ("opened", None),
        ("resolved", "data_stopped"),
    ]
    assert bank[-1].time == tick_end(14) + 300_000
    first = shop[0]
    assert (first.method, first.root_causes[0].node, first.root_causes[0].signal) == (
        "model",
        "cart",
        "latency",
    )
    assert first.model is not None
    assert (first.model.name, first.model.sha256) == ("loudest", loudest.manifest.sha256)
    assert first.time == tick_end(11)
    assert len({event.incident_id for event in events(sent)}) == 2
    (letter,) = of(sent, "dead-letters")
    assert (letter.value, letter.headers["reason"]) == (b"FLFR no frame row", "unreadable")
    assert len(of(sent, "matches")) == 3
    assert len(of(sent, "frames")) == 40 + 15
    assert {line["type"] for line in audit(sent)} == {"scored"}


def test_a_model_that_answers_nan_is_ranked_by_the_fallback_and_marked(tmp_path: Path) -> None:
    broken = bundle(tmp_path, factor=float("nan"))
    rows = observations(incident("shop", 10, 12, 14))
    sent = minicluster.run(rows, configuration(broken.path, publish_frames=False), broken.manifest)
    assert {(event.method, event.reason, event.model) for event in events(sent)} == {
        ("fallback", "nonfinite_score", None)
    }
    assert events(sent)[0].root_causes[0].node == "cart"
    assert of(sent, "frames") == []
    assert not any(b"NaN" in each.value for each in sent)


def test_a_model_that_keeps_failing_is_left_aside_and_the_audit_says_so(tmp_path: Path) -> None:
    broken = bundle(tmp_path, factor=float("nan"))
    breaker = {"enabled": True, "window": 3, "share": 1.0, "pause": "1h"}
    config = configuration(broken.path, publish_frames=False, score={"capacity": 1, "breaker": breaker})
    sent = minicluster.run(observations(incident("shop", 10, 19, 30)), config, broken.manifest)
    lines = audit(sent)
    (change,) = [line for line in lines if line["type"] == "breaker"]
    assert (change["state"], change["reason"]) == ("open", "of the last 3 answers: 3 error")
    assert change["model"] == f"{broken.manifest.name}-{broken.manifest.version}"
    reasons = [line["reason"] for line in lines if line["type"] == "scored"]
    assert len(reasons) > 4
    assert reasons == ["nonfinite_score"] * 3 + ["breaker_open"] * (len(reasons) - 3)
    assert events(sent)[0].root_causes[0].node == "cart"


def test_what_is_to_be_quiet_opens_no_incident_and_is_in_the_audit(loudest: Bundle) -> None:
    rows = observations([*incident("shop", 10, 14, 30), *incident("bank", 10, 14, 30)])
    muted = [
        {"graph": "shop", "node": "cart", "pattern": "slow", "reason": "known"},
        {"graph": "bank", "since": "2026-01-01T00:00:00Z", "node": "cart", "reason": "upgrade"},
    ]
    sent = minicluster.run(rows, configuration(loudest.path, quiet=muted), loudest.manifest)
    assert events(sent) == []
    told = [(line["graph"], line.get("pattern"), line["why"]) for line in audit(sent)]
    assert set(told) == {("shop", "slow", "known"), ("bank", "slow", "upgrade")}
    assert len(of(sent, "matches")) == len(told) == 4


def test_a_quiet_cause_opens_no_incident_whoever_raised_the_alarm(loudest: Bundle) -> None:
    rows = observations(
        each.model_copy(update={"node": "frontend"}) if isinstance(each, Match) else each
        for each in incident("shop", 10, 14, 30)
    )
    muted = [{"node": "cart", "reason": "upgrade"}]
    sent = minicluster.run(rows, configuration(loudest.path, quiet=muted), loudest.manifest)
    assert events(sent) == []
    kept = [(line["node"], line["why"]) for line in audit(sent) if line["type"] == "hushed"]
    assert set(kept) == {("cart", "upgrade")}


def test_an_answer_that_comes_too_late_is_the_fallback_s_and_the_job_lives(loudest: Bundle) -> None:
    rows = observations(incident("shop", 10, 12, 14))
    config = configuration(loudest.path, score={"timeout_ms": 1, "batch_ms": 1})
    sent = minicluster.run(rows, config, loudest.manifest)
    assert [event.status for event in events(sent)] == ["opened", "resolved"]
    assert {line["reason"] for line in audit(sent)} <= {"timeout", None}
    assert "timeout" in {line["reason"] for line in audit(sent)}


def test_a_replay_gives_the_same_bytes(loudest: Bundle) -> None:
    rows = observations([*incident("shop", 10, 14, 39), *incident("bank", 12, 20, 39)])
    config = configuration(loudest.path)
    first, second = (minicluster.run(rows, config, loudest.manifest) for _ in range(2))
    assert sorted(map(repr, first)) == sorted(map(repr, second))


def test_nothing_in_nothing_out(loudest: Bundle) -> None:
    rows = observations([frame_row(0)])
    sent = minicluster.run(rows, configuration(loudest.path, publish_frames=False), loudest.manifest)
    assert sent == []


def test_a_dry_run_is_published_and_opens_no_incident(loudest: Bundle) -> None:
    told = [
        event.model_copy(update={"dry_run": True}) if isinstance(event, Match) else event
        for event in incident("shop", 10, 14, 30)
    ]
    sent = minicluster.run(observations(told), configuration(loudest.path), loudest.manifest)
    assert events(sent) == []
    matches = [Match.model_validate_json(each.value) for each in of(sent, "matches")]
    assert len(matches) == sum(isinstance(event, Match) for event in told) > 0
    assert all(each.dry_run for each in matches)


def test_a_weak_match_is_held_back_where_the_model_doubts_and_the_audit_says_so(loudest: Bundle) -> None:
    rows = observations(
        each.model_copy(update={"severity": "warning"}) if isinstance(each, Match) else each
        for each in incident("shop", 10, 14, 30)
    )
    told = minicluster.run(rows, configuration(loudest.path), loudest.manifest)
    (opened, _) = events(told)
    assert opened.anomaly_probability is not None
    above = {"hold_below": min(1.0, opened.anomaly_probability + 0.01)}
    kept = minicluster.run(rows, configuration(loudest.path, suspected=above), loudest.manifest)
    assert events(kept) == []
    held = [line for line in audit(kept) if line["type"] == "held_back"]
    assert held
    assert {line["incident_id"] for line in held} == {opened.incident_id}
    assert held[0]["anomaly_probability"] == opened.anomaly_probability


def test_an_incident_judged_false_is_retracted_whenever_the_verdict_is_read(loudest: Bundle) -> None:
    rows = observations(incident("shop", 10, 14, 39))
    config = configuration(loudest.path, publish_frames=False)
    (opened, *_) = events(minicluster.run(rows, config, loudest.manifest))
    given = feedback(opened, "false", tick_end(50))
    verdicts = [
        Row("shop", "feedback", given.time, given.model_dump_json().encode()),
        Row("", "feedback", 0, b"no verdict"),
    ]
    sent = minicluster.run(rows, config, loudest.manifest, verdicts)
    retracted = [each for each in events(sent) if each.status == "retracted"]
    assert [each.id for each in retracted] == [f"{opened.incident_id}:retracted"]
    assert max(events(sent), key=lambda each: each.order) == retracted[0]
    assert [line["verdict"] for line in audit(sent) if line["type"] == "judged"] == ["false"]
    (letter,) = of(sent, "dead-letters")
    assert (letter.value, letter.headers["kind"]) == (b"no verdict", "feedback")
