"""Patterns on any PyFlink stream of typed rows: the counterpart of Flink's `CEP.pattern`.

    matches = CEP.pattern(rows.key_by(lambda row: row.sensor), pattern).select("last(peak).value as value")

The one module of this package that imports pyflink. The work is done in the JVM, by `io.faultline.rows`; a
Python function sees matches only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson
from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JError, Py4JJavaError
from pyflink.common import Configuration, Types
from pyflink.common.typeinfo import PickledBytesTypeInfo, RowTypeInfo, TypeInformation
from pyflink.datastream import DataStream, KeyedStream, OutputTag, StreamExecutionEnvironment
from pyflink.java_gateway import get_gateway

from cep_patterns.columns import read_columns
from cep_patterns.fitting import check_pattern, fit
from cep_patterns.model import PatternModel, every_step, vocabulary_of
from cep_patterns.pattern import Pattern
from records.errors import JavaError, PatternError
from records.java import find_jar

Match: TypeAlias = dict[str, list[Any]]
"""The rows that each step took, in the order of the steps; steps that took none are left out."""

Select: TypeAlias = str | Mapping[str, str] | Callable[[Match], Any]

PARTIALS_PER_KEY: Final = 1_000
_ENTRY: Final = "io.faultline.rows.RowPatterns"
_TYPED: Final = "give the operator before key_by output_type=Types.ROW_NAMED([names], [types])"


class CEP:
    """Where patterns and streams meet."""

    @staticmethod
    def pattern(
        stream: DataStream,
        pattern: Pattern | PatternModel,
        *,
        id: str = "pattern",
        version: int | None = None,
        uid: str | None = None,
        partials_per_key: int = PARTIALS_PER_KEY,
    ) -> PatternStream:
        """Lets `pattern` watch the rows of each key of `stream`; without key_by, all rows as of one key.

        `id` names the operator and its metrics, `uid` its state. State of another version is dropped after a
        restore: `version` is derived from the pattern unless it is given. Beyond `partials_per_key`
        half-finished matches of one key the oldest go, and are counted.

        PatternError where the stream has no typed rows or the pattern does not fit them; JavaError without
        the jar.
        """
        check_pattern(pattern)
        keyed = stream if isinstance(stream, KeyedStream) else _unkeyed(stream)
        _check_typed(keyed._original_data_type_info)
        if partials_per_key < 1:
            raise PatternError(f"partials_per_key: {partials_per_key} holds nothing", "say 1 or more")
        _give_jar(stream.get_execution_environment())
        types = dict(_call("fields", keyed._j_data_stream))
        model = fit(pattern, types, id, version)
        return PatternStream(keyed, model, uid, partials_per_key)


@dataclass(frozen=True)
class PatternStream:
    """A pattern on a stream; `select` says what a match becomes. Every method returns a new one."""

    keyed: KeyedStream
    model: PatternModel
    uid: str | None
    partials_per_key: int
    processing_time: bool = False
    timeouts: tuple[OutputTag, Select | None, TypeInformation | None] | None = None
    late: OutputTag | None = None

    def in_processing_time(self) -> PatternStream:
        """Rows happen when they arrive: nothing waits for a watermark, nothing is late."""
        return replace(self, processing_time=True)

    def in_event_time(self) -> PatternStream:
        """Rows happen at their timestamps, in whatever order they arrive up to the watermark; the default."""
        return replace(self, processing_time=False)

    def side_output_timeouts(
        self, tag: OutputTag, select: Select | None = None, output_type: TypeInformation | None = None
    ) -> PatternStream:
        """Tells half-finished matches that run out of time, by `get_side_output(tag)` of the matches.

        They become what matches become unless `select` says otherwise; steps not reached are missing.
        """
        _check_window(self.model)
        return replace(self, timeouts=(tag, select, output_type))

    def side_output_late(self, tag: OutputTag) -> PatternStream:
        """Tells rows that come behind the watermark, as they are, by `get_side_output(tag)`."""
        return replace(self, late=tag)

    def select(self, what: Select, output_type: TypeInformation | None = None) -> Matches:
        """What a match becomes.

        Text or a mapping, such as "first(start).value as began, last(peak).time", becomes a typed row without
        Python. A function takes the rows of each step and returns one element of `output_type`.
        """
        return self._matches(what, output_type, flat=False)

    def flat_select(
        self, function: Callable[[Match], Iterable[Any]], output_type: TypeInformation | None = None
    ) -> Matches:
        """As `select` with a function that returns any number of elements."""
        return self._matches(function, output_type, flat=True)

    def _matches(self, what: Select, output_type: TypeInformation | None, flat: bool) -> Matches:
        told = {
            "pattern": self.model.wire(),
            "columns": _columns(what, self.model, output_type),
            "uid": self.uid,
            "partials_per_key": self.partials_per_key,
            "processing_time": self.processing_time,
        }
        rows = _call("attach", self.keyed._j_data_stream, orjson.dumps(told).decode())
        matches = Matches(rows, self, _Shape(what, output_type, flat))
        if self.timeouts is not None:
            matches.side_output_timeouts(*self.timeouts)
        if self.late is not None:
            matches.side_output_late(self.late)
        return matches


class Matches(DataStream):
    """The stream of matches, and by `get_side_output` what was asked to be told beside."""

    def __init__(self, rows: Any, of: PatternStream, shape: _Shape) -> None:
        """`rows`: what the JVM attached; `shape`: what its matches become."""
        super().__init__(shape.of(DataStream(rows.matches()), of.model)._j_data_stream)  # type: ignore[no-untyped-call]
        self._rows = rows
        self._of = of
        self._shape = shape
        self._beside: dict[str, DataStream] = {}
        self._told: set[str] = set()

    def side_output_timeouts(
        self, tag: OutputTag, select: Select | None = None, output_type: TypeInformation | None = None
    ) -> Matches:
        """As `PatternStream.side_output_timeouts`, for matches that are there already."""
        _check_window(self._of.model)
        shape = self._shape if select is None else _Shape(select, output_type, flat=False)
        columns = _columns(shape.what, self._of.model, shape.output_type)
        self._once("side_output_timeouts")
        told = self._rows.timeouts(None if columns is None else orjson.dumps(columns).decode())
        self._add(tag, shape.of(DataStream(told), self._of.model))
        return self

    def side_output_late(self, tag: OutputTag) -> Matches:
        """As `PatternStream.side_output_late`, for matches that are there already."""
        if self._of.processing_time:
            raise PatternError("side_output_late: nothing is late in processing time", "drop one of the two")
        self._once("side_output_late")
        self._add(tag, DataStream(self._rows.late()))
        return self

    def get_side_output(self, output_tag: OutputTag) -> DataStream:
        """The stream of timeouts or of late rows; PatternError where none was asked for under this tag."""
        stream = self._beside.get(output_tag.tag_id)
        if stream is None:
            mend = "ask for it first: side_output_timeouts(tag) or side_output_late(tag)"
            raise PatternError(f"there is no side output {output_tag.tag_id}", mend)
        return stream

    def _once(self, what: str) -> None:
        if what in self._told:
            raise PatternError(f"{what} is asked for twice", "ask once, and use the stream twice")
        self._told.add(what)

    def _add(self, tag: OutputTag, stream: DataStream) -> None:
        if tag.tag_id in self._beside:
            raise PatternError(f"two side outputs are called {tag.tag_id}", "give each a tag of its own")
        found = stream.get_type()
        if not isinstance(tag.type_info, PickledBytesTypeInfo) and tag.type_info != found:
            raise PatternError(
                f"side output {tag.tag_id}: its elements are {found}, the tag says {tag.type_info}",
                f'leave the type out: OutputTag("{tag.tag_id}")',
            )
        self._beside[tag.tag_id] = stream


@dataclass(frozen=True)
class _Shape:
    """What a match becomes: columns, or what a function makes of it."""

    what: Select
    output_type: TypeInformation | None
    flat: bool

    def of(self, stream: DataStream, model: PatternModel) -> DataStream:
        """The stream of what the JVM's rows become."""
        if not callable(self.what):
            return stream
        wanted = _by_step(self.what, [step.name for step in every_step(model.steps)])
        output_type = Types.PICKLED_BYTE_ARRAY() if self.output_type is None else self.output_type
        shape = stream.flat_map if self.flat else stream.map
        return shape(wanted, output_type=output_type).name(f"select {model.id}")


