"""Talk that claims nothing: about the importance of it all, or terms strung into sentences.

No lesson is in here: the words below are those in which anybody talks about anything. A sentence
is told by its shape. It is talk when words of weighing and relating outnumber those of doing; it
is a string when terms fill it and only copulas and abstract relations hold them together.
"""

from __future__ import annotations

import re

from autograder.review.plain import Span, is_chinese, width
from autograder.review.sentences import Outline

# Verbs of weighing and relating, nouns of the abstract, praise: each is harmless alone.
_ABSTRACT = re.compile(
    r"涉及|牵涉|牵扯|关乎|关系到|离不开|绕不开的话题|涵盖|围绕|兼顾|统筹|权衡|综合|考量|考虑|"
    r"重视|关注|把握|正确认识|"
    r"深刻|深入|看待|探讨|研究|学习|体会|领会|思考|评估|完善|相互|彼此|互相|共同|紧密|密切|交织|"
    r"融合|协同|"
    r"联动|支撑|促进|制约|平衡|随之变化|辩证|有机|因素|方面|层面|维度|角度|视角|环节|体系|要素|"
    r"话题|领域|策略|"
    r"最佳实践|业务|实际情况|需求|架构|生态|组成部分|整体|系统性|系统地|重要|关键|复杂|全面|科学|"
    r"合理|灵活|场景|优势|不足|各有|大背景|全局出发|必要|多元|不可忽视|不容忽视|不可或缺|至关|"
    r"因地制宜|具体问题|有待|值得|与时俱进|高质量|赋能|抓手|"
    r"意义|内涵|规律|挑战|机遇|发展|趋势|原则|取舍之道|结合|优化|可持续发展|理解|认识|理念|"
    r"(?<![a-z])(?:involv|relat|consider|weigh|evaluat|assess|balanc|holistic|nuanced|"
    r"multi-?faceted|"
    r"complex|interplay|intertwin|interact|aspect|factor|dimension|consideration|perspective|"
    r"trade-?offs?|stakeholder|strateg|approach|framework|landscape|ecosystem|lifecycle|"
    r"best practice|governance|governed|robust|scalab|optimal|optimi[sz]|important|essential|"
    r"crucial|"
    r"critical(?! section)|vital|key (?:to|part|role|factor|aspect|concern)|role|careful|"
    r"comprehensive|thorough|requirement|"
    r"goal|objective|align(?:s|ing)? (?:with|\w+ objectives)|organi[sz]ation|decision|modern|"
    r"technolog|"
    r"characteristic|unique|continuous|infrastructure|simplicity|flexib|understand|challeng|"
    r"efficien|reliab|performance|design|practi[ct]|context|diverse|various|many|numerous|layers|"
    r"environment|solution|matters a lot|suits?|suitable|needs(?! to)|teams?|support|connected|"
    r"together|overall|broad|foundation|have to think|silver bullet|"
    r"great feature|paramount|insight)"
)
# What happens to things: who says one of these says something.
_DOING = re.compile(
    r"排(?!查)|等(?![\w]{0,4}(?:关键|重要|因素|方面|问题|环节|内容|维度|概念|要素|机制|技术))|"
    r"抢|锁住|堵|挤|卡(?!数)|拖|慢|丢|坏|"
    r"没了|烧|死|崩|挂|跑|拿|取(?!决|舍|长)|读|写不|写完|传|搬|拷|存(?!储|在)|换|省|占|花|耗|绕|"
    r"命中|查找|"
    r"空转|到齐|登记|建(?!议|设|立|构|模)|改(?!善|进|变)|合成|合并|拆|派|轮|撞|涌|"
    r"(?<![a-z])(?:wait|queue|lock|block|stall|lost|lose|dies?|dead|gone|crash|fail|hit|miss|"
    r"bypass|"
    r"skip|reads?|writes?|fetch|cop(?:y|ied)|pay|paid|spen[dt]|take|took|goes|go|gets?|create|open|"
    r"finish|arriv|restart|reboot|survive|reach|mount|find|uploads?|serial|contend|slow|"
    r"dominat|cost|register|pin|pad|adds?|remove|save[sd])(?![a-z]*ly)"
)
# These alone give a sentence away, unless it also tells a consequence.
_GIVEN_AWAY = re.compile(
    r"(?:很多|许多|多个|种种|多重|多种|诸多)(?:的)?因素|这题考|参考课件|见课件|"
    r"(?:see|refer to) the (?:slides|notes|lesson)|个环节|的因果链|考点|知识点|"
    r"复习过|相信老师|给点分|原理很清楚|"
    r"密切相关|息息相关|相互关联|彼此关联|互相影响|相互影响|相互作用|共同(?:影响|作用|决定)|"
    r"多方面|各方面|等方面|等因素|等问题|综合(?:考虑|考量|分析|权衡)|全面(?:考虑|分析)|统筹|"
    r"具体情况具体分析|都会影响|都有影响|是(?:很|非常)?重要的|需要(?:重点)?关注|"
    r"(?:涉及|牵涉|关系)(?:到)?(?:很多|多个|[^,，。]{2,40}、)|"
    r"closely related|interrelated|many factors|various factors|all play a role|"
    r"should be considered|need to be considered|comprehensive|involves? (?:many|several|various)"
)
_CONSEQUENCE = re.compile(
    r"因为|由于|所以|因此|因而|导致|造成|使得|于是|从而|只能|->|→|=>|⇒|"
    r"(?<![a-z])(?:because|so|therefore|thus|hence|leads? to|causes?|due to)(?![a-z])"
)
# Copulas and relations that hold any two nouns together.
_GLUE = re.compile(
    r"属于|借助|依托|凭借|体现(?:为|了|着)?|表现为|呈现|转化|归结|演化|升华|"
    r"完成(?:了)?\w{0,8}的|获得|赋予|构成|"
    r"充当|承载|映射|本质|便是|正是|即是|实质|的一种|作为|成为|视为|称为|定义|贯穿|驱动|触发|"
    r"耦合|融入|渗透|"
    r"对应|协调|支配|注册为|所(?=[^\W\d]{2}[,，。])|(?<=[\u4e00-\u9fffa-z] )使|进而|因而|"
    r"(?<![a-z])(?:is (?:a|the) (?:kind|form|type|sort|essence|nature) of|acts? as|manifest|"
    r"becomes? (?:a|the)|"
    r"constitut|embod|essence|by virtue|derive|express|reflect|transform|through (?:a|the|its)|"
    r"represent|couples?|maps?|defines?)"
)
_LATIN = re.compile(r"[a-z][a-z0-9_./]+")
_TERM = re.compile(
    r"metadata|director(?:y|ies)|stripes?|bandwidth|stragglers?|barriers?|inodes?|fsync|bursts?|"
    r"aggregation|page cache|readahead|copy|alignment|registration|syscalls?|samples?|queues?|"
    r"replicas?|manifests?|shards?|failure domains?|rescheduling|nodes?|nvme|commit|checksums?|"
    r"storage|throughput|buffers?|latency|tail|iops|ranks?|locks?|contention|checkpoints?|"
    r"元数据|目录|文件|条带|带宽|长尾|延迟|聚合|屏障|栅栏|缓存|读取|读写|预读|拷贝|对齐|注册|"
    r"寻址|开销|样本|随机|队列|副本|分片|清单|故障域|调度|节点|提交|原子|持久|存储|恢复|检查点|"
    r"校验|"
    r"吞吐|缓冲|显存|内存|系统调用|请求|风暴|争用|竞争|锁|突发|串行"
)
_ITEM = r"[^,，、。;；]{1,16}"
_ROW = re.compile(
    rf"{_ITEM}、{_ITEM}(?:、|和|与|及|以及){_ITEM}|"
    r"[a-z][\w -]{1,30}, [\w -]{2,30},? (?:and|or) [\w -]{2,30}"
)
_MANY_ABSTRACT = 2
_STRUNG = 0.36
_LEAST_TERMS = 5
_LEAST_GLUE = 2


