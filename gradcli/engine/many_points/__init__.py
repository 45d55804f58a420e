"""The forms in which ops are called for many points at once."""

from .choice import form_of as form_of
from .generic import Form as Form, aligned as aligned