def _check_window(model: PatternModel) -> None:
    if model.within_ms is None and not any(step.within_ms for step in every_step(model.steps)):
        raise PatternError(
            "side_output_timeouts: the pattern has no window, so nothing times out",
            'say how long a match may take: pattern.within("10m")',
        )


def _unkeyed(stream: DataStream) -> KeyedStream:
    if not isinstance(stream, DataStream):
        raise PatternError(f"CEP.pattern: a DataStream is wanted; this is {type(stream).__name__}")
    return stream.key_by(lambda row: 0, key_type=Types.INT())


def _check_typed(kind: TypeInformation) -> None:
    if isinstance(kind, PickledBytesTypeInfo):
        raise PatternError(
            "the stream's elements are pickled Python objects, which the JVM cannot read", _TYPED
        )
    if not isinstance(kind, RowTypeInfo):
        raise PatternError(f"the elements are {kind}, not rows", _TYPED)


def _columns(
    what: Select, model: PatternModel, output_type: TypeInformation | None
) -> list[dict[str, object]] | None:
    """The columns as the JVM reads them; None for a function, which sees whole rows."""
    if callable(what):
        return None
    if output_type is not None:
        raise PatternError("output_type belongs to a function; columns have their types", "leave it out")
    vocabulary = vocabulary_of("row", model.fields)
    return [column.wire() for column in read_columns(what, _taking(model), vocabulary)]


