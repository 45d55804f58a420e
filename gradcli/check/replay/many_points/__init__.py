"""The forms in which ops are called for many points at once."""

from .generic import Form as Form, aligned as aligned
from .table import FORMS as FORMS, form_of as form_of
