"""Document 002's pursuit: cops who do not see the thief."""
