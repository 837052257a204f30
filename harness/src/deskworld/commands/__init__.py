"""What each command does and prints. The command line turns what they return into an exit code."""
