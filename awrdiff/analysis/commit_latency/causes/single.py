"""Rules over one report, in order of their claims on LFS − LFPW. docs/commit-latency.md, section 5."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.causes import (
    checks,
    cpu,
    large_hosts,
    load,
    log_writer_stages,
    writes,
)
from awrdiff.analysis.commit_latency.causes.facts import ReportFacts, Rule, Step

RULES: tuple[Rule[ReportFacts], ...] = (
    Rule(
        "data-guard-sync",
        "Commits wait for the standby (Data Guard SYNC).",
        log_writer_stages.data_guard,
        "Local and remote write run side by side; what the remote one adds lies in a range.",
        (checks.STANDBY, checks.TRACE_SLOW),
        Step.REMOTE,
    ),
    Rule(
        "rac-broadcast",
        "Commits wait for the other instances' acknowledgement.",
        log_writer_stages.broadcast,
        "Counted per acknowledgement by the log writer; the cause may be the other instances' CPUs.",
        (checks.INTERCONNECT, checks.TRACE_BROADCAST),
        Step.MEASURED,
    ),
    Rule(
        "lgwr-workers",
        "Handing redo writes over to log writer workers takes long.",
        log_writer_stages.workers,
        "The delay may also come from busy CPUs.",
        (checks.PARAMETER_WORKERS, checks.ASH_LGWR),
        Step.MEASURED,
    ),
    Rule(
        "post-io",
        "Time passes after the write, before it counts as done.",
        log_writer_stages.post_io,
        "Measured and not explained: it also occurs where no standby and no other instance is waited for.",
        (checks.ASH_LGWR, checks.TRACE_SLOW),
        Step.MEASURED,
    ),
    Rule(
        "redo-copy",
        "The log writer waits for sessions to copy their redo.",
        log_writer_stages.redo_copy,
        "Part of gathering the redo. Sessions that were taken off their CPU in the middle of a copy hold it up.",
        (checks.RUN_QUEUE, checks.ASH_LGWR),
        Step.MEASURED,
    ),
    Rule(
        "polling",
        "Sessions poll for their commit.",
        log_writer_stages.polled_waits,
        "Polling is adaptive and often the better choice; it wakes late where the polling interval is long.",
        (checks.TRACE_SWITCH, checks.PARAMETER_ADAPTIVE),
        Step.POLLING,
    ),
    Rule(
        "wake-up",
        "Commits wait for their sessions to go on once the redo is written.",
        log_writer_stages.wake_up,
        "Counted by the sessions themselves: how late they ran after the log writer was done, of whichever commits "
        "waited for it.",
        (checks.RUN_QUEUE, checks.RESOURCE_PLAN),
        Step.MEASURED,
    ),
    Rule(
        "io-bound",
        "Commits wait for the redo writes themselves.",
        writes.io_bound,
        "That a commit waits for its write is as it should be; what may be too long is the write.",
        (checks.STORAGE, checks.TRACE_SLOW),
        Step.STORAGE,
    ),
    Rule(
        "write-tail",
        "Few slow redo writes make most of the commit time.",
        writes.write_tail,
        "That the long waits are as long as the slow writes does not prove that they met them; the storage's tail is "
        "the first suspect.",
        (checks.STORAGE, checks.TRACE_SLOW),
        Step.TAIL,
    ),
    Rule(
        "lgwr-busy",
        "The log writer is busy most of the time: commits queue behind writes under way.",
        writes.busy,
        "What a commit finds left of the write under way is reckoned as half of a write as a waiter meets it. Shorter "
        "or fewer writes help: faster redo storage, or fewer commits.",
        (checks.STORAGE, checks.ASH_LGWR),
        Step.BUSY,
    ),
    Rule(
        "log-parallelism",
        "Redo writes are split over many log buffers (log parallelism).",
        large_hosts.parallelism,
        "Seen on hosts with many CPUs; the published change is of a hidden parameter.",
        (checks.PARAMETER_PARALLELISM, checks.ASH_P3),
    ),
    Rule(
        "lgwr-cpu",
        "The log writer was off its CPU or stalled.",
        cpu.lgwr_cpu,
        "Its own stages are evidence, a busy host alone is weak. OS_CPU_WAIT_TIME is none: idle hosts show it too. "
        "Faster redo storage would not help.",
        (checks.RECORD_CPU, checks.ASH_LGWR),
    ),
    Rule(
        "unwaited-commits",
        "Most commits do not wait for the log.",
        load.unwaited_commits,
        "Commits inside PL/SQL wait once, at its end; what a commit costs is not in the figures of those that waited.",
        ("Where the application commits: in PL/SQL, or call by call",),
    ),
    Rule(
        "frequent-commits",
        "The application commits after few calls.",
        load.frequent_commits,
        "A select costs parse, execute and fetch calls, a commit or DML two: few calls per commit are few rows. "
        "An application that must commit each row has no choice.",
        (checks.COMMIT_SITES, "The what-if: what fewer commits of the same work would save"),
    ),
    Rule(
        "lost-posts",
        "Commits time out: their posts come late or get lost.",
        load.lost_posts,
        "A time-out is counted whatever the session waited; the wait itself says how long.",
        (checks.ASH_LGWR, checks.PARAMETER_ADAPTIVE),
    ),
    Rule(
        "who-commits",
        "Some statements run as often as there are commits.",
        load.who_commits,
        "As many executions as commits are no proof that it is they that commit; what no list prints is not known.",
        (checks.COMMIT_SITES,),
    ),
    Rule(
        "rollbacks",
        "Many transactions roll back.",
        load.rollbacks,
        "A rollback writes redo of its own and waits for no commit; per transaction it hides in every ratio.",
        ("What rolls back: V$SQL by statements of failed transactions, and the application's errors",),
    ),
    Rule(
        "several-syncs",
        "Each transaction syncs the log more than once.",
        load.several_syncs,
        "Two to each is typical of distributed (XA) transactions; DDL, sequences and queues sync by themselves too.",
        ("Whether transactions are distributed (XA, DBA_2PC_PENDING), and what DDL ran in the window",),
    ),
    Rule(
        "commit-batch",
        "Commits hand their redo over in batches.",
        load.batch_commits,
        "BATCH alone takes no durability: with NOWAIT it would be another matter, and none is asked for here.",
        (checks.COMMIT_SETTINGS,),
    ),
    Rule(
        "log-switches",
        "Sessions wait for log switches.",
        load.log_switches,
        "A switch that waits for a checkpoint or an archiver stalls every session that writes, not commits alone.",
        (checks.LOG_FILES,),
    ),
    Rule(
        "log-buffer",
        "Sessions wait for room in the log buffer.",
        load.log_buffer,
        "A full buffer is more often the result of slow writes than of a small buffer.",
        (checks.LOG_BUFFER, checks.STORAGE),
        Step.SYMPTOM,
    ),
    Rule(
        "direct-redo",
        "Much of the redo is that of direct-path writes.",
        load.direct_redo,
        "Redo of direct-path writes is in redo size and in the log writer's time, and no commit asks for it.",
        (checks.DIRECT_LOADS,),
    ),
    Rule(
        "redo-read",
        "The redo logs are read more than once.",
        load.redo_read,
        "Part of it may come from memory; whether the reads meet the writes is for the storage to tell.",
        (checks.LOG_READERS, checks.STORAGE),
    ),
    Rule(
        "scn-ordering",
        "Commits wait for earlier ones in the order of their SCN.",
        load.scn_ordering,
        "A wait of its own, in no figure of log file sync.",
        (checks.PARAMETER_WORKERS, checks.ASH_LGWR),
    ),
    Rule(
        "log-flush",
        "Other instances wait for this log writer too.",
        load.log_flush,
        "A wait of LMS: what slows its log writer slows block transfers to the other instances.",
        (checks.INTERCONNECT, checks.STORAGE),
    ),
    Rule(
        "flash-log",
        "Exadata's flash log did not keep all redo writes fast.",
        load.flash_log,
        "The cells count the redo writes of all databases; which were this one's they do not say.",
        (checks.FLASH_LOG,),
    ),
)
# Judged whether or not commit waits matter: where commits do not wait there are none to matter.
DURABILITY: Rule[ReportFacts] = Rule(
    "commit-nowait",
    "Commits do not wait for their redo: the waits are gone, and so is durability.",
    load.nowait_commits,
    "Where it was asked for it is no fault; a comparison of commit waits with and without it compares nothing.",
    (checks.COMMIT_SETTINGS,),
)
NOT_REDO_IO: Rule[ReportFacts] = Rule(
    "not-redo-io",
    cpu.OPEN,
    cpu.not_redo_io,
    "The difference is an upper estimate: slow writes that many sessions waited for weigh more in log file sync "
    "than in log file parallel write.",
    (
        checks.RUN_QUEUE,
        checks.RECORD_CPU,
        checks.PRIORITY,
        checks.ASH_LGWR,
        checks.TRACE_SWITCH,
        checks.DISABLE_LOGGING,
    ),
    Step.LEFTOVER,
)
