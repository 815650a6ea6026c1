"""Sets of alpha vectors: pruning, cross sums and backups, for the solvers that keep whole value functions."""
