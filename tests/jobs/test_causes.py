"""Which nodes can be the cause of an alert: callees for answers, callers for load, over stirred nodes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from jobs.alerts import Alert
from jobs.causes import MAX_CAUSES, Causes
from jobs.signs import SHARE
from records.frames import FrameRow
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


def causes(tick: FrameRow, *alerts: Alert) -> list[set[str] | None]:
    """Of each of the alerts, by name."""
    known = Causes(tick, alerts)
    found = [known.of(each) for each in alerts]
    return [None if each is None else {tick.nodes[node] for node in each} for each in found]


def test_a_calm_callee_may_be_the_cause_and_nothing_beyond_it() -> None:
    assert causes(row(), alert(9, "shop")) == [{"shop", "cart"}]
    assert causes(row(), alert(9, "db")) == [{"db"}]


def test_trouble_with_answers_comes_from_below() -> None:
    tick = row({("cart", "latency"): 4.0, ("shop", "errors"): 3.5})
    gateway, db = causes(tick, alert(9, "gateway"), alert(9, "db"))
    assert gateway == {"gateway", "shop", "cart", "db", "mail"}
    assert db == {"db"}


def test_a_common_caller_is_the_cause_of_neither() -> None:
    shop, mail, gateway = causes(row(), alert(9, "shop"), alert(9, "mail"), alert(9, "gateway"))
    assert shop is not None
    assert mail is not None
    assert gateway is not None
    assert not shop & mail
    assert {"shop", "mail"} <= gateway


def test_a_common_callee_may_be_the_cause_of_both() -> None:
    cart, stock = causes(row(), alert(9, "cart"), alert(9, "stock"))
    assert cart is not None
    assert stock is not None
    assert cart & stock == {"db"}


def test_trouble_with_load_comes_from_above() -> None:
    tick = row({("gateway", "errors"): 9.0})
    shop, mail = causes(tick, alert(9, "shop", "traffic"), alert(9, "mail", "traffic"))
    assert shop == {"shop", "gateway", "mail"}
    assert mail == {"mail", "gateway", "shop"}
    assert causes(row(), alert(9, "shop", "traffic")) == [{"shop"}]


def test_what_a_callee_suffers_does_not_make_its_caller_busy() -> None:
    tick = row({("cart", "latency"): 40.0})
    assert causes(tick, alert(9, "shop", "cpu")) == [{"shop"}]
    assert causes(tick, alert(9, "shop", "latency")) == [{"shop", "cart", "db"}]


def test_a_silent_node_is_a_cause_for_those_above_and_below() -> None:
    tick = row(silent={"cart": 2})
    shop, db = causes(tick, alert(9, "shop"), alert(9, "db", "traffic"))
    assert shop is not None
    assert db is not None
    assert "cart" in shop & db


def test_what_cannot_show_it_passes_it_on() -> None:
    tick = row()
    tick.frames[NODES.index("cart"), SIGNAL_INDEX["latency"] :, SHARE] = 0.0
    assert causes(tick, alert(9, "shop"), alert(9, "db")) == [{"shop", "cart", "db"}, {"db"}]


def test_the_caller_may_be_the_cause_of_a_slow_call_but_not_its_other_callees() -> None:
    assert causes(row(), alert(9, "shop", peer="gateway")) == [{"shop", "gateway", "cart"}]


@pytest.mark.parametrize("node", ["lone", "someone-new"])
def test_nothing_is_known_of_a_node_without_calls(node: str) -> None:
    assert causes(row(), alert(9, node)) == [None]


def test_nothing_is_known_without_a_row() -> None:
    shop = alert(9, "shop")
    assert Causes(None, [shop]).of(shop) is None


def test_the_nearest_causes_of_a_long_chain_are_followed() -> None:
    count = 3_000
    nodes = tuple(f"n{number:04}" for number in range(count))
    order = np.random.default_rng(1).permutation(count)
    edges = tuple((nodes[a], nodes[b]) for a, b in itertools.pairwise(order))
    tick = frame_row(9, {(node, "latency"): 9.0 for node in nodes}, nodes=nodes, edges=edges)
    (found,) = causes(tick, alert(9, nodes[order[0]]))
    assert found == {nodes[place] for place in order[:MAX_CAUSES]}