def _taking(model: PatternModel) -> list[str]:
    return [step.name for step in every_step(model.steps) if not step.negated]


def _by_step(function: Callable[[Match], Any], names: list[str]) -> Callable[[Any], Any]:
    """`function` over the row in which the JVM tells a match.

    Pickled by value, so that workers need no package of ours.
    """

    def by_step(row: Any) -> Any:
        return function({name: list(taken) for name, taken in zip(names, row, strict=True) if taken})

    return by_step


def _call(method: str, *arguments: Any) -> Any:
    """Asks the JVM; PatternError where it refuses."""
    try:
        return getattr(get_gateway().jvm.io.faultline.rows.RowPatterns, method)(*arguments)
    except Py4JJavaError as error:
        cause = error.java_exception
        if cause.getClass().getName() == "io.faultline.config.ConfigException":
            raise PatternError(str(cause.getMessage())) from error
        raise
    except (Py4JError, TypeError) as error:
        mend = "build the jar anew with `make jar`: it is of another version than these packages"
        raise JavaError(f"{_ENTRY}.{method} cannot be called: {error}", mend) from error


def _give_jar(env: StreamExecutionEnvironment) -> None:
    """Adds the project's jar unless the job has it, by `flink run -j` or in Flink's lib/."""
    place = _loaded_from()
    if place is not None and (place == "" or place in _jars(env)):
        return
    if place is None:
        try:
            place = find_jar().resolve().as_uri()
        except JavaError as error:
            raise JavaError(
                error.message, f"{error.mend}; on a cluster: flink run -j faultline.jar"
            ) from error
    env.add_jars(place)


def _loaded_from() -> str | None:
    """The jar that the JVM has the entry from; empty where every process of Flink has it; None without."""
    jvm = get_gateway().jvm
    if not isinstance(jvm.io.faultline.rows.RowPatterns, JavaClass):
        return None
    found = jvm.Thread.currentThread().getContextClassLoader().loadClass(_ENTRY)
    if found.getClassLoader().equals(jvm.ClassLoader.getSystemClassLoader()):
        return ""
    return Path(found.getProtectionDomain().getCodeSource().getLocation().getPath()).as_uri()


def _jars(env: StreamExecutionEnvironment) -> list[str]:
    """The jars that go with the job, as file:///path."""
    jvm = get_gateway().jvm
    config = jvm.org.apache.flink.python.util.PythonConfigUtil.getEnvironmentConfig(
        env._j_stream_execution_environment
    )
    listed = Configuration.parse_list_value(config.getString("pipeline.jars", None))
    return [Path(url.partition(":")[2]).as_uri() if url.startswith("file:") else url for url in listed]
