"""The declared sections, one file per family."""

from parsers.sections.addm import ADDM
from parsers.sections.ash import ASH, ASH_REPORT
from parsers.sections.header import HEADER, SETTINGS
from parsers.sections.io import EXADATA, IO
from parsers.sections.memory import LATCHES, MEMORY
from parsers.sections.oracle_compare_periods import COMPARE
from parsers.sections.rac import CLUSTER, RAC
from parsers.sections.rac_by_instance import BY_INSTANCE
from parsers.sections.report_summary import ACTIVITY, LOAD
from parsers.sections.segments import SEGMENTS
from parsers.sections.sql import SQL, SQL_REPORT
from parsers.sections.statspack import IO as STATSPACK_IO
from parsers.sections.statspack import STATSPACK
from parsers.sections.streams import STREAMS
from parsers.sections.waits import LGWR, TIME, WAITS
from parsers.tables.section_declarations import Family

FAMILIES: tuple[Family, ...] = (
    HEADER,
    LOAD,
    TIME,
    WAITS,
    SQL,
    SQL_REPORT,
    ACTIVITY,
    IO,
    MEMORY,
    LATCHES,
    SEGMENTS,
    RAC,
    BY_INSTANCE,
    CLUSTER,
    COMPARE,
    SETTINGS,
    ASH,
    ASH_REPORT,
    ADDM,
    STREAMS,
    EXADATA,
    LGWR,
    STATSPACK,
    STATSPACK_IO,
)
