"""The one-sided form, compiled: its layout, its legal actions, what is observed of a step."""
