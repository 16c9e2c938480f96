"""The shape of an answer: empty, a list of terms; connected or not; hedged."""

from __future__ import annotations

import re

from autograder.review.plain import Span, is_chinese, width
from autograder.review.sentences import Outline

_CONNECTIVE = re.compile(
    r"因为|由于|所以|因此|因而|导致|造成|引起|使得|于是|从而|结果|这样|就会|就得|就只能|只能|"
    r"只好|必须|才|"
    r"否则|一旦|如果|只要|既然|致使|以致|以至|拖|迫使|意味着|决定|取决|不得不|便|故|则|就|那么|"
    r"反而|反倒|"
    r"->|→|=>|⇒|"
    r"(?<![a-z])(?:because|since|so|therefore|thus|hence|thereby|which means|that is why|"
    r"as a result|due to|leads? to|causes?|caused|makes?|forces?|must|until|only|when|once|"
    r"if|then|while|after|instead|but)(?![a-z])"
)
_DISMISSAL = re.compile(
    r"不会成为(?:瓶颈|问题)|不(?:是|成|构成)(?:什么|大|真正的?)?(?:问题|瓶颈)|不存在|可以忽略|"
    r"忽略不计|不(?:会)?(?:花|费|耗|占)(?:时间|功夫|什么)|"
    r"免费|零(?:成本|开销)|没(?:有)?(?:任何|什么)?(?:成本|开销|代价|竞争|争用|慢节点|长尾)|"
    r"从来(?:就)?(?:没|不)|不会(?:排队|慢|串行|等|丢)|"
    r"不(?:需要|用|必)(?:等|副本|复制|提交|注册|对齐|排队)|完全并行|毫无(?:帮助|影响|用处)|"
    r"瞬间就?(?:完成|好)|"
    r"(?<![a-z])(?:costs? nothing|takes? no time|(?:is|are) (?:free|negligible|instant|not (?:a|"
    r"the|an) "
    r"(?:problem|bottleneck|issue))|never (?:a|the|queue|wait|block|matter)|no (?:contention|"
    r"queueing|stragglers?|overhead|cost)|"
    r"does(?:n't| not) (?:queue|wait|matter|cost|need))"
)
_HEDGE = re.compile(
    r"我觉得|我感觉|感觉|好像|大概|也许|或许|应该是|估计是|说不定|不太确定|不确定|不太清楚|猜|"
    r"吧(?=\W|$)|"
    r"(?<![a-z])(?:maybe|perhaps|probably|i guess|i think|not sure|kind of|sort of)(?![a-z])"
)
# What others say, for the writer to contradict.
_REPORTED = re.compile(
    r"(?:有人|有些人|很多人|大家|课件|课本|教材|书上|网上|老师|常|通常)(?:都|也|总|往往)?(?:说|"
    r"认为|以为|讲|觉得)"
    r"[^,。;]{2,40}|[\"“「『][^\"”」』]{2,40}[\"”」』](?:这种|这个|的|这一)?(?:说法|讲法|结论|"
    r"观点|看法)?"
    r"(?:是|太|并|说|也)*(?:不对|不准|错|绝对|武断|过头|片面|误区|误解)|"
    r"(?:people|some|many|textbooks?) (?:often )?(?:say|claim|think|believe)s? [^,.;]{2,80}"
)
_CONTRADICTED = re.compile(
    r"其实|但|不同意|不对|不准|错|不然|不一定|绝对|武断|过头|片面|误|事实上|"
    r"(?<![a-z])(?:but|actually|however|wrong|not true|in fact)(?![a-z])"
)
_SOON = 16
_FUNCTION_WORD = re.compile(
    r"[是会要被把就都才不没了在到有让使需能只还也的可方得去来等跟和与对从给将为之其它他这那并着过所则便无非]|"
    r""
    r"太|很|更|最|越|大|多|慢|低|高|满|差|变|够|算|"
    r"(?<![a-z])(?:is|are|was|were|be|been|the|a|an|to|of|in|on|it|its|that|this|which|and|or|"
    r"must|can|"
    r"cannot|will|would|has|have|had|does|do|not|no|by|with|for|from|every|each|so|because|when|if|"
    r"then|than|only|at|as|but|goes|gets|waits?|needs?)(?![a-z])"
)
_ITEM_END = re.compile(r"[,，、;；。|/\n\t+]+|\s[-–]\s|\.(?=\s|$)")
_JOINING = re.compile(
    r"因为|所以|因此|导致|于是|从而|由于|以及|还有|然后|"
    r"(?<![a-z])(?:because|so|therefore|thus|and|then|leads to)(?![a-z])|→|->|=>"
)
_ENUMERATION = re.compile(r"[、,，/]|和|以及|与|(?<![a-z])(?:and|or)(?![a-z])")
_ROW = 3
_SHORT_ITEM = 9.0
_LEAST_ITEMS = 5
_BARE_SHARE = 0.7
_LONG_ITEM = 16.0
# A few names in other letters are no harm.
_READ_SHARE = 0.8


