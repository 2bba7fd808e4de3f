package io.faultline.source;

import io.faultline.decode.Headers;
import io.faultline.records.Header;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** Headers of a Kafka record. */
final class KafkaHeaders implements Headers {
  private final org.apache.flink.kafka.shaded.org.apache.kafka.common.header.Headers headers;

  private KafkaHeaders(
      org.apache.flink.kafka.shaded.org.apache.kafka.common.header.Headers headers) {
    this.headers = headers;
  }

  static Headers of(org.apache.flink.kafka.shaded.org.apache.kafka.common.header.Headers headers) {
    return headers.iterator().hasNext() ? new KafkaHeaders(headers) : NONE;
  }

  @Override
  @Nullable
  public byte[] last(String name) {
    byte[] last = null;
    for (var header : headers) {
      last = header.key().equalsIgnoreCase(name) ? header.value() : last;
    }
    return last;
  }

  @Override
  public List<Header> all() {
    List<Header> all = new ArrayList<>();
    headers.forEach(header -> all.add(new Header(header.key(), header.value())));
    return List.copyOf(all);
  }
}
