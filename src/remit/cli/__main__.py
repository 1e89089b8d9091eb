"""``python -m remit.cli``: the command line."""

from remit.cli.main import main

if __name__ == "__main__":
    main()
