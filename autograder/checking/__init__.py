"""`course check`: what is wrong with a lesson, said to its author before a learner finds out."""
