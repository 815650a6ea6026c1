"""Supervisor that compute for the server: one supervisor, its child's side, and the commands and questions it runs."""
