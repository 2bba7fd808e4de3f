"""The committed figures of speed: numbers in figures.json, section by section, and results.md made of them.

A run replaces the sections that it measured and leaves the others.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.measure import BROKER, JIT, Used
from benchmarks.settings import HIT_PATTERNS, SETTINGS, Setting
from cep_patterns.yaml_loader import load_library

FOLDER: Final = Path(__file__).parent
Lines = list[str]
_HEAD: Final = """\
Made by `make bench`, or section by section by the modules named below. {cores} cores ({machine}), JDK 17,
Flink 2.2.1; a broker, and in live runs a feeder, on the same machine. Rates of the clock depend on what
else the machine does, so each comes with its least and its most; **CPU time per sample is what to
compare**. It counts every thread of every process, garbage collector and Python too, but for the JIT
compiler, which works for a start's first minutes and has a column of its own; the first 40% of a run is
left out. What two cores give is computed from it, broker included."""
_THROUGHPUT: Final = """\
`python -m benchmarks.throughput --write`. Catch-up reads of a filled topic at parallelism 1: 5 graphs of
200 nodes with 30 series each (16 gauges, 7 counters, a histogram of 7 series), a scrape every 10 s of event
time, ticks of 60 s, a fault in every graph each 15 minutes. The job runs whole, to incidents scored in
Python. "library": the shipped patterns, {library} of them; a pair: one metric of a node stands out (z > 8),
then another."""
COMPARED: Final = (1, 5, 20)
"""How many patterns stock Flink CEP runs, too."""
_MATCHING: Final = """\
The job also keeps baselines, makes frames and ranks causes, which stock Flink does not; its z costs less. So
what a run takes more than one without any match, incidents that are told of included:"""
_LATENCY: Final = """\
It begins when Kafka holds the record that lets the watermark end the tick in which the pattern was
fulfilled; it ends when a consumer has the event: the rest of the tick and the watermark's delay are not in
it, all that the job takes is."""


def keep(section: str, numbers: Mapping[str, Any], folder: Path = FOLDER) -> None:
    """Puts the numbers into figures.json and makes results.md anew."""
    file = folder / "figures.json"
    all_numbers = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    all_numbers.setdefault(section, {}).update(numbers)
    file.write_text(json.dumps(all_numbers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    (folder / "results.md").write_text(page(all_numbers), encoding="utf-8")


def page(numbers: Mapping[str, Any]) -> str:
    """results.md."""
    out = ["# Results", "", _HEAD.format(cores=os.cpu_count(), machine=platform.machine())]
    for section, (title, render) in SECTIONS.items():
        if section in numbers:
            out += ["", f"## {title}", "", *render(numbers[section])]
    return "\n".join(out) + "\n"


def brief(used: Used) -> str:
    """One run in a line."""
    roles = sorted(used.cpu, key=used.nanoseconds, reverse=True)
    shares = ", ".join(f"{role} {used.nanoseconds(role):,.0f}" for role in roles)
    return (
        f"{used.rate / 1e3:,.0f} thousand samples/s over {used.seconds:.0f} s, "
        f"CPU {used.nanoseconds():,.0f} ns a sample ({shares}); {dict(used.counts)}"
    )


def throughput_table(runs: Mapping[str, Sequence[Used]]) -> Lines:
    """A row per setting."""
    head = (
        "input and reader",
        "patterns",
        "CPU ns a sample",
        "broker",
        "JIT",
        "two cores give, thousand/s",
        "clock, thousand/s",
        "runs",
    )
    rows = [_row(SETTINGS[name], used) for name, used in runs.items() if used]
    return table(head, rows)


def _row(setting: Setting, used: Sequence[Used]) -> tuple[str, ...]:
    return (
        setting.title,
        patterns_of(setting),
        spread([one.nanoseconds() for one in used]),
        spread([one.nanoseconds(BROKER) for one in used]),
        spread([one.nanoseconds(JIT) for one in used]),
        spread([one.capacity / 1e3 for one in used]),
        spread([one.rate / 1e3 for one in used]),
        str(len(used)),
    )


def patterns_of(setting: Setting) -> str:
    """The patterns of a setting in words."""
    return " + ".join(_in_words(name) for name in setting.patterns) or "-"


def _in_words(name: str) -> str:
    kind, _, number = name.partition("-")
    match kind:
        case "pairs":
            return f"{number} pairs"
        case "hits":
            return f"{HIT_PATTERNS} pairs, first step met by {number}%"
        case _:
            return name


def spread(values: Sequence[float]) -> str:
    """The median, with the least and the most where there are several."""
    middle = f"{statistics.median(values):,.0f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):,.0f}..{max(values):,.0f})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    """A Markdown table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _throughput(numbers: Mapping[str, Any]) -> Lines:
    runs = {name: [Used(**one) for one in numbers[name]] for name in SETTINGS if name in numbers}
    return [
        _THROUGHPUT.format(library=len(load_library())),
        "",
        *throughput_table(runs),
        "",
        *_where(runs),
        *_ratios(runs),
    ]


