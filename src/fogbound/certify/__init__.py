"""What a solution shows to the independent checker."""
