"""What is normal at this hour, how far off a report is, and where a level changed: docs/fleet.md."""