def _where(runs: Mapping[str, Sequence[Used]]) -> Lines:
    """Where the job's CPU time goes, by role."""
    shown = {name: used for name, used in runs.items() if SETTINGS[name].reader == "job" and used}
    if not shown:
        return []
    roles = sorted({role for used in shown.values() for one in used for role in one.cpu} - {BROKER})
    rows = [
        (name, *(f"{statistics.median(one.nanoseconds(role) for one in used):,.0f}" for role in roles))
        for name, used in shown.items()
    ]
    return ["CPU ns a sample by role:", "", *table(("setting", *roles), rows), ""]


def _ratios(runs: Mapping[str, Sequence[Used]]) -> Lines:
    """How much less CPU the job takes than what else could do the work."""
    pairs = [("native", "function", "the PyFlink keyed function, one object a record")]
    pairs += [(f"pairs-{n}", f"stock-{n}", f"stock Flink CEP, {n} patterns") for n in COMPARED]
    out = [
        f"- {words}: {_cpu(runs[theirs]) / _cpu(runs[ours]):,.1f} times the job's CPU a sample"
        for ours, theirs, words in pairs
        if runs.get(ours) and runs.get(theirs)
    ]
    return ["Against others on the same input:", "", *out, *_matching(runs)] if out else []


def _matching(runs: Mapping[str, Sequence[Used]]) -> Lines:
    """What the patterns alone take, over a run without any."""
    if not (runs.get("pairs-0") and runs.get("stock-0")):
        return []
    rows = [
        (
            str(n),
            *(f"{_cpu(runs[f'{kind}-{n}']) - _cpu(runs[f'{kind}-0']):,.0f}" for kind in ("pairs", "stock")),
        )
        for n in COMPARED
        if runs.get(f"pairs-{n}") and runs.get(f"stock-{n}")
    ]
    head = ("patterns", "the job, ns a sample", "stock Flink CEP, ns a sample")
    return ["", _MATCHING, "", *table(head, rows)]


def _cpu(used: Sequence[Used]) -> float:
    return statistics.median(one.nanoseconds() for one in used)


def _stages(numbers: Mapping[str, Any]) -> Lines:
    rows = [
        (form, stage, f"{one['cpu_ns']:,.0f}", f"{one['allocated_bytes']:,.0f}")
        for form, stages in numbers.items()
        for stage, one in stages.items()
        if isinstance(one, dict)
    ]
    between = [f"{form}: {stages['bytes between the tasks']:,.0f}" for form, stages in numbers.items()]
    return [
        "`python -m benchmarks.stages --write`. One thread, without Flink and Kafka; the library.",
        "",
        *table(("input", "stage", "CPU ns a sample", "bytes allocated a sample"), rows),
        "",
        f"Bytes a sample between the source's task and the fused operator's: {'; '.join(between)}.",
    ]


def _live(numbers: Mapping[str, Any]) -> Lines:
    out = ["`python -m benchmarks.live steady --write`, `python -m benchmarks.live latency --write`.", ""]
    if "steady" in numbers:
        one = numbers["steady"]
        cores = one["cores"]
        others = ("broker", "feeder")
        job = sum(used for role, used in cores.items() if role not in others)
        out += [
            f"- Steady {one['rate']:,.0f} samples/s of {one['series']:,} series for {one['seconds']:.0f} s: "
            f"the job uses **{job:.2f} cores** (broker {cores['broker']:.2f}, feeder {cores['feeder']:.2f}). "
            + ", ".join(f"{role} {used:.2f}" for role, used in cores.items() if role not in others)
            + "."
        ]
    measured = {"latency": "ticks spread", "latency_aligned": "all ticks at once"}
    found = {how: numbers[name] for name, how in measured.items() if name in numbers}
    for how, one in found.items():
        out += [
            f"- Detection to event at {one['rate']:,.0f} samples/s, {how}: **p50 {one['p50_ms']:,.0f} ms, "
            f"p99 {one['p99_ms']:,.0f} ms** over {one['incidents']} incidents "
            f"(worst {one['worst_ms']:,.0f} ms)."
        ]
    return [*out, *(["", _LATENCY] if found else [])]


