"""The language of workflows: specs, and what they mean. No database, nothing asynchronous."""
