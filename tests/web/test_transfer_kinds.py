"""What goes along in the zip of a team: of a model every field, or it is said why not."""

from __future__ import annotations

import pytest
from django.apps import apps

from awrdiff.pins.models import Pin
from awrdiff.transfer.jsonl_column_types import NotImported
from awrdiff.transfer.kinds import KINDS, LEFT_OUT
from tests.web.whole_team import ROWS


class TestAllOfIt:
    """A field that is added to a model either goes along, or somebody says why it does not."""

    MODELS = [m for app in ("threads", "incidents", "postmortems") for m in apps.get_app_config(app).get_models()]

    @pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
    def test_every_field_goes_along_or_is_named_as_left_out(self, model):
        if model in LEFT_OUT:
            assert LEFT_OUT[model]
            return
        (kind,) = [kind for kind in ROWS if kind.model is model]
        fields = {f.name for f in model._meta.concrete_fields if not f.primary_key and f.name != "team"}
        assert set(kind.of) | set(kind.if_any) | set(kind.values) | set(kind.left_out) == fields
        assert all(kind.left_out.values())
        assert set(kind.new) <= set(kind.left_out)

    def test_every_field_of_a_pin_goes_along(self):
        (kind,) = [kind for kind in KINDS if kind.name == "pin"]
        named = {"by": "user", "at": "created_at"}
        fields = {
            f.name for f in Pin._meta.concrete_fields if not f.primary_key and f.name not in ("team", "comparison")
        }
        assert {named.get(name, name) for name in kind.values} == fields

    def test_lines_name_what_is_further_up(self):
        there: set[str] = set()
        for kind in KINDS:
            assert set(kind.of.values()) <= there, kind.name
            assert not {kind.name} & (set(getattr(kind, "values", ())) | set(kind.of) - {"pin"})
            there.add(kind.name)

    @pytest.mark.parametrize("kind", ROWS, ids=lambda kind: kind.name)
    def test_no_text_is_longer_than_its_column(self, kind):
        """PostgreSQL refuses such a row, and the import would break off halfway."""
        for name, value in kind.values.items():
            column = kind.model._meta.get_field(name)
            if column.max_length and not column.choices:
                with pytest.raises(NotImported):
                    value.read("https://" + "x" * (column.max_length - 7), name)
