"""The words by which short texts give themselves away as not being the article, in several languages.

Each pattern is tried at the start of a block's text, after any punctuation; the rules in `wording` and `ends`
say what else must be true before a block goes.
"""

import re
from typing import Final

# Punctuation, but for the signs that some phrases begin with; passed over once, and not again for each phrase.
_BEFORE: Final = r"(?:[^\w(©]|\((?!c\)))*+"


def opens_with(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"{_BEFORE}(?:{'|'.join(phrases)})", re.IGNORECASE)


def is_only(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"{_BEFORE}(?:{'|'.join(phrases)})\W*+$", re.IGNORECASE)


# A line that points to another page.
POINTER: Final = opens_with(
    r"(?:please )?(?:read|see|watch|listen|find out|learn|discover)\b.{0,20}"
    r"\b(?:more|also|next|here)\b",
    r"more(?: on| from|:| stories| news)|also(?: on| read| see| in)\b|related\b|recommended\b|must read",
    r"don['’]?t miss|in case you missed",
    r"you (?:may|might) (?:also )?(?:like|enjoy|be interested)|click here",
    r"(?:keep|continue) reading|up next|previous(?:ly)?:",
    r"next:|watch:|listen:|read:|video:|photos?:|gallery:",
    r"(?:à )?lire (?:aussi|également)|voir aussi|sur le même sujet",
    r"lesen sie (?:auch|mehr)|mehr zum thema|auch interessant|siehe auch|lees (?:ook|meer)",
    r"leia (?:também|mais|ainda)|veja (?:também|mais)|saiba mais",
    r"lea (?:también|más)|lee (?:también|más)|te puede interesar|ver también|leggi anche",
    r"читайте также|смотрите также|по теме|baca juga",
    r"läs (?:också|mer)|les også|czytaj (?:też|także|więcej)",
    r"関連記事|あわせて読みたい|相关阅读|延伸閱讀|推荐阅读|延伸阅读|更多阅读|相關閱讀|推薦閱讀|相关(?:文章|新闻|报道)",
    r"lies auch|auch lesenswert|mehr dazu|lire la suite|zobacz (?:też|także|również)|vedi anche|zie ook|devamını oku",
    r"阅读下一篇|下一篇|上一篇|相关推荐|続きを読む|관련 ?기사|เรื่องที่เกี่ยวข้อง|ข่าวที่เกี่ยวข้อง|اقرأ أيضا|ذات صلة",
)

# A line that asks the reader for something, or tells about the site.
REQUEST: Final = opens_with(
    r"(?:please )?(?:sign up|subscribe|register)\b(?: \w+){0,3}\W*$",
    r"(?:please )?(?:sign up|subscribe|register)\b.{0,120}\b(?:newsletters?|inbox|updates|alerts"
    r"|daily|weekly|podcast|channel|digest|our|us|youtube|mailing|website|trial)\b",
    r"get (?:the|our|all|access|more)\b.{0,80}\b(?:newsletter|inbox|email|app|subscription)",
    r"get .{0,40} on the go\b",
    r"(?:like|follow|find|join) (?:us|me|our)\b",
    r"follow .{1,40} on (?:twitter|facebook|instagram|youtube|linkedin|x\b)",
    r"follow .{1,60} (?:coverage|updates|live)\b.{0,60} (?:at|here|on)\b",
    r"(?:like|love|enjoy(?:ed|ing)?) (?:this|what)\b.{0,40}(?:story|article|post|reading|read)\b",
    r"share (?:this|it|your|on|via)\b|tweet this|pin it|print this|email this|want (?:more|to read)\b",
    r"(?:download|get) (?:the|our) .{0,20}app\b|support (?:our|us)\b|become a (?:member|patron|subscriber)",
    r"(?:leave|post|add|write) a (?:comment|reply)|(?:view|read|show|load|see) (?:all )?(?:\d+ )?comments?",
    r"comments?(?: \(\d+\)| are closed)?\W*$",
    r"(?:all |reader )?comments (?:are|will be|may be) (?:\w+ ){0,2}"
    r"(?:filtered|moderated|reviewed|screened|monitored)\b",
    r"join the (?:conversation|discussion)|have a (?:news )?(?:tip|story)\?",
    r"(?:this|the) .{1,30} requires? javascript|please (?:enable|turn on) javascript",
    r"(?:story|article) continues|continue reading|scroll (?:down|to)|loading\b|skip to|back to top",
    r"every (?:day|week|morning) we send|thanks? (?:you )?for (?:signing|subscribing|reading)",
    r"this (?:story|article|post) (?:may contain|contains) affiliate",
    r"(?:©|\(c\)|copyright\b)\W*(?:\d{4}|.{0,80}rights reserved)|all rights reserved",
    r"by (?:continuing|clicking|using this)\b.{0,80}(?:cookies|privacy|terms)",
    r"suscr[ií]bete|síguenos|inscreva-se|siga(?:-nos)?\b|abonnez-vous|suivez-nous|inscrivez-vous",
    r"abonnieren|folgen sie|iscriviti|seguici|подпис(?:ывайтесь|аться)|subskrybuj",
    r"(?:schreibe?n? (?:sie )?einen|jetzt) kommentar",
    r"kommentare? (?:schreiben|verfassen|geschlossen|deaktiviert)|kommentarfeed",
    r"(?:jetzt |unseren )?newsletter (?:abonnieren|bestellen)",
    r"(?:diese[nr]? )?(?:artikel|beitrag|seite) (?:teilen|drucken|empfehlen)",
    r"lade weitere|laissez un commentaire|partage[zr] (?:cet|sur)|deja un comentario|comparte est[ea]|compartir en",
    r"lascia un commento|condividi (?:questo|su)|deixe (?:um|o seu) comentário",
    r"compartilhe|laat een reactie achter|deel dit",
)

