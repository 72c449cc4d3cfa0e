"""The rules of events: recording, who is told, delivery, retention; and streams of content."""
