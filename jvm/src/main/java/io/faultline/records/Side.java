package io.faultline.records;

/** Which end of a call measured a series that belongs to an edge. */
public enum Side {
  UNSAID,
  SERVER,
  CLIENT
}
