"""Around the checks of ``gradcli check``: the specs there are, one spec's check, and the way of the results."""
