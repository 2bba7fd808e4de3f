package io.faultline.source;

import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** The event time of an input that has none to say, and never holds that of others back. */
public final class AlwaysIdle<T> implements WatermarkGenerator<T> {
  /** For records without an event time. */
  public static <T> WatermarkStrategy<T> strategy() {
    return WatermarkStrategy.forGenerator(context -> new AlwaysIdle<>());
  }

  @Override
  public void onEvent(T event, long timestamp, WatermarkOutput output) {
    output.markIdle();
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    output.markIdle();
  }
}
