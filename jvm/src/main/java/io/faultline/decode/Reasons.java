package io.faultline.decode;

/** Why a record or a point gave no sample: one word each. */
public final class Reasons {
  /** Dead letters. */
  public static final String MALFORMED = "malformed";

  public static final String EMPTY = "empty";
  public static final String MISSING_FIELD = "missing_field";
  public static final String BAD_VALUE = "bad_value";
  public static final String BAD_TIME = "bad_time";
  public static final String UNSUPPORTED = "unsupported";

  /** A fault of a decoder, not of the record. */
  public static final String FAULT = "fault";

  /** Legal input that gives no sample: counted, no dead letter. */
  public static final String TOMBSTONE = "tombstone";

  public static final String NOT_FINITE = "not_finite";
  public static final String NON_NUMERIC = "non_numeric";
  public static final String NO_RECORDED_VALUE = "no_recorded_value";
  public static final String UNNAMED_NODE = "unnamed_node";
  public static final String SELF_EDGE = "self_edge";

  private Reasons() {}
}
