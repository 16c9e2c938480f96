"""Everything a learner receives."""
