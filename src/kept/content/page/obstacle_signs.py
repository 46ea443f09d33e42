"""The words and marks by which pages in the way are recognised, as data. Only `challenge` uses it.

Headings are compared whole and in lower case, so that "Page not found" is an error and "Why pages are not found" is an
article.
"""

import re
from typing import Final

from kept.content.page.outline import PageOutline


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# A site that is down says so too.
_WAIT_HEADING: Final = _any(
    "just a moment",
    "one moment,? please",
    "please wait",
    # The large vendors greet visitors in their own language.
    "einen moment(?: bitte)?",
    "un instant",
    "un momento",
    "um momento",
    "один момент",
    "请稍候",
    "しばらくお待ちください",
    "잠시만 기다리십시오",
)
_HUMAN_HEADING: Final = _any(
    "one more step",
    "attention required",
    "captcha",
    "security check(?:point)?",
    "robot check",
    "(?:human|bot) verification",
    "verification required",
    "pardon (?:our|the) interruption",
    "(?:please )?(?:verify|confirm|prove|verifying|checking|making sure)(?: that)? you(?:['’]?re| are)"
    "(?: an?| not an?)? (?:human|robot|bot)",
    "let['’]?s confirm you are human",
    "are you (?:an? )?(?:human|robot|bot)",
    "checking your (?:browser|connection).*",
    "ddos[ -]protection.*",
    "press (?:&|and) hold.*",
    "unusual traffic.*",
    "sicherheitsüberprüfung",
    "vérification de sécurité",
    "verificación de seguridad",
    "проверка безопасности",
)
_HUMAN_TEXT: Final = _any(
    "(?:verify|confirm|prove|make sure|ensure|check)(?:ing)?(?: that)? "
    "(?:you(?:['’]re| are)|your browser is) (?:an? |not an? )?(?:real )?(?:human|robot|bot|person|automated)",
    "checking (?:if the site connection is secure|your browser before)",
    "(?:unusual|suspicious|automated) (?:traffic|activity|requests) (?:from|coming|has been|detected)",
    "complete the (?:captcha|security check|challenge|puzzle)",
    "solve (?:this|the) (?:captcha|puzzle)",
    "needs to review the security of your connection",
    "press (?:&|and) hold to confirm",
    "ddos protection by",
)
_DENIED_HEADING: Final = _any(
    "access (?:to this page )?(?:is |has been )?(?:denied|blocked|restricted|forbidden)",
    "request (?:blocked|unsuccessful|rejected)",
    "(?:sorry,? )?you have been blocked",
    "the request could not be satisfied",
    "web server is down",
    "unavailable (?:due to|for) legal reasons",
    "(?:403|429|503)|error (?:403|429|451|500|502|503|504)|(?:403|429|451|500|502|503|504) error",
    "(?:(?:error )?403[ :–-]+)?forbidden",
    "(?:(?:error )?429[ :–-]+)?too many requests",
    "(?:(?:error )?500[ :–-]+)?internal server error",
    "(?:(?:error )?502[ :–-]+)?bad gateway",
    "(?:(?:error )?503[ :–-]+)?service (?:temporarily )?unavailable",
    "(?:(?:error )?504[ :–-]+)?gateway time-?out",
)


def asks_for_a_human(page: PageOutline) -> bool:
    """Return whether the page asks if somebody is there."""
    return any(map(_HUMAN_HEADING.fullmatch, page.headings)) or _HUMAN_TEXT.search(page.text) is not None


def asks_to_wait(page: PageOutline) -> bool:
    """Return whether the page asks to wait, as a robot check does while it looks at the browser."""
    return any(map(_WAIT_HEADING.fullmatch, page.headings))


def denies_access(page: PageOutline) -> bool:
    """Return whether the page says that it will not be shown, or that the site has failed."""
    return any(map(_DENIED_HEADING.fullmatch, page.headings))


