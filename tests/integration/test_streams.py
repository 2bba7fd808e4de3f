"""`CEP.pattern` on streams of PyFlink, embedded: what comes out, and what is refused before a job begins."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest
from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.common.time import Instant
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import DataStream, KeyedProcessFunction, MapFunction, OutputTag
from pyflink.datastream.data_stream import CloseableIterator

from cep_patterns import CEP, AfterMatch, Pattern
from cep_patterns.model import PatternModel
from cep_patterns.streams import Match, _by_step
from records.errors import PatternError
from tests.jobs.minicluster import environment

ROOT = Path(__file__).resolve().parent.parent.parent
READING = Types.ROW_NAMED(
    ["sensor", "kind", "value", "at", "serial", "ok", "seen", "tags"],
    [
        Types.STRING(),
        Types.STRING(),
        Types.DOUBLE(),
        Types.LONG(),
        Types.LONG(),
        Types.BOOLEAN(),
        Types.INSTANT(),
        Types.MAP(Types.STRING(), Types.STRING()),
    ],
)
BIG = 2**60 + 1
READINGS = [
    Row("a", "up", 1.5, 1_000, BIG, True, Instant(7, 0), {"site": "x"}),
    Row("b", "up", 2.5, 2_000, 2, None, Instant(8, 0), None),
    Row("a", "down", None, 4_000, 3, False, Instant(8, 0), {}),
    Row("a", "down", 0.5, 3_000, 4, None, Instant(8, 0), {}),
    Row("b", "down", 9.0, 900_000, 5, None, Instant(8, 0), {}),
]
UP_DOWN = (
    Pattern.begin("up")
    .where('kind == "up" and value > 1')
    .followed_by("down")
    .where('kind == "down" and value is not None')
    .within("1m")
)
UNFINISHED = OutputTag("unfinished")
LATE = OutputTag("late")


class At(TimestampAssigner):
    """The field `at` of a row, ms."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value["at"])


class HoldLate(MapFunction):
    """Keeps a row of the kind `late` back until the file is there."""

    def __init__(self, passed: Path) -> None:
        self._passed = passed

    def map(self, value: Any) -> Any:
        end = time.monotonic() + 300
        while value["kind"] == "late" and not self._passed.exists() and time.monotonic() < end:
            time.sleep(0.02)
        return value


class TellPassed(KeyedProcessFunction):
    """Makes the file once the watermark has passed a row."""

    def __init__(self, passed: Path) -> None:
        self._passed = passed

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> None:
        ctx.timer_service().register_event_time_timer(value["at"])

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        self._passed.touch()
        yield from ()


def readings() -> DataStream:
    return timed(environment().from_collection(READINGS, READING))


def timed(rows: DataStream) -> DataStream:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    stream = rows.assign_timestamps_and_watermarks(strategy)
    assert isinstance(stream, DataStream)
    return stream


def found(**streams: DataStream) -> dict[str, list[Any]]:
    """What one run gives on each of the streams, in no order."""
    named = [
        stream.map(lambda value, name=name: f"{name} {value!r}", output_type=Types.STRING())
        for name, stream in streams.items()
    ]
    results = named[0].union(*named[1:]).execute_and_collect("streams")
    assert isinstance(results, CloseableIterator)
    with results:
        lines = sorted(results)
    return {
        name: [line.partition(" ")[2] for line in lines if line.startswith(f"{name} ")] for name in streams
    }


def test_columns_are_typed_and_timeouts_tell_what_was_there() -> None:
    stream = CEP.pattern(readings().key_by(lambda row: row["sensor"], key_type=Types.STRING()), UP_DOWN)
    matches = (
        stream.side_output_timeouts(UNFINISHED)
        .side_output_late(LATE)
        .select(
            "first(up).sensor, first(up).serial as serial, first(up).seen as seen, first(up).ok as ok, "
            "last(down).time, count(down), last(down).value - first(up).value as fall"
        )
    )
    expected = Types.ROW_NAMED(
        ["up_sensor", "serial", "seen", "ok", "down_time", "down_count", "fall"],
        [
            Types.STRING(),
            Types.LONG(),
            Types.INSTANT(),
            Types.BOOLEAN(),
            Types.LONG(),
            Types.LONG(),
            Types.DOUBLE(),
        ],
    )
    assert matches.get_type() == expected
    assert matches.get_side_output(LATE).get_type() == READING
    told = found(
        match=matches, timeout=matches.get_side_output(UNFINISHED), late=matches.get_side_output(LATE)
    )
    assert told["match"] == [
        f"Row(up_sensor='a', serial={BIG}, seen=Instant<7, 0>, ok=True, "
        "down_time=3000, down_count=1, fall=-1.0)"
    ]
    assert told["timeout"] == [
        "Row(up_sensor='b', serial=2, seen=Instant<8, 0>, ok=None, down_time=None, down_count=0, fall=None)"
    ]
    assert told["late"] == []


