"""Names given by Oracle, the same in every database, which reveal nothing."""

from __future__ import annotations

import re

_SCHEMAS = """
sys system dbsnmp sysman outln xdb ctxsys mdsys ordsys orddata ordplugins olapsys wmsys exfsys anonymous audsys
appqossys dbsfwuser dip dvsys dvf flows_files ggsys gsmadmin_internal gsmcatuser gsmuser lbacsys mddata mgmt_view
ojvmsys oracle_ocm remote_scheduler_agent si_informtn_schema sysbackup sysdg syskm sysrac sys$umf xs$null public
perfstat
"""
SCHEMAS = frozenset(_SCHEMAS.split())
SERVICES = frozenset(("sys$users", "sys$background"))
CONTAINERS = frozenset(("cdb$root", "pdb$seed"))
TABLESPACES = re.compile(r"system|sysaux|temp|users|undotbs\d{0,2}|\(?temporary\)?", re.IGNORECASE)
_PROGRAMS = frozenset(
    ("oracle", "sqlplus", "sql*plus", "rman", "sqlldr", "expdp", "impdp", "exp", "imp", "oracle.exe", "sqlplus.exe")
)
_MODULES = frozenset(
    """
jdbc thin client|sql developer|dbms_scheduler|mmon_slave|sql*plus|ggs|backup archivelog|data pump worker|
data pump master|emagent_sql_oracle_database|emagent_sql_rac_database|oem.systempool|realtime connection|
backup incr datafile|restore incr datafile|backup full datafile|ktsj|sql*loader conventional path load|streams|
streams apply|pl/sql developer|toad
""".replace("\n", "").split("|")
)
# LGWR, DBW0, LG01, J003, P01A …: processes of the instance.
PROCESS = re.compile(
    r"(?:PMON|SMON|LGWR|CKPT|MMON|MMNL|RECO|CJQ0|DIAG|DIA0|LMON|LMD\d|LMS[0-9A-Z]|LCK\d|QMNC|RVWR|CTWR|PSP0|VKTM|GEN[01]"
    r"|DBRM|ASMB|RBAL|MARK|VKRM|SMCO|NSS\d|NSA\d|TT0\d|TMON|MRP0|FBDA|DBW[0-9A-Z]|BW\d\d|LG\d\d|ARC[0-9A-Z]|J[0-9A-Z]{3}"
    r"|P[0-9A-F][0-9A-Z]{2}|Q[0-9A-F]{3}|W[0-9A-F]{3}|M[0-9A-F]{3}|S\d{3}|D\d{3}|PZ\d\d|CSW\d|OFSD|RMS0|ACMS|XDMG|XDWK)"
)
CLIENT = re.compile(r"TNS V\d-V\d|TNS|JDBC", re.IGNORECASE)
PRINTED_NOTHING = re.compile(
    r"[-*\s]*|\*\* ?(?:UNAVAILABLE|MISSING|NOT FOUND|NOT AVAILABLE|SQL TEXT NOT AVAILABLE|TRANSIENT|UNKNOWN) ?\*\*"
    r"|\(blank\)|N/A|null|Unknown",
    re.IGNORECASE,
)
# Of the dictionary: families whose members Oracle names too, whoever of its schemas has them (the log of a materialized
# view has the name of somebody's table in it), and what SYS calls its own tables, clusters and indexes.
FAMILY = re.compile(r"(?:I_)?(?:WR[HIMPRS]\$_|SCHEDULER\$_|STATS\$|AQ\$_SYS\$)[A-Z_$]{0,26}\d{0,3}", re.IGNORECASE)
OF_SYS = re.compile(r"[A-Z][A-Z_]{0,28}\d?\$|I_[A-Z]{2,12}\d{0,3}|C_[A-Z]{2,12}#?", re.IGNORECASE)
PACKAGE = re.compile(r"(?:DBMS|UTL)_[A-Z]{2,20}", re.IGNORECASE)
DICTIONARY = re.compile(r"g?v\$[a-z_]{2,26}|x\$[a-z]{2,12}", re.IGNORECASE)
ENDING = re.compile(r"\.(dbf|ctl|log|arc|tmp|ora|trc)$", re.IGNORECASE)
VERSIONED = frozenset(("compatible", "optimizer_features_enable"))
VERSION = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,4}")


def is_program(name: str) -> bool:
    return name.casefold() in _PROGRAMS


def is_module(name: str) -> bool:
    return name.casefold() in _MODULES


def is_schema(name: str) -> bool:
    return name.casefold() in SCHEMAS


def is_object(name: str, owner: str) -> bool:
    if not is_schema(owner):
        return False
    of_sys = owner.casefold() == "sys" and OF_SYS.fullmatch(name)
    return bool(of_sys or FAMILY.fullmatch(name))
