package io.faultline.bench;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Properties;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.flink.kafka.shaded.org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Fills a topic from standard input: time (8 bytes, ms), length (4 bytes), value, big-endian, until
 * the input ends. Prints how many records were sent. Arguments: bootstrap, topic.
 */
public final class Feed {
  private static final int BUFFER = 1 << 20;

  private Feed() {}

  public static void main(String[] arguments) throws IOException {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", arguments[0]);
    properties.put("linger.ms", "50");
    properties.put("batch.size", "900000");
    properties.put("buffer.memory", "134217728");
    ByteArraySerializer bytes = new ByteArraySerializer();
    long sent;
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties, bytes, bytes)) {
      sent = sendAll(producer, arguments[1]);
      producer.flush();
    }
    System.out.println(sent);
  }

  private static long sendAll(KafkaProducer<byte[], byte[]> producer, String topic)
      throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, BUFFER));
    for (long sent = 0; ; sent++) {
      long time;
      try {
        time = in.readLong();
      } catch (EOFException end) {
        return sent;
      }
      byte[] value = new byte[in.readInt()];
      in.readFully(value);
      producer.send(new ProducerRecord<>(topic, 0, time, null, value));
    }
  }
}
