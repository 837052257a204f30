"""What a letter did that bars what commits, until two people clear it."""