def empty_talk(text: str, outline: Outline) -> list[Span]:
    """The sentences that claim nothing."""
    found = [span for span in outline.sentences if _is_talk(text[span[0] : span[1]])]
    return [*found, *_strings(text, outline)]


def _is_talk(sentence: str) -> bool:
    if _GIVEN_AWAY.search(sentence) and not _CONSEQUENCE.search(sentence):
        return True
    abstract = len(_ABSTRACT.findall(sentence))
    doing = len(_DOING.findall(_TERM.sub("＿", sentence)))
    if _ROW.search(sentence):
        abstract += 1
    return abstract >= _MANY_ABSTRACT and abstract > 2 * doing


def _strings(text: str, outline: Outline) -> list[Span]:
    """All sentences of an answer that strings terms together instead of telling what happens."""
    terms = [found[0] for found in _TERM.finditer(text)]
    rest = _TERM.sub("＿", text)
    if any(map(is_chinese, text)):
        terms += _LATIN.findall(rest)
        rest = _LATIN.sub("＿", rest)
    glue, doing = len(_GLUE.findall(rest)), len(_DOING.findall(rest))
    share = sum(map(width, terms)) / max(1.0, width(text))
    strung = len(terms) >= _LEAST_TERMS and glue >= max(_LEAST_GLUE, 2 * doing)
    return list(outline.sentences) if strung and share >= _STRUNG else []
