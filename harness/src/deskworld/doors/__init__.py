"""The doors of a stack as the harness meets them. Network clients live here and nowhere else in the harness."""