def test_a_row_behind_the_watermark_is_told_as_it_came(tmp_path: Path) -> None:
    up, down, late = (
        Row("a", kind, value, at, 1, True, Instant(7, 0), {})
        for kind, value, at in (("up", 1.5, 1_000), ("down", 0.5, 4_000), ("late", 9.0, 2_000))
    )
    rows = environment(python__fn_execution__bundle__size="1").from_collection([up, down, late], READING)
    held = rows.map(HoldLate(tmp_path / "passed"), READING).disable_chaining()
    keyed = timed(held).key_by(lambda row: row["sensor"], key_type=Types.STRING())
    matches = CEP.pattern(keyed, UP_DOWN).side_output_late(LATE).select("last(down).value as value")
    told = found(
        match=matches,
        late=matches.get_side_output(LATE),
        passed=keyed.process(TellPassed(tmp_path / "passed"), Types.STRING()),
    )
    assert told["match"] == ["Row(value=0.5)"]
    assert [line[:52] for line in told["late"]] == ["Row(sensor='a', kind='late', value=9.0, at=2000, ser"]


def test_a_function_sees_the_rows_of_each_step() -> None:
    def told(match: Match) -> Row:
        assert all(match.values())
        return Row(match["up"][0].sensor, [row["at"] for row in match.get("down", [])], sorted(match))

    kind = Types.ROW([Types.STRING(), Types.LIST(Types.LONG()), Types.LIST(Types.STRING())])
    stream = readings().key_by(lambda row: (row["sensor"], "any picklable key"))
    matches = CEP.pattern(stream, UP_DOWN).select(told, kind).side_output_timeouts(UNFINISHED)
    out = found(match=matches, timeout=matches.get_side_output(UNFINISHED))
    assert out == {
        "match": ["Row(f0='a', f1=[3000], f2=['down', 'up'])"],
        "timeout": ["Row(f0='b', f1=[], f2=['up'])"],
    }


def test_flat_select_and_timeouts_of_their_own_shape() -> None:
    def each(match: Match) -> list[str]:
        return [row["kind"] for rows in match.values() for row in rows]

    stream = CEP.pattern(readings().key_by(lambda row: row["sensor"]), UP_DOWN)
    matches = stream.side_output_timeouts(UNFINISHED, {"of": "first(up).sensor"}).flat_select(
        each, Types.STRING()
    )
    out = found(match=matches, timeout=matches.get_side_output(UNFINISHED))
    assert out == {"match": ["'down'", "'up'"], "timeout": ["Row(of='b')"]}


def test_without_key_by_all_rows_are_of_one_key() -> None:
    pattern = (
        Pattern.begin("up", after_match=AfterMatch.skip_past_last)
        .where('kind == "up"')
        .times(2)
        .followed_by("down")
        .where('kind == "down" and value > 0')
    )
    matches = CEP.pattern(readings(), pattern).select("first(up).sensor as one, last(up).sensor as other")
    assert found(match=matches) == {"match": ["Row(one='a', other='b')"]}


def test_in_processing_time_rows_need_no_timestamps() -> None:
    rows = environment().from_collection([Row("a", 1), Row("a", 2)], Types.ROW([Types.STRING(), Types.INT()]))
    pattern = Pattern.begin("one").where("f1 == 1").next("two").where("f1 == first(one).f1 + 1")
    stream = CEP.pattern(rows.key_by(lambda row: row[0]), pattern).in_processing_time()
    assert found(match=stream.select("last(two).f1")) == {"match": ["Row(two_f1=2)"]}


def test_a_pattern_of_yaml_fits_or_is_refused() -> None:
    model = UP_DOWN.model("up-down", key="row", fields={"kind": "text", "value": "number"})
    keyed = readings().key_by(lambda row: row["sensor"])
    assert CEP.pattern(keyed, model).model is model
    other = model.model_copy(update={"fields": {"kind": "number", "value": "number"}})
    with pytest.raises(PatternError, match="field kind is declared as number; in the stream it is text"):
        CEP.pattern(keyed, other)
    with pytest.raises(PatternError, match="its key is series"):
        CEP.pattern(keyed, Pattern.begin("a").where("value > 1").model("p"))