def _heap(numbers: Mapping[str, Any]) -> Lines:
    per, live, least = (numbers[key] / 1e6 for key in ("per_100000", "bytes", "bytes_of_two_nodes"))
    return [
        f"`python -m benchmarks.heap --write`. **{per:,.0f} MB per 100,000 series** with the library: live "
        f"bytes after a full collection over {numbers['series']:,} series in graphs of 200 nodes "
        f"whose baselines are full ({live:,.0f} MB), less those over two nodes ({least:,.0f} MB).",
        "",
        *table(("class", "MB"), [(f"`{name}`", f"{size / 1e6:,.1f}") for name, size in numbers["classes"]]),
    ]


def _sizes(numbers: Mapping[str, Any]) -> Lines:
    head = (
        "load",
        "thousand samples/s",
        "CPU ns a sample",
        "rows of ticks",
        "late blocks",
        "incidents",
        "MB resident",
    )
    rows = []
    for one in numbers.values():
        used = Used(**one["used"])
        rows.append(
            (
                one["title"],
                f"{used.rate / 1e3:,.0f}",
                f"{used.nanoseconds():,.0f}",
                f"{used.counts['frames']:,} of {one['rows_wanted']:,}",
                f"{one['late_blocks']:,}",
                f"{used.counts['incidents']:,} events",
                ", ".join(f"{kind} {mb:,}" for kind, mb in used.peak_mb.items()),
            )
        )
    return [
        "`python -m benchmarks.sizes --write`. Ticks of 10 s, a scrape each; the library.",
        "",
        *table(head, rows),
    ]


def _control(numbers: Mapping[str, Any]) -> Lines:
    fed, decoded, seen, matched = (
        f"{numbers['samples'][name]:,}" for name in ("fed", "decoded", "seen", "matched")
    )
    p50, p99, worst = (round(numbers[f"{name}_ms"]) for name in ("p50", "p99", "worst"))
    return [
        f"`python -m benchmarks.control --write`. {numbers['updates']} versions of a pattern, published one",
        f"after the other into a job on a cluster that reads {numbers['rate']:,.0f} samples/s; by turns they",
        "drain and drop what the one before had begun. From the record to its answer",
        f"**p50 {p50} ms, p99 {p99} ms** (worst {worst} ms). Meanwhile {fed} samples were fed and",
        f"{decoded} decoded; a pattern that nobody changed was shown all {seen} events that it must see,",
        f"and matched each of the {matched} that it must match once.",
    ]


def _models(numbers: Mapping[str, Any]) -> Lines:
    p50, p99, worst = (round(numbers[f"{name}_ms"]) for name in ("p50", "p99", "worst"))
    by = ", ".join(f"{count:,} by {name}" for name, count in numbers["scored"].items())
    return [
        f"`python -m benchmarks.control_models --write`. {numbers['updates']} times another bundle becomes",
        f"the live one of a job on a cluster that reads {numbers['rate']:,.0f} samples/s. From the record to",
        f"the last subtask's answer **p50 {p50} ms, p99 {p99} ms** (worst {worst} ms). Meanwhile all",
        f"{numbers['samples']['fed']:,} samples that were fed were counted; each of {numbers['matches']:,} "
        f"matches was scored in its time ({by});",
        f"{numbers['derived']} events, of each bundle some, were derived anew by the bundle that they name",
        "and are the same.",
    ]


def _isolation(numbers: Mapping[str, Any]) -> Lines:
    how = {
        "alone": "{graphs} small systems",
        "beside": "{graphs}, and one of {nodes:,} nodes that misbehaves",
    }
    head = ("systems", "incidents of the small ones", "p50 ms", "p99 ms", "worst ms", "feeders behind, s")
    rows = []
    for name, words in how.items():
        if name in numbers:
            one = numbers[name]
            times = [f"{one[key]:,.0f}" for key in ("p50_ms", "p99_ms", "worst_ms")]
            behind = ", ".join(f"{each:z.1f}" for each in one["feeders_behind_s"])
            rows.append((words.format(**one), f"{one['incidents']:,}", *times, behind))
    return [
        "`python -m benchmarks.isolation --write`, and with `--nodes 0`. From the moment Kafka holds what",
        "ends a tick until a consumer has an event of a small system. The one that misbehaves sends ten",
        "times what all others send, gauges that are no numbers, and nodes that all stand out at once, for",
        "one scrape: it loads the job, and no shipped pattern matches it.",
        "",
        *table(head, rows),
    ]


SECTIONS: Final[dict[str, tuple[str, Callable[[Mapping[str, Any]], Lines]]]] = {
    "throughput": ("Throughput", _throughput),
    "stages": ("Stages of the JVM's path", _stages),
    "live": ("Live", _live),
    "control": ("Patterns changed live", _control),
    "models": ("Models changed live", _models),
    "isolation": ("One system that misbehaves", _isolation),
    "heap": ("Heap", _heap),
    "sizes": ("Sizes", _sizes),
}
