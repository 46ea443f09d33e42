"""Vendors of robot checks, known by their marks in the markup. No parser here: the pages word the check, too."""

from dataclasses import dataclass
from typing import Final

from kept.domain.message import Message


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor of robot checks. `is_proof`: its mark is only in the check itself; `on_errors`: and in the pages that
    say that a site is down."""

    name: str
    mark: str
    is_proof: bool
    on_errors: bool = False


VENDORS: Final = (
    Vendor("Cloudflare", "_cf_chl_opt", True),
    Vendor("Cloudflare", "cf-browser-verification", True),
    Vendor("Cloudflare", "cf-error-details", True, on_errors=True),
    # Cloudflare puts these into ordinary pages too.
    Vendor("Cloudflare", "/cdn-cgi/challenge-platform/", False),
    Vendor("Cloudflare", "challenges.cloudflare.com/turnstile", False),
    Vendor("DataDome", "captcha-delivery.com", True),
    Vendor("HUMAN", "px-captcha", True),
    Vendor("Imperva", "_Incapsula_Resource", True),
    Vendor("Imperva", "Incapsula incident ID", True),
    Vendor("Akamai", "sec-if-cpt-container", True),
    Vendor("Akamai", "errors.edgesuite.net", True, on_errors=True),
    Vendor("AWS WAF", "awsWafCookieDomainList", True),
    Vendor("AWS WAF", "gokuProps", True),
    Vendor("Sucuri", "sucuri_cloudproxy_js", True),
    Vendor("Sucuri", "Sucuri WebSite Firewall", True),
    Vendor("DDoS-Guard", "/.well-known/ddos-guard/", False),
    Vendor("Anubis", "/.within.website/", True),
    Vendor("Vercel", "Vercel Security Checkpoint", True),
    Vendor("Kasada", "window.KPSDK", True),
    Vendor("go-away", "/.well-known/.git.gammaspectra.live/", True),
    Vendor("hCaptcha", "hcaptcha.com/1/api.js", False),
    Vendor("reCAPTCHA", "google.com/recaptcha/", False),
    Vendor("Friendly Captcha", "friendly-challenge", False),
    Vendor("ArkoseLabs", "arkoselabs.com", False),
)


def find_vendor(html: str) -> Vendor | None:
    """Find the vendor whose mark is in the markup, a proof before a hint."""
    found = [vendor for vendor in VENDORS if vendor.mark in html]
    return next((vendor for vendor in found if vendor.is_proof), found[0] if found else None)


def say_robot_check(vendor: str) -> Message:
    return Message("The site showed a robot check (%(name)s) instead of the page.", {"name": vendor})