# The same, said anywhere in a short block.
REQUEST_WITHIN: Final = re.compile(
    r"\b(?:sign up|subscribe)\b.{0,100}\b(?:newsletters?|inbox)\b"
    r"|\bdelivered (?:\w+ ){0,3}(?:to|in) your inbox"
    r"|\b(?:uses?|using) cookies\b|\bmay (?:earn|receive|get) (?:an? |some )?(?:\w+ ){0,3}commission"
    r"|\ball rights reserved\W*$|\bmay not be (?:published|reproduced|reprinted)|\bby clicking here\W*$",
    re.IGNORECASE,
)

# That this site sets cookies, and that the visitor agrees or gains by it: both, in one short block.
COOKIES: Final = re.compile(
    r"(?=.{0,300}\b(?:cookies?|informasjonskapsler)\b).{0,300}\b"
    r"(?:(?:our|this|unsere[rn]?|diese[rn]?|notre|ce|nuestr[oa]|est[ea]|noss[oa]|nostro|questo|deze|onze|vår|vores|denna"
    r"|dette|nasz\w{0,3}) (?:web ?)?(?:site|seite|page|sitio|página|sito|webbplats|hjemmeside|nettsted|strona)"
    r"|votre navigation|su (?:navegación|visita|experiencia)|ihre[ns]? (?:besuch|erlebnis|nutzung)"
    r"|la tua (?:esperienza|visita)|ditt besök|(?:witryna|serwis|strona) (?:korzysta|używa|wykorzystuje))\b",
    re.IGNORECASE,
)
AGREEMENT: Final = re.compile(
    r"\b(?:accept|agree|consent|zustimm|einverstanden|akzeptier|acept|aceit|accett|godkänn|akcept|samtyk|improv|verbesser"
    r"|amélior|mejorar|melhorar|miglior|verbeter|förbättr|forbedr)",
    re.IGNORECASE,
)

# The heading of a box that offers a newsletter.
NEWSLETTER: Final = opens_with(
    r"(?:sign up|subscribe|register|join|get|receive)\b.{0,60}"
    r"\b(?:newsletters?|inbox|mailing list|e-?mails?|briefing|alerts)\b",
    r".{0,50}\b(?:newsletters?|infolettre|boletín|boletim|nieuwsbrief|nyhetsbrev(?:et)?|nyhedsbrev|biuletyn)\b.{0,40}$",
    r".{0,30}(?:lettre d['’]information|рассылк|メルマガ|メールマガジン|ニュースレター|뉴스레터)",
    r"(?:立即)?(?:订阅|訂閱)|.{0,20}(?:电子报|電子報|新闻邮件|新聞信)",
)

