"""The review's log: what people decided, appended and never changed."""
