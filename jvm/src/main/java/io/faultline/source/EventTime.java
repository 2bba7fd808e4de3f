package io.faultline.source;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.eventtime.WatermarksWithIdleness;

/** How event time follows from what a source decoded. */
final class EventTime {
  private EventTime() {}

  /**
   * A watermark per record, out-of-orderness behind the latest time seen. Dead letters neither move
   * event time nor keep a partition from going idle. No sample moves it beyond the timestamp of its
   * Kafka record: a system whose clock is ahead would make all others late.
   */
  static WatermarkStrategy<Decoded> following(long outOfOrdernessMs, long idleAfterMs) {
    return WatermarkStrategy.<Decoded>forGenerator(
            context ->
                new TimedOnly(
                    new WatermarksWithIdleness<>(
                        new PerRecord(outOfOrdernessMs),
                        Duration.ofMillis(idleAfterMs),
                        context.getInputActivityClock())))
        .withTimestampAssigner(EventTime::bounded);
  }

  /**
   * The time that moves event time, ms.
   *
   * @param recordTime timestamp of the Kafka record, negative where it has none
   */
  private static long bounded(Decoded decoded, long recordTime) {
    return recordTime < 0 ? decoded.time() : Math.min(decoded.time(), recordTime);
  }

  /** As {@link #following} for an input that is never idle. */
  static WatermarkStrategy<Decoded> following(long outOfOrdernessMs) {
    return WatermarkStrategy.<Decoded>forGenerator(
            context -> new TimedOnly(new PerRecord(outOfOrdernessMs)))
        .withTimestampAssigner((decoded, timestamp) -> decoded.time());
  }

  /** Never holds back event time: always idle. */
  static WatermarkStrategy<Decoded> none() {
    return AlwaysIdle.<Decoded>strategy()
        .withTimestampAssigner((decoded, timestamp) -> decoded.time());
  }

  /** Emits with each record that moves event time. */
  private static final class PerRecord implements WatermarkGenerator<Decoded> {
    private final long outOfOrdernessMs;
    private long latest = Long.MIN_VALUE;

    PerRecord(long outOfOrdernessMs) {
      this.outOfOrdernessMs = outOfOrdernessMs;
    }

    @Override
    public void onEvent(Decoded event, long timestamp, WatermarkOutput output) {
      if (timestamp > latest) {
        latest = timestamp;
        output.emitWatermark(new Watermark(timestamp - outOfOrdernessMs - 1));
      }
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
      // Emitted with the records.
    }
  }

  /** Hides what has no event time. */
  private static final class TimedOnly implements WatermarkGenerator<Decoded> {
    private final WatermarkGenerator<Decoded> timed;

    TimedOnly(WatermarkGenerator<Decoded> timed) {
      this.timed = timed;
    }

    @Override
    public void onEvent(Decoded event, long timestamp, WatermarkOutput output) {
      if (event.isTimed()) {
        timed.onEvent(event, timestamp, output);
      }
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
      timed.onPeriodicEmit(output);
    }
  }
}
