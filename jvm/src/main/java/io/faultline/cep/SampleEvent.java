package io.faultline.cep;

import io.faultline.records.SeriesKey;

/**
 * A normalised sample as patterns see it. One object serves all samples that nothing waits for
 * ({@link #set}); the engine keeps a copy of a sample that enters an automaton, and that copy never
 * changes. Numbers that are not known are NaN.
 */
public final class SampleEvent extends Event {
  private SeriesRef series;
  private long time;
  private double value;
  private double z = Double.NaN;
  private double baseline = Double.NaN;
  private double spread = Double.NaN;
  private double delta = Double.NaN;
  private double rel = Double.NaN;

  /** Points this object at a sample; what is compared with the baseline becomes unknown. */
  public SampleEvent set(SeriesRef series, long time, double value) {
    return set(series, time, value, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }

  /**
   * Points this object at a sample.
   *
   * @param time event time, ms UTC
   * @param value in the declared unit, after counter -> rate
   * @param z signed robust z-score
   * @param baseline median of the baseline, in the unit of the value
   * @param spread scale of the baseline, in the unit of the value
   * @param delta value - baseline
   * @param rel log of the relative change
   */
  public SampleEvent set(
      SeriesRef series,
      long time,
      double value,
      double z,
      double baseline,
      double spread,
      double delta,
      double rel) {
    this.series = series;
    this.time = time;
    this.value = value;
    this.z = z;
    this.baseline = baseline;
    this.spread = spread;
    this.delta = delta;
    this.rel = rel;
    return this;
  }

  @Override
  Event copy() {
    return new SampleEvent().set(series, time, value, z, baseline, spread, delta, rel);
  }

  public SeriesRef series() {
    return series;
  }

  @Override
  public long time() {
    return time;
  }

  public double value() {
    return value;
  }

  public double z() {
    return z;
  }

  public double baseline() {
    return baseline;
  }

  public double spread() {
    return spread;
  }

  public double delta() {
    return delta;
  }

  public double rel() {
    return rel;
  }

  @Override
  SeriesKey seriesKey() {
    return series.key();
  }

  @Override
  long seriesBit() {
    return series.bit();
  }

  @Override
  String graph() {
    return series.graph();
  }

  @Override
  Name name(Names names) {
    return series.name(names);
  }

  @Override
  public String toString() {
    return (series == null ? "?" : series.key().metric()) + '=' + value + '@' + time;
  }
}
