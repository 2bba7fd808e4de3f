package io.faultline.node;

/** How a series counts in one that is made of several. */
public enum Term {
  /** Not at all, but it says that the others, if there were any, would be known. */
  NONE,
  /** It is added. */
  PLUS,
  /** It is added, and the difference to what is {@link #LESS} is made. */
  TOTAL,
  /** It is taken away from the total. */
  LESS,
  /** It is added, and the share of the {@link #WHOLE} is made. */
  PART,
  /** Of it, the parts make a share. */
  WHOLE
}
