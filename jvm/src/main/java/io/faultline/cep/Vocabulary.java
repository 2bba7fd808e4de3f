package io.faultline.cep;

import javax.annotation.Nullable;

/** The fields of the events that a pattern looks at. */
public interface Vocabulary {
  /** Samples: patterns keyed by series or node. */
  Vocabulary SAMPLE =
      new Vocabulary() {
        @Override
        public Field field(String name) {
          return SampleField.ofWireName(name);
        }

        @Override
        public boolean hasLabels() {
          return true;
        }
      };

  /** The field of that name, or null where there is none. */
  @Nullable
  Field field(String name);

  /** Whether labels can be asked for. */
  default boolean hasLabels() {
    return false;
  }

  /** Whether the live topology can be asked for. */
  default boolean hasTopology() {
    return false;
  }
}
