package io.faultline.decode;

/** What the data points of an OTLP metric are, with the numbers of the fields they share. */
enum OtlpShape {
  NUMBER(7, 8, 5),
  HISTOGRAM(9, 10, 8),
  EXPONENTIAL(1, 10, 11),
  SUMMARY(7, 8, 0);

  /** Number of the field with the attributes of a point. */
  final int attributes;

  /** Number of the field with the flags of a point. */
  final int flags;

  /** Number of the field with the exemplars of a point; 0 = there are none. */
  final int exemplars;

  OtlpShape(int attributes, int flags, int exemplars) {
    this.attributes = attributes;
    this.flags = flags;
    this.exemplars = exemplars;
  }

  boolean isHistogram() {
    return this == HISTOGRAM || this == EXPONENTIAL;
  }
}
