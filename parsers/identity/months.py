"""Month names in a session's NLS_DATE_LANGUAGE, in full or cut to three letters and more.

Oracle's abbreviations differ from CLDR ("нояб.", "Ноя"): full CLDR names and all unambiguous beginnings are read.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LEAST_LETTERS: Final = 3
_LONGEST: Final = 12  # letters of a name
_WHOLE: Final = {
    "en": "january february march april may june july august september october november december",
    "ru": "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "ru of": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "uk": "січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень",
    "uk of": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "de cut": "jänner feber mrz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "es too": "enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pl": "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "pl of": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
}
_NUMERALS: Final = dict(
    zip(("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"), range(1, 13), strict=True)
)
LANGUAGES: Final = ("en", "ru", "uk", "de", "fr", "es", "pt", "it", "pl", "tr", "ja", "zh", "ko")


def _fold(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.casefold().replace("ı", "i"))
    return "".join(c for c in plain if not unicodedata.combining(c))


def _beginnings() -> dict[str, int]:
    months: dict[str, set[int]] = {}
    for names in _WHOLE.values():
        for number, name in enumerate(map(_fold, names.split()), start=1):
            for end in range(_LEAST_LETTERS, len(name) + 1):
                months.setdefault(name[:end], set()).add(number)
    return {name: numbers.pop() for name, numbers in months.items() if len(numbers) == 1}


_MONTHS: Final = _beginnings()
_NAME: Final = rf"[^\W\d_]{{{_LEAST_LETTERS},{_LONGEST}}}"
_COUNT: Final = r"(?:\d{1,2}|[一二三四五六七八九十]{1,2}) ?[月월]"
DATE: Final = re.compile(rf"(?<!\d)(\d{{1,2}})-(?: ?({_NAME}|{_COUNT})\.? {{0,9}})-(\d{{4}}|\d{{2}})(?!\d)")


def plain(text: str) -> str:
    """Composed accents, half-width digits, ordinary blanks."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def month_of(name: str) -> int | None:
    """1 to 12; None if unknown or ambiguous."""
    if name[-1:] in ("月", "월"):
        count = name[:-1].strip()
        number = int(count) if count.isdecimal() else _NUMERALS.get(count, 0)
        return number if 1 <= number <= 12 else None
    return _MONTHS.get(_fold(name))
