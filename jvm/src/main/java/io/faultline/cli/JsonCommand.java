package io.faultline.cli;

import io.faultline.config.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** A command that takes one JSON request and answers with lines of JSON, in UTF-8. */
final class JsonCommand {
  private JsonCommand() {}

  /** Where lines of the answer go. */
  @FunctionalInterface
  interface Lines {
    void write(ObjectNode line) throws IOException;
  }

  /** Answers one request. */
  @FunctionalInterface
  interface Answer {
    void answer(byte[] request, Lines out) throws IOException;
  }

  /**
   * Runs the command; returns the exit code: 0, or 1 with a line on {@code err} that names the
   * command.
   */
  static int run(String name, InputStream in, OutputStream out, PrintStream err, Answer answer) {
    try {
      OutputStream lines = new BufferedOutputStream(out);
      answer.answer(
          in.readAllBytes(),
          line -> {
            lines.write(Json.mapper().writeValueAsBytes(line));
            lines.write('\n');
          });
      lines.flush();
      return 0;
    } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
      byte[] message = (name + ": " + e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
      err.write(message, 0, message.length);
      err.flush();
      return 1;
    }
  }
}
