"""Negation: whether what is named is also denied."""

from __future__ import annotations

import re

from autograder.review.plain import Span, width
from autograder.review.sentences import Outline

# These hold a negative word and deny nothing.
_NO_DENIAL = re.compile(
    # 忙不过来, 读不到: a failure, which denies nothing that follows.
    r"[\u4e00-\u9fff]不(?:过来|住|了|到|上|着|起|下|完|动|开|够|及|齐|满|出|回|清|见|掉|赢)|不够|不足|不是\w{0,4}吗|不仅|不只|不光|不但|不单|不止|不得不|不可避免|不能避免|无法避免|难以避免|免不了|少不了|"
    r"避不开|不必然|不一定|不管|不论|无论|不同|不断|不少|不久|不过|没等|没过多久|不然|否则|要不|"
    r"不是因为|不在于|不等于|并非只|差不多|不外乎|无非|不见得|不妨|不怕|无数|无限|"
    r"实在不行|别(?=的|处|人|家|台|机|个|样|地|名|说|扭)|未(?=来|必)|没(?=准)|不(?=痛不痒|由得)|"
    r"not only|not just|not merely|no longer|no matter|no doubt|not necessarily|cannot avoid|"
    r"can't avoid|nothing but|not because"
)
_BEFORE = re.compile(
    r"(?:不会|不是|不存在|不需要|不需|不用|不必|不应|不该|不再|不能|不可能|不受|不产生|不涉及|不影响|不看|不怎么|"
    r"并不|并非|并没|没有|没必要|没什么|没|无需|无须|毫无|无关|谈不上|说不上|用不着|未|无|别|勿|不|"
    r"(?<![a-z])(?:no|not|never|without|neither|nor|none|cannot|hardly|isn't|aren't|doesn't|don't|"
    r"didn't|won't|can't|wasn't|needn't)(?![a-z]))"
)
_AFTER = re.compile(
    r"^[^,，。;；与和跟同]{0,8}?(?:不是问题|不成问题|不构成问题|不存在(?=\W|$)|没问题|没有问题|无关|没关系|"
    r"没有关系|不会发生|不会出现|属于(?:毛刺|异常|个例|离群)|不重要|不影响|没有影响|没影响|可以忽略|不(?:花|费|耗|占)(?:时间|什么|多少)|没(?:有)?成本|(?:几乎)?为零|(?:都|也|全)?(?:是)?(?:免费|零成本|零开销|不要钱)|从来(?:就)?没(?:有)?用|不用考虑|不用管|不值一提|很轻松|"
    r" ?(?:is|are)(?: not|n't|  never| no) (?:an? )?(?:real )?"
    r"(?:issue|problem|bottleneck|concern|contended|needed|necessary|required|involved)|"
    r" ?doesn't (?:exist|matter|happen)| ?do(?:es)? not (?:exist|matter|happen)| ?never happens?|"
    r" ?(?:is|are) (?:negligible|irrelevant|a myth|unnecessary)|.{0,18} is negligible)"
)
# What was named before is waved away as a whole.
_DISMISSED = re.compile(
    r"(?:这些|它们|他们|以上|上述|前面这?些?|这几[点个项样])[^,，。]{0,8}?"
    r"(?:不是|不重要|不存在|不成立|无关|没关系|老黄历|过时)|(?:没有|不存在)这(?:些|种|类)|"
    r"(?<![a-z])(?:none of (?:these|them|that|this)|(?:these|they) are (?:not|no|never))(?![a-z])"
)
# How far a negation reaches: a few words.
_REACH = 7.0
_STOPS = re.compile(r"[、/+|]|而是|但|却|反而|因为|由于|(?<![a-z])(?:but|because|since)(?![a-z])")
_LOOK_BACK = 40


def negator(text: str, outline: Outline, span: Span) -> Span | None:
    """The words that deny what stands at `span`; None when nothing does.

    The span's own clause is looked at: a negation before it, a few words away at most, or a
    judgement right behind it; and whether the sentence goes on to dismiss all that it named.
    """
    start, end = span
    clause_start, clause_end = outline.clause(start)
    begin = max(clause_start, start - _LOOK_BACK)
    before = _blanked(text[begin:start])
    found = None
    for found in _BEFORE.finditer(before):  # noqa: B007  (the last one counts)
        pass
    if found is not None:
        between = before[found.end() :]
        if width(between) <= _REACH and not _STOPS.search(between):
            return begin + found.start(), begin + found.end()
    behind = _AFTER.match(_blanked(text[end:clause_end]))
    if behind:
        return end + behind.start(), end + behind.end()
    dismissed = _DISMISSED.search(text, end, outline.sentence(start)[1])
    return dismissed.span() if dismissed else None


def _blanked(text: str) -> str:
    return _NO_DENIAL.sub(lambda found: "＿" * len(found[0]), text)
