"""The online half: the Flink job, its configuration, its operators. Never imports torch or gnn."""