# The heading of a box that offers the rest of the article for money, or to members.
PAYWALL: Final = opens_with(
    r"(?:continue|keep) reading (?:with|for|by|your)\b|to (?:continue|keep) reading\b",
    r"(?:subscribe|sign in|log in|register|join)\b.{0,30} to"
    r" (?:(?:continue|keep) reading|(?:read|unlock|access)\b.{0,30}\b(?:articles?|story|stories|posts?|archives?)\b)",
    r"(?:this|the) (?:article|story|post|content) is (?:for|only|reserved|exclusive|available)\b"
    r".{0,30}\b(?:subscribers?|(?:paying |paid )?members|(?:paying|paid|registered) readers|plan)\b",
    r"(?:unlock|read) the (?:full|rest of the|whole) (?:article|story|post)\b",
    r"you(?:['’]ve| have) (?:reached|read)\b.{0,40}\barticles?\b",
    r"already a (?:subscriber|member)\b|(?:exclusive|only) (?:for|to) (?:subscribers|members)\b",
    r"(?:jetzt )?weiterlesen mit|dieser (?:artikel|inhalt|beitrag) ist (?:nur )?für",
    r"(?:la suite|cet article|ce contenu) est réservée? (?:à|aux)|contenuto riservato agli abbonati",
    r"contenido (?:exclusivo|solo) para (?:los )?suscriptores|conteúdo exclusivo para assinantes",
    r"この記事は(?:会員|有料)|有料会員限定|本文为付费|материал доступен (?:только )?подписчикам",
)

# What such a box asks for.
OFFER: Final = re.compile(
    r"\b(?:subscri|sign (?:in|up)|log ?in|regist|trial|plans?\b|account|free\b|members?(?:hip)?\b|upgrade|cancel"
    r"|euros?\b|abonn|abbon|abos?\b|testen|anmelden|suscri|assin|подпис)|[$€£¥₹]\s?\d|\d\s?[€£]|会員|登録|付费|登录|订阅",
    re.IGNORECASE,
)

# What stands over an advertisement.
ADVERTISEMENT: Final = is_only(
    r"adverts?|advertisements?|advertising|ads?(?: by google)?",
    r"sponsored(?: content| by.{0,40})?|advertorial|promotion",
    r"promoted(?: content| stories)?|paid (?:content|post)",
    r"anzeige|werbung|publicité|publicidade?|pubblicità|annonse?|реклама|reklama?|iklan|広告|广告|廣告",
)

# A block that says nothing else.
MARKER: Final = is_only(
    r"share|tweet|print|email|save|caption|close|x|menu",
    r"search|home|photo gallery|(?:read|show|load|see) more",
    r"\d+ (?:shares?|comments?|views?|likes?)|image \d+ of[ /]*\d+|\d+ ?(?:/|of) ?\d+",
    r"(?:reading time:? ?)?\d+ min(?:ute)?s?(?: read)?|tempo de leitura:.{0,20}|lesezeit:.{0,20}",
    r"hide caption|most (?:read|popular)|story highlights",
    r"teilen|drucken|merken|kommentieren|kommentare?|weiterlesen",
    r"zum seitenanfang|nach oben|partager|imprimer|commenter",
    r"haut de page|compartir|comentar(?:ios)?|compartilhar",
    r"comentários|condividi|commenti|stampa|delen|reacties|udostępnij",
    r"поделиться|комментарии|分享|评论|收藏|返回顶部|シェア|コメント|공유|댓글",
)

# What a gallery or a player has on its buttons; a heading or an entry of a list may be called so, too.
BUTTON: Final = is_only(
    r"(?:click to )?(?:enlarge|zoom|view full)[ -]?(?:this |size )?(?:image|photo|picture|size)?|buy (?:this )?photo",
    r"full ?screen|auto ?play|(?:show|hide) (?:thumbnails|captions)|(?:play|watch|view) (?:the |this )?video",
)

