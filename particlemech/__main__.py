"""Run the command line: python -m particlemech."""

from particlemech.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
