"""What the solvers of POMDPs share, compiled: the model in blocks, and the fast informed bound."""
