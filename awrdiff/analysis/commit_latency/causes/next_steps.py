"""Next steps (query, trace line, parameter), shared by all rules."""

from __future__ import annotations

ASH_P3 = (
    "ASH, needs the Diagnostics Pack: SELECT p3, COUNT(*) samples FROM v$active_session_history "
    "WHERE event = 'log file parallel write' AND sample_time BETWEEN :begin_time AND :end_time GROUP BY p3 "
    "ORDER BY p3; (p3 = I/O requests of the write; for the past use dba_hist_active_sess_history with snap_id; "
    "sample_time, program, event, p1, p2 and p3 as CSV can be attached like a trace)"
)
ASH_LGWR = (
    "ASH of the log writer: SELECT NVL(event, 'ON CPU') state, COUNT(*) samples FROM v$active_session_history "
    "WHERE program LIKE '%(LG%)' AND sample_time BETWEEN :begin_time AND :end_time GROUP BY NVL(event, 'ON CPU') "
    "ORDER BY samples DESC;"
)
TRACE_SWITCH = (
    'In the LGWR trace (…_lgwr_….trc, or …_lg00_….trc): lines "Log file sync switching to polling" and "Log file sync '
    'switching to post/wait" within the window'
)
TRACE_SLOW = (
    'In the LGWR trace: lines "Warning: log write elapsed time …ms, size …KB" within the window (of the whole '
    "redo write, scheduling included)"
)
TRACE_BROADCAST = 'In the LGWR trace: lines "Warning: log write broadcast wait time …ms"'
PARAMETER_ADAPTIVE = (
    "The hidden parameter _use_adaptive_log_file_sync (published cases set it to FALSE; ask Oracle Support first)"
)
PARAMETER_WORKERS = (
    "The hidden parameter _use_single_log_writer (published cases set it to TRUE; ask Oracle Support first)"
)
PARAMETER_PARALLELISM = (
    "The hidden parameter _log_parallelism_max (published cases set it to 2, one to 1; ask Oracle Support first; "
    "Doc ID 1980199.1)"
)
PRIORITY = (
    "Whether LGWR runs at a raised priority (ps -eo pid,cls,pri,ni,comm | grep lgwr) and how long the run queue is"
)
RUN_QUEUE = "vmstat or sar -q of the window: the run queue against the number of CPUs, and steal time on a virtual host"
MEMORY = "Memory of the host in the window: vmstat (si, so, swpd, b), huge pages for the SGA, and what else took memory"
STEAL = "Steal time (vmstat st, sar -u ALL) or the entitlement of the partition: CPU that the hypervisor gave to others"
STOPPED = (
    "Whether the log writer was stopped or stuck in the kernel: its state in ps (D, T), a debugger or a backup that "
    "freezes processes, /var/log/messages (hung task, soft lockup)"
)
STORAGE = "Latency of the redo log devices at the host (iostat -x) and at the storage, in the same window"
RESOURCE_PLAN = (
    "Whether a resource plan is in force (V$RSRC_PLAN) and whom it limits (V$RSRC_CONSUMER_GROUP: cpu_wait_time)"
)
LOG_FILES = (
    "V$LOG and V$LOG_HISTORY: the sizes of the redo logs and how often they switch; V$ARCHIVED_LOG if archiving lags"
)
DISABLE_LOGGING = (
    "On a test system that may be lost, an experiment alone: _disable_logging=TRUE writes no redo, and what commits "
    "then still wait for is not the write. It destroys recovery: "
    "a database whose instance ends abnormally with it cannot be opened"
)
LOG_BUFFER = "The parameter log_buffer, and whether the redo writes themselves are slow"
COMMIT_SITES = (
    "Who commits: SELECT sql_id, module, command_type, executions FROM v$sql WHERE command_type IN (2, 6, 7, 47, 189) "
    "ORDER BY executions DESC FETCH FIRST 20 ROWS ONLY; (inserts, updates, deletes, blocks and merges: with about "
    "as many executions as commits)"
)
STANDBY = "V$ARCHIVE_DEST (net_timeout, affirm), V$REDO_DEST_RESP_HISTOGRAM, and the standby's own redo write latency"
INTERCONNECT = "Interconnect latency and LMS priority; gv$system_event for the same window on the other instances"
NUMA = "sysctl kernel.numa_balancing (published case: 0) and numastat; Doc IDs 2551169.1, 2319324.1"
DIRECT_LOADS = (
    "The statements that load by direct path (INSERT /*+ APPEND */, CREATE TABLE AS SELECT, SQL*Loader direct), and "
    "whether FORCE LOGGING asks for their redo"
)
LOG_READERS = (
    "Who reads the redo: V$ARCHIVE_DEST and V$ARCHIVE_PROCESSES, log transport that reads from disk, capture processes "
    "(LogMiner, GoldenGate)"
)
FLASH_LOG = "On the cells: CellCLI LIST FLASHLOG DETAIL, and LIST METRICCURRENT WHERE name LIKE 'FL_.*'"
RECORD_CPU = (
    "On Linux: record the log writers' waits for a CPU while commits are slow with lgwr_sched.sh (the commit page has "
    "it under Trace files), and attach its output as a trace"
)
COMMIT_SETTINGS = (
    "The parameters commit_wait, commit_logging and commit_write, of the system and of sessions, and statements with "
    "COMMIT WRITE"
)
