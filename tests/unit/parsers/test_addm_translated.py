"""ADDM reports in another language: the same figures in the same places."""

from __future__ import annotations

import pytest

from fixtures.samples.from_addm import addm_samples
from parsers import parse_report
from parsers.model import Report
from parsers.text.addm_translated import in_english
from tests.harness.cost import is_linear

SAMPLE = {path.rpartition("/")[2]: data.decode() for path, data in addm_samples().items()}["11.2-addm.txt"]
# Invented translations: none of Oracle's was at hand.
RUSSIAN = {
    "ADDM Report for Task": "Отчет ADDM для задачи",
    "Analysis Period": "Период анализа.",
    "AWR snapshot range from 100 to 101.": "Диапазон снимков AWR с 100 по 101.",
    "Time period starts at 03-FEB-20": "Период начинается 03-ФЕВ-20",
    "Time period ends at 03-FEB-20": "Период заканчивается 03-ФЕВ-20",
    "Analysis Target": "Цель анализа",
    "Database 'SHOP' with DB ID 2345678901.": "База данных 'SHOP' с идентификатором 2345678901.",
    "Database version": "Версия базы данных",
    "ADDM performed an analysis of": "ADDM проанализировал",
    "Activity During the Analysis Period": "Активность за период анализа",
    "Total database time was 7412 seconds.": "Общее время базы данных: 7412 секунд.",
    "The average number of active sessions was 2.06.": "Среднее число активных сеансов: 2.06.",
    "Summary of Findings": "Сводка заключений",
    "Findings and Recommendations": "Заключения и рекомендации",
    "Finding ": "Заключение ",
    "Impact is": "Влияние:",
    "Estimated benefit is": "Ожидаемая выгода:",
    "active sessions": "активных сеансов",
    "of total activity": "общей активности",
    "Recommendation ": "Рекомендация ",
    "   Action\n": "   Действие\n",
    "   Rationale\n": "   Обоснование\n",
    "Related Object\n": "Связанный объект\n",
    "Symptoms That Led to the Finding:": "Симптомы, приведшие к заключению:",
    "No recommendations are available.": "Рекомендаций нет.",
    "Additional Information": "Дополнительная информация",
    "Cart Rows": "Фиксации и откаты",
    "SQL Tuning": "Настройка SQL",
    "End of Report": "Конец отчета",
}
GERMAN = {
    "ADDM Report for Task": "ADDM-Bericht für Task",
    "Analysis Period": "Analysezeitraum",
    "AWR snapshot range from 100 to 101.": "AWR-Snapshot-Bereich von 100 bis 101.",
    "Time period starts at 03-FEB-20": "Zeitraum beginnt am 03-FEB-20",
    "Time period ends at 03-FEB-20": "Zeitraum endet am 03-FEB-20",
    "Analysis Target": "Analyseziel",
    "Database 'SHOP' with DB ID 2345678901.": "Datenbank 'SHOP' mit DB-ID 2345678901.",
    "Database version": "Datenbankversion",
    "ADDM performed an analysis of": "ADDM analysierte",
    "Activity During the Analysis Period": "Aktivität während des Analysezeitraums",
    "Total database time was 7412 seconds.": "Die gesamte Datenbankzeit betrug 7412 Sekunden.",
    "The average number of active sessions was 2.06.": "Im Durchschnitt waren 2.06 Sessions aktiv.",
    "Summary of Findings": "Zusammenfassung",
    "Findings and Recommendations": "Ergebnisse und Empfehlungen",
    "Finding ": "Ergebnis ",
    "Impact is": "Auswirkung beträgt",
    "Estimated benefit is": "Der geschätzte Nutzen beträgt",
    "active sessions": "aktive Sessions",
    "of total activity": "der Gesamtaktivität",
    "Recommendation ": "Empfehlung ",
    "   Action\n": "   Aktion\n",
    "   Rationale\n": "   Begründung\n",
    "Related Object\n": "Zugehöriges Objekt\n",
    "Symptoms That Led to the Finding:": "Symptome, die zum Ergebnis führten:",
    "No recommendations are available.": "Es sind keine Empfehlungen verfügbar.",
    "Additional Information": "Zusätzliche Informationen",
    "Cart Rows": "Commits und Rollbacks",
    "SQL Tuning": "SQL-Tuning",
    "End of Report": "Ende des Berichts",
}


def translated(words: dict[str, str]) -> str:
    text = SAMPLE
    for english, other in words.items():
        text = text.replace(english, other)
    return text


def cells(report: Report, section: str, *columns: str) -> list[tuple[object, ...]]:
    found = report.section(section)
    assert found is not None, section
    return [tuple(found.cell(record, c) for c in columns) for record in found.records]


@pytest.mark.parametrize(("words", "codec"), [(RUSSIAN, "utf-8"), (RUSSIAN, "cp1251"), (GERMAN, "cp1252")])
def test_it_is_read_by_its_places(words: dict[str, str], codec: str) -> None:
    whole, other = parse_report(SAMPLE.encode()), parse_report(translated(words).encode(codec))
    assert (other.kind, other.issues) == ("addm", ())
    assert other.period == whole.period
    assert (other.database, other.release) == (whole.database, whole.release)
    for section, columns in (
        ("addm_period", ("task", "db_time_s", "avg_active_sessions", "findings")),
        ("addm_findings", ("number", "impact_active_sessions", "pct_activity", "recommendations", "description")),
        ("addm_recommendations", ("number", "benefit_active_sessions", "pct_benefit", "sql_id", "rationale")),
    ):
        assert cells(other, section, *columns) == cells(whole, section, *columns)
    assert cells(other, "addm_findings", "finding")[0] == (words["Cart Rows"],)
    assert cells(other, "addm_recommendations", "type")[0] == (words["SQL Tuning"],)
    actions = ("action", "other_actions")
    assert cells(other, "addm_recommendations", *actions) == cells(whole, "addm_recommendations", *actions)
    objects = cells(whole, "addm_recommendations", "related_objects")[0][0]
    wanted = str(objects).replace("Action", words["   Action\n"].strip())  # a statement's text, which begins nothing
    assert cells(other, "addm_recommendations", "related_objects")[0] == (wanted,)
    assert len(cells(other, "addm_information", "information")) == len(cells(whole, "addm_information", "information"))


def test_an_english_report_stays_as_it_is() -> None:
    lines = SAMPLE.split("\n")
    assert in_english(lines) is lines
    assert in_english(["nothing", "---------"]) == ["nothing", "---------"]


def test_a_title_alone_is_no_report_with_findings() -> None:
    lines = ["ADDM для 'x'", "------------", "", "Заключение 1: a", "нет", "-----"]
    assert in_english(lines)[3:] == lines[3:]


@pytest.mark.parametrize(
    "piece", ["Слово 1: имя\nвлияние 1 сеансов, 2%\n------\n", "   Слово\n      текст\n", "1,1.1 " * 60 + "\n"]
)
def test_time_is_in_proportion(piece: str) -> None:
    head = "ADDM для 'x'\n------------\n"
    assert is_linear(lambda size: (head + piece * (size // len(piece))).split("\n"), in_english, 1_600_000)
