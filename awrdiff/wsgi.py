"""WSGI entry point (gunicorn threads). WSGI, because under ASGI an upload is spooled whole before a view sees it."""

import os

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
application = get_wsgi_application()

if not settings.SECRET_KEY_IS_GIVEN:
    raise ImproperlyConfigured("AWRDIFF_SECRET_KEY must be set to serve pages (bin/serve keeps one in var/secret_key).")
