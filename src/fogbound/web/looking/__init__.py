"""Looking at what a visitor names or sends, in a process that may be large, slow or killed without harm."""
