"""Rules over one report, in order of their claims on LFS − LFPW. docs/commit-latency.md, section 5."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.causes import (
    commit_and_redo_load,
    log_parallelism_and_numa,
    log_writer_cpu,
    log_writer_stages,
    next_steps,
    redo_writes,
)
from awrdiff.analysis.commit_latency.causes.rule_types import ReportFacts, Rule, Step

RULES: tuple[Rule[ReportFacts], ...] = (
    Rule(
        "data-guard-sync",
        "Commits wait for the standby (Data Guard SYNC).",
        log_writer_stages.data_guard,
        "Local and remote write run side by side; what the remote one adds lies in a range.",
        (next_steps.STANDBY, next_steps.TRACE_SLOW),
        Step.REMOTE,
    ),
    Rule(
        "rac-broadcast",
        "Commits wait for the other instances' acknowledgement.",
        log_writer_stages.broadcast,
        "Counted per acknowledgement by the log writer; the cause may be the other instances' CPUs.",
        (next_steps.INTERCONNECT, next_steps.TRACE_BROADCAST),
        Step.MEASURED,
    ),
    Rule(
        "lgwr-workers",
        "Handing redo writes over to log writer workers takes long.",
        log_writer_stages.workers,
        "The delay may also come from busy CPUs.",
        (next_steps.PARAMETER_WORKERS, next_steps.ASH_LGWR),
        Step.MEASURED,
    ),
    Rule(
        "post-io",
        "Time passes after the write, before it counts as done.",
        log_writer_stages.post_io,
        "Measured and not explained: it also occurs where no standby and no other instance is waited for.",
        (next_steps.ASH_LGWR, next_steps.TRACE_SLOW),
        Step.MEASURED,
    ),
    Rule(
        "redo-copy",
        "The log writer waits for sessions to copy their redo.",
        log_writer_stages.redo_copy,
        "Part of gathering the redo. Sessions that were taken off their CPU in the middle of a copy hold it up.",
        (next_steps.RUN_QUEUE, next_steps.ASH_LGWR),
        Step.MEASURED,
    ),
    Rule(
        "polling",
        "Sessions poll for their commit.",
        log_writer_stages.polled_waits,
        "Polling is adaptive and often the better choice; it wakes late where the polling interval is long.",
        (next_steps.TRACE_SWITCH, next_steps.PARAMETER_ADAPTIVE),
        Step.POLLING,
    ),
    Rule(
        "wake-up",
        "Sessions wake up late after the log writer's post.",
        log_writer_stages.wake_up,
        "Counted by the sessions themselves: how late they ran after the log writer was done, of whichever commits "
        "waited for it.",
        (next_steps.RUN_QUEUE, next_steps.RESOURCE_PLAN),
        Step.MEASURED,
    ),
    Rule(
        "io-bound",
        "Commits wait for the redo writes themselves.",
        redo_writes.io_bound,
        "That a commit waits for its write is as it should be; what may be too long is the write.",
        (next_steps.STORAGE, next_steps.TRACE_SLOW),
        Step.STORAGE,
    ),
    Rule(
        "write-tail",
        "Few slow redo writes make most of the commit time.",
        redo_writes.write_tail,
        "That the long waits are as long as the slow writes does not prove that they met them; the storage's tail is "
        "the first suspect.",
        (next_steps.STORAGE, next_steps.TRACE_SLOW),
        Step.TAIL,
    ),
    Rule(
        "lgwr-busy",
        "The log writer is busy most of the time: commits queue behind writes under way.",
        redo_writes.busy,
        "What a commit finds left of the write under way is reckoned as half of a write as a waiter meets it. Shorter "
        "or fewer writes help: faster redo storage, or fewer commits.",
        (next_steps.STORAGE, next_steps.ASH_LGWR),
        Step.BUSY,
    ),
    Rule(
        "log-parallelism",
        "Redo writes are split over many log buffers (log parallelism).",
        log_parallelism_and_numa.parallelism,
        "Seen on hosts with many CPUs; the published change is of a hidden parameter.",
        (next_steps.PARAMETER_PARALLELISM, next_steps.ASH_P3),
    ),
    Rule(
        "lgwr-cpu",
        "The log writer was off its CPU or stalled.",
        log_writer_cpu.lgwr_cpu,
        "Its own stages are evidence, a busy host alone is weak. OS_CPU_WAIT_TIME is none: idle hosts show it too. "
        "Faster redo storage would not help.",
        (next_steps.RECORD_CPU, next_steps.ASH_LGWR),
    ),
    Rule(
        "unwaited-commits",
        "Most commits do not wait for the log.",
        commit_and_redo_load.unwaited_commits,
        "Commits inside PL/SQL wait once, at its end; what a commit costs is not in the figures of those that waited.",
        ("Where the application commits: in PL/SQL, or call by call",),
    ),
    Rule(
        "frequent-commits",
        "The application commits after few calls.",
        commit_and_redo_load.frequent_commits,
        "A select costs parse, execute and fetch calls, a commit or DML two: few calls per commit are few rows. "
        "An application that must commit each row has no choice.",
        (next_steps.COMMIT_SITES, "The what-if: what fewer commits of the same work would save"),
    ),
    Rule(
        "lost-posts",
        "Commits time out: their posts come late or get lost.",
        commit_and_redo_load.lost_posts,
        "A time-out is counted whatever the session waited; the wait itself says how long.",
        (next_steps.ASH_LGWR, next_steps.PARAMETER_ADAPTIVE),
    ),
    Rule(
        "who-commits",
        "Some statements run as often as there are commits.",
        commit_and_redo_load.who_commits,
        "As many executions as commits are no proof that it is they that commit; what no list prints is not known.",
        (next_steps.COMMIT_SITES,),
    ),
    Rule(
        "rollbacks",
        "Many transactions roll back.",
        commit_and_redo_load.rollbacks,
        "A rollback writes redo of its own and waits for no commit; per transaction it hides in every ratio.",
        ("What rolls back: V$SQL by statements of failed transactions, and the application's errors",),
    ),
    Rule(
        "several-syncs",
        "Each transaction syncs the log more than once.",
        commit_and_redo_load.several_syncs,
        "Two to each is typical of distributed (XA) transactions; DDL, sequences and queues sync by themselves too.",
        ("Whether transactions are distributed (XA, DBA_2PC_PENDING), and what DDL ran in the window",),
    ),
    Rule(
        "commit-batch",
        "Commits hand their redo over in batches.",
        commit_and_redo_load.batch_commits,
        "BATCH alone takes no durability: with NOWAIT it would be another matter, and none is asked for here.",
        (next_steps.COMMIT_SETTINGS,),
    ),
    Rule(
        "log-switches",
        "Sessions wait for log switches.",
        commit_and_redo_load.log_switches,
        "A switch that waits for a checkpoint or an archiver stalls every session that writes, not commits alone.",
        (next_steps.LOG_FILES,),
    ),
    Rule(
        "log-buffer",
        "Sessions wait for room in the log buffer.",
        commit_and_redo_load.log_buffer,
        "A full buffer is more often the result of slow writes than of a small buffer.",
        (next_steps.LOG_BUFFER, next_steps.STORAGE),
        Step.SYMPTOM,
    ),
    Rule(
        "direct-redo",
        "Much of the redo is that of direct-path writes.",
        commit_and_redo_load.direct_redo,
        "Redo of direct-path writes is in redo size and in the log writer's time, and no commit asks for it.",
        (next_steps.DIRECT_LOADS,),
    ),
    Rule(
        "redo-read",
        "The redo logs are read more than once.",
        commit_and_redo_load.redo_read,
        "Part of it may come from memory; whether the reads meet the writes is for the storage to tell.",
        (next_steps.LOG_READERS, next_steps.STORAGE),
    ),
    Rule(
        "scn-ordering",
        "Commits wait for earlier ones in the order of their SCN.",
        commit_and_redo_load.scn_ordering,
        "A wait of its own, in no figure of log file sync.",
        (next_steps.PARAMETER_WORKERS, next_steps.ASH_LGWR),
    ),
    Rule(
        "log-flush",
        "Other instances wait for this log writer too.",
        commit_and_redo_load.log_flush,
        "A wait of LMS: what slows its log writer slows block transfers to the other instances.",
        (next_steps.INTERCONNECT, next_steps.STORAGE),
    ),
    Rule(
        "flash-log",
        "Exadata's flash log did not keep all redo writes fast.",
        commit_and_redo_load.flash_log,
        "The cells count the redo writes of all databases; which were this one's they do not say.",
        (next_steps.FLASH_LOG,),
    ),
)
# Judged whether or not commit waits matter: where commits do not wait there are none to matter.
DURABILITY: Rule[ReportFacts] = Rule(
    "commit-nowait",
    "Commits do not wait for their redo: the waits are gone, and so is durability.",
    commit_and_redo_load.nowait_commits,
    "Where it was asked for it is no fault; a comparison of commit waits with and without it compares nothing.",
    (next_steps.COMMIT_SETTINGS,),
)
NOT_REDO_IO: Rule[ReportFacts] = Rule(
    "not-redo-io",
    log_writer_cpu.OPEN,
    log_writer_cpu.not_redo_io,
    "The difference is an upper estimate: slow writes that many sessions waited for weigh more in log file sync "
    "than in log file parallel write.",
    (
        next_steps.RUN_QUEUE,
        next_steps.RECORD_CPU,
        next_steps.PRIORITY,
        next_steps.ASH_LGWR,
        next_steps.TRACE_SWITCH,
        next_steps.DISABLE_LOGGING,
    ),
    Step.LEFTOVER,
)
