"""Write search text of comparisons: `python manage.py index_comparisons`. The sweeper does so gradually."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from awrdiff.comparisons import search_index
from awrdiff.search.models import Indexed


class Command(BaseCommand):
    help = "Index comparisons of older versions, so that they are found by verdict and findings."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--again", action="store_true", help="all of them, also those that are indexed")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["again"]:
            Indexed.objects.exclude(comparison=None).update(version=0)
        done = 0
        while written_count := search_index.write_missing():
            done += written_count
        if options["verbosity"] >= 1:
            self.stdout.write(f"{done} comparisons indexed.")
