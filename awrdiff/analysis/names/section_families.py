"""Part of the page for each section."""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.sections.registry import REGISTRY

# Which part of the page an undeclared section belongs to; declared ones say it themselves.
_FAMILIES: tuple[tuple[str, str], ...] = (
    (r"^(database|snapshot|host_information|host$|report_|addm|instance_percentages)", "summary"),
    (r"^(top_event|foreground_|background_|wait_|time_model|service_)", "time"),
    (r"^(load_|host_cpu|os_)", "load"),
    (r"^(sql_|top_sql|plan_|key_sql)", "sql"),
    (r"^(instance_activity|activity_|top_sessions|top_blocking|top_service|top_client|session_)", "activity"),
    (r"^(iostat|tablespace_|files?_|redo_|log_|asm_)", "io"),
    (r"^(exadata|cell_|smart_|flash_cache_|storage_)", "exadata"),
    (r"^(global_|gc_|ges_|interconnect|rac_|cluster_)", "rac"),
    (r"^(buffer_|pga_|sga_|shared_pool|java_pool|memory_|process_memory|in_memory|undo_)|_advisory$", "memory"),
    (r"^(latch|mutex|enqueue)", "latches"),
    (r"^segment", "segments"),
    (r"^(init_|parameter|resource_)", "settings"),
)
_COMPILED = tuple((re.compile(pattern), family) for pattern, family in _FAMILIES)


@lru_cache(maxsize=4096)
def family_of(section_id: str) -> str:
    """Oracle's compare report tables go with their single-period counterparts."""
    name = section_id.removeprefix("compare_")
    declared = REGISTRY.family_of(name)
    if declared != "other":
        return declared
    return next((family for pattern, family in _COMPILED if pattern.search(name)), "other")