CONSENT_ADDRESS: Final = _any(
    "^(?:consent|guce|privacy-?gate|myprivacy|cmp|gdpr|cookiewall)[.-]",
    "/(?:consent|privacy-?gate|privacy-?wall|cookie-?wall|gdpr-?consent|collectconsent)(?:[/.]|$)",
)
CONSENT_HEADING: Final = _any(
    "before you continue(?: to .{1,40})?",
    r"(?:we|\w+) (?:value|care about|respect|protect)s? your privacy",
    "your privacy(?: choices| matters| is important.*)?",
    "(?:cookie|privacy|consent) (?:consent|settings|preferences|choices|wall)",
    "(?:we use|this (?:web)?site uses) cookies.*",
    "cookies? (?:and|&) privacy",
    ".{1,40} is part of the .{1,40} family of brands",
    "wir schätzen ihre privatsphäre.*",
    "ihre privatsphäre.*",
    "datenschutz-?einstellungen",
    "(?:weiter )?mit werbung (?:weiterlesen|nutzen)?.*",
    "bevor (?:sie|du) fortfahren.*",
    "votre vie privée.*",
    "avant d['’]accéder.*",
    "tu privacidad.*",
    "valoramos tu privacidad",
    "la tua privacy.*",
    "rispettiamo la tua privacy",
    "uw privacy.*",
    "wi?j?e? gebruiken cookies.*",
)
LOGIN_ADDRESS: Final = _any(
    "/(?:log-?in|sign-?in|sso|auth(?:enticate|entication)?|users/sign_in|session/new|identity)(?:[/.]|$)",
    "/accounts?/(?:log-?in|sign-?in|begin)",
    r"/wp-login\.php",
)
LOGIN_HEADING: Final = _any(
    "(?:please )?(?:log|sign)[ -]?in(?: (?:to|or|with|required|page).{0,50})?",
    "you (?:must|need to) (?:be )?(?:log|logged|sign|signed)[ -]?in.{0,40}",
    "(?:member|subscriber|customer) log[ -]?in",
    "authentication required",
    "welcome back",
    "anmelden|einloggen|anmeldung|bitte (?:anmelden|melden sie sich an)",
    "connexion|se connecter|identifiez-vous",
    "inici(?:ar|a) sesión",
    "accedi|accesso|entrar|fazer login|inloggen|logga in|log ind|logg inn|zaloguj się",
    "войти|вход|авторизация|登录|登入|ログイン|로그인",
)
_THING: Final = "(?:page|article|post|content|document|story|url|file|resource)"
_SOUGHT: Final = "(?: you(?:['’]re| are| were)? (?:looking for|requested)| requested)?"
_ABSENT: Final = (
    "(?:(?:is|was|does|can|could|has been)?[ -]?(?:not|n['’]?t) (?:be |seem to )?(?:found|available|exist)"
    "|(?:can ?not|can['’]t|could not|couldn['’]t) be found|doesn['’]t (?:seem to )?exist"
    "|isn['’]t (?:available|here)|(?:is )?no longer (?:exists|available|here)"
    "|(?:is |was |has been )?(?:removed|missing|gone|unavailable))"
)
NOT_FOUND_HEADING: Final = _any(
    "(?:http )?(?:error[ :–-]*)?404(?:[ :–-]*(?:error|\\(?not found\\)?|(?:page|file) not found))?(?: page)?",
    "(?:(?:oops|sorry|uh[ -]?oh|whoops)[,.! –-]*)?(?:(?:this|the|that|your) )?(?:requested )?"
    f"{_THING}{_SOUGHT} {_ABSENT}",
    "(?:sorry[,!]? )?(?:we|i) (?:can['’]?t|can ?not|could ?n['’]?t|could not) (?:seem to )?find "
    "(?:that|the|this|your) page.*",
    "not found|nothing (?:was )?found(?: here)?",
    "(?:diese |die )?seite (?:wurde )?nicht (?:gefunden|verfügbar)",
    "(?:diese|die) seite (?:existiert nicht|gibt es nicht).*",
    "page (?:introuvable|non trouvée|inexistante)",
    "cette page n['’]existe (?:pas|plus).*",
    "(?:no se (?:ha )?enc(?:ontró|ontrado) la página|página no encontrada|página não encontrada)",
    "pagina non trovata|pagina niet gevonden",
    "sidan (?:kunde inte hittas|hittades inte|finns inte)|siden (?:blev ikke fundet|ble ikke funnet)",
    "sivua ei löyty(?:nyt|y)|stránka nenalezena|sayfa bulunamadı",
    "nie znaleziono strony|strona nie (?:została znaleziona|istnieje)",
    "страница не (?:найдена|существует)",
    "页面不存在|找不到(?:该|此)?(?:页面|网页)|頁面不存在|找不到(?:此|該)?頁面",
    "ページが(?:見つかりません|存在しません).{0,10}|페이지를 찾을 수 없습니다",
    "صفحة غير موجودة|הדף לא נמצא",
)
NEEDS_JAVASCRIPT: Final = _any(
    "(?:enable|activate|turn on|allow|requires?|needs?|without|supports?) (?:.{0,30} )?java ?script",
    "java ?script (?:.{0,20} )?(?:required|disabled|enabled|turned (?:on|off)|not available)",
    "javascript (?:aktivieren|muss|ist)|aktivieren sie (?:bitte )?javascript",
    "activ(?:er|ez|ar|e|a) (?:le |el |il |o )?javascript",
    "включите javascript|启用 ?javascript|javascript ?を有効",
)