def is_empty(text: str) -> bool:
    """Whether there is no letter, character or digit in it."""
    return not any(one.isalnum() for one in text)


def is_keyword_list(text: str) -> bool:
    """Whether it is a row of terms, none of which says anything of another."""
    items = [item.strip() for item in _items(text) if item.strip(" *-#：:")]
    if len(items) < _LEAST_ITEMS:
        words = text.split()
        items = words if len(words) >= _LEAST_ITEMS and not _has_sentence(text) else items
    if len(items) < _LEAST_ITEMS:
        return False
    bare = [item for item in items if width(item) <= _LONG_ITEM and not _FUNCTION_WORD.search(item)]
    return len(bare) >= _BARE_SHARE * len(items)


def _items(text: str) -> list[str]:
    """The items of a row, without the words that pretend to join them."""
    return _ITEM_END.split(_JOINING.sub(" ", text))


def reported(text: str) -> list[Span]:
    """What others are said to say, where it is contradicted at once."""
    return [
        found.span()
        for found in _REPORTED.finditer(text)
        if _CONTRADICTED.search(text, found.start(), found.end() + _SOON)
    ]


def enumerations(text: str, outline: Outline) -> list[Span]:
    """Rows of at least three bare terms within a sentence: naming is not saying."""
    found: list[Span] = []
    for start, end in outline.sentences:
        row: list[Span] = []
        done = start
        for mark in [*_ENUMERATION.finditer(text, start, end), None]:
            stop = mark.start() if mark else end
            item = text[done:stop].strip()
            if item and width(item) <= _SHORT_ITEM and not _FUNCTION_WORD.search(item):
                row.append((done, stop))
            else:
                found += _row(row)
                row = []
            done = mark.end() if mark else end
        found += _row(row)
    return found


def _row(row: list[Span]) -> list[Span]:
    return [(row[0][0], row[-1][1])] if len(row) >= _ROW else []


def _has_sentence(text: str) -> bool:
    return bool(_FUNCTION_WORD.search(text))


def connectives(text: str) -> int:
    """How many words of cause, condition or consequence there are."""
    return sum(1 for _ in _CONNECTIVE.finditer(text))


def dismissals(text: str, outline: Outline) -> list[Span]:
    """The clauses that wave something away as no cost and no trouble."""
    return [span for span in outline.clauses if _DISMISSAL.search(text, *span)]


def hedges(text: str) -> int:
    """How many words of doubt there are."""
    return sum(1 for _ in _HEDGE.finditer(text))


def is_read(text: str) -> bool:
    """Whether it is in a language that is read here: mostly Chinese or Latin letters."""
    letters = [one for one in text if one.isalpha()]
    known = sum(1 for one in letters if is_chinese(one) or one.isascii())
    return known >= _READ_SHARE * len(letters)
