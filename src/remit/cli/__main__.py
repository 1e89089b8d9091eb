"""``python -m remit.cli``: the command line."""

from remit.cli.main import main

main()
