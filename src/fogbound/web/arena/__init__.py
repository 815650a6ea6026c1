"""Arena: tournaments in processes beside the server, with intervals, verdicts in words, CSV and LaTeX."""
