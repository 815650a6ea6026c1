"""Open: any file that the library reads, to be checked, drawn, solved and played."""
