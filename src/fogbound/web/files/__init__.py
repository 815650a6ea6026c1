"""Files: whatever the library reads can be opened here, looked at, solved and played."""
