"""`python -m tests.attack`: the table of `make attack`."""

import sys

from tests.attack.table import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
