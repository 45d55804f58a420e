"""The walk backward through a graph, what it starts from, the hooks on its way, and the rules that it runs."""
