"""What stands out: one small function per rule, each with the rows it rests on."""
