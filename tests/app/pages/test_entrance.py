"""The way in to the page: sessions of keys, forms of other sites, headers, files."""

import hashlib
import re
import subprocess
import sys
from datetime import timedelta

import httpx
import pytest

from app.db.base import utc_now
from app.db.session import open_database
from app.db.tables import PageSession
from app.keys import sessions
from app.keys.secret import KnownKey, digest
from app.pages.page import HEADERS

KEY = "correct-horse"


@pytest.fixture(scope="module")
def locked(tmp_path_factory, service_type):
    folder = tmp_path_factory.mktemp("locked")
    service = service_type(folder, {"DEMUR_API_KEYS": KEY}, ("--no-worker",)).start()
    yield service
    service.stop()


@pytest.fixture
def visitor(locked):
    with httpx.Client(base_url=locked.url, headers={"origin": locked.url}) as http:
        yield http


def come_in(http, key=KEY, **form):
    return http.post("/ui/login", data={"key": key, **form})


def issue(service, *scopes):
    bearer = {"authorization": f"Bearer {KEY}"}
    asked = {"name": "one", "scopes": list(scopes), "person": "Anna"}
    return service.http.post("/keys", json=asked, headers=bearer).json()


def test_a_browser_at_the_root_is_led_to_the_page_and_others_are_not(locked):
    answer = locked.http.get("/", headers={"accept": "text/html,*/*;q=0.8"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui")
    assert locked.http.get("/").status_code == 401


def test_without_a_session_every_page_leads_to_the_way_in_and_back(visitor):
    answer = visitor.get("/ui/models/x/1?false_negative=7")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/ui/login?next=")
    page = visitor.get(answer.headers["location"]).text
    place = re.search(r'name="next" value="([^"]*)"', page)[1]
    answer = come_in(visitor, next=place)
    assert answer.headers["location"] == "/ui/models/x/1?false_negative=7"
    assert visitor.get("/ui").status_code == 200


@pytest.mark.parametrize(
    "place",
    ["//evil.example/ui/", "https://evil.example/ui/", "/ui/\\evil", "/docs", "/uix/y"],
)
def test_a_session_begins_at_no_other_place(visitor, place):
    assert come_in(visitor, next=place).headers["location"] == "/ui"


def test_an_unknown_key_opens_nothing_and_is_not_shown_back(visitor):
    answer = come_in(visitor, "wrong-4711")
    assert answer.status_code == 401
    assert "4711" not in answer.text
    assert not visitor.cookies
    assert visitor.get("/ui").status_code == 303


def test_the_cookie_opens_the_page_and_never_the_interface(visitor):
    told = come_in(visitor).headers["set-cookie"]
    assert "HttpOnly" in told
    assert "SameSite=strict" in told
    assert "Path=/ui" in told
    token = visitor.cookies["demur"]
    sent = {"cookie": f"demur={token}"}
    assert visitor.get("/models", headers=sent).status_code == 401
    assert visitor.get("/ui", headers=sent).status_code == 200


def test_on_https_the_cookie_is_secure_and_the_hosts_own(visitor):
    visitor.headers["x-forwarded-proto"] = "https"
    told = come_in(visitor).headers["set-cookie"]
    assert told.startswith("__Host-demur=")
    assert "Secure" in told
    assert "Path=/;" in told


def test_leaving_ends_the_session_for_good(visitor):
    come_in(visitor)
    token = visitor.cookies["demur"]
    assert visitor.post("/ui/logout").status_code == 303
    sent = {"cookie": f"demur={token}"}
    assert visitor.get("/ui", headers=sent).status_code == 303


def test_a_revoked_key_takes_its_sessions_with_it(locked, visitor):
    issued = issue(locked, "lead")
    come_in(visitor, issued["key"])
    assert visitor.get("/ui").status_code == 200
    bearer = {"authorization": f"Bearer {KEY}"}
    locked.http.delete(f"/keys/{issued['id']}", headers=bearer)
    assert visitor.get("/ui").status_code == 303


def test_what_a_scope_may_not_do_is_neither_shown_nor_done(locked, visitor):
    come_in(visitor, issue(locked, "predict")["key"])
    assert "Trainings" not in visitor.get("/ui").text
    answer = visitor.get("/ui/jobs/0b9f4c1e-6f0e-4c52-9a34-1f0f6f6f2a10")
    assert answer.status_code == 403
    assert "a key of scope train" in answer.text


@pytest.mark.parametrize(
    "forged",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_a_forged_form_is_refused(visitor, forged):
    come_in(visitor)
    for path in ("/ui/login", "/ui/logout"):
        answer = visitor.post(path, data={"key": KEY}, headers=forged)
        assert answer.status_code == 403, forged
    assert visitor.get("/ui").status_code == 200


def test_without_keys_a_forged_form_is_refused_too(server):
    for forged in ({"origin": "https://evil.example"}, {}):
        answer = server.http.post("/ui/logout", headers=forged)
        assert answer.status_code == 403


def test_every_page_has_the_strict_headers(visitor):
    come_in(visitor)
    for path in ("/ui", "/ui/login", "/ui/nowhere", "/ui/jobs/unknown"):
        answer = visitor.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, path
        assert answer.headers["cache-control"] == "no-store"
        assert "<script>" not in answer.text
        assert "style=" not in answer.text
    assert "'unsafe" not in HEADERS["Content-Security-Policy"]


def test_files_are_named_by_their_content_and_kept(locked):
    page = locked.http.get("/ui/login").text
    addresses = re.findall(r'(?:src|href)="(/ui/static/[^"]+)"', page)
    assert len(addresses) == 3
    for address in addresses:
        answer = locked.http.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert re.search(r"\.[0-9a-f]{16}\.", address)
    assert locked.http.get("/ui/static/page.css").status_code == 404


def test_switched_off_there_is_no_page(tmp_path_factory, service_type):
    folder = tmp_path_factory.mktemp("off")
    service = service_type(folder, {"DEMUR_UI": "false"}, ("--no-worker",)).start()
    try:
        assert service.http.get("/ui").status_code == 404
        answer = service.http.get("/", headers={"accept": "text/html"})
        assert answer.status_code == 404
    finally:
        service.stop()


def test_behind_a_prefix_every_address_has_it(tmp_path_factory, service_type):
    folder = tmp_path_factory.mktemp("prefix")
    extra = ("--no-worker", "--root-path", "/demur")
    service = service_type(folder, {"DEMUR_API_KEYS": KEY}, extra).start()
    try:
        http = service.http
        answer = http.get("/demur/ui")
        assert answer.headers["location"].startswith("/demur/ui/login")
        page = http.get(answer.headers["location"]).text
        for address in re.findall(r'(?:src|href|action)="([^"#]+)"', page):
            assert address.startswith("/demur/ui"), address
        http.headers["origin"] = service.url
        assert come_in(http, next="/demur/ui/x").headers["location"] == "/demur/ui/x"
        assert http.get("/demur/ui").status_code == 200
    finally:
        service.stop()


def known(text):
    return KnownKey(digest(text.encode()), ("lead",))


@pytest.mark.parametrize(
    ("idle", "age", "lives"),
    [
        (timedelta(minutes=29), timedelta(hours=1), True),
        (timedelta(minutes=31), timedelta(hours=1), False),
        (timedelta(minutes=1), timedelta(hours=8, minutes=1), False),
    ],
)
def test_a_session_ends_when_idle_and_after_a_day_of_work(database, idle, age, lives):
    key = known("k")
    with database.write() as session:
        token = sessions.begin(session, key)
        session.flush()
        (row,) = session.query(PageSession)
        row.seen_at, row.began_at = utc_now() - idle, utc_now() - age
    with database.read() as session:
        held = sessions.holder(session, token, [known("other"), key])
        assert (held is not None) is lives
        assert sessions.holder(session, token, [known("other")]) is None
    with database.write() as session:
        sessions.begin(session, key)
        session.flush()
        assert session.query(PageSession).count() == 1 + lives


def test_the_row_of_a_session_tells_neither_key_nor_token(tmp_path, locked, visitor):
    come_in(visitor)
    database = open_database(f"sqlite:///{locked.data_dir}/demur.sqlite3")
    with database.read() as session:
        rows = session.query(PageSession).all()
    database.close()
    kept = {text for row in rows for text in (row.sha256, row.grant)}
    assert len(kept) == 2 * len(rows)
    assert not kept & {visitor.cookies["demur"], KEY, digest(KEY.encode()).hex()}


def test_templates_are_loaded_only_when_a_page_is_asked_for():
    code = "import sys, app.main; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_page_that_looks_again_by_itself_keeps_no_session_alive(locked, visitor):
    come_in(visitor)
    own = hashlib.sha256(visitor.cookies["demur"].encode()).hexdigest()
    database = open_database(f"sqlite:///{locked.data_dir}/demur.sqlite3")

    def seen(at=None):
        with database.write() as session:
            row = session.get_one(PageSession, own)
            row.seen_at = at or row.seen_at
            return row.seen_at

    before = seen(utc_now() - timedelta(minutes=5))
    assert visitor.get("/ui", headers={"x-poll": "1"}).status_code == 200
    assert seen() == before
    assert visitor.get("/ui").status_code == 200
    assert seen() > before
    database.close()
