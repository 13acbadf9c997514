"""Words that name nobody and nothing; all others become pseudonyms.

Never lists of what must go: a word nobody thought of is hidden.
"""

from __future__ import annotations

import re
from functools import cache

from parsers.sections.registry import REGISTRY

_PLAIN = """
a about above absolute acceptable account accounted accounts across active activity actual addition additional
additionally adequately advice advisor advisory affinity after aggregate all alloc allocated allocation allocations
along also alternatively always amount amounted an analysis analyzed and any application approximately arch archive
archiver are area as ash associated at attributes auto available average averages avg background backup backups
because before begin beginning being belongs below benefit between bind bit blank blks block blocked blocking blocks
both bottleneck bucket buffer buffered buffers busy but by bytes cache cached calculated call called calls can cannot
captured case cases category cause caused causes causing cell centisecond change changed changes channel check
checkpoint choose class classes clock close closed cluster cluster-wide code column columns combined come command
commit commits common compared comparing comparison completion component compute computed concurrency concurrent
configuration congested connect connection connections consider consolidated consume consumed consuming consumption
contain container containers contains contention contribute contributing control controlfile controlled core
correlation count counts cpu cpus create criteria cumulative current cursor cursors data database databases date day
days db dbwr ddl deadlock default defer deferred delay delays delete demand derived desc descending details detected
deviation device devices diff difference differences different direct disconnect disconnects disk disks dispatcher
display displayed displays distinct distribution divided dml do documentation done down due dump duration during each
effect either ela elapsed eliminate enabled encountered end enqueue enqueues entire entries entry entry-point
environment error errors estimate estimated etc eval evaluation evaluations evenly event events every example examples
exceeded exceeds excessive execute executed executing execution executions exist existing expected experiencing
expired explicitly factor few figure file files filetype final find finding findings first flash flashback flush
flushes for force foreground found free frequently from full function functions further gathered generated get gets
given global good grants greater greatest group groups had hard hardware has hash have heading help here high higher
histogram historical hit hits hold host hot hour hours i/o id identified identify idle ids if immediate impact
impacted important improvement improvements in in-memory inadequately include included includes including incoming
incomplete increase increasing incremental index indexes indicated indicates individual info information initial
initialization insert insignificant instance instances instead inter-instance interconnect interval into invalid
invalidation invalidations investigate involved involving io ios is issue issuing it its itself java keep kept
kilobyte kilobytes large last latch latches latency least level levels library like limit limits line lines link list
listed literal literals load lob local lock locks log logic logical logon logons logs lost low lower lru made main
maintenance major make many master mastered matching max maximum may mean means measure megabytes memory message
messages micro microsecond microseconds middle might millisecond milliseconds min minimum minute minutes misses
missing mode modes modified modify monitor more most ms multiple mutex name named names namespace nanosecond near
network no no-wait non-idle non-sql none nor normal not note nothing nowait null number numbers object objects
occurred occurs of off offer often old on once one online only open operate operating operation operations opportunity
opt optimal optimized optimizer option or oracle order ordered os other others otherwise out outgoing output over
overflow page pages paging parallel parameter parameters parse parsed parses parsing part particular partition
partitioning partitions pass pct per percent percentage percentages performance performing period periods persistent
pga phase phys physical pin pl plan plans please plsql point pool pools poorly possibility possible potential present
previous prior problem problems procedure process processed processes processing progress public quantity queries
query queue queued queues range ranges rate rates ratio ratios raw read read-mostly read-only reads ready real reason
rebuilding received recent recently recommendation recommendations record recovery recursive recycle redo reduce
reduced reduction refer refresh related release released releases remastered remote report reported reports represent
represents request requests required requirement requires reset resize resource resources response respective
responsible result resulted results retention reused rollback rollbacks root round row rows rule run running runs same
sample sampled samples sampling scan scans schema second seconds section segment segments select sequence sequences
server servers service services session sessions set sets setting settings sga sharable shared sharing should show
showing shown shows shrink significant significantly since single size sized sizes slave slaves sleeps slot slots
small smaller snap snaps snapshot snapshots so soft some sorted sorts source sources space spent spin sql standard
standby started startup statement statements static statistic statistics status storage stream streams structure
subprogram substantial subsystem such suffixed sum summary swap switch switches synchronization system table tables
tablespace tablespaces target task temporary text than that the their them then there therefore these they this those
thousands threshold through throughput time timed timeout timeouts times to too took top top-level total totals trace
transaction transactions transfer trigger tune tuned tuning type types unable under undersized undo unexpected unique
unit units unknown unlimited unoptimized until up update updates upgrade usage use used user user-calls users uses
using utilization valid value values variables verify version very via view views virtual volume wait waited waiting
waits wall was watermark were when where whether which while whole whose wide will window windows with within without
work workarea workareas workload wpb write writer writes yes you your zero addm awr rac pdb cdb asm dbms_shared_pool
dbms_stats cpu_time elapsed_time sql_id sql_ids i/os oltp lgwr ckpt automatic manual automatically scheduler
optimizer_statistics high-load workload_repository dba_hist_active_sess_history v$active_session_history dba_hist
awr_root awr_pdb physical_reads hwm itl st tx tm us ns ks mb gb tb kb mbps iops application's wait_class advisors
configuration's elapse inline-view host's database's instance's
"""
_HEADINGS = """
1st 2nd 1st/2nd/both both busy calls cell cells celldisk celldisks cleanup compression conns counts deq dequeue diff
dirty disks est evals eval exec exp failed fast fctr fixwrite flashlog freeze freq griddisk griddisks hist hits inst
interval iorm keep miss msg msgs ops outlier outliers over quiesce redirty redo reqs replay remaster remastered
replaced resources sec spill sync transf incoming outgoing net overrun autotune ckpt writes successful enq expire
mostly send receive txn unspill util wait first second third snap gc lms dbwr lgwr cr cur flash disk smart hdd ssd
read write small large lt ge le gt eq up between and of by the to in on for per from with all other
"""
_VALUES = """
true false yes no on off auto automatic manual typical basic all none enable enabled disable disabled force forced
exact similar choose rule all_rows first_rows first_rows_1 first_rows_10 first_rows_100 first_rows_1000 cost immediate
deferred wait nowait batch sync async affirm noaffirm lgwr arch service location mandatory optional reopen delay
nodelay max_failure valid_for online_logfile standby_logfile all_logfiles all_roles primary_role standby_role
db_unique_name compression net_timeout register noregister defer alternate reset shared exclusive dedicated db os xml
extended db_extended filesystemio_options setall directio asynch default memory spfile both adaptive low medium high
cpu binary linguistic american america byte char gregorian pending current dynamic static recursive partial full
unlimited nologging logging use_db_recovery_file_dest use_large_pages only ssf mts tcp protocol dispatchers tls
inherit local remote nothing diagnostic tuning diagnostic+tuning transactional query dml ddl partition subpartition
table index public private any top bottom enforced trusted stale_tolerated strong weak typical_plus data redo temp
undo cache keep recycle nocache auto_login
"""
_FIGURES = """
jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august september october
november december mon tue wed thu fri sat sun am pm min mins minutes s sec secs ms us h hrs days day utc gmt b e begin
end k m g t kb mb gb n/a y n yes no true false key rowid inlist invalid off on of in-memory null none total all both
inst gc read write waits cs
"""
_COMMANDS = """
add alter analyze and any as asc audit avg begin between bulk by case cast char check chr cluster coalesce collect
column comment commit compress concat connect constraint count create cross current cursor date day dbms_lob declare
decode default delete dense_rank desc distinct double drop dual dump each else elsif end escape except exception
exclusive execute exists exit explain extract fetch first float flashback following for force foreign from full
function grant greatest group grouping hash having if immediate in index initcap inner insert instr instrb integer
intersect interval into is join key last lag lead least left length lengthb level like listagg lnnvl lob local lock
log long loop lower lpad ltrim matched materialized max merge min minus mod mode modify month months_between model
multiset natural next nextval no nocycle noaudit not nowait null nullif nulls number nvl nvl2 of offset on only open
option or order ordered others out outer over package parallel partition percent pivot power preceding prior primary
privileges procedure public raise range rank raw ref regexp_like regexp_replace regexp_substr regexp_instr rename
replace return returning reverse revoke right rollback rollup round row row_number rowid rownum rows rpad rtrim sample
savepoint select session set share sign siblings size skip locked smallint some sqrt start stddev substr substrb sum
sysdate synonym sys_context sys_guid systimestamp table tablespace temporary then ties time timestamp to to_char
to_clob to_date to_lob to_number to_timestamp translate treat trigger trim trunc truncate type uid unbounded union
unique unpivot update upper use user using validate values varchar varchar2 variance varray view wait when whenever
where while with within work xmlagg xmlelement xmlforest year hour minute second zone at nchar nvarchar2 clob blob
binary_double cube sets listen timezone_hour add_months last_day new_time instrc ascii bitand abs ceil floor exp ln
sin cos
"""
_NARRATIVE = """
a action actions add added after again agreed all already also although always an and another any applied as asked
at back bad batch be because been before began begins being below big both bring broke bug but by call called came
can check checked checks clear cleared client clients come connected could customer customers date deploy deployed
deployment detach did died different disk do does done down draft each early eight ends even every everybody
everyone explained fail failed failover fails failure few first five fix fixed follow followed for found four from
full gave get give given go goes going gone got had half has have he her here him his hit how however i if immediate
impact in incident increase into investigate is isn't it it's its job jobs just keep kept killed knew know known
last later latest left less let like little long look looked lot made make many maybe me might mitigate mitigated
monday tuesday wednesday thursday friday saturday sunday month months more morning most move moved much must my need
needed needs never new next night nine no nobody none nor not nothing now of off often old on once one only open
opened or other our out outage over own page patch people please post-mortem put ran reached read really rebooted
recovered recovery rejected release remove removed replace replaced report rerun restart restarted restored return
reverted review reviewed right rolled run said same saw say see seen sent set seven severity she shift should since
six slow slower slowly so some somebody someone something soon start started starts stay still stop stopped such
switch switched take taken team tell ten than that that's the their them then there these they things this those
though three through ticket time to today together told tomorrow too took tried try turned two under until up upgrade
upgraded us use used user users very wait waited was watch we we're week weeks well went were what when where whether
which while who whole why will with within without work worked working works would write wrote year years yes
yesterday you your bind literals stopped lead dba owner commander scribe nobody confirmed medium critical
comparison comparisons baseline attach attached participant participants state signed ruled template templates title
tag tags kind empty separated finding findings evidence verdict verdicts timeline post-mortem summary detection cause
causes root lessons
flat takes rise mainly explains printed drop far unaccounted twice fewer rose sides grow longer shorter spend says
acquire stayed against holds calm held alone recorded faster hence sick behind follows short fell became trouble
neither rather contend beside dominates counted earlier measured nearly inside differ around share alike cut kinds else
hardly excluded improved larger handful limited resized beyond capped performed ended past
cet cest gmt est edt pst pdt ist jst bst p50 p90 p95 p99 learned learnt happened sure unsure window piled
"""
_VOCABULARY = """
cluster clusters database databases host hosts instance instances local node nodes session sessions snapshot snapshots
"""
_EDITIONS = "primary physical logical snapshot standby ee se se1 se2 xe ex hp pe free enterprise express"
PROSE = frozenset(_PLAIN.split())
VALUES = frozenset(_VALUES.split())
FIGURES = frozenset(_FIGURES.split())
COMMANDS = frozenset(_COMMANDS.split())
EDITIONS = frozenset(_EDITIONS.split())
NARRATIVE = frozenset(_NARRATIVE.split())  # of people who tell of an incident
VOCABULARY = frozenset(_VOCABULARY.split())  # of pages and reports, which put these words into every text


@cache
def labels() -> frozenset[str]:
    """Words of declared headings, and some of Oracle's over undeclared columns."""
    words = set(_HEADINGS.split())
    for section in REGISTRY.by_id.values():
        words.update(_words(section.title))
        for spec in section.columns or ():
            for label in spec.labels:
                words.update(_words(label))
    return frozenset(words)


def is_heading(text: str) -> bool:
    """True for such words, signs and small numbers (`<512ms`, `16K`)."""
    return all(word in labels() or word in PROSE or _SMALL.fullmatch(word) for word in _words(text))


_SMALL = re.compile(r"\d{1,4}(?:us|ms|s|m|h|k|kb|mb|gb|g|t|st|nd)?")


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())
