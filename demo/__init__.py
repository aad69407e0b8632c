"""Three scenes that show the extension, made by script: `python3 dev.py demo`."""
