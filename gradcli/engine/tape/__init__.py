"""The tape: every recorded op written down with what it was given and made, so that it can be evaluated again."""
