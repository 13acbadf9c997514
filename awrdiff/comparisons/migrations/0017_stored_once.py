"""Two reports the other way round were a comparison of their own, with `mirror_of` its original: it becomes a pair of
that, with all that hangs on it, and its id leads there. One of several reports goes by other reports than its original
and stays, as a view of it. One at a time; ended half-way it goes on.
"""

from django.db import migrations, models, transaction

from parsers.storage.compressed_blocks import pack, unpack

TURNED = 100


def join(apps, schema_editor):
    alias = schema_editor.connection.alias

    def rows(app, name):
        return apps.get_model(app, name).objects.using(alias)

    kept = [rows("incidents", "Evidence"), rows("incidents", "Verdict"), rows("threads", "Thread"), rows("pins", "Pin")]
    comparisons = rows("comparisons", "Comparison")
    for pk in list(comparisons.exclude(mirror_of=None).values_list("pk", flat=True)):
        with transaction.atomic(using=alias):
            mirror = comparisons.select_related("mirror_of").get(pk=pk)
            reports = rows("comparisons", "ComparisonReport").filter(comparison=mirror)
            if reports.exclude(report__kind="lgwr_trace").count() > 2:
                _keep(rows, kept, mirror)
            else:
                _join(rows, kept, mirror)
    for found in kept:  # of those that were deleted, and of a view that was kept
        for pk in list(found.filter(swapped=True).order_by().values_list("comparison", flat=True).distinct()):
            with transaction.atomic(using=alias):
                _turn(rows, found, pk)
    for pk in _needed_both_ways(rows, kept):
        with transaction.atomic(using=alias):
            _flag(comparisons.filter(pk=pk))


def _needed_both_ways(rows, kept):
    """Those where something was kept the other way round, or is read so."""
    links = rows("sharing", "ShareLink").filter(pair=TURNED)
    every = [found.filter(pair=TURNED).values_list("comparison", flat=True) for found in (*kept, links)]
    every.append(links.values_list("copy", flat=True))
    every.append(rows("comparisons", "FormerComparison").filter(pair=TURNED).values_list("comparison", flat=True))
    every.append(rows("incidents", "IncidentComparison").filter(bad=0).values_list("comparison", flat=True))
    return sorted({pk for found in every for pk in found.order_by().distinct() if pk is not None})


def _flag(one):
    """Computed so from now on; what lacks a pair now is renewed, and stays until then."""
    one.update(both_ways=True)
    ready = one.filter(state="ready").values("overview", "engine_version").first()
    if ready is None:
        return
    if len({bool(pair.get("turned")) for pair in _pairs(ready["overview"])}) < 2:
        one.update(engine_version=max(ready["engine_version"] - 1, 0), renewal_tried=0)


def _pairs(overview):
    """None of what is damaged, or of an older format: it is computed again."""
    try:
        pairs = unpack(bytes(overview))
    except Exception:
        return []
    return pairs if isinstance(pairs, list) and all(isinstance(pair, dict) for pair in pairs) else []


def _turn(rows, found, pk, *, is_turned=True):
    """Rows of the comparison that were read in its swap go to the pair that they are of."""
    places = rows("comparisons", "ComparisonReport").filter(comparison=pk)
    reports = places.exclude(report__kind="lgwr_trace").count()
    turned = found.filter(comparison=pk, swapped=True)
    away = 1000  # two pairs may change places, and a row is kept once
    turned.update(pair=models.F("pair") + away)
    for one in turned.order_by("pk"):
        is_view = bool(getattr(one, "baseline", ""))
        pair = one.pair - away if is_view or not is_turned else _pair_of_swap(one.pair - away, reports)
        if _is_alone(found, one, pair):
            found.filter(pk=one.pk).update(pair=pair, swapped=False)


def _pair_of_swap(pair, reports):
    """The pair of the same two reports where the first two change places; a number of its own, which nothing is stored
    for, where there is none."""
    if pair == 0:
        return TURNED
    if reports == 3 and pair in (1, 2):
        return 3 - pair
    return pair if reports > 3 and pair == reports - 1 else TURNED + pair


def _is_alone(found, one, pair):
    """False of what was kept from both ways round and is the same: it is in the other now. An older judgement stays as
    one that held before."""
    name = found.model._meta.model_name
    same = found.filter(comparison=one.comparison_id, anchor=one.anchor, pair=pair, swapped=False)
    if name == "evidence":
        other = same.filter(incident=one.incident_id, baseline=one.baseline).first()
        if other is not None and one.note and one.note not in other.note:
            found.filter(pk=other.pk).update(note=f"{other.note}\n{one.note}".strip()[:2000])
    elif name == "pin":
        other = same.filter(user=one.user_id, baseline=one.baseline).first()
    else:
        if name == "verdict" and one.is_current and (one.user_id is not None or _is_of_nobody(one)):
            other = same.filter(user=one.user_id, is_current=True).first()
            if other is not None:
                older = min((other, one), key=lambda verdict: (verdict.at, verdict.pk))
                found.filter(pk=older.pk).update(is_current=False)
        return True
    if other is not None:
        one.delete()
    return other is None


def _is_of_nobody(verdict):
    """Where nobody signs in all that have no author have the same; elsewhere several people may be gone."""
    people = verdict._meta.apps.get_model("accounts", "Membership")._default_manager.using(verdict._state.db)
    return not people.filter(team=verdict.team_id).exists()


