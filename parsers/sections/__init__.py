"""The declared sections, one file per family."""

from parsers.sections.activity import ACTIVITY
from parsers.sections.addm import ADDM
from parsers.sections.ash import ASH
from parsers.sections.ash_report import ASH_REPORT
from parsers.sections.by_instance import BY_INSTANCE
from parsers.sections.cluster import CLUSTER
from parsers.sections.compare import COMPARE
from parsers.sections.exadata import EXADATA
from parsers.sections.header import HEADER
from parsers.sections.io import IO
from parsers.sections.latches import LATCHES
from parsers.sections.lgwr import LGWR
from parsers.sections.load import LOAD
from parsers.sections.memory import MEMORY
from parsers.sections.rac import RAC
from parsers.sections.segments import SEGMENTS
from parsers.sections.settings import SETTINGS
from parsers.sections.sql import SQL
from parsers.sections.sql_report import SQL_REPORT
from parsers.sections.statspack import IO as STATSPACK_IO
from parsers.sections.statspack import STATSPACK
from parsers.sections.streams import STREAMS
from parsers.sections.time import TIME
from parsers.sections.waits import WAITS
from parsers.tables.declare import Family

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
