"""The methods of the protocol."""
