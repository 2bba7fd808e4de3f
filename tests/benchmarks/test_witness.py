"""What the witness takes for fed is what the feeder sends, and what it takes for lost or twice is."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from benchmarks import witness
from benchmarks.live import PAST
from benchmarks.live_feed import feed
from benchmarks.load import Load

SMALL = Load(graphs=3, nodes=5, interval_ms=1_000, chunk=2)


def test_what_was_fed_is_what_the_feeder_sends() -> None:
    count = 300
    sent = witness.fed(SMALL, count)
    for place, (time_ms, payload) in enumerate(islice(feed(SMALL, PAST), count)):
        resources = ExportMetricsServiceRequest.FromString(payload).resource_metrics
        names = [
            {pair.key: pair.value.string_value for pair in each.resource.attributes} for each in resources
        ]
        assert time_ms == sent.times[place]
        assert {each["service.namespace"] for each in names} == {f"graph-{sent.graphs[place]}"}
        assert len(names) == sent.nodes[place]
        assert ("node-0" in {each["service.name"] for each in names}) == sent.first[place]
    assert sent.samples == sent.nodes.sum() * 30


def test_only_what_event_time_has_passed_must_have_matched() -> None:
    sent = witness.fed(SMALL, 300)
    last = int(sent.times[-1])
    assert max(time for _, time in sent.matched) < last - 1_000
    assert sent.seen == sum(sent.nodes[sent.times < last - 1_000])


def test_a_lost_and_a_second_match_are_told() -> None:
    sent = witness.fed(SMALL, 300)
    lines = [_line(*where) for where in sorted(sent.matched)]
    witness.compare(sent, witness.told([*lines, _line("graph-0", 0, "another")]))
    for wrong, said in ((lines[1:], "1 did not match"), (lines + lines[:1], "1 twice")):
        with pytest.raises(RuntimeError, match=said):
            witness.compare(sent, witness.told(wrong))


def _line(graph: str, time: int, pattern: str = witness.NAME) -> bytes:
    return json.dumps({"pattern": pattern, "graph": graph, "steps": [{"samples": [{"time": time}]}]}).encode()
