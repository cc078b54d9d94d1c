"""The page under /ui: what an operations lead and a reviewer see.

Routes read a request, call the service functions that the REST routes call, and render
a template; they know no SQL and no arrays (an import contract). Everything is plain
HTML and forms (POST, redirect, GET); modules of JavaScript only add to it.

To add a screen:

1.  ``app/pages/NAME.py``: ``router = page_router()`` from `app.pages.page`, and routes
    with the paths below /ui. A route says by ``dependencies=[opens("GET", "/models")]``
    which REST call it stands for: whose key may not make it gets 403. It returns
    ``render(request, "NAME.html", here="NAME", ...)``, or ``go(request, "/review")``
    after a POST. An ``ApiError`` that it raises becomes a page with the same status.
    ``visitor_of(request)`` tells who asks; ``request.scope["person"]`` is set as for
    the REST routes.
2.  ``templates/NAME.html``: ``{% extends "base.html" %}``, blocks ``title``, ``main``
    and, for a module of its own, ``scripts``. There are ``say("NAME.key", n=3)``,
    ``link("/review")`` (an address below /ui with the proxy's prefix),
    ``asset("NAME.js")``, ``may("POST", "/claims")``, and the filters ``moment`` (shown
    in the browser's zone), ``count``, ``money``, ``percent``. No inline script or
    style: the policy of the headers blocks them. A part with an id and ``data-poll``
    looks again by itself every second.
3.  ``en.toml``: the words, in a table ``[NAME]``. ``say`` takes ``key_one`` where n
    is 1.
4.  `app.pages.routes`: include the router.
5.  `app.pages.page.NAV`: the entry, if it has one, and which call it stands for.
6.  ``static/``: classes of page.css before new ones; a module if the screen needs any.

Every POST is checked to come from a page of this service; a form needs no token.
"""
