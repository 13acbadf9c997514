"""WSGI entry point; an unprepared server does not start."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from awrdiff.private_var_folder import keep_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
keep_private(group=settings.AWRDIFF_VAR_GROUP)
application = get_wsgi_application()

from awrdiff.serving.startup_preparation import refuse_unprepared, refuse_without_key  # noqa: E402 - needs Django set up

refuse_without_key()
refuse_unprepared()
