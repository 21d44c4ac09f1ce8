"""A fake: the settings of the site, with an address on which a view fails."""

from evidencesite.settings import *  # noqa: F403  a settings file is made of another one so

ROOT_URLCONF = "tests.browser.failing_urls"
