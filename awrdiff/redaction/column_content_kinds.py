"""Contents of the sections' text columns, by column id, which decide their redaction.

Unlisted columns hold names: each text gets a pseudonym.
"""

from __future__ import annotations

from typing import Literal

Content = Literal[
    "oracle",  # Oracle's own names: they stay
    "figure",  # numbers and times that stand as text
    "edition",  # of the software, the role of a database
    "prose",  # sentences: the words of the language stay
    "value",  # of a parameter
    "sql_text",
    "drop",  # what people typed
    "host",
    "instance",
    "database",
    "container",
    "dbid",
    "user",
    "object",
    "segment",  # an object with its owner, partition and type in one text
    "subprogram",
    "tablespace",
    "file",
    "address",
    "program",
    "module",
    "service",
    "sql_id",
    "number",  # of an object, a plan, a container: digits that are a name
    "name",
]

_BY_KIND: dict[Content, str] = {
    "oracle": """
        begin_public block_class buffer_cache cache call_type category cdb channel class command_type component
        end_public enqueue enqueue_type_request_reason event event_class event_first event_second filetype function
        function_file in_out last_operation latch latch_name limit mode mutex_type namespace object_type operation
        parameter parameter_1 parameter_2 parameter_3 phase platform point pool process_type rac region release
        resource restarted row_source session_type sga_regions statistic statistic_name status type undo_block_states
        wait_class wait_class_first wait_class_second metric plans summary used_by
    """,
    "figure": """
        ash_buffer_size begin_snap_id begin_snap_time begin_time block_size_kb blocking_session change cost data_source
        destination end_snap_id end_snap_time end_time figure file_id first_logon high_optimal in_memory_area
        initial_allocation instance_number i_no last_operation_time low_optimal number open_time partition_start
        partition_stop period plan_number process process_id remote_instance samples_active scn session sga_size
        shared_pool slot snap_time snapshot_set snapshot_too_old_out_of_space source startup_time step table_queue
        thread
        time tuned_retention_min_max_minutes undo_tablespace_number value values zone system_data_visible distribution
        counts_per_ops_remastered_objects counts_per_ops_replay_locks_received counts_per_ops_replay_locks_sent
        counts_per_ops_resources_cleaned per_remaster_op total time_per_ops_seconds_cleanup
        time_per_ops_seconds_fixwrite
        time_per_ops_seconds_freeze time_per_ops_seconds_quiesce time_per_ops_seconds_remaster
        time_per_ops_seconds_replay time_per_ops_seconds_sync
    """,
    "edition": "role edition",
    "prose": """
        analysis description finding heading information list other_actions rationale remark scope symptoms
        target
    """,
    "value": """
        begin_value end_value begin_value_first begin_value_second end_value_first end_value_second
    """,
    "sql_text": "sql_text related_objects",
    "drop": "comment task task_name label",
    "host": "host host_name node machine",
    "instance": "instance",
    "database": "db_name unique_name",
    "container": "pdb_name container container_name",
    "dbid": "dbid container_dbid",
    "user": "user user_name owner client_id",
    "object": "object_name subobject_name",
    "segment": "object",
    "subprogram": "entry_subprogram current_subprogram",
    "tablespace": "tablespace",
    "file": "file filename trace_file storage",
    "address": """
        interface ip_address ip_mask begin_ip_address end_ip_address begin_source end_source public device_name
    """,
    "program": "program",
    "module": "module sql_module action",
    "service": "service service_name",
    "sql_id": "sql_id old_hash_value",
    "number": "data_object_number object_number object_id plan_hash",
    "name": """
        name location where rule_set rule ruleset_name queue queue_name queue_schema_and_name subscriber_name
        subscriber_queue system
    """,
}
BY_ID: dict[str, Content] = {column: kind for kind, ids in _BY_KIND.items() for column in ids.split()}
# Sections in which an id holds something else.
BY_SECTION: dict[tuple[str, str], Content] = {
    ("addm_recommendations", "action"): "prose",
    ("addm_findings", "type"): "prose",
    ("addm_recommendations", "type"): "prose",
    ("sql_execution_plan", "instance"): "figure",
    ("sql_execution_plan", "object_name"): "object",
    ("sga_breakdown", "name"): "oracle",
    ("compare_sga_breakdown", "name"): "oracle",
    ("mutex_sleep_summary", "location"): "oracle",
    ("latch_miss_sources", "where"): "oracle",
    ("interconnect_devices", "source"): "address",
    ("cluster_interconnect_by_instance", "begin_public"): "address",
    ("cluster_interconnect_by_instance", "end_public"): "address",
    ("cluster_interconnect", "begin_source"): "address",
    ("cluster_interconnect", "end_source"): "address",
    ("sql_plan_statistics", "statistic"): "oracle",
    ("ash_period", "value"): "prose",
    ("ash_period", "data_source"): "prose",
    ("lgwr_mode_decisions", "change"): "prose",
    ("lgwr_scalable", "figures"): "prose",
    ("lgwr_mode_decisions", "figure"): "prose",
}
_NUMBERS = """
dbid container_dbid con_dbid con_id_dbid database_id plan_hash plan_hash_value hash_value old_hash_value object_id
object_number data_object_number obj dataobj sql_hash_value
"""
NUMBERS_THAT_NAME = frozenset(_NUMBERS.split())
STAY: frozenset[Content] = frozenset(("oracle",))


def kind_of(section: str, column: str) -> Content | None:
    """None for an undeclared column."""
    kind = BY_SECTION.get((section, column)) or BY_ID.get(column)
    if kind is None and column.endswith(("_first", "_second")):
        return kind_of(section, column.rpartition("_")[0])
    return kind
