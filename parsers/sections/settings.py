"""Initialization parameters."""

from __future__ import annotations

from parsers.sections.by_instance import INSTANCE
from parsers.tables.declare import Family, text

SETTINGS = Family(
    "settings",
    text("parameter", "Parameter Name"),
    INSTANCE,  # * in a global report: the same in all instances
    text("begin_value", "Begin value", holds="value"),
    text("end_value", "End value (if different)", holds="value"),
)
_COLUMNS = "parameter instance_number begin_value end_value pdb_name"

SETTINGS.section(
    "init_parameters",
    "Initialization Parameters",
    _COLUMNS,
    key="parameter instance_number pdb_name",
    titles=["init.ora Parameters", "Modified Parameters", "Parameters modified by this container"],
)
SETTINGS.section(
    "init_parameters_multi_valued",
    "Multi-Valued Parameters",
    _COLUMNS,
    key="parameter instance_number begin_value pdb_name",
    titles=[
        "init.ora Multi-Valued Parameters",
        "Modified Multi-Valued Parameters",
        "Multi-Valued Parameters modified by this container",
    ],
)
SETTINGS.section(
    "init_parameters_other_containers",
    "Parameters modified by other containers",
    _COLUMNS,
    key="parameter pdb_name",
)
SETTINGS.section(
    "init_parameters_multi_valued_other_containers",
    "Multi-Valued Parameters modified by other containers",
    _COLUMNS,
    key="parameter begin_value pdb_name",
)
