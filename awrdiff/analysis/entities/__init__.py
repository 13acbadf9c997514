"""What reports name: statements, events, objects, files … each with all that both reports print of it."""
