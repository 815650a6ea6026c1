"""Other people's game libraries: theirs as ours, ours as theirs. Each is an extra, imported when it is asked for."""
