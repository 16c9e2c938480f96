"""What lies on a reviewer's desk: answers, whose turn it is, what may be suggested."""
