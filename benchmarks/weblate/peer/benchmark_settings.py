"""Weblate's settings for the benchmark, read in its own virtual environment: those of its example, for production."""

import os
import sys
from unittest.mock import MagicMock
from urllib.parse import urlsplit

# Cairo and Pango cannot be installed from a package index. Weblate draws pictures with them, which are not requested.
for module in ("cairo", "gi", "gi.repository"):
    sys.modules.setdefault(module, MagicMock())

from weblate.settings_example import *  # noqa: E402, F403
from weblate.settings_example import CACHES, DATABASES, LOGGING, REST_FRAMEWORK  # noqa: E402

DATABASE = urlsplit(os.environ["BENCHMARK_URL"])
REDIS = os.environ["BENCHMARK_REDIS"]

DEBUG = False
SECRET_KEY = "of a server that lives for some minutes"
ADMINS: list[tuple[str, str]] = []
SITE_DOMAIN = "127.0.0.1"
SITE_URL = f"http://{SITE_DOMAIN}"
DATA_DIR = os.environ["BENCHMARK_FOLDER"]
CACHE_DIR = f"{DATA_DIR}/cache"
MEDIA_ROOT = f"{DATA_DIR}/media"
STATIC_ROOT = f"{CACHE_DIR}/static"
DATABASES["default"] |= {
    "NAME": DATABASE.path[1:],
    "USER": DATABASE.username,
    "HOST": DATABASE.hostname,
    "PORT": DATABASE.port,
}
CACHES["default"]["LOCATION"] = f"{REDIS}/1"
CACHES["avatar"]["LOCATION"] = f"{CACHE_DIR}/avatar"
CELERY_BROKER_URL = CELERY_RESULT_BACKEND = REDIS
# The rates of Teamspace are not limited either.
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = {"anon": None, "user": None}
# The imported files are in a folder of this machine.
VCS_FILE_PROTOCOL = True
LOGGING["loggers"]["weblate"]["level"] = LOGGING["loggers"]["weblate.vcs"]["level"] = "WARNING"
