package io.faultline.node;

import static io.faultline.node.Given.TICK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.Backend;
import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import io.faultline.records.GraphEventSerializer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On RocksDB the node operator gives what it gives on the heap, across restores of both kinds. */
// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class NodeBackendsTest {
  private static final int SCRAPES = 60;

  private static KeyedOneInputStreamOperatorTestHarness<String, Block, GraphEvent> harness(
      Backend backend) throws Exception {
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new NodeOperator(Given.config(NodeOperatorTest.SPIKES))),
            Block::key,
            Types.STRING);
    harness.setStateBackend(backend.make());
    harness.setup(GraphEventSerializer.INSTANCE);
    return harness;
  }

  private static void feed(
      KeyedOneInputStreamOperatorTestHarness<String, Block, GraphEvent> harness, List<Block> blocks)
      throws Exception {
    for (Block block : blocks) {
      harness.processElement(block, block.time());
      harness.processWatermark(block.time() - TICK);
    }
  }

  private static List<String> expected() throws Exception {
    List<String> out = NodeOperatorTest.inOrder(NodeOperatorTest.scrapes(SCRAPES));
    assertTrue(out.stream().anyMatch(each -> each.contains(" match ")), "something matches");
    return out.stream().sorted().toList();
  }

  /** In the middle of a match: the second of two spikes comes after the savepoint. */
  @ParameterizedTest
  @CsvSource({"HEAP,ROCKSDB", "ROCKSDB,HEAP", "ROCKSDB,ROCKSDB"})
  void aSavepointOfOneBackendGoesOnInTheOther(Backend before, Backend after) throws Exception {
    List<Block> blocks = NodeOperatorTest.scrapes(SCRAPES);
    for (int at : List.of(65, 140)) {
      List<String> out = new ArrayList<>();
      OperatorSubtaskState savepoint;
      try (var harness = harness(before)) {
        harness.open();
        feed(harness, blocks.subList(0, at));
        savepoint = Backend.savepoint(harness);
        out.addAll(NodeOperatorTest.drain(harness));
      }
      try (var harness = harness(after)) {
        harness.initializeState(savepoint);
        harness.open();
        feed(harness, blocks.subList(at, blocks.size()));
        harness.processWatermark(Long.MAX_VALUE);
        out.addAll(NodeOperatorTest.drain(harness));
        assertEquals(0, harness.numEventTimeTimers());
      }
      assertEquals(expected(), out.stream().sorted().toList());
    }
  }

  @Test
  void checkpointsOfRocksDbChangeNothing() throws Exception {
    List<Block> blocks = NodeOperatorTest.scrapes(SCRAPES);
    List<String> out = new ArrayList<>();
    OperatorSubtaskState checkpoint = null;
    for (int from = 0; from < blocks.size(); from += 36) {
      try (var harness = harness(Backend.ROCKSDB)) {
        if (checkpoint != null) {
          harness.initializeState(checkpoint);
        }
        harness.open();
        int to = Math.min(blocks.size(), from + 36);
        feed(harness, blocks.subList(from, to));
        if (to == blocks.size()) {
          harness.processWatermark(Long.MAX_VALUE);
        }
        checkpoint = harness.snapshot(1 + from, 1);
        out.addAll(NodeOperatorTest.drain(harness));
      }
    }
    assertEquals(expected(), out.stream().sorted().toList());
  }
}
