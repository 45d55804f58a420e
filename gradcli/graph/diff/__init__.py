"""Two graphs compared by their JSON, and their differences as text, as JSON and as pictures."""
