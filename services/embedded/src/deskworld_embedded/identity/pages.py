"""The issuer's pages: plain forms, no script, nothing from elsewhere."""

from html import escape

from starlette.responses import HTMLResponse

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

STYLE = """body{font:16px/1.5 system-ui,sans-serif;background:#f4f5f7;color:#1b1f24;margin:0}
main{max-width:22rem;margin:12vh auto;background:#fff;padding:2rem;border:1px solid #d8dde3;border-radius:6px}
h1{font-size:1.25rem;margin:0 0 1rem}label{display:block;margin:1rem 0 .25rem}
input{box-sizing:border-box;width:100%;padding:.5rem;font:inherit;border:1px solid #8792a2;border-radius:4px}
button{margin-top:1.5rem;width:100%;padding:.6rem;font:inherit;border:0;border-radius:4px;background:#1f4e8c;color:#fff}
p[role=alert]{color:#a4001d;margin:0}"""


def login(*, title: str, action: str, username: str = "", message: str = "") -> HTMLResponse:
    alert = f'<p role="alert" id="input-error">{escape(message)}</p>' if message else ""
    return _page(
        f"Sign in to {title}",
        f"""{alert}<form id="kc-form-login" action="{escape(action)}" method="post">
<label for="username">Username</label>
<input id="username" name="username" value="{escape(username)}" autocomplete="username" autofocus required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button id="kc-login" name="login" type="submit">Sign in</button>
</form>""",
    )


def confirm_logout(*, title: str, action: str, code: str) -> HTMLResponse:
    return _page(
        f"Sign out of {title}",
        f"""<p>Do you want to sign out?</p><form action="{escape(action)}" method="post">
<input type="hidden" name="session_code" value="{escape(code)}">
<button id="kc-logout" name="confirmLogout" type="submit">Sign out</button>
</form>""",
    )


def note(*, title: str, message: str, status: int = 200) -> HTMLResponse:
    return _page(title, f'<p id="kc-page-message">{escape(message)}</p>', status)


def _page(heading: str, body: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(
        f"""<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>{escape(heading)}</title><style>{STYLE}</style></head>
<body><main><h1>{escape(heading)}</h1>{body}</main></body></html>""",
        status_code=status,
        headers=HEADERS,
    )