# The heading of a list of other pages, of a form, or of labels.
ELSEWHERE: Final = is_only(
    r"related\b(?: (?:news|stories|story|articles?|posts?|content|topics?|links|reading"
    r"|coverage|videos?|searches))?",
    r"more:?|more (?:\w+ ){0,3}(?:stories|news|articles|posts|reading|like this|from.{1,40}|on this)",
    r"(?:you )?(?:may|might) (?:also )?(?:like|enjoy|be interested.{0,10})",
    r"don['’]?t miss|up next|read (?:next|more|also)",
    r"recommended(?: (?:for you|stories|articles|reading|posts))?",
    r"most (?:read|popular|viewed|shared|recent|watched|listened|commented|discussed|e-?mailed)(?:/\w{1,10})?",
    r"trending(?: now)?|latest (?:news|stories|posts|articles|headlines)",
    r"breaking news|top (?:stories|news)",
    r"popular (?:posts|stories|now)|editor['’]s picks?|story timeline|advertisement",
    r"comments?|leave a (?:reply|comment)|\d+ (?:responses|replies|thoughts)\b.{0,60}|join the discussion",
    r"about (?:the )?(?:authors?|writer)|share(?: this)?(?: (?:post|article|story|page))?:?|follow us",
    r"newsletter|(?:sign up|subscribe)\b.{0,60}|stay (?:connected|in touch|informed|up to date)",
    r"tags?:?|topics?:?|filed under:?|categories:?",
    r"(?:à )?lire aussi|sur le même (?:sujet|thème)",
    r"artículos relacionados|noticias relacionadas|te puede interesar",
    r"lo más (?:leído|visto)|leia (?:também|mais)|veja também|notícias relacionadas|mais lidas",
    r"das könnte sie auch interessieren|mehr zum thema|verwandte (?:artikel|themen)|meistgelesen",
    r"leggi anche|articoli correlati|potrebbe interessarti.{0,10}|lees ook|meer over.{0,30}",
    r"читайте также|похожие.{0,20}|관련기사|関連記事",
    r"おすすめ記事|相关(?:阅读|文章|新闻)|延伸閱讀|相關(?:文章|新聞)",
    r"das (?:thema )?könnte (?:\w+ )?(?:auch |noch )?(?:interessieren|gefallen)",
    r"auch interessant|lesen sie (?:auch|mehr)",
    r"ähnliche (?:artikel|beiträge|themen|produkte|posts?)",
    r"weitere (?:artikel|beiträge|themen|nachrichten|meldungen|infos)",
    r"weiterführende[rn]? links?|mehr (?:dazu|artikel|von.{1,40}|aus.{1,40})|kommentare?|schlagw(?:ort|örter|orte)",
    r"articles? (?:similaires|liés|connexes)|vous aimerez aussi",
    r"à découvrir|à lire également|les plus lus|commentaires",
    r"(?:entradas|artículos|contenidos?|posts?) relacionad[oa]s",
    r"también te puede.{0,20}|más (?:noticias|información)|comentarios",
    r"potrebbe(?:ro)? interessarti.{0,10}|articoli simili|commenti",
    r"gerelateerde.{0,20}|meest gelezen|powiązane.{0,20}|zobacz też",
    r"相关推荐|猜你喜欢|热门(?:推荐|文章)|延伸阅读|人気記事|おすすめ|관련 ?기사|추천 ?기사|많이 본 (?:뉴스|기사)",
    r"เรื่องที่เกี่ยวข้อง|ข่าวที่เกี่ยวข้อง|اقرأ أيضا|مواضيع ذات صلة",
)

# The heading of a list of links to more of the same: "More soup recipes", "Other guides you may like". Over prose it is
# a heading as any other.
SIMILAR: Final = is_only(
    r"similar (?:articles|posts|stories|threads|topics|questions|products|items|listings|jobs)",
    r"(?:customers|people|others|readers|shoppers)(?: who \w+ this)? also"
    r" (?:bought|viewed|liked|read|ask(?:ed)?|searched).{0,20}",
    r"frequently bought together|recently viewed.{0,20}|related products|complete the look|keep (?:reading|exploring)",
    r"(?:more|other|similar|related|check out (?:more|our|these)|try (?:these|our) (?:other )?)\b ?(?:[\w'’&-]+ ){0,4}"
    r"(?:recipes|dishes|guides|tutorials|resources|reviews|articles|posts|ideas|reads)\b.{0,40}",
)

# A line that names who wrote, or whose the image above is.
BYLINE: Final = opens_with(
    r"(?:by|von|par|por|di|door|av|af|(?:written|reported|story|post|posted) by|publicado por:?|автор:?"
    r"|text:|words:)\s+\S",
    r"(?:by|von|par|por|di|door|av|af)\W*$",
    r"(?:photo(?:graph)?s?|images?|pictures?|fotos?|bild(?:er)?|credits?)(?: credit| by| de| von)?\s?[:©]",
    r"©\s?[\w(]",
)

