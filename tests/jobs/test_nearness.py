"""Which alerts may share a cause: calls, stirred nodes between, common callees, nodes nobody knows about."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from jobs.alerts import Alert
from jobs.nearness import Nearness
from jobs.signs import SHARE
from records.frames import NEVER_SEEN, PRESENT, FrameRow
from records.signals import SIGNAL_INDEX
from tests.jobs.rows import alert, frame_row

#        gateway
#       /       \
#    shop        mail
#     |            |
#    cart        queue      lone
#     |            |
#    db  <- stock  relay
NODES = ("cart", "db", "gateway", "lone", "mail", "queue", "relay", "shop", "stock")
EDGES = (
    ("gateway", "shop"),
    ("gateway", "mail"),
    ("shop", "cart"),
    ("cart", "db"),
    ("stock", "db"),
    ("mail", "queue"),
    ("queue", "relay"),
)


def row(wrong: Mapping[tuple[str, str], float] | None = None, **more: object) -> FrameRow:
    return frame_row(9, wrong, nodes=NODES, edges=EDGES, **more)  # type: ignore[arg-type]


def joins(tick: FrameRow | None, one: str, other: str) -> bool:
    first, second = alert(9, one), alert(9, other)
    near = Nearness(tick, [first, second])
    found = near.joins(first, [second])
    assert found == near.joins(second, [first])
    return found


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("cart", "db", True),
        ("shop", "cart", True),
        ("cart", "stock", True),
        ("shop", "mail", False),
        ("shop", "db", False),
        ("db", "relay", False),
        ("gateway", "db", False),
        ("lone", "db", True),
    ],
)
def test_calm_nodes_join_only_those_who_call_them(one: str, other: str, together: bool) -> None:
    assert joins(row(), one, other) is together


def test_a_cascade_joins_through_nodes_that_deviate_a_little() -> None:
    assert not joins(row({("cart", "latency"): 4.0}), "gateway", "db")
    assert joins(row({("cart", "latency"): 4.0, ("shop", "errors"): -3.5}), "gateway", "db")


def test_a_silent_node_carries_a_cascade() -> None:
    assert joins(row(silent={"cart": 2}), "shop", "db")


@pytest.mark.parametrize("presence", [NEVER_SEEN, PRESENT])
def test_what_cannot_show_it_carries_a_cascade_only_from_above(presence: int) -> None:
    tick = row()
    hidden = [NODES.index(name) for name in ("cart", "gateway")]
    tick.frames[hidden, SIGNAL_INDEX["latency"] :, SHARE] = 0.0
    tick.presence[hidden] = presence
    assert joins(tick, "shop", "db")
    assert not joins(tick, "shop", "mail")


def test_nothing_is_known_without_a_row_or_without_the_node() -> None:
    assert joins(None, "shop", "mail")
    assert joins(row(), "shop", "someone-new")


def test_both_ends_of_a_call_count() -> None:
    call: Alert = alert(9, "shop", peer="gateway")
    other = alert(9, "mail")
    assert Nearness(row(), [call, other]).joins(other, [call])


def test_groups_of_a_long_chain_are_found() -> None:
    count = 3_000
    nodes = tuple(f"n{number:04}" for number in range(count))
    order = np.random.default_rng(1).permutation(count)
    edges = tuple((nodes[a], nodes[b]) for a, b in itertools.pairwise(order))
    wrong = {(node, "latency"): 9.0 for node in nodes}
    tick = frame_row(9, wrong, nodes=nodes, edges=edges)
    first, last = alert(9, nodes[order[0]]), alert(9, nodes[order[-1]])
    assert Nearness(tick, [first, last]).joins(first, [last])
    cut = frame_row(9, wrong, nodes=nodes, edges=(*edges[:1_500], *edges[1_501:]))
    assert not Nearness(cut, [first, last]).joins(first, [last])
