"""Sandboxed plugins: other people's programs in processes of their own, which get only what an operator grants them."""

from teamspace.oop.domain.plugins import PluginHost
from teamspace.oop.domain.services import PluginServices

__all__ = ["PluginHost", "PluginServices"]
