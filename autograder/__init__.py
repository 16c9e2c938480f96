"""The machine between a lesson's source and a learner's grade."""
