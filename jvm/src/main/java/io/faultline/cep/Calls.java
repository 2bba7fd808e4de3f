package io.faultline.cep;

/** The live topology of a graph, as conditions ask for it. */
public interface Calls {
  /** Knows no edges. */
  Calls NONE =
      new Calls() {
        @Override
        public boolean calls(String caller, String callee) {
          return false;
        }

        @Override
        public boolean reaches(String caller, String callee) {
          return false;
        }
      };

  /** Whether an edge leads from one node to the other. */
  boolean calls(String caller, String callee);

  /** Whether a path of one or more edges does. */
  boolean reaches(String caller, String callee);
}
