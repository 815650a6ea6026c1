"""`python -m fogbound` is the command line."""

import sys

from fogbound.cli.main import main

sys.exit(main())