# Where the page stands in its site.
BREADCRUMB: Final = opens_with(
    r"(?:you are here|sie sind hier|vous êtes ici|estás aquí|você está (?:aqui|em)|tu sei qui|u bent hier|вы здесь"
    r"|jesteś tutaj|当前位置|現在位置|現在地)(?:\s{0,3}[:：»›>→]|.{0,80}[»›>→])",
    r"(?:home(?:page)?|start(?:seite)?|accueil|inicio|início|главная|strona główna|ホーム|首页|首頁)"
    r"(?:\s{0,3}(?:[»›>→]|::)|\s{1,3}[/|]\s)\s{0,3}\S",
)

# Last lines: who helped, where to write to them, under what it was filed.
CREDIT: Final = opens_with(
    r"(?:additional |contributing )?(?:reporting|editing|writing|research|photography|graphics?)"
    r"(?: \w+){0,2} by\b",
    r"contribut(?:ing|ors?):|sources?: ?.{1,40}$|via:? .{1,40}$|filed under|posted in|tagged\b|tags?:",
    r"(?:reach|contact|write to|e-?mail|follow|tweet)\b.{0,80}(?:@|\bat\b|\btwitter\b)",
    r"\S+@\S+\.\S+$|(?:https?://)?(?:www\.)?(?:twitter|x|facebook|instagram)\.com/\S+$",
    r".{0,200}\b(?:follow|find|reach|keep up with|connect with) (?:him|her|them|me|us)\b.{0,20} (?:on|at|via)\b",
    r".{0,160}\bcontributed (?:to this|reporting|from)\b",
    r"(?:first |originally )?(?:published|appeared|updated|posted)\b.{0,60}$",
)

# A link in the footer of a site.
FOOTER: Final = opens_with(
    r"(?:terms|conditions) (?:of|and|&)|(?:our )?(?:privacy|cookies?|legal|returns?|shipping|delivery)"
    r"(?: (?:policy|notice|statement|settings|information|preferences))?\W*$",
    r"(?:contact|about)(?: us| the [\w ]{1,20})?\W*$|advertis(?:e|ing)(?: with us)?\W*$|accessibility\b|ad choices\W*$",
    r"(?:site ?map|careers?|jobs|imprint|disclaimer|help|faqs?|mobile (?:site|version)|press)\W*$",
    r"(?:impressum|datenschutz(?:erklärung)?|agb|kontakt|über uns|barrierefreiheit)\W*$",
    r"(?:mentions légales|plan du site|contactez-nous|qui sommes-nous|confidentialité|cgv|cgu)\W*$",
    r"(?:aviso legal|política de (?:privacidad|privacidade|cookies)|contacto|contato|quiénes somos|quem somos)\W*$",
    r"(?:note legali|contatti|chi siamo|privaatheid|algemene voorwaarden|over ons)\W*$",
    r"(?:polityka prywatności|regulamin|o nas|контакты|о нас|политика конфиденциальности)\W*$",
    r"(?:プライバシーポリシー|利用規約|お問い合わせ|会社概要|隐私(?:政策|声明)|联系我们|关于我们|隱私權政策|聯絡我們|關於我們)\W*$",
)

# What stands beside them: whose the site is.
RIGHTS: Final = re.compile(
    r"©|\(c\) ?\d|\b(?:copyright|rights reserved|alle rechte|tous droits|todos (?:los|os) (?:derechos|direitos)"
    r"|tutti i diritti|wszelkie prawa|все права|powered by|registered (?:in|office|company|charity|trademark)"
    r"|trademarks?|ISSN|VAT|USt)\b|版权所有|版權所有|著作権|無断転載|ICP备",
    re.IGNORECASE,
)

# What something costs.
PRICE: Final = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|£|zł|Kč|kr\b|円|元|USD|EUR)")

# What no date is without: a year, a time of day, or a word that counts back from now.
DATE_MARK: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}:\d\d|\b(?:ago|today|yesterday)\b", re.IGNORECASE)

# What a date is made of; a line in which little else remains is a date.
DATE_PARTS: Final = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?"
    r"|fri(?:day)?|sat(?:urday)?|sun(?:day)?|am|pm|a\.m|p\.m|est|edt|et|pst|pdt|pt|gmt|utc|bst|cet|ist|st|nd|rd|th"
    r"|ago|today|yesterday|hours?|hrs?|minutes?|mins?|days?|weeks?|published|updated|posted|last|modified|created"
    r"|first|on|at|by|the|date|time|new)\b|[\d\W_]+",
    re.IGNORECASE,
)
