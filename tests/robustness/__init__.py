"""The whole product under broken files, kills and hostile uploads: commands whose figures stand in docs/reference/robustness.md."""
