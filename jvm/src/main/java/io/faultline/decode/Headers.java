package io.faultline.decode;

import io.faultline.records.Header;
import java.util.List;
import javax.annotation.Nullable;

/** The headers of one record, read only where something asks for them. */
public interface Headers {
  /** A record without headers. */
  Headers NONE =
      new Headers() {
        @Override
        @Nullable
        public byte[] last(String name) {
          return null;
        }

        @Override
        public List<Header> all() {
          return List.of();
        }
      };

  /** The value of the last header of that name, letter case aside; null where there is none. */
  @Nullable
  byte[] last(String name);

  /** All headers, in order. */
  List<Header> all();
}
