"""The one loop that runs every solver: limits, interrupts, checkpoints, traces, and the report in the end."""
