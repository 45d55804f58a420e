"""torch.__future__: what becomes of the parameters of a module that is converted."""

from .engine.flags import OVERWRITES, SWAPS, settings


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Say whether a converted module has new parameters in the place of its own."""
    settings[OVERWRITES] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Tell whether a converted module has new parameters in the place of its own."""
    return bool(settings.get(OVERWRITES, False))


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Say whether the parameters of a converted or loaded module change places with the new ones."""
    settings[SWAPS] = value


def get_swap_module_params_on_conversion() -> bool:
    """Tell whether the parameters of a converted or loaded module change places with the new ones."""
    return bool(settings.get(SWAPS, False))
