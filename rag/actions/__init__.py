"""Use cases: the only place that writes. Each governed write carries its audit event."""