def test_the_version_follows_what_the_pattern_says() -> None:
    keyed = readings().key_by(lambda row: row["sensor"])

    def version(pattern: Pattern, **named: Any) -> int:
        model = CEP.pattern(keyed, pattern, **named).model
        assert isinstance(model, PatternModel)
        return model.version

    assert version(UP_DOWN) == version(UP_DOWN)
    assert version(UP_DOWN) != version(UP_DOWN.within("2m"))
    assert version(UP_DOWN, version=3) == 3


def test_pickled_elements_are_refused_with_the_mend() -> None:
    stream = readings().map(lambda row: row).key_by(lambda row: row["sensor"])
    with pytest.raises(PatternError, match="pickled") as caught:
        CEP.pattern(stream, UP_DOWN)
    assert "output_type=Types.ROW" in caught.value.mend
    numbers = environment().from_collection([1, 2], Types.INT()).key_by(lambda number: number)
    with pytest.raises(PatternError, match="not rows"):
        CEP.pattern(numbers, UP_DOWN)


def test_a_condition_on_a_field_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(PatternError, match="unknown name 'tags'") as caught:
        CEP.pattern(readings(), Pattern.begin("a").where('tags == "x"'))
    assert "sensor (text)" in caught.value.mend
    assert "not tags (Map<String, String>)" in caught.value.mend


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("value", "column value: column 1: say of which row"),
        ("last(down).vallue", "did you mean 'value'"),
        ("last(dwn).value", "step 'dwn'"),
        ("last(down).value + 1", "needs a name"),
        ("first(down).value, last(down).value", "two columns are called down_value"),
        ("", "no column"),
        ("last(down.value", "not a list of expressions"),
        ("first(down).tags", "has no field 'tags'"),
        (None, "columns as text or as a mapping, or a function, are wanted; this is nothing"),
        ({"end": 5}, "column 'end': 5: names and expressions are text"),
    ],
)
def test_a_column_that_makes_no_sense_is_named(wanted: Any, message: str) -> None:
    stream = CEP.pattern(readings(), UP_DOWN)
    with pytest.raises(PatternError) as caught:
        stream.select(wanted)
    assert message in str(caught.value)


def test_side_outputs_that_cannot_be_are_refused() -> None:
    endless = CEP.pattern(readings(), Pattern.begin("a").where("value > 1").next("b"))
    with pytest.raises(PatternError, match="no window"):
        endless.side_output_timeouts(UNFINISHED)
    with pytest.raises(PatternError, match="nothing is late in processing time"):
        endless.in_processing_time().side_output_late(LATE).select("count(a)")
    matches = CEP.pattern(readings(), UP_DOWN).side_output_timeouts(UNFINISHED).select("count(up)")
    with pytest.raises(PatternError, match="no side output late"):
        matches.get_side_output(LATE)
    with pytest.raises(PatternError, match="asked for twice"):
        matches.side_output_timeouts(OutputTag("again"))
    with pytest.raises(PatternError, match="leave the type out"):
        matches.side_output_late(OutputTag("typed", Types.STRING()))
    with pytest.raises(PatternError, match="output_type belongs to a function"):
        CEP.pattern(readings(), UP_DOWN).select("count(up)", Types.INT())


def test_without_the_jar_the_mend_is_named(tmp_path: Path) -> None:
    program = """
from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from cep_patterns import CEP, Pattern
env = StreamExecutionEnvironment.get_execution_environment()
rows = env.from_collection([Row(1)], Types.ROW([Types.INT()]))
CEP.pattern(rows, Pattern.begin("a").where("f0 > 0"))
"""
    own = {"PYFLINK_GATEWAY_DISABLED": "", "PYTHONPATH": str(ROOT)}
    environ = {**os.environ, **own, "FAULTLINE_JAR": str(tmp_path / "none.jar")}
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    assert run.returncode != 0
    assert "none.jar: the jar is missing" in run.stderr
    assert "flink run -j" in run.stderr


def test_workers_need_nothing_of_this_project(tmp_path: Path) -> None:
    pickled = tmp_path / "function"
    by_step = _by_step(len, ["up", "down"])
    pickled.write_bytes(cloudpickle.dumps(by_step))  # type: ignore[attr-defined,no-untyped-call]
    program = """
import pickle, sys
sys.modules["cep_patterns"] = None
print(pickle.load(open(sys.argv[1], "rb"))([[1], None]))
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(pickled)], capture_output=True, text=True, check=False
    )
    assert run.stdout == "1\n", run.stderr
