"""Tables at the head of a report: database, instance, host, snapshots."""

from __future__ import annotations

from parsers.sections.rac_by_instance import INSTANCE
from parsers.tables.section_declarations import Family, bytes_, count, number, text

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


HEADER = Family("summary")
section = HEADER.section

section(
    "database_information",
    "Database",
    [
        text("db_name", "DB Name", holds="database"),
        text("dbid", "DB Id", "DB ID"),
        text("unique_name", "Unique Name", holds="database"),
        text("role", "Role", "DB Role"),
        text("edition", "Edition"),
        text("instance", "Instance", holds="host"),
        text("instance_number", "Inst num", "Inst Num"),
        text("startup_time", "Startup Time"),
        text("release", "Release"),
        text("rac", "RAC", "Cluster"),
        text("host", "Host", holds="host"),
        text("cdb", "CDB"),
    ],
    titles=[""],
    requires=["DB Name", "DB Id", "Release"],
)
section(
    "instance_information",
    "Instance",
    [
        text("instance", "Instance", holds="host"),
        text("instance_number", "Inst Num", "Inst num"),
        text("startup_time", "Startup Time"),
        text("user_name", "User Name", holds="user"),
        text("system_data_visible", "System Data Visible"),
    ],
    titles=[""],
    requires=["Instance", "Inst Num", "Startup Time"],
    forbids=["DB Name"],
)
section(
    "pdb_information",
    "Pluggable databases",
    [
        text("container_dbid", "Container DB Id"),
        text("container_name", "Container Name", holds="database"),
        text("open_time", "Open Time"),
    ],
    key="container_dbid container_name",
    titles=[""],
    requires=["Container DB Id"],
)
section(
    "host_information",
    "Host",
    [
        text("host_name", "Host Name", holds="host"),
        text("platform", "Platform"),
        count("cpus", "CPUs", measure="level"),
        count("cores", "Cores", measure="level"),
        count("sockets", "Sockets", measure="level"),
        bytes_("memory_bytes", "Memory (GB)", "Memory (G)", measure="level"),
    ],
    titles=[""],
    requires=["Host Name", "CPUs"],
)
section(
    "snapshot_information",
    "Snapshots",
    [
        text("point", ""),
        count("snap_id", "Snap Id", measure="level"),
        text("snap_time", "Snap Time"),
        count("sessions", "Sessions", measure="level"),
        number("cursors_per_session", "ratio", "Cursors/Session", "Curs/Sess", measure="average"),
        count("instances", "Instances", measure="level"),
        count("pdbs_open", "Pluggable Databases Open", measure="level"),
        text("remark", "(2)"),
        text("comment", "Comment"),
    ],
    titles=[""],
    requires=["Snap Id", "Snap Time"],
)
