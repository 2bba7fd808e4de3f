"""Random patterns, as documents: every construct of the language, half of them refused."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

CONDITIONS = st.sampled_from(
    [
        "value > 1",
        "not (z < 3 or rel is None)",
        'signal == "cpu" and value - baseline > 2 * spread',
        'metric.startswith(("cpu", "mem")) or "disk" in metric.lower()',
        'labels["pod"] not in ("a", "b") and peer is not None',
        "-value % 2 >= max(abs(z), 1.5, log(value)) - (1 - delta)",
        "value / (z - 1) - 1 < sqrt(value) / 2 / 3",
        "0 < value <= 10",
        'not "a" in node',
    ]
)
OWN = ["value > first({0}).value", "count({0}) < 3 and avg({0}.z) > 1", "stddev({0}.value) > last({0}).time"]
FLAGS = ("one_or_more", "optional", "greedy", "consecutive", "combinations")
CONTIGUITIES = ["next", "followed_by", "followed_by_any"]
DURATIONS = st.integers(1, 10**8).map(lambda ms: f"{ms}ms")
RANGES = st.fixed_dictionaries({"from": st.integers(1, 3)}, optional={"to": st.integers(3, 5)})
TIMES = st.integers(1, 5) | RANGES


@st.composite
def parts(draw: st.DrawFn, names: list[str], depth: int) -> dict[str, Any]:
    """A step or a group; `names` gains those that are used. One in six is drawn without a look at what goes
    together.
    """
    anyhow = draw(st.integers(0, 5)) == 0
    part: dict[str, Any] = {"contiguity": draw(st.sampled_from(CONTIGUITIES))}
    group = depth < 2 and draw(st.integers(0, 4)) == 0
    if group:
        part["group"] = [draw(parts(names, depth + 1)) for _ in range(draw(st.integers(1, 2)))]
    else:
        part |= draw(steps(names))
    negative = part["contiguity"].startswith("not_")
    if anyhow or not negative:
        part |= draw(quantifiers(anyhow, group))
    return part


@st.composite
def steps(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """What only a step has."""
    name = f"s{len(names)}"
    names.append(name)
    own = st.sampled_from([each.format(name) for each in OWN])
    step: dict[str, Any] = {"name": name, "where": draw(CONDITIONS | own)}
    if draw(st.booleans()):
        step["within"] = draw(DURATIONS)
    if draw(st.integers(0, 5)) == 0:
        step["contiguity"] = draw(st.sampled_from(["not_next", "not_followed_by"]))
    return step


@st.composite
def quantifiers(draw: st.DrawFn, anyhow: bool, group: bool) -> dict[str, Any]:
    """How often a part comes; `anyhow`: whether or not the words go together."""
    if anyhow:
        found: dict[str, Any] = {flag: True for flag in FLAGS if draw(st.integers(0, 4)) == 0}
        if draw(st.booleans()):
            found["times"] = draw(TIMES)
        if draw(st.integers(0, 3)) == 0:
            found["until"] = draw(CONDITIONS)
        return found
    found = {"optional": True} if draw(st.integers(0, 4)) == 0 else {}
    loop = draw(st.sampled_from(["", "times", "one_or_more"]))
    if loop:
        found[loop] = draw(TIMES) if loop == "times" else True
        flags = ["", "", "consecutive", "combinations"] if group else ["", "", *FLAGS[2:]]
        found |= {flag: True for flag in [draw(st.sampled_from(flags))] if flag}
    if loop == "one_or_more" and draw(st.booleans()):
        found["until"] = draw(CONDITIONS)
    return found


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A pattern's document."""
    names: list[str] = []
    document: dict[str, Any] = {
        "id": "p",
        "version": draw(st.integers(1, 9)),
        "key": draw(st.sampled_from(["series", "node"])),
        "steps": [draw(parts(names, 0)) for _ in range(draw(st.integers(1, 3)))],
        "after_match": draw(st.sampled_from(["no_skip", "skip_to_next", "skip_past_last"])),
        "on_timeout": draw(st.sampled_from(["nothing", "match"])),
    }
    if draw(st.booleans()):
        document["within"] = draw(DURATIONS)
    return document
