package io.faultline.node;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds, of many regular expressions, the few that a name may match: by its beginning and end. */
final class NameIndex {
  private final Trie beginnings = new Trie();
  private final Trie ends = new Trie();

  /** The characters of texts, from the root on; where a text ends, its expressions. */
  private static final class Trie {
    private final Map<Character, Trie> next = new HashMap<>();
    private final List<Integer> expressions = new ArrayList<>(1);

    void add(String text, int expression) {
      Trie at = this;
      for (int i = 0; i < text.length(); i++) {
        at = at.next.computeIfAbsent(text.charAt(i), c -> new Trie());
      }
      at.expressions.add(expression);
    }

    void find(CharSequence name, BitSet into) {
      Trie at = this;
      for (int i = 0; at != null; i++) {
        for (int expression : at.expressions) {
          into.set(expression);
        }
        at = i == name.length() ? null : at.next.get(name.charAt(i));
      }
    }
  }

  NameIndex(List<String> expressions) {
    for (int i = 0; i < expressions.size(); i++) {
      Affixes affixes = Affixes.of(expressions.get(i));
      for (String text : affixes.texts()) {
        if (affixes.atEnd()) {
          ends.add(reversed(text), i);
        } else {
          beginnings.add(text, i);
        }
      }
    }
  }

  /** Sets the expressions that the name may match. */
  void candidates(String name, BitSet into) {
    beginnings.find(name, into);
    ends.find(reversed(name), into);
  }

  private static String reversed(String text) {
    return new StringBuilder(text).reverse().toString();
  }
}
