"""One function per rule, each with the rows it rests on."""
