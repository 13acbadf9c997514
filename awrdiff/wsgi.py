"""WSGI entry point of any server; one that was not prepared does not start."""

import os

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from awrdiff.folder import keep_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
keep_private(group=settings.AWRDIFF_VAR_GROUP)
application = get_wsgi_application()

from awrdiff.serving.prepared import refuse_unprepared  # noqa: E402 - needs Django set up

if not settings.SECRET_KEY_IS_GIVEN:
    raise ImproperlyConfigured("AWRDIFF_SECRET_KEY must be set to serve pages (bin/serve keeps one in var/secret_key).")
refuse_unprepared()
