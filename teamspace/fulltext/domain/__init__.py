"""The rules of full text: what a word is, what a query asks, what is kept and what is shown."""
