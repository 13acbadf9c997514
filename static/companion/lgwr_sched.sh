#!/bin/sh
# When the log writers had a CPU, and how long they waited for one: one line per second and process, from
# /proc/PID/schedstat (Linux). Reading it needs no privileges and costs next to nothing.
#
#   sh lgwr_sched.sh ORACLE_SID [SECONDS]  > lgwr_sched.trc      while commits are slow; 600 seconds unless said
#   sh lgwr_sched.sh -p PID,PID [SECONDS]  > lgwr_sched.trc      of these processes
#
# Attach the output to a comparison like a trace of the log writer. Times are the host's wall clock, as in the reports.

seconds=${2:-600}
if [ "$1" = -p ]; then
    pids=$(echo "$2" | tr , ' ') seconds=${3:-600} sid=
elif [ -n "$1" ]; then
    sid=$1 pids=
    for process in /proc/[0-9]*; do
        name=$(tr '\0' ' ' 2>/dev/null < "$process/cmdline")
        case ${name%% *} in
            ora_lgwr_"$sid"|ora_lg[0-9][0-9]_"$sid") pids="$pids ${process#/proc/}" ;;
        esac
    done
fi
if [ -z "$pids" ]; then
    echo "No log writer found. Use: sh lgwr_sched.sh ORACLE_SID [SECONDS], or -p PID[,PID] [SECONDS]" >&2
    exit 1
fi

echo "awrdiff log writer scheduling 1"
echo "Node name: $(uname -n)"
[ -n "$sid" ] && echo "Instance name: $sid"
echo "time,process,cpu_ns,wait_ns,runs"
while [ "$seconds" -gt 0 ]; do
    now=$(date '+%Y-%m-%d %H:%M:%S')
    for pid in $pids; do
        read -r cpu waited runs 2>/dev/null < "/proc/$pid/schedstat" && echo "$now,$pid,$cpu,$waited,$runs"
    done
    seconds=$((seconds - 1))
    sleep 1
done