def _keep(rows, kept, mirror):
    """It takes what was read in it: its places are the same and so are its pairs."""
    original = mirror.mirror_of
    threads = rows("threads", "Thread")
    moved = list(threads.filter(comparison=original, swapped=True).values_list("pk", flat=True))
    for found in kept:
        turned = found.filter(comparison=original, swapped=True)
        for one in turned if hasattr(found.model, "baseline") else ():
            turned.filter(pk=one.pk).update(baseline=_mirrored(one.baseline))
        turned.update(comparison=mirror, swapped=False)
    _attach(rows, mirror)
    _show_both(rows, mirror)
    notices = rows("notices", "Notice").filter(kind="comparison")
    notices.filter(thread__in=moved).update(thing=str(mirror.pk))
    notices.filter(thread__in=threads.filter(comparison=original).values("pk")).update(thing=str(original.pk))
    view_of = original.chosen_from_id or original.pk
    rows("comparisons", "Comparison").filter(pk=mirror.pk).update(mirror_of=None, chosen_from=view_of)


def _mirrored(baseline):
    """The same reports by their places where the first two are exchanged; "" of a pair."""
    if not baseline:
        return ""
    members, _, second = baseline.partition("/")
    places = {"0": "1", "1": "0"}
    turned = sorted((places.get(one, one) for one in members.split(",")), key=int)
    return f"{','.join(turned)}/{places.get(second, second)}"


def _attach(rows, mirror):
    """To incidents that have its original, where something was judged in it or kept for them."""
    attached = rows("incidents", "IncidentComparison")
    of_original = attached.filter(comparison=mirror.mirror_of_id)
    if not rows("incidents", "Verdict").filter(comparison=mirror).exists():
        kept = rows("incidents", "Evidence").filter(comparison=mirror)
        of_original = of_original.filter(incident__in=kept.values("incident"))
    for one in of_original:
        if not attached.filter(incident=one.incident_id, comparison=mirror).exists():
            one.pk, one.comparison, one.bad = None, mirror, {0: 1, 1: 0}.get(one.bad, one.bad)
            one.told, one.told_of, one.story = [], "", {}
            one.save(force_insert=True)


def _show_both(rows, mirror):
    """Guests of either read the threads of both."""
    shown = rows("comparisons", "ShownComparison")
    both = [mirror.pk, mirror.mirror_of_id]
    for one in list(shown.filter(comparison__in=both)):
        for pk in both:
            if not shown.filter(comparison=pk, membership=one.membership_id).exists():
                one.pk, one.comparison_id = None, pk
                one.save(force_insert=True)


def _join(rows, kept, mirror):
    original, comparisons = mirror.mirror_of, rows("comparisons", "Comparison")
    is_turned = _places(rows, original) != _places(rows, mirror)
    pair, query = (TURNED, f"?pair={TURNED}") if is_turned else (0, "")
    for found in kept:
        _turn(rows, found, original.pk, is_turned=is_turned)
    straight = [one for one in _pairs(original.overview) if not one.get("turned")]
    if is_turned and straight and _turned(mirror) and _is_alike(original, mirror):
        _store(rows, original, [*straight, *_turned(mirror)], of=mirror)
    for copy in comparisons.filter(copy_of=mirror) if is_turned else ():
        places = rows("comparisons", "ComparisonReport").filter(comparison=copy, position__lt=2)
        places.update(position=1 - models.F("position"))
        if _turned(copy):
            _store(rows, copy, _turned(copy), of=copy)
    comparisons.filter(copy_of=mirror).update(copy_of=original)
    comparisons.filter(chosen_from=mirror).update(chosen_from=original)
    rows("sharing", "ShareLink").filter(comparison=mirror).update(comparison=original, pair=pair)
    rows("comparisons", "Arrival").filter(comparison=mirror).update(comparison=original)
    shown = rows("comparisons", "ShownComparison")
    known = list(shown.filter(comparison=original).values_list("membership", flat=True))
    shown.filter(comparison=mirror).exclude(membership__in=known).update(comparison=original)
    for notice in rows("notices", "Notice").filter(kind="comparison", thing=str(mirror.pk)):
        _, sign, anchor = notice.place.partition("#")
        place = f"{query}{sign}{anchor}"[:250]
        rows("notices", "Notice").filter(pk=notice.pk).update(thing=str(original.pk), place=place)
    rows("comparisons", "FormerComparison").get_or_create(pk=mirror.pk, comparison=original, pair=pair)
    comparisons.filter(pk=mirror.pk).delete()


def _places(rows, one):
    """Reports and their parts in order. A swap from before they were read may have the order of its original, which put
    itself in that of time since."""
    places = rows("comparisons", "ComparisonReport").filter(comparison=one).exclude(report__kind="lgwr_trace")
    return list(places.order_by("position").values_list("report", "aspect"))


def _is_alike(original, mirror):
    """Both are stored as one version stores them."""
    stored = [(one.state, one.stored_format, one.engine_version, bool(one.overview)) for one in (original, mirror)]
    return stored[0] == stored[1] and stored[0][0] == "ready" and stored[0][3]


def _turned(stored):
    return [{**one, "turned": True} for one in _pairs(stored.overview)[:1]]


def _store(rows, comparison, documents, *, of):
    rows("comparisons", "Comparison").filter(pk=comparison.pk).update(overview=pack(documents))
    sections = rows("comparisons", "ComparisonSection").filter(comparison=of, pair=0)
    sections.update(comparison=comparison, pair=TURNED)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("comparisons", "0016_formercomparison"),
        ("incidents", "0015_times"),
        ("notices", "0005_change"),
        ("pins", "0002_pinned_against_a_baseline"),
        ("reports", "0014_thinned"),
        ("sharing", "0008_pair"),
        ("threads", "0007_attachments"),
    ]

    operations = [migrations.RunPython(join, migrations.RunPython.noop)]
