"""What a class handed in -> one `Submission` a student."""
