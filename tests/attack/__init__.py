"""The attack suite: planted bugs, relations that must hold, kills, interrupts, forgeries. `make attack` runs it whole."""
