package io.faultline.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.DeadLetter;
import io.faultline.records.Edge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.ManualClock;
import org.apache.flink.util.clock.RelativeClock;
import org.junit.jupiter.api.Test;

class EventTimeTest {
  private final ManualClock clock = new ManualClock();
  private final List<String> told = new ArrayList<>();
  private final WatermarkOutput output =
      new WatermarkOutput() {
        @Override
        public void emitWatermark(Watermark watermark) {
          told.add(Long.toString(watermark.getTimestamp()));
        }

        @Override
        public void markIdle() {
          told.add("idle");
        }

        @Override
        public void markActive() {
          told.add("active");
        }
      };

  private WatermarkGenerator<Decoded> generator(WatermarkStrategy<Decoded> strategy) {
    return strategy.createWatermarkGenerator(
        new WatermarkGeneratorSupplier.Context() {
          @Override
          public MetricGroup getMetricGroup() {
            return new UnregisteredMetricsGroup();
          }

          @Override
          public RelativeClock getInputActivityClock() {
            return clock;
          }
        });
  }

  private static Decoded edge(long time) {
    return Decoded.of(new Edge("g", "a", "b", time, null, -1));
  }

  private static Decoded deadLetter(long time) {
    return Decoded.of(
        new DeadLetter("t", 0, 0, time, null, new byte[0], "native", "malformed", "", List.of()));
  }

  @Test
  void followsTheLatestRecord() {
    WatermarkGenerator<Decoded> generator = generator(EventTime.following(10));
    generator.onEvent(edge(100), 100, output);
    generator.onEvent(edge(90), 90, output);
    generator.onEvent(deadLetter(500), 500, output);
    generator.onEvent(edge(120), 120, output);
    generator.onPeriodicEmit(output);
    assertEquals(List.of("89", "109"), told);
  }

  @Test
  void deadLettersDoNotKeepAPartitionAwake() {
    WatermarkGenerator<Decoded> generator = generator(EventTime.following(0, 1_000));
    generator.onEvent(edge(100), 100, output);
    for (int i = 0; i < 4; i++) {
      generator.onEvent(deadLetter(200), 200, output);
      generator.onPeriodicEmit(output);
      clock.advanceTime(Duration.ofMillis(700));
    }
    assertEquals("99", told.get(0));
    assertEquals("idle", told.get(told.size() - 1));
  }

  @Test
  void aClockThatIsAheadMovesNoOnesEventTime() {
    TimestampAssigner<Decoded> assigner =
        EventTime.following(10, 1_000)
            .createTimestampAssigner(() -> new UnregisteredMetricsGroup());
    assertEquals(100, assigner.extractTimestamp(edge(100), 150));
    assertEquals(150, assigner.extractTimestamp(edge(900), 150));
    assertEquals(900, assigner.extractTimestamp(edge(900), -1));
    assertEquals(900, assigner.extractTimestamp(edge(900), TimestampAssigner.NO_TIMESTAMP));
  }

  @Test
  void edgesOnlyNeverHoldsBack() {
    WatermarkGenerator<Decoded> generator = generator(EventTime.none());
    generator.onPeriodicEmit(output);
    generator.onEvent(edge(100), 100, output);
    assertEquals(List.of("idle", "idle"), told);
  }
}
