"""The attack suite: planted bugs, relations, forgeries, kills and interrupts. `make attack` runs all of it."""
