"""The command line: a subcommand a file, put together in `main.py`."""
