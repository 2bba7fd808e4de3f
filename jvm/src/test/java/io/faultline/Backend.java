package io.faultline;

import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;

/** Where keyed state lies. */
public enum Backend {
  HEAP,
  ROCKSDB;

  public StateBackend make() {
    return this == HEAP ? new HashMapStateBackend() : new EmbeddedRocksDBStateBackend();
  }

  /** A savepoint in the form that every backend reads. */
  public static OperatorSubtaskState savepoint(AbstractStreamOperatorTestHarness<?> harness)
      throws Exception {
    return harness
        .snapshotWithLocalState(1, 1, SavepointType.savepoint(SavepointFormatType.CANONICAL))
        .getJobManagerOwnedState();
  }
}
