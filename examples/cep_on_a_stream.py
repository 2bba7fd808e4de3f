"""Patterns on a PyFlink stream of one's own: a card that is tried with little, then used for much.

    python examples/cep_on_a_stream.py                                   here, in an embedded Flink
    flink run -py examples/cep_on_a_stream.py -j jvm/target/faultline.jar    on a cluster

Prints what is found, one line each: matches, half-finished matches that ran out of time, late payments (none
here: the payments are a list, which is read before any watermark).
"""

from __future__ import annotations

import sys
from typing import Any

from pyflink.common import Configuration, Duration, Row, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, StreamExecutionEnvironment

from cep_patterns import CEP, AfterMatch, Pattern

PAYMENT = Types.ROW_NAMED(
    ["card", "amount", "country", "at"], [Types.STRING(), Types.DOUBLE(), Types.STRING(), Types.LONG()]
)
PAYMENTS = [
    Row("4711", 1.0, "DE", 0),
    Row("4711", 0.5, "DE", 60_000),
    Row("1234", 2.0, "FR", 70_000),
    Row("4711", 900.0, "US", 150_000),
    Row("4711", 40.0, "DE", 120_000),  # out of order, within what the watermark allows
    Row("1234", 30.0, "FR", 4_000_000),
]


class PaidAt(TimestampAssigner):
    """Event time is when the card was used, ms UTC."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value["at"])


def tried_then_used() -> Pattern:
    """Small payments, then within ten minutes one abroad that is 100 times as large as the last of them."""
    return (
        Pattern.begin("tried", after_match=AfterMatch.skip_past_last)
        .where("amount < 5")
        .one_or_more()
        .greedy()
        .followed_by("used")
        .where("amount > 100 * last(tried).amount and country != first(tried).country")
        .within("10m")
    )


def main() -> None:
    """Builds the job and runs it to the end of its payments."""
    configuration = Configuration()
    configuration.set_string("python.executable", sys.executable)
    configuration.set_string("python.client.executable", sys.executable)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    watermarks = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_minutes(1))
    payments = env.from_collection(PAYMENTS, PAYMENT).assign_timestamps_and_watermarks(
        watermarks.with_timestamp_assigner(PaidAt())
    )
    unfinished, late = OutputTag("unfinished"), OutputTag("late")
    frauds = (
        CEP.pattern(payments.key_by(lambda row: row["card"], key_type=Types.STRING()), tried_then_used())
        .side_output_timeouts(unfinished, "first(tried).card, count(tried)")
        .side_output_late(late)
        .select("first(tried).card, count(tried) as tries, last(used).amount, last(used).country")
    )
    beside = {"unfinished": unfinished, "late": late}
    told = {"fraud": frauds, **{name: frauds.get_side_output(tag) for name, tag in beside.items()}}
    for name, stream in told.items():
        stream.map(lambda row, name=name: f"{name} {row}", output_type=Types.STRING()).print()
    env.execute("cep-on-a-stream")


if __name__ == "__main__":
    main()
