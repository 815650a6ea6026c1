"""Search over the beliefs that can be reached: exact where the best policy needs finitely many of them."""
