"""The command of Faultline: one module per command group, heavy imports inside the commands.

Owns what a person types, reads and looks at: the commands, the table of incidents, the judgement, the report.
Imports every other package, none of them when it is itself imported.
"""
