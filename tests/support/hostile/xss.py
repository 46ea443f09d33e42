"""Payloads that try to run a script in a page, what reports that one did, and what makes those run that wait for a
person."""

import json
import os
from pathlib import Path
from typing import Final

import pytest

SHARED: Final = Path(os.environ.get("KEPT_TEST_SHARED") or Path(__file__).parents[4] / "shared") / "security"
# Our own words for the ways we know of, so that this test is complete where the shared lists are absent.
OWN_PAYLOADS: Final = [
    "<script>canary(1)</script>",
    "<img src=x onerror=canary(1)>",
    "<svg onload=canary(1)>",
    "<svg><script>canary(1)</script></svg>",
    "<iframe srcdoc='<script>parent.canary(1)</script>'></iframe>",
    "<iframe src='javascript:parent.canary(1)'></iframe>",
    "<a href='javascript:canary(1)'>x</a>",
    "<a href='java&#10;script:canary(1)'>x</a>",
    "<details open ontoggle=canary(1)><summary>x</summary></details>",
    "<input autofocus onfocus=canary(1)>",
    "<video><source onerror=canary(1)></video>",
    "<body onload=canary(1)>",
    "<form action='javascript:canary(1)'><button autofocus>x</button></form>",
    "<object data='javascript:canary(1)'></object>",
    "<embed src='javascript:canary(1)'>",
    "<base href='javascript:canary(1)//'>",
    "<meta http-equiv=refresh content='0;url=javascript:canary(1)'>",
    "<link rel=stylesheet href='javascript:canary(1)'>",
    "<style>@import 'javascript:canary(1)';</style>",
    "<math><maction actiontype=statusline xlink:href='javascript:canary(1)'>x</maction></math>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=canary(1)&gt;'>",
    "<svg><style><a title='</style><img src=x onerror=canary(1)>'>",
    "<noscript><p title='</noscript><img src=x onerror=canary(1)>'>",
    "<textarea><p title='</textarea><img src=x onerror=canary(1)>'></textarea>",
    "<template><img src=x onerror=canary(1)></template>",
    "<p style='background:url(javascript:canary(1))' onmouseover=canary(1)>x</p>",
    "<xmp><p title='</xmp><img src=x onerror=canary(1)>'>",
    "<!--><img src=x onerror=canary(1)>-->",
    "<table><tr><td background='javascript:canary(1)'>x</table>",
    "<marquee onstart=canary(1)>x</marquee>",
    "<p>\"'><img src=x onerror=canary(1)>",
    "<img src='data:image/svg+xml,<svg onload=canary(1)>'>",
    "<button popovertarget=x>x</button><p popover id=x onbeforetoggle=canary(1)>y</p>",
    "<svg><animate onbegin=canary(1) attributeName=x dur=1s>",
    "<svg><a><animate attributeName=href values=javascript:canary(1) /><text x=20 y=20>x</text></a></svg>",
    "<select><noembed></select><script x='a@b'>y=canary(1)</script>",
]

# Installed in every document and frame before anything else runs: each way a payload could show itself is reported.
HOOKS: Final = """
const report = kind => (...values) => { window.keptReport(kind + ": " + String(values[0]).slice(0, 80)); };
window.canary = report("canary");
for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = report(name);
document.addEventListener("securitypolicyviolation", event => report("violation")(event.effectiveDirective));
"""
# Do to each element what a person might, so that handlers that wait for it run; then let what was started finish.
POKE: Final = """
async () => {
  const documents = [document];
  for (const inner of documents)
    for (const frame of inner.querySelectorAll("iframe")) {
      let content = null;
      try { content = frame.contentDocument; } catch {}  // a payload's own frame from elsewhere
      if (content && documents.length < 500) documents.push(content);
    }
  for (const node of documents.flatMap(inner => [...inner.querySelectorAll("body *")])) {
    for (const kind of ["mouseover", "mouseenter", "pointerdown", "focus", "toggle", "animationstart", "input"])
      node.dispatchEvent(new Event(kind, {bubbles: true, cancelable: true}));
    if (node.click && !/^(https?|mailto):/.test(node.href || "")) { try { node.click(); } catch {} }
  }
  await new Promise(done => setTimeout(done, 50));
}
"""


def public_payloads() -> list[str]:
    listed = SHARED / "xss_payloads.jsonl"
    if not listed.exists():
        pytest.skip(f"THE PUBLIC PAYLOADS ARE NOT AT {listed}: only our own are tested")
    return [json.loads(line)["payload"] for line in listed.read_text("utf-8").splitlines()]
