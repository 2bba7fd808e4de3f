package io.faultline.decode;

/** Characters that separate labels in their canonical form cannot be part of one. */
final class Labels {
  private static final char PAIR = '\u001e';
  private static final char EQUALS = '\u001f';

  private Labels() {}

  static boolean isClean(String text) {
    return text.indexOf(PAIR) < 0 && text.indexOf(EQUALS) < 0;
  }

  /** The text with a space for each separator. */
  static String clean(String text) {
    return isClean(text) ? text : text.replace(PAIR, ' ').replace(EQUALS, ' ');
  }
}
