"""The smallest job that has a Python operator: doubles three numbers. Submitted by test_cluster_kit.py."""

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    numbers = env.from_collection([1, 2, 21], Types.INT())
    numbers.map(lambda n: n * 2, Types.INT()).print()
    env.execute("tiny")


if __name__ == "__main__":
    main()
