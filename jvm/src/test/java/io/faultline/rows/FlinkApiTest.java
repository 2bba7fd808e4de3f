package io.faultline.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.PatternStream;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.aftermatch.SkipToFirstStrategy;
import org.apache.flink.cep.nfa.aftermatch.SkipToLastStrategy;
import org.apache.flink.cep.pattern.GroupPattern;
import org.apache.flink.cep.pattern.Quantifier;
import org.junit.jupiter.api.Test;

/** The list of Flink's methods in docs/reference-patterns.md is whole: another Flink fails here. */
class FlinkApiTest {
  private static final Path PAGE = Path.of("..", "docs", "reference-patterns.md");
  private static final Pattern NAMED = Pattern.compile("`(\\w+\\.\\w+\\([\\w, ]*\\))`");

  private static Set<String> methods() {
    Set<String> out = new TreeSet<>();
    for (Class<?> type :
        List.of(
            org.apache.flink.cep.pattern.Pattern.class,
            GroupPattern.class,
            Quantifier.class,
            AfterMatchSkipStrategy.class,
            CEP.class,
            PatternStream.class)) {
      for (Method method : type.getDeclaredMethods()) {
        if (Modifier.isPublic(method.getModifiers()) && !method.isBridge()) {
          out.add(signature(type, method));
        }
      }
    }
    for (Class<?> type : List.of(SkipToFirstStrategy.class, SkipToLastStrategy.class)) {
      out.add(signature(type, throwing(type)));
    }
    return out;
  }

  private static Method throwing(Class<?> strategy) {
    try {
      return strategy.getMethod("throwExceptionOnMiss");
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private static String signature(Class<?> type, Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            Collectors.joining(", ", type.getSimpleName() + "." + method.getName() + "(", ")"));
  }

  @Test
  void everyMethodIsListedWithWhatItIsHere() throws Exception {
    String page = Files.readString(PAGE);
    int from = page.indexOf("## Flink's Java API");
    assertTrue(from > 0, "the section is there");
    Set<String> listed = new TreeSet<>();
    for (String line : page.substring(from).split("\n")) {
      if (line.startsWith("| `") && line.contains("(")) {
        Matcher named = NAMED.matcher(line.split("\\|")[1]);
        while (named.find()) {
          listed.add(named.group(1));
        }
      }
    }
    assertEquals(methods(), listed);
  }
}
