"""Normal values by hour, deviations from them, and changes of level: docs/fleet.md."""
