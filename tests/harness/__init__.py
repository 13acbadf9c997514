"""What tests against real processes share: the tools of the machine, Redis, PostgreSQL, and bin/serve itself."""
