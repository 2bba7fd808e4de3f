package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameIndexTest {
  private static final List<String> EXPRESSIONS =
      List.of(
          "ab",
          "a|b_c",
          "(a|b)_c",
          "(a|bc)?d",
          "(a|b)*c",
          "(ab)+c",
          "a?b?c",
          "ab*",
          "ab+c",
          ".*_ab",
          "(.*_)?(ab|c)_(a|bb)",
          "[ab]c",
          "a[bc]?",
          "a\\.b",
          "\\w+_c",
          "a{2}b",
          "(?i)AB",
          "(?!a$).*",
          "^ab$",
          "a.c",
          "(a(b|c)|d)e?",
          "()a",
          "a||b",
          ".*",
          "");

  @ParameterizedTest
  @CsvSource({
    "ab|cd,               false, ab cd",
    "(a|bc)?d,            false, d ad bcd",
    "(a|b)*c,             false, c a b",
    "ab*,                 false, a ab",
    "(.*_)?(ab|c)_a,      true,  ab_a c_a _ab_a _c_a",
    ".*_total,            true,  _total",
    "(?i)ab,              false, ''",
    "a{2}b,               false, ''"
  })
  void beginningsOrEndsAreRead(String regex, boolean atEnd, String texts) {
    Affixes affixes = Affixes.of(regex);
    assertEquals(
        List.of(texts.split(" ")).stream().sorted().toList(),
        affixes.texts().stream().sorted().toList());
    if (!texts.isEmpty()) {
      assertEquals(atEnd, affixes.atEnd());
    }
  }

  @Test
  void whatMatchesIsAlwaysAmongTheCandidates() {
    NameIndex index = new NameIndex(EXPRESSIONS);
    List<Pattern> patterns = EXPRESSIONS.stream().map(Pattern::compile).toList();
    Random random = new Random(5);
    int matched = 0;
    for (int i = 0; i < 100_000; i++) {
      StringBuilder name = new StringBuilder();
      for (int length = random.nextInt(7); length > 0; length--) {
        name.append("abcde_.AB".charAt(random.nextInt(9)));
      }
      BitSet candidates = new BitSet();
      index.candidates(name.toString(), candidates);
      for (int p = 0; p < patterns.size(); p++) {
        if (patterns.get(p).matcher(name).matches()) {
          matched++;
          assertTrue(candidates.get(p), EXPRESSIONS.get(p) + " " + name);
        }
      }
    }
    assertTrue(matched > 1000, "the names are such that expressions match");
  }
}
