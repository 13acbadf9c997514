"""Words of people who write of an incident that name nobody, beside those of reports (`words.py`)."""

from __future__ import annotations

_WORDS = """
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
comparison finding findings evidence verdict verdicts timeline post-mortem summary detection cause causes root lessons
cet cest gmt est edt pst pdt ist jst bst p50 p90 p95 p99 learned learnt happened sure unsure window piled
"""
OPENERS = frozenset(_WORDS.split())
