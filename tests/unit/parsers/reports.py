"""Small invented reports, for tests of one thing at a time."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = '<html><head><title>AWR Report for DB: INVENT, Inst: invent1, Snaps: 10-11</title></head><body class="awr">'
DATABASE = (
    "<h1>WORKLOAD REPOSITORY report for</h1>"
    '<table summary="This table displays database instance information">'
    "<tr><th>DB Name</th><th>DB Id</th><th>Instance</th><th>Inst num</th><th>Startup Time</th><th>Release</th><th>RAC</th></tr>"
    "<tr><td>INVENT</td><td>42</td><td>invent1</td><td>1</td><td>01-Feb-24 08:15</td><td>12.1.0.2.0</td><td>NO</td></tr></table>"
)
HOST = (
    '<table summary="This table displays host information">'
    "<tr><th>Host Name</th><th>Platform</th><th>CPUs</th><th>Cores</th><th>Sockets</th><th>Memory (GB)</th></tr>"
    "<tr><td>box1</td><td>Linux x86 64-bit</td><td>8</td><td>4</td><td>&#160;</td><td>31.44</td></tr></table>"
)


def snapshots(elapsed: str = "60.00 (mins)", db_time: str = "120.00 (mins)", end: str = "11") -> str:
    return (
        '<table summary="This table displays snapshot information">'
        "<tr><th></th><th>Snap Id</th><th>Snap Time</th><th>Sessions</th><th>Cursors/Session</th></tr>"
        "<tr><td>Begin Snap:</td><td>10</td><td>02-Feb-24 10:00:00</td><td>61</td><td>1.1</td></tr>"
        f"<tr><td>End Snap:</td><td>{end}</td><td>02-Feb-24 11:00:00</td><td>44</td><td>1.3</td></tr>"
        f"<tr><td>Elapsed:</td><td>&#160;</td><td>{elapsed}</td><td>&#160;</td><td>&#160;</td></tr>"
        f"<tr><td>DB Time:</td><td>&#160;</td><td>{db_time}</td><td>&#160;</td><td>&#160;</td></tr></table>"
    )


def table(labels: Sequence[str], *rows: Sequence[str], summary: str = "", group: str = "") -> str:
    head = "<tr>" + "".join(f"<th>{label}</th>" for label in labels) + "</tr>" if labels else ""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table summary="{summary}">{group}{head}{body}</table>'


def section(heading: str, *tables: str, notes: Sequence[str] = ()) -> str:
    items = "".join(f"<li>{n}</li>" for n in notes)
    return f"<h3>{heading}</h3><ul>{items}</ul>" + "".join(tables)


def report(*parts: str, whole: bool = True, header: str = DATABASE + HOST + snapshots()) -> bytes:
    tail = "End of Report</body></html>" if whole else ""
    return (HEAD + header + "".join(parts) + tail).encode()
