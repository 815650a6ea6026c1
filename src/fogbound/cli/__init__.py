"""The command line: `fogbound --help`. Only this package prints."""
