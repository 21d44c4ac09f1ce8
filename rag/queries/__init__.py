"""From the tables to core types. Nothing here writes."""
