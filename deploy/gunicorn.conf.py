"""How gunicorn serves the site: in the demo, and in production behind a proxy.

Command line and GUNICORN_CMD_ARGS go before what stands here: ``--workers 4``.
"""

import threading
from typing import Any

wsgi_app = "evidencesite.wsgi"
bind = "127.0.0.1:8000"
# A worker takes 240 MB with both models, and 8 KB for each chunk of the index (deploy/README.md).
workers = 2
threads = 4
worker_class = "gthread"
# Never: onnxruntime's threads do not survive the fork of a worker, and a shared SQLite connection
# would be worse.
preload_app = False
timeout = 60
graceful_timeout = 30
keepalive = 5
# Questions stand in no log, and no control socket in the home folder.
accesslog = None
control_socket_disable = True


def post_worker_init(worker: Any) -> None:
    """Load the pages now, and the models while the worker already serves.

    A page that cannot be loaded ends the server here, where somebody is looking, and not at the
    first request.
    """
    # Found late: they need the settings, which this process has read by now and its master never.
    from django.urls import get_resolver

    from rag.actions.warming import warm_up
    from rag.web.parts import site_parts

    len(get_resolver().url_patterns)
    threading.Thread(target=warm_up, args=[site_parts()], name="warm-up", daemon=True).start()
