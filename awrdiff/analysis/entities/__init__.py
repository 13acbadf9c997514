"""Entities of reports: statements, events, objects, files … with all their rows."""
