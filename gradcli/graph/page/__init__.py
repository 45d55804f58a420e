"""A graph as one HTML page: its data, and the script and style that are put into it."""
