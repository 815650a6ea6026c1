"""How fast Fogbound is, measured beside a peer in the same run: `make bench`, or `python -m benchmarks --help`."""
