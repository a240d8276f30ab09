"""Decide whose requests are answered: the token's bearer's, from our own page, at our own name.

A page of another site can make a browser send requests here, and a name of its own can be made to
mean 127.0.0.1. So every request must name this machine, a websocket must come from our own page,
and everything but the first page needs the cookie that the token brings.
"""

import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

COOKIE = "poketui"
_OWN_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Guard:
    """The secrets of one server, which are written nowhere and end with it.

    Attributes:
        token: What the printed address carries.
        key: What the cookie carries.
        path: Where everything but the first page is, e.g. "/0f3a...". Browsers send a cookie to
            every port of a machine; bound to a path that nobody can guess it stays here.
    """

    token: str = field(default_factory=_secret)
    key: str = field(default_factory=_secret)
    path: str = field(default_factory=lambda: f"/{secrets.token_hex(16)}")


def is_own_host(host: str) -> bool:
    """Return whether a Host header names this machine. Any port: a tunnel may have another one."""
    return _OWN_HOST.fullmatch(host) is not None


def is_own_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header is that of a page which came from `host`, the Host header."""
    return is_own_host(host) and origin.lower() == f"http://{host}".lower()


def security_headers(host: str, *, is_terminal: bool) -> Mapping[str, str]:
    """Return what every answer carries: nothing from elsewhere, in nobody's frame, stored nowhere.

    Args:
        host: The Host header, known to be one of ours.
        is_terminal: The page is xterm.js, which makes style elements and attributes; its terminal
            comes by a websocket, which not every browser takes 'self' to mean.
    """
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self' 'unsafe-inline'" if is_terminal else "'self'",
        "font-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": f"'self' ws://{host}" if is_terminal else "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }


def is_same(given: str, secret: str) -> bool:
    """Return whether `given` is the secret, in a time that says nothing about it."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())
