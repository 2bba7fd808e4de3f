package io.faultline.cli;

/** Data that cannot be read; the message names the file and the line, or the sample. */
final class WrongDataException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongDataException(String message) {
    super(message);
  }
}
